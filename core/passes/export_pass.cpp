#include "core/passes/export_pass.h"

#include <algorithm>

#include "core/graph/graph_text.h"
#include "core/graph/readable.h"
#include "core/mode/rebind_unbacked.h"
#include "core/ops/bind.h"
#include "core/ops/constant.h"
#include "core/ops/library.h"
#include "core/passes/passes.h"
#include "core/support/format.h"
#include "core/support/target_name.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

// torch.sym_int and the like, which call_sym takes beside the functions of `operator` and `math`.
bool is_symbolic_function(std::string_view target) {
  constexpr std::string_view kModules[] = {"_operator.", "builtins.", "math."};
  return target.starts_with("torch.sym_") ||
         std::any_of(std::begin(kModules), std::end(kModules),
                     [&](std::string_view module) { return target.starts_with(module); });
}

// The packet's name is what a new node of an operator is called after: "add" of
// "torch.ops.aten.add.Tensor".
std::string name_of_node(std::string_view target) {
  if (!is_dispatcher_target(target)) return name_of_target(target);
  std::string name = name_of_target(target.substr(0, target.rfind('.')));
  // "__and__" is "and".
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__"))
    name = name.substr(2, name.size() - 4);
  return name;
}

// What ExportTracer.set_metadata keeps of a value: tensors, numbers and strings.
Value kept_value(Context& context, const Value& value) {
  if (value.is_tensor() || value.is_number() || value.is(Value::Tag::kString)) return value;
  if (!value.is_list()) return {};
  SmallVector<Value, 8> elements;
  for (size_t i = 0; i < value.size(); ++i) elements.push_back(kept_value(context, value[i]));
  return context.make_list(elements.span());
}

// Whether autograd would refuse to have it written: an input of the graph that is written anew, an
// attribute, or a view of one. What operators of the graph have computed is no leaf.
bool is_leaf(const Graph& traced, const ProxyValue& written) {
  if (!written.is_tensor()) return false;
  const auto is_input = [&](NodeId id) {
    const NodeKind kind = traced.node(id).kind;
    return kind == NodeKind::kPlaceholder || kind == NodeKind::kGetAttr;
  };
  if (!written.arg.is(Value::Tag::kNodeRef) || is_input(node_of(written.arg))) return true;
  const Tensor* base = written.to_tensor().base;
  for (NodeId id = traced.first(); base != nullptr && id != kNoNode; id = traced.next(id)) {
    if (!is_input(id)) break;
    const Value& val = traced.node(id).val;
    if (val.is_tensor() && &val.tensor() == base) return true;
  }
  return false;
}

}  // namespace

void throw_at_node(const Error& error, const Graph& graph, NodeId id) {
  const std::string_view trace = graph.text(graph.node(id).stack_trace);
  std::string message = format(
      "{}\n\nWhile executing {}\nOriginal traceback:\n{}\nUse tlparse to see full graph. "
      "(https://github.com/pytorch/tlparse?tab=readme-ov-file#tlparse-parse-structured-pt2-logs)",
      error.message(), node_text(graph, id), trace.empty() ? "None" : trace);
  // torch.fx.Interpreter.run, which a KeyError's message would not survive.
  const ErrorKind kind =
      error.kind() == ErrorKind::kKeyError ? ErrorKind::kRuntimeError : error.kind();
  Error placed(kind, std::move(message));
  placed.set_op(error.op());
  placed.set_argument(error.argument());
  throw placed;
}

ExportPass::ExportPass(PassSubject& subject)
    : subject_(subject), interpreter_(subject.mode.context()) {}

PassResult ExportPass::run() {
  const std::vector<Value> values = inputs(*subject_.graph);
  const bool is_mixed = std::any_of(values.begin(), values.end(), [&](const Value& value) {
    return value.is_tensor() && !context().owns(value.tensor());
  });
  if (is_mixed) throw_error(ErrorKind::kAssertionError, "Multiple fake tensor mode detected.");
  struct Settings {
    Context& context;
    bool dispatcher = context.python_dispatcher;
    bool grad = context.grad_enabled;
    bool leaves = context.checks_leaves;
    ~Settings() {
      context.checks_leaves = leaves;
      context.python_dispatcher = dispatcher;
      context.grad_enabled = grad;
    }
  } const before{context()};
  context().python_dispatcher = true;
  context().grad_enabled = true;
  const Graph& made = call_submodule(*subject_.graph, values);
  for (const std::shared_ptr<Graph>& graph : subject_.program.graphs()) {
    if (graph.get() == &made) subject_.graph = graph.get();
  }
  return modified_result(true);
}

