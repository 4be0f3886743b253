// Graphs run in a mode that a pass makes, for what it has to know of their values.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/passes/pass.h"

namespace faketensor {

// A mode of the subject's own (PassSubject::made_modes), and the real inputs as its fakes.
FakeTensorMode& make_mode(PassSubject& subject, bool has_shape_env, bool has_static_sizes,
                          std::vector<Value>& inputs);

// Runs the nodes in order; `on_value` is told each value as it is made. Raises what a node raises,
// with the node.
void run_nodes(FakeTensorMode& mode, const Graph& graph, std::span<const Value> inputs,
               const std::function<void(NodeId, const Value&)>& on_value);

}  // namespace faketensor
