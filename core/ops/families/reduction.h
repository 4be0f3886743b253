// Reductions: some dimensions of the input are removed, or kept with size 1.
//
// The result is contiguous on the input's device whatever the input's strides
// (torch._prims._reduction_meta, new_empty). `dim` is None, an int or a list of ints, as schemas
// have it; a set of dimensions is a bit mask, since PyTorch's reductions take at most 64.
//
//   {"aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", rule<&amax>()},
#pragma once

#include "core/ops/call.h"

namespace faketensor {

using DimSet = uint64_t;
inline bool contains(DimSet dims, size_t dim) { return (dims >> dim & 1) != 0; }

// The dimensions that `dim` names; None is all. Raises IndexError for one out of range and
// RuntimeError for one named twice (torch._prims_common.reduction_dims).
DimSet reduction_dims(Call& call, const Tensor& self, const Value& dim,
                      bool allow_repeated = false);
// The same where an empty list means all dimensions too.
DimSet reduction_dims_or_all(Call& call, const Tensor& self, const Value& dim,
                             bool allow_repeated = false);

DimVector reduced_sizes(Dims sizes, DimSet dims, bool keepdim);

// The result of a reduction.
Tensor* reduce(Call& call, const Tensor& self, DimSet dims, bool keepdim, DType result);
// The same as references make it (_reduction, torch/_refs/__init__.py): kept dimensions are
// broadcast into the result, which shows in their strides where others are empty.
Tensor* reduce_by_reference(Call& call, const Tensor& self, DimSet dims, bool keepdim,
                            DType result);

// Raises unless every reduced dimension has elements: minima and maxima have no identity.
void check_reduction_not_empty(Call& call, const Tensor& self, DimSet dims);

// The dtype of sums and products: `dtype` where given, int64 for integers and bool.
DType sum_dtype(const Tensor& self, std::optional<DType> dtype);

}  // namespace faketensor
