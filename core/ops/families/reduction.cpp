#include "core/ops/families/reduction.h"

#include "core/ops/families/view.h"
#include "core/tensor/strides.h"

namespace faketensor {

DimSet named_dims(Call& call, const Tensor& self, const Value& dim, bool allow_repeated) {
  const int64_t rank = self.dim();
  if (dim.is_none()) return DimSet::all(rank);
  if (!dim.is_list()) return DimSet::of(wrap_dim(dim.to_int(), rank));
  DimSet dims;
  bool repeated = false;
  for (const SymInt index : dim.ints())
    repeated = !dims.add(wrap_dim(guard_int(index), rank)) || repeated;
  call.check(allow_repeated || !repeated, "duplicate value in the list of dims");
  return dims;
}

void check_reducible_rank(Call& call, int64_t rank) {
  call.check(rank <= 64,
             "Received a tensor with {} dimensions, but only tensors with up to 64 dims are "
             "supported!",
             rank);
}

DimSet reduction_dims(Call& call, const Tensor& self, const Value& dim, bool allow_repeated) {
  check_reducible_rank(call, self.dim());
  return named_dims(call, self, dim, allow_repeated);
}

void check_bitset_rank(Call& call, int64_t rank) {
  call.check(rank <= 64, "only tensors with up to 64 dims are supported");
}

DimSet dim_list_to_bitset(Call& call, Dims dims, int64_t rank) {
  check_bitset_rank(call, rank);
  DimSet set;
  for (const SymInt dim : dims) {
    const int64_t wrapped = wrap_dim(guard_int(dim), rank);
    call.check(set.add(wrapped), "dim {} appears multiple times in the list of dims", wrapped);
  }
  return set;
}

DimSet reduction_dims_or_all(Call& call, const Tensor& self, const Value& dim,
                             bool allow_repeated) {
  const bool is_all = dim.is_list() && dim.size() == 0;
  return reduction_dims(call, self, is_all ? Value() : dim, allow_repeated);
}

DimVector reduced_sizes(Dims sizes, const DimSet& dims, bool keepdim) {
  DimVector result;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!contains(dims, i)) {
      result.push_back(sizes[i]);
    } else if (keepdim) {
      result.push_back(1);
    }
  }
  return result;
}

Tensor* reduce(Call& call, const Tensor& self, const DimSet& dims, bool keepdim, DType result) {
  return call.empty(reduced_sizes(self.sizes(), dims, keepdim), result);
}

Tensor* reduce_by_reference(Call& call, const Tensor& self, const DimSet& dims, bool keepdim,
                            DType result) {
  if (has_symbolic_sizes(self)) {
    const DimVector left = reduced_sizes(self.sizes(), dims, false);
    Tensor* reduced = call.empty_strided(left, contiguous_strides(left), result);
    DimVector places;
    for (size_t i = 0; i < self.sizes().size(); ++i)
      if (!contains(dims, i)) places.push_back(i);
    if (!keepdim) return reduced;
    const DimVector kept = reduced_sizes(self.sizes(), dims, true);
    return &call.tensor<"prims::broadcast_in_dim">(*reduced, kept, places);
  }
  if (!keepdim || guard_or_true(self.numel() != 0))
    return reduce(call, self, dims, keepdim, result);
  DimVector sizes = reduced_sizes(self.sizes(), dims, true);
  DimVector strides(sizes.size());
  SymInt contiguous = 1;  // the stride of the reduced tensor's next dimension
  SymInt next = 1;        // what a kept dimension in front of it gets
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = contains(dims, i) ? next : contiguous;
    if (contains(dims, i)) continue;
    next = contiguous * sizes[i];
    contiguous = contiguous * sym_max(sizes[i], 1);
  }
  return call.empty_strided(sizes, strides, result);
}

void check_reduction_not_empty(Call& call, const Tensor& self, const DimSet& dims) {
  SymBool has_elements = true;
  for (size_t i = 0; i < self.sizes().size(); ++i) {
    if (contains(dims, i)) has_elements = sym_and(has_elements, self.sizes()[i] > 0);
  }
  call.check(has_elements,
             "reducing over zero-size dimension for reduction operation without identity");
}

DType sum_dtype(const Tensor& self, std::optional<DType> dtype) {
  if (dtype) return *dtype;
  return is_integral_or_bool(self.dtype()) ? DType::kInt64 : self.dtype();
}

}  // namespace faketensor
