// Outlining: a flat graph cut into the graphs of the modules in whose calls its nodes ran. For
// unflatten.cpp, which says what becomes of them.
//
// A module's graph takes the values that it uses and returns those that are used outside. Where the
// signature of its call was kept, it takes and returns what the call did: arguments are put
// together and taken apart by tree_unflatten and tree_flatten_spec, whose specs are attributes of
// the module ("_spec_0"). Mirrors _ModuleFrame of torch/export/unflatten.py.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/program.h"
#include "core/passes/call_signature.h"
#include "core/passes/unflattened_module.h"

namespace faketensor {

// A call of a module, by which equal ones are found.
struct OutlinedCall {
  std::string parent_path;
  UnflattenedModule* parent = nullptr;
  Graph* parent_graph = nullptr;
  NodeId call = kNoNode;
  std::string path;
  size_t number = 0;
  UnflattenedModule* module = nullptr;
};

struct Outline {
  std::vector<std::unique_ptr<UnflattenedModule>> modules;
  UnflattenedModule* root = nullptr;
  // The calls of each instance, in the order of the first.
  std::vector<std::vector<OutlinedCall>> instances;
  // Where the graph of a higher-order operator is used, and its name in the flat graph.
  std::vector<std::pair<UnflattenedModule*, std::string>> operator_graphs;

  UnflattenedModule& add_module() {
    return *modules.emplace_back(std::make_unique<UnflattenedModule>());
  }
};

// New graphs of the program. Raises what PyTorch raises: ValueError for a node that no module is
// known of, RuntimeError for a module that runs inside of one which is not above it.
Outline outline(Program& program, const Graph& flat, const CallSignatures& signatures);

}  // namespace faketensor
