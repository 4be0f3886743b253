// Elementwise references (torch/_refs/__init__.py, torch/_refs/special/__init__.py) that are not the
// prim of their own name, and in-place overloads that do not follow from the functional one.
#include "core/ops/steps/reference.h"
#include "core/ops/steps/tables.h"

namespace faketensor {

namespace steps_of_elementwise {
namespace {

using Taken = StepsDef::Taken;

Value isnan(Call& c, const Tensor& a) { return c.call<"prims::ne">(a, a); }

Value logical_not(Call& c, const Tensor& a) {
  return is_bool(a.dtype()) ? c.call<"aten::bitwise_not">(a) : c.call<"aten::eq.Scalar">(a, 0);
}

// clang-format off
constexpr StepsDef kElementwiseSteps[] = {
    {"aten::__ilshift__.Scalar", {}, Taken::kSymbols},
    {"aten::__ilshift__.Tensor", {}, Taken::kSymbols},
    {"aten::__irshift__.Scalar", {}, Taken::kSymbols},
    {"aten::__irshift__.Tensor", {}, Taken::kSymbols},
    {"aten::addr_", {}, Taken::kNobody},
    {"aten::bitwise_left_shift.Scalar_Tensor", reference<"prims::shift_left">()},
    {"aten::bitwise_left_shift.Tensor", reference<"prims::shift_left">()},
    {"aten::bitwise_left_shift.Tensor_Scalar", reference<"prims::shift_left">()},
    {"aten::bitwise_right_shift.Scalar_Tensor", reference<"prims::shift_right_arithmetic">()},
    {"aten::bitwise_right_shift.Tensor", reference<"prims::shift_right_arithmetic">()},
    {"aten::bitwise_right_shift.Tensor_Scalar", reference<"prims::shift_right_arithmetic">()},
    {"aten::div_.Scalar", {}, Taken::kNobody},
    {"aten::erfinv", reference<"prims::erf_inv">()},
    {"aten::i0", reference<"prims::bessel_i0">()},
    {"aten::isnan", rule<&isnan>()},
    {"aten::logical_and_", {}, Taken::kNobody},
    {"aten::logical_not", rule<&logical_not>()},
    {"aten::logical_not_", {}, Taken::kNobody},
    {"aten::logical_or_", {}, Taken::kNobody},
    {"aten::logical_xor_", {}, Taken::kNobody},
    {"aten::masked_fill_.Scalar", {}, Taken::kNobody},
    {"aten::mul_.Scalar", {}, Taken::kNobody},
    {"aten::relu_", {}, Taken::kNobody},
    {"aten::special_bessel_j0", reference<"prims::bessel_j0">()},
    {"aten::special_bessel_j1", reference<"prims::bessel_j1">()},
    {"aten::special_erfcx", reference<"prims::erfcx">()},
    {"aten::special_i0e", reference<"prims::bessel_i0e">()},
    {"aten::special_i1", reference<"prims::bessel_i1">()},
    {"aten::special_i1e", reference<"prims::bessel_i1e">()},
    {"aten::special_ndtri", reference<"prims::ndtri">()},
    {"aten::special_spherical_bessel_j0", reference<"prims::spherical_bessel_j0">()},
    {"aten::special_zeta", reference<"prims::zeta">()},
    {"aten::special_zeta.other_scalar", reference<"prims::zeta">()},
    {"aten::special_zeta.self_scalar", reference<"prims::zeta">()},
};
// clang-format on

}  // namespace
}  // namespace steps_of_elementwise

std::span<const StepsDef> elementwise_steps() { return steps_of_elementwise::kElementwiseSteps; }

}  // namespace faketensor