std::vector<Value> ExportPass::inputs(const Graph& graph) {
  std::vector<Value> values;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    const Node& node = graph.node(id);
    if (node.kind != NodeKind::kPlaceholder) break;
    if (node.val.is_unset() && !graph.users(id).empty()) {
      throw_error(ErrorKind::kExportPassBase,
                  format("Cannot construct an input for graph module: {}.", module_text(graph)));
    }
    values.push_back(node.val.is_unset() ? Value() : node.val);
  }
  return values;
}

// --- running ---

const Graph& ExportPass::call_submodule(const Graph& graph, std::span<const Value> inputs) {
  Tracer tracer{.graph = &subject_.program.add_graph()};
  tracer.graph->name = graph.name;
  struct Scope {
    ExportPass& pass;
    Tracer* tracer = pass.tracer_;
    const Graph* source = pass.source_;
    NodeId node = pass.source_node_;
    ~Scope() {
      pass.tracer_ = tracer;
      pass.source_ = source;
      pass.source_node_ = node;
    }
  } const outer{*this};
  tracer_ = &tracer;
  run_nodes(graph, inputs);
  return *tracer.graph;
}

Value ExportPass::run_nodes(const Graph& graph, std::span<const Value> inputs) {
  std::vector<ProxyValue> values(graph.id_count());
  size_t input = 0;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    source_ = &graph;
    source_node_ = id;
    const Node& node = graph.node(id);
    try {
      if (node.kind == NodeKind::kPlaceholder) {
        const Value value = input < inputs.size() ? inputs[input++] : Value();
        values[index_of(id)] =
            placeholder(graph.text(node.target), value, {node, graph.bindings(id)});
      } else {
        values[index_of(id)] = run_node(graph, id, values);
      }
    } catch (const Error& error) {
      throw_at_node(error, graph, id);
    }
    if (node.kind == NodeKind::kOutput) return values[index_of(id)].data;
  }
  return {};
}

ProxyValue ExportPass::run_node(const Graph& graph, NodeId id, std::span<const ProxyValue> values) {
  const Node& node = graph.node(id);
  if (node.kind == NodeKind::kGetAttr) return node.val;
  if (node.kind == NodeKind::kCallModule)
    throw_error(ErrorKind::kExportPassBase, "call_module is not supported.");
  if (node.kind == NodeKind::kCallMethod)
    throw_error(ErrorKind::kExportPassBase, "call_method is not supported.");
  std::vector<ProxyValue> args;
  for (const Value& arg : node.positional()) args.push_back(resolve(arg, values));
  std::vector<Keyword> kwargs;
  for (size_t i = 0; i < node.keywords.size(); ++i)
    kwargs.push_back({graph.text(node.keywords[i]), resolve(node.by_keyword()[i], values)});
  const NodeMetadata meta{node, graph.bindings(id)};
  if (node.kind == NodeKind::kOutput) return output(args.empty() ? ProxyValue() : args[0], meta);
  return call_function(graph, node, args, kwargs, meta);
}

ProxyValue ExportPass::call_function(const Graph& graph, const Node& node, Args args,
                                     Keywords kwargs, const NodeMetadata& meta) {
  const std::string_view target = graph.text(node.target);
  if (target == "_operator.getitem" && args.size() == 2)
    return call_getitem(args[0], args[1], meta);
  if (is_symbolic_function(target)) return call_sym(target, args, meta);
  if (is_dispatcher_target(target)) return call_operator(target, args, kwargs, meta);
  if (target.starts_with(kHigherOrderOps)) {
    const auto is_graph = [&](size_t i) {
      return i < args.size() && args[i].data.is(Value::Tag::kGraph);
    };
    const std::string_view name = target.substr(kHigherOrderOps.size());
    if (name == "cond" && args.size() == 4 && is_graph(1) && is_graph(2))
      return call_cond(args[0], args[1].data.graph(), args[2].data.graph(), args[3], meta);
    if (name == "map_impl" && args.size() == 3 && is_graph(0))
      return call_map(args[0].data.graph(), args[1], args[2], meta);
    return fx(NodeKind::kCallFunction, target, args, kwargs, meta);
  }
  throw_error(ErrorKind::kExportPassBase, format("Unsupported target type: <function {} at 0x...>",
                                                 target.substr(target.rfind('.') + 1)));
}

ProxyValue ExportPass::resolve(const Value& argument, std::span<const ProxyValue> values) {
  if (argument.is(Value::Tag::kNodeRef)) return values[argument.node()];
  if (!argument.is(Value::Tag::kList)) return argument;
  std::vector<ProxyValue> elements;
  for (const Value& element : argument.values()) elements.push_back(resolve(element, values));
  ProxyValue list = make_list(elements);
  list.arg = Value::like(argument, list.arg.values());
  if (argument.is_dict()) list.data = Value::like(argument, list.data.values());
  return list;
}

