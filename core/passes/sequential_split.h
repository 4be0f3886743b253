// sequential_split: a graph cut into parts that follow each other, each a graph of its own.
//
// The new main graph calls them in order, as "submod_<number>". A part begins where `begins_part`
// says so of a node; parts are numbered from 0, and what stands before the first such node is part 0.
// What sets a state for all that follows (grad mode, autocast) is repeated in each part that it
// reaches. Mirrors sequential_split (torch/_export/utils.py), which is split_module in the order of
// the graph and with its names.
//
//   const SequentialParts parts = sequential_split(program, graph, starts_region);
//   for (const auto& [call, part] : parts.calls) ... parts.main->node(call).args ...
#pragma once

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/program.h"

namespace faketensor {

inline constexpr std::string_view kSetGradEnabled = "torch._C._set_grad_enabled";
inline constexpr std::string_view kEnterAutocast = "torch.amp.autocast_mode._enter_autocast";
inline constexpr std::string_view kExitAutocast = "torch.amp.autocast_mode._exit_autocast";

struct SequentialParts {
  Graph* main = nullptr;
  // The calls of the main graph, in order. Its list of submodules does not name them yet.
  std::vector<std::pair<NodeId, Graph*>> calls;
};

// `begins_part` is asked of each node once, in order. Raises AssertionError for an autocast region
// that is never left.
SequentialParts sequential_split(Program& program, const Graph& graph,
                                 const std::function<bool(NodeId)>& begins_part);

}  // namespace faketensor
