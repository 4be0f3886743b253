#include "core/ops/families/copy.h"

#include <algorithm>

#include "core/ops/families/memory_overlap.h"
#include "core/tensor/strides.h"

namespace faketensor {

Value written(Call& call, Tensor& self) {
  const Device common = call.device();
  call.check(self.device() == common,
             "FakeTensor is wrapped to wrong device, found {}, expected {}", self.device(), common);
  return self;
}

Tensor* empty_as_cloned(Call& call, const Tensor& self, DType dtype, Device device) {
  if (self.is_non_overlapping_and_dense()) {
    return call.context().empty(self.sizes(), dtype, device, self.strides());
  }
  const DimVector strides = dense_strides_like(self.sizes(), self.strides());
  return call.context().empty(self.sizes(), dtype, device, strides);
}

Tensor* clone_preserve_strides(Call& call, const Tensor& self, StorageExtent extent) {
  if (has_internal_overlap(self)) return empty_as_cloned(call, self, self.dtype(), self.device());
  const int64_t bytes = itemsize(self.dtype());
  const SymInt elements = extent == StorageExtent::kWhole
                              ? floor_div(self.storage->nbytes, bytes)
                              : storage_elements(self.sizes(), self.strides(), self.offset());
  // A clone of as many elements in one dimension asks whether that is contiguous.
  if (extent == StorageExtent::kReached) (void)guard_or_false(elements == 1);
  return call.context().make_tensor(self.meta,
                                    call.context().make_storage(self.device(), elements * bytes));
}

void check_fits(const Call& call, const Tensor& self, Dims sizes) {
  const DimVector common = broadcast_shapes(self.sizes(), sizes);
  const bool fits = guard_equal(common, self.sizes());
  call.check(fits, "output with shape {} doesn't match the broadcast shape {}", self.sizes(),
             common.span());
}

}  // namespace faketensor
