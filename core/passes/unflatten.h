// unflatten: the modules that a program was exported from, each with a graph of its own.
//
// An exported program is one flat graph; its nodes say which module instance they ran in. Here each
// instance becomes a module that is called: it takes the values that it uses, returns those that are
// used outside, and fetches its parameters, buffers and constants as attributes. A module that is
// called several times is one module where its graphs are equal, "mid" and "mid@1" where they are not.
// Mirrors torch.export.unflatten (torch/export/unflatten.py).
//
//   const UnflattenedModules modules = unflatten(program, program.graph());
//   for (const auto& [path, graph] : modules.graphs) ... graph_text(*graph) ...
//
// A module whose calling convention was preserved is called with what the program called it with:
// arguments are put together and taken apart by pytree specs, attributes that `specs` has
// (outline.h). Several calls of one are a module that counts its calls, `dispatched`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/graph/program.h"
#include "core/passes/pass.h"

namespace faketensor {

struct UnflattenedModules {
  const Graph* root = nullptr;
  // All modules that have a graph, by their paths, those of higher-order operators among them; the
  // root's is empty. Depth first.
  std::vector<std::pair<std::string, const Graph*>> graphs;
  // What modules that count their calls run, by the names of the calls.
  std::vector<std::pair<std::string, const Graph*>> dispatched;
  // "mid._spec_0", and the spec as PyTorch's treespec_loads reads it.
  std::vector<std::pair<std::string, std::string>> specs;
};

// New graphs of the program. `graph` is the program's own, or one with the same inputs and outputs.
// Raises what PyTorch raises: ValueError for a call that no module is known of, RuntimeError for a
// module that runs inside of one which is not above it.
UnflattenedModules unflatten(Program& program, const Graph& graph);

// As a pass: the root becomes the graph of the subject, whose submodules the others are.
PassResult unflatten_pass(PassSubject& subject, const PassOptions& options);

}  // namespace faketensor
