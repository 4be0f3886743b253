// Readable text: a graph as GraphModule.print_readable() prints it, Python with the values beside it.
//
//   class GraphModule(torch.nn.Module):
//       def forward(self, x: "f32[2, 8]"):
//           relu: "f32[2, 8]" = torch.ops.aten.relu.default(x);  x = None
//           return (relu,)
//
// A value is set to None behind its last use. Submodules follow their module, indented. Mirrors
// CodeGen._gen_python_code (torch/fx/graph.py) and _print_readable (torch/fx/graph_module.py),
// without the lines that name source files.
#pragma once

#include <string>

#include "core/graph/graph.h"

namespace faketensor {

std::string readable_text(const Graph& graph, std::string_view class_name = "GraphModule");

// What str() of the module is: its code, without values.
std::string module_text(const Graph& graph);

}  // namespace faketensor
