// Passes about the checks that a program makes when it runs.
#include <algorithm>
#include <unordered_set>

#include "core/graph/runtime_asserts.h"
#include "core/passes/passes.h"
#include "core/passes/reachable_graphs.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

bool is_check(std::string_view target) {
  constexpr std::string_view kChecks[] = {"torch.ops.aten._assert_async.msg",
                                          "torch.ops.aten._assert_scalar.default",
                                          "torch.ops.aten.sym_constrain_range_for_size.default",
                                          "torch.ops.aten.sym_constrain_range.default",
                                          "torch.ops.aten._assert_tensor_metadata.default"};
  return std::find(std::begin(kChecks), std::end(kChecks), target) != std::end(kChecks);
}

// Null for what is no unbacked symbol.
const ExprNode* unbacked_symbol(const Value& value, ShapeEnv& env) {
  if (!value.is(Value::Tag::kInt) || !value.as_sym_int().is_symbolic()) return nullptr;
  const ExprNode* expr = value.as_sym_int().node();
  return expr->kind == ExprKind::kSymbol && !env.hint(expr) ? expr : nullptr;
}

// Mirrors _AddRuntimeAssertionsForInlineConstraintsPass
// (torch/_export/passes/add_runtime_assertions_for_constraints_pass.py).
class InlineConstraints {
 public:
  explicit InlineConstraints(ShapeEnv& env) : env_(env) {}

  // Symbols that the graph compares with numbers already need no more checks.
  void note_existing(const Graph& graph) {
    for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
      const Node& node = graph.node(id);
      const bool is_assert = graph.text(node.target) == "torch.ops.aten._assert_scalar.default" &&
                             !node.args.empty() && node.args[0].is(Value::Tag::kNodeRef);
      if (is_assert) note_comparison(graph, node_of(node.args[0]));
    }
  }

  void add(Graph& graph) {
    for (const NodeId id : graph.order()) {
      const Node& node = graph.node(id);
      if (node.kind != NodeKind::kCallFunction || node.val.is_unset()) continue;
      const Value val = node.val;
      if (const ExprNode* symbol = unbacked_symbol(val, env_); symbol != nullptr)
        check(graph, id, symbol, std::string(graph.name_of(id)));
      if (!val.is_tensor()) continue;
      for (size_t dim = 0; dim < val.tensor().sizes().size(); ++dim) {
        const Value size = val.tensor().sizes()[dim];
        const ExprNode* symbol = unbacked_symbol(size, env_);
        if (symbol == nullptr || is_known(symbol)) continue;
        const NodeId read = graph.insert_before(
            graph.next(id), {.name = "sym_size_int",
                             .target = "torch.ops.aten.sym_size.int",
                             .args = {node_ref(id), Value(static_cast<int64_t>(dim))},
                             .val = size});
        check(graph, read, symbol, format("{}.shape[{}]", graph.name_of(id), dim));
      }
    }
  }

  bool has_added() const { return added_; }

 private:
  void note_comparison(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    const std::string_view target = graph.text(node.target);
    const bool is_bound =
        (target == "_operator.le" || target == "_operator.ge") && node.args.size() == 2;
    if (!is_bound) return;
    for (size_t i = 0; i < 2; ++i) {
      const Value& other = node.args[1 - i];
      const bool is_number = other.is(Value::Tag::kInt) && !other.as_sym_int().is_symbolic();
      if (!is_number || !node.args[i].is(Value::Tag::kNodeRef)) continue;
      const Value& val = graph.node(node_of(node.args[i])).val;
      if (!val.is(Value::Tag::kInt) || !val.as_sym_int().is_symbolic()) continue;
      if (val.as_sym_int().node()->kind == ExprKind::kSymbol)
        known_.insert(val.as_sym_int().node());
    }
  }

  bool is_known(const ExprNode* symbol) const { return known_.count(symbol) != 0; }

  void check(Graph& graph, NodeId id, const ExprNode* symbol, const std::string& what) {
    if (!known_.insert(symbol).second) return;
    const ValueRange range = env_.range(symbol);
    const std::string message = format("{} is outside of inline constraint [{}, {}].", what,
                                       bound(range.lower, "-inf"), bound(range.upper, "inf"));
    NodeId last = id;
    if (!range.lower.is_infinite()) last = compare(graph, last, id, "ge", range.lower, message);
    if (!range.upper.is_infinite()) compare(graph, last, id, "le", range.upper, message);
  }

  static std::string bound(RangeEnd end, std::string_view infinite) {
    return end.is_infinite() ? std::string(infinite) : to_string(end);
  }

  NodeId compare(Graph& graph, NodeId last, NodeId id, std::string_view function, RangeEnd bound,
                 const std::string& message) {
    added_ = true;
    const auto after = [&](NodeId node, std::string name, std::string target,
                           std::vector<Value> args) {
      return graph.insert_before(graph.next(node), {.name = std::move(name),
                                                    .target = std::move(target),
                                                    .args = std::move(args),
                                                    .val = Value::unset()});
    };
    const NodeId compared = after(last, std::string(function), format("_operator.{}", function),
                                  {node_ref(id), Value(static_cast<int64_t>(bound.value()))});
    const NodeId tensor = after(compared, "scalar_tensor_default",
                                "torch.ops.aten.scalar_tensor.default", {node_ref(compared)});
    return after(tensor, "_assert_async_msg", "torch.ops.aten._assert_async.msg",
                 {node_ref(tensor), Value::string(graph.store().arena.copy(message))});
  }

  ShapeEnv& env_;
  std::unordered_set<const ExprNode*> known_;
  bool added_ = false;
};

// Sizes that were read for asserts and that none needs are not read.
void insert_with_used_sizes(Graph& graph, ShapeEnv& env) {
  const size_t count = graph.id_count();
  insert_runtime_asserts(graph, env);
  for (size_t id = graph.id_count(); id > count; --id) {
    const NodeId made{static_cast<uint32_t>(id - 1)};
    const bool is_unused = !graph.is_erased(made) && graph.users(made).empty() &&
                           graph.target_of(made) == "torch.ops.aten.sym_size.int";
    if (is_unused) graph.erase(made);
  }
}

}  // namespace

// Mirrors _RemoveRuntimeAssertionsPass (torch/_export/passes/remove_runtime_assertions.py).
PassResult remove_runtime_assertions(PassSubject& subject, const PassOptions&) {
  bool modified = false;
  for (Graph* graph : reachable_graphs(subject)) {
    for (const NodeId id : graph->order()) {
      if (!is_check(graph->target_of(id)) || !graph->users(id).empty()) continue;
      graph->erase(id);
      modified = true;
    }
  }
  return modified_result(modified);
}

PassResult add_inline_constraint_assertions(PassSubject& subject, const PassOptions&) {
  ShapeEnv* env = subject.mode.context().shape_env();
  if (env == nullptr) return modified_result(false);
  const std::vector<Graph*> graphs = reachable_graphs(subject);
  InlineConstraints constraints(*env);
  for (const Graph* graph : graphs) constraints.note_existing(*graph);
  for (Graph* graph : graphs) constraints.add(*graph);
  return modified_result(constraints.has_added());
}

PassResult insert_deferred_asserts(PassSubject& subject, const PassOptions&) {
  if (ShapeEnv* env = subject.mode.context().shape_env(); env != nullptr)
    insert_with_used_sizes(*subject.graph, *env);
  return {.modified = true};
}

}  // namespace faketensor
