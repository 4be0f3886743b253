// Graphs split into parts, which a new main graph calls as submodules.
//
//   NodeTags tags = {{linear, "front"}, {relu, "back"}};
//   Graph& main = split_by_tags(program, graph, {{"front", "back"}}, tags);
#pragma once

#include <span>
#include <string>
#include <unordered_map>

#include "core/graph/program.h"

namespace faketensor {

using NodeTags = std::unordered_map<NodeId, std::string>;

// Parts come in the order of `tags`. Raises AssertionError for a call without one of them, and for
// one that needs a later part. Mirrors torch.fx.passes.split_utils.split_by_tags.
Graph& split_by_tags(Program& program, const Graph& graph, std::span<const std::string> tags,
                     const NodeTags& node_tags);

// Part `part_of[id]` of each call becomes the submodule "submod_<part>"; parts are called when those
// they need have been. Raises RuntimeError for parts that need each other. Mirrors
// torch.fx.passes.split_module.split_module.
Graph& split_module(Program& program, const Graph& graph,
                    const std::unordered_map<NodeId, int64_t>& part_of);

// Element `index` of what a node of `graph` gives, appended.
NodeId append_getitem(Graph& graph, NodeId container, size_t index);

}  // namespace faketensor
