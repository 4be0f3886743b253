// unlift: a program as the module it was exported from.
//
// An exported program takes its parameters, buffers and constants as inputs, and returns what becomes
// of them. In a module they are attributes: they are fetched where the placeholders were, and what
// they become is copied into them. Mirrors ExportedProgram.module() (torch/export/_unlift.py), whose
// check of the inputs, `_guards_fn`, is a module of which no graph is known.
#pragma once

#include "core/graph/program.h"

namespace faketensor {

// A new graph of the program. `graph` is the program's own, or one with the same inputs and outputs.
Graph& unlift(Program& program, const Graph& graph);

}  // namespace faketensor
