#include "core/graph/retrace.h"

#include <map>

#include "core/graph/runtime_asserts.h"
#include "core/ops/bind.h"
#include "core/ops/constant.h"
#include "core/ops/library.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

// Note [Names that a trace takes]
// While make_fx traces, every operation on symbolic sizes is a node, also those that computing the
// size of a storage takes (computeStorageNbytes, called for the wrapper of each result,
// FunctionalTensor.__new__). They are dead and go, but the names they had stay taken: the second
// aten.add of a graph is "add_6" where three sums were made for each of two results. So the names
// are taken here, too, without the nodes.
class Tracer final : private DispatchMode {
 public:
  explicit Tracer(FakeTensorMode& mode)
      : context_(mode.context()), env_(*context_.shape_env()), traced_(context_.arena()) {}

  FxGraph run(const FxGraph& graph) {
    const ModeScope entered(context_, *this);
    for (auto id = graph.first(); id != FxGraph::kEnd; id = graph.next(id)) {
      const FxNode& node = graph.node(id);
      switch (node.kind) {
        case FxNode::Kind::kPlaceholder:
          add_input(id, node);
          break;
        case FxNode::Kind::kCall:
          values_[id] = call(node);
          break;
        case FxNode::Kind::kOutput:
          traced_.append({.kind = FxNode::Kind::kOutput,
                          .name = "output",
                          .target = "output",
                          .args = {as_nodes(resolve(node.args.at(0)))}});
          break;
      }
    }
    return std::move(traced_);
  }

 private:
  void add_input(FxGraph::Id id, const FxNode& node) {
    values_[id] = node.val;
    const auto traced = traced_.append({.kind = FxNode::Kind::kPlaceholder,
                                        .name = node.name,
                                        .target = node.target,
                                        .val = node.val});
    track(node.val, traced);
  }

  Value call(const FxNode& node) {
    if (node.target == "_operator.getitem") {
      const Value whole = resolve(node.args.at(0));
      const auto at = static_cast<size_t>(node.args.at(1).as_sym_int().as_int());
      if (!whole.is_list() || at >= whole.size())
        throw_error(ErrorKind::kIndexError, format("getitem: index {} is out of range", at));
      return whole[at];
    }
    const Library* library = context_.library();
    const std::string name = Registry::qualified(node.target);
    const OpId op = library == nullptr ? Registry::builtin().find(name) : library->find(name);
    if (op == kNoOp) throw_error(ErrorKind::kUnsupportedOperator, node.target);
    const Schema& schema =
        library == nullptr ? Registry::builtin().entry(op).schema : library->entry(op).schema;
    ArgumentBinder binder(schema);
    for (const Value& arg : node.args) binder.add(resolve(arg));
    for (const auto& [keyword, arg] : node.kwargs) binder.set(keyword, resolve(arg));
    const std::span<const Value> args = binder.values();
    const bool on_numbers = !schema.name.starts_with("aten::") && is_python(schema.name);
    const bool reads_shape = schema.name.starts_with("aten::sym_") && !node.args.empty();
    if (!on_numbers && !reads_shape) {
      const Value result = context_.call(op, args);
      rebind(node);
      return result;
    }
    is_tracing_ = false;
    const Value result = context_.call(op, args);
    is_tracing_ = true;
    if (const ExprNode* expr = symbolic_value({.val = result}, env_); expr != nullptr && on_numbers)
      write(node, args, expr);
    return result;
  }

  static bool is_python(std::string_view name) {
    return name.starts_with("_operator::") || name.starts_with("torch::") ||
           name.starts_with("math::");
  }

  // Python's arithmetic on symbols: a node of the same function.
  void write(const FxNode& node, std::span<const Value> args, const ExprNode* expr) {
    std::vector<Value> named;
    for (const Value& arg : args) named.push_back(as_nodes(arg));
    const auto id = traced_.append({.name = name_of_target(node.target),
                                    .target = node.target,
                                    .args = std::move(named),
                                    .val = resolve_value(expr)});
    symbols_.emplace(expr, id);
  }

