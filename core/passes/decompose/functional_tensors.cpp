#include "core/passes/decompose/functional_tensors.h"

#include <algorithm>

#include "core/support/error.h"

namespace faketensor {

namespace {

// Calls `use` for each tensor in a value.
template <typename Use>
void for_each_tensor_in(const Value& value, const Use& use) {
  if (value.is_tensor()) use(value);
  if (!value.is(Value::Tag::kList)) return;
  for (const Value& element : value.values()) for_each_tensor_in(element, use);
}

// The value with each tensor in it replaced.
template <typename Replace>
Value map_tensors(Context& context, const Value& value, const Replace& replace) {
  if (value.is_tensor()) return replace(value);
  if (!value.is(Value::Tag::kList)) return value;
  SmallVector<Value, 8> elements;
  for (const Value& element : value.values())
    elements.push_back(map_tensors(context, element, replace));
  return context.make_list(elements.span());
}

}  // namespace

Tensor* FunctionalTensors::make_wrapper(const Tensor& plain, State state) {
  Tensor* wrapper = context_.make_tensor(plain.meta, plain.storage);
  states_.emplace(wrapper, state);
  return wrapper;
}

FunctionalTensors::State* FunctionalTensors::find(const Value& value) {
  if (!value.is_tensor()) return nullptr;
  const auto found = states_.find(&value.tensor());
  return found == states_.end() ? nullptr : &found->second;
}

Value FunctionalTensors::wrap(const Value& value) {
  return map_tensors(context_, value, [&](const Value& plain) -> Value {
    if (plain.tensor().is_wrapped_number) return plain;
    memories_.push_back({.base = plain});
    return make_wrapper(plain.tensor(), {.value = plain, .memory = &memories_.back()});
  });
}

Value FunctionalTensors::wrap_view(const Tensor& viewed, const OpEntry& op,
                                   std::span<const Value> args, const Value& result) {
  const State base = *find(Value(viewed));
  // A new wrapper counts no writes yet, also of a memory that was written to: it is taken anew when
  // it is used.
  const auto wrap_one = [&](const Value& plain, size_t element) -> Value {
    return make_wrapper(
        plain.tensor(),
        {.value = plain, .memory = base.memory, .view = add_step(base.view, op, args, element)});
  };
  if (result.is_tensor()) return wrap_one(result, 0);
  SmallVector<Value, 8> elements;
  for (size_t i = 0; i < result.size(); ++i) elements.push_back(wrap_one(result[i], i));
  return context_.make_list(elements.span());
}

const ViewStep* FunctionalTensors::add_step(const ViewStep* before, const OpEntry& op,
                                            std::span<const Value> args, size_t element) {
  steps_.push_back({before, &op, arena_.copy(args), element});
  return &steps_.back();
}

// --- values ---

bool FunctionalTensors::are_wrappers(const Value& value) const {
  bool all = true;
  for_each_tensor_in(value, [&](const Value& tensor) {
    all = all && (tensor.tensor().is_wrapped_number || is_wrapper(tensor.tensor()));
  });
  return all;
}

Value FunctionalTensors::plain(const Value& value) {
  return map_tensors(context_, value, [&](const Value& tensor) {
    const State* state = find(tensor);
    return state == nullptr ? tensor : state->value;
  });
}

void FunctionalTensors::sync(const Value& value) {
  for_each_tensor_in(value, [&](const Value& tensor) {
    if (State* state = find(tensor); state != nullptr) sync(*state);
  });
}

void FunctionalTensors::sync(State& state) {
  if (state.generation == state.memory->generation) return;
  apply_updates(*state.memory);
  Value value = state.memory->base;
  for (const ViewStep* step : steps_of_view(state.view)) value = take(*step, value);
  state.value = value;
  state.generation = state.memory->generation;
}

std::vector<const ViewStep*> FunctionalTensors::steps_of_view(const ViewStep* last) const {
  std::vector<const ViewStep*> steps;
  for (; last != nullptr; last = last->before) steps.push_back(last);
  std::reverse(steps.begin(), steps.end());
  return steps;
}

void FunctionalTensors::apply_updates(Memory& memory) {
  const std::vector<Update> updates = std::move(memory.updates);
  memory.updates.clear();
  for (const Update& update : updates) {
    const std::vector<const ViewStep*> steps = steps_of_view(update.view);
    std::vector<Value> viewed = {memory.base};  // by each step
    for (size_t i = 0; i + 1 < steps.size(); ++i) viewed.push_back(take(*steps[i], viewed.back()));
    Value data = update.data;
    for (size_t i = steps.size(); i-- > 0;) data = undo(*steps[i], viewed[i], data);
    memory.base = data;
  }
}

Value FunctionalTensors::take(const ViewStep& step, const Value& base) {
  SmallVector<Value, 8> args;
  for (const Value& arg : step.args) args.push_back(arg);
  args[0] = base;
  const Value result = call_(*step.op, args.span());
  return result.is_tensor() ? result : result[step.element];
}

Value FunctionalTensors::undo(const ViewStep& step, const Value& base, const Value& view) {
  return undo_view(context_, step, base, view,
                   [&](std::string_view op, std::initializer_list<Value> args) {
                     const Registry& registry = Registry::builtin();
                     return call_(registry.entry(registry.find(op)), {args.begin(), args.size()});
                   });
}

// --- writes ---

void FunctionalTensors::write(const Tensor& tensor, const Value& data) {
  State& state = *find(Value(tensor));
  state.value = data;
  state.memory->updates.push_back({data, state.view});
  ++state.memory->generation;
  sync(state);
  const_cast<Tensor&>(tensor).meta = state.value.tensor().meta;
}

void FunctionalTensors::change_view(Tensor& tensor, const OpEntry& op,
                                    std::span<const Value> args) {
  State& state = *find(Value(tensor));
  state.view = add_step(state.view, op, args, 0);
  state.value = take(*state.view, state.value);
  state.is_changed = true;
  tensor.meta = state.value.tensor().meta;
}

void FunctionalTensors::replace(Tensor& tensor, const Tensor& other) {
  State state = *find(Value(other));
  state.is_changed = true;
  *find(Value(tensor)) = state;
  tensor.meta = other.meta;
  tensor.storage = other.storage;
}

bool FunctionalTensors::was_written(const Tensor& tensor) const {
  const auto found = states_.find(&tensor);
  return found != states_.end() && found->second.memory->generation > 0;
}

bool FunctionalTensors::was_changed(const Tensor& tensor) const {
  const auto found = states_.find(&tensor);
  return found != states_.end() && found->second.is_changed;
}

}  // namespace faketensor
