// Reductions: some dimensions of the input are removed, or kept with size 1.
//
// The result is contiguous on the input's device whatever the input's strides
// (torch._prims._reduction_meta, new_empty). `dim` is None, an int or a list of ints, as schemas
// have it.
//
//   {"aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", rule<&amax>()},
#pragma once

#include "core/ops/call.h"

namespace faketensor {

// A set of dimensions. Most of PyTorch's reductions take tensors of at most 64 dimensions, but not
// all do.
class DimSet {
 public:
  DimSet() = default;
  static DimSet of(int64_t dim) {
    DimSet set;
    set.add(dim);
    return set;
  }
  static DimSet all(int64_t rank) {
    DimSet set;
    for (int64_t dim = 0; dim < rank; ++dim) set.add(dim);
    return set;
  }
  bool contains(size_t dim) const {
    return dim / 64 < words_.size() && (words_[dim / 64] >> dim % 64 & 1) != 0;
  }
  // False if it was there before.
  bool add(int64_t dim) {
    const auto at = static_cast<size_t>(dim);
    if (contains(at)) return false;
    if (at / 64 >= words_.size()) words_.resize(at / 64 + 1);
    words_[at / 64] |= uint64_t{1} << at % 64;
    return true;
  }

 private:
  SmallVector<uint64_t, 1> words_;
};
inline bool contains(const DimSet& dims, size_t dim) { return dims.contains(dim); }

// The dimensions that `dim` names; None is all. Raises IndexError for one out of range and
// RuntimeError for one named twice (torch._prims_common.reduction_dims).
DimSet named_dims(Call& call, const Tensor& self, const Value& dim, bool allow_repeated = false);
// The same as references have it, which refuse a tensor of more than 64 dimensions (_reduction,
// torch/_refs/__init__.py).
DimSet reduction_dims(Call& call, const Tensor& self, const Value& dim,
                      bool allow_repeated = false);
// The same where an empty list means all dimensions too.
DimSet reduction_dims_or_all(Call& call, const Tensor& self, const Value& dim,
                             bool allow_repeated = false);
// Raises for more dimensions than references reduce.
void check_reducible_rank(Call& call, int64_t rank);
// Mirrors dim_list_to_bitset, aten/src/ATen/WrapDimUtilsMulti.h.
DimSet dim_list_to_bitset(Call& call, Dims dims, int64_t rank);
void check_bitset_rank(Call& call, int64_t rank);

DimVector reduced_sizes(Dims sizes, const DimSet& dims, bool keepdim);

// The result of a reduction.
Tensor* reduce(Call& call, const Tensor& self, const DimSet& dims, bool keepdim, DType result);
// The same as references make it (_reduction, torch/_refs/__init__.py): kept dimensions are
// broadcast into the result, which shows in their strides where others are empty.
Tensor* reduce_by_reference(Call& call, const Tensor& self, const DimSet& dims, bool keepdim,
                            DType result);

// Raises unless every reduced dimension has elements: minima and maxima have no identity.
void check_reduction_not_empty(Call& call, const Tensor& self, const DimSet& dims);

// The dtype of sums and products: `dtype` where given, int64 for integers and bool.
DType sum_dtype(const Tensor& self, std::optional<DType> dtype);

}  // namespace faketensor