  Value resolve(const Value& argument) {
    if (argument.is(Value::Tag::kNodeRef)) return values_.at(argument.node());
    if (!argument.is(Value::Tag::kList)) return argument;
    SmallVector<Value, 8> elements;
    bool all_ints = argument.size() > 0;
    for (const Value& element : argument.values()) {
      elements.push_back(resolve(element));
      all_ints = all_ints && elements.back().is(Value::Tag::kInt);
    }
    if (!all_ints) return context_.make_list(elements.span());
    DimVector ints;
    for (const Value& element : elements) ints.push_back(element.as_sym_int());
    return context_.make_ints(ints);
  }

  // An operator below composites and autograd: one node of the trace.
  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override {
    if (!is_tracing_) return next(op, args);
    const FakeCall call(context_, op, args);
    FxNode node;
    node.target = std::string(op.name);
    node.target.replace(node.target.find("::"), 2, ".");
    if (op.schema.overload.empty() && !node.target.ends_with(".default")) node.target += ".default";
    node.name = name_of_target(op.schema.name.substr(op.schema.name.find("::") + 2));
    for (const Value& arg : call.positional()) node.args.push_back(as_nodes(arg));
    for (const auto& [name, value] : call.keywords())
      node.kwargs.emplace_back(std::string(name), as_nodes(value));
    const Value result = next(op, args);
    node.val = result;
    node.bindings = compute_unbacked_bindings(env_, result, "");
    const auto id = traced_.append(std::move(node));
    last_call_ = id;
    track(result, id);
    return result;
  }

  // The fresh symbols of a result go by the names that the graph has for them
  // (rebind_unbacked, torch/fx/experimental/symbolic_shapes.py).
  void rebind(const FxNode& node) {
    if (last_call_ == FxGraph::kEnd) return;
    for (UnbackedBinding& made : traced_.node(last_call_).bindings) {
      for (const UnbackedBinding& known : node.bindings) {
        if (known.path != made.path || known.symbol == made.symbol) continue;
        env_.rename_unbacked_to(made.symbol, known.symbol);
        if (const auto found = symbols_.find(made.symbol); found != symbols_.end())
          symbols_.emplace(known.symbol, found->second);
        if (const auto found = sizes_.find(made.symbol); found != sizes_.end())
          sizes_.emplace(known.symbol, found->second);
        made.symbol = known.symbol;
        break;
      }
    }
    last_call_ = FxGraph::kEnd;
  }

  // Remembers which node a value is of, and takes the names that its tensors' wrappers do.
  void track(const Value& value, FxGraph::Id id) {
    if (value.is_tensor()) {
      const Tensor& tensor = value.tensor();
      tensors_[&tensor] = id;
      for (size_t i = 0; i < tensor.sizes().size(); ++i) {
        if (tensor.sizes()[i].is_symbolic())
          sizes_.emplace(tensor.sizes()[i].node(), std::pair(id, static_cast<int64_t>(i)));
      }
      if (traced_.node(id).kind == FxNode::Kind::kCall) take_storage_names(tensor);
    } else if (value.is(Value::Tag::kList)) {
      for (size_t i = 0; i < value.size(); ++i) {
        const auto element =
            traced_.append({.name = "getitem",
                            .target = "_operator.getitem",
                            .args = {Value::node_ref(id), Value(static_cast<int64_t>(i))},
                            .val = value[i]});
        track(value[i], element);
      }
    } else if (const ExprNode* expr = symbolic_value({.val = value}, env_); expr != nullptr) {
      symbols_.emplace(expr, id);
    }
  }

  // What computeStorageNbytes (aten/src/ATen/EmptyTensor.cpp) computes with symbols, by name.
  void take_storage_names(const Tensor& tensor) {
    if (tensor.layout() != Layout::kStrided) return;
    bool size_is_symbolic = false;
    for (size_t i = 0; i < tensor.sizes().size(); ++i) {
      const SymInt size = tensor.sizes()[i];
      const SymInt stride = tensor.strides()[i];
      if (size.is_symbolic()) {
        node_of(size.node());
        traced_.take_name("eq");
        traced_.take_name("sub");
      } else if (size.as_int() == 0) {
        return;
      }
      const bool is_symbolic = size.is_symbolic() || stride.is_symbolic();
      const bool times_one = (!stride.is_symbolic() && stride.as_int() == 1) ||
                             (!size.is_symbolic() && size.as_int() == 2);
      if (is_symbolic && !times_one) traced_.take_name("mul");
      size_is_symbolic = size_is_symbolic || is_symbolic;
      if (size_is_symbolic) traced_.take_name("add");
    }
    if (!size_is_symbolic && !tensor.offset().is_symbolic()) return;
    traced_.take_name("add");
    if (itemsize(tensor.dtype()) != 1) traced_.take_name("mul");
  }

