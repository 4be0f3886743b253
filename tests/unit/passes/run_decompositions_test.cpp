#include "core/passes/decompose/run_decompositions.h"

#include <gtest/gtest.h>

#include "core/graph/graph_text.h"
#include "core/graph/lint.h"
#include "core/passes/decompose/decomposition_table.h"
#include "core/passes/decompose/functional_operator.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

class RunDecompositionsTest : public testing::Test {
 protected:
  // The program of FX text whose placeholders are float tensors [3, 4], or of `shapes`, decomposed; the
  // lines of its calls without what is the same in all.
  std::string run(std::string_view body, std::vector<std::string> table = {}) {
    std::string text = "graph():\n";
    text += body;
    program.emplace(read_graph_text(text));
    subject.emplace(PassSubject{*program, mode, &program->graph()});
    size_t at = 0;
    for (const NodeId id : program->graph().order()) {
      if (program->graph().node(id).kind != NodeKind::kPlaceholder) continue;
      program->graph().meta(id).val =
          mode.empty(at < shapes.size() ? shapes[at] : DimVector{3, 4}, DType::kFloat32);
      ++at;
      program->inputs.emplace_back();
    }
    PassOptions options;
    options.operators = std::move(table);
    run_decompositions(*subject, options);
    lint(*subject->graph);
    return calls();
  }

  // "add = aten.add.Tensor(x, 1)"
  std::string calls() const {
    const Graph& graph = *subject->graph;
    std::string lines;
    for (const NodeId id : graph.order()) {
      const Node& node = graph.node(id);
      if (node.kind == NodeKind::kPlaceholder) continue;
      std::string args;
      for (const Value& arg : node.args) args += (args.empty() ? "" : ", ") + text_of(graph, arg);
      std::string_view target = graph.text(node.target);
      if (target.starts_with("torch.ops.")) target.remove_prefix(10);
      lines += format("{} = {}({})\n", graph.name_of(id), target, args);
    }
    return lines;
  }

  static std::string text_of(const Graph& graph, const Value& value) {
    if (value.is(Value::Tag::kNodeRef)) return std::string(graph.name_of(node_of(value)));
    if (!value.is_list()) return format("{}", value);
    std::string elements;
    for (size_t i = 0; i < value.size(); ++i)
      elements += (i == 0 ? "" : ", ") + text_of(graph, value[i]);
    return "[" + elements + "]";
  }

  FakeTensorMode mode;
  std::vector<DimVector> shapes;
  std::optional<Program> program;
  std::optional<PassSubject> subject;
};

constexpr std::string_view kInput = "    %x : [num_users=1] = placeholder[target=x]\n";

std::string with_input(std::string_view rest) { return std::string(kInput) + std::string(rest); }

TEST_F(RunDecompositionsTest, OperatorsOfTheTableBecomeTheirSteps) {
  const std::string silu = with_input(
      R"(    %silu : [num_users=1] = call_function[target=torch.ops.aten.silu.default](args = (%x,), kwargs = {})
    return (silu,))");
  EXPECT_EQ(run(silu),
            "sigmoid = aten.sigmoid.default(x)\nmul = aten.mul.Tensor(x, sigmoid)\n"
            "output = output([mul])\n");
  EXPECT_EQ(run(silu, {"none"}), "silu = aten.silu.default(x)\noutput = output([silu])\n");
  EXPECT_EQ(run(silu, {"-aten.silu.default"}),
            "silu = aten.silu.default(x)\noutput = output([silu])\n");
}

TEST_F(RunDecompositionsTest, CompositesAreKeptWhereATableDoesNotNameThemAndTheyCanBe) {
  EXPECT_EQ(
      run(with_input(
              R"(    %t : [num_users=1] = call_function[target=torch.ops.aten.numpy_T.default](args = (%x,), kwargs = {})
    %outer : [num_users=1] = call_function[target=torch.ops.aten.kron.default](args = (%x, %x), kwargs = {})
    return (outer,))"),
          {"none"}),
      "kron = aten.kron.default(x, x)\noutput = output([kron])\n");
  EXPECT_EQ(
      run(with_input(
              R"(    %reshape : [num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%x, [-1]), kwargs = {})
    return (reshape,))"),
          {"none"}),
      "view = aten.view.default(x, [-1])\noutput = output([view])\n");
}

