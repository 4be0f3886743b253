// What of a program its pictures show: who reads what, and how nodes are labelled.
//
// For the page (wasm/) and for files (core/command/graph_svg.h), which lay it out by core/layout.
//
//   const InputColumns all = input_columns(plan);
//   const InputColumns drawn = without_plumbing(all, shown_rows(program));
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/graph/program.h"

namespace faketensor {

// The graph as columns, rows being nodes: which rows each row reads, in compressed rows, each once.
struct InputColumns {
  std::vector<uint32_t> start;  // rows + 1
  std::vector<uint32_t> inputs;
};
InputColumns input_columns(const Plan& plan);
// Of a program that shows bodies (bodies.h), what a call's graphs are given is read by their
// placeholders, and the call reads their outputs.
InputColumns input_columns(const Program& program);

// Per row, of which input of the program it is the value, in a body too; null for other rows.
std::vector<const InputSpec*> inputs_shown(const Program& program);

// Without plumbing (plumbing.h, shown_rows): who reads what is left out reads what that hands on, or
// nothing.
InputColumns without_plumbing(const InputColumns& all, const std::vector<Row>& shown);

// How operators are named: the schema's name where a rule is known ("aten::add.Tensor"), else as the
// file spells it; "placeholder", "getitem" and "output" for nodes that are no calls.
std::string_view op_name(const Plan& plan, Row row);
// "aten::linear" and "torch.ops.aten.linear.default" are labelled "linear".
std::string_view op_label(std::string_view op);

// The name of a node, inside of a body without the graph's: "true_graph_0/sin" is "sin".
inline std::string_view node_label(std::string_view name) {
  return name.substr(name.rfind('/') + 1);
}

// Of "model.layers" it is "layers", and of a path that ends in a number the two last: "layers.0".
std::string_view module_label(std::string_view path);
// "torch.nn.modules.linear.Linear" is "Linear".
std::string_view last_component(std::string_view path);

}  // namespace faketensor