  // The node of an expression; a size is read where it is first asked for.
  Value node_of(const ExprNode* expr) {
    expr = env_.replace(expr);
    if (const auto found = symbols_.find(expr); found != symbols_.end())
      return Value::node_ref(found->second);
    const auto size = sizes_.find(expr);
    if (size == sizes_.end())
      throw_error(ErrorKind::kUnsupportedOperator,
                  format("a trace of {}, which no value of the graph is", to_string(expr)));
    const auto id =
        traced_.append({.name = "sym_size_int",
                        .target = "aten.sym_size.int",
                        .args = {Value::node_ref(size->second.first), Value(size->second.second)},
                        .val = resolve_value(expr)});
    symbols_.emplace(expr, id);
    return Value::node_ref(id);
  }

  static Value resolve_value(const ExprNode* expr) {
    if (expr->type == ExprType::kBool) return expr->pool->sym_bool(expr);
    return expr->type == ExprType::kInt ? Value(expr->pool->sym_int(expr)) : Value::sym_float(expr);
  }

  // A value as an argument of the trace.
  Value as_nodes(const Value& value) {
    if (value.is_tensor()) {
      const Tensor& tensor = value.tensor();
      if (tensor.is_wrapped_number && tensor.constant != nullptr) return tensor.constant->number();
      const auto found = tensors_.find(&tensor);
      if (found == tensors_.end())
        throw_error(ErrorKind::kUnsupportedOperator, "a trace of a tensor that is no input");
      return Value::node_ref(found->second);
    }
    if (value.is_list()) {
      bool is_plain = value.is(Value::Tag::kIntList);
      for (size_t i = 0; is_plain && i < value.size(); ++i)
        is_plain = !value[i].as_sym_int().is_symbolic();
      if (is_plain) return value;
      SmallVector<Value, 8> elements;
      for (size_t i = 0; i < value.size(); ++i) elements.push_back(as_nodes(value[i]));
      return context_.make_list(elements.span());
    }
    if (value.is(Value::Tag::kInt) && value.as_sym_int().is_symbolic())
      return node_of(value.as_sym_int().node());
    if (value.is(Value::Tag::kBool) && value.as_sym_bool().is_symbolic())
      return node_of(value.as_sym_bool().node());
    return value.is(Value::Tag::kSymFloat) ? node_of(value.as_node()) : value;
  }

  Context& context_;
  ShapeEnv& env_;
  FxGraph traced_;
  std::unordered_map<FxGraph::Id, Value> values_;  // of the graph that is run
  std::unordered_map<const Tensor*, FxGraph::Id> tensors_;
  std::unordered_map<const ExprNode*, FxGraph::Id> symbols_;
  std::unordered_map<const ExprNode*, std::pair<FxGraph::Id, int64_t>> sizes_;
  FxGraph::Id last_call_ = FxGraph::kEnd;
  bool is_tracing_ = true;
};

// Elements of one result that are taken twice are taken once, by the first.
void share_elements(FxGraph& graph) {
  std::map<std::pair<FxGraph::Id, int64_t>, FxGraph::Id> seen;
  for (auto id = graph.first(); id != FxGraph::kEnd; id = graph.next(id)) {
    const FxNode& node = graph.node(id);
    if (node.target != "_operator.getitem" || !node.args[0].is(Value::Tag::kNodeRef)) continue;
    const auto key = std::pair(node.args[0].node(), node.args[1].as_sym_int().as_int());
    const auto [found, is_new] = seen.emplace(key, id);
    if (!is_new) graph.replace_uses(id, found->second);
  }
  graph.resolve_uses();
}

}  // namespace

FxGraph retrace(const FxGraph& graph, FakeTensorMode& mode) {
  FxGraph traced = Tracer(mode).run(graph);
  eliminate_dead_code(traced);
  insert_runtime_asserts(traced, *mode.context().shape_env());
  share_elements(traced);
  eliminate_dead_code(traced);
  return traced;
}

}  // namespace faketensor
