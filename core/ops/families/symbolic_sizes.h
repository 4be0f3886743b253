// How kernels that are written for numbers meet symbolic sizes.
//
// A C++ kernel that asks for sizes() instead of sym_sizes() specialises every size of that tensor
// (SymbolicShapeMeta's materialized sizes): each one is guarded to be its hint. The same holds for
// size(dim), which asks for all of them, and for strides().
#pragma once

#include "core/ops/call.h"

namespace faketensor {

// Tensor.sizes(): a guard for each symbolic size, in order. Raises GuardOnDataDependentSymNode for
// one that is data.
inline void specialize_sizes(Dims sizes) {
  for (const SymInt size : sizes) {
    if (size.is_symbolic()) guard_int(size);
  }
}
inline void specialize_sizes(const Tensor& tensor) { specialize_sizes(tensor.sizes()); }

}  // namespace faketensor
