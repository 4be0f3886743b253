#include <algorithm>

#include "core/mode/rebind_unbacked.h"
#include "core/passes/export_pass.h"
#include "core/passes/propagate.h"
#include "core/support/target_name.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

// Whether a value is what another was, gradients apart: those of a file were recorded with them, and
// values are computed without.
bool is_same(Context& context, const Value& a, const Value& b) {
  if (a.is_tensor() && b.is_tensor()) {
    MetaSpec spec = a.tensor().meta->spec();
    spec.flags = static_cast<uint16_t>((spec.flags & ~kRequiresGrad) |
                                       (b.tensor().meta->flags() & kRequiresGrad));
    return context.metas().intern(spec) == b.tensor().meta;
  }
  if (a.is_list() && b.is_list()) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (!is_same(context, a[i], b[i])) return false;
    return true;
  }
  if (a.tag() != b.tag()) return a.is_none() && b.is_unset();
  if (a.is(Value::Tag::kInt)) return a.as_sym_int().word() == b.as_sym_int().word();
  if (a.is(Value::Tag::kBool)) return a.as_sym_bool().word() == b.as_sym_bool().word();
  if (a.is(Value::Tag::kFloat)) return a.as_double() == b.as_double();
  if (a.is(Value::Tag::kSymFloat)) return a.as_node() == b.as_node();
  return a.is_none() || a.is_unset();
}

// The symbols that a node had bound stand for those that it binds now. Mirrors rebind_unbacked.
void bind_again(ShapeEnv& env, Graph& graph, NodeId id, const Value& value) {
  std::vector<UnbackedBinding> bindings = rebind_unbacked(env, graph.bindings(id), value);
  if (!bindings.empty()) graph.set_bindings(id, std::move(bindings));
}

bool is_run(const Interpreter& interpreter, const Plan& plan, Row row) {
  const PlanRow& at = plan.row(row);
  if (at.kind == RowKind::kPlaceholder || at.kind == RowKind::kOutput) return false;
  const std::string_view target = plan.target_of(row);
  const bool is_unknown = at.kind == RowKind::kCall && at.op == kNoOp &&
                          is_dispatcher_target(target) &&
                          interpreter.find_operator(target) == kNoOp;
  return plan.node(row).kind == NodeKind::kCallFunction && !is_unknown;
}

}  // namespace

void ValueNotes::note(const Graph& graph, NodeId id) {
  if (index_of(id) >= noted_.size()) noted_.resize(graph.id_count());
  const Node& node = graph.node(id);
  noted_[index_of(id)] = {node.target, node.args.data(), true};
}

void ValueNotes::note_all(const Graph& graph) {
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) note(graph, id);
}

bool ValueNotes::is_edited(const Graph& graph, NodeId id) const {
  const Node& node = graph.node(id);
  if (index_of(id) >= noted_.size() || !noted_[index_of(id)].is_noted)
    return node.val.is_none() || node.val.is_unset();
  const Noted& noted = noted_[index_of(id)];
  return noted.target != node.target || noted.args != node.args.data();
}

size_t propagate_edited(FakeTensorMode& mode, Graph& graph, ValueNotes& notes,
                        GraphWatcher* watcher) {
  Context& context = mode.context();
  context.grad_enabled = false;
  Interpreter interpreter(context);
  interpreter.watch(watcher);
  const std::shared_ptr<const Plan> plan = graph.plan();
  std::vector<Value> values(plan->size());
  std::vector<bool> is_changed(graph.id_count(), false);
  size_t count = 0;
  for (Row row = 0; row < plan->size(); ++row) {
    const NodeId id = plan->row(row).id;
    bool is_touched = notes.is_edited(graph, id);
    for (const Value& arg : graph.node(id).args) {
      for_each_node(arg,
                    [&](NodeId used) { is_touched = is_touched || is_changed[index_of(used)]; });
    }
    const Value was = graph.node(id).val;
    values[row] = was;
    if (!is_touched || !is_run(interpreter, *plan, row)) continue;
    ++count;
    try {
      values[row] = interpreter.run_row(*plan, row, values);
    } catch (const Error& error) {
      throw_at_node(error, graph, id);
    }
    if (context.shape_env() != nullptr) bind_again(*context.shape_env(), graph, id, values[row]);
    is_changed[index_of(id)] = !is_same(context, values[row], was);
    if (is_changed[index_of(id)]) graph.meta(id).val = snapshot_value(context, values[row]);
  }
  notes.note_all(graph);
  return count;
}

}  // namespace faketensor
