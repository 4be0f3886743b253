// Nodes taken out of a graph into a graph of their own, which a call_module node calls.
//
// Mirrors fuse_by_partitions (torch/fx/passes/utils/fuser_utils.py).
//
//   const std::vector<NodeId> part[] = {{sin, cos}};
//   fuse_by_partitions(program, graph, part);   // %fused_0 = call_module[target=fused_0](%x)
#pragma once

#include <span>
#include <vector>

#include "core/graph/program.h"

namespace faketensor {

// Part i becomes the submodule "fused_<i>" of `graph`, a graph of `program`. Nodes stay in the order
// of their part where their dependencies allow it. Raises AssertionError for a part that would
// depend on itself, and for nodes that are erased.
void fuse_by_partitions(Program& program, Graph& graph,
                        std::span<const std::vector<NodeId>> partitions);

// The place of each node in the graph's order, by id.
std::vector<size_t> places_of(const Graph& graph);

// Whether no node outside depends on the part and is needed by it. With the places of a graph whose
// nodes are in order only what stands between the part's nodes is looked at.
bool validate_partition(const Graph& graph, std::span<const NodeId> partition,
                        std::span<const size_t> places = {});

}  // namespace faketensor
