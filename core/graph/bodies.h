// Bodies: the graphs that higher-order operators hold, as rows and modules of the program that calls
// them.
//
// For whoever shows a program (the page, pictures). In what `with_bodies` gives, each call of a
// higher-order operator is a module: the nodes of its graphs are rows of it, before the row of the call
// itself, which is drawn to read their outputs. A graph that is called at several places has rows at
// each. A body's placeholder has the operand that it stands for as its argument. Rows of bodies are not
// run where they stand; they get the values that they had when their call ran them (body_values.h).
// What runs is what the file has, and rows of the file's own graph answer the same.
//
//   const Program shown = with_bodies(program);   // a shared one; "true_graph_0/sin", then "cond"
//   const Run run = propagate(shown, {.values_of_bodies = true});
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/graph/program.h"

namespace faketensor {

// A graph where it is called.
struct Body {
  const Graph* graph = nullptr;
  Row call = kNoRow;      // of the program, as are:
  std::vector<Row> rows;  // of each row of the graph's plan
};

class Bodies {
 public:
  // A call's own come one after the other, those inside of one of them later.
  std::span<const Body> all() const { return bodies_; }
  bool is_body(Row row) const { return in_body_[row]; }
  // The program as it was, and a row's node in it; kNoNode in a body.
  const Program& original() const { return *original_; }
  NodeId original_id(Row row) const { return ids_[row]; }
  // By number, [first, second) are the bodies of the call at that row.
  std::pair<size_t, size_t> of_call(Row row) const;

 private:
  friend class Unfolder;
  std::shared_ptr<const Program> original_;
  std::vector<NodeId> ids_;  // by row
  std::vector<Body> bodies_;
  std::vector<bool> in_body_;  // by row
  std::unordered_map<Row, std::pair<size_t, size_t>> calls_;
};

bool calls_graphs(const Graph& graph);
// Whether a node of the program calls graphs.
inline bool has_bodies(const Program& program) {
  return program.graphs().size() > 1 && calls_graphs(program.graph());
}
// Shares the memory of `program` and keeps it; nodes have other ids and rows. Graphs beyond some hundred
// thousand rows in all stay folded.
Program with_bodies(std::shared_ptr<const Program> program);
// What a file holds of a program that shows bodies; any other program itself.
const Program& without_bodies(const Program& program);

}  // namespace faketensor
