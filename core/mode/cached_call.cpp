#include "core/mode/cached_call.h"

#include "core/mode/cache_key.h"
#include "core/mode/calls_behind.h"
#include "core/support/format.h"
#include "core/tensor/strides.h"

namespace faketensor {

std::string answer_text(const Value& result) {
  if (result.is(Value::Tag::kList)) {
    std::string text = "[";
    for (const Value& element : result.values()) text += answer_text(element) + ",";
    return text + "]";
  }
  if (!result.is_tensor()) return format("{}", result);
  const Tensor& tensor = result.tensor();
  return format("{} {} {} {} {}", tensor.dtype(), dims_key(tensor.sizes()),
                dims_key(tensor.strides()), tensor.device(), tensor.layout());
}

// Note [Storages of cached results]
// A result that the cache gives is made anew by torch.empty_strided, so the size of its storage is
// written as that of a strided tensor ("4*s1*(s0 - 1) + 4*s1") where the operator itself had made
// a contiguous one ("4*s0*s1"). The cache compares what was written, so operators that are given
// such a result have another key than before.
SymInt cached_bytes(const Tensor& result) {
  return storage_bytes(result.sizes(), result.strides(), 0, result.dtype());
}

ArgumentsBefore arguments_before(std::span<const Value> args,
                                 const CacheSurroundings& surroundings) {
  ArgumentsBefore before{argument_keys(args, surroundings), {}, {}};
  for (const Value& arg : args) {
    before.metas.push_back(arg.is_tensor() ? arg.tensor().meta : nullptr);
    add_symbols(arg, true, before.symbols);
  }
  return before;
}

CachedCall describe_call(const OpEntry& op, std::span<const Value> args,
                         const ArgumentsBefore& before, const Value* result,
                         const CacheSurroundings& surroundings) {
  CachedCall call;
  call.key = format("{}({}){}", op.name, before.keys, surroundings.settings);
  for (const Value& arg : args) {
    call.is_symbolic = call.is_symbolic || has_symbol(arg);
    if (call.bypass.empty()) call.bypass = argument_bypass(arg, surroundings);
  }
  call.has_key = call.bypass.empty();
  call.is_answered = result != nullptr;
  if (result == nullptr) {
    if (call.bypass.empty()) call.calls = calls_behind(op, args, before, nullptr, surroundings);
    return call;
  }
  if (call.bypass.empty()) call.bypass = operator_bypass(op, args);
  if (call.bypass.empty())
    call.bypass = result_bypass(op, args, before.symbols, *result, call.is_symbolic);
  call.calls = calls_behind(op, args, before, result, surroundings);
  return call;
}

}  // namespace faketensor
