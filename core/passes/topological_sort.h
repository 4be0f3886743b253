// The order of a graph's nodes, made anew after edits that left a node before what it needs.
//
// Mirrors legalize_graph and stable_topological_sort (torch/fx/passes/tools_common.py).
#pragma once

#include "core/graph/graph.h"

namespace faketensor {

// As near to the old order as dependencies allow. False where nodes depend on each other in a
// circle; the order is then as it was.
bool stable_topological_sort(Graph& graph);
// First come, first served, but for checks, which come as early as they can. Raises RuntimeError
// for a circle.
void legalize_order(Graph& graph);

}  // namespace faketensor
