#include "core/passes/edited_bodies.h"

#include "core/passes/argument_changes.h"
#include "core/passes/propagate.h"

namespace faketensor {

EditedBodies::EditedBodies(Context& context, std::span<Graph* const> graphs) : context_(context) {
  for (Graph* graph : graphs.subspan(1)) not_run_.emplace(graph, graph);
}

void EditedBodies::begin_call(const Plan& plan, Row row, std::span<const Value> args) {
  run_condition(context_, nullptr, this, plan, row, args);
}

void EditedBodies::begin_graph(const Graph& graph) {
  const auto found = not_run_.extract(&graph);
  running_.push_back(found.empty() ? nullptr : found.mapped());
}

void EditedBodies::note_value(Row row, const Value& value) {
  Graph* graph = running_.back();
  if (graph == nullptr) return;
  const PlanRow& at = graph->plan()->row(row);
  const bool has_value = at.kind == RowKind::kPlaceholder
                             ? !value.is_none()
                             : at.kind != RowKind::kOutput && !value.is(Value::Tag::kGraph);
  if (has_value) graph->meta(at.id).val = snapshot_value(context_, value);
}

}  // namespace faketensor
