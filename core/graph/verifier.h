// The verifier: what is wrong with the graphs of a program.
//
// Every violation is listed, with its graph and node, so that the author of a pass or a file sees
// all of them at once.
//
//   for (const Violation& violation : violations(program)) ... violation.message ...
#pragma once

#include <string>
#include <vector>

#include "core/graph/program.h"

namespace faketensor {

struct Violation {
  const Graph* graph = nullptr;
  NodeId node = kNoNode;  // kNoNode: of the graph as a whole
  std::string message;    // names the node
};

// In order of graphs and nodes: an argument that names a node which is erased, later or none; a
// placeholder after a call, an output that is not the last node, a graph without one; a name that
// two nodes have; more keywords than arguments, and one given twice; a subgraph of another program.
std::vector<Violation> violations(const Program& program);

// Raises ValueError with the violations, the first ones of very many.
void verify(const Program& program);

}  // namespace faketensor