ProxyValue ExportPass::make_list(Args elements) {
  std::vector<Value> args;
  SmallVector<Value, 8> data;
  bool all_ints = !elements.empty();
  for (const ProxyValue& element : elements) {
    args.push_back(element.arg);
    data.push_back(element.data);
    all_ints = all_ints && element.data.is(Value::Tag::kInt);
  }
  const Value arg = Value::list(subject_.program.arena().copy(std::span<const Value>(args)));
  if (!all_ints) return {context().make_list(data.span()), arg};
  DimVector ints;
  for (const Value& element : data) ints.push_back(element.as_sym_int());
  return {context().make_ints(ints), arg};
}

std::vector<ProxyValue> ExportPass::elements_of(const ProxyValue& list) const {
  std::vector<ProxyValue> elements;
  for (size_t i = 0; i < list.data.size(); ++i)
    elements.emplace_back(list.data[i], list.arg.is_list() ? list.arg[i] : Value());
  return elements;
}

// --- what nodes do ---

ProxyValue ExportPass::placeholder(std::string_view name, const Value& value,
                                   const NodeMetadata& meta) {
  const NodeId id = traced().append(NewNode{
      .kind = NodeKind::kPlaceholder, .name = std::string(name), .target = std::string(name)});
  static_cast<NodeMeta&>(traced().meta(id)) = meta.meta;
  traced().meta(id).val = kept_value(context(), value);
  return {value, node_ref(id)};
}

ProxyValue ExportPass::call_operator(std::string_view op, Args args, Keywords kwargs,
                                     const NodeMetadata& meta) {
  return fx(NodeKind::kCallFunction, op, args, kwargs, meta);
}

ProxyValue ExportPass::call_sym(std::string_view target, Args args, const NodeMetadata& meta) {
  return fx(NodeKind::kCallFunction, target, args, {}, meta);
}

ProxyValue ExportPass::call_cond(const ProxyValue& predicate, const Graph& true_graph,
                                 const Graph& false_graph, const ProxyValue& operands,
                                 const NodeMetadata& meta) {
  std::vector<Value> values;
  for (const ProxyValue& operand : elements_of(operands)) values.push_back(operand.data);
  const Graph& when_true = call_submodule(true_graph, values);
  const Graph& when_false = call_submodule(false_graph, values);
  const ProxyValue args[] = {predicate, Value(&when_true), Value(&when_false),
                             make_list(elements_of(operands))};
  return fx(NodeKind::kCallFunction, "torch.ops.higher_order.cond", args, {}, meta);
}

ProxyValue ExportPass::call_map(const Graph& body, const ProxyValue& mapped,
                                const ProxyValue& operands, const NodeMetadata& meta) {
  const OpId select = Registry::builtin().find("aten::select.int");
  std::vector<Value> values;
  for (const ProxyValue& tensor : elements_of(mapped)) {
    const Value args[] = {tensor.data, Value(0), Value(0)};
    values.push_back(context().call(select, args));
  }
  for (const ProxyValue& operand : elements_of(operands)) values.push_back(operand.data);
  const ProxyValue args[] = {Value(&call_submodule(body, values)), mapped, operands};
  return fx(NodeKind::kCallFunction, "torch.ops.higher_order.map_impl", args, {}, meta);
}

ProxyValue ExportPass::call_getitem(const ProxyValue& value, const ProxyValue& key,
                                    const NodeMetadata& meta) {
  const ProxyValue args[] = {value, key};
  return fx(NodeKind::kCallFunction, "_operator.getitem", args, {}, meta);
}

ProxyValue ExportPass::output(const ProxyValue& results, const NodeMetadata& meta) {
  return fx(NodeKind::kOutput, "output", {&results, 1}, {}, meta);
}

// --- writing ---

ProxyValue ExportPass::fx(NodeKind kind, std::string_view target, Args args, Keywords kwargs,
                          const NodeMetadata& meta) {
  const Value result = evaluate(kind, target, args, kwargs);
  NewNode node;
  node.kind = kind;
  node.target = target;
  for (const ProxyValue& arg : args) node.args.push_back(as_argument(arg.arg));
  for (const Keyword& keyword : kwargs)
    node.kwargs.emplace_back(std::string(keyword.name), as_argument(keyword.value.arg));
  node.name = kind == NodeKind::kOutput ? "output" : name_of_node(target);
  const NodeId id = traced().append(node);
  static_cast<NodeMeta&>(traced().meta(id)) = meta.meta;
  traced().meta(id).val = kept_value(context(), result);
  bind_symbols(id, result, meta);
  return {result, node_ref(id)};
}

