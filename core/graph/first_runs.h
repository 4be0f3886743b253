// FirstRuns: the values in the graphs of higher-order operators, told once each.
//
// Such a graph has no run of its own: its operator runs it, maybe many times. Of several runs the first
// tells; a graph that no operator runs (the score of flex_attention; not the condition of a loop) is
// never told of. Passes derive from it and say what becomes of a value.
//
//   class Printed final : public FirstRuns {
//     void note_first(Graph& graph, const PlanRow& row, const Value& value) override { ... }
//   };
//   Printed printed;
//   printed.expect(*graph);
//   propagate(program, {.graphs = &printed});
#pragma once

#include <unordered_map>
#include <vector>

#include "core/graph/interpreter.h"

namespace faketensor {

class FirstRuns : public GraphWatcher {
 public:
  // Tells of this one too.
  void expect(Graph& graph) { not_run_.emplace(&graph, &graph); }

  void begin_call(const Plan&, Row, std::span<const Value>) override {}
  void begin_graph(const Graph& graph) final {
    const auto found = not_run_.extract(&graph);
    running_.push_back(found.empty() ? nullptr : found.mapped());
  }
  void note_value(Row row, const Value& value) final {
    Graph* graph = running_.back();
    if (graph != nullptr) note_first(*graph, graph->plan()->row(row), value);
  }
  void note_error(Row, const Error&) final {}
  void end_graph() final { running_.pop_back(); }
  bool is_recording() const final { return true; }

 protected:
  // `row` is one of `graph`, placeholders and the output among them.
  virtual void note_first(Graph& graph, const PlanRow& row, const Value& value) = 0;

 private:
  std::unordered_map<const Graph*, Graph*> not_run_;
  std::vector<Graph*> running_;  // the innermost last; null where another run has told
};

}  // namespace faketensor
