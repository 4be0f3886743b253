#include "core/graph/interpreter.h"

#include "core/ops/bind.h"
#include "core/support/format.h"

namespace faketensor {

namespace {
constexpr int kMaxGraphDepth = 64;
constexpr std::string_view kHigherOrder = "torch.ops.higher_order.";
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
  Context& context = mode_.context();
  if (!all_ints) return context.make_list(resolved.span());
  DimVector ints;
  for (const Value& element : resolved) ints.push_back(element.as_sym_int());
  return context.make_ints(ints);
}

Value Interpreter::run_node(const Node& node, std::span<const Value> values) {
  if (node.kind == NodeKind::kGetItem) {
    const Value container = values[node.args[0].node()];
    const auto index = static_cast<size_t>(node.args[1].as_sym_int().as_int());
    if (!container.is_list() || index >= container.size()) {
      throw_error(ErrorKind::kIndexError, format("getitem: index {} is out of range", index));
    }
    if (container[index].is_unset())
      throw_error(ErrorKind::kUnsupportedOperator, unknown_[container.values().data()]);
    return container[index];
  }
  SmallVector<Value, 16> args;
  for (const Value& argument : node.args) args.push_back(resolve(argument, values));
  if (node.kind == NodeKind::kOutput) {
    return args.size() == 1 ? args[0] : mode_.context().make_list(args.span());
  }
  if (node.op != kNoOp) return mode_.context().call(node.op, args);
  const std::string_view target = program_.text(node.target);
  if (target.starts_with(kHigherOrder))
    return call_higher_order(*this, node, target.substr(kHigherOrder.size()), args);
  if (target.starts_with(kPredispatch))
    return call_predispatch(*this, target.substr(kPredispatch.size()), args);
  if (const Library* library = mode_.context().library(); library != nullptr) {
    if (const OpId op = library->find(target); op != kNoOp) return call_custom(op, node, args);
  }
  throw_error(ErrorKind::kUnsupportedOperator, std::string(operator_name(target)));
}

OpId Interpreter::find_operator(std::string_view target) const {
  const Library* library = mode_.context().library();
  return library != nullptr ? library->find(target) : Registry::builtin().find(target);
}

const Schema& Interpreter::schema(OpId op) const {
  const Library* library = mode_.context().library();
  return (library != nullptr ? library->entry(op) : Registry::builtin().entry(op)).schema;
}

// The arguments of an operator that the reader did not know, brought into the order of its schema.
Value Interpreter::call_custom(OpId op, const Node& node, std::span<const Value> given) {
  ArgumentBinder binder(schema(op));
  for (size_t i = 0; i < given.size(); ++i) {
    const bool is_named = i < node.arg_names.size() && node.arg_names[i] != 0;
    if (is_named) {
      binder.set(program_.text(node.arg_names[i]), given[i]);
    } else {
      binder.add(given[i]);
    }
  }
  return mode_.context().call(op, binder.values());
}

Value Interpreter::run_graph(const Graph& graph, std::span<const Value> inputs) {
  if (depth_ >= kMaxGraphDepth)
    throw_error(ErrorKind::kLimitExceeded,
                format("graphs nested more than {} deep", kMaxGraphDepth));
  const size_t expected = graph.input_count();
  if (inputs.size() != expected) {
    throw_error(ErrorKind::kTypeError,
                format("a graph with {} inputs was called with {}", expected, inputs.size()));
  }
  struct Depth {
    int& depth;
    explicit Depth(int& counter) : depth(counter) { ++depth; }
    ~Depth() { --depth; }
  } const depth(depth_);
  std::vector<Value> values(graph.size());
  for (NodeId i = 0; i < graph.size(); ++i) {
    values[i] = i < expected ? inputs[i] : run_node(graph.node(i), values);
  }
  return values.back();
}

}  // namespace faketensor
