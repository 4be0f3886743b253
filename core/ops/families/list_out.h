// What generated `out=` overloads that write to lists of tensors share.
//
//   _fused_adam.out(Tensor[] self, Tensor(b!)[] grads, ..., Tensor(a!)[] out) -> ()
//
// Where arguments of the functional overload are written too, as here, the overload does not follow
// from a line of rules/out_overloads.cpp; its row names the functional overload:
// out_of<"aten::_fused_adam">().
#pragma once

#include "core/ops/call.h"

namespace faketensor {

// That no tensor of a list that is written to has its conjugate or negative bit set
// (aten/src/ATen/native/MathBitsFallback.h).
void check_materialized(const Call& call, TensorList written);

// resize_out_helper and copy_arg of lists, as torchgen writes them: first all sizes, then all
// values.
void write_copies(Call& call, TensorList outs, TensorList results);

// The written argument named (a!) takes the first result of `functional`, (b!) the second, ...
Value write_lists(Call& call, OpId functional);

template <FixedString functional>
consteval Rule out_of() {
  return {[](Call& call, uint64_t) {
    static const OpId kOp = Registry::builtin().find(functional.view());
    return write_lists(call, kOp);
  }};
}

}  // namespace faketensor
