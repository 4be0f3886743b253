#include "core/passes/edited_bodies.h"

#include "core/passes/argument_changes.h"
#include "core/passes/propagate.h"

namespace faketensor {

EditedBodies::EditedBodies(Context& context, std::span<Graph* const> graphs) : context_(context) {
  for (Graph* graph : graphs.subspan(1)) expect(*graph);
}

void EditedBodies::begin_call(const Plan& plan, Row row, std::span<const Value> args) {
  run_condition(context_, nullptr, this, plan, row, args);
}

void EditedBodies::note_first(Graph& graph, const PlanRow& row, const Value& value) {
  const bool has_value = row.kind == RowKind::kPlaceholder
                             ? !value.is_none()
                             : row.kind != RowKind::kOutput && !value.is(Value::Tag::kGraph);
  if (has_value) graph.meta(row.id).val = snapshot_value(context_, value);
}

}  // namespace faketensor
