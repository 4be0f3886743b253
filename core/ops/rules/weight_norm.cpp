// Weight normalisation: a weight as a direction times a magnitude.
#include "core/ops/families/arithmetic.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace rules_of_weight_norm {
namespace {

// Mirrors _weight_norm_interface, torch/_decomp/decompositions.py; `dim` is not wrapped there.
Value weight_norm_interface(Call& c, const Tensor& v, const Tensor& g, int64_t dim) {
  DimVector kept;
  for (int64_t i = 0; i < v.dim(); ++i) {
    if (i != dim) kept.push_back(i);
  }
  const Value norm =
      g.dtype() == DType::kBFloat16
          ? c.call<"aten::norm.ScalarOpt_dim_dtype">(v, 2, kept, true, DType::kFloat32)
          : c.call<"aten::norm.ScalarOpt_dim">(v, 2, kept, true);
  if (v.device() != g.device()) c.call<"aten::div.Tensor">(g, norm);  // names them
  const Value ratio = *arithmetic(c, g, *cast_to(c, norm.tensor(), g.dtype()));
  return c.tuple({arithmetic(c, v, ratio), norm});
}

// Mirrors norm_except_dim, aten/src/ATen/native/WeightNorm.cpp.
Value norm_except_dim(Call& c, const Tensor& v, const Value& pow, int64_t dim) {
  if (dim == -1) return c.call<"aten::norm.Scalar">(v, pow);
  const bool is_first = dim == 0;
  if (!is_first && dim != v.dim() - 1) {
    const Value swapped = c.call<"aten::transpose.int">(v, 0, dim);
    const Value norm = c.call<"aten::norm_except_dim">(swapped, pow, 0);
    return c.call<"aten::transpose.int">(norm, 0, dim);
  }
  DimVector sizes(static_cast<size_t>(v.dim()), SymInt(1));
  sizes[static_cast<size_t>(dim)] = v.size(dim);
  const DimVector flat = is_first ? DimVector{v.size(0), -1} : DimVector{-1, v.size(dim)};
  const Value rows = c.call<"aten::view">(c.call<"aten::contiguous">(v), flat);
  const Value norm =
      c.call<"aten::norm.ScalarOpt_dim">(rows, pow, DimVector{is_first ? 1 : 0}, false);
  return c.call<"aten::view">(norm, sizes);
}

// Mirrors _weight_norm, aten/src/ATen/native/WeightNorm.cpp.
Value weight_norm(Call& c, const Tensor& v, const Tensor& g, int64_t dim) {
  c.check(v.device() == g.device(),
          "weight_norm: expected v_in and g_in to be on the same device, but v_in is on {} and "
          "g_in is on {}",
          v.device(), g.device());
  const Value dense_v = c.call<"aten::contiguous">(v);
  const Value dense_g = c.call<"aten::contiguous">(g);
  const bool is_half = v.dtype() == DType::kFloat16 || g.dtype() == DType::kFloat16;
  if (!is_half && (dim == 0 || dim == v.dim() - 1))
    return c.call<"aten::_weight_norm_interface">(dense_v, dense_g, dim)[0];
  const Value norm = c.call<"aten::norm_except_dim">(dense_v, 2, dim);
  return c.call<"aten::mul.Tensor">(dense_v, c.call<"aten::div.Tensor">(dense_g, norm));
}

// clang-format off
constexpr OpDef kWeightNorm[] = {
    {"aten::_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor", rule<&weight_norm>(), kComposite},
    {"aten::_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)", rule<&weight_norm_interface>(), kByDecomp | kRealDerivative},
    {"aten::norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor", rule<&norm_except_dim>(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_weight_norm

std::span<const OpDef> weight_norm_rules() { return rules_of_weight_norm::kWeightNorm; }

}  // namespace faketensor
