// run_decompositions: a program to core ATen, or to what a table says, without writes.
//
//   PassOptions options;
//   options.operators = {"core_aten", "-aten.linear.default"};
//   run_decompositions(subject, options);
#pragma once

#include "core/passes/pass.h"

namespace faketensor {

// `options.operators` is the table (decomposition_table.h, read_table). Mirrors
// ExportedProgram.run_decompositions: the subject's graph becomes a new one, and the program's
// outputs what its results are. Raises what operators raise, with the node that was run.
PassResult run_decompositions(PassSubject& subject, const PassOptions& options);

}  // namespace faketensor
