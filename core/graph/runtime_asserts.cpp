#include "core/graph/runtime_asserts.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "core/graph/python_functions.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/parse.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

constexpr std::string_view kAssert = "torch.ops.aten._assert_scalar.default";

bool can_be_written(const ExprNode* expr) {
  if (expr->is_constant() || expr->kind == ExprKind::kSymbol) return true;
  return !python_function(expr->kind).empty() &&
         std::all_of(expr->args().begin(), expr->args().end(), can_be_written);
}

// u0 >= 0, or 0 <= u0: what the asserts of a symbol's range say already.
bool is_bound_of_symbol(const ExprNode* expr) {
  if (expr->kind != ExprKind::kLe && expr->kind != ExprKind::kGe) return false;
  const bool symbol_first = expr->arg(0)->kind == ExprKind::kSymbol && expr->arg(1)->is_number();
  return symbol_first || (expr->arg(1)->kind == ExprKind::kSymbol && expr->arg(0)->is_number());
}

Value value_of(const ExprNode* expr) {
  if (expr->type == ExprType::kBool) return expr->pool->sym_bool(expr);
  return expr->type == ExprType::kInt ? Value(expr->pool->sym_int(expr)) : Value::sym_float(expr);
}

class AssertInserter {
 public:
  AssertInserter(Graph& graph, ShapeEnv& env) : graph_(graph), env_(env) {
    for (const RuntimeAssert& assert : env.deferred_runtime_asserts())
      deferred_[assert.symbol].push_back(assert.condition);
  }

  void run() {
    const std::vector<NodeId> order = graph_.order();
    size_t inputs = 0;
    while (inputs < order.size() && is_placeholder(order[inputs])) ++inputs;
    if (inputs == order.size()) return;
    for (size_t i = 0; i < inputs; ++i) {
      next_ = order[inputs];
      read_sizes_of(order[i]);
    }
    add_asserts(nullptr);
    for (size_t i = inputs; i + 1 < order.size(); ++i) {
      next_ = order[i + 1];
      visit(order[i]);
    }
  }

 private:
  bool is_placeholder(NodeId id) const { return graph_.node(id).kind == NodeKind::kPlaceholder; }

  NodeId insert(std::string_view target, std::vector<Value> args, Value val) {
    return graph_.insert_before(next_, NewNode{.name = name_of_target(target),
                                               .target = std::string(target),
                                               .args = std::move(args),
                                               .val = val});
  }

  void read_sizes_of(NodeId id) {
    const Value val = graph_.node(id).val;
    if (!val.is_tensor()) return;
    for (size_t i = 0; i < val.tensor().sizes().size(); ++i) {
      const SymInt size = val.tensor().sizes()[i];
      if (!size.is_symbolic() || size.node()->kind != ExprKind::kSymbol) continue;
      if (written_.count(size.node()) != 0) continue;
      const std::vector<Value> args = {node_ref(id), Value(static_cast<int64_t>(i))};
      written_[size.node()] = insert("torch.ops.aten.sym_size.int", args, size);
    }
  }

  void visit(NodeId id) {
    if (graph_.target_of(id) == kAssert) {
      drop_known_assert(id);
    } else {
      share(id);
    }
    const std::vector<UnbackedBinding> bindings = graph_.bindings(id);
    for (const UnbackedBinding& binding : bindings) {
      if (written_.count(binding.symbol) == 0) written_[binding.symbol] = follow(id, binding);
    }
    for (const UnbackedBinding& binding : bindings) {
      if (!constrained_.insert(binding.symbol).second) continue;
      assert_range(binding.symbol);
      add_asserts(binding.symbol);
    }
  }

  // Removes an assert that this pass has made as well, or that says nothing.
  void drop_known_assert(NodeId id) {
    const Value condition = graph_.node(id).args.empty() ? Value() : graph_.node(id).args[0];
    if (!condition.is(Value::Tag::kNodeRef)) {
      if (condition.is(Value::Tag::kBool)) graph_.erase(id);
      return;
    }
    const ExprNode* expr = symbolic_value(graph_.node(node_of(condition)).val, env_);
    if (expr == nullptr) return;
    if (!asserted_.insert(expr).second && written_.count(expr) != 0) graph_.erase(id);
  }

