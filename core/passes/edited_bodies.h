// EditedBodies: what the nodes of bodies are worth while the graph around them is run.
//
// A body has no run of its own: a higher-order operator runs it, maybe many times. Given to an
// interpreter as its editor, this sees what the rows of bodies are called with, and so what those
// before them gave. Of several runs the first tells.
//
//   EditedBodies bodies(reachable_graphs(subject));
//   propagate_edited(mode, graph, notes, &bodies);
//   bodies.finish(mode.context());  // the nodes of bodies have their values
#pragma once

#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/graph/interpreter.h"

namespace faketensor {

class EditedBodies final : public RowEditor {
 public:
  // The first of the graphs is the one around them, whose values are not this one's concern.
  explicit EditedBodies(std::span<Graph* const> graphs);

  void edit(Context& context, const Plan& plan, Row row, std::span<Value> args) override;
  Moved moved_constant(Row) override { return {}; }
  void note_value(Row, const Value&) override {}

  // Writes the values into the nodes.
  void finish(Context& context);

 private:
  using Values = std::map<NodeId, Value>;
  static void note(const Plan& plan, Values& values, const Value& written, const Value& given);
  void note_inputs(std::span<const Value> args);

  std::unordered_map<const Graph*, Graph*> bodies_;
  std::unordered_map<const Graph*, Values> values_;
  std::unordered_map<const Graph*, std::vector<Value>> inputs_;
};

}  // namespace faketensor
