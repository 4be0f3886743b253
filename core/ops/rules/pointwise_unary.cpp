// Elementwise operators of one operand: arithmetic, exponentials, trigonometry, special functions,
// tests of one value. Activations: activation.cpp.
#include "core/ops/derived.h"
#include "core/ops/families/arithmetic.h"
#include "core/ops/families/copy.h"
#include "core/ops/families/into.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/promotion.h"

namespace faketensor {

namespace rules_of_pointwise_unary {
namespace {
using enum Promotion;

// Mirrors abs with `out`, torch/_refs/__init__.py, which takes the exact dtype only.
Tensor* abs_inplace(Call& c, Tensor& self) {
  c.check(!is_complex(self.dtype()), "Expected out tensor to have dtype {} but got {} instead",
          to_real(self.dtype()), self.dtype());
  return &self;
}

// Mirrors sinc, torch/_refs/__init__.py, and log_ndtr, torch/_refs/special/__init__.py.
Value sinc(Call& c, const Tensor& self) {
  const ReferenceSteps steps(c, c.args().first(1), kIntToFloat);
  const Value scaled = steps.arithmetic(self);
  const Value is_zero = steps.truth(scaled);
  const Value quotient = steps.arithmetic(steps.of(scaled), scaled);
  return steps.result(steps.where(is_zero, 1, quotient));
}
Value log_ndtr(Call& c, const Tensor& self) {
  const ReferenceSteps steps(c, c.args().first(1), kIntToFloat);
  const Value scaled = steps.arithmetic(self);
  const Value is_small = steps.truth(self);
  const Value tail = steps.of(steps.arithmetic(steps.of(steps.of(scaled))));
  const Value below = steps.arithmetic(tail, steps.arithmetic(scaled, scaled));
  const Value above = steps.of(steps.arithmetic(steps.of(steps.of(scaled))));
  return steps.result(steps.where(is_small, below, above));
}

// Mirrors logit, torch/_refs/special/__init__.py: log(a / (1 - a)), of a clamped value.
Value logit(Call& c, const Tensor& self) {
  const ReferenceSteps steps(c, c.args().first(1), kIntToFloat);
  const Value is_below = steps.truth(self);
  const Value is_above = steps.truth(self);
  const Value clamped = steps.where(is_below, 0, steps.where(is_above, 1, self));
  return steps.result(steps.of(steps.arithmetic(clamped, steps.arithmetic(clamped))));
}

// Mirrors frexp, torch/_refs/__init__.py, and _frexp_meta, torch/_prims/__init__.py.
Value frexp(Call& c, const Tensor& self) {
  c.check(is_floating(self.dtype()), "torch.frexp() only supports floating-point dtypes");
  return c.tuple({c.empty_like(self), c.empty_like(self, DType::kInt32)});
}

// Mirrors meta_polygamma, torch/_meta_registrations.py.
Tensor* polygamma(Call& c, int64_t n, const Tensor& self) {
  c.check(n >= 0, "polygamma(n, x) does not support negative n.");
  return c.empty_like(self, elementwise_types(self.dtype(), kIntToFloat).result);
}

// Mirrors nan_to_num, torch/_refs/__init__.py, which answers for the in-place overload alone.
Value nan_to_num_inplace(Call& c, Tensor& self) {
  c.check(!is_complex(self.dtype()), "Complex dtype is not supported for isneginf, got dtype {}",
          self.dtype());
  return written(c, self);
}

// Mirrors multigammaln, torch/_refs/special/__init__.py: sums over p terms.
Tensor* mvlgamma(Call& c, const Tensor& self, int64_t p) {
  c.check(p >= 0, "upper bound and lower bound inconsistent with step sign");
  return c.empty(self.sizes(), elementwise_types(self.dtype(), kIntToFloat).result);
}

// Mirrors ndtr, torch/special: half of 1 + erf(x / sqrt(2)), aten/src/ATen/native/UnaryOps.cpp.
Value special_ndtr(Call& c, const Tensor& self) {
  const DType dtype = is_integral_or_bool(self.dtype()) ? c.context().default_dtype : self.dtype();
  if (const Tensor* out = output_of(c)) {
    c.check(out->device() == self.device(),
            "Expected all tensors to be on the same device, but found at least two devices, {} and "
            "{}!",
            self.device(), out->device());
    c.check(can_cast(dtype, out->dtype()),
            "result type {} can't be cast to the desired output type {}", info(dtype).cpp_name,
            info(out->dtype()).cpp_name);
  }
  if (self.meta->has_symbols()) {  // torch/_refs/special/__init__.py
    const ReferenceSteps steps(c, c.args().first(1), kIntToFloat);
    const Value sum = steps.of(steps.of(steps.of(self)));
    return copy_into(c, steps.result(steps.of(sum)));
  }
  const Value x = c.call<"aten::div.Tensor">(self, c.call<"aten::sqrt">(c.empty({}, dtype)));
  const Value sum = c.call<"aten::add.Tensor">(c.call<"aten::erf">(x), 1);
  return copy_into(c, c.call<"aten::mul.Tensor">(sum, 0.5));
}

// Mirrors polygamma_, aten/src/ATen/native/UnaryOps.cpp.
Value polygamma_inplace(Call& c, Tensor& self, int64_t n) {
  return write_result(c, self, c.tensor<"aten::polygamma">(n, self));
}

// Mirrors isfinite and isreal, aten/src/ATen/native/TensorCompare.cpp and UnaryOps.cpp.
Value isfinite(Call& c, const Tensor& self) {
  const bool is_without_infinity = self.dtype() == DType::kFloat8E4M3FN ||
                                   self.dtype() == DType::kFloat8E4M3FNUZ ||
                                   self.dtype() == DType::kFloat8E5M2FNUZ;
  c.check_as(ErrorKind::kNotImplementedError, !is_without_infinity,
             "\"isfinite\" not implemented for '{}'", info(self.dtype()).cpp_name);
  if (is_integral_or_bool(self.dtype())) return c.call<"aten::ones_like">(self, DType::kBool);
  if (is_complex(self.dtype())) {
    const Value imaginary = c.call<"aten::isfinite">(c.call<"aten::imag">(self));
    const Value real = c.call<"aten::isfinite">(c.call<"aten::real">(self));
    return c.call<"aten::__and__.Tensor">(real, imaginary);
  }
  const Value equal = c.call<"aten::eq.Tensor">(self, self);
  return c.call<"aten::mul.Tensor">(
      equal, c.call<"aten::ne.Scalar">(c.call<"aten::abs">(self), __builtin_inf()));
}
Value isreal(Call& c, const Tensor& self) {
  if (!is_complex(self.dtype())) return c.call<"aten::ones_like">(self, DType::kBool);
  return c.call<"aten::eq.Scalar">(c.call<"aten::imag">(self), 0);
}

// Mirrors square, aten/src/ATen/native/UnaryOps.cpp.
Value square(Call& c, const Tensor& self) {
  return call_into<"aten::pow.Tensor_Scalar", "aten::pow.Tensor_Scalar_out">(c, self, 2);
}
Value square_inplace(Call& c, Tensor& self) { return c.call<"aten::pow_.Scalar">(self, 2); }

void check_real(Call& c, const Tensor& self, std::string_view name) {
  c.check(!is_complex(self.dtype()), "{} is not supported for complex tensors.", name);
}
// Mirrors deg2rad and rad2deg, torch/_refs/__init__.py.
Value scaled(Call& c, const Tensor& self) {
  const ReferenceSteps steps(c, c.args().first(1), kIntToFloat);
  return steps.result(steps.arithmetic(self));
}
Value deg2rad(Call& c, const Tensor& self) {
  check_real(c, self, "deg2rad");
  return scaled(c, self);
}
Value rad2deg(Call& c, const Tensor& self) {
  check_real(c, self, "rad2deg");
  return scaled(c, self);
}

// Mirrors isposinf and isneginf, torch/_refs/__init__.py.
template <FixedString name>
Tensor* signed_infinity(Call& c, const Tensor& self) {
  c.check(!is_complex(self.dtype()), "Complex dtype is not supported for {}, got dtype {}",
          name.view(), self.dtype());
  return elementwise(c, c.args().first(1), kAlwaysBool);
}

// Mirrors neg, torch/_refs/__init__.py.
Tensor* neg(Call& c, const Tensor& self) {
  check_negatable(c, self);
  return elementwise(c, c.args().first(1), kDefault);
}

// Mirrors frac, torch/_refs/__init__.py.
Value frac(Call& c, const Tensor& self) {
  c.check(!is_bool(self.dtype()),
          "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
          "`logical_xor()` operator instead.");
  const ReferenceSteps steps(c, c.args().first(1), kDefault);
  return steps.result(steps.arithmetic(self, steps.of(self)));
}

// Mirrors conj_physical, aten/src/ATen/native/UnaryOps.cpp.
Value conj_physical(Call& c, Tensor& self) {
  if (!is_complex(self.dtype())) return self;
  return c.call<"aten::_conj_physical">(self);
}

// Mirrors meta_logical_not_, torch/_meta_registrations.py.
Tensor* itself(Call&, Tensor& self) { return &self; }

// Mirrors meta_angle, torch/_meta_registrations.py.
Tensor* angle(Call& c, const Tensor& self) {
  const DType dtype =
      elementwise_types(to_real(self.dtype()), kIntToFloat, c.context().default_dtype).result;
  return c.empty_like(self, dtype);
}

// Mirrors chalf, aten/src/ATen/native/TensorConversions.cpp.
Value chalf(Call& c, const Tensor& self, std::optional<MemoryFormat> format) {
  return c.call<"aten::to.dtype">(self, DType::kComplex32, false, false, format);
}

// clang-format off
constexpr OpDef kPointwiseUnary[] = {
    {"aten::_conj_physical(Tensor self) -> Tensor", like_first(), kByCompositeExplicit},
    {"aten::abs(Tensor self) -> Tensor", unary({.promote = kComplexToFloat}), kByRef | kRealDerivative},
    {"aten::abs_(Tensor(a!) self) -> Tensor(a!)", rule<&abs_inplace>(), kByRef | kRealDerivative},
    {"aten::absolute(Tensor self) -> Tensor", same_as<"aten::abs">(), kComposite},
    {"aten::absolute_(Tensor(a!) self) -> Tensor(a!)", same_as<"aten::abs_">(), kComposite},
    {"aten::acos(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::acosh(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::angle(Tensor self) -> Tensor", rule<&angle>(), kRealDerivative},
    {"aten::arccos(Tensor self) -> Tensor", same_as<"aten::acos">(), kComposite},
    {"aten::arccos_(Tensor(a!) self) -> Tensor(a!)", same_as<"aten::acos_">(), kComposite},
    {"aten::arccosh(Tensor self) -> Tensor", same_as<"aten::acosh">(), kComposite},
    {"aten::arccosh_(Tensor(a!) self) -> Tensor(a!)", same_as<"aten::acosh_">(), kComposite},
    {"aten::arcsin(Tensor self) -> Tensor", same_as<"aten::asin">(), kComposite},
    {"aten::arcsin_(Tensor(a!) self) -> Tensor(a!)", same_as<"aten::asin_">(), kComposite},
    {"aten::arcsinh(Tensor self) -> Tensor", same_as<"aten::asinh">(), kComposite},
    {"aten::arcsinh_(Tensor(a!) self) -> Tensor(a!)", same_as<"aten::asinh_">(), kComposite},
    {"aten::arctan(Tensor self) -> Tensor", same_as<"aten::atan">(), kComposite},
    {"aten::arctan_(Tensor(a!) self) -> Tensor(a!)", same_as<"aten::atan_">(), kComposite},
    {"aten::arctanh(Tensor self) -> Tensor", same_as<"aten::atanh">(), kComposite},
    {"aten::arctanh_(Tensor(a!) self) -> Tensor(a!)", same_as<"aten::atanh_">(), kComposite},
    {"aten::asin(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::asinh(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::atan(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::atanh(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::bitwise_not(Tensor self) -> Tensor", unary(), kInplace | kByRef},
    {"aten::ceil(Tensor self) -> Tensor", unary(), kInplace | kByRef | kRealDerivative},
    {"aten::chalf(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", rule<&chalf>(), kComposite},
    {"aten::conj_physical(Tensor self) -> Tensor", rule<&conj_physical>(), kComposite},
    {"aten::conj_physical_(Tensor(a!) self) -> Tensor(a!)", rule<&itself>(), kByRef},
    {"aten::cos(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::cosh(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::deg2rad(Tensor self) -> Tensor", rule<&deg2rad>(), kInplace | kByRef | kRealDerivative},
    {"aten::digamma(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef | kRealDerivative},
    {"aten::erf(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef | kRealDerivative},
    {"aten::erfc(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef | kRealDerivative},
    {"aten::erfinv(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef | kRealDerivative},
    {"aten::exp(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::exp2(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::expm1(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::fix(Tensor self) -> Tensor", same_as<"aten::trunc">(), kComposite},
    {"aten::fix_(Tensor(a!) self) -> Tensor(a!)", same_as<"aten::trunc_">(), kComposite},
    {"aten::floor(Tensor self) -> Tensor", unary(), kInplace | kByRef | kRealDerivative},
    {"aten::frac(Tensor self) -> Tensor", rule<&frac>(), kInplace | kByRef | kRealDerivative},
    {"aten::frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)", rule<&frexp>(), kByRef | kRealDerivative},
    {"aten::i0(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef | kRealDerivative},
    {"aten::isfinite(Tensor self) -> Tensor", rule<&isfinite>(), kComposite},
    {"aten::isinf(Tensor self) -> Tensor", unary({.promote = kAlwaysBool}), kByRef},
    {"aten::isnan(Tensor self) -> Tensor", unary({.promote = kAlwaysBool}), kByRef | kNoDerivative},
    {"aten::isneginf(Tensor self) -> Tensor", rule<&signed_infinity<"isneginf">>(), kByRef},
    {"aten::isposinf(Tensor self) -> Tensor", rule<&signed_infinity<"isposinf">>(), kByRef},
    {"aten::isreal(Tensor self) -> Tensor", rule<&isreal>(), kComposite},
    {"aten::lgamma(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef | kRealDerivative},
    {"aten::log(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::log10(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::log1p(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::log2(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::logical_not(Tensor self) -> Tensor", unary({.promote = kAlwaysBool, .begins_with_number = true}), kByRef},
    {"aten::logical_not_(Tensor(a!) self) -> Tensor(a!)", rule<&itself>()},
    {"aten::logit(Tensor self, float? eps=None) -> Tensor", rule<&logit>(), kInplaceCopies | kByRef | kRealDerivative},
    {"aten::mvlgamma(Tensor self, int p) -> Tensor", rule<&mvlgamma>(), kInplace | kByRef | kRealDerivative},
    {"aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor", like_first(), kRealDerivative},
    {"aten::nan_to_num_(Tensor(a!) self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor(a!)", rule<&nan_to_num_inplace>(), kByRef | kRealDerivative},
    {"aten::neg(Tensor self) -> Tensor", rule<&neg>(), kInplace | kByRef},
    {"aten::negative(Tensor self) -> Tensor", same_as<"aten::neg">(), kComposite},
    {"aten::negative_(Tensor(a!) self) -> Tensor(a!)", same_as<"aten::neg_">(), kComposite},
    {"aten::polygamma(int n, Tensor self) -> Tensor", rule<&polygamma>(), kRealDerivative},
    {"aten::polygamma_(Tensor(a!) self, int n) -> Tensor(a!)", rule<&polygamma_inplace>(), kByCompositeExplicit | kRealDerivative},
    {"aten::rad2deg(Tensor self) -> Tensor", rule<&rad2deg>(), kInplace | kByRef | kRealDerivative},
    {"aten::reciprocal(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::round(Tensor self) -> Tensor", unary({.promote = kNoOpmath, .on_meta = true}), kInplaceCopies | kRealDerivative},
    {"aten::round.decimals(Tensor self, *, int decimals) -> Tensor", unary({.promote = kNoOpmath, .on_meta = true}), kInplaceCopies | kRealDerivative},
    {"aten::rsqrt(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::sgn(Tensor self) -> Tensor", unary(), kInplace | kByRef},
    {"aten::sigmoid(Tensor self) -> Tensor", like_first(kIntToFloat), kInplace},
    {"aten::sign(Tensor self) -> Tensor", unary(), kInplace | kByRef | kRealDerivative},
    {"aten::signbit(Tensor self) -> Tensor", unary({.promote = kAlwaysBool}), kByRef},
    {"aten::sin(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::sinc(Tensor self) -> Tensor", rule<&sinc>(), kInplace | kByRef},
    {"aten::sinh(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::special_airy_ai(Tensor x) -> Tensor", unary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_bessel_j0(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kByRef | kNoDerivative},
    {"aten::special_bessel_j1(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kByRef | kNoDerivative},
    {"aten::special_bessel_y0(Tensor self) -> Tensor", unary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_bessel_y1(Tensor self) -> Tensor", unary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_digamma(Tensor self) -> Tensor", same_as<"aten::digamma">(), kComposite},
    {"aten::special_entr(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kByRef | kRealDerivative},
    {"aten::special_erf(Tensor self) -> Tensor", same_as<"aten::erf">(), kComposite},
    {"aten::special_erfc(Tensor self) -> Tensor", same_as<"aten::erfc">(), kComposite},
    {"aten::special_erfcx(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kByRef | kRealDerivative},
    {"aten::special_erfinv(Tensor self) -> Tensor", same_as<"aten::erfinv">(), kComposite},
    {"aten::special_exp2(Tensor self) -> Tensor", same_as<"aten::exp2">(), kComposite},
    {"aten::special_expit(Tensor self) -> Tensor", same_as<"aten::sigmoid">(), kComposite},
    {"aten::special_expm1(Tensor self) -> Tensor", same_as<"aten::expm1">(), kComposite},
    {"aten::special_gammaln(Tensor self) -> Tensor", same_as<"aten::lgamma">(), kComposite},
    {"aten::special_i0(Tensor self) -> Tensor", same_as<"aten::i0">(), kComposite},
    {"aten::special_i0e(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kByRef | kRealDerivative},
    {"aten::special_i1(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kByRef | kRealDerivative},
    {"aten::special_i1e(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kByRef | kRealDerivative},
    {"aten::special_log1p(Tensor self) -> Tensor", same_as<"aten::log1p">(), kComposite},
    {"aten::special_log_ndtr(Tensor self) -> Tensor", rule<&log_ndtr>(), kByRef | kRealDerivative},
    {"aten::special_logit(Tensor self, float? eps=None) -> Tensor", same_as<"aten::logit">(), kComposite},
    {"aten::special_modified_bessel_i0(Tensor self) -> Tensor", unary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_modified_bessel_i1(Tensor self) -> Tensor", unary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_modified_bessel_k0(Tensor self) -> Tensor", unary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_modified_bessel_k1(Tensor self) -> Tensor", unary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_multigammaln(Tensor self, int p) -> Tensor", same_as<"aten::mvlgamma">(), kComposite},
    {"aten::special_ndtr(Tensor self) -> Tensor", rule<&special_ndtr>(), kComposite},
    {"aten::special_ndtri(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kByRef | kRealDerivative},
    {"aten::special_polygamma(int n, Tensor self) -> Tensor", same_as<"aten::polygamma">(), kComposite},
    {"aten::special_psi(Tensor self) -> Tensor", same_as<"aten::digamma">(), kComposite},
    {"aten::special_round(Tensor self, *, int decimals=0) -> Tensor", same_as<"aten::round.decimals">(), kComposite},
    {"aten::special_scaled_modified_bessel_k0(Tensor x) -> Tensor", unary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_scaled_modified_bessel_k1(Tensor x) -> Tensor", unary({.promote = kIntToFloat, .on_meta = true}), kNoDerivative},
    {"aten::special_sinc(Tensor self) -> Tensor", same_as<"aten::sinc">(), kComposite},
    {"aten::special_spherical_bessel_j0(Tensor x) -> Tensor", unary({.promote = kIntToFloat}), kByRef | kNoDerivative},
    {"aten::sqrt(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::square(Tensor self) -> Tensor", rule<&square>(), kComposite},
    {"aten::square_(Tensor(a!) self) -> Tensor(a!)", rule<&square_inplace>(), kComposite},
    {"aten::tan(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::tanh(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace | kByRef},
    {"aten::trunc(Tensor self) -> Tensor", unary(), kInplace | kByRef | kRealDerivative},
};
// clang-format on
}  // namespace
}  // namespace rules_of_pointwise_unary

std::span<const OpDef> pointwise_unary_rules() { return rules_of_pointwise_unary::kPointwiseUnary; }

}  // namespace faketensor
