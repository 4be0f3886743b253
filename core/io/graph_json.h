// Graphs as JSON, both ways: the nodes of tests/conformance/SYSTEMS.md.
//
//   {"nodes": [{"name": "relu", "op": "call_function", "target": "aten.relu.default",
//               "args": [{"n": "x"}], "users": 1, "val": T, "unbacked_bindings": {}}],
//    "submodules": {"true_graph_0": {"nodes": [...]}}}
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/graph/program.h"
#include "core/io/value_json.h"

namespace faketensor {

class Library;
class ShapeEnv;

// A program of one graph with its values made in `mode`, whose ShapeEnv gets the unbacked symbols of the
// bindings. Raises Unreadable for JSON that is no graph; nodes name earlier ones only.
Program read_graph(const nlohmann::json& graph, FakeTensorMode& mode, ValueWriter& writer);

struct GraphJsonOptions {
  // Nodes may name later ones and two may have one name, for what is wrong with that.
  bool may_be_wrong = false;
};
// Into a graph of `program`, submodules into others; the symbols are in the mode's ShapeEnv already. A value
// that JSON does not tell is unset.
void read_graph_into(Program& program, Graph& graph, const nlohmann::json& json,
                     ValueReader& values, ShapeEnv* env, const Library& library,
                     ValueWriter& writer, const GraphJsonOptions& options = {});
void write_graph(JsonWriter& json, const Graph& graph, ValueWriter& writer);
// One of its nodes. With `marks_floats` a float among its arguments that is whole is {"float": 2}, for
// JavaScript, which reads 2.0 and 2 as one.
void write_node(JsonWriter& json, const Graph& graph, NodeId id, ValueWriter& writer,
                bool marks_floats = false);
// Whether a value is such a float, which is written then.
bool write_whole_float(JsonWriter& json, const Value& value);

// "torch.ops.aten.relu.default" of "aten.relu.default"; functions of Python stay as they are.
std::string full_target(std::string target);
// A value of a mode's memory in an arena that outlives it: a program's, for arguments.
Value kept_argument(Arena& arena, const Value& value);

}  // namespace faketensor
