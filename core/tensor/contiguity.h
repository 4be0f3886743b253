// Contiguity: which formats the strides of a tensor are in.
//
// PyTorch decides this in two places, which ask their questions in another order and so leave other
// guards on symbolic sizes: its Python references (torch/_prims_common), which take an undecided
// layout for a no, and its tensors themselves (c10/core/Contiguity.h, SymbolicShapeMeta.cpp), which
// keep an undecided one as a condition. Plain sizes get the same answer from both.
//
//   is_contiguous_or_false({s0, u0}, {u0, 1})    // true: known whatever u0 is
//   contiguity({s0, u0}, {u1, 1})                // Eq(u0, u1) and what makes it hold otherwise
#pragma once

#include <optional>

#include "core/tensor/dims.h"

namespace faketensor {

// --- torch._prims_common ---
bool is_contiguous_or_false(Dims sizes, Dims strides);
// With the product of the sizes, where that is known.
bool is_contiguous_or_false(Dims sizes, Dims strides, SymInt count);
// Dense as NHWC; false unless of rank 4.
bool is_channels_last_contiguous_or_false(Dims sizes, Dims strides);
bool is_non_overlapping_and_dense_or_false(Dims sizes, Dims strides);
// "Strides look like channels last" (NHWC of rank 4, NDHWC of rank 5): also for sliced tensors.
bool are_strides_like_channels_last_or_false(Dims sizes, Dims strides);

// --- c10 ---
SymBool contiguity(Dims sizes, Dims strides);
SymBool channels_last_contiguity(Dims sizes, Dims strides);
SymBool channels_last_3d_contiguity(Dims sizes, Dims strides);
// Guards on what is not plain; raises GuardOnDataDependentSymNode where only data can tell
// (c10::is_channels_last_strides_2d / _3d).
bool has_channels_last_strides(Dims sizes, Dims strides);
bool has_channels_last_3d_strides(Dims sizes, Dims strides);
// Dense in some order of the dimensions; nothing where only data can tell.
std::optional<bool> is_dense_in_some_order(Dims sizes, Dims strides);

}  // namespace faketensor
