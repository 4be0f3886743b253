#include "core/ops/families/indexing.h"

#include <algorithm>

#include "core/ops/dispatch_cache.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/families/view.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

using Indices = SmallVector<Value, 8>;  // a tensor or None for each dimension of self

// Types checked, and each mask replaced by one index per dimension of it.
Indices expanded_masks(Call& call, const Tensor& self, TensorList given) {
  call.check(!given.empty(), "at least one index must be provided");
  Indices result;
  for (size_t i = 0; i < given.size(); ++i) {
    const Tensor* index = given.at(i);
    if (index == nullptr) {
      result.push_back(Value());
      continue;
    }
    const DType dtype = index->dtype();
    const bool is_mask = dtype == DType::kBool || dtype == DType::kInt8;
    call.check(is_mask || dtype == DType::kInt64 || dtype == DType::kInt32,
               "tensors used as indices must be long, int, byte or bool tensors");
    if (!is_mask) {
      result.push_back(*index);
      continue;
    }
    Tensor& positions = call.tensor<"aten::nonzero">(*index);
    const size_t at = result.size();
    call.check_as(ErrorKind::kIndexError, at + index->sizes().size() <= self.sizes().size(),
                  "too many indices for tensor of dimension {}", self.dim());
    for (size_t j = 0; j < index->sizes().size(); ++j) {
      if (!expect_true(index->sizes()[j] == self.sizes()[at + j])) {
        call.fail(
            ErrorKind::kIndexError,
            format("The shape of the mask torch.Size({}) at index {} does not match the shape "
                   "of the indexed tensor torch.Size({}) at index {}",
                   index->sizes(), i, self.sizes(), at + j));
      }
      result.push_back(call.call<"aten::select.int">(positions, 1, static_cast<int64_t>(j)));
    }
  }
  call.check(result.size() <= self.sizes().size(),
             "too many indices for tensor of dimension {} (got {})", self.dim(), result.size());
  result.resize(self.sizes().size());
  return result;
}

// Whether the indexed dimensions are adjacent.
bool adjacent(const Indices& indices) {
  const auto is_index = [](const Value& index) { return index.is_tensor(); };
  const auto first = std::find_if(indices.begin(), indices.end(), is_index);
  const auto gap = std::find_if_not(first, indices.end(), is_index);
  return std::none_of(gap, indices.end(), is_index);
}

}  // namespace

Tensor* indexed(Call& call, const Tensor& self, TensorList given, std::optional<Device> device) {
  const bool in_kernel = !device && !has_symbolic_sizes(call);
  const Indices indices = expanded_masks(call, self, given);
  SmallVector<Value, 8> tensors;
  for (const Value& index : indices) {
    if (index.is_tensor()) tensors.push_back(index);
  }
  DimVector index_shape = broadcast_operands(call, tensors.span());
  // should_expand of torch._refs._maybe_broadcast asks for the sizes.
  for (const Value& index : tensors) {
    for (const SymInt size : index.tensor().sizes()) {
      if (size.is_symbolic()) (void)replaced(size);
    }
  }
  // torch._refs._maybe_broadcast leaves 0-dimensional CPU tensors as they are, and the last index
  // is the one whose shape counts. In a kernel, all are on the meta device.
  if (!tensors.empty()) {
    const Tensor& last = tensors.back().tensor();
    if (last.dim() == 0 && last.device().is_cpu() && !in_kernel) index_shape.clear();
  }
  // Sizes of the result, and strides as if self were read in that shape: 0 along the index.
  DimVector sizes;
  DimVector strides;
  bool placed = tensors.empty();
  const auto place_index = [&] {
    for (const SymInt size : index_shape) {
      sizes.push_back(size);
      strides.push_back(0);
    }
    placed = true;
  };
  if (!placed && !adjacent(indices)) place_index();
  for (size_t dim = 0; dim < indices.size(); ++dim) {
    if (indices[dim].is_tensor()) {
      if (!placed) place_index();
    } else {
      sizes.push_back(self.sizes()[dim]);
      strides.push_back(self.strides()[dim]);
    }
  }
  // Indices of no dimension are not told from dimensions in front, which keep the first strides.
  if (!tensors.empty() && index_shape.empty()) {
    DimVector order;
    const bool to_front = !adjacent(indices);
    for (const bool indexed_first : {true, false}) {
      for (size_t dim = 0; dim < indices.size(); ++dim) {
        if (!to_front || indices[dim].is_tensor() == indexed_first)
          order.push_back(self.strides()[dim]);
      }
      if (!to_front) break;
    }
    std::copy_n(order.begin(), strides.size(), strides.begin());
  }
  const Device where = device ? *device : call.device();
  Tensor* result = call.context().empty(sizes, self.dtype(), where);
  if (guard_or_false(self.numel() == 0)) return result;
  // A new tensor, given other strides by as_strided.
  call.context().set_strides(*result, dense_strides_like(sizes, strides));
  return result;
}

}  // namespace faketensor
