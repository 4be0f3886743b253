// EditedBodies: the nodes of bodies get the values that they have while the graph around them is run.
//
// The condition of a loop, which PyTorch's fake implementation does not run, is run for that. A body that
// nothing runs keeps the values that it has.
//
//   EditedBodies bodies(mode.context(), reachable_graphs(subject));
//   propagate_edited(mode, graph, notes, &bodies);
#pragma once

#include <span>

#include "core/graph/first_runs.h"

namespace faketensor {

class EditedBodies final : public FirstRuns {
 public:
  // The first of the graphs is the one around them, whose values are not this one's concern.
  EditedBodies(Context& context, std::span<Graph* const> graphs);

  void begin_call(const Plan& plan, Row row, std::span<const Value> args) override;

 private:
  void note_first(Graph& graph, const PlanRow& row, const Value& value) override;

  Context& context_;
};

}  // namespace faketensor
