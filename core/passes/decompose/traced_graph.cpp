#include "core/passes/decompose/traced_graph.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/graph/python_functions.h"
#include "core/graph/runtime_asserts.h"
#include "core/ops/constant.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/support/target_name.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

constexpr std::string_view kSymSize = "torch.ops.aten.sym_size.int";
constexpr std::string_view kSymStride = "torch.ops.aten.sym_stride.int";
constexpr std::string_view kSymOffset = "torch.ops.aten.sym_storage_offset.default";

Value value_of(const ExprNode* expr) {
  if (expr->type == ExprType::kBool) return expr->pool->sym_bool(expr);
  return expr->type == ExprType::kInt ? Value(expr->pool->sym_int(expr)) : Value::sym_float(expr);
}

bool is_plain_list(const Value& list) {
  if (!list.is(Value::Tag::kIntList)) return false;
  const Dims ints = list.ints();
  return std::none_of(ints.begin(), ints.end(), [](SymInt each) { return each.is_symbolic(); });
}

// The symbol or number that a path leads to: "[1].size()[0]". Nothing where it leads nowhere.
std::optional<SymInt> follow(Value value, std::string_view path) {
  const auto index = [&]() -> size_t {
    const size_t end = path.find(']');
    if (end == std::string_view::npos || end > 10) return SIZE_MAX;
    size_t number = 0;
    for (const char digit : path.substr(1, end - 1))
      number = number * 10 + static_cast<size_t>(digit - '0');
    path.remove_prefix(end + 1);
    return number;
  };
  while (path.starts_with("[")) {
    const size_t i = index();
    if (!value.is_list() || i >= value.size()) return {};
    value = value[i];
  }
  if (path.empty())
    return value.is(Value::Tag::kInt) ? std::optional(value.as_sym_int()) : std::nullopt;
  if (!value.is_tensor()) return {};
  const auto dim_of = [&](std::string_view prefix, Dims dims) -> std::optional<SymInt> {
    path.remove_prefix(prefix.size());
    const size_t i = index();
    return i < dims.size() && path.empty() ? std::optional(dims[i]) : std::nullopt;
  };
  if (path.starts_with(".size()[")) return dim_of(".size()", value.tensor().sizes());
  if (path.starts_with(".stride()[")) return dim_of(".stride()", value.tensor().strides());
  if (path == ".storage_offset()") return value.tensor().offset();
  return {};
}

}  // namespace

// --- nodes ---

NodeId TracedGraph::add_input(const Value& value) {
  const std::string name = format("arg{}_1", inputs_++);
  const NodeId id = graph_.append(
      NewNode{.kind = NodeKind::kPlaceholder, .name = name, .target = name, .val = value});
  track(id, value);
  return id;
}

NodeId TracedGraph::add_call(const OpEntry& op, const FakeCall& call) {
  std::string target(op.name);
  target.replace(target.find("::"), 2, ".");
  if (op.schema.overload.empty() && !target.ends_with(".default")) target += ".default";
  target.insert(0, kTorchOps);
  std::vector<Value> args;
  given_.clear();
  // A view computes its sizes anew, also where they are given; others hand on what they are given.
  const bool is_view = !op.schema.arguments.empty() && !op.schema.arguments[0].alias.empty();
  for (const Value& arg : call.args()) {
    note_sizes_of(arg);
    if (!is_view) note_numbers_of(arg);
  }
  for (const Value& arg : call.positional()) args.push_back(as_argument(arg));
  std::vector<std::pair<std::string, Value>> kwargs;
  for (const auto& [name, value] : call.keywords())
    kwargs.emplace_back(std::string(name), as_argument(value));
  return add_call(target, op.packet(), std::move(args), std::move(kwargs));
}

NodeId TracedGraph::add_call(std::string_view target, std::string_view name,
                             std::vector<Value> args,
                             std::vector<std::pair<std::string, Value>> kwargs) {
  // Graph._target_to_str: __and__ is "and".
  const bool is_magic = name.size() > 4 && name.starts_with("__") && name.ends_with("__");
  const NodeId id =
      graph_.append(NewNode{.name = std::string(is_magic ? name.substr(2, name.size() - 4) : name),
                            .target = std::string(target),
                            .args = std::move(args),
                            .kwargs = std::move(kwargs),
                            .val = Value::unset()});
  static_cast<NodeMeta&>(graph_.meta(id)) = source_;
  graph_.meta(id).val = Value::unset();
  graph_.meta(id).recorded = nullptr;
  return id;
}

