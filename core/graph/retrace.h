// Retracing: a graph run in a mode, and the graph that comes of it.
//
// What ExportedProgram.run_decompositions does where every operator that it meets is kept: each
// composite operator is taken apart into those it calls, arguments are complete, results are what
// the mode's fakes say now, and runtime asserts are inserted anew. Names come out as PyTorch's: see
// Note [Names that a trace takes].
//
//   learn_from_asserts(program.graph(), *mode.context().shape_env());
//   const Program decomposed = retrace(program.graph(), mode);
//
// Operators of PyTorch's table of core decompositions stay whole, and in-place operators are not
// made functional.
#pragma once

#include "core/graph/program.h"
#include "core/mode/mode.h"

namespace faketensor {

// Raises what an operator raises. Values of the result (NodeMeta::val) live in the mode.
Program retrace(const Graph& graph, FakeTensorMode& mode);

}  // namespace faketensor
