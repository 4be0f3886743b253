// Modules for a program whose file names none: joint graphs of forward and backward, graphs that
// passes have rewritten, everything written without nn_module_stack. Without them a picture of such
// a program is thousands of boxes beside each other, and its outline a list of as many rows.
//
// A joint graph is parted where the forward ends. Rows that repeat, as the layers of an encoder do,
// become modules "block.0", "block.1", ... of equal content; long runs of other rows become sections
// of about 50, parted where few values are alive. Parts hold consecutive rows, and depend on the
// program alone. Their type begins with "invented": nothing of this is in the file.
//
//   if (program.modules.size() == 1) invent_modules(program);
//   // "forward", "forward.section.0", "forward.block.0", ..., "backward", "backward.block.0", ...
//
// A program of few rows stays as it is.
#pragma once

#include "core/graph/program.h"

namespace faketensor {

// Fills `program.modules` and each node's `module`; a program that has modules is left alone.
void invent_modules(Program& program);

}  // namespace faketensor