TEST_F(RunDecompositionsTest, AWriteToAViewIsPlayedBackToItsBase) {
  EXPECT_EQ(
      run(with_input(
          R"(    %mul : [num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%x, 2), kwargs = {})
    %view : [num_users=1] = call_function[target=torch.ops.aten.view.default](args = (%mul, [-1]), kwargs = {})
    %add_ : [num_users=1] = call_function[target=torch.ops.aten.add_.Tensor](args = (%view, 3), kwargs = {})
    return (mul, add_))")),
      "mul = aten.mul.Tensor(x, 2)\nview = aten.view.default(mul, [-1])\n"
      "add = aten.add.Tensor(view, 3)\nview_1 = aten.view.default(add, [3, 4])\n"
      "view_2 = aten.view.default(view_1, [-1])\noutput = output([view_1, view_2])\n");
}

TEST_F(RunDecompositionsTest, AWriteToAnInputIsAResult) {
  EXPECT_EQ(
      run(with_input(
          R"(    %add_ : [num_users=1] = call_function[target=torch.ops.aten.add_.Tensor](args = (%x, 1), kwargs = {})
    %sin : [num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%add_,), kwargs = {})
    return (sin,))")),
      "add = aten.add.Tensor(x, 1)\nsin = aten.sin.default(add)\noutput = output([add, sin])\n");
  ASSERT_FALSE(program->outputs.empty());
  EXPECT_EQ(program->outputs[0].kind, OutputSpec::Kind::kUserInputMutation);
  EXPECT_EQ(program->text(program->outputs[0].target), "x");
}

TEST_F(RunDecompositionsTest, ARandomNumberThatNobodyNeedsIsNotDrawn) {
  EXPECT_EQ(
      run(with_input(
          R"(    %rand : [num_users=0] = call_function[target=torch.ops.aten.rand_like.default](args = (%x,), kwargs = {})
    return (x,))")),
      "output = output([x])\n");
}

TEST_F(RunDecompositionsTest, AnErrorNamesTheNodeThatWasRun) {
  try {
    run(with_input(
        R"(    %mm : [num_users=1] = call_function[target=torch.ops.aten.mm.default](args = (%x, %x), kwargs = {})
    return (mm,))"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("While executing %mm"), std::string::npos) << error.message();
  }
}

TEST_F(RunDecompositionsTest, RecurrentLayersAreUnrolledInTime) {
  shapes = {{2, 3, 6}, {1, 3, 4}, {12, 6}, {12, 4}};  // two steps of a GRU without biases
  const std::string calls = run(
      "    %x : [num_users=1] = placeholder[target=x]\n"
      "    %h : [num_users=1] = placeholder[target=h]\n"
      "    %w_ih : [num_users=1] = placeholder[target=w_ih]\n"
      "    %w_hh : [num_users=1] = placeholder[target=w_hh]\n"
      "    %gru : [num_users=1] = call_function[target=torch.ops.aten.gru.input](args = (%x, %h, "
      "[%w_ih, %w_hh], False, 1, 0.0, False, False, False), kwargs = {})\n"
      "    %y : [num_users=1] = call_function[target=operator.getitem](args = (%gru, 0), kwargs = "
      "{})\n"
      "    return (y,)\n");
  const auto count = [&](std::string_view text) {
    size_t found = 0;
    for (size_t at = calls.find(text); at != std::string::npos; at = calls.find(text, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("aten.gru"), 0u);
  EXPECT_EQ(count("aten.sigmoid"), 4u);  // reset and update of each step
  EXPECT_EQ(count("aten.tanh"), 2u);
  EXPECT_EQ(count("aten.mm"), 3u);  // the input once, the state at each step
  EXPECT_NE(calls.find("cat = aten.cat.default([add_3, add_7])"), std::string::npos) << calls;
}

TEST(DecompositionTables, WhatIsNoOperatorOrHasNoDecompositionIsRefused) {
  DecompositionTable table;
  EXPECT_THROW(table.add("aten.no_such.default"), Error);
  EXPECT_THROW(table.add("aten.mm.default"), Error);
  EXPECT_THROW(table.remove("aten.no_such.default"), Error);
}

TEST(DecompositionTables, EachOperatorThatWritesHasAFunctionalForm) {
  const Registry& registry = Registry::builtin();
  for (const auto& [writing, functional] :
       {std::pair("aten::add_.Tensor", "aten::add.Tensor"), std::pair("aten::copy_", "aten::copy"),
        std::pair("aten::index_put_", "aten::index_put"),
        std::pair("aten::transpose_", "aten::transpose.int"),
        std::pair("aten::_native_batch_norm_legit", "aten::_native_batch_norm_legit_functional"),
        std::pair("aten::normal_", "aten::normal_functional"),
        std::pair("aten::add.out", "aten::add.Tensor")}) {
    const FunctionalOperator found = functional_operator(registry.entry(registry.find(writing)));
    ASSERT_NE(found.op, nullptr) << writing;
    EXPECT_EQ(overload_name(*found.op), functional);
  }
}

}  // namespace
}  // namespace faketensor
