// Removal of the nodes that nobody needs.
#pragma once

#include "core/graph/graph.h"

namespace faketensor {

// Removes nodes that nobody uses and that do nothing else. Mirrors Graph.eliminate_dead_code. `kept`
// stay whatever their operators are: calls of operators that nobody defined, and that write.
void eliminate_dead_code(Graph& graph, std::span<const NodeId> kept = {});

}  // namespace faketensor
