#include "core/passes/program_values.h"

#include <unordered_set>

#include "core/graph/operand_tuples.h"
#include "core/mode/unbacked_bindings.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

class ValueMaker {
 public:
  ValueMaker(Graph& graph, FakeTensorMode& mode) : graph_(graph), mode_(mode) {}

  void run() {
    for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id)) {
      NodeMeta& meta = graph_.meta(id);
      if (graph_.node(id).kind == NodeKind::kGetAttr && meta.val.is(Value::Tag::kGraph)) {
        graph_.add_submodule(graph_.target_of(id), meta.val.graph());
        continue;
      }
      if (meta.recorded != nullptr) {
        meta.val = Value(mode_.from_meta(*meta.recorded));
      } else if (graph_.node(id).kind == NodeKind::kOutput || is_traced_check(id)) {
        meta.val = Value::unset();
      }
    }
    for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id)) collect_elements(id);
    for (const NodeId id : graph_.order()) {
      if (is_unused_element(id)) graph_.erase(id);
    }
    for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id)) bind_symbols(id);
    make_operand_tuples(graph_);
  }

 private:
  // Tracers leave operators that return nothing without a value, and name them after the packet;
  // what passes insert is named after the overload, and propagated.
  bool is_traced_check(NodeId id) const {
    const OpId op = graph_.store().op_of(graph_.node(id).target);
    return graph_.node(id).kind == NodeKind::kCallFunction && op != kNoOp &&
           Registry::builtin().entry(op).schema.returns.empty() &&
           graph_.name_of(id).find("_default") == std::string_view::npos;
  }

  void collect_elements(NodeId id) {
    std::vector<Value> elements;
    for (const NodeId user : graph_.users(id)) {
      const Node& node = graph_.node(user);
      if (!is_getitem(graph_, node)) return;
      const auto index = static_cast<size_t>(node.args[1].as_sym_int().as_int());
      if (index >= elements.size()) elements.resize(index + 1);
      elements[index] = node.val;
    }
    if (!elements.empty()) graph_.meta(id).val = mode_.context().make_list(elements);
  }

  // The exporter names the elements that it has no node for "split_unused_1".
  bool is_unused_element(NodeId id) const {
    const Node& node = graph_.node(id);
    if (!is_getitem(graph_, node) || !graph_.users(id).empty()) return false;
    const NodeId container = node_of(node.args[0]);
    return graph_.name_of(id) ==
           format("{}_unused_{}", graph_.name_of(container), node.args[1].as_sym_int().as_int());
  }

  void bind_symbols(NodeId id) {
    const Value& val = graph_.node(id).val;
    std::vector<UnbackedBinding> bindings;
    const auto bind = [&](const Value& value, const std::string& path) {
      if (!value.is(Value::Tag::kInt) || !value.as_sym_int().is_symbolic()) return;
      const ExprNode* symbol = value.as_sym_int().node();
      const bool is_unbacked =
          symbol->kind == ExprKind::kSymbol && !mode_.context().shape_env()->hint(symbol);
      if (is_unbacked && bound_.insert(symbol).second) bindings.push_back({symbol, path});
    };
    const auto bind_tensor = [&](const Value& value, const std::string& path) {
      if (!value.is_tensor()) return;
      for (size_t dim = 0; dim < value.tensor().sizes().size(); ++dim)
        bind(value.tensor().sizes()[dim], format("{}.size()[{}]", path, dim));
    };
    bind(val, "");
    bind_tensor(val, "");
    for (size_t i = 0; val.is(Value::Tag::kList) && i < val.size(); ++i) {
      bind(val[i], format("[{}]", i));
      bind_tensor(val[i], format("[{}]", i));
    }
    const bool is_call = graph_.node(id).kind == NodeKind::kCallFunction;
    if (is_call && !bindings.empty()) graph_.set_bindings(id, std::move(bindings));
  }

  Graph& graph_;
  FakeTensorMode& mode_;
  std::unordered_set<const ExprNode*> bound_;
};

}  // namespace

void make_values(Program& program, FakeTensorMode& mode) {
  for (const std::shared_ptr<Graph>& graph : program.graphs()) ValueMaker(*graph, mode).run();
}

}  // namespace faketensor
