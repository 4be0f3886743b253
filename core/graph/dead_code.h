// Removal of the nodes that nobody needs.
#pragma once

#include "core/graph/graph.h"

namespace faketensor {

// Removes nodes that nobody uses and that do nothing else. Mirrors Graph.eliminate_dead_code.
void eliminate_dead_code(Graph& graph);

}  // namespace faketensor
