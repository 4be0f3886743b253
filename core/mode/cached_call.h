// How the dispatch cache sees an operator call: its key, and whether what it answers is kept
// (cache_key.h).
//
// Mirrors FakeTensorMode._cache_key.
//
//   const CachedCall call = describe_call(op, args, surroundings);    // before it is answered
//   const std::vector<const ExprNode*> symbols = symbols_of(args);
//   const Value result = ...;
//   const std::string why_not = kept_bypass(op, args, symbols, result, call.is_symbolic);
#pragma once

#include <string>
#include <vector>

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

// A call with complete arguments, as they are before it changes them.
CachedCall describe_call(const OpEntry& op, std::span<const Value> args,
                         const CacheSurroundings& surroundings);

// The symbols in the arguments of a call, which its result may have.
std::vector<const ExprNode*> symbols_of(std::span<const Value> args);

// Why a call that has a key is not kept, given its result; empty where it is. `symbols`: those of
// the arguments before the call.
std::string kept_bypass(const OpEntry& op, std::span<const Value> args,
                        const std::vector<const ExprNode*>& symbols, const Value& result,
                        bool is_symbolic);

// The metadata of a result, for comparing what two calls with one key answered.
std::string answer_text(const Value& result);

// Integers pass through C++ on their way to an operator, which makes numbers of expressions that are
// known to be one (SymNode.maybe_as_int).
DimVector numbers_now(Dims dims);

// The size of the storage of a result that the cache gives.
SymInt cached_bytes(const Tensor& result);
// Gives the tensors in what the cache answered the storages that it makes.
void set_cached_bytes(const OpEntry& op, const Value& result);

}  // namespace faketensor
