// DispatchMode: what sees the operators that are called in a context, and may answer in their place.
//
// Tracing, constants, counts of the dispatch cache, autocast, vmap, and what counts FLOPs or writes a
// profile: each is a mode that is entered for as long as a ModeScope lives, and none needs to know of
// the others. A mode is asked for each operator and goes on with `next`, which asks the mode below it,
// at last the operator's rule; what it does not hand on, no other mode sees.
//
//   class CallCounter final : public DispatchMode {
//     Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override {
//       ++counts[op.id];
//       return next(op, args);
//     }
//   };
//   CallCounter counter;
//   const ModeScope scope(context, counter);
//
// Note [What a mode sees]
// As in PyTorch, where a mode stands decides what it sees (DispatchKey):
//   - kBatched and kAutocast stand above autograd: they see each call of the program and each that a
//     composite operator makes, composites themselves too, with the arguments as they were given. What
//     other operators call is below autograd, and not seen.
//   - kConjugate and kPython stand below autograd: composites are taken apart, autograd's checks are
//     passed, arguments are complete and in schema order. Modes of kPython are a stack as PyTorch's of
//     TorchDispatchMode: the one entered last is asked first.
// While a mode of that stack is asked, it and those above it are not entered, so what it calls itself
// (Context::call) is seen by those below only. PyTorch answers operators inside of FakeTensorMode, which
// enters itself again for what is Python and which other modes are above of; so while an operator's
// rule runs, those modes are entered whose sees() says so:
//   - calls inside of a C++ Meta kernel are seen by nobody (KernelScope);
//   - calls of a fake that is registered for a custom operator, written in Python, are seen by
//     FakeTensorMode, and so by modes that are part of it (Sees::kFakes);
//   - calls of Python decompositions, references and prims are seen by FakeTensorMode too
//     (Sees::kSteps). Rules make some of these calls and compute the rest: a mode of that kind sees
//     those that are made.
#pragma once

#include <cstdint>
#include <span>

#include "core/ops/registry.h"
#include "core/ops/value.h"

namespace faketensor {

class Context;
class DispatchMode;

// Where a mode stands, from above; of those that stand at one key, the one entered last is above.
enum class DispatchKey : uint8_t {
  kBatched,    // vmap (FuncTorchBatched)
  kAutocast,   // AutocastCUDA, AutocastCPU
  kConjugate,  // the first below autograd
  kPython,     // TorchDispatchMode
};

// What a mode below autograd sees besides the program's own calls (Note [What a mode sees]); each
// includes those before it.
enum class Sees : uint8_t { kProgram, kFakes, kSteps };

// A mode that is entered.
struct ModeEntry {
  DispatchMode& mode;
  const DispatchKey key;
  const Sees sees;
  ModeEntry* below = nullptr;  // the next in the list, whatever it sees
};

// What is below a mode: the next one, or what answers where there is none.
class NextMode {
 public:
  // `stack`: the list below autograd when the operator was called; null above autograd.
  NextMode(Context& context, ModeEntry* mode, ModeEntry* stack)
      : context_(context), mode_(mode), stack_(stack) {}

  Value operator()(const OpEntry& op, std::span<const Value> args) const;

 private:
  Context& context_;
  ModeEntry* mode_;
  ModeEntry* stack_;
};

class DispatchMode {
 public:
  virtual ~DispatchMode() = default;
  // Answers for an operator. Throws Error.
  virtual Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) = 0;

  virtual DispatchKey key() const { return DispatchKey::kPython; }
  virtual Sees sees() const { return Sees::kProgram; }
};

// A mode is entered for as long as this lives. Scopes at one key end in the opposite order of their
// beginnings.
class ModeScope {
 public:
  ModeScope(Context& context, DispatchMode& mode);
  ~ModeScope();
  ModeScope(const ModeScope&) = delete;
  ModeScope& operator=(const ModeScope&) = delete;

 private:
  Context& context_;
  ModeEntry entry_;
};

// The modes that are entered in a context: one list above autograd, one below.
class ModeStack {
 public:
  ModeStack() = default;

  // The first mode of each list that is to be asked.
  ModeEntry* above_autograd() const { return above_; }
  ModeEntry* below_autograd() const {
    ModeEntry* first = below_;
    while (first != nullptr && first->sees < level_) first = first->below;
    return first;
  }

  // Copies: without the modes above autograd; with another list below it; with another list, for
  // calls that only modes of that level see.
  ModeStack without_above() const { return {nullptr, below_, level_}; }
  ModeStack with_below(ModeEntry* list) const { return {above_, list, level_}; }
  ModeStack with_below(ModeEntry* list, Sees level) const { return {above_, list, level}; }

 private:
  friend class ModeScope;
  ModeStack(ModeEntry* above, ModeEntry* below, Sees level)
      : above_(above), below_(below), level_(level) {}
  ModeEntry*& list_of(DispatchKey key) { return key < DispatchKey::kConjugate ? above_ : below_; }

  ModeEntry* above_ = nullptr;
  ModeEntry* below_ = nullptr;
  Sees level_ = Sees::kProgram;  // who calls: modes that see less are not asked
};

}  // namespace faketensor
