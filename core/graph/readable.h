// Readable text: a graph as GraphModule.print_readable() prints it, Python with the values beside it.
//
//   class GraphModule(torch.nn.Module):
//       def forward(self, x: "f32[2, 8]"):
//           relu: "f32[2, 8]" = torch.ops.aten.relu.default(x);  x = None
//           return (relu,)
//
// A value is set to None behind its last use. Submodules follow their module, indented. Mirrors
// CodeGen._gen_python_code (torch/fx/graph.py) and _print_readable (torch/fx/graph_module.py).
// Values are those of NodeMeta::val, and where it has none the metas that a file records.
#pragma once

#include <string>

#include "core/graph/graph.h"
#include "core/graph/program.h"
#include "core/graph/text/program_text.h"

namespace faketensor {

struct ReadableOptions {
  // "# File: model.py:12 in forward, code: ..." above what comes of a line.
  bool has_source_lines = false;
  // A parameter a line, where there are more than a few.
  bool has_expanded_parameters = false;
  // Strides of inputs that are not contiguous, and devices other than the CPU.
  bool has_unusual_layouts = false;
};

std::string readable_text(const Graph& graph, std::string_view class_name = "GraphModule",
                          const ReadableOptions& options = {});

// What str() of the module is: its code, without values.
std::string module_text(const Graph& graph);
// GraphModule.code: the function alone, with the empty lines that PyTorch has around it.
std::string code_text(const Graph& graph);

// A program as text that read_program_text (text/read_program_text.h) reads to the same program:
// print_readable() with all of the above, then the graph signature and the ranges as
// str(exported_program) has them, and the hints of symbols. The text knows where each node stands.
ProgramText readable_program(const Program& program);

}  // namespace faketensor
