#include "core/mode/cache_counting.h"

#include "core/mode/cached_call.h"
#include "core/mode/repr.h"
#include "core/mode/step_counting.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/support/scoped_value.h"

namespace faketensor {

Value CacheCounting::dispatch(const OpEntry& op, std::span<const Value> args,
                              const NextMode& next) {
  if (is_given_) return next(op, args);
  const ShapeEnv* env = context_.shape_env();
  const CacheSurroundings surroundings{context_, surroundings_.cache_settings(), surroundings_};
  const CachedCall call = describe_call(op, args, surroundings);
  const DispatchCache::Found found = cache_.find(call, env);
  if (found == DispatchCache::Found::kHit) {
    const ScopedValue given(is_given_, true);
    const Value result = next(op, args);
    // _crosscheck_cache_output
    if (crosscheck_ && cache_.does_contradict(call, answer_text(result), env))
      throw_error(ErrorKind::kRuntimeError, format("FakeTensor cache crosscheck failure: {}",
                                                   call_text(op, args, surroundings_)));
    if (call.is_symbolic) set_cached_bytes(op, result);
    return result;
  }
  const std::vector<const ExprNode*> symbols = symbols_of(args);
  count_steps(context_, op, args, cache_, surroundings);
  const Value result = next(op, args);
  if (found == DispatchCache::Found::kNothing) {
    cache_.keep(call, kept_bypass(op, args, symbols, result, call.is_symbolic), env,
                crosscheck_ ? answer_text(result) : std::string());
  }
  return result;
}

}  // namespace faketensor
