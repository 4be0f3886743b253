// Composite operators that have an out= overload: the last operator they call writes to it.
//
// The rule is written once, for both overloads (OutBy::kRule in out_def.h):
//
//   Value hstack(Call& c, TensorList tensors) {
//     ...
//     return call_into<"aten::cat", "aten::cat.out">(c, parts, dim);
//   }
#pragma once

#include "core/ops/call.h"

namespace faketensor {

// The tensor that an out= overload writes to, null in a functional call.
inline Tensor* output_of(const Call& c) {
  return c.op().output_count == 0 ? nullptr : &c.args().back().tensor();
}

// Calls `functional`, or with the output as its last argument `out`.
template <FixedString functional, FixedString out, typename... Arguments>
Value call_into(Call& c, const Arguments&... arguments) {
  Tensor* output = output_of(c);
  return output == nullptr ? c.call<functional>(arguments...) : c.call<out>(arguments..., *output);
}

// The result of other work, as the output or copied to it (resize_output and copy_).
Value copy_into(Call& c, const Value& result);

}  // namespace faketensor
