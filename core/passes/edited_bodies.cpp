#include "core/passes/edited_bodies.h"

#include "core/passes/argument_changes.h"
#include "core/passes/propagate.h"

namespace faketensor {

namespace {

void collect_operands(const Value& value, std::vector<Value>& operands) {
  if (value.is(Value::Tag::kGraph)) return;
  if (!value.is(Value::Tag::kList)) return operands.push_back(value);
  for (const Value& element : value.values()) collect_operands(element, operands);
}

// An input that nothing reads has no other trace than its operand, of which it may be a slice.
Value with_dtype_of(Context& context, const Value& was, const Value& operand) {
  if (!was.is_tensor() || !operand.is_tensor()) return was;
  MetaSpec spec = was.tensor().meta->spec();
  spec.dtype = operand.tensor().dtype();
  return Value(context.make_tensor(context.metas().intern(spec), nullptr));
}

}  // namespace

EditedBodies::EditedBodies(std::span<Graph* const> graphs) {
  for (Graph* graph : graphs.subspan(1)) bodies_.emplace(graph, graph);
}

void EditedBodies::edit(Context& context, const Plan& plan, Row row, std::span<Value> args) {
  note_inputs(args);
  run_condition(context, *this, plan, row, args);
  if (!bodies_.contains(&plan.graph())) return;
  Values& values = values_[&plan.graph()];
  const std::span<const Value> written = plan.row(row).args;
  for (size_t i = 0; i < args.size() && i < written.size(); ++i)
    note(plan, values, written[i], args[i]);
}

void EditedBodies::note(const Plan& plan, Values& values, const Value& written,
                        const Value& given) {
  if (written.is(Value::Tag::kNodeRef)) {
    values.emplace(plan.row(Row{written.node()}).id, given);
  } else if (written.is(Value::Tag::kList) && given.is_list() && given.size() == written.size()) {
    for (size_t i = 0; i < written.size(); ++i) note(plan, values, written[i], given[i]);
  }
}

// The inputs of a body are the last operands of what calls it, for all operators that have as many.
void EditedBodies::note_inputs(std::span<const Value> args) {
  std::vector<Value> operands;
  for (const Value& arg : args) {
    if (!arg.is(Value::Tag::kGraph)) continue;
    const Graph& body = arg.graph();
    if (!bodies_.contains(&body) || inputs_.contains(&body)) continue;
    if (operands.empty())
      for (const Value& each : args) collect_operands(each, operands);
    const size_t count = body.plan()->input_count();
    if (count > operands.size()) continue;
    inputs_[&body].assign(operands.end() - static_cast<std::ptrdiff_t>(count), operands.end());
  }
}

void EditedBodies::finish(Context& context) {
  for (auto& [body, values] : values_) {
    Graph& graph = *bodies_.at(body);
    const std::vector<Value>& inputs = inputs_[body];
    std::map<NodeId, std::vector<Value>> containers;
    size_t input = 0;
    for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
      const Node& node = graph.node(id);
      const auto found = values.find(id);
      if (found != values.end()) {
        graph.meta(id).val = found->second.is(Value::Tag::kGraph)
                                 ? found->second
                                 : snapshot_value(context, found->second);
      } else if (node.kind == NodeKind::kPlaceholder && input < inputs.size()) {
        graph.meta(id).val = with_dtype_of(context, node.val, inputs[input]);
      }
      if (node.kind == NodeKind::kPlaceholder) ++input;
      if (!is_getitem(graph, node) || found == values.end()) continue;
      // What returns several values is read by its elements alone.
      const NodeId of = node_of(node.args[0]);
      const Value was = graph.node(of).val;
      if (!was.is(Value::Tag::kList)) continue;
      std::vector<Value>& elements = containers[of];
      if (elements.empty()) elements.assign(was.values().begin(), was.values().end());
      const auto index = static_cast<size_t>(node.args[1].as_sym_int().as_int());
      if (index < elements.size()) elements[index] = graph.node(id).val;
    }
    for (const auto& [id, elements] : containers)
      graph.meta(id).val = context.make_list(std::span<const Value>(elements));
  }
}

}  // namespace faketensor
