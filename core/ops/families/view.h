// Views: geometry shared by the operators whose result lies on the storage of their input.
//
// A view is sizes, strides and an offset; nothing here allocates a storage. FakeTensorMode answers
// several of these operators by a C++ kernel when every size is a number and by a Python reference
// when one is symbolic. The two agree but for strides that do not matter (of dimensions of size 1
// or of empty tensors); `has_symbolic_sizes` tells which one to follow.
//
//   const DimVector sizes = infer_view_shape(c, shape, self.numel());
//   return view_reshaped(c, self, sizes);
#pragma once

#include <span>
#include <string>

#include "core/ops/call.h"

namespace faketensor {

// Sizes and strides under way to a view.
struct Geometry {
  DimVector sizes;
  DimVector strides;
};

// Whether a tensor of the call has a symbolic size, stride or offset, or a number is symbolic: then
// FakeTensorMode prefers the Python reference (FakeTensorMode._dispatch_impl, has_symbolic_sizes).
bool has_symbolic_sizes(const Call& call);
inline bool has_symbolic_sizes(const Tensor& tensor) { return tensor.meta->has_symbols(); }

// `shape` with its -1 replaced, with the words of torch._prims_common.infer_size.
DimVector infer_view_shape(Call& call, Dims shape, SymInt elements);

// The view of `self` with `shape`, which may hold one -1. Mirrors _view_meta,
// torch/_subclasses/fake_impls.py. Raises ValueError where only a copy could have that shape.
Tensor* view_reshaped(Call& call, const Tensor& self, Dims shape);

// The same, but null instead of ValueError.
Tensor* try_view_reshaped(Call& call, const Tensor& self, Dims shape);

// Sizes and strides with the dimensions in `dims` taken out where they are of size 1.
Geometry squeezed(const Tensor& self, std::span<const bool> dims);
// Sizes and strides with a dimension of size 1 at `dim` (already wrapped).
Geometry unsqueezed(const Tensor& self, int64_t dim);
// Two dimensions (already wrapped) exchanged.
Geometry transposed(const Tensor& self, int64_t dim0, int64_t dim1);

// What the gates of a recurrent cell are divided into: `count` equal parts of dimension 1. Kernels
// index the parts of unsafe_chunk unchecked; here fewer of them are a RuntimeError.
Value gate_parts(Call& call, const Value& gates, int64_t count);

// self[..., start:end:step, ...] along `dim`; none for an open end. Mirrors slice_forward,
// torch/_subclasses/fake_impls.py, including the unbacked size of an undecidable slice.
Tensor* sliced(Call& call, const Tensor& self, int64_t dim, std::optional<SymInt> start,
               std::optional<SymInt> end, SymInt step);

// That a narrowed dimension begins within it (narrow_symint, aten/src/ATen/native/TensorShape.cpp).
void check_narrow_start(const Call& call, SymInt start, SymInt size);

// The other forms of a view operator, made from its name.
// `unsqueeze_copy`: the view, then a contiguous clone of each result.
Value copies_of_views(Call& call, OpId view);
// `unsqueeze_`: the metadata of the view swapped into the argument itself.
Value view_in_place(Call& call, OpId view);

template <FixedString view>
consteval Rule copy_of() {
  return {[](Call& call, uint64_t) {
    static const OpId kOp = Registry::builtin().find(view.view());
    return copies_of_views(call, kOp);
  }};
}
template <FixedString view>
consteval Rule in_place() {
  return {[](Call& call, uint64_t) {
    static const OpId kOp = Registry::builtin().find(view.view());
    return view_in_place(call, kOp);
  }};
}

// The dimensions of a `dims` argument as flags, wrapped. Raises RuntimeError for one given twice.
SmallVector<bool, 16> dim_flags(Call& call, Dims dims, int64_t rank, bool allow_repeated = false);

}  // namespace faketensor
