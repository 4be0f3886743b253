// Programs that show the graphs of their higher-order operators.
#include "core/graph/bodies.h"

#include <gtest/gtest.h>

#include "core/graph/drawn_graph.h"
#include "core/graph/explain.h"
#include "core/graph/fake_tensor_prop.h"
#include "core/graph/graph_text.h"
#include "core/graph/text/read_program_text.h"
#include "program_builder.h"
#include "run_text.h"

namespace faketensor {
namespace {

// A program that shows its bodies, and what it answers.
struct Shown {
  explicit Shown(Program&& of)
      : original(std::make_shared<const Program>(std::move(of))),
        program(with_bodies(original)),
        run(propagate(program, {.values_of_bodies = true})) {}

  std::string value(std::string_view name) const { return text_of(run, program.find(name)); }
  NodeStatus status(std::string_view name) const { return run.record(program.find(name)).status; }
  std::string_view module(std::string_view name) const {
    return program.module_path(program.node(program.find(name)));
  }

  std::shared_ptr<const Program> original;
  Program program;
  Run run;
};

void expect_as_in_the_file(const Shown& shown) {
  const Run plain = propagate(*shown.original);
  const Bodies& bodies = *shown.program.bodies;
  Row row = 0;
  for (Row i = 0; i < shown.program.plan().size(); ++i) {
    if (bodies.is_body(i)) continue;
    EXPECT_EQ(bodies.original_id(i), shown.original->plan().row(row).id);
    EXPECT_EQ(text_of(shown.run, i), text_of(plain, row)) << shown.program.plan().name_of(i);
    ++row;
  }
  EXPECT_EQ(row, shown.original->plan().size());
}

// A graph whose nodes are named as they are written.
Value named_graph(Program& program, std::string_view name, size_t inputs,
                  const std::vector<Step>& steps, std::vector<Value> outputs) {
  const Value graph = graph_of(program, inputs, steps, std::move(outputs));
  program.graphs().back()->name = program.strings().intern(name);
  return graph;
}

Program branches() {
  ProgramBuilder b;
  Program& p = b.program;
  const Row flag = b.input("flag", {}, DType::kBool);
  const Row x = b.input("x", {6, 3});
  const Row weight = b.input("weight", {3, 4}, DType::kFloat32, InputSpec::Kind::kParameter);
  const Value yes =
      named_graph(p, "true_graph_0", 2, {{"aten.mm.default", {ref(0), ref(1)}}}, {ref(2)});
  const Value no = named_graph(
      p, "false_graph_0", 2,
      {{"aten.sin.default", {ref(0)}}, {"aten.mm.default", {ref(2), ref(1)}}}, {ref(3)});
  const Row cond =
      b.call("higher_order.cond", {ref(flag), yes, no, list_of(p, {ref(x), ref(weight)})},
             "root,,Model;block,block,Block");
  b.output({b.getitem(cond, 0)});
  return std::move(b.program);
}

TEST(Bodies, BothBranchesAreRowsWithValuesBeforeTheCall) {
  const Shown shown(branches());
  EXPECT_TRUE(shown.run.problems().empty());
  EXPECT_EQ(shown.value("true_graph_0/arg0"), "f32[6, 3]");
  EXPECT_EQ(shown.value("true_graph_0/aten.mm.default_2"), "f32[6, 4]");
  EXPECT_EQ(shown.value("false_graph_0/aten.sin.default_2"), "f32[6, 3]");
  EXPECT_EQ(shown.value("false_graph_0/aten.mm.default_3"), "f32[6, 4]");
  EXPECT_LT(shown.program.find("false_graph_0/aten.mm.default_3"),
            shown.program.find("higher_order.cond_3"));
  expect_as_in_the_file(shown);
}

TEST(Bodies, TheCallIsAModuleThatHoldsAModulePerGraph) {
  const Shown shown(branches());
  EXPECT_EQ(shown.module("true_graph_0/arg0"), "block.higher_order.cond_3.true_graph_0");
  EXPECT_EQ(shown.module("higher_order.cond_3"), "block.higher_order.cond_3");
  EXPECT_EQ(shown.module("getitem_4"), "block.higher_order.cond_3");
  const Module& of_call =
      shown.program.modules[shown.program.node(shown.program.find("higher_order.cond_3")).module];
  EXPECT_EQ(shown.program.text(of_call.type), "cond");
  EXPECT_EQ(of_call.nodes, 4u);  // three operators and the call
}

TEST(Bodies, OperandsLeadIntoBodiesAndTheirOutputsIntoTheCall) {
  const Shown shown(branches());
  const InputColumns columns = input_columns(shown.program);
  const auto reads = [&](std::string_view name) {
    const Row row = shown.program.find(name);
    std::vector<std::string_view> names;
    for (uint32_t i = columns.start[row]; i < columns.start[row + 1]; ++i)
      names.push_back(shown.program.plan().name_of(columns.inputs[i]));
    return names;
  };
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(reads("true_graph_0/arg1"), Names({"weight"}));
  EXPECT_EQ(reads("higher_order.cond_3"),
            Names({"flag", "true_graph_0/output", "false_graph_0/output"}));
  const std::vector<const InputSpec*> inputs = inputs_shown(shown.program);
  EXPECT_EQ(inputs[shown.program.find("false_graph_0/arg1")]->kind, InputSpec::Kind::kParameter);
  EXPECT_EQ(inputs[shown.program.find("false_graph_0/aten.sin.default_2")], nullptr);
}

TEST(Bodies, AnErrorIsThatOfTheRowThatRaised) {
  ProgramBuilder b;
  Program& p = b.program;
  const Row flag = b.input("flag", {}, DType::kBool);
  const Row x = b.input("x", {6, 3});
  const Value yes = named_graph(p, "yes", 1, {{"aten.sin.default", {ref(0)}}}, {ref(1)});
  const Value no = named_graph(
      p, "no", 1, {{"aten.mm.default", {ref(0), ref(0)}}, {"aten.cos.default", {ref(1)}}},
      {ref(2)});
  const Row cond = b.call("higher_order.cond", {ref(flag), yes, no, list_of(p, {ref(x)})});
  b.output({b.call("aten.neg.default", {ref(x)}), b.getitem(cond, 0)});
  const Shown shown(std::move(b.program));
  ASSERT_EQ(shown.run.problems().size(), 1u);
  EXPECT_EQ(shown.run.problems()[0].node, shown.program.find("no/aten.mm.default_1"));
  EXPECT_EQ(shown.run.problems()[0].op, "torch.ops.aten.mm.default");
  EXPECT_EQ(shown.status("yes/aten.sin.default_1"), NodeStatus::kOk);
  EXPECT_EQ(shown.status("no/aten.mm.default_1"), NodeStatus::kError);
  EXPECT_EQ(shown.status("no/aten.cos.default_2"), NodeStatus::kNotReached);
  EXPECT_EQ(shown.status("higher_order.cond_2"), NodeStatus::kNotReached);
  EXPECT_EQ(shown.value("aten.neg.default_3"), "f32[6, 3]");
}

TEST(Bodies, AGraphThatIsCalledTwiceHasRowsOfEachCall) {
  ProgramBuilder b;
  Program& p = b.program;
  const Row x = b.input("x", {2, 3});
  const Row y = b.input("y", {5});
  const Value graph = named_graph(p, "part", 1, {{"aten.relu.default", {ref(0)}}}, {ref(1)});
  const Value id = Value::string("part");
  const Row one = b.call("higher_order.invoke_subgraph", {graph, id, ref(x)});
  const Row again = b.call("higher_order.invoke_subgraph", {graph, id, ref(x)});
  const Row other = b.call("higher_order.invoke_subgraph", {graph, id, ref(y)});
  b.output({one, again, other});
  const Shown shown(std::move(b.program));
  EXPECT_EQ(shown.value("part/aten.relu.default_1"), "f32[2, 3]");
  EXPECT_EQ(shown.value("higher_order.invoke_subgraph_3/part/aten.relu.default_1"), "f32[2, 3]");
  EXPECT_EQ(shown.value("higher_order.invoke_subgraph_4/part/aten.relu.default_1"), "f32[5]");
  expect_as_in_the_file(shown);
}

TEST(Bodies, GraphsThatTheOperatorDoesNotRunHaveValuesToo) {
  ProgramBuilder b;
  Program& p = b.program;
  const Row i = b.input("i", {}, DType::kInt64);
  const Row x = b.input("x", {4, 3});
  const Value condition = named_graph(p, "more", 2, {{"aten.lt.Scalar", {ref(0), 3}}}, {ref(2)});
  const Value body = named_graph(
      p, "turn", 2, {{"aten.add.Tensor", {ref(0), 1}}, {"aten.mul.Tensor", {ref(1), 2}}},
      {ref(2), ref(3)});
  const Row loop = b.call("higher_order.while_loop",
                          {condition, body, list_of(p, {ref(i), ref(x)}), list_of(p, {})});
  const Value combine =
      named_graph(p, "combine", 2, {{"aten.mul.Tensor", {ref(0), ref(1)}}}, {ref(2)});
  const Row scan =
      b.call("higher_order.associative_scan", {combine, list_of(p, {ref(x)}), list_of(p, {})});
  b.output({b.getitem(loop, 1), scan});
  const Shown shown(std::move(b.program));
  EXPECT_EQ(shown.value("more/aten.lt.Scalar_2"), "b8[]");
  EXPECT_EQ(shown.value("turn/aten.mul.Tensor_3"), "f32[4, 3]");
  EXPECT_EQ(shown.value("combine/aten.mul.Tensor_2"), "f32[3]");
  expect_as_in_the_file(shown);
}

constexpr std::string_view kScored = R"(class GraphModule(torch.nn.Module):
    def forward(self, q: "f16[2, 4, 128, 16]", k: "f16[2, 4, 64, 16]", v: "f16[2, 4, 64, 8]", bias: "f32[4]"):
        score = self.score
        mask = self.mask
        flex_attention = torch.ops.higher_order.flex_attention(q, k, v, score, (128, 128, None, mask), 0.25, {}, (bias,), ());  score = mask = None
        getitem: "f16[2, 4, 128, 8]" = flex_attention[0]
        return (getitem,)