Value TracedGraph::add_subgraph(std::string_view name, const Graph& subgraph) {
  graph_.add_submodule(name, subgraph);
  return node_ref(graph_.append(NewNode{.kind = NodeKind::kGetAttr,
                                        .name = std::string(name),
                                        .target = std::string(name),
                                        .val = Value(&subgraph)}));
}

void TracedGraph::add_output(const Value& results) {
  const Value nodes = as_argument(results);
  graph_.append(
      NewNode{.kind = NodeKind::kOutput,
              .name = "output",
              .target = "output",
              .args = {nodes.is(Value::Tag::kList) ? Value::tuple(nodes.values()) : nodes},
              .val = Value::unset()});
}

void TracedGraph::track(NodeId id, const Value& value) {
  ShapeEnv* env = context_.shape_env();
  if (!value.is_none() || graph_.node(id).kind != NodeKind::kCallFunction)
    graph_.meta(id).val = value;
  if (graph_.node(id).kind == NodeKind::kCallFunction && env != nullptr) {
    std::vector<UnbackedBinding> bindings = compute_unbacked_bindings(*env, value, "");
    if (!bindings.empty()) {
      graph_.set_bindings(id, std::move(bindings));
      bound_.push_back(id);
    }
  }
  if (value.is_tensor()) return track_tensor(id, value.tensor());
  if (value.is(Value::Tag::kList)) {
    for (size_t i = 0; i < value.size(); ++i) {
      const NodeId element =
          add_call("_operator.getitem", "getitem", {node_ref(id), Value(static_cast<int64_t>(i))});
      graph_.meta(element).val = value[i];
      if (value[i].is_tensor()) track_tensor(element, value[i].tensor());
    }
  } else if (env != nullptr) {
    if (const ExprNode* expr = symbolic_value(value, *env); expr != nullptr)
      symbols_.emplace(expr, id);
  }
}

void TracedGraph::note_sizes_of(const Value& argument) {
  if (argument.is(Value::Tag::kList)) {
    for (const Value& element : argument.values()) note_sizes_of(element);
  }
  if (!argument.is_tensor() || !argument.tensor().meta->has_symbols()) return;
  for (const SymInt size : argument.tensor().sizes())
    if (size.is_symbolic()) given_.insert(size.node());
}

void TracedGraph::note_numbers_of(const Value& argument) {
  if (argument.is(Value::Tag::kInt) && argument.as_sym_int().is_symbolic())
    given_.insert(argument.as_sym_int().node());
  if (!argument.is_list()) return;
  for (size_t i = 0; i < argument.size(); ++i) note_numbers_of(argument[i]);
}

void TracedGraph::track_tensor(NodeId id, const Tensor& tensor) {
  tensors_.emplace(&tensor, id);
  if (!tensor.meta->has_symbols()) return;
  uint64_t computed = 0;
  for (size_t i = 0; i < tensor.sizes().size() && i < 64; ++i) {
    const SymInt size = tensor.sizes()[i];
    const bool is_new = size.is_symbolic() && size.node()->kind != ExprKind::kSymbol &&
                        given_.count(size.node()) == 0;
    computed |= is_new ? uint64_t{1} << i : 0;
  }
  if (computed != 0 && graph_.node(id).kind == NodeKind::kCallFunction)
    computed_.emplace(&tensor, computed);
  const auto note = [&](SymInt number, std::string_view target, size_t dim) {
    if (number.is_symbolic())
      sizes_.emplace(number.node(), SizeOf{id, target, static_cast<int64_t>(dim)});
  };
  for (size_t i = 0; i < tensor.sizes().size(); ++i) note(tensor.sizes()[i], kSymSize, i);
  for (size_t i = 0; i < tensor.strides().size(); ++i) note(tensor.strides()[i], kSymStride, i);
  note(tensor.offset(), kSymOffset, 0);
}

bool TracedGraph::knows(const Value& value) const {
  if (value.is_tensor())
    return value.tensor().is_wrapped_number || tensors_.count(&value.tensor()) != 0;
  return !value.is(Value::Tag::kList) ||
         std::all_of(value.values().begin(), value.values().end(),
                     [this](const Value& element) { return knows(element); });
}

void TracedGraph::add_function(std::string_view target, std::span<const Value> args,
                               const Value& result) {
  ShapeEnv* env = context_.shape_env();
  const ExprNode* expr = env == nullptr ? nullptr : symbolic_value(result, *env);
  if (expr == nullptr) return;
  std::vector<Value> named;
  for (const Value& arg : args) named.push_back(as_argument(arg));
  const NodeId id = add_call(target, name_of_target(target), std::move(named));
  graph_.meta(id).val = value_of(expr);
  symbols_.emplace(expr, id);
}

