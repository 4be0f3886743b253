#include "core/passes/pass.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/graph/graph_text.h"
#include "core/graph/lint.h"
#include "core/passes/export_pass.h"
#include "core/passes/fuse.h"
#include "core/passes/split.h"
#include "core/passes/topological_sort.h"
#include "core/passes/unlift.h"

namespace faketensor {
namespace {

constexpr const char* kProgram = R"(graph():
    %x : [num_users=3] = placeholder[target=x]
    %sin : [num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%x,), kwargs = {})
    %sin_1 : [num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%x,), kwargs = {})
    %cos : [num_users=0] = call_function[target=torch.ops.aten.cos.default](args = (%x,), kwargs = {})
    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%sin, %sin_1), kwargs = {})
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%add,), kwargs = {})
    return (relu,))";

class PassTest : public testing::Test {
 protected:
  PassTest() : program(read_graph_text(kProgram)), subject{program, mode, &program.graph()} {
    const Value x = mode.empty(DimVector{2, 3}, DType::kFloat32);
    for (const NodeId id : program.graph().order()) program.graph().meta(id).val = x;
  }

  std::string run(std::string_view name, const PassOptions& options = {}) {
    info = find_pass(name)->run(subject, options).info;
    return graph_text(*subject.graph);
  }
  NodeId node(std::string_view name) const {
    for (const NodeId id : subject.graph->order()) {
      if (subject.graph->name_of(id) == name) return id;
    }
    return kNoNode;
  }

  FakeTensorMode mode;
  Program program;
  PassSubject subject;
  std::string info;
};

TEST(Passes, TheTableIsSortedAndEachRowIsFound) {
  EXPECT_TRUE(std::is_sorted(passes().begin(), passes().end(),
                             [](const PassRow& a, const PassRow& b) { return a.name < b.name; }));
  for (const PassRow& row : passes()) EXPECT_EQ(find_pass(row.name), &row);
  EXPECT_EQ(find_pass("split_by_tags/4"), find_pass("split_by_tags"));
  EXPECT_EQ(find_pass("no_such_pass"), nullptr);
}

TEST(Passes, ANameSaysOptions) {
  EXPECT_EQ(read_pass_argument("split_module/7").group_size, 7);
  EXPECT_EQ(read_pass_argument("partitioner/aten.add.Tensor+aten.mul.Tensor").operators.size(), 2U);
  EXPECT_EQ(read_pass_argument("export_pass/aten.add.Tensor=aten.sub.Tensor")
                .rules.replace.at("aten.add.Tensor"),
            "aten.sub.Tensor");
  EXPECT_THROW(read_pass_argument("split_module/none"), Error);
  EXPECT_THROW(read_pass_argument("cse/3"), Error);
}

TEST_F(PassTest, WhatIsComputedTwiceIsComputedOnce) {
  const std::string text = run("cse");
  EXPECT_EQ(text.find("sin_1"), std::string::npos) << text;
  EXPECT_EQ(info, "{\"modified\":true}");
  run("cse");
  EXPECT_EQ(info, "{\"modified\":false}");
}

TEST_F(PassTest, DeadCodeGoes) {
  EXPECT_EQ(run("dce").find("cos"), std::string::npos);
  EXPECT_EQ(info, "{\"changed\":true}");
}

TEST_F(PassTest, PartsOfSupportedOperatorsBecomeModules) {
  PassOptions options;
  options.operators = {"aten.add.Tensor", "aten.relu.default"};
  const std::string text = run("partitioner", options);
  EXPECT_NE(
      text.find("%fused_0 : [num_users=1] = call_module[target=fused_0](args = (%sin, %sin_1)"),
      std::string::npos)
      << text;
  EXPECT_EQ(info, "{\"partitions\":[[\"add\",\"relu\"]]}");
  EXPECT_EQ(subject.graph->submodules().size(), 1U);
}

TEST_F(PassTest, APartThatWouldWaitForItselfIsRefused) {
  const std::vector<NodeId> parts[] = {{node("sin"), node("relu")}};
  EXPECT_FALSE(validate_partition(*subject.graph, parts[0]));
  try {
    fuse_by_partitions(program, *subject.graph, parts);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kAssertionError);
    EXPECT_EQ(error.message(), "Invalid partition, found dependency cycles");
  }
}

