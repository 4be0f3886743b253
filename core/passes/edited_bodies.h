// EditedBodies: the nodes of bodies get the values that they have while the graph around them is run.
//
// A body has no run of its own: a higher-order operator runs it, maybe many times. Of several runs the
// first tells. A body that no operator runs (the score of flex_attention; not the condition of a loop)
// keeps the values that it has.
//
//   EditedBodies bodies(mode.context(), reachable_graphs(subject));
//   propagate_edited(mode, graph, notes, &bodies);
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "core/graph/interpreter.h"

namespace faketensor {

class EditedBodies final : public GraphWatcher {
 public:
  // The first of the graphs is the one around them, whose values are not this one's concern.
  EditedBodies(Context& context, std::span<Graph* const> graphs);

  void begin_call(const Plan& plan, Row row, std::span<const Value> args) override;
  void begin_graph(const Graph& graph) override;
  void note_value(Row row, const Value& value) override;
  void note_error(Row, const Error&) override {}
  void end_graph() override { running_.pop_back(); }
  bool is_recording() const override { return true; }

 private:
  Context& context_;
  std::unordered_map<const Graph*, Graph*> not_run_;
  std::vector<Graph*> running_;  // the innermost last; null where another run has told
};

}  // namespace faketensor
