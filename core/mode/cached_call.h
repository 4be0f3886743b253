// How the dispatch cache sees an operator call: its key, whether it can be cached (cache_key.h),
// and which operators PyTorch calls to answer it (calls_behind.h).
//
// Mirrors FakeTensorMode._cache_key.
//
//   const ArgumentsBefore before = arguments_before(args, surroundings);
//   const Value result = ...;                                              // the call
//   cache.count(describe_call(op, args, before, &result, surroundings), env);
#pragma once

#include <string>

#include "core/mode/dispatch_cache.h"
#include "core/mode/surroundings.h"
#include "core/ops/context.h"

namespace faketensor {

// What a key has besides the operator and its arguments.
struct CacheSurroundings {
  const Context& context;  // whose fakes the arguments should be
  std::string settings;    // default dtype, inference mode, ShapeEnv's settings, epoch
  const ModeSurroundings& mode;

  bool is_inference(const Tensor& tensor) const { return mode.is_inference(tensor); }
  bool is_fake(const Tensor& tensor) const { return mode.is_fake(tensor); }
};

// The arguments as they were before the call, which may change them: their part of the key, the
// metas of the tensors among them (null for others), and the symbols in them.
struct ArgumentsBefore {
  std::string keys;
  std::vector<const TensorMeta*> metas;
  std::vector<const ExprNode*> symbols;
};
ArgumentsBefore arguments_before(std::span<const Value> args,
                                 const CacheSurroundings& surroundings);

// The metadata of a result, for comparing what two calls with one key answered.
std::string answer_text(const Value& result);

// The size of the storage of a result that the cache gives.
SymInt cached_bytes(const Tensor& result);

// `result` is null where the call raised.
CachedCall describe_call(const OpEntry& op, std::span<const Value> args,
                         const ArgumentsBefore& before, const Value* result,
                         const CacheSurroundings& surroundings);

}  // namespace faketensor
