// Decomposer: runs a graph, and writes the graph of what its operators call.
//
// What PyTorch's AOTAutograd does to an exported program without a backward pass: make_fx over
// FunctionalTensorMode. An operator passes two layers, as there:
//
//   functional   composites are taken apart or kept, writes become values (functional_tensors.h),
//                what the program sees are wrappers
//   traced       operators of the table are taken apart (decomposition_table.h), others are nodes
//                (traced_graph.h); composites again
//
// then its rule answers, unseen. What the steps of a decomposition call is traced, and not
// functional any more, as in PyTorch.
//
//   Decomposer decomposer(program, mode, table);
//   const Decomposed result = decomposer.run(program.graph(), outputs);
//
// Higher-order operators: regions (no_grad, autocast) become what stands in them; the graphs of
// cond, while_loop and the like are run and written in the same way, on the operands' values.
#pragma once

#include <string>
#include <vector>

#include "core/graph/interpreter.h"
#include "core/graph/program.h"
#include "core/mode/mode.h"
#include "core/passes/decompose/decomposition_table.h"

namespace faketensor {

struct Decomposed {
  Graph* graph = nullptr;  // of the program; its inputs are called arg0_1, arg1_1, ...
  // The first results: what became of inputs that the program wrote to, by their numbers.
  std::vector<size_t> written_inputs = {};
};

// `inputs`: a value per placeholder. `outputs`: what the results are; those that are an input's new
// data are written to it first, as the program's module does. Raises what an operator raises, with
// the node that was run.
Decomposed decompose(Program& program, FakeTensorMode& mode, const DecompositionTable& table,
                     const Graph& graph, std::span<const Value> inputs,
                     std::span<const OutputSpec> outputs);

}  // namespace faketensor
