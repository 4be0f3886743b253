// A run as files for other programs: a table for spreadsheets, drawings for Graphviz and Mermaid.
//
//   csv_table(run)         // name,target,shape,strides,dtype,device,bytes
//   dot_graph(run)         // digraph { n0 [label="x\nf32[2, 3]"] ... n0 -> n1 }
//   mermaid_graph(run)     // flowchart TD ...
//
// Sizes that are symbolic stand as expressions: what is called here runs in a scope of
// Run::shape_env().
#pragma once

#include <string>

#include "core/graph/fake_tensor_prop.h"

namespace faketensor {

// A line per node. A node whose value is no tensor has empty fields; `bytes` are those of the
// value's elements. Lists are written as "[2, 3]".
std::string csv_table(const Run& run);

// Nodes in order with their values, an edge from each value to what uses it. Parameters and buffers
// are left out, and so are numbers. Raises Usage for graphs too large to be drawn: over 5,000 nodes,
// which Graphviz lays out in minutes.
std::string dot_graph(const Run& run);

// The same for Mermaid, whose own limits are 500 edges and 50,000 characters.
std::string mermaid_graph(const Run& run);

}  // namespace faketensor