TEST_F(PassTest, GroupsOfNodesBecomeModulesInOrder) {
  PassOptions options;
  options.group_size = 3;
  const std::string text = run("split_by_tags", options);
  EXPECT_NE(text.find("%part_0 : [num_users=2] = call_module[target=part_0](args = (%x,)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("%part_1 : [num_users=1] = call_module[target=part_1](args = (%getitem, "
                      "%getitem_1)"),
            std::string::npos)
      << text;
}

TEST_F(PassTest, ANodeWithoutATagIsRefused) {
  const std::string tags[] = {"a"};
  EXPECT_THROW(split_by_tags(program, *subject.graph, tags, {}), Error);
}

TEST_F(PassTest, APatternIsReplacedWhereverItStands) {
  PassOptions options;
  options.pattern.pattern = R"(graph():
    %a : = placeholder[target=a]
    %b : = placeholder[target=b]
    %add : = call_function[target=torch.ops.aten.add.Tensor](args = (%a, %b), kwargs = {})
    %relu : = call_function[target=torch.ops.aten.relu.default](args = (%add,), kwargs = {})
    return (relu,))";
  options.pattern.replacement = R"(graph():
    %a : = placeholder[target=a]
    %b : = placeholder[target=b]
    %maximum : = call_function[target=torch.ops.aten.maximum.default](args = (%a, %b), kwargs = {})
    return (maximum,))";
  const std::string text = run("replace_pattern", options);
  EXPECT_EQ(info, "{\"matches\":[\"relu\"]}");
  EXPECT_NE(text.find("torch.ops.aten.maximum.default](args = (%sin, %sin_1)"), std::string::npos);
  EXPECT_EQ(text.find("relu"), std::string::npos) << text;
}

TEST_F(PassTest, NodesThatWaitForEachOtherHaveNoOrder) {
  const Value args[] = {node_ref(node("relu"))};
  subject.graph->set_arguments(node("sin"), args, {});
  EXPECT_FALSE(stable_topological_sort(*subject.graph));
  EXPECT_THROW(legalize_order(*subject.graph), Error);
  EXPECT_THROW(lint(*subject.graph), Error);
}

TEST_F(PassTest, AParameterBecomesAnAttributeOfTheModule) {
  program.inputs.assign(1, {});
  program.inputs[0] = {InputSpec::Kind::kParameter, program.strings().intern("a.weight"), true};
  program.outputs.assign(1, {});
  const std::string text = graph_text(unlift(program, program.graph()));
  EXPECT_NE(text.find("%a_weight : [num_users=3] = get_attr[target=a.weight]"), std::string::npos)
      << text;
  EXPECT_NE(text.find("call_module[target=_guards_fn](args = ()"), std::string::npos) << text;
}

TEST_F(PassTest, AManagerSaysWhichPassFailed) {
  subject.graph->set_target(node("relu"), "torch.ops.aten.no_such_operator.default");
  PassOptions options;
  options.passes = {"cse", "export_pass/Identity"};
  try {
    find_pass("pass_manager")->run(subject, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kException);
    EXPECT_EQ(error.message(),
              "An error occurred when running the 'Identity' pass after the following passes: "
              "['CSEPass']");
  }
}

TEST_F(PassTest, AnExportPassSaysAtWhichNodeItFailed) {
  subject.graph->set_target(node("relu"), "torch.nn.functional.relu");
  try {
    run("export_pass");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kExportPassBase);
    EXPECT_NE(error.message().find("Unsupported target type: <function relu at 0x...>\n\nWhile "
                                   "executing %relu : [num_users=1]"),
              std::string::npos)
        << error.message();
  }
}

TEST_F(PassTest, InputsOfTwoModesAreRefused) {
  FakeTensorMode other;
  subject.graph->meta(node("x")).val = other.empty(DimVector{2, 3}, DType::kFloat32);
  try {
    run("export_pass");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "Multiple fake tensor mode detected.");
  }
}

}  // namespace
}  // namespace faketensor
