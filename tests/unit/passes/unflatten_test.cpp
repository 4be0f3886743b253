#include "core/passes/unflatten.h"

#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "core/graph/graph_text.h"

namespace faketensor {
namespace {

// A program of FX text whose calls ran in the modules that are said for them.
class UnflattenTest : public testing::Test {
 protected:
  void read(const char* text, const std::vector<std::pair<std::string, std::string>>& stacks,
            std::vector<std::string> weights = {}) {
    program.emplace(read_graph_text(text));
    Graph& graph = program->graph();
    for (const auto& [name, stack] : stacks) {
      for (const NodeId id : graph.order())
        if (graph.name_of(id) == name)
          graph.meta(id).module_stack = program->strings().intern(stack);
    }
    program->inputs.clear();
    program->outputs.clear();
    for (const std::string& weight : weights)
      program->inputs.push_back(
          {.kind = InputSpec::Kind::kParameter, .target = program->strings().intern(weight)});
    program->inputs.emplace_back();
    program->outputs.resize(1);
  }
  std::map<std::string, std::string> run() {
    std::map<std::string, std::string> texts;
    for (const auto& [path, graph] : unflatten(*program, program->graph()).graphs)
      texts.emplace(path, graph_text(*graph));
    return texts;
  }

  std::optional<Program> program;
};

constexpr const char* kLayerAndActivation = R"(graph():
    %p_a_weight : [num_users=1] = placeholder[target=p_a_weight]
    %x : [num_users=1] = placeholder[target=x]
    %mm : [num_users=1] = call_function[target=torch.ops.aten.mm.default](args = (%x, %p_a_weight), kwargs = {})
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%mm,), kwargs = {})
    return (relu,))";

TEST_F(UnflattenTest, AModuleIsCalledAndFetchesItsParameters) {
  read(kLayerAndActivation, {{"mm", ",,Net;a,a,Linear"}, {"relu", ",,Net"}}, {"a.weight"});
  const auto texts = run();
  EXPECT_EQ(texts.size(), 2u);
  EXPECT_EQ(texts.at(""), R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %a : [num_users=1] = call_module[target=a](args = (%x,), kwargs = {})
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%a,), kwargs = {})
    return (relu,))");
  EXPECT_EQ(texts.at("a"), R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %weight : [num_users=1] = get_attr[target=weight]
    %mm : [num_users=1] = call_function[target=torch.ops.aten.mm.default](args = (%x, %weight), kwargs = {})
    return mm)");
}

// Recorded from PyTorch: mod(x, k=y) of preserve_module_call_signature=("a",), which returns a tensor.
constexpr const char* kSignature =
    R"({"inputs": [{"as_tensor": {"name": "x"}}, {"as_int": 3}, {"as_tensor": {"name": "y"}}],
        "outputs": [{"as_tensor": {"name": "add"}}],
        "in_spec": "[1, {\"type\": \"builtins.tuple\", \"context\": \"null\", \"children_spec\": [{\"type\": \"builtins.tuple\", \"context\": \"null\", \"children_spec\": [LEAF, LEAF]}, {\"type\": \"builtins.dict\", \"context\": \"[\\\"k\\\"]\", \"children_spec\": [LEAF]}]}]",
        "out_spec": "[1, LEAF]", "forward_arg_names": null})";

std::string with_leaves(std::string text) {
  for (size_t at; (at = text.find("LEAF")) != std::string::npos;)
    text.replace(at, 4, R"({\"type\": null, \"context\": null, \"children_spec\": []})");
  return text;
}

constexpr const char* kTwoInputs = R"(graph():
    %p_a_weight : [num_users=1] = placeholder[target=p_a_weight]
    %x : [num_users=1] = placeholder[target=x]
    %y : [num_users=1] = placeholder[target=y]
    %mul : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%x, %p_a_weight), kwargs = {})
    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul, %y), kwargs = {})
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%add,), kwargs = {})
    return (relu,))";