// Note [Symbols of a graph that is run again]
void ExportPass::bind_symbols(NodeId id, const Value& result, const NodeMetadata& meta) {
  ShapeEnv* env = context().shape_env();
  std::vector<UnbackedBinding> bindings;
  if (env != nullptr) bindings = rebind_unbacked(*env, meta.bindings, result);
  if (bindings.empty()) bindings = meta.bindings;
  if (!bindings.empty()) traced().set_bindings(id, std::move(bindings));
}

// Graphs and constant tensors become attributes of the new graph, fetched where they are used.
Value ExportPass::as_argument(const Value& arg) {
  if (arg.is(Value::Tag::kGraph)) {
    const auto [found, is_new] = tracer_->submodules.emplace(
        &arg.graph(), format("submodule_{}", tracer_->submodules.size()));
    if (is_new) traced().add_submodule(found->second, arg.graph());
    return node_ref(traced().append(NewNode{
        .kind = NodeKind::kGetAttr, .name = found->second, .target = found->second, .val = arg}));
  }
  if (arg.is_tensor()) return attribute(arg);
  if (!arg.is(Value::Tag::kList)) return arg;
  std::vector<Value> elements;
  for (const Value& element : arg.values()) elements.push_back(as_argument(element));
  const std::span<const Value> kept =
      subject_.program.arena().copy(std::span<const Value>(elements));
  return Value::like(arg, kept);
}

Value ExportPass::attribute(const Value& tensor) {
  if (tensor.tensor().constant == nullptr) {
    std::string text;
    append_text(text, tensor);
    throw_error(ErrorKind::kExportPassBase, format("Cannot add {} to graph.", text));
  }
  const std::string name = format("_tensor_constant{}", tracer_->constants++);
  const NodeId id = traced().append(
      NewNode{.kind = NodeKind::kGetAttr, .name = name, .target = name, .val = tensor});
  on_attr({tensor, node_ref(id)});
  return node_ref(id);
}

// --- computing ---

Value ExportPass::evaluate(NodeKind kind, std::string_view target, Args args, Keywords kwargs) {
  if (kind == NodeKind::kOutput) return args.empty() ? Value() : args[0].data;
  if (target == "_operator.getitem") return take(args[0].data, args[1].data);
  if (target.starts_with(kHigherOrderOps))
    return evaluate_higher_order(target.substr(kHigherOrderOps.size()), args, kwargs);
  if (target == "builtins.len" && args.size() == 1 && args[0].is_tensor())
    return args[0].to_tensor().sizes()[0];
  OpId op = interpreter_.find_operator(target);
  const bool on_tensors =
      std::any_of(args.begin(), args.end(), [](const ProxyValue& arg) { return arg.is_tensor(); });
  // Python's operators on tensors are the operators of the same name: x + 1.
  if (on_tensors && target.starts_with("_operator."))
    op = interpreter_.find_operator(format("aten::{}.Tensor", name_of_target(target)));
  if (op == kNoOp) throw_error(ErrorKind::kUnsupportedOperator, std::string(operator_name(target)));
  // The graphs of higher-order operators are given what was computed before.
  context().checks_leaves =
      !args.empty() && source_ == subject_.graph && is_leaf(traced(), args[0]);
  ArgumentBinder binder(interpreter_.schema(op));
  for (const ProxyValue& arg : args) binder.add(arg.data);
  for (const Keyword& keyword : kwargs) binder.set(keyword.name, keyword.value.data);
  return context().call(op, binder.values());
}

Value ExportPass::take(const Value& container, const Value& key) {
  if (container.is_tensor()) {
    const Value args[] = {container, Value(0), key};
    return context().call(Registry::builtin().find("aten::select.int"), args);
  }
  const int64_t index = key.to_int();
  if (!container.is_list() || index < 0 || static_cast<size_t>(index) >= container.size())
    throw_error(ErrorKind::kIndexError, "list index out of range");
  return container[static_cast<size_t>(index)];
}

Value ExportPass::evaluate_higher_order(std::string_view name, Args args, Keywords kwargs) {
  std::vector<Value> values;
  for (const ProxyValue& arg : args) values.push_back(arg.data);
  for (const Keyword& keyword : kwargs) values.push_back(keyword.value.data);
  const std::shared_ptr<const Plan> plan = source_->plan();
  return call_higher_order(interpreter_, *plan, plan->row_of(source_node_), name, values);
}

}  // namespace faketensor
