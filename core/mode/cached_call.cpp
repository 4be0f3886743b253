#include "core/mode/cached_call.h"

#include "core/mode/cache_key.h"
#include "core/mode/find_tensor.h"
#include "core/ops/dispatch_cache.h"
#include "core/support/format.h"
#include "core/symbolic/expr.h"
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
  return storage_bytes(numbers_now(result.sizes()), numbers_now(result.strides()), 0,
                       result.dtype());
}

DimVector numbers_now(Dims dims) {
  DimVector numbers;
  for (const SymInt dim : dims) {
    const ExprNode* now = dim.is_symbolic() ? replaced(dim) : nullptr;
    const bool is_number = now != nullptr && now->is_constant();
    numbers.push_back(is_number ? SymInt(now->number.integer) : dim);
  }
  return numbers;
}

void set_cached_bytes(const OpEntry& op, const Value& result) {
  if ((op.tags & kView) != 0 || op.written_arguments != 0) return;
  for_each_tensor({&result, 1}, [](const Tensor& tensor) {
    if (tensor.storage != nullptr) tensor.storage->nbytes = cached_bytes(tensor);
  });
}

CachedCall describe_call(const OpEntry& op, std::span<const Value> args,
                         const CacheSurroundings& surroundings) {
  CachedCall call;
  call.key = format("{}({}){}", op.name, argument_keys(args, surroundings), surroundings.settings);
  for (const Value& arg : args) {
    call.is_symbolic = call.is_symbolic || has_symbol(arg);
    if (call.bypass.empty()) call.bypass = argument_bypass(arg, surroundings);
  }
  return call;
}

std::vector<const ExprNode*> symbols_of(std::span<const Value> args) {
  std::vector<const ExprNode*> symbols;
  for (const Value& arg : args) add_symbols(arg, true, symbols);
  return symbols;
}

std::string kept_bypass(const OpEntry& op, std::span<const Value> args,
                        const std::vector<const ExprNode*>& symbols, const Value& result,
                        bool is_symbolic) {
  std::string bypass = operator_bypass(op, args);
  return bypass.empty() ? result_bypass(op, args, symbols, result, is_symbolic) : bypass;
}

}  // namespace faketensor
