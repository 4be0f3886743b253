// Strides: everything that follows from sizes and strides alone.
//
// The strides of new tensors, what a view may do, and how many bytes a storage needs. All functions
// take symbolic sizes. Decisions about layout never raise on an unbacked size:
// where PyTorch asks guard_or_false so do we (`guard_or_false(a == b)`), and where it guards, so do
// we.
#pragma once

#include <optional>

#include "core/tensor/device.h"
#include "core/tensor/dims.h"
#include "core/tensor/dtype.h"

namespace faketensor {

// The number of elements; raises OverflowError if it does not fit.
SymInt numel(Dims sizes);

// Row-major strides; a size of 0 counts as 1 (torch._prims_common.make_contiguous_strides_for).
DimVector contiguous_strides(Dims sizes);
// NHWC strides of 3 or 4 sizes, NDHWC of 4 or 5 (c10::get_channels_last_strides_2d / _3d).
DimVector channels_last_strides(Dims sizes);
DimVector channels_last_3d_strides(Dims sizes);
// Strides for a memory format other than kPreserve, which callers resolve. Raises RuntimeError for
// a rank that the format does not have.
DimVector strides_for(Dims sizes, MemoryFormat format);
// Dense strides in the order of `permutation`: permutation[0] is the outermost dimension
// (torch.empty_permuted).
DimVector permuted_strides(Dims sizes, std::span<const int64_t> permutation);

// Dense strides in the order in which an elementwise operator lays out its result: the operands'
// sizes are all `sizes`, and `strides[i]` are operand i's. Contiguous and channels-last operands
// keep their format, else dimensions are sorted by stride, with ambiguities decided as
// torch._prims_common.compute_elementwise_output_logical_to_physical_perm decides them.
DimVector elementwise_strides(Dims sizes, std::span<const Dims> strides);
// The same for one tensor: what torch.empty_like gives where the tensor itself has gaps or
// overlaps.
DimVector dense_strides_like(Dims sizes, Dims strides);

// Elements a storage needs to hold (sizes, strides) at `offset`; 0 if any size is 0
// (at::detail::computeStorageNbytes).
SymInt storage_elements(Dims sizes, Dims strides, SymInt offset);
// The same in bytes.
SymInt storage_bytes(Dims sizes, Dims strides, SymInt offset, DType dtype);

// Strides of a view with `new_sizes`, or nothing where a copy is needed
// (at::detail::computeStride).
std::optional<DimVector> view_strides(Dims sizes, Dims strides, Dims new_sizes);

// `shape` with its -1 replaced (at::infer_size). Raises RuntimeError with PyTorch's words:
// "shape '[2, 5]' is invalid for input of size 12".
DimVector infer_shape(Dims shape, SymInt numel);

// The common shape of two broadcast operands (at::infer_size). Raises RuntimeError: "The size of
// tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1".
DimVector broadcast_shapes(Dims a, Dims b);

// A dimension counted from the end made positive; a 0-dimensional tensor counts as 1-dimensional.
// Raises IndexError: "Dimension out of range (expected to be in range of [-2, 1], but got 2)".
[[gnu::cold]] int64_t wrap_negative_dim(int64_t dim, int64_t rank, bool wrap_scalar);
inline int64_t wrap_dim(int64_t dim, int64_t rank, bool wrap_scalar = true) {
  return dim >= 0 && dim < rank ? dim : wrap_negative_dim(dim, rank, wrap_scalar);
}

}  // namespace faketensor
