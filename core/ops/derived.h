// Derived overloads: how in-place and out= operators answer by their functional row.
//
// Both run the functional rule and write its result to a tensor that exists: the sizes may change
// (the tensor is resized, its storage grows), the dtype may be cast where the kernel casts, the
// tensor object stays the same.
//
//   out = torch.empty(0); torch.add(x, y, out=out)  ->  out is now x + y's size, on its old storage
#pragma once

#include "core/ops/call.h"

namespace faketensor {

// op_(self, ...) by the rule of op(self, ...).
Value run_inplace(Call& call);

// op.out(..., out) by op(...). Note [Writing to out] in derived.cpp.
Value run_out(Call& call);

// torch._prims_common.wrappers._maybe_resize_out, at::native::resize_output: where the sizes
// differ, `out` becomes a tensor of these sizes and strides (contiguous where none are given), its
// offset kept, its storage grown to the bytes needed. True if it was resized.
bool resize_output(Context& context, Tensor& out, Dims sizes, Dims strides = {});

}  // namespace faketensor
