// A small exported program as JSON, and changes of its text: what tests of the readers start from.
#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "core/io/exported_program.h"

namespace faketensor {

// The nodes by name, in order: "p_w x linear ".
inline std::string names(const Graph& graph) {
  std::string text;
  const Plan& plan = *graph.plan();
  for (Row row = 0; row < plan.size(); ++row) {
    text += plan.name_of(row);
    text += ' ';
  }
  return text;
}
inline std::string names(const Program& program) { return names(program.graph()); }

// x[2, 3] -> linear with a weight -> split into two -> their sum, and x's size as a symbol.
inline std::string sample_program() {
  return R"end({"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "p_w"}}, {"as_tensor": {"name": "x"}}],
 "outputs": [{"as_tensor": {"name": "add"}}],
 "nodes": [
  {"target": "torch.ops.aten.linear.default", "inputs": [
    {"name": "input", "arg": {"as_tensor": {"name": "x"}}, "kind": 1},
    {"name": "weight", "arg": {"as_tensor": {"name": "p_w"}}, "kind": 1}],
   "outputs": [{"as_tensor": {"name": "linear"}}],
   "metadata": {"nn_module_stack": "L__self__,,__main__.M;L__self__l,l,torch.nn.modules.linear.Linear",
    "torch_fn": "linear_1;builtin_function_or_method.linear",
    "stack_trace": "  File \"model.py\", line 7, in forward\n    y = self.l(x)"},
   "is_hop_single_tensor_return": null, "name": "linear"},
  {"target": "torch.ops.demo.halves.default", "inputs": [
    {"name": "x", "arg": {"as_tensor": {"name": "linear"}}, "kind": 1},
    {"name": "dim", "arg": {"as_int": 1}, "kind": 2}],
   "outputs": [{"as_tensor": {"name": "left"}}, {"as_none": true}, {"as_tensor": {"name": "right"}}],
   "metadata": {}, "is_hop_single_tensor_return": null, "name": "halves"},
  {"target": "torch.ops.aten.add.Tensor", "inputs": [
    {"name": "self", "arg": {"as_tensor": {"name": "left"}}, "kind": 1},
    {"name": "alpha", "arg": {"as_int": 2}, "kind": 2},
    {"name": "other", "arg": {"as_tensor": {"name": "right"}}, "kind": 1}],
   "outputs": [{"as_tensor": {"name": "add"}}], "metadata": {}, "is_hop_single_tensor_return": null, "name": "add"}],
 "tensor_values": {
  "p_w": {"dtype": 7, "sizes": [{"as_int": 4}, {"as_int": 3}], "requires_grad": true, "device": {"type": "cpu", "index": null},
   "strides": [{"as_int": 3}, {"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7},
  "x": {"dtype": 7, "sizes": [{"as_expr": {"expr_str": "Symbol('s0', positive=True, integer=True)", "hint": {"as_int": 2}}},
    {"as_int": 3}], "requires_grad": false, "device": {"type": "cuda", "index": 1},
   "strides": [{"as_int": 3}, {"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7},
  "linear": {"dtype": 13, "sizes": [{"as_expr": {"expr_str": "Symbol('s0', positive=True, integer=True)", "hint": {"as_int": 2}}},
    {"as_int": 4}], "requires_grad": false, "device": {"type": "cpu", "index": null},
   "strides": [{"as_int": 4}, {"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7}},
 "sym_int_values": {}, "sym_bool_values": {}, "is_single_tensor_return": false, "custom_obj_values": {}, "sym_float_values": {}},
 "signature": {"input_specs": [{"parameter": {"arg": {"name": "p_w"}, "parameter_name": "l.weight"}},
   {"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
  "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "add"}}}}]},
 "module_call_graph": [{"fqn": "", "signature": {"inputs": [], "outputs": [], "in_spec": "in", "out_spec": "out"}},
   {"fqn": "l", "signature": null}],
 "metadata": {}, "treespec_namedtuple_fields": {}},
 "opset_version": {"aten": 10}, "range_constraints": {"s0": {"min_val": 2, "max_val": 64}},
 "schema_version": {"major": 8, "minor": 20}, "verifiers": ["TRAINING"], "torch_version": "2.13.0", "guards_code": []})end";
}

// The text with the first occurrence of `from` replaced.
inline std::string changed(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}
inline std::string sample_with(std::string_view from, std::string_view to) {
  return changed(sample_program(), from, to);
}

inline Program read_program(std::string text, const ReadLimits& limits = {}) {
  Program program;
  read_exported_program(text, program, limits);
  return program;
}

}  // namespace faketensor
