// Derived overloads: how in-place and out= operators answer by their functional row.
//
// Both run the functional rule and write its result to a tensor that exists: the sizes may change
// (the tensor is resized, its storage grows), the dtype may be cast where the kernel casts, the
// tensor object stays the same.
//
//   out = torch.empty(0); torch.add(x, y, out=out)  ->  out is now x + y's size, on its old storage
#pragma once

#include "core/ops/families/on_meta.h"

namespace faketensor {

// op_(self, ...) by the rule of op(self, ...).
Value run_inplace(Call& call);

// op.out(..., out) by op(...). Note [Writing to out] in derived.cpp.
Value run_out(Call& call);

// Writes `results` to the outputs of an out= overload that a rule answers itself (OutBy::kRule), as
// generated kernels do (OutBy::kCopy), and returns the outputs.
Value write_copies(Call& call, std::span<const Value> results);

// The same for an out= overload that is a decomposition of its own, inside out_wrapper: compare the
// devices, compute, then write as OutBy::kDecomposition or kExactDecomposition does.
void check_output_devices(Call& call);
Value write_results(Call& call, std::span<const Value> results, OutBy by);

// An out= overload whose structured kernel checks what the functional one's Python does not:
// `answer` is asked for as on the meta device, where kernels run, and written as OutBy::kStructured
// does.
template <typename Answer>
Value write_structured(Call& call, const Answer& answer) {
  const auto on_meta = [&]() -> Value {
    const OnMeta scope(call.context(), call.args());
    return answer();
  };
  const Value results = on_meta();
  Call wrapping(call.context(), call.op(), call.args());
  const bool is_one = call.op().output_count == 1;
  return write_results(wrapping, is_one ? std::span(&results, 1) : results.values(),
                       OutBy::kStructured);
}

// torch._prims_common.wrappers._maybe_resize_out, at::native::resize_output: where the sizes
// differ, `out` becomes a tensor of these sizes and strides (contiguous where none are given), its
// offset kept, its storage grown to the bytes needed. True if it was resized.
bool resize_output(Context& context, Tensor& out, Dims sizes, Dims strides = {});

// `self` with `result` written to it as torch._prims_common.wrappers.out_wrapper writes to `out`:
// its dtype must take the result's, its sizes become the result's, and it must be on the common
// device of the call's arguments as they then are.
Value write_result(Call& call, Tensor& self, const Tensor& result);

// In-place overloads that do not follow from a row by their name: the named operator answers for
// the same arguments, and the answer is written to the first, or copied into it.
template <FixedString functional>
consteval Rule written_by() {
  return {[](Call& call, uint64_t) {
    const auto answer = [&] {
      const OnMeta scope(call.context(), call.args());
      return call.forward<functional>(call.args());
    };
    return write_result(call, call.arg(0).tensor(), answer().tensor());
  }};
}
template <FixedString functional>
consteval Rule copied_from() {
  return {[](Call& call, uint64_t) {
    return call.call<"aten::copy_">(call.arg(0), call.forward<functional>(call.args()));
  }};
}

}  // namespace faketensor
