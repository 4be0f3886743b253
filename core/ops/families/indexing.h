// Advanced indexing: x[i, :, j] with index tensors.
#pragma once

#include "core/ops/call.h"

namespace faketensor {

// The result of self[indices], on `device` or the call's: the broadcast index shape in place of the
// indexed dimensions, or in front where they are not adjacent, with strides in the order of self's.
// Masks count as their nonzero positions. Mirrors meta_index_Tensor, torch/_meta_registrations.py.
Tensor* indexed(Call& call, const Tensor& self, TensorList indices,
                std::optional<Device> device = {});

}  // namespace faketensor
