// One part of a graph that is split: a graph with copies of its nodes, what it reads of other parts
// and what others read of it. split_module and sequential_split differ in how parts come to be and in
// their order; a part is written the same way.
//
//   SplitPart part(from, program.add_graph(), "submod_0");
//   part.inputs.add(x);              // and part.outputs
//   add_inputs(from, part);          // placeholders
//   part.copy.add(relu);
//   NodeId call = append_call(program, part, main, main_copy);
#pragma once

#include <string>
#include <vector>

#include "core/graph/program.h"
#include "core/passes/graph_copy.h"
#include "core/passes/node_set.h"

namespace faketensor {

struct SplitPart {
  SplitPart(const Graph& from, Graph& part, std::string part_name);

  Graph& graph;
  GraphCopy copy;
  std::string name;  // of the submodule
  NodeSet inputs;
  NodeSet outputs;
  std::vector<NodeId> called_with;  // nodes of the split graph; add_inputs fills it
};

// A placeholder for each input. Modules are no arguments: they are fetched inside of the part, behind
// its placeholders.
void add_inputs(const Graph& from, SplitPart& part);

// Ends the part with its outputs and calls it at the end of `main`, in which `main_copy` has what the
// part is called with, and then its outputs: the call, or elements of it.
NodeId append_call(Program& program, SplitPart& part, Graph& main, GraphCopy& main_copy);

}  // namespace faketensor
