// Graphs edited: ids, order, users, names; and what the plan and the verifier make of it.
#include "core/graph/graph.h"

#include <gtest/gtest.h>

#include "core/graph/dead_code.h"
#include "core/graph/graph_text.h"
#include "core/graph/verifier.h"

namespace faketensor {
namespace {

constexpr std::string_view kText = R"(graph():
    %x : [num_users=2] = placeholder[target=x]
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})
    %sum_1 : [num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%relu, [1]), kwargs = {dtype: torch.float64})
    %cat : [num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%x, %x, %sum_1],), kwargs = {})
    return (cat,))";

class GraphTest : public testing::Test {
 protected:
  NodeId named(std::string_view name) const {
    for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id))
      if (graph.name_of(id) == name) return id;
    return kNoNode;
  }
  std::string users_of(std::string_view name) const {
    std::string text;
    for (const NodeId user : graph.users(named(name)))
      text += std::string(graph.name_of(user)) + " ";
    return text;
  }
  NodeId call(NodeId next, std::string_view op, std::vector<Value> args) {
    return graph.insert_before(
        next,
        NewNode{.name = name_of_target(op), .target = std::string(op), .args = std::move(args)});
  }
  std::vector<std::string> found() const {
    std::vector<std::string> messages;
    for (const Violation& violation : violations(program)) messages.push_back(violation.message);
    return messages;
  }

  Program program = read_graph_text(kText);
  Graph& graph = program.graph();
};

TEST_F(GraphTest, UsersFollowEveryEdit) {
  EXPECT_EQ(users_of("x"), "relu cat ");
  const NodeId relu = named("relu");
  const NodeId gelu = call(relu, "torch.ops.aten.gelu.default", {node_ref(named("x"))});
  EXPECT_EQ(users_of("x"), "relu cat gelu_default ");
  graph.replace_all_uses(relu, gelu);
  EXPECT_EQ(users_of("gelu_default"), "sum_1 ");
  EXPECT_EQ(users_of("relu"), "");
  graph.erase(relu);
  EXPECT_EQ(users_of("x"), "cat gelu_default ");
  EXPECT_TRUE(graph.is_erased(relu));
  EXPECT_EQ(named("relu"), kNoNode);
  EXPECT_EQ(graph.size(), 5u);
  EXPECT_TRUE(found().empty());
}

TEST_F(GraphTest, AReplacedNodeGoesFromListsToo) {
  const NodeId x = named("x");
  const NodeId relu = named("relu");
  graph.replace_all_uses(x, relu);
  EXPECT_EQ(users_of("x"), "");
  EXPECT_EQ(users_of("relu"), "sum_1 relu cat ");
  EXPECT_NE(graph_text(graph).find("args = ([%relu, %relu, %sum_1],)"), std::string::npos);
}

TEST_F(GraphTest, ANodeInUseIsNotErased) {
  try {
    graph.erase(named("relu"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "Tried to erase Node relu but it still had 1 users in the graph: {sum_1: None}!");
  }
}

TEST_F(GraphTest, NamesAreNeverGivenTwice) {
  const NodeId relu = graph.insert_before(
      named("cat"), NewNode{.name = "relu", .target = "torch.ops.aten.relu.default"});
  EXPECT_EQ(graph.name_of(relu), "relu_1");
  graph.erase(relu);
  EXPECT_EQ(graph.take_name("relu"), "relu_2");
}

TEST_F(GraphTest, RowsAreThoseOfTheOrderAndFollowEdits) {
  EXPECT_EQ(program.find("cat"), 3u);
  const std::shared_ptr<const Plan> before = graph.plan();
  const NodeId gelu = call(named("relu"), "torch.ops.aten.gelu.default", {node_ref(named("x"))});
  graph.replace_all_uses(named("relu"), gelu);
  graph.erase(named("relu"));
  EXPECT_EQ(index_of(gelu), 5u);
  EXPECT_EQ(program.find("gelu_default"), 1u);
  EXPECT_EQ(program.plan().row(2).args[0].node(), 1u);
  // Complete, in the order of the schema: self, dim, keepdim, dtype.
  ASSERT_EQ(program.plan().row(2).args.size(), 4u);
  EXPECT_TRUE(program.plan().row(2).args[2].is_unset());
  EXPECT_TRUE(program.plan().row(2).args[3].is(Value::Tag::kDType));
  // A plan that somebody holds stays what it was.
  EXPECT_EQ(before->name_of(1), "relu");
}

TEST_F(GraphTest, DeadCodeGoesFromTheEnd) {
  const NodeId one = call(named("cat"), "torch.ops.aten.neg.default", {node_ref(named("x"))});
  call(named("cat"), "torch.ops.aten.neg.default", {node_ref(one)});
  call(named("cat"), "torch.ops.aten.relu_.default", {node_ref(named("relu"))});
  eliminate_dead_code(graph);
  EXPECT_EQ(named("neg_default"), kNoNode);
  EXPECT_EQ(named("neg_default_1"), kNoNode);
  EXPECT_NE(named("relu__default"), kNoNode);
}

TEST_F(GraphTest, TheVerifierListsEveryViolation) {
  Graph& other = program.add_graph();
  Node late;
  late.kind = NodeKind::kPlaceholder;
  late.name = program.strings().intern("x");
  const Value later[] = {node_ref(named("cat"))};
  graph.set_arguments(named("relu"), later, {});
  graph.append(late);
  EXPECT_EQ(found(), (std::vector<std::string>{
                         "node 'relu' uses a value that is not computed before it",
                         "a graph has one output, its last node; see 'output'",
                         "placeholder 'x' stands after a call",
                         "a graph has one output, its last node; see 'x'",
                         "a second node of the name 'x'", "a graph has no output node"}));
  EXPECT_EQ(violations(program).back().graph, &other);
  EXPECT_THROW(verify(program), Error);
  EXPECT_THROW(program.plan(), Error);
}

}  // namespace
}  // namespace faketensor
