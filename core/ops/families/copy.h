// Copies: what clones, casts and in-place writers share.
#pragma once

#include "core/ops/call.h"

namespace faketensor {

// The argument an in-place operator wrote to, as its result. Raises where the call's common device
// is not the argument's (FakeTensorMode.wrap_meta_outputs_with_default_device_logic).
Value written(Call& call, Tensor& self);

// A copy of the storage under the same strides and offset, where elements do not overlap; else a
// plain clone. C++ kernels copy the whole storage (at::clone_preserve_strides), Python's meta
// functions as much of it as the tensor reaches (torch._prims_common.clone_preserve_strides).
enum class StorageExtent : uint8_t { kWhole, kReached };
Tensor* clone_preserve_strides(Call& call, const Tensor& self,
                               StorageExtent extent = StorageExtent::kWhole);

// A new tensor laid out as a clone is: the strides of a dense tensor kept, else those an
// elementwise operator would give it. (Call::empty_like puts a dense tensor's strides in order
// too.)
Tensor* empty_as_cloned(Call& call, const Tensor& self, DType dtype, Device device);

// Raises unless `sizes` broadcast to those of `self`, which is written to.
void check_fits(const Call& call, const Tensor& self, Dims sizes);

}  // namespace faketensor
