// Overloads that write: their functional operator's steps, and the copy.
#include "core/ops/derived.h"

#include "core/ops/steps/reference.h"
#include "core/ops/steps/tables.h"
#include "core/tensor/dims.h"

namespace faketensor {

namespace {

// torch._prims_common.wrappers: _maybe_resize_out and _safe_copy_out.
void copy_out(Call& call, Tensor& out, const Tensor& result) {
  if (!guard_equal(out.sizes(), result.sizes())) call.call<"aten::resize_">(out, result.sizes());
  call.call<"aten::copy_">(out, result);
}

}  // namespace

Value inplace_steps(Call& call, uint64_t) {
  const std::span<const Value> args = call.args();
  const bool copies = (call.op().tags & kInplaceCopies) != 0;
  const Value result = copies ? call.context().call(call.op().functional, args)
                              : steps_inside(call, call.op().functional, args);
  call.call<"aten::copy_">(args[0], result);
  return args[0];
}

Value out_steps(Call& call, uint64_t) {
  const size_t count = call.args().size() - call.op().output_count;
  return write_outs(call, steps_inside(call, call.op().functional, call.args().first(count)));
}

Value write_outs(Call& call, const Value& result) {
  const size_t count = call.op().output_count;
  const std::span<const Value> outs = call.args().last(count);
  const std::span<const Value> results =
      result.is(Value::Tag::kList) ? result.values() : std::span<const Value>(&result, 1);
  for (size_t i = 0; i < count && i < results.size(); ++i) {
    if (outs[i].is_tensor() && results[i].is_tensor())
      copy_out(call, outs[i].tensor(), results[i].tensor());
  }
  return count == 1 ? outs[0] : call.list(outs);
}

}  // namespace faketensor
