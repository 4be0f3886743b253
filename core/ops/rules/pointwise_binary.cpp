// Elementwise operators of two operands: arithmetic, powers, bits, special functions of two values.
// Comparisons: comparison.cpp.
#include "core/ops/families/pointwise.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace {
using enum Promotion;

// A number as the 0-dimensional tensor that some references make of it.
Value as_tensor(Call& c, const Value& operand, DType dtype) {
  const bool is_number = !operand.is_tensor() || operand.tensor().is_wrapped_number;
  return is_number ? Value(c.empty({}, dtype)) : operand;
}

// Mirrors floor_divide and trunc_divide, torch/_refs/__init__.py.
Tensor* floor_divide(Call& c, const Value& self, const Value& other) {
  const Value operands[] = {self, other};
  const ElementwiseTypes types =
      elementwise_types(promoted_dtype(c, operands), kDefault, c.context().default_dtype);
  c.check(is_floating(types.computation) || is_integral(types.computation),
          "{} not supported for floor_divide", types.computation);
  const Value tensors[] = {as_tensor(c, self, types.computation),
                           as_tensor(c, other, types.computation)};
  return elementwise(c, tensors, types.computation, types.result);
}

// Mirrors div, torch/_refs/__init__.py.
Tensor* div_mode(Call& c, const Value& self, const Value& other,
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
Tensor* xlogy(Call& c, const Value& self, const Value& other) {
  const Value operands[] = {self, other};
  const ElementwiseTypes types =
      elementwise_types(promoted_dtype(c, operands), kIntToFloat, c.context().default_dtype);
  const Value tensors[] = {as_tensor(c, self, types.computation),
                           as_tensor(c, other, types.computation)};
  return elementwise(c, tensors, types.computation, types.result);
}

bool is_number_one(const Value& value) {
  if (value.is(Value::Tag::kInt)) return statically_known_true(value.as_sym_int() == 1);
  return value.is(Value::Tag::kFloat) && value.as_double() <= 1 && value.as_double() >= 1;
}

// Mirrors add, torch/_refs/__init__.py.
Tensor* add(Call& c, const Value& self, const Value& other, const Value& alpha) {
  const Value operands[] = {self, other};
  const DType dtype = promoted_dtype(c, operands);
  if (!is_bool(dtype)) check_number_fits(c, ErrorKind::kValueError, "alpha", alpha, dtype);
  return elementwise(c, operands, kDefault);
}

bool is_bool_tensor(const Value& value) {
  return value.is_tensor() && !value.tensor().is_wrapped_number;
}

// Mirrors sub, torch/_refs/__init__.py.
Tensor* sub(Call& c, const Value& self, const Value& other, const Value& alpha) {
  const Value operands[] = {self, other};
  const DType dtype = promoted_dtype(c, operands);
  c.check(!is_bool(dtype) || !is_bool_tensor(self) || !is_bool_tensor(other),
          "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
          "`logical_xor()` operator instead.");
  if (!is_number_one(alpha)) check_number_fits(c, ErrorKind::kValueError, "alpha", alpha, dtype);
  return elementwise(c, operands, kDefault);
}

// Mirrors rsub, torch/_refs/__init__.py.
Tensor* rsub(Call& c, const Value& self, const Value& other, const Value& alpha) {
  return sub(c, other, self, alpha);
}

// Mirrors float_power, aten/src/ATen/native/Pow.cpp: computed in float64 or complex128.
Value float_power(Call& c, const Value& base, const Value& exponent) {
  const Value operands[] = {base, exponent};
  const DType dtype = is_complex(result_type(c, operands)) ? DType::kComplex128 : DType::kFloat64;
  const auto cast = [&](const Value& operand) {
    return operand.is_tensor() ? c.call<"aten::to.dtype">(operand, dtype) : operand;
  };
  if (!base.is_tensor()) return c.call<"aten::pow.Scalar">(base, cast(exponent));
  if (!exponent.is_tensor()) return c.call<"aten::pow.Tensor_Scalar">(cast(base), exponent);
  return c.call<"aten::pow.Tensor_Tensor">(cast(base), cast(exponent));
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
    {"aten::__ior__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", same_as<"aten::bitwise_or_.Scalar">(), kComposite},
    {"aten::__ior__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", same_as<"aten::bitwise_or_.Tensor">(), kComposite},
    {"aten::__ixor__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", same_as<"aten::bitwise_xor_.Scalar">(), kComposite},
    {"aten::__ixor__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", same_as<"aten::bitwise_xor_.Tensor">(), kComposite},
    {"aten::__or__.Scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::bitwise_or.Scalar">(), kComposite},
    {"aten::__or__.Tensor(Tensor self, Tensor other) -> Tensor", same_as<"aten::bitwise_or.Tensor">(), kComposite},
    {"aten::__xor__.Scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::bitwise_xor.Scalar">(), kComposite},
    {"aten::__xor__.Tensor(Tensor self, Tensor other) -> Tensor", same_as<"aten::bitwise_xor.Tensor">(), kComposite},
    {"aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", binary({.promote = kNoOpmath}), kInplace},
    {"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", rule<&add>(), kInplace},
    {"aten::arctan2(Tensor self, Tensor other) -> Tensor", same_as<"aten::atan2">(), kComposite | kInplace},
    {"aten::atan2(Tensor self, Tensor other) -> Tensor", binary({.promote = kIntToFloat}), kInplace},
    {"aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor", binary(), kInplace},
    {"aten::bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", binary()},
    {"aten::bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor", binary(), kInplace},
    {"aten::bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", binary()},
    {"aten::bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor", binary(), kInplace},
    {"aten::bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor", binary(), kInplace},
    {"aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor", binary(), kInplace},
    {"aten::bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", binary()},
    {"aten::bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor", binary(), kInplace},
    {"aten::bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", binary()},
    {"aten::bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor", binary(), kInplace},
    {"aten::bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor", binary(), kInplace},
    {"aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor", binary(), kInplace},
    {"aten::bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", binary()},
    {"aten::bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor", binary(), kInplace},
    {"aten::copysign(Scalar a, Scalar b) -> float", binary({.promote = kIntToFloat})},
    {"aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor", binary({.promote = kIntToFloat}), kInplace},
    {"aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor", binary({.promote = kIntToFloat}), kInplace},
    {"aten::copysign.float(float a, float b) -> float", binary({.promote = kIntToFloat})},
    {"aten::copysign.float_int(float a, int b) -> float", binary({.promote = kIntToFloat})},
    {"aten::copysign.int(int a, int b) -> float", binary({.promote = kIntToFloat})},
    {"aten::copysign.int_float(int a, float b) -> float", binary({.promote = kIntToFloat})},
    {"aten::div.Scalar(Tensor self, Scalar other) -> Tensor", binary({.promote = kIntToFloat}), kInplace},
    {"aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor", rule<&div_mode>(), kInplace},
    {"aten::div.Tensor(Tensor self, Tensor other) -> Tensor", binary({.promote = kIntToFloat}), kInplace},
    {"aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", rule<&div_mode>(), kInplace},
    {"aten::divide.Scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::div.Scalar">(), kComposite | kInplace},
    {"aten::divide.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor", same_as<"aten::div.Scalar_mode">(), kComposite | kInplace},
    {"aten::divide.Tensor(Tensor self, Tensor other) -> Tensor", same_as<"aten::div.Tensor">(), kComposite | kInplace},
    {"aten::divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", same_as<"aten::div.Tensor_mode">(), kComposite | kInplace},
    {"aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor", rule<&float_power>(), kComposite},
    {"aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", rule<&float_power>(), kComposite},
    {"aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", rule<&float_power>(), kComposite},
    {"aten::floor_divide(Tensor self, Tensor other) -> Tensor", rule<&floor_divide>()},
    {"aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor", rule<&floor_divide>(), kInplace},
    {"aten::fmax(Tensor self, Tensor other) -> Tensor", binary()},
    {"aten::fmin(Tensor self, Tensor other) -> Tensor", binary()},
    {"aten::fmod(Scalar a, Scalar b) -> float", binary()},
    {"aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor", binary(), kInplace},
    {"aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor", binary(), kInplace},
    {"aten::fmod.float(float a, float b) -> float", binary()},
    {"aten::fmod.float_int(float a, int b) -> float", binary()},
    {"aten::fmod.int(int a, int b) -> float", binary()},
    {"aten::fmod.int_float(int a, float b) -> float", binary()},
    {"aten::gcd(Tensor self, Tensor other) -> Tensor", binary(), kInplace},
    {"aten::heaviside(Tensor self, Tensor values) -> Tensor", binary(), kInplace},
    {"aten::hypot(Tensor self, Tensor other) -> Tensor", binary(), kInplace},
    {"aten::igamma(Tensor self, Tensor other) -> Tensor", binary({.promote = kIntToFloat}), kInplace},
    {"aten::igammac(Tensor self, Tensor other) -> Tensor", binary({.promote = kIntToFloat}), kInplace},
    {"aten::lcm(Tensor self, Tensor other) -> Tensor", binary(), kInplace},
    {"aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor", rule<&ldexp>()},
    {"aten::logaddexp(Tensor self, Tensor other) -> Tensor", binary()},
    {"aten::logaddexp2(Tensor self, Tensor other) -> Tensor", binary()},
    {"aten::maximum(Tensor self, Tensor other) -> Tensor", binary()},
    {"aten::minimum(Tensor self, Tensor other) -> Tensor", binary()},
    {"aten::mul(Scalar a, Scalar b) -> Scalar", binary()},
    {"aten::mul.Scalar(Tensor self, Scalar other) -> Tensor", binary(), kInplace},
    {"aten::mul.Tensor(Tensor self, Tensor other) -> Tensor", binary(), kInplace},
    {"aten::mul.complex(complex a, complex b) -> complex", binary()},
    {"aten::mul.complex_float(complex a, float b) -> complex", binary()},
    {"aten::mul.complex_int(complex a, int b) -> complex", binary()},
    {"aten::mul.float(float a, float b) -> float", binary()},
    {"aten::mul.float_complex(float a, complex b) -> complex", binary()},
    {"aten::mul.float_int(float a, int b) -> float", binary()},
    {"aten::mul.int(int a, int b) -> int", binary()},
    {"aten::mul.int_complex(int a, complex b) -> complex", binary()},
    {"aten::mul.int_float(int a, float b) -> float", binary()},
    {"aten::mul.left_t(t[] l, int n) -> t[]", binary()},
    {"aten::mul.right_(int n, t[] l) -> t[]", binary()},
    {"aten::multiply.Scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::mul.Scalar">(), kComposite | kInplace},
    {"aten::multiply.Tensor(Tensor self, Tensor other) -> Tensor", same_as<"aten::mul.Tensor">(), kComposite | kInplace},
    {"aten::nextafter(Tensor self, Tensor other) -> Tensor", binary({.promote = kNoOpmath}), kInplace},
    {"aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor", binary({.promote = kBoolToLong})},
    {"aten::pow.Scalar_Scalar(Scalar a, Scalar b) -> float", binary({.promote = kBoolToLong})},
    {"aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", binary({.promote = kBoolToLong})},
    {"aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", binary({.promote = kBoolToLong})},
    {"aten::pow.complex(complex a, complex b) -> complex", binary({.promote = kBoolToLong})},
    {"aten::pow.complex_float(complex a, float b) -> complex", binary({.promote = kBoolToLong})},
    {"aten::pow.float(float a, float b) -> float", binary({.promote = kBoolToLong})},
    {"aten::pow.float_complex(float a, complex b) -> complex", binary({.promote = kBoolToLong})},
    {"aten::pow.float_int(float a, int b) -> float", binary({.promote = kBoolToLong})},
    {"aten::pow.int(int a, int b) -> float", binary({.promote = kBoolToLong})},
    {"aten::pow.int_float(int a, float b) -> float", binary({.promote = kBoolToLong})},
    {"aten::pow.int_to_int(int a, int b) -> int", binary({.promote = kBoolToLong})},
    {"aten::remainder(Scalar a, Scalar b) -> Scalar", binary()},
    {"aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor", binary(), kInplace},
    {"aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", binary()},
    {"aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor", binary(), kInplace},
    {"aten::remainder.float(float a, float b) -> float", binary()},
    {"aten::remainder.float_int(float a, int b) -> float", binary()},
    {"aten::remainder.int(int a, int b) -> int", binary()},
    {"aten::remainder.int_float(int a, float b) -> float", binary()},
    {"aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", rule<&rsub>()},
    {"aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", rule<&rsub>()},
    {"aten::special_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_gammainc(Tensor self, Tensor other) -> Tensor", same_as<"aten::igamma">(), kComposite},
    {"aten::special_gammaincc(Tensor self, Tensor other) -> Tensor", same_as<"aten::igammac">(), kComposite},
    {"aten::special_hermite_polynomial_h(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_hermite_polynomial_h.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_hermite_polynomial_h.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_hermite_polynomial_he(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_hermite_polynomial_he.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_hermite_polynomial_he.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_laguerre_polynomial_l(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_laguerre_polynomial_l.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_laguerre_polynomial_l.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_legendre_polynomial_p(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_legendre_polynomial_p.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_legendre_polynomial_p.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_shifted_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_shifted_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_shifted_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_shifted_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_shifted_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_shifted_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_shifted_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_shifted_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_shifted_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_shifted_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_shifted_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_shifted_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_xlog1py(Tensor self, Tensor other) -> Tensor", rule<&xlogy>()},
    {"aten::special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor", rule<&xlogy>()},
    {"aten::special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor", rule<&xlogy>()},
    {"aten::special_xlogy(Tensor self, Tensor other) -> Tensor", same_as<"aten::xlogy.Tensor">(), kComposite},
    {"aten::special_xlogy.other_scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::xlogy.Scalar_Other">(), kComposite},
    {"aten::special_xlogy.self_scalar(Scalar self, Tensor other) -> Tensor", same_as<"aten::xlogy.Scalar_Self">(), kComposite},
    {"aten::special_zeta(Tensor self, Tensor other) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor", binary({.promote = kIntToFloat})},
    {"aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", binary({.promote = kNoOpmath}), kInplace},
    {"aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", rule<&sub>(), kInplace},
    {"aten::subtract.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", same_as<"aten::sub.Scalar">(), kComposite | kInplace},
    {"aten::subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", same_as<"aten::sub.Tensor">(), kComposite | kInplace},
    {"aten::true_divide.Scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::div.Scalar">(), kComposite | kInplace},
    {"aten::true_divide.Tensor(Tensor self, Tensor other) -> Tensor", same_as<"aten::div.Tensor">(), kComposite | kInplace},
    {"aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor", rule<&xlogy>(), kInplace},
    {"aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor", rule<&xlogy>()},
    {"aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor", rule<&xlogy>(), kInplace},
};
// clang-format on
}  // namespace

std::span<const OpDef> pointwise_binary_rules() { return kPointwiseBinary; }

}  // namespace faketensor
