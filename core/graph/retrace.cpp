#include "core/graph/retrace.h"

#include <map>

#include "core/graph/dead_code.h"
#include "core/graph/interpreter.h"
#include "core/graph/runtime_asserts.h"
#include "core/ops/constant.h"
#include "core/ops/library.h"
#include "core/support/format.h"
#include "core/support/target_name.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

// Note [Names that a trace takes]
// While make_fx traces, every operation on symbolic sizes is a node, also those that computing the
// size of a storage takes (computeStorageNbytes, called for the wrapper of each result,
// FunctionalTensor.__new__). These nodes are dead and removed, but their names stay taken: the
// second aten.add of a graph is "add_6" where three sums were made for each of two results. So the
// names are taken here, too, without the nodes.
class Tracer final : private DispatchMode {
 public:
  explicit Tracer(FakeTensorMode& mode)
      : context_(mode.context()), env_(*context_.shape_env()), interpreter_(context_) {}

  Program run(const Graph& graph) {
    const ModeScope entered(context_, *this);
    const std::shared_ptr<const Plan> plan = graph.plan();
    std::vector<Value> values(plan->size());
    for (Row row = 0; row < plan->size(); ++row) {
      switch (plan->row(row).kind) {
        case RowKind::kPlaceholder:
          values[row] = add_input(plan->node(row), plan->name_of(row), plan->target_of(row));
          break;
        case RowKind::kOutput:
          traced_.append(NewNode{.kind = NodeKind::kOutput,
                                 .name = "output",
                                 .target = "output",
                                 .args = {as_output(interpreter_.run_row(*plan, row, values))},
                                 .val = Value::unset()});
          break;
        default:
          values[row] = call(*plan, row, values);
      }
    }
    return std::move(program_);
  }

 private:
  Value add_input(const Node& node, std::string_view name, std::string_view target) {
    const NodeId traced = traced_.append(NewNode{.kind = NodeKind::kPlaceholder,
                                                 .name = std::string(name),
                                                 .target = std::string(target),
                                                 .val = node.val});
    program_.inputs.emplace_back();
    track(node.val, traced);
    return node.val;
  }

  // Python's arithmetic on symbols becomes a node of the same function, and a size that is read
  // becomes one where it is first asked for; operators become nodes as they are dispatched.
  Value call(const Plan& plan, Row row, std::span<const Value> values) {
    const OpId op = plan.row(row).op;
    const std::string_view name = op == kNoOp ? "" : interpreter_.schema(op).name;
    const bool on_numbers = is_python(name);
    const bool reads_shape = name.starts_with("aten::sym_") && !plan.row(row).args.empty();
    is_tracing_ = !on_numbers && !reads_shape;
    const Value result = interpreter_.run_row(plan, row, values);
    if (is_tracing_) rebind(plan.graph().bindings(plan.row(row).id));
    is_tracing_ = true;
    const ExprNode* expr = on_numbers ? symbolic_value(result, env_) : nullptr;
    if (expr != nullptr) write(plan, row, values, expr);
    return result;
  }

  static bool is_python(std::string_view name) {
    return name.starts_with("_operator::") || name.starts_with("torch::") ||
           name.starts_with("math::");
  }

  void write(const Plan& plan, Row row, std::span<const Value> values, const ExprNode* expr) {
    std::vector<Value> named;
    for (const Value& arg : plan.row(row).args) {
      if (!arg.is_unset()) named.push_back(as_nodes(interpreter_.resolve(arg, values)));
    }
    const std::string target(plan.target_of(row));
    symbols_.emplace(expr, traced_.append(NewNode{.name = name_of_target(target),
                                                  .target = target,
                                                  .args = std::move(named),
                                                  .val = resolve_value(expr)}));
  }

  // An operator below composites and autograd: one node of the trace.
  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override {
    if (!is_tracing_) return next(op, args);
    const FakeCall call(context_, op, args);
    NewNode node;
    node.target = std::string(op.name);
    node.target.replace(node.target.find("::"), 2, ".");
    if (op.schema.overload.empty() && !node.target.ends_with(".default")) node.target += ".default";
    node.target.insert(0, kTorchOps);
    node.name = op.schema.name.substr(op.schema.name.find("::") + 2);
    for (const Value& arg : call.positional()) node.args.push_back(as_nodes(arg));
    for (const auto& [name, value] : call.keywords())
      node.kwargs.emplace_back(std::string(name), as_nodes(value));
    const Value result = next(op, args);
    node.val = result;
    node.bindings = compute_unbacked_bindings(env_, result, "");
    const NodeId id = traced_.append(node);
    last_call_ = id;
    track(result, id);
    return result;
  }

