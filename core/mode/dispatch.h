// ModeDispatch: what a FakeTensorMode does with an operator before its rule answers.
//
// Mirrors FakeTensorMode._dispatch_impl (torch/_subclasses/fake_tensor.py), in its order: tensors
// that torch.tensor lifts, tensors that are not this mode's, constants, writes that end constants,
// then the rule. It is the hook of the mode's context, so it sees what composite operators call.
//
//   ModeDispatch dispatch(context, constants, options);
//   dispatch.convert = [&](Tensor& real) { return converter.from_tensor(describe(real)); };
//   context.set_hook(&dispatch);
#pragma once

#include <functional>

#include "core/mode/cached_call.h"
#include "core/mode/constants.h"
#include "core/ops/context.h"

namespace faketensor {

struct DispatchOptions {
  // A tensor that is not the mode's own is converted instead of refused.
  bool allow_non_fake_inputs = false;
  // The accelerator is not there: constants are not moved to it (FakeTensorMode.avoid_device_init).
  bool avoid_device_init = true;
  // What the cache would give is compared with the answer.
  bool cache_crosscheck = false;
};

class ModeDispatch final : public DispatchHook {
 public:
  ModeDispatch(Context& context, ConstantTracker& constants, DispatchOptions options)
      : context_(context), constants_(constants), options_(options) {}

  // A fake of this mode for a tensor of another mode, or a real one.
  std::function<Tensor*(Tensor&)> convert;
  // Whether a tensor is some mode's, and whether it was made in inference mode.
  std::function<bool(const Tensor&)> is_fake;
  std::function<bool(const Tensor&)> is_inference;
  // Counts what the dispatch cache would; null: nobody asks.
  DispatchCache* cache = nullptr;
  // Inside torch.autocast("cpu", bfloat16), and not inside an operator that it has cast.
  bool autocast = false;
  // What a key has of the surroundings (CacheSurroundings::settings).
  std::function<std::string()> cache_settings;

  Value dispatch(const OpEntry& op, std::span<const Value> args) override;

 private:
  using Values = SmallVector<Value, 16>;

  bool is_ours(const Value& value) const {
    return value.is_tensor() && context_.owns(value.tensor());
  }
  Values without_conjugates(const OpEntry& op, std::span<const Value> args);
  // The answer, with what the cache would count.
  Value counted(const OpEntry& op, std::span<const Value> args);
  Value answer(const OpEntry& op, std::span<const Value> args);
  Value lift(const OpEntry& op, std::span<const Value> args);
  Values converted(const OpEntry& op, std::span<const Value> args);
  Value converted(const OpEntry& op, std::span<const Value> args, const Value& arg);
  [[noreturn]] void refuse(const OpEntry& op, std::span<const Value> args, const Tensor& tensor);
  // What the constants of the arguments give; nothing where a rule must answer.
  std::optional<Value> propagate_constants(const OpEntry& op, std::span<const Value> args);
  std::optional<Value> as_constants(const Value& result);
  void end_written_constants(const OpEntry& op, std::span<const Value> args);

  Context& context_;
  ConstantTracker& constants_;
  DispatchOptions options_;
};

}  // namespace faketensor
