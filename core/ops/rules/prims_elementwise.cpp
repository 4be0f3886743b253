// Elementwise prims.
#include "core/ops/families/prims.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace rules_of_prims_elementwise {
namespace {

// clang-format off
constexpr OpDef kPrimsElementwiseRules[] = {
    {"prims::abs(Tensor self) -> Tensor", prim_elementwise({.result = PrimResult::kComplexToFloat})},
    {"prims::acos(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::acosh(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::add(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::asin(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::asinh(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::atan(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::atan2(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::atanh(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::bessel_i0(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::bessel_i0e(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::bessel_i1(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::bessel_i1e(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::bessel_j0(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::bessel_j1(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::bitwise_and(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::bitwise_not(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::bitwise_or(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::bitwise_xor(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::cbrt(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::ceil(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::cos(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::cosh(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::digamma(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::div(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::eq(Tensor self, Tensor other) -> Tensor", prim_elementwise({.result = PrimResult::kBool})},
    {"prims::erf(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::erf_inv(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::erfc(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::erfcx(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::exp(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::exp2(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::expm1(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::fill(Tensor self, Scalar value) -> Tensor", prim_elementwise({.operands = 1})},
    {"prims::floor(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::fmax(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::fmin(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::fmod(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::gcd(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::ge(Tensor self, Tensor other) -> Tensor", prim_elementwise({.result = PrimResult::kBool})},
    {"prims::gt(Tensor self, Tensor other) -> Tensor", prim_elementwise({.result = PrimResult::kBool})},
    {"prims::hypot(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::igamma(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::igammac(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::imag(Tensor(a) self) -> Tensor(a)", prim_elementwise({.result = PrimResult::kComplexToFloat, .only_complex = true})},
    {"prims::isfinite(Tensor self) -> Tensor", prim_elementwise({.result = PrimResult::kBool})},
    {"prims::le(Tensor self, Tensor other) -> Tensor", prim_elementwise({.result = PrimResult::kBool})},
    {"prims::lgamma(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::log(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::log10(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::log1p(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::log2(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::lt(Tensor self, Tensor other) -> Tensor", prim_elementwise({.result = PrimResult::kBool})},
    {"prims::maximum(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::minimum(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::mul(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::ndtri(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::ne(Tensor self, Tensor other) -> Tensor", prim_elementwise({.result = PrimResult::kBool})},
    {"prims::neg(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::nextafter(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::pow(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::real(Tensor(a) self) -> Tensor(a)", prim_elementwise({.result = PrimResult::kComplexToFloat, .only_complex = true})},
    {"prims::reciprocal(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::remainder(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::round(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::rsqrt(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::shift_left(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::shift_right_arithmetic(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::sign(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::signbit(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::sin(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::sinh(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::spherical_bessel_j0(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::sqrt(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::sub(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
    {"prims::tan(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::tanh(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::trunc(Tensor self) -> Tensor", prim_elementwise()},
    {"prims::where(Tensor pred, Tensor a, Tensor b) -> Tensor", prim_elementwise({.fixed = 1})},
    {"prims::zeta(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
};
// clang-format on
}  // namespace
}  // namespace rules_of_prims_elementwise

std::span<const OpDef> prims_elementwise_rules() {
  return rules_of_prims_elementwise::kPrimsElementwiseRules;
}

}  // namespace faketensor