  // The fresh symbols of a result go by the names that the graph has for them
  // (rebind_unbacked, torch/fx/experimental/symbolic_shapes.py).
  void rebind(const std::vector<UnbackedBinding>& bindings) {
    if (last_call_ == kNoNode) return;
    std::vector<UnbackedBinding> renamed = traced_.bindings(last_call_);
    for (UnbackedBinding& made : renamed) {
      for (const UnbackedBinding& known : bindings) {
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
    if (!renamed.empty()) traced_.set_bindings(last_call_, std::move(renamed));
    last_call_ = kNoNode;
  }

  // Remembers which node a value is of, and takes the names that its tensors' wrappers do.
  void track(const Value& value, NodeId id) {
    if (value.is_tensor()) {
      const Tensor& tensor = value.tensor();
      tensors_[&tensor] = id;
      for (size_t i = 0; i < tensor.sizes().size(); ++i) {
        if (tensor.sizes()[i].is_symbolic())
          sizes_.emplace(tensor.sizes()[i].node(), std::pair(id, static_cast<int64_t>(i)));
      }
      if (traced_.node(id).kind == NodeKind::kCallFunction) take_storage_names(tensor);
    } else if (value.is(Value::Tag::kList)) {
      for (size_t i = 0; i < value.size(); ++i) {
        const auto element =
            traced_.append(NewNode{.name = "getitem",
                                   .target = "_operator.getitem",
                                   .args = {node_ref(id), Value(static_cast<int64_t>(i))},
                                   .val = value[i]});
        track(value[i], element);
      }
    } else if (const ExprNode* expr = symbolic_value(value, env_); expr != nullptr) {
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
      return node_ref(found->second);
    const auto size = sizes_.find(expr);
    if (size == sizes_.end())
      throw_error(ErrorKind::kUnsupportedOperator,
                  format("a trace of {}, which no value of the graph is", to_string(expr)));
    const auto id =
        traced_.append(NewNode{.name = "sym_size_int",
                               .target = "torch.ops.aten.sym_size.int",
                               .args = {node_ref(size->second.first), Value(size->second.second)},
                               .val = resolve_value(expr)});
    symbols_.emplace(expr, id);
    return node_ref(id);
  }

  static Value resolve_value(const ExprNode* expr) {
    if (expr->type == ExprType::kBool) return expr->pool->sym_bool(expr);
    return expr->type == ExprType::kInt ? Value(expr->pool->sym_int(expr)) : Value::sym_float(expr);
  }

  Value as_output(const Value& value) {
    const Value nodes = as_nodes(value);
    return nodes.is(Value::Tag::kList) ? Value::tuple(nodes.values()) : nodes;
  }

  // A value as an argument of the trace.
  Value as_nodes(const Value& value) {
    if (value.is_tensor()) {
      const Tensor& tensor = value.tensor();
      if (tensor.is_wrapped_number && tensor.constant != nullptr) return tensor.constant->number();
      const auto found = tensors_.find(&tensor);
      if (found == tensors_.end())
        throw_error(ErrorKind::kUnsupportedOperator, "a trace of a tensor that is no input");
      return node_ref(found->second);
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
  Interpreter interpreter_;
  Program program_;
  Graph& traced_ = program_.graph();
  std::unordered_map<const Tensor*, NodeId> tensors_;
  std::unordered_map<const ExprNode*, NodeId> symbols_;
  std::unordered_map<const ExprNode*, std::pair<NodeId, int64_t>> sizes_;
  NodeId last_call_ = kNoNode;
  bool is_tracing_ = true;
};

// Where two nodes take the same element of a result, the first stands for both.
void share_elements(Graph& graph) {
  std::map<std::pair<NodeId, int64_t>, NodeId> seen;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    const Node& node = graph.node(id);
    if (!is_getitem(graph, node)) continue;
    const auto key = std::pair(node_of(node.args[0]), node.args[1].as_sym_int().as_int());
    const auto [found, is_new] = seen.emplace(key, id);
    if (!is_new) graph.replace_all_uses(id, found->second);
  }
}

}  // namespace

Program retrace(const Graph& graph, FakeTensorMode& mode) {
  Program traced = Tracer(mode).run(graph);
  eliminate_dead_code(traced.graph());
  insert_runtime_asserts(traced.graph(), *mode.context().shape_env());
  share_elements(traced.graph());
  eliminate_dead_code(traced.graph());
  return traced;
}

}  // namespace faketensor