// --- arguments ---

Value TracedGraph::as_argument(const Value& value) {
  if (value.is_tensor()) {
    const Tensor& tensor = value.tensor();
    if (tensor.is_wrapped_number && tensor.constant != nullptr)
      return as_argument(tensor.constant->number());
    const auto found = tensors_.find(&tensor);
    if (found == tensors_.end()) {
      met_stranger_ = true;
      throw_error(ErrorKind::kUnsupportedOperator, "a trace of a tensor that is no input");
    }
    return node_ref(found->second);
  }
  if (value.is_list()) {
    if (is_plain_list(value)) return value;
    SmallVector<Value, 8> elements;
    for (size_t i = 0; i < value.size(); ++i) elements.push_back(as_argument(value[i]));
    return context_.make_list(elements.span());
  }
  if (value.is(Value::Tag::kInt) && value.as_sym_int().is_symbolic())
    return node_of(value.as_sym_int().node());
  if (value.is(Value::Tag::kBool) && value.as_sym_bool().is_symbolic())
    return node_of(value.as_sym_bool().node());
  return value.is(Value::Tag::kSymFloat) ? node_of(value.as_node()) : value;
}

Value TracedGraph::node_of(const ExprNode* given) {
  const ExprNode* expr = context_.shape_env()->replace(given);
  if (const auto found = symbols_.find(expr); found != symbols_.end())
    return node_ref(found->second);
  if (expr->is_constant()) return value_of(expr);
  if (expr->kind != ExprKind::kSymbol && is_of_known(expr)) return compute(expr);
  if (sizes_.count(expr) != 0) return read_size(expr);
  if (given != expr && sizes_.count(given) != 0) return read_size(given);
  return compute(expr);
}

// Whether every symbol in it is read somewhere, by functions that have names.
bool TracedGraph::is_of_known(const ExprNode* expr) const {
  if (expr->is_constant()) return true;
  if (symbols_.count(expr) != 0) return true;
  if (expr->kind == ExprKind::kSymbol) return sizes_.count(expr) != 0;
  const bool is_named = expr->kind == ExprKind::kPow || !python_function(expr->kind).empty();
  const auto args = expr->args();
  return is_named && std::all_of(args.begin(), args.end(),
                                 [this](const ExprNode* arg) { return is_of_known(arg); });
}

// A size is read where it is first asked for.
Value TracedGraph::read_size(const ExprNode* expr) {
  const SizeOf& size = sizes_.at(expr);
  std::vector<Value> args = {node_ref(size.tensor)};
  if (size.target != kSymOffset) args.emplace_back(size.dim);
  const NodeId id = add_call(size.target, name_of_target(size.target), std::move(args));
  graph_.meta(id).val = value_of(expr);
  symbols_.emplace(expr, id);
  return node_ref(id);
}

// From what is known, from left to right (_build_proxy_for_sym_expr).
Value TracedGraph::compute(const ExprNode* expr) {
  // A product of equal sizes, which composites multiply one by one.
  constexpr int64_t kMostFactors = 64;
  const bool is_product = expr->kind == ExprKind::kPow && !expr->number.is_float &&
                          expr->number.integer <= kMostFactors;
  const std::string_view function = python_function(is_product ? ExprKind::kMul : expr->kind);
  if (function.empty())
    throw_error(ErrorKind::kUnsupportedOperator,
                format("a trace of {}, which no value of the graph is", to_string(expr)));
  std::vector<Value> operands;
  const bool has_number = (expr->kind == ExprKind::kAdd && !expr->number.is_integer(0)) ||
                          (expr->kind == ExprKind::kMul && !expr->number.is_integer(1));
  if (has_number) operands.push_back(value_of(expr->pool->number(expr->number)));
  for (const ExprNode* arg : expr->args()) operands.push_back(node_of(arg));
  if (is_product) operands.resize(static_cast<size_t>(expr->number.integer), operands[0]);
  const auto call = [&](std::vector<Value> args) {
    return node_ref(add_call(function, name_of_target(function), std::move(args)));
  };
  Value result = operands[0];
  if (operands.size() == 1) result = call({result});
  for (size_t i = 1; i < operands.size(); ++i) {
    const Value so_far = number_of(result);
    const Value next = number_of(operands[i]);
    result = call({result, operands[i]});
    const bool has_parts = so_far.is(Value::Tag::kInt) && next.is(Value::Tag::kInt);
    if (has_parts && function == "_operator.mul")
      graph_.meta(faketensor::node_of(result)).val = so_far.as_sym_int() * next.as_sym_int();
    if (has_parts && function == "_operator.add")
      graph_.meta(faketensor::node_of(result)).val = so_far.as_sym_int() + next.as_sym_int();
  }
  graph_.meta(faketensor::node_of(result)).val = value_of(expr);
  symbols_.emplace(expr, faketensor::node_of(result));
  return result;
}

