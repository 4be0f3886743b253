// CacheCounting: tells a DispatchCache of each operator that a FakeTensorMode answers.
//
// Mirrors FakeTensorMode._cached_dispatch_impl, with its crosscheck. It stands right above the mode's
// FakeDispatch, as the cache does in PyTorch. An operator that the cache has no answer for is answered
// by its rule; what PyTorch calls on the way, its steps, is counted beside that (step_counting.h).
//
//   CacheCounting counting(context, surroundings, cache, crosscheck);
//   const ModeScope scope(context, counting);
#pragma once

#include "core/mode/dispatch_cache.h"
#include "core/mode/surroundings.h"
#include "core/ops/context.h"

namespace faketensor {

class CacheCounting final : public DispatchMode {
 public:
  // `crosscheck`: what the cache would give is compared with the answer.
  CacheCounting(Context& context, const ModeSurroundings& surroundings, DispatchCache& cache,
                bool crosscheck)
      : context_(context), surroundings_(surroundings), cache_(cache), crosscheck_(crosscheck) {}

  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override;
  Sees sees() const override { return Sees::kFakes; }

 private:
  Context& context_;
  const ModeSurroundings& surroundings_;
  DispatchCache& cache_;
  const bool crosscheck_;
  bool is_given_ = false;  // inside of an answer that the cache gives: nothing is called for it
};

}  // namespace faketensor
