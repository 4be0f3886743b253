// FunctionalTensors: tensors whose data can be written to, over operators that write to nothing.
//
// A program writes to tensors and to views of them; a functional graph has values alone. So every
// tensor that the program sees is a wrapper, and its value at the moment is another, plain tensor.
// An operator that writes is called in its functional form, and the result is the wrapper's new
// value; views of the same memory learn of it when they are used next: the write is played back to
// the base, then the view is taken anew. Mirrors FunctionalTensorWrapper and FunctionalStorageImpl
// (aten/src/ATen).
//
//   b = a.view(-1)            wrap_view: b knows its base and how it came of it
//   b.mul_(3)                 t = mul(value of b, 3); write(b, t)
//   return a                  sync(a): view(t, sizes of a) is its new value
//
// Time is linear in the operators called: a view is remembered once, as the one before it and a
// step.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ops/context.h"

namespace faketensor {

// How a view came of another: the operator, its arguments but for the first, the element.
struct ViewStep {
  const ViewStep* before = nullptr;
  const OpEntry* op = nullptr;
  std::span<const Value> args;  // complete; the first is what is viewed
  size_t element = 0;           // of an operator that returns several
};

class FunctionalTensors {
 public:
  // Calls an operator on plain tensors.
  using CallOp = std::function<Value(const OpEntry& op, std::span<const Value> args)>;

  FunctionalTensors(Context& context, CallOp call) : context_(context), call_(std::move(call)) {}

  // New wrappers of the tensors in a value.
  Value wrap(const Value& value);
  // The result of a view operator, called with these arguments on the value of `viewed`.
  Value wrap_view(const Tensor& viewed, const OpEntry& op, std::span<const Value> args,
                  const Value& result);
  bool is_wrapper(const Tensor& tensor) const { return states_.count(&tensor) != 0; }
  // Whether each tensor in a value is one.
  bool are_wrappers(const Value& value) const;

  // Brings the wrappers in a value up to date.
  void sync(const Value& value);
  // The plain tensors of the wrappers in a value, as they stand.
  Value plain(const Value& value);

  // `tensor` has been written to: this is its data now.
  void write(const Tensor& tensor, const Value& data);
  // `tensor` becomes a view of what it was (transpose_): its metadata changes, no data.
  void change_view(Tensor& tensor, const OpEntry& op, std::span<const Value> args);
  // `tensor` becomes another one (set_).
  void replace(Tensor& tensor, const Tensor& other);

  // Whether the memory of a wrapper was written to; whether it is viewed in another way than it
  // was made.
  bool was_written(const Tensor& tensor) const;
  bool was_changed(const Tensor& tensor) const;

 private:
  struct Update {
    Value data;
    const ViewStep* view;
  };
  struct Memory {
    Value base;
    std::vector<Update> updates = {};
    size_t generation = 0;
  };
  struct State {
    Value value;
    Memory* memory = nullptr;
    const ViewStep* view = nullptr;
    size_t generation = 0;
    bool is_changed = false;
  };

  Tensor* make_wrapper(const Tensor& plain, State state);
  State* find(const Value& value);
  void sync(State& state);
  void apply_updates(Memory& memory);
  const ViewStep* add_step(const ViewStep* before, const OpEntry& op, std::span<const Value> args,
                           size_t element);
  std::vector<const ViewStep*> steps_of_view(const ViewStep* last) const;
  Value take(const ViewStep& step, const Value& base);
  Value undo(const ViewStep& step, const Value& base, const Value& view);

  Context& context_;
  CallOp call_;
  Arena arena_;  // of the steps' arguments
  std::unordered_map<const Tensor*, State> states_;
  std::deque<Memory> memories_;
  std::deque<ViewStep> steps_;
};

// Calls an operator by its name on plain tensors, to undo a view.
using CallByName = std::function<Value(std::string_view op, std::initializer_list<Value> args)>;

// What the viewed tensor is when the view of it has become `view`. Mirrors FunctionalInverses
// (aten/src/ATen/FunctionalInverses.cpp). Raises RuntimeError for a view that cannot be written to.
Value undo_view(Context& context, const ViewStep& step, const Value& base, const Value& view,
                const CallByName& call);

}  // namespace faketensor
