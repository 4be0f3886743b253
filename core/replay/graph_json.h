// Graphs as JSON, both ways: the nodes of tests/conformance/SYSTEMS.md.
//
//   {"nodes": [{"name": "relu", "op": "call_function", "target": "aten.relu.default",
//               "args": [{"n": "x"}], "users": 1, "val": T, "unbacked_bindings": {}}]}
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/graph/program.h"
#include "core/io/value_json.h"

namespace faketensor {

// A program of one graph with its values made in `mode`, whose ShapeEnv gets the unbacked symbols of the
// bindings. Raises Unreadable for JSON that is no graph; nodes name earlier ones only.
Program read_graph(const nlohmann::json& graph, FakeTensorMode& mode, ValueWriter& writer);
void write_graph(JsonWriter& json, const Graph& graph, ValueWriter& writer);

}  // namespace faketensor
