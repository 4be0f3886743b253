#include "core/graph/interpreter.h"

#include "core/graph/packet_call.h"
#include "core/ops/bind.h"
#include "core/ops/library.h"
#include "core/support/format.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {
constexpr int kMaxGraphDepth = 64;
constexpr std::string_view kPredispatch = "torch._functorch.predispatch.";
}  // namespace

Value Interpreter::resolve(const Value& argument, std::span<const Value> values) {
  switch (argument.tag()) {
    case Value::Tag::kNodeRef:
      return values[argument.node()];
    case Value::Tag::kList:
      return resolve_list(argument, values);
    case Value::Tag::kDevice:
      return from_device_ && argument.device().normalized() == *from_device_ ? Value(to_device_)
                                                                             : argument;
    default:
      return argument;
  }
}

// A list without node references is used as it stands; readers nest lists at most a few deep.
Value Interpreter::resolve_list(const Value& list, std::span<const Value> values) {
  bool has_reference = false;
  bool all_ints = list.size() > 0;
  SmallVector<Value, 8> resolved;
  for (const Value& element : list.values()) {
    resolved.push_back(resolve(element, values));
    has_reference =
        has_reference || element.is(Value::Tag::kNodeRef) || element.is(Value::Tag::kList);
    all_ints = all_ints && resolved.back().is(Value::Tag::kInt);
  }
  if (!has_reference) return list;
  if (!all_ints)
    return Value::like(
        list, context_.arena().copy(std::span<const Value>(resolved.data(), resolved.size())));
  DimVector ints;
  for (const Value& element : resolved) ints.push_back(element.as_sym_int());
  return context_.make_ints(ints);
}

Value Interpreter::take_element(const PlanRow& row, std::span<const Value> values) {
  const Value container = values[row.args[0].node()];
  // Not of an exported program: a tensor that Python indexes.
  if (container.is_tensor()) {
    const Value args[] = {container, row.args[1]};
    return call_packet(context_, NodeKind::kCallFunction, "_operator.getitem", args, {});
  }
  const auto index = static_cast<size_t>(row.args[1].as_sym_int().as_int());
  if (!container.is_list() || index >= container.size()) {
    throw_error(ErrorKind::kIndexError, format("getitem: index {} is out of range", index));
  }
  if (container[index].is_unset())
    throw_error(ErrorKind::kUnsupportedOperator, unknown_[container.values().data()]);
  return container[index];
}

Value Interpreter::run_row(const Plan& plan, Row at, std::span<const Value> values) {
  const PlanRow& row = plan.row(at);
  if (row.kind == RowKind::kGetItem) return take_element(row, values);
  SmallVector<Value, 16> args;
  for (const Value& argument : row.args) args.push_back(resolve(argument, values));
  if (editor_ != nullptr) editor_->edit(context_, plan, at, {args.data(), args.size()});
  if (row.kind == RowKind::kOutput) {
    return args.size() == 1 ? args[0] : context_.make_list(args.span());
  }
  if (row.op != kNoOp) return context_.call(row.op, args);
  const std::string_view target = plan.target_of(at);
  if (target.starts_with(kHigherOrderOps)) {
    if (watcher_ != nullptr) watcher_->begin_call(plan, at, args);
    return call_higher_order(*this, plan, at, target.substr(kHigherOrderOps.size()), args);
  }
  if (target.starts_with(kPredispatch))
    return call_predispatch(*this, target.substr(kPredispatch.size()), args);
  if (is_state_switch(target)) return call_state_switch(*this, target, args);
  if (const Library* library = context_.library(); library != nullptr) {
    if (const OpId op = library->find(target); op != kNoOp) return call_custom(op, plan, row, args);
  }
  // What names no overload.
  const Node& node = plan.node(at);
  if (node.kind == NodeKind::kCallModule) {
    if (const Graph* module = plan.graph().submodule(node.target)) return run_graph(*module, args);
  } else if (node.kind != NodeKind::kGetAttr) {
    SmallVector<std::string_view, 16> names;
    for (const StringId name : row.arg_names) names.push_back(plan.text(name));
    return call_packet(context_, node.kind, target, args, names.span());
  }
  throw_error(ErrorKind::kUnsupportedOperator, std::string(operator_name(target)));
}

OpId Interpreter::find_operator(std::string_view target) const {
  const Library* library = context_.library();
  return library != nullptr ? library->find(target) : Registry::builtin().find(target);
}

const Schema& Interpreter::schema(OpId op) const {
  const Library* library = context_.library();
  return (library != nullptr ? library->entry(op) : Registry::builtin().entry(op)).schema;
}

// The arguments of an operator that is not built in, brought into the order of its schema.
Value Interpreter::call_custom(OpId op, const Plan& plan, const PlanRow& row,
                               std::span<const Value> given) {
  ArgumentBinder binder(schema(op));
  for (size_t i = 0; i < given.size(); ++i) {
    const bool is_named = i < row.arg_names.size() && row.arg_names[i] != 0;
    if (is_named) {
      binder.set(plan.text(row.arg_names[i]), given[i]);
    } else {
      binder.add(given[i]);
    }
  }
  return context_.call(op, binder.values());
}

SubgraphCache* Interpreter::subgraphs() {
  const ModeStack& modes = context_.modes();
  const bool is_seen = editor_ != nullptr || from_device_ || modes.above_autograd() != nullptr ||
                       modes.below_autograd() != nullptr ||
                       (watcher_ != nullptr && watcher_->is_recording());
  return is_seen ? nullptr : &subgraphs_;
}

Value Interpreter::run_graph(const Graph& graph, std::span<const Value> inputs) {
  if (depth_ >= kMaxGraphDepth)
    throw_error(ErrorKind::kLimitExceeded,
                format("graphs nested more than {} deep", kMaxGraphDepth));
  const std::shared_ptr<const Plan> plan = graph.plan();
  const size_t expected = plan->input_count();
  if (inputs.size() != expected) {
    throw_error(ErrorKind::kTypeError,
                format("a graph with {} inputs was called with {}", expected, inputs.size()));
  }
  struct Depth {
    int& depth;
    explicit Depth(int& counter) : depth(counter) { ++depth; }
    ~Depth() { --depth; }
  } const depth(depth_);
  if (watcher_ != nullptr) return run_watched(graph, *plan, inputs);
  std::vector<Value> values(plan->size());
  for (Row row = 0; row < plan->size(); ++row) {
    values[row] = row < expected ? inputs[row] : run_row(*plan, row, values);
  }
  return values.back();
}

Value Interpreter::run_watched(const Graph& graph, const Plan& plan,
                               std::span<const Value> inputs) {
  struct Watched {
    GraphWatcher& watcher;
    Watched(GraphWatcher& of, const Graph& graph) : watcher(of) { of.begin_graph(graph); }
    ~Watched() { watcher.end_graph(); }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
  } const watched(*watcher_, graph);
  std::vector<Value> values(plan.size());
  for (Row row = 0; row < plan.size(); ++row) {
    try {
      values[row] = row < inputs.size() ? inputs[row] : run_row(plan, row, values);
    } catch (const Error& error) {
      watcher_->note_error(row, error);
      throw;
    }
    watcher_->note_value(row, values[row]);
  }
  return values.back();
}

}  // namespace faketensor
