// Elementwise operators of two operands: arithmetic, powers, bits, special functions of two values.
// Comparisons: comparison.cpp.
#include "core/ops/derived.h"
#include "core/ops/families/arithmetic.h"
#include "core/ops/families/copy.h"
#include "core/ops/families/into.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/families/symbolic_sizes.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace rules_of_pointwise_binary {
namespace {
using enum Promotion;

// Mirrors signbit of torch/_refs/__init__.py, whose prim answers in the operand's dtype.
Value sign_bit(Call& c, const ReferenceSteps& steps, const Value& a) {
  return c.call<"aten::to.dtype">(steps.of(a), DType::kBool);
}

// Mirrors _floor_divide_float, torch/_refs/__init__.py.
Value floor_divide_floats(Call& c, const ReferenceSteps& steps, const Value& a, const Value& b) {
  const Value remainder = steps.of(a, b);
  const Value quotient = steps.of(steps.of(a, remainder), b);
  const Value is_negative = steps.truth(a);
  const Value signs = steps.both(is_negative, steps.truth(b));
  const Value has_remainder = steps.truth(remainder);
  const Value differs = steps.both(has_remainder, signs);
  const Value corrected = steps.where(differs, steps.of(quotient), quotient);
  const Value exact = steps.of(a, b);
  const Value is_nonzero = steps.truth(corrected);
  const Value zero = steps.where(sign_bit(c, steps, exact), 0, 0);
  const Value rounded = steps.where(is_nonzero, steps.of(corrected), zero);
  return steps.where(steps.truth(b), rounded, exact);
}

// Mirrors _floor_divide_integer, torch/_refs/__init__.py.
Value floor_divide_integers(Call& c, const ReferenceSteps& steps, const Value& a, const Value& b) {
  const DType dtype = steps.computation();
  const Value quotient = steps.of(a, b);
  if (dtype == DType::kUInt8 || (dtype >= DType::kUInt16 && dtype <= DType::kUInt64))
    return quotient;
  const Value offset = steps.of(steps.of(steps.of(a), steps.of(b)), steps.of(quotient));
  return *arithmetic(c, quotient, offset);
}

// Mirrors floor_divide, torch/_decomp/decompositions.py, which is that of torch/_refs/__init__.py.
Value floor_divide(Call& c, const Value& self, const Value& other) {
  const ReferenceSteps steps(c, c.args().first(2), kDefault);
  const DType dtype = steps.computation();
  c.check(is_floating(dtype) || is_integral(dtype), "{} not supported for floor_divide", dtype);
  Value a = self;
  Value b = other;
  steps.expand(a, b);
  a = steps.as_tensor(a);
  b = steps.as_tensor(b);
  return steps.result(is_floating(dtype) ? floor_divide_floats(c, steps, a, b)
                                         : floor_divide_integers(c, steps, a, b));
}

// Mirrors div, torch/_refs/__init__.py.
Value div_mode(Call& c, const Value& self, const Value& other,
               std::optional<std::string_view> rounding_mode) {
  const Value operands[] = {self, other};
  if (!rounding_mode) return elementwise(c, operands, kIntToFloat);
  c.check_as(ErrorKind::kValueError, *rounding_mode == "trunc" || *rounding_mode == "floor",
             "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {}.",
             *rounding_mode);
  return *rounding_mode == "floor" ? floor_divide(c, self, other)
                                   : elementwise(c, operands, kDefault);
}

// Mirrors xlogy, torch/_refs/__init__.py, and xlog1py, torch/_refs/special/__init__.py.
Value xlogy(Call& c, const Value& self, const Value& other) {
  const ReferenceSteps steps(c, c.args().first(2), kIntToFloat);
  const Value a = steps.as_tensor(self);
  const Value b = steps.as_tensor(other);
  const Value is_zero = steps.truth(a);
  const Value product = *arithmetic(c, a, steps.of(b));
  const Value finite = steps.where(is_zero, 0, product);
  return steps.result(steps.where(steps.truth(b), 0, finite));
}

// Mirrors copysign, torch/_refs/__init__.py: the sign of `other` chooses, and so its layout leads.
Value copysign(Call& c, const Value& self, const Value& other) {
  const ReferenceSteps steps(c, c.args().first(2), kIntToFloat);
  Value a = self;
  Value b = other;
  steps.expand(a, b);
  const Value is_negative = sign_bit(c, steps, steps.as_tensor(b));
  const Value magnitude = steps.of(a);
  return steps.result(steps.where(is_negative, steps.of(magnitude), magnitude));
}

// Mirrors heaviside, torch/_refs/__init__.py.
Value heaviside(Call& c, const Value& self, const Value& values) {
  const ReferenceSteps steps(c, c.args().first(2), kDefault);
  Value a = self;
  Value b = values;
  steps.expand(a, b);
  const Value is_zero = steps.truth(a);
  const Value step = steps.where(steps.truth(a), 0, 1);
  return steps.result(steps.where(is_zero, b, step));
}

// Mirrors lcm, torch/_refs/__init__.py: the product over the greatest common divisor.
Value lcm(Call& c, const Value& self, const Value& other) {
  const ReferenceSteps steps(c, c.args().first(2), kDefault);
  Value a = self;
  Value b = other;
  steps.expand(a, b);
  c.check(!is_bool(steps.computation()),
          "Tensor with dtype torch.int64 is not the expected dtype of torch.bool!");
  const Value common = steps.of(a, b);
  const Value divisor = steps.where(steps.truth(common), 1, common);
  return steps.result(steps.of(steps.arithmetic(steps.of(a, divisor), b)));
}

// Mirrors logaddexp and logaddexp2, torch/_refs/__init__.py.
Value log_sum(Call& c, const Value& self, const Value& other, bool is_base_two) {
  const ReferenceSteps steps(c, c.args().first(2), kDefault);
  Value a = self;
  Value b = other;
  steps.expand(a, b);
  c.check(!is_bool(steps.computation()),
          "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
          "`logical_xor()` operator instead.");
  const Value larger = steps.truth(a, b);
  const Value greatest = steps.where(larger, a, b);
  const Value least = steps.where(larger, b, a);
  // isfinite of real numbers is a product, isinf a comparison.
  Value infinite = steps.truth(a);
  if (!is_base_two) infinite = steps.truth(steps.arithmetic(infinite, infinite));
  infinite = steps.both(infinite, larger);
  const Value decay = steps.of(steps.of(steps.arithmetic(least, greatest)));
  const Value sum = steps.arithmetic(greatest, is_base_two ? steps.arithmetic(decay) : decay);
  return steps.result(steps.where(infinite, a, sum));
}
Value logaddexp(Call& c, const Value& self, const Value& other) {
  return log_sum(c, self, other, false);
}
Value logaddexp2(Call& c, const Value& self, const Value& other) {
  c.check(!is_complex(promoted_dtype(c, c.args().first(2))),
          "logaddexp2 doesn't support complex dtypes");
  return log_sum(c, self, other, true);
}

// Mirrors shift_dtype_check, meta_lshifts and meta_rshifts, torch/_meta_registrations.py.
template <FixedString name>
Tensor* shift(Call& c, const Tensor& self, const Value& other) {
  c.check(is_integral(self.dtype()), "{}: Expected input tensor to have an integral dtype. Got {}",
          name.view(), self.dtype());
  if (other.is_tensor() && !other.tensor().is_wrapped_number) {
    c.check(is_integral(other.tensor().dtype()),
            "{}: Expected shift value to have an integral dtype. Got {}", name.view(),
            other.tensor().dtype());
  } else {
    const DType given = other.is_tensor() ? other.tensor().dtype() : number_dtype(other);
    c.check(is_integral_or_bool(given), "{}: Expected shift value to be an int. Got {}",
            name.view(), other);
  }
  return elementwise_meta(c, c.args().first(2), kNoOpmath);
}

// Mirrors meta_complex, torch/_meta_registrations.py, and polar, torch/_refs/_conversions.py.
Tensor* complex_of_parts(Call& c, const Tensor& real, const Tensor& imag) {
  c.check_as(ErrorKind::kAssertionError, is_floating(real.dtype()),
             "real must be floating point, got {}", real.dtype());
  c.check_as(ErrorKind::kAssertionError, is_floating(imag.dtype()),
             "imag must be floating point, got {}", imag.dtype());
  // `.to` of a complex dtype, which without the dispatcher runs in C++.
  for (const Tensor* part : {&real, &imag}) {
    if (c.context().python_dispatcher) break;
    specialize_sizes(part->strides());
    specialize_sizes(*part);
  }
  const DType dtype = to_complex(promoted_dtype(c, c.args().first(2)));
  return elementwise(c, c.args().first(2), dtype, dtype);
}

// Mirrors isclose, aten/src/ATen/native/TensorCompare.cpp.
Value isclose(Call& c, const Tensor& self, const Tensor& other, double rtol, double atol,
              bool equal_nan) {
  c.check(self.dtype() == other.dtype(), "{} did not match {}", info(self.dtype()).cpp_name,
          info(other.dtype()).cpp_name);
  c.check(rtol >= 0, "rtol must be greater than or equal to zero, but got {}", rtol);
  c.check(atol >= 0, "atol must be greater than or equal to zero, but got {}", atol);
  Value close = c.call<"aten::eq.Tensor">(self, other);
  if (equal_nan && is_float_or_complex(self.dtype())) {
    const Value both = c.call<"aten::isnan">(other);
    close = c.call<"aten::bitwise_or_.Tensor">(
        close, c.call<"aten::bitwise_and_.Tensor">(c.call<"aten::isnan">(self), both));
  }
  if (rtol <= 0 && atol <= 0) return close;
  Value a = self;
  Value b = other;
  if (is_integral_or_bool(self.dtype())) {
    a = c.call<"aten::to.dtype">(self, c.context().default_dtype);
    b = c.call<"aten::to.dtype">(other, c.context().default_dtype);
  }
  const Value allowed =
      c.call<"aten::add.Tensor">(c.call<"aten::abs">(c.call<"aten::mul.Tensor">(b, rtol)), atol);
  const Value actual = c.call<"aten::abs">(c.call<"aten::sub.Tensor">(a, b));
  const Value is_allowed = c.call<"aten::le.Tensor">(actual, allowed);
  const Value within =
      c.call<"aten::bitwise_and_.Tensor">(c.call<"aten::isfinite">(actual), is_allowed);
  return c.call<"aten::bitwise_or_.Tensor">(close, within);
}

bool is_number_one(const Value& value) {
  if (value.is(Value::Tag::kInt)) return statically_known_true(value.as_sym_int() == 1);
  return value.is(Value::Tag::kFloat) && value.as_double() <= 1 && value.as_double() >= 1;
}

// a + alpha * b: the second operand is multiplied where alpha is not 1.
Value scaled_sum(Call& c, const Value& self, const Value& other, const Value& alpha) {
  const Value operands[] = {self, other};
  if (is_number_one(alpha) || !other.is_tensor()) return elementwise_step(c, operands, kDefault);
  const ReferenceSteps steps(c, operands, kDefault);
  Value a = self;
  Value b = other;
  steps.expand(a, b);
  return steps.result(steps.of(a, steps.of(b)));
}

// Mirrors mul and div, torch/_refs/__init__.py.
Tensor* mul(Call& c, const Value& self, const Value& other) { return arithmetic(c, self, other); }
Tensor* div(Call& c, const Value& self, const Value& other) {
  return arithmetic(c, self, other, kIntToFloat);
}

// Mirrors add, torch/_refs/__init__.py.
Value add(Call& c, const Value& self, const Value& other, const Value& alpha) {
  if (Tensor* sum = fast_arithmetic(c, self, other)) return sum;
  const Value operands[] = {self, other};
  const DType dtype = promoted_dtype(c, operands);
  if (!is_bool(dtype)) check_number_fits(c, ErrorKind::kValueError, "alpha", alpha, dtype);
  return scaled_sum(c, self, other, alpha);
}

bool is_tensor_operand(const Value& value) {
  return value.is_tensor() && !value.tensor().is_wrapped_number;
}

// Mirrors sub, torch/_refs/__init__.py.
Value sub(Call& c, const Value& self, const Value& other, const Value& alpha) {
  if (Tensor* difference = fast_arithmetic(c, self, other)) return difference;
  const Value operands[] = {self, other};
  const DType dtype = promoted_dtype(c, operands);
  if (is_bool(dtype) && is_tensor_operand(self) && is_tensor_operand(other)) {
    broadcast_operands(c, operands);
    c.fail(ErrorKind::kRuntimeError,
           "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
           "`logical_xor()` operator instead.");
  }
  if (!is_number_one(alpha)) check_number_fits(c, ErrorKind::kValueError, "alpha", alpha, dtype);
  return scaled_sum(c, self, other, alpha);
}

// Mirrors rsub, torch/_refs/__init__.py.
Value rsub(Call& c, const Value& self, const Value& other, const Value& alpha) {
  return sub(c, other, self, alpha);
}

// --- in-place forms with rules of their own: nothing is computed ---

void check_broadcast(Call& c, const Tensor& self, const Value& other) {
  if (other.is_tensor() && !other.tensor().is_wrapped_number)
    check_inplace_broadcast(c, self, other.tensor());
}

// Mirrors meta_binop_inplace, torch/_meta_registrations.py.
Value mul_inplace(Call& c, Tensor& self, const Value& other) {
  check_broadcast(c, self, other);
  return written(c, self);
}

// Mirrors meta_binop_inplace_alpha, torch/_meta_registrations.py.
Value add_or_sub_inplace(Call& c, Tensor& self, const Value& other) {
  const DType given = other.is_tensor() ? other.tensor().dtype() : number_dtype(other);
  c.check(!is_integral(self.dtype()) || !is_floating(given),
          "Promotion of int.add/sub_(float) in in-place ops are not possible due to element size "
          "change.");
  c.check(!is_bool(self.dtype()) || is_bool(given),
          "Promotion of bool.add/sub_(others) in in-place ops are not possible due to element size "
          "change.");
  check_broadcast(c, self, other);
  return written(c, self);
}

// Mirrors meta_div_inplace, torch/_meta_registrations.py.
Value div_inplace(Call& c, Tensor& self, const Value& other) {
  const DType promoted = promoted_dtype(c, c.args().first(2));
  const DType result = elementwise_types(promoted, kIntToFloat, c.context().default_dtype).result;
  c.check(can_cast(result, self.dtype()),
          "result type {} can't be cast to the desired output type {}", result, self.dtype());
  check_broadcast(c, self, other);
  return written(c, self);
}

bool is_one(const Value& number) {
  return is_number_one(number) ||
         (number.is(Value::Tag::kBool) && statically_known_true(number.as_sym_bool()));
}
bool is_two(const Value& number) {
  if (number.is(Value::Tag::kInt)) return statically_known_true(number.as_sym_int() == 2);
  return number.is(Value::Tag::kFloat) && number.as_double() <= 2 && number.as_double() >= 2;
}

// Mirrors pow, torch/_refs/__init__.py: powers by 1 are copies, by 2 products.
Value pow(Call& c, const Value& self, const Value& exponent) {
  if (exponent.is_tensor() || !(is_one(exponent) || is_two(exponent)))
    return elementwise(c, c.args().first(2), kBoolToLong);
  const ElementwiseTypes types = elementwise_types(promoted_dtype(c, c.args().first(2)),
                                                   kBoolToLong, c.context().default_dtype);
  Tensor* base = cast_to(c, self.tensor(), types.computation);
  if (is_one(exponent)) return empty_as_cloned(c, *base, types.result, c.device());
  return cast_to(c, *arithmetic(c, *base, *base), types.result);
}

// Mirrors float_power, aten/src/ATen/native/Pow.cpp: computed in float64 or complex128.
Value float_power(Call& c, const Value& base, const Value& exponent) {
  const Value operands[] = {base, exponent};
  const DType dtype = is_complex(result_type(c, operands)) ? DType::kComplex128 : DType::kFloat64;
  const auto cast = [&](const Value& operand) {
    return operand.is_tensor() ? c.call<"aten::to.dtype">(operand, dtype) : operand;
  };
  if (const Tensor* out = output_of(c)) {
    c.check(out->dtype() == dtype,
            "the output given to float_power has dtype {} but the operation's result requires "
            "dtype {}",
            info(out->dtype()).cpp_name, info(dtype).cpp_name);
  }
  if (!base.is_tensor())
    return call_into<"aten::pow.Scalar", "aten::pow.Scalar_out">(c, base, cast(exponent));
  if (!exponent.is_tensor()) {
    return call_into<"aten::pow.Tensor_Scalar", "aten::pow.Tensor_Scalar_out">(c, cast(base),
                                                                               exponent);
  }
  return call_into<"aten::pow.Tensor_Tensor", "aten::pow.Tensor_Tensor_out">(c, cast(base),
                                                                             cast(exponent));
}

// Mirrors float_power_, aten/src/ATen/native/Pow.cpp.
Value float_power_inplace(Call& c, Tensor& self, const Value& exponent) {
  const DType given = exponent.is_tensor() ? exponent.tensor().dtype() : number_dtype(exponent);
  const bool is_complex_power = is_complex(self.dtype()) || is_complex(given);
  const DType dtype = is_complex_power ? DType::kComplex128 : DType::kFloat64;
  c.check(self.dtype() == dtype,
          "the base given to float_power_ has dtype {} but the operation's result requires dtype "
          "{}",
          info(self.dtype()).cpp_name, info(dtype).cpp_name);
  if (!exponent.is_tensor()) return c.call<"aten::pow_.Scalar">(self, exponent);
  return c.call<"aten::pow_.Tensor">(self, c.call<"aten::to.dtype">(exponent, dtype));
}

// Mirrors ldexp, torch/_decomp/decompositions.py: self * 2 ** other.
Tensor* ldexp(Call& c, const Tensor& self, const Tensor& other) {
  const DType two = is_integral_or_bool(self.dtype()) ? DType::kFloat32 : self.dtype();
  const Tensor& base = *c.empty({}, two);
  return &c.tensor<"aten::mul.Tensor">(self, c.call<"aten::pow.Tensor_Tensor">(base, other));
}

// clang-format off
constexpr OpDef kPointwiseBinary[] = {
    {"aten::__and__.Scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::bitwise_and.Scalar">(), kComposite},
    {"aten::__and__.Tensor(Tensor self, Tensor other) -> Tensor", same_as<"aten::bitwise_and.Tensor">(), kComposite},
    {"aten::__iand__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", same_as<"aten::bitwise_and_.Scalar">(), kComposite},
    {"aten::__iand__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", same_as<"aten::bitwise_and_.Tensor">(), kComposite},
    {"aten::__ilshift__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", copied_from<"aten::__lshift__.Scalar">(), kByDecomp},
    {"aten::__ilshift__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", copied_from<"aten::__lshift__.Tensor">(), kByDecomp},
    {"aten::__ior__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", same_as<"aten::bitwise_or_.Scalar">(), kComposite},
    {"aten::__ior__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", same_as<"aten::bitwise_or_.Tensor">(), kComposite},
    {"aten::__irshift__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", copied_from<"aten::__rshift__.Scalar">(), kByDecomp},
    {"aten::__irshift__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", copied_from<"aten::__rshift__.Tensor">(), kByDecomp},
    {"aten::__ixor__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", same_as<"aten::bitwise_xor_.Scalar">(), kComposite},
    {"aten::__ixor__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", same_as<"aten::bitwise_xor_.Tensor">(), kComposite},
    {"aten::__lshift__.Scalar(Tensor self, Scalar other) -> Tensor", rule<&shift<"lshift">>()},
    {"aten::__lshift__.Tensor(Tensor self, Tensor other) -> Tensor", rule<&shift<"lshift">>()},
    {"aten::__or__.Scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::bitwise_or.Scalar">(), kComposite},
    {"aten::__or__.Tensor(Tensor self, Tensor other) -> Tensor", same_as<"aten::bitwise_or.Tensor">(), kComposite},
    {"aten::__rshift__.Scalar(Tensor self, Scalar other) -> Tensor", rule<&shift<"rshift">>()},
    {"aten::__rshift__.Tensor(Tensor self, Tensor other) -> Tensor", rule<&shift<"rshift">>()},
    {"aten::__xor__.Scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::bitwise_xor.Scalar">(), kComposite},
    {"aten::__xor__.Tensor(Tensor self, Tensor other) -> Tensor", same_as<"aten::bitwise_xor.Tensor">(), kComposite},
    {"aten::_add_relu.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", binary({.promote = kNoOpmath, .on_meta = true})},
    {"aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", binary({.promote = kNoOpmath, .on_meta = true})},
    {"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", rule<&add>(), kByRef},
    {"aten::add_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)", rule<&add_or_sub_inplace>()},
    {"aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)", rule<&add_or_sub_inplace>()},
    {"aten::arctan2(Tensor self, Tensor other) -> Tensor", same_as<"aten::atan2">(), kComposite},
    {"aten::arctan2_(Tensor(a!) self, Tensor other) -> Tensor(a!)", same_as<"aten::atan2_">(), kComposite},
    {"aten::atan2(Tensor self, Tensor other) -> Tensor", binary({.promote = kIntToFloat}), kInplace | kByRef | kRealDerivative},
    {"aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor", binary(), kInplace | kByRef},
    {"aten::bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", binary(), kByRef},
    {"aten::bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor", binary(), kInplace | kByRef},
    {"aten::bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", binary(), kByRef},
    {"aten::bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor", binary(), kInplace | kByRef},
    {"aten::bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor", binary(), kInplace | kByRef},
    {"aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor", binary(), kInplace | kByRef},
    {"aten::bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", binary(), kByRef},
    {"aten::bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor", binary(), kInplace | kByRef},
    {"aten::bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", binary(), kByRef},
    {"aten::bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor", binary(), kInplace | kByRef},
    {"aten::bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor", binary(), kInplace | kByRef},
    {"aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor", binary(), kInplace | kByRef},
    {"aten::bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", binary(), kByRef},
    {"aten::bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor", binary(), kInplace | kByRef},
    {"aten::complex(Tensor real, Tensor imag) -> Tensor", rule<&complex_of_parts>()},
    {"aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor", rule<&copysign>(), kInplace | kByRef | kRealDerivative},
    {"aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor", rule<&copysign>(), kInplace | kByRef | kRealDerivative},
    {"aten::div.Scalar(Tensor self, Scalar other) -> Tensor", binary({.promote = kIntToFloat}), kByRef},
    {"aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor", rule<&div_mode>(), kInplace | kByRef},
    {"aten::div.Tensor(Tensor self, Tensor other) -> Tensor", rule<&div>(), kByRef},
    {"aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", rule<&div_mode>(), kInplace | kByRef},
    {"aten::div_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", rule<&div_inplace>()},
    {"aten::div_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", rule<&div_inplace>()},
    {"aten::divide.Scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::div.Scalar">(), kComposite},
    {"aten::divide.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor", same_as<"aten::div.Scalar_mode">(), kComposite},
    {"aten::divide.Tensor(Tensor self, Tensor other) -> Tensor", same_as<"aten::div.Tensor">(), kComposite},
    {"aten::divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", same_as<"aten::div.Tensor_mode">(), kComposite},
    {"aten::divide_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", same_as<"aten::div_.Scalar">(), kComposite},
    {"aten::divide_.Scalar_mode(Tensor(a!) self, Scalar other, *, str? rounding_mode) -> Tensor(a!)", same_as<"aten::div_.Scalar_mode">(), kComposite},
    {"aten::divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", same_as<"aten::div_.Tensor">(), kComposite},
    {"aten::divide_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)", same_as<"aten::div_.Tensor_mode">(), kComposite},
    {"aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor", rule<&float_power>(), kComposite},
    {"aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", rule<&float_power>(), kComposite},
    {"aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", rule<&float_power>(), kComposite},
    {"aten::float_power_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)", rule<&float_power_inplace>(), kComposite},
    {"aten::float_power_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)", rule<&float_power_inplace>(), kComposite},
    {"aten::floor_divide(Tensor self, Tensor other) -> Tensor", rule<&floor_divide>(), kByDecomp},
    {"aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor", rule<&floor_divide>(), kInplace | kByDecomp},
    {"aten::floor_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", written_by<"aten::floor_divide">(), kByRef},
    {"aten::fmax(Tensor self, Tensor other) -> Tensor", binary(), kByRef | kRealDerivative},
    {"aten::fmin(Tensor self, Tensor other) -> Tensor", binary(), kByRef | kRealDerivative},
    {"aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor", binary(), kInplace | kByRef | kRealDerivative},
    {"aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor", binary(), kInplace | kByRef | kRealDerivative},
    {"aten::gcd(Tensor self, Tensor other) -> Tensor", binary(), kInplace | kByRef},
    {"aten::heaviside(Tensor self, Tensor values) -> Tensor", rule<&heaviside>(), kInplace | kByRef},
    {"aten::hypot(Tensor self, Tensor other) -> Tensor", binary(), kInplace | kByRef | kRealDerivative},
    {"aten::igamma(Tensor self, Tensor other) -> Tensor", binary({.promote = kIntToFloat}), kInplace | kByRef | kRealDerivative},
    {"aten::igammac(Tensor self, Tensor other) -> Tensor", binary({.promote = kIntToFloat}), kInplace | kByRef | kRealDerivative},
    {"aten::isclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, bool equal_nan=False) -> Tensor", rule<&isclose>(), kComposite},
    {"aten::lcm(Tensor self, Tensor other) -> Tensor", rule<&lcm>(), kInplace | kByRef},
    {"aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor", rule<&ldexp>(), kByDecomp},
    {"aten::ldexp_(Tensor(a!) self, Tensor other) -> Tensor(a!)", copied_from<"aten::ldexp.Tensor">(), kByDecomp},
    {"aten::logaddexp(Tensor self, Tensor other) -> Tensor", rule<&logaddexp>(), kByRef},
    {"aten::logaddexp2(Tensor self, Tensor other) -> Tensor", rule<&logaddexp2>(), kByRef | kRealDerivative},
    {"aten::maximum(Tensor self, Tensor other) -> Tensor", binary(), kByRef | kRealDerivative},
    {"aten::minimum(Tensor self, Tensor other) -> Tensor", binary(), kByRef | kRealDerivative},
    {"aten::mul.Scalar(Tensor self, Scalar other) -> Tensor", binary(), kByRef},
    {"aten::mul.Tensor(Tensor self, Tensor other) -> Tensor", rule<&mul>(), kByRef},
    {"aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", rule<&mul_inplace>()},
    {"aten::mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", rule<&mul_inplace>()},
    {"aten::multiply.Scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::mul.Scalar">(), kComposite},
    {"aten::multiply.Tensor(Tensor self, Tensor other) -> Tensor", same_as<"aten::mul.Tensor">(), kComposite},
    {"aten::multiply_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", same_as<"aten::mul_.Scalar">(), kComposite},
    {"aten::multiply_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", same_as<"aten::mul_.Tensor">(), kComposite},
    {"aten::nextafter(Tensor self, Tensor other) -> Tensor", binary({.promote = kNoOpmath}), kInplace | kByRef | kRealDerivative},
    {"aten::polar(Tensor abs, Tensor angle) -> Tensor", rule<&complex_of_parts>(), kByRef},
    {"aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor", rule<&pow>(), kByRef},
    {"aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", rule<&pow>(), kByRef},
    {"aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", binary({.promote = kBoolToLong}), kByRef},
    {"aten::pow_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)", written_by<"aten::pow.Tensor_Scalar">(), kByRef},
    {"aten::pow_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)", written_by<"aten::pow.Tensor_Tensor">(), kByRef},
    {"aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor", binary(), kInplace | kByRef | kRealDerivative},
    {"aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", binary(), kByRef | kRealDerivative},
    {"aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor", binary(), kInplace | kByRef | kRealDerivative},
    {"aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", rule<&rsub>(), kByRef},
    {"aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", rule<&rsub>(), kByRef},
    {"aten::special_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_gammainc(Tensor self, Tensor other) -> Tensor", same_as<"aten::igamma">(), kComposite},
    {"aten::special_gammaincc(Tensor self, Tensor other) -> Tensor", same_as<"aten::igammac">(), kComposite},
    {"aten::special_hermite_polynomial_h(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_hermite_polynomial_h.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_hermite_polynomial_h.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_hermite_polynomial_he(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_hermite_polynomial_he.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_hermite_polynomial_he.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_laguerre_polynomial_l(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_laguerre_polynomial_l.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_laguerre_polynomial_l.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_legendre_polynomial_p(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_legendre_polynomial_p.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_legendre_polynomial_p.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_shifted_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_shifted_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_shifted_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_shifted_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_shifted_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_shifted_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_shifted_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_shifted_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_shifted_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_shifted_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_shifted_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_shifted_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_xlog1py(Tensor self, Tensor other) -> Tensor", rule<&xlogy>(), kByRef | kRealDerivative},
    {"aten::special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor", rule<&xlogy>(), kByRef | kRealDerivative},
    {"aten::special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor", rule<&xlogy>(), kByRef | kRealDerivative},
    {"aten::special_xlogy(Tensor self, Tensor other) -> Tensor", same_as<"aten::xlogy.Tensor">(), kComposite},
    {"aten::special_xlogy.other_scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::xlogy.Scalar_Other">(), kComposite},
    {"aten::special_xlogy.self_scalar(Scalar self, Tensor other) -> Tensor", same_as<"aten::xlogy.Scalar_Self">(), kComposite},
    {"aten::special_zeta(Tensor self, Tensor other) -> Tensor", binary({.promote = kIntToFloat}), kByRef | kRealDerivative},
    {"aten::special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor", binary({.promote = kIntToFloat}), kByRef | kRealDerivative},
    {"aten::special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor", binary({.promote = kIntToFloat}), kByRef | kRealDerivative},
    {"aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", binary({.promote = kNoOpmath, .on_meta = true})},
    {"aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", rule<&sub>(), kByRef},
    {"aten::sub_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)", rule<&add_or_sub_inplace>()},
    {"aten::sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)", rule<&add_or_sub_inplace>()},
    {"aten::subtract.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", same_as<"aten::sub.Scalar">(), kComposite},
    {"aten::subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", same_as<"aten::sub.Tensor">(), kComposite},
    {"aten::subtract_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)", same_as<"aten::sub_.Scalar">(), kComposite},
    {"aten::subtract_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)", same_as<"aten::sub_.Tensor">(), kComposite},
    {"aten::true_divide.Scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::div.Scalar">(), kComposite},
    {"aten::true_divide.Tensor(Tensor self, Tensor other) -> Tensor", same_as<"aten::div.Tensor">(), kComposite},
    {"aten::true_divide_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", same_as<"aten::div_.Scalar">(), kComposite},
    {"aten::true_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", same_as<"aten::div_.Tensor">(), kComposite},
    {"aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor", rule<&xlogy>(), kInplace | kByRef | kRealDerivative},
    {"aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor", rule<&xlogy>(), kByRef | kRealDerivative},
    {"aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor", rule<&xlogy>(), kInplace | kByRef | kRealDerivative},
};
// clang-format on
}  // namespace
}  // namespace rules_of_pointwise_binary

std::span<const OpDef> pointwise_binary_rules() {
  return rules_of_pointwise_binary::kPointwiseBinary;
}

}  // namespace faketensor