  // A node that computes what another one does is replaced by it.
  void share(NodeId id) {
    const ExprNode* expr = symbolic_value(graph_.node(id).val, env_);
    if (expr == nullptr || !graph_.bindings(id).empty()) return;
    const auto [found, is_new] = written_.emplace(expr, id);
    if (is_new) return;
    graph_.replace_all_uses(id, found->second);
    graph_.erase(id);
  }

  // The nodes that lead from a result to the symbol in it: "[1].size()[0]". Mirrors
  // Graph._resolve_unbacked_binding.
  NodeId follow(NodeId id, const UnbackedBinding& binding) {
    std::string_view path = binding.path;
    const Value val = value_of(binding.symbol);
    const auto take_index = [&] {
      int64_t index = 0;
      for (path.remove_prefix(1); !path.empty() && path.front() != ']'; path.remove_prefix(1)) {
        index = index * 10 + (path.front() - '0');
        if (index < 0 || index > INT32_MAX)
          throw_error(ErrorKind::kUnreadable, format("no path to a symbol: {}", binding.path));
      }
      if (!path.empty()) path.remove_prefix(1);
      return Value(index);
    };
    while (!path.empty()) {
      if (path.starts_with("[")) {
        id = insert("_operator.getitem", {node_ref(id), take_index()}, {});
      } else if (path.starts_with(".size()[")) {
        path.remove_prefix(7);
        id = insert("torch.ops.aten.sym_size.int", {node_ref(id), take_index()}, val);
      } else if (path.starts_with(".stride()[")) {
        path.remove_prefix(9);
        id = insert("torch.ops.aten.sym_stride.int", {node_ref(id), take_index()}, val);
      } else if (path.starts_with(".storage_offset()")) {
        path.remove_prefix(17);
        id = insert("torch.ops.aten.sym_storage_offset.default", {node_ref(id)}, val);
      } else if (path.starts_with(".cast_symbool_to_symint_guardless()")) {
        path = {};
        id = insert("torch.sym_ite", {node_ref(id), Value(1), Value(0)}, val);
      } else {
        const size_t open = path.find('(');
        const ExprNode* divisor =
            parse_expr(env_.pool(), path.substr(open + 1, path.find(')') - open - 1));
        path = {};
        id = insert("_operator.floordiv", {node_ref(id), write(divisor)}, val);
      }
    }
    return id;
  }

  // The expression as nodes, each made once (runtime_assert.py, _sympy_interp).
  Value write(const ExprNode* expr) {
    if (const auto found = written_.find(expr); found != written_.end())
      return node_ref(found->second);
    if (expr->is_constant()) return value_of(expr);
    const std::string_view function = python_function(expr->kind);
    std::vector<Value> args;
    const bool is_sum = expr->kind == ExprKind::kAdd;
    if ((is_sum && !expr->number.is_integer(0)) ||
        (expr->kind == ExprKind::kMul && !expr->number.is_integer(1)))
      args.push_back(value_of(expr->pool->number(expr->number)));
    for (const ExprNode* arg : expr->args()) args.push_back(write(arg));
    if (args.size() == 1) {
      const auto id = insert(function, args, value_of(expr));
      return node_ref(written_[expr] = id);
    }
    Value result = args[0];
    for (size_t i = 1; i < args.size(); ++i)
      result = node_ref(insert(function, {result, args[i]}, value_of(expr)));
    written_[expr] = node_of(result);
    return result;
  }

  void add_assert(const ExprNode* expr) {
    const Value condition = write(expr);
    const std::string message = format("Runtime assertion failed for expression {} on node '{}'",
                                       to_string(expr), graph_.name_of(node_of(condition)));
    insert(kAssert, {condition, Value::string(graph_.store().arena.copy(message))}, {});
    asserted_.insert(expr);
  }

  void assert_range(const ExprNode* symbol) {
    const ValueRange range = env_.range(symbol);
    ExprPool& pool = env_.pool();
    if (const std::optional<int64_t> lower = range.lower.as_int64())
      add_assert(pool.make(ExprKind::kGe, symbol, pool.integer(*lower)));
    // The largest size there is bounds nothing.
    const std::optional<int64_t> upper = range.upper.as_int64();
    if (upper && *upper < INT64_MAX - 1)
      add_assert(pool.make(ExprKind::kLe, symbol, pool.integer(*upper)));
  }