    class score(torch.nn.Module):
        def forward(self, arg0_1: "f16[]", arg1_1: "i32[]", arg2_1: "i32[]", arg3_1: "i32[]", arg4_1: "i32[]", arg5_1: "f32[4]"):
            index: "f32[]" = torch.ops.aten.index.Tensor(arg5_1, [arg2_1])
            add: "f32[]" = torch.ops.aten.add.Tensor(arg0_1, index)
            return add

    class mask(torch.nn.Module):
        def forward(self, arg0_1: "i32[]", arg1_1: "i32[]", arg2_1: "i32[]", arg3_1: "i32[]"):
            ge: "b8[]" = torch.ops.aten.ge.Tensor(arg2_1, arg3_1)
            return ge
)";

TEST(Bodies, ScoresAreOfTheKindOfTheQueryAndIndicesAreIntegers) {
  TextProgram text = read_program_text(std::string(kScored), "typed.txt", {});
  const Shown shown(std::move(text.program));
  EXPECT_TRUE(shown.run.problems().empty());
  EXPECT_EQ(shown.value("score/arg0_1"), "f16[]");
  EXPECT_EQ(shown.value("score/arg4_1"), "i32[]");
  EXPECT_EQ(shown.value("score/index"), "f32[]");
  EXPECT_EQ(shown.value("mask/arg3_1"), "i32[]");
  EXPECT_EQ(shown.value("mask/ge"), "b8[]");
}

TEST(Bodies, DictionariesAreDictionariesInWhatIsShown) {
  TextProgram text = read_program_text(R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[3]"):
        body = self.body
        tree = torch.fx._pytree.tree_flatten_spec({'k': x})
        wrap = torch.ops.higher_order.wrap(body, x);  body = None
        return (tree, wrap)

    class body(torch.nn.Module):
        def forward(self, x: "f32[3]"):
            sin: "f32[3]" = torch.ops.aten.sin.default(x)
            return sin
)",
                                       "typed.txt", {});
  const Shown shown(std::move(text.program));
  ASSERT_NE(shown.program.find("body/sin"), kNoRow);
  EXPECT_NE(graph_text(shown.program.graph()).find("tree_flatten_spec](args = ({k: %x},)"),
            std::string::npos)
      << graph_text(shown.program.graph());
}

