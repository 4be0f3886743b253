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

// An option of a factory that its out= overload does not take: the output's.
Value factory_option(const Argument& option, const Tensor& out) {
  if (option.name == "dtype") return out.dtype();
  if (option.name == "layout") return out.layout();
  if (option.name == "device") return out.device();
  return option.default_value;
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
  const OpEntry& functional = Registry::builtin().entry(call.op().functional);
  const size_t count = call.args().size() - call.op().output_count;
  SmallVector<Value, 16> args;
  for (const Value& arg : call.args().first(count)) args.push_back(arg);
  const std::span<const Argument> all = functional.schema.arguments;
  for (size_t i = count; i < all.size(); ++i)
    args.push_back(factory_option(all[i], call.arg(count).tensor()));
  return write_outs(call, steps_inside(call, functional.id, args.span().first(all.size())));
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
