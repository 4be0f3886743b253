// gather, scatter and their reducing forms: one index per element.
#include <algorithm>

#include "core/ops/families/copy.h"
#include "core/ops/families/into.h"
#include "core/ops/families/symbolic_sizes.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_scatter_gather {
namespace {

// 0-dimensional tensors count as 1-dimensional of size 1.
int64_t rank_of(const Tensor& tensor) { return std::max<int64_t>(tensor.dim(), 1); }
SymInt size_of(const Tensor& tensor, int64_t dim) {
  return tensor.dim() == 0 ? SymInt(1) : tensor.sizes()[static_cast<size_t>(dim)];
}
bool is_index_dtype(DType dtype) { return dtype == DType::kInt64 || dtype == DType::kInt32; }

// Mirrors meta_gather, torch/_meta_registrations.py.
Tensor* gather(Call& c, const Tensor& self, int64_t dim, const Tensor& index) {
  const int64_t at = wrap_dim(dim, self.dim());
  if (!guard_or_false(index.numel() == 0)) {
    c.check(is_index_dtype(index.dtype()),
            "gather(): Expected dtype int32/int64 for index, but got {}", index.dtype());
    c.check(rank_of(self) == rank_of(index),
            "Index tensor must have the same number of dimensions as input tensor");
    for (int64_t i = 0; i < rank_of(self); ++i) {
      if (i == at) continue;
      c.check(size_of(index, i) <= size_of(self, i),
              "Size does not match at dimension {} expected index torch.Size({}) to be no larger "
              "than self torch.Size({}) apart from dimension {}",
              i, index.sizes(), self.sizes(), at);
    }
  }
  return c.empty(index.sizes(), self.dtype());
}

enum class Reduction : uint8_t { kNone, kOld, kNew };

void check_reduction(const Call& c, Reduction options, std::string_view reduce) {
  constexpr std::string_view kOldNames[] = {"add", "multiply"};
  constexpr std::string_view kNewNames[] = {"sum", "prod", "mean", "amax", "amin"};
  const auto named = [&](std::span<const std::string_view> names) {
    return std::find(names.begin(), names.end(), reduce) != names.end();
  };
  c.check(options != Reduction::kOld || named(kOldNames),
          "reduce argument must be either add or multiply.");
  c.check(options != Reduction::kNew || named(kNewNames),
          "reduce argument must be either sum, prod, mean, amax or amin.");
}

// Mirrors scatter_meta_impl, torch/_meta_registrations.py.
void check_scatter(Call& c, const Tensor& self, int64_t dim, const Tensor& index,
                   const Tensor* src) {
  const int64_t at = wrap_dim(dim, self.dim());
  c.check(is_index_dtype(index.dtype()) || !guard_or_true(index.numel() != 0),
          "scatter(): Expected dtype int32/int64 for index");
  c.check(src == nullptr || self.dtype() == src->dtype(),
          "scatter(): Expected self.dtype to be equal to src.dtype");
  if (guard_or_false(index.numel() == 0)) return;
  c.check(rank_of(self) == rank_of(index),
          "Index tensor must have the same number of dimensions as self tensor");
  for (int64_t d = 0; d < rank_of(self); ++d) {
    if (d == at) continue;
    c.check(size_of(index, d) <= size_of(self, d),
            "Expected index torch.Size({}) to be no larger than self torch.Size({}) apart from "
            "dimension {}",
            index.sizes(), self.sizes(), at);
  }
  if (src == nullptr) return;
  c.check(rank_of(self) == rank_of(*src),
          "Index tensor must have the same number of dimensions as src tensor");
  for (int64_t d = 0; d < rank_of(self); ++d) {
    c.check(size_of(index, d) <= size_of(*src, d),
            "Expected index torch.Size({}) to be no larger than src torch.Size({})", index.sizes(),
            src->sizes());
  }
}

Tensor* scattered(Call& c, const Tensor& self, int64_t dim, const Tensor& index, const Value& src,
                  Reduction options, std::string_view reduce) {
  check_scatter(c, self, dim, index, src.is_tensor() ? &src.tensor() : nullptr);
  check_reduction(c, options, reduce);
  return c.empty(self.sizes(), self.dtype());
}

Tensor* scatter(Call& c, const Tensor& self, int64_t dim, const Tensor& index, const Value& src) {
  return scattered(c, self, dim, index, src, Reduction::kNone, {});
}
Tensor* scatter_reducing(Call& c, const Tensor& self, int64_t dim, const Tensor& index,
                         const Value& src, std::string_view reduce) {
  return scattered(c, self, dim, index, src, Reduction::kOld, reduce);
}
Tensor* scatter_reduce(Call& c, const Tensor& self, int64_t dim, const Tensor& index,
                       const Value& src, std::string_view reduce) {
  return scattered(c, self, dim, index, src, Reduction::kNew, reduce);
}

// Mirrors infer_size_symint, aten/src/ATen/ExpandUtils.cpp: of shapes of one rank.
DimVector broadcast_in_kernel(const Call& c, Dims a, Dims b) {
  DimVector common(a);
  for (size_t i = a.size(); i-- > 0;) {
    if (guard_or_false(a[i] == 1)) {
      common[i] = b[i];
    } else if (!guard_or_false(b[i] == 1)) {
      c.check(a[i] == b[i],
              "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton "
              "dimension {}",
              a[i], b[i], i);
    }
  }
  return common;
}

// Mirrors take_along_dim, aten/src/ATen/native/TensorAdvancedIndexing.cpp: gather after
// broadcasting all but the dimension.
Value take_along_dim(Call& c, const Tensor& self, const Tensor& indices,
                     std::optional<int64_t> dim) {
  c.check(self.device() == indices.device(),
          "Expected tensor to have {} Device, but got tensor with {} Device (while checking "
          "arguments for torch.take_along_dim():)",
          self.device(), indices.device());
  if (const Tensor* out = output_of(c); out != nullptr) {
    c.check(self.device() == out->device(),
            "Expected tensor to have {} Device, but got tensor with {} Device (while checking "
            "arguments for torch.take_along_dim():)",
            self.device(), out->device());
  }
  if (!dim) {
    const Tensor& flat = c.tensor<"aten::view">(self, DimVector{-1});
    const Tensor& index = c.tensor<"aten::view">(indices, DimVector{-1});
    return call_into<"aten::gather", "aten::gather.out">(c, flat, 0, index, false);
  }
  c.check(
      self.dim() == indices.dim(),
      "torch.take_along_dim(): input and indices should have the same number of dimensions, but "
      "got {} dimensions for input, and {} dimensions for indices",
      self.dim(), indices.dim());
  c.check(indices.dtype() == DType::kInt64,
          "torch.take_along_dim(): dtype of indices should be Long but got {}",
          info(indices.dtype()).cpp_name);
  const auto at = static_cast<size_t>(wrap_dim(*dim, self.dim()));
  // The sizes of `tensor` broadcast to those of `other`, but for the dimension.
  const auto shape = [&](const Tensor& tensor, const Tensor& other) {
    DimVector target(other.sizes());
    if (!target.empty()) target[at] = tensor.sizes()[at];
    return broadcast_in_kernel(c, target, tensor.sizes());
  };
  Tensor& index = c.tensor<"aten::broadcast_to">(indices, shape(indices, self));
  const DimVector own = shape(self, indices);
  Tensor& source = c.tensor<"aten::broadcast_to">(self, own);
  specialize_sizes(own);  // the index's remainder by the size of the dimension
  return call_into<"aten::gather", "aten::gather.out">(c, source, static_cast<int64_t>(at), index,
                                                       false);
}

// clang-format off
constexpr OpDef kScatterGatherRules[] = {
    {"aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor", rule<&gather>()},
    {"aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor", rule<&scatter_reducing>(), kInplace},
    {"aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", rule<&scatter>(), kInplace},
    {"aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", rule<&scatter>(), kInplace},
    {"aten::scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor", rule<&scatter_reducing>(), kInplace},
    {"aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", rule<&scatter>(), kInplace},
    {"aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor", rule<&scatter_reduce>(), kInplace | kRealDerivative},
    {"aten::take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor", rule<&take_along_dim>(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_scatter_gather

std::span<const OpDef> scatter_gather_rules() {
  return rules_of_scatter_gather::kScatterGatherRules;
}

}  // namespace faketensor
