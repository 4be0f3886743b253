// FX text: a graph as str(torch.fx.Graph) prints it, written and read.
//
//   graph():
//       %x : [num_users=1] = placeholder[target=x]
//       %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})
//       return (relu,)
//
// Mirrors Graph.__str__ and Node.format_node (torch/fx/node.py). Strings stand in it without
// quotes, so the text alone does not tell the string "cpu" from a device: the reader goes by the
// schema of a known operator, and takes text elsewhere for the value that it looks like. A tuple is
// printed in round brackets, as is what the output returns.
#pragma once

#include <string>
#include <string_view>

#include "core/graph/program.h"

namespace faketensor {

std::string graph_text(const Graph& graph);
// The line of one node (Node.format_node).
std::string node_text(const Graph& graph, NodeId id);

// A program of one graph, whose sizes are unknown. What stands between ':' and '=' is passed over
// and may be left out, as may "graph():". Raises UnreadableInput with the line, for text that is
// no graph and for a name before its definition.
Program read_graph_text(std::string_view text);

}  // namespace faketensor
