// Retracing: a graph run in a mode, and the graph that comes of it.
//
// What ExportedProgram.run_decompositions does where every operator that it meets is kept: each
// composite operator is taken apart into those it calls, arguments are complete, results are what
// the mode's fakes say now, and runtime asserts are inserted anew. Names come out as PyTorch's: see
// Note [Names that a trace takes].
//
//   learn_from_asserts(graph, *mode.context().shape_env());
//   const FxGraph decomposed = retrace(graph, mode);
//
// Operators of PyTorch's table of core decompositions stay whole, and in-place operators are not
// made functional.
#pragma once

#include "core/graph/fx_graph.h"
#include "core/mode/mode.h"

namespace faketensor {

// Raises what an operator raises.
FxGraph retrace(const FxGraph& graph, FakeTensorMode& mode);

}  // namespace faketensor
