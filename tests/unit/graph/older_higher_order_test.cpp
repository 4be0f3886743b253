// Higher-order operators with the arguments that PyTorch 2.6 and 2.7 gave them.
#include <gtest/gtest.h>

#include "core/graph/fake_tensor_prop.h"
#include "core/support/format.h"
#include "program_builder.h"

namespace faketensor {
namespace {

// Adds a graph of two inputs that returns their sum and the second of them.
Value sum_graph(Program& program) {
  Graph& graph = program.add_graph();
  std::vector<Value> inputs;
  for (const char* name : {"carry", "x"}) {
    Node node;
    node.kind = NodeKind::kPlaceholder;
    node.name = program.strings().intern(name);
    inputs.push_back(ref(graph.add(node)));
  }
  Node add;
  add.op = Registry::builtin().find("aten::add.Tensor");
  add.name = program.strings().intern("add");
  const Value args[] = {inputs[0], inputs[1], Value::unset()};
  add.args = program.arena().copy(std::span<const Value>(args));
  const Value results[] = {ref(graph.add(add)), inputs[1]};
  const Value list[] = {Value::list(program.arena().copy(std::span<const Value>(results)))};
  Node output;
  output.kind = NodeKind::kOutput;
  output.name = program.strings().intern("output");
  output.args = program.arena().copy(std::span<const Value>(list));
  graph.add(output);
  return Value(&graph);
}

Value list_of(Program& program, std::vector<Value> values) {
  return Value::list(program.arena().copy(std::span<const Value>(values)));
}

std::string sizes_of(const faketensor::Run& run, NodeId node) {
  return format("{}", run.record(node).tensors[0].meta->sizes());
}

TEST(OlderHigherOrder, ScanTakesADimensionAndADirection) {
  ProgramBuilder b;
  const NodeId init = b.input("init", {3});
  const NodeId xs = b.input("xs", {3, 5});
  Program& p = b.program;
  const NodeId scan = b.call("higher_order.scan", {sum_graph(p), list_of(p, {ref(init)}),
                                                   list_of(p, {ref(xs)}), 1, true, list_of(p, {})});
  const NodeId carry = b.getitem(scan, 0);
  const NodeId stacked = b.getitem(scan, 1);
  b.output({carry, stacked});
  const auto run = propagate(p);
  ASSERT_TRUE(run.problems().empty()) << run.problems()[0].message;
  EXPECT_EQ(sizes_of(run, carry), "[3]");
  EXPECT_EQ(sizes_of(run, stacked), "[5, 3]");
}

TEST(OlderHigherOrder, InvokeSubgraphTakesItsOperandsAsAList) {
  ProgramBuilder b;
  const NodeId x = b.input("x", {4, 1});
  const NodeId y = b.input("y", {3});
  Program& p = b.program;
  const NodeId call = b.call("higher_order.invoke_subgraph",
                             {sum_graph(p), Value::string("id"), list_of(p, {ref(x), ref(y)})});
  const NodeId sum = b.getitem(call, 0);
  b.output({sum});
  const auto run = propagate(p);
  ASSERT_TRUE(run.problems().empty()) << run.problems()[0].message;
  EXPECT_EQ(sizes_of(run, sum), "[4, 3]");
}

}  // namespace
}  // namespace faketensor