  // The asserts that waited for `symbol`; those that need a further symbol wait for that.
  void add_asserts(const ExprNode* symbol) {
    const auto found = deferred_.find(symbol);
    if (found == deferred_.end()) return;
    const std::vector<const ExprNode*> conditions = std::move(found->second);
    deferred_.erase(found);
    for (const ExprNode* condition : conditions) {
      const std::vector<const ExprNode*> symbols = free_symbols(condition);
      const bool is_known = symbols.size() == 1 && constrained_.count(symbols[0]) != 0 &&
                            is_bound_of_symbol(condition);
      if (is_known || asserted_.count(condition) != 0 || !can_be_written(condition)) continue;
      const ExprNode* missing = nullptr;
      for (const ExprNode* each : symbols) {
        if (written_.count(each) == 0 &&
            (missing == nullptr || to_string(each) < to_string(missing)))
          missing = each;
      }
      if (missing != nullptr) {
        deferred_[missing].push_back(condition);
      } else {
        add_assert(condition);
      }
    }
  }

  Graph& graph_;
  ShapeEnv& env_;
  NodeId next_ = kNoNode;  // where nodes are put before
  std::unordered_map<const ExprNode*, std::vector<const ExprNode*>> deferred_;  // by symbol
  std::unordered_map<const ExprNode*, NodeId> written_;  // the node of an expression
  std::unordered_set<const ExprNode*> asserted_;
  std::unordered_set<const ExprNode*> constrained_;
};

}  // namespace

std::string_view python_function(ExprKind kind) {
  static const std::map<ExprKind, std::string_view> kFunctions = {
      {ExprKind::kAdd, "_operator.add"},
      {ExprKind::kMul, "_operator.mul"},
      {ExprKind::kFloorDiv, "_operator.floordiv"},
      {ExprKind::kMod, "_operator.mod"},
      {ExprKind::kPythonMod, "_operator.mod"},
      {ExprKind::kMax, "torch.sym_max"},
      {ExprKind::kMin, "torch.sym_min"},
      {ExprKind::kPowByNatural, "_operator.pow"},
      {ExprKind::kEq, "_operator.eq"},
      {ExprKind::kNe, "_operator.ne"},
      {ExprKind::kLt, "_operator.lt"},
      {ExprKind::kLe, "_operator.le"},
      {ExprKind::kGt, "_operator.gt"},
      {ExprKind::kGe, "_operator.ge"},
      {ExprKind::kAnd, "_operator.and_"},
      {ExprKind::kOr, "_operator.or_"},
      {ExprKind::kNot, "torch.sym_not"}};
  const auto found = kFunctions.find(kind);
  return found == kFunctions.end() ? std::string_view() : found->second;
}

const ExprNode* symbolic_value(const Value& val, ShapeEnv& env) {
  if (val.is(Value::Tag::kInt) && val.as_sym_int().is_symbolic())
    return env.replace(val.as_sym_int().node());
  if (val.is(Value::Tag::kBool) && val.as_sym_bool().is_symbolic())
    return env.replace(val.as_sym_bool().node());
  return val.is(Value::Tag::kSymFloat) ? env.replace(val.as_node()) : nullptr;
}

void insert_runtime_asserts(Graph& graph, ShapeEnv& env) { AssertInserter(graph, env).run(); }

void learn_from_asserts(const Graph& graph, ShapeEnv& env) {
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    for (const UnbackedBinding& binding : graph.bindings(id)) {
      if (binding.path.find(".size()") != std::string::npos)
        env.constrain_range_for_size(env.pool().sym_int(binding.symbol));
    }
    const Node& node = graph.node(id);
    if (graph.text(node.target) != kAssert || node.args.empty()) continue;
    if (!node.args[0].is(Value::Tag::kNodeRef)) continue;
    const Value& condition = graph.node(node_of(node.args[0])).val;
    if (condition.is(Value::Tag::kBool) && condition.as_sym_bool().is_symbolic())
      env.expect_true(condition.as_sym_bool().node());
  }
}

}  // namespace faketensor
