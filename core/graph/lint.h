// lint: what torch.fx.Graph.lint refuses in a graph.
//
// The verifier lists everything that is wrong; this raises the first, in PyTorch's words.
#pragma once

#include "core/graph/graph.h"

namespace faketensor {

// Raises RuntimeError for a name that two nodes have, and for an argument that is a later node.
void lint(const Graph& graph);

}  // namespace faketensor
