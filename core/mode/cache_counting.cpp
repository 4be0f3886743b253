#include "core/mode/cache_counting.h"

#include "core/mode/cached_call.h"
#include "core/mode/find_tensor.h"
#include "core/mode/repr.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

Value CacheCounting::dispatch(const OpEntry& op, std::span<const Value> args,
                              const NextMode& next) {
  const CacheSurroundings surroundings{context_, surroundings_.cache_settings(), surroundings_};
  const ArgumentsBefore before = arguments_before(args, surroundings);
  const auto count = [&](const Value* result) {
    CachedCall call = describe_call(op, args, before, result, surroundings);
    if (crosscheck_ && result != nullptr) call.answer = answer_text(*result);
    const DispatchCache::Outcome outcome = cache_.count(call, context_.shape_env());
    // _crosscheck_cache_output
    if (outcome == DispatchCache::Outcome::kContradicted)
      throw_error(ErrorKind::kRuntimeError, format("FakeTensor cache crosscheck failure: {}",
                                                   call_text(op, args, surroundings_)));
    return outcome == DispatchCache::Outcome::kHit && call.is_symbolic;
  };
  Value result;
  try {
    result = next(op, args);
  } catch (const Error&) {
    count(nullptr);
    throw;
  }
  if (count(&result) && (op.tags & kView) == 0 && op.written_arguments == 0) {
    for_each_tensor({&result, 1}, [](const Tensor& tensor) {
      if (tensor.storage != nullptr) tensor.storage->nbytes = cached_bytes(tensor);
    });
  }
  return result;
}

}  // namespace faketensor
