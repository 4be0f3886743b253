// expand as the reference asks about it (torch/_refs/__init__.py), for symbolic sizes.
//
//   const DimVector sizes = expanded_sizes(call, self, {-1, s0});    // which sizes, if any
//   const DimVector strides = broadcast_strides(call, self, sizes);  // 0 where a 1 is repeated
#pragma once

#include "core/ops/call.h"

namespace faketensor {

// `size` with each -1 replaced. Raises RuntimeError where a dimension is neither kept nor of
// size 1. Mirrors expand, torch/_refs/__init__.py, up to its prim.
DimVector expanded_sizes(Call& call, const Tensor& self, Dims size);

// Mirrors _broadcast_in_dim_meta, torch/_prims/__init__.py, with the tensor's own dimensions last.
DimVector broadcast_strides(Call& call, const Tensor& self, Dims sizes);

}  // namespace faketensor
