#include "core/ops/dispatch_mode.h"

#include <algorithm>

#include "core/ops/context.h"
#include "core/support/scoped_value.h"

namespace faketensor {

// A mode that is entered by a fake or a rule sees what is called there.
ModeScope::ModeScope(Context& context, DispatchMode& mode)
    : context_(context), entry_{mode, mode.key(), std::max(mode.sees(), context.modes().level_)} {
  ModeEntry** place = &context.modes().list_of(entry_.key);
  while (*place != nullptr && (*place)->key < entry_.key) place = &(*place)->below;
  entry_.below = *place;
  *place = &entry_;
}

ModeScope::~ModeScope() {
  ModeEntry** place = &context_.modes().list_of(entry_.key);
  while (*place != nullptr && *place != &entry_) place = &(*place)->below;
  if (*place != nullptr) *place = entry_.below;
}

Value NextMode::operator()(const OpEntry& op, std::span<const Value> args) const {
  ModeStack& modes = context_.modes();
  if (stack_ == nullptr) {  // above autograd, where modes stay entered
    return mode_ == nullptr
               ? context_.call_below(op, args)
               : mode_->mode.dispatch(op, args, NextMode(context_, mode_->below, nullptr));
  }
  if (mode_ == nullptr) {
    const bool is_fake = op.derived == OpEntry::Derived::kFake;
    const ScopedValue scope(modes, modes.with_below(stack_, is_fake ? Sees::kFakes : Sees::kSteps));
    return context_.run_rule(op, args);
  }
  const ScopedValue scope(modes, modes.with_below(mode_->below));
  return mode_->mode.dispatch(op, args, NextMode(context_, modes.below_autograd(), stack_));
}

}  // namespace faketensor
