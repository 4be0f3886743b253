// Higher-order operators with the arguments that PyTorch 2.6 and 2.7 gave them.
#include <gtest/gtest.h>

#include "core/graph/fake_tensor_prop.h"
#include "core/support/format.h"
#include "program_builder.h"

namespace faketensor {
namespace {

// A graph of two inputs that returns their sum and the second of them.
Value sum_graph(Program& program) {
  return graph_of(program, 2, {{"aten.add.Tensor", {ref(0), ref(1)}}}, {ref(2), ref(1)});
}

std::string sizes_of(const faketensor::Run& run, Row node) {
  return format("{}", run.record(node).tensors[0].meta->sizes());
}

TEST(OlderHigherOrder, ScanTakesADimensionAndADirection) {
  ProgramBuilder b;
  const Row init = b.input("init", {3});
  const Row xs = b.input("xs", {3, 5});
  Program& p = b.program;
  const Row scan = b.call("higher_order.scan", {sum_graph(p), list_of(p, {ref(init)}),
                                                list_of(p, {ref(xs)}), 1, true, list_of(p, {})});
  const Row carry = b.getitem(scan, 0);
  const Row stacked = b.getitem(scan, 1);
  b.output({carry, stacked});
  const auto run = propagate(p);
  ASSERT_TRUE(run.problems().empty()) << run.problems()[0].message;
  EXPECT_EQ(sizes_of(run, carry), "[3]");
  EXPECT_EQ(sizes_of(run, stacked), "[5, 3]");
}

TEST(OlderHigherOrder, InvokeSubgraphTakesItsOperandsAsAList) {
  ProgramBuilder b;
  const Row x = b.input("x", {4, 1});
  const Row y = b.input("y", {3});
  Program& p = b.program;
  const Row call = b.call("higher_order.invoke_subgraph",
                          {sum_graph(p), Value::string("id"), list_of(p, {ref(x), ref(y)})});
  const Row sum = b.getitem(call, 0);
  b.output({sum});
  const auto run = propagate(p);
  ASSERT_TRUE(run.problems().empty()) << run.problems()[0].message;
  EXPECT_EQ(sizes_of(run, sum), "[4, 3]");
}

}  // namespace
}  // namespace faketensor