TEST(Bodies, BodiesOfBodiesAreShownInThem) {
  ProgramBuilder b;
  Program& p = b.program;
  const Row flag = b.input("flag", {}, DType::kBool);
  const Row x = b.input("x", {2});
  const Value inner = named_graph(p, "inner", 1, {{"aten.sin.default", {ref(0)}}}, {ref(1)});
  const Value list = list_of(p, {ref(1)});
  const Value outer =
      named_graph(p, "outer", 2, {{"higher_order.cond", {ref(0), inner, inner, list}}}, {ref(2)});
  const Row call = b.call("higher_order.wrap", {outer, ref(flag), ref(x)});
  b.output({b.getitem(call, 0)});
  const Shown shown(std::move(b.program));
  EXPECT_TRUE(shown.run.problems().empty());
  EXPECT_EQ(shown.value("inner/aten.sin.default_1"), "f32[2]");
  EXPECT_EQ(shown.value("outer/higher_order.cond_2/inner/aten.sin.default_1"), "f32[2]");
  EXPECT_EQ(shown.module("inner/aten.sin.default_1"),
            "higher_order.wrap_2.higher_order.cond_2.inner");
  expect_as_in_the_file(shown);
}

TEST(Bodies, ModulesInsideAreThoseOfTheFile) {
  ProgramBuilder b;
  Program& p = b.program;
  const Row x = b.input("x", {2});
  const Value body = named_graph(p, "submod", 1, {{"aten.sin.default", {ref(0)}}}, {ref(1)});
  p.graphs().back()->meta(NodeId{1}).module_stack =
      p.strings().intern("r,,Model;l,layers.0,Layer;a,layers.0.attn,Attention");
  const Row call = b.call("higher_order.wrap_with_set_grad_enabled", {Value(false), body, ref(x)},
                          "r,,Model;l,layers.0,Layer");
  b.output({b.getitem(call, 0)});
  const Shown shown(std::move(b.program));
  EXPECT_EQ(shown.module("submod/aten.sin.default_1"),
            "layers.0.higher_order.wrap_with_set_grad_enabled_1.attn");
}

TEST(Bodies, ASizeInsideIsThatOfTheOperand) {
  const Shown shown(branches());
  const std::vector<WhyStep> steps =
      why_dimension(shown.run, shown.program.find("true_graph_0/aten.mm.default_2"), 0);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[1].reason, "as dimension 0 of x, which the graph is called with");
  EXPECT_EQ(steps[2].node, shown.program.find("x"));
}

TEST(Bodies, AProgramWithoutThemHasNone) {
  ProgramBuilder b;
  const Row x = b.input("x", {2});
  b.output({b.call("aten.relu.default", {ref(x)})});
  EXPECT_FALSE(has_bodies(b.program));
  EXPECT_TRUE(has_bodies(branches()));
}

}  // namespace
}  // namespace faketensor