Value TracedGraph::number_of(const Value& operand) const {
  return operand.is(Value::Tag::kNodeRef) ? graph_.node(faketensor::node_of(operand)).val : operand;
}

// --- names ---

void TracedGraph::take_wrapper_names(const Value& value) {
  if (value.is_tensor()) {
    take_storage_names(value.tensor());
  } else if (value.is(Value::Tag::kList)) {
    for (const Value& element : value.values()) take_wrapper_names(element);
  }
}

// What computeStorageNbytes (aten/src/ATen/EmptyTensor.cpp) computes with symbols, by name.
void TracedGraph::take_storage_names(const Tensor& tensor) {
  if (tensor.layout() != Layout::kStrided || !tensor.meta->has_symbols()) return;
  const auto found = computed_.find(&tensor);
  const uint64_t computed = found == computed_.end() ? 0 : found->second;
  bool is_symbolic = false;  // the bytes up to here
  for (size_t i = 0; i < tensor.sizes().size(); ++i) {
    const SymInt size = tensor.sizes()[i];
    const SymInt stride = tensor.strides()[i];
    if (size.is_symbolic()) {
      if (i < 64 && (computed >> i & 1) != 0) {
        graph_.take_name("sym_size_int");
      } else {
        node_of(size.node());
      }
      graph_.take_name("eq");
      graph_.take_name("sub");
    } else if (size.as_int() == 0) {
      return;
    }
    const bool takes_part = size.is_symbolic() || stride.is_symbolic();
    const bool times_one = (!stride.is_symbolic() && stride.as_int() == 1) ||
                           (!size.is_symbolic() && size.as_int() == 2);
    if (takes_part && !times_one) graph_.take_name("mul");
    is_symbolic = is_symbolic || takes_part;
    if (is_symbolic) graph_.take_name("add");
  }
  if (!is_symbolic && !tensor.offset().is_symbolic()) return;
  graph_.take_name("add");
  if (itemsize(tensor.dtype()) != 1) graph_.take_name("mul");
}

// Mirrors _get_input_guards_for_graph (torch/export/_unlift.py): the bounds of a size, or that it is
// the same as one before.
void TracedGraph::take_guard_names(const Value& value) {
  if (!value.is_tensor()) return;
  for (const SymInt size : value.tensor().sizes()) {
    if (!size.is_symbolic() || size.node()->kind != ExprKind::kSymbol) continue;
    if (!guarded_.insert(size.node()).second) {
      node_of(size.node());
      graph_.take_name("eq");
      continue;
    }
    const ValueRange range = context_.shape_env()->range(size.node());
    const std::optional<int64_t> lower = range.lower.as_int64();
    const std::optional<int64_t> upper = range.upper.as_int64();
    const bool has_lower = lower && *lower > 2;
    const bool has_upper = upper && *upper < INT64_MAX - 1;
    if (has_lower || has_upper) node_of(size.node());
    if (has_lower) graph_.take_name("ge");
    if (has_upper) graph_.take_name("le");
  }
}

// --- symbols ---

void TracedGraph::rebind(const std::vector<UnbackedBinding>& bindings, const Value& result) {
  for (const UnbackedBinding& binding : bindings) {
    const std::optional<SymInt> made = follow(result, binding.path);
    const bool is_other = made && made->is_symbolic() && made->node() != binding.symbol &&
                          made->node()->kind == ExprKind::kSymbol &&
                          made->node()->has(kHasUnbacked);
    if (is_other) rename(made->node(), binding.symbol);
  }
  bound_.clear();
}

void TracedGraph::rename(const ExprNode* made, const ExprNode* known) {
  context_.shape_env()->rename_unbacked_to(made, known);
  if (const auto found = symbols_.find(made); found != symbols_.end())
    symbols_.emplace(known, found->second);
  if (const auto found = sizes_.find(made); found != sizes_.end())
    sizes_.emplace(known, found->second);
  for (const NodeId id : bound_) {
    std::vector<UnbackedBinding> bindings = graph_.bindings(id);
    for (UnbackedBinding& binding : bindings)
      if (binding.symbol == made) binding.symbol = known;
    graph_.set_bindings(id, std::move(bindings));
  }
}

}  // namespace faketensor
