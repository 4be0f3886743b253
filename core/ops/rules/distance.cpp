// Distances between rows, cross products, and powers of a vector.
#include "core/ops/call.h"
#include "core/ops/families/into.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/promotion.h"

namespace faketensor {

namespace rules_of_distance {
namespace {

// Mirrors pdist, aten/src/ATen/native/Distance.cpp.
Value pdist(Call& c, const Tensor& self, double p) {
  c.check(self.dim() == 2, "pdist only supports 2D tensors, got: {}D", self.dim());
  c.check(is_floating(self.dtype()), "pdist only supports floating-point dtypes");
  c.check(p >= 0, "pdist only supports non-negative p values");
  return c.call<"aten::_pdist_forward">(c.tensor<"aten::contiguous">(self), p);
}
// Mirrors meta__pdist_forward, torch/_meta_registrations.py.
Tensor* pdist_forward(Call& c, const Tensor& self) {
  c.check(self.is_contiguous(), "_pdist_forward requires contiguous input");
  const SymInt n = self.size(0);
  return c.empty({floor_div(n * (n - 1), 2)}, self.dtype());
}

// Mirrors _euclidean_dist, torch/_decomp/decompositions.py: one matrix product of padded rows.
Value euclidean_dist(Call& c, const Tensor& x1, const Tensor& x2) {
  const DimVector last = {-1};
  const auto norm_of = [&](const Tensor& x) -> Tensor& {
    return c.tensor<"aten::sum.dim_IntList">(c.tensor<"aten::pow.Tensor_Scalar">(x, 2), last, true);
  };
  const auto pad_of = [&](const Tensor& norm) {
    return c.call<"aten::ones_like">(norm, nullptr, nullptr, nullptr, nullptr,
                                     MemoryFormat::kContiguous);
  };
  Tensor& norm1 = norm_of(x1);
  const Value pad1 = pad_of(norm1);
  Tensor& norm2 = norm_of(x2);
  const Value pad2 = pad_of(norm2);
  Tensor& rows1 =
      c.tensor<"aten::cat">(c.tuple({c.call<"aten::mul.Tensor">(x1, -2), norm1, pad1}), -1);
  Tensor& rows2 = c.tensor<"aten::cat">(c.tuple({x2, pad2, norm2}), -1);
  c.check(rows2.dim() >= 2,
          "tensor.mT is only supported on matrices or batches of matrices. Got {}-D tensor.",
          rows2.dim());
  Tensor& product = c.tensor<"aten::matmul">(rows1, c.tensor<"aten::mT">(rows2));
  return c.call<"aten::sqrt">(c.tensor<"aten::clamp_min">(product, 0));
}

// Mirrors cross and default_cross_dim, aten/src/ATen/native/Cross.cpp.
Value cross(Call& c, const Tensor& self, const Tensor& other, std::optional<int64_t> dim) {
  for (int64_t i = 0; i < self.dim() && !dim; ++i) {
    if (guard_bool(self.size(i) == 3)) dim = i;
  }
  c.check(dim.has_value(), "no dimension of size 3 in input");
  return call_into<"aten::linalg_cross", "aten::linalg_cross.out">(c, self, other, *dim);
}

// Mirrors vander, aten/src/ATen/native/LinearAlgebra.cpp.
Tensor* vander(Call& c, const Tensor& x, std::optional<SymInt> columns) {
  c.check(x.dim() == 1, "x must be a one-dimensional tensor.");
  c.check(!columns || !guard_bool(*columns < 0), "N must be non-negative.");
  return c.empty({x.size(0), columns.value_or(x.size(0))}, promote_types(x.dtype(), DType::kInt64));
}

// clang-format off
constexpr OpDef kDistanceRules[] = {
    {"aten::_euclidean_dist(Tensor x1, Tensor x2) -> Tensor", rule<&euclidean_dist>(), kByDecomp | kRealDerivative},
    {"aten::_pdist_forward(Tensor self, float p=2.) -> Tensor", rule<&pdist_forward>(), kRealDerivative},
    {"aten::cross(Tensor self, Tensor other, int? dim=None) -> Tensor", rule<&cross>(), kComposite},
    {"aten::pdist(Tensor self, float p=2.) -> Tensor", rule<&pdist>(), kComposite},
    {"aten::vander(Tensor x, int? N=None, bool increasing=False) -> Tensor", rule<&vander>(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_distance

std::span<const OpDef> distance_rules() { return rules_of_distance::kDistanceRules; }

}  // namespace faketensor
