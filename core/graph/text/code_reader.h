// CodeReader: a program from Python as torch.fx prints it, or as people type it.
//
//   def forward(self, x: "f32[batch, 3]", weight: "f32[4, 3]"):
//       linear = torch.ops.aten.linear.default(x, weight)
//       return (linear.relu(),)
//
// What is read: GraphModule.print_readable(), with the classes of submodules in the one they belong
// to; GraphModule.code; str(exported_program), whose signature and ranges are the program's; and
// text that is typed. There a call may stand in another's arguments, an operator's namespace may be
// short ("aten.linear(x, w)"), torch's functions, tensors' methods and Python's operators may be
// called (their overload is found when they run, see packet_call.h), and a parameter is named as
// in a module: `self.linear.weight`, annotated where it is first assigned or in the class.
//
// A statement that cannot be read is a problem of the text; its names stand for values that nobody
// knows, and reading goes on behind it.
#pragma once

#include "core/graph/text/program_builder.h"

namespace faketensor {

// The target of a node that stands for a statement which could not be read.
inline constexpr std::string_view kUnreadableTarget = "unreadable";

// Whether a text begins as such code does.
bool looks_like_code(std::string_view text);

void read_code(TextProgramBuilder& builder);

}  // namespace faketensor
