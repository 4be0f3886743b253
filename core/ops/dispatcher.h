// Dispatcher: the way of an operator call through a context, in the order of PyTorch's dispatch keys.
//
//   modes above autograd  vmap, autocast (dispatch_mode.h)
//   complete              arguments in the schema's order, defaults in their places, types checked
//   zero tensors          are made real ones for kernels that do not take them (zero_tensor.h)
//   autograd, before      what may not be written to or differentiated is refused
//   cache, before         what the dispatch cache's key asks about the arguments (dispatch_cache.h)
//   specialise            symbols that a kernel cannot have become numbers, or are refused
//   modes below autograd  constants, counts, tracing (dispatch_mode.h), or nobody
//   layout and rule       the rule for the arguments' layouts answers
//   cache, after          what keeping the result asks about it
//   writes                are counted on the storages of the arguments that were written to
//   autograd, after       results are refused, or marked as requiring grad
//
// Each operator goes the same way; which stages it stops at is Dispatcher::stages_of. The calls that a
// composite's rule makes go it from the start, those of other rules below autograd.
#pragma once

#include <cstdint>
#include <span>

#include "core/ops/dispatch_mode.h"
#include "core/ops/registry.h"

namespace faketensor {

class Call;
class Context;

class Dispatcher {
 public:
  explicit Dispatcher(Context& context) : context_(context) {}
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  Value call(OpId id, std::span<const Value> args);
  // Past the modes above autograd.
  Value call_below(const OpEntry& op, std::span<const Value> args);
  // By the modes below autograd, with complete arguments; by the rule where none is entered.
  Value call_modes(const OpEntry& op, std::span<const Value> args);
  // By the rule, or the fake of a custom operator, with complete arguments.
  Value run_rule(const OpEntry& op, std::span<const Value> args);

  ModeStack& modes() { return modes_; }
  bool in_kernel() const { return in_kernel_; }

 private:
  friend class KernelScope;
  class Level;
  enum Stage : uint8_t {
    kZeroTensors = 1 << 0,
    kAutograd = 1 << 1,  // autograd has a kernel for it, below which it then is
    kRecord = 1 << 2,    // which checks and records it
    kCache = 1 << 3,
    kSpecialise = 1 << 4,
    kModes = 1 << 5,
  };
  uint8_t stages_of(const OpEntry& op) const;
  Value dispatch(const OpEntry& op, std::span<const Value> args);
  void before_autograd(const Call& call);
  void after_autograd(const Call& call, const Value& result);
  void specialise(const Call& call);
  Value answer_itself(Call& call);
  const OpEntry& entry(OpId id) const;

  Context& context_;
  ModeStack modes_;
  int depth_ = 0;                // of calls that composites make; bounded
  size_t first_of_call_ = 0;     // the id of the first tensor that the outermost call made
  bool below_autograd_ = false;  // an operator that autograd has seen is running
  bool in_kernel_ = false;
  uint64_t recorded_calls_ = 0;  // calls that autograd has seen
};

}  // namespace faketensor
