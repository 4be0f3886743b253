// Elementwise operators of one operand: arithmetic, exponentials, trigonometry, special functions,
// tests of one value. Activations: activation.cpp.
#include "core/ops/families/pointwise.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace {
using enum Promotion;

// Mirrors meta_angle, torch/_meta_registrations.py.
Tensor* angle(Call& c, const Tensor& self) {
  const DType dtype =
      elementwise_types(to_real(self.dtype()), kIntToFloat, c.context().default_dtype).result;
  return c.empty_like(self, dtype);
}

// clang-format off
constexpr OpDef kPointwiseUnary[] = {
    {"aten::abs(Tensor self) -> Tensor", unary({.promote = kComplexToFloat}), kInplace},
    {"aten::absolute(Tensor self) -> Tensor", same_as<"aten::abs">(), kComposite | kInplace},
    {"aten::acos(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::acosh(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::angle(Tensor self) -> Tensor", rule<&angle>()},
    {"aten::arccos(Tensor self) -> Tensor", same_as<"aten::acos">(), kComposite | kInplace},
    {"aten::arccosh(Tensor self) -> Tensor", same_as<"aten::acosh">(), kComposite | kInplace},
    {"aten::arcsin(Tensor self) -> Tensor", same_as<"aten::asin">(), kComposite | kInplace},
    {"aten::arcsinh(Tensor self) -> Tensor", same_as<"aten::asinh">(), kComposite | kInplace},
    {"aten::arctan(Tensor self) -> Tensor", same_as<"aten::atan">(), kComposite | kInplace},
    {"aten::arctanh(Tensor self) -> Tensor", same_as<"aten::atanh">(), kComposite | kInplace},
    {"aten::asin(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::asinh(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::atan(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::atanh(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::bitwise_not(Tensor self) -> Tensor", unary(), kInplace},
    {"aten::ceil(Tensor self) -> Tensor", unary(), kInplace},
    {"aten::cos(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::cosh(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::deg2rad(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::digamma(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::erf(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::erfc(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::erfinv(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::exp(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::exp2(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::expm1(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::fix(Tensor self) -> Tensor", same_as<"aten::trunc">(), kComposite | kInplace},
    {"aten::floor(Tensor self) -> Tensor", unary(), kInplace},
    {"aten::frac(Tensor self) -> Tensor", unary(), kInplace},
    {"aten::i0(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::isinf(Tensor self) -> Tensor", unary({.promote = kAlwaysBool})},
    {"aten::isnan(Tensor self) -> Tensor", unary({.promote = kAlwaysBool})},
    {"aten::isneginf(Tensor self) -> Tensor", unary({.promote = kAlwaysBool})},
    {"aten::isposinf(Tensor self) -> Tensor", unary({.promote = kAlwaysBool})},
    {"aten::lgamma(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::log(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::log10(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::log1p(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::log2(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::logical_not(Tensor self) -> Tensor", unary({.promote = kAlwaysBool}), kInplace},
    {"aten::logit(Tensor self, float? eps=None) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::mvlgamma(Tensor self, int p) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor", like_first(), kInplace},
    {"aten::neg(Tensor self) -> Tensor", unary(), kInplace},
    {"aten::negative(Tensor self) -> Tensor", same_as<"aten::neg">(), kComposite | kInplace},
    {"aten::rad2deg(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::reciprocal(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::round(Tensor self) -> Tensor", unary({.promote = kNoOpmath}), kInplace},
    {"aten::round.decimals(Tensor self, *, int decimals) -> Tensor", unary({.promote = kNoOpmath}), kInplace},
    {"aten::rsqrt(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::sgn(Tensor self) -> Tensor", unary(), kInplace},
    {"aten::sigmoid(Tensor self) -> Tensor", like_first(kIntToFloat), kInplace},
    {"aten::sign(Tensor self) -> Tensor", unary(), kInplace},
    {"aten::signbit(Tensor self) -> Tensor", unary({.promote = kAlwaysBool})},
    {"aten::sin(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::sinc(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::sinh(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::special_airy_ai(Tensor x) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_bessel_j0(Tensor self) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_bessel_j1(Tensor self) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_bessel_y0(Tensor self) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_bessel_y1(Tensor self) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_digamma(Tensor self) -> Tensor", same_as<"aten::digamma">(), kComposite},
    {"aten::special_entr(Tensor self) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_erf(Tensor self) -> Tensor", same_as<"aten::erf">(), kComposite},
    {"aten::special_erfc(Tensor self) -> Tensor", same_as<"aten::erfc">(), kComposite},
    {"aten::special_erfcx(Tensor self) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_erfinv(Tensor self) -> Tensor", same_as<"aten::erfinv">(), kComposite},
    {"aten::special_exp2(Tensor self) -> Tensor", same_as<"aten::exp2">(), kComposite},
    {"aten::special_expit(Tensor self) -> Tensor", same_as<"aten::sigmoid">(), kComposite},
    {"aten::special_expm1(Tensor self) -> Tensor", same_as<"aten::expm1">(), kComposite},
    {"aten::special_gammaln(Tensor self) -> Tensor", same_as<"aten::lgamma">(), kComposite},
    {"aten::special_i0(Tensor self) -> Tensor", same_as<"aten::i0">(), kComposite},
    {"aten::special_i0e(Tensor self) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_i1(Tensor self) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_i1e(Tensor self) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_log1p(Tensor self) -> Tensor", same_as<"aten::log1p">(), kComposite},
    {"aten::special_log_ndtr(Tensor self) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_logit(Tensor self, float? eps=None) -> Tensor", same_as<"aten::logit">(), kComposite},
    {"aten::special_modified_bessel_i0(Tensor self) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_modified_bessel_i1(Tensor self) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_modified_bessel_k0(Tensor self) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_modified_bessel_k1(Tensor self) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_multigammaln(Tensor self, int p) -> Tensor", same_as<"aten::mvlgamma">(), kComposite},
    {"aten::special_ndtri(Tensor self) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_psi(Tensor self) -> Tensor", same_as<"aten::digamma">(), kComposite},
    {"aten::special_round(Tensor self, *, int decimals=0) -> Tensor", same_as<"aten::round.decimals">(), kComposite},
    {"aten::special_scaled_modified_bessel_k0(Tensor x) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_scaled_modified_bessel_k1(Tensor x) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::special_sinc(Tensor self) -> Tensor", same_as<"aten::sinc">(), kComposite},
    {"aten::special_spherical_bessel_j0(Tensor x) -> Tensor", unary({.promote = kIntToFloat})},
    {"aten::sqrt(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::tan(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::tanh(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
    {"aten::trunc(Tensor self) -> Tensor", unary(), kInplace},
    {"aten::zero(Tensor self) -> Tensor", like_first(), kInplace},
};
// clang-format on
}  // namespace

std::span<const OpDef> pointwise_unary_rules() { return kPointwiseUnary; }

}  // namespace faketensor
