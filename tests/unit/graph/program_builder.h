// Small programs for tests, node by node.
//
//   ProgramBuilder b;
//   const Row x = b.input("x", {2, 3});
//   b.output({b.call("aten.relu.default", {ref(x)})});
//
// Without edits and subgraphs, a node's id is its row.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "core/graph/verifier.h"

namespace faketensor {

class ProgramBuilder {
 public:
  Row input(std::string_view name, std::initializer_list<int64_t> sizes,
            DType dtype = DType::kFloat32, InputSpec::Kind kind = InputSpec::Kind::kUser) {
    DimVector dims;
    for (const int64_t size : sizes) dims.push_back(size);
    Node node;
    node.kind = NodeKind::kPlaceholder;
    node.name = program.strings().intern(name);
    node.recorded = program.metas().intern({.sizes = dims, .dtype = dtype});
    program.inputs.push_back({kind, 0, true});
    return add(node);
  }

  // `target` without "torch.ops."; the node is named after the operator and its number.
  Row call(const std::string& target, std::vector<Value> args, std::string_view module_stack = {}) {
    return call_function("torch.ops." + target, target, std::move(args), module_stack);
  }
  Row call_function(std::string_view target, const std::string& name, std::vector<Value> args,
                    std::string_view module_stack = {}) {
    Node node;
    node.target = program.strings().intern(target);
    node.name = program.strings().intern(name + "_" + std::to_string(program.graph().size()));
    node.module_stack = program.strings().intern(module_stack);
    node.args = program.arena().copy(std::span<const Value>(args));
    return add(node);
  }

  Row getitem(Row from, int64_t index) {
    Node node;
    node.target = program.strings().intern("_operator.getitem");
    node.name = program.strings().intern("getitem_" + std::to_string(program.graph().size()));
    const Value args[] = {Value::node_ref(from), index};
    node.args = program.arena().copy(std::span<const Value>(args));
    return add(node);
  }

  Row output(std::vector<Row> nodes) {
    std::vector<Value> refs;
    for (const Row node : nodes) refs.push_back(Value::node_ref(node));
    const Value list[] = {Value::list(program.arena().copy(std::span<const Value>(refs)))};
    Node node;
    node.kind = NodeKind::kOutput;
    node.name = program.strings().intern("output");
    node.args = program.arena().copy(std::span<const Value>(list));
    const Row row = add(node);
    build_module_tree(program);
    verify(program);
    return row;
  }

  Value ints(std::initializer_list<int64_t> values) {
    DimVector dims;
    for (const int64_t value : values) dims.push_back(value);
    return Value::ints(program.arena().copy(dims.span()));
  }

  Row add(const Node& node) { return static_cast<Row>(program.graph().append(node)); }

  Program program;
};

inline Value ref(Row node) { return Value::node_ref(node); }

inline Value list_of(Program& program, std::vector<Value> values) {
  return Value::list(program.arena().copy(std::span<const Value>(values)));
}

// A graph that an operator holds: its inputs are nodes 0, 1, ..., `steps` the calls behind them.
struct Step {
  std::string op;  // without "torch.ops."
  std::vector<Value> args;
};
inline Value graph_of(Program& program, size_t inputs, const std::vector<Step>& steps,
                      std::vector<Value> outputs) {
  Graph& graph = program.add_graph();
  for (size_t i = 0; i < inputs; ++i) {
    Node node;
    node.kind = NodeKind::kPlaceholder;
    node.name = program.strings().intern("arg" + std::to_string(i));
    graph.append(node);
  }
  for (const Step& step : steps) {
    Node node;
    node.target = program.strings().intern("torch.ops." + step.op);
    node.name = program.strings().intern(step.op + "_" + std::to_string(graph.size()));
    node.args = program.arena().copy(std::span<const Value>(step.args));
    graph.append(node);
  }
  const Value list[] = {list_of(program, std::move(outputs))};
  Node output;
  output.kind = NodeKind::kOutput;
  output.name = program.strings().intern("output");
  output.args = program.arena().copy(std::span<const Value>(list));
  graph.append(output);
  return Value(&graph);
}

}  // namespace faketensor
