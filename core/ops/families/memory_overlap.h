// What a structured kernel demands of the memory it writes to.
//
// Mirrors aten/src/ATen/MemoryOverlap.cpp: an output whose elements share memory, or that shares
// memory with what is read, is refused. Python's wrappers around out= do not check this.
//
//   check_no_internal_overlap(call, out);        // expanded: two indices, one element
//   check_no_overlap(call, out, self);           // out may not be self, nor a part of it
//   check_no_partial_overlap(call, out, index);  // out may be index, but not a part of it
#pragma once

#include "core/ops/call.h"

namespace faketensor {

// at::has_internal_overlap: certain overlap, not a possible one.
bool has_internal_overlap(const Tensor& tensor);
void check_no_internal_overlap(const Call& call, const Tensor& out);
void check_no_overlap(const Call& call, const Tensor& out, const Tensor& input);
void check_no_partial_overlap(const Call& call, const Tensor& out, const Tensor& input);

// What gather_meta and scatter_meta_impl (aten/src/ATen/native/TensorAdvancedIndexing.cpp) ask of
// `out`, given the operator's arguments by their names; other operators ask nothing.
void check_scatter_overlap(const Call& call, const Tensor& out);

}  // namespace faketensor