TEST_F(UnflattenTest, AModuleThatKeepsItsSignatureIsCalledByIt) {
  read(kTwoInputs, {{"mul", ",,Net;a,a,Sub"}, {"add", ",,Net;a,a,Sub"}, {"relu", ",,Net"}},
       {"a.weight"});
  program->inputs.emplace_back();
  program->module_call_graph.emplace_back(program->strings().intern("a"),
                                          program->strings().intern(with_leaves(kSignature)));
  const auto texts = run();
  EXPECT_EQ(texts.at(""), R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %y : [num_users=1] = placeholder[target=y]
    %_spec_0 : [num_users=1] = get_attr[target=_spec_0]
    %tree_unflatten : [num_users=2] = call_function[target=torch.utils._pytree.tree_unflatten](args = ([%x, 3, %y], %_spec_0), kwargs = {})
    %getitem : [num_users=2] = call_function[target=operator.getitem](args = (%tree_unflatten, 0), kwargs = {})
    %getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = (%tree_unflatten, 1), kwargs = {})
    %getitem_2 : [num_users=1] = call_function[target=operator.getitem](args = (%getitem, 0), kwargs = {})
    %getitem_3 : [num_users=1] = call_function[target=operator.getitem](args = (%getitem, 1), kwargs = {})
    %getitem_4 : [num_users=1] = call_function[target=operator.getitem](args = (%getitem_1, k), kwargs = {})
    %a : [num_users=1] = call_module[target=a](args = (%getitem_2, %getitem_3), kwargs = {k: %getitem_4})
    %_spec_1 : [num_users=1] = get_attr[target=_spec_1]
    %tree_flatten_spec : [num_users=1] = call_function[target=torch.fx._pytree.tree_flatten_spec](args = (%a, %_spec_1), kwargs = {})
    %getitem_5 : [num_users=1] = call_function[target=operator.getitem](args = (%tree_flatten_spec, 0), kwargs = {})
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%getitem_5,), kwargs = {})
    return (relu,))");
  EXPECT_EQ(texts.at("a"), R"(graph():
    %_positional_arg_0 : [num_users=1] = placeholder[target=_positional_arg_0]
    %_positional_arg_1 : [num_users=1] = placeholder[target=_positional_arg_1]
    %k : [num_users=1] = placeholder[target=k]
    %weight : [num_users=1] = get_attr[target=weight]
    %_spec_0 : [num_users=1] = get_attr[target=_spec_0]
    %tree_flatten_spec : [num_users=3] = call_function[target=torch.fx._pytree.tree_flatten_spec](args = (((%_positional_arg_0, %_positional_arg_1), {k: %k}), %_spec_0), kwargs = {})
    %x : [num_users=1] = call_function[target=operator.getitem](args = (%tree_flatten_spec, 0), kwargs = {})
    %_constant_1 : [num_users=0] = call_function[target=operator.getitem](args = (%tree_flatten_spec, 1), kwargs = {})
    %y : [num_users=1] = call_function[target=operator.getitem](args = (%tree_flatten_spec, 2), kwargs = {})
    %mul : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%x, %weight), kwargs = {})
    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul, %y), kwargs = {})
    %_spec_1 : [num_users=1] = get_attr[target=_spec_1]
    %tree_unflatten : [num_users=1] = call_function[target=torch.utils._pytree.tree_unflatten](args = ((%add,), %_spec_1), kwargs = {})
    return tree_unflatten)");
}

constexpr const char* kTwice = R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})
    %OTHER : [num_users=1] = call_function[target=torch.ops.aten.OTHER.default](args = (%relu,), kwargs = {})
    return (OTHER,))";

TEST_F(UnflattenTest, TwoCallsThatDoTheSameAreOneModule) {
  std::string text = kTwice;
  for (size_t at; (at = text.find("OTHER")) != std::string::npos;) text.replace(at, 5, "relu_1");
  const size_t target = text.find("aten.relu_1.default");
  text.replace(target, 19, "aten.relu.default");
  read(text.c_str(), {{"relu", ",,Net;a,a,ReLU"}, {"relu_1", ",,Net;a@1,a,ReLU"}});
  const auto texts = run();
  EXPECT_EQ(texts.size(), 2u);
  EXPECT_NE(texts.at("").find("%a_1 : [num_users=1] = call_module[target=a](args = (%a,)"),
            std::string::npos)
      << texts.at("");
}

TEST_F(UnflattenTest, TwoCallsThatDoAnotherThingAreTwoModules) {
  std::string text = kTwice;
  for (size_t at; (at = text.find("OTHER")) != std::string::npos;) text.replace(at, 5, "sin");
  read(text.c_str(), {{"relu", ",,Net;a,a,Act"}, {"sin", ",,Net;a@1,a,Act"}});
  const auto texts = run();
  EXPECT_TRUE(texts.contains("a@1"));
  EXPECT_NE(texts.at("").find("call_module[target=a@1]"), std::string::npos);
}

TEST_F(UnflattenTest, ACallOfNoModuleIsPyTorchsError) {
  read(kLayerAndActivation, {{"relu", ",,Net"}}, {"a.weight"});
  try {
    run();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.class_name(), "ValueError");
    EXPECT_EQ(error.message(), "not enough values to unpack (expected at least 1, got 0)");
  }
}

TEST_F(UnflattenTest, AMutatedBufferIsWrittenWhereItIsComputed) {
  read(R"(graph():
    %b_a_count : [num_users=1] = placeholder[target=b_a_count]
    %x : [num_users=1] = placeholder[target=x]
    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%b_a_count, 1), kwargs = {})
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})
    return (add, relu))",
       {{"add", ",,Net;a,a,Counter"}, {"relu", ",,Net"}});
  program->inputs.insert(program->inputs.begin(), {.kind = InputSpec::Kind::kBuffer,
                                                   .target = program->strings().intern("a.count")});
  program->outputs.insert(
      program->outputs.begin(),
      {.kind = OutputSpec::Kind::kBufferMutation, .target = program->strings().intern("a.count")});
  const auto texts = run();
  EXPECT_NE(texts.at("a").find("torch.ops.aten.copy_.default](args = (%count, %add)"),
            std::string::npos)
      << texts.at("a");
  EXPECT_NE(texts.at("").find("return (relu,)"), std::string::npos);
}

}  // namespace
}  // namespace faketensor
