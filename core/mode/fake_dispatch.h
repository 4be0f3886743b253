// FakeDispatch: what a FakeTensorMode does with an operator before its rule answers.
//
// Mirrors FakeTensorMode._dispatch_impl (torch/_subclasses/fake_tensor.py), in its order: tensors
// that torch.tensor lifts, tensors that are not this mode's, constants, writes that end constants,
// then the rule. It is the lowest mode of its context.
//
//   FakeDispatch dispatch(context, constants, surroundings, options);
//   const ModeScope scope(context, dispatch);
#pragma once

#include <optional>
#include <span>

#include "core/mode/constants.h"
#include "core/mode/surroundings.h"
#include "core/ops/context.h"
#include "core/support/small_vector.h"

namespace faketensor {

struct DispatchOptions {
  // A tensor that is not the mode's own is converted instead of refused.
  bool allow_non_fake_inputs = false;
  // The accelerator is not there: constants are not moved to it (FakeTensorMode.avoid_device_init).
  bool avoid_device_init = true;
};

class FakeDispatch final : public DispatchMode {
 public:
  FakeDispatch(Context& context, ConstantTracker& constants, ModeSurroundings& surroundings,
               DispatchOptions options)
      : context_(context), constants_(constants), surroundings_(surroundings), options_(options) {}

  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override;
  Sees sees() const override { return Sees::kFakes; }

 private:
  using Values = SmallVector<Value, 16>;

  bool is_ours(const Value& value) const {
    return value.is_tensor() && context_.owns(value.tensor());
  }
  Value lift(const OpEntry& op, std::span<const Value> args);
  Values converted(const OpEntry& op, std::span<const Value> args);
  Value converted(const OpEntry& op, std::span<const Value> args, const Value& arg);
  [[noreturn]] void refuse(const OpEntry& op, std::span<const Value> args, const Tensor& tensor);
  // The answer computed from the arguments' constants; nothing where a rule must answer.
  std::optional<Value> propagate_constants(const OpEntry& op, std::span<const Value> args);
  std::optional<Value> as_constants(const Value& result);
  void end_written_constants(const OpEntry& op, std::span<const Value> args);

  Context& context_;
  ConstantTracker& constants_;
  ModeSurroundings& surroundings_;
  DispatchOptions options_;
};

// Raises AssertionError: a tensor is a fake of another mode.
[[noreturn]] void refuse_mixed_modes();

// Raises RuntimeError for a view, or torch.tensor, of a tensor with a negative size: those are counted
// in C++ before anything else (resize_ may leave one).
void refuse_negative_sizes(const OpEntry& op, std::span<const Value> args);

}  // namespace faketensor
