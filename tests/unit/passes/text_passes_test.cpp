// functionalize, convert_dtype and replace_pattern on programs of FX text.
#include <gtest/gtest.h>

#include "core/graph/graph_text.h"
#include "core/graph/readable.h"
#include "core/passes/graph_copy.h"
#include "core/support/format.h"
#include "text_fixture.h"

namespace faketensor {
namespace {

class TextPasses : public TextFixture {
 protected:
  std::string replace(const std::string& pattern, const std::string& replacement) {
    PassOptions options;
    options.pattern = {pattern, replacement};
    find_pass("replace_pattern")->run(*subject, options);
    return graph_text(*subject->graph);
  }
};

constexpr const char* kWrites = R"(def forward(self, x_1: "f32[4, 4]", y_1: "f32[4, 4]"):
    relu = torch.ops.aten.relu.default(x_1)
    add_ = torch.ops.aten.add_.Tensor(relu, y_1)
    view = torch.ops.aten.view.default(relu, [-1])
    mul_ = torch.ops.aten.mul_.Tensor(view, 2)
    add__1 = torch.ops.aten.add_.Tensor(x_1, relu)
    view_1 = torch.ops.aten.view.default(x_1, [-1])
    return (relu, view_1)
)";

// make_fx(torch.func.functionalize(f)), its dead code removed.
TEST_F(TextPasses, WritesAreCopiedBackAtTheEnd) {
  read(kWrites);
  EXPECT_EQ(graph_text(run("functionalize/copy_back")), R"(graph():
    %x_1 : [num_users=3] = placeholder[target=x_1]
    %y_1 : [num_users=1] = placeholder[target=y_1]
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x_1,), kwargs = {})
    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%relu, %y_1), kwargs = {})
    %view_1 : [num_users=1] = call_function[target=torch.ops.aten.view.default](args = (%add, [-1]), kwargs = {})
    %mul : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%view_1, 2), kwargs = {})
    %view_2 : [num_users=2] = call_function[target=torch.ops.aten.view.default](args = (%mul, [4, 4]), kwargs = {})
    %add_1 : [num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%x_1, %view_2), kwargs = {})
    %view_5 : [num_users=1] = call_function[target=torch.ops.aten.view.default](args = (%add_1, [-1]), kwargs = {})
    %copy_ : [num_users=0] = call_function[target=torch.ops.aten.copy_.default](args = (%x_1, %add_1), kwargs = {})
    return (view_2, view_5))");
  ASSERT_EQ(program.outputs.size(), 2U);
  EXPECT_EQ(program.outputs[0].kind, OutputSpec::Kind::kUser);
}

TEST_F(TextPasses, AWriteToAnInputIsAResultOfItsOwn) {
  read(kWrites);
  const Graph& after = run("functionalize");
  EXPECT_EQ(node_text(after, after.last()), "return (add_1, view_2, view_5)");
  ASSERT_EQ(program.outputs.size(), 3U);
  EXPECT_EQ(program.outputs[0].kind, OutputSpec::Kind::kUserInputMutation);
  EXPECT_EQ(program.text(program.outputs[0].target), "x_1");
}

constexpr const char* kCasts = R"(def forward(self, w: "f32[8, 4]", x: "f32[2, 4]", i: "i64[2]"):
    linear = torch.ops.aten.linear.default(x, w)
    zeros = torch.ops.aten.zeros.default([2, 8], dtype = torch.float32)
    add = torch.ops.aten.add.Tensor(linear, zeros)
    check = torch.ops.aten._assert_tensor_metadata.default(add, dtype = torch.float32)
    to = torch.ops.aten.to.dtype(add, torch.float64)
    return (add, to, i)
)";

TEST_F(TextPasses, ADtypeIsThatOfInputsAndOfWhatFollowsThem) {
  read(kCasts);
  EXPECT_EQ(readable_text(run("convert_dtype/bfloat16")), R"(class GraphModule(torch.nn.Module):
    def forward(self, w: "bf16[8, 4]", x: "bf16[2, 4]", i: "i64[2]"):
        linear: "bf16[2, 8]" = torch.ops.aten.linear.default(x, w);  x = w = None
        zeros: "bf16[2, 8]" = torch.ops.aten.zeros.default([2, 8], dtype = torch.bfloat16)
        add: "bf16[2, 8]" = torch.ops.aten.add.Tensor(linear, zeros);  linear = zeros = None
        check = torch.ops.aten._assert_tensor_metadata.default(add, dtype = torch.bfloat16);  check = None
        to: "f64[2, 8]" = torch.ops.aten.to.dtype(add, torch.float64)
        return (add, to, i)
)");
}

TEST_F(TextPasses, ADtypeIsConvertedOfWhatAnotherPassHasMade) {
  read(kCasts);
  run("run_decompositions");
  const Graph& after = run("convert_dtype/float16");
  EXPECT_EQ(&after, &program.graph());
  EXPECT_EQ(after.node(after.first()).val.tensor().dtype(), DType::kFloat16);
  EXPECT_NE(readable_text(after).find("\"f16[2, 8]\" = torch.ops.aten.mm.default"),
            std::string::npos)
      << readable_text(after);
}

TEST_F(TextPasses, ADtypeWithoutAFractionIsRefused) {
  read(kCasts);
  EXPECT_THROW(run("convert_dtype/int32"), Error);
  EXPECT_THROW(run("convert_dtype/float31"), Error);
}

// A condition and a body of a loop, which have casts of their own.
constexpr const char* kLoop = R"(class GraphModule(torch.nn.Module):
    def forward(self, n: "i64[]", x: "f32[3, 4]"):
        cond_graph = self.cond_graph
        body_graph = self.body_graph
        while_loop = torch.ops.higher_order.while_loop(cond_graph, body_graph, (n, x), ())
        getitem: "i64[]" = while_loop[0]
        getitem_1: "f32[3, 4]" = while_loop[1]
        return (getitem, getitem_1)

    class cond_graph(torch.nn.Module):
        def forward(self, n: "i64[]", x: "f32[3, 4]"):
            lt: "b8[]" = torch.ops.aten.lt.Scalar(n, 3)
            return lt

    class body_graph(torch.nn.Module):
        def forward(self, n: "i64[]", x: "f32[3, 4]"):
            add: "i64[]" = torch.ops.aten.add.Tensor(n, 1)
            max_1 = torch.ops.aten.max.dim(x, 0)
            getitem: "f32[4]" = max_1[0]
            _assert_tensor_metadata = torch.ops.aten._assert_tensor_metadata.default(x, None, None, torch.float32)
            add_1: "f32[3, 4]" = torch.ops.aten.add.Tensor(x, getitem)
            return (add, add_1)
)";

TEST_F(TextPasses, DtypesInsideOfBodiesAreConverted) {
  read(kLoop);
  Graph& graph = run("convert_dtype/bfloat16");
  const std::string text = readable_text(graph);
  EXPECT_EQ(text.find("f32["), std::string::npos) << text;
  EXPECT_NE(text.find("metadata.default(x, None, None, torch.bfloat16)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("getitem: \"bf16[4]\""), std::string::npos) << text;
}

// The sizes of what an operator made are built of those of the inputs, as PyTorch's tracer does; the
// product of three was the product of two.
TEST_F(TextPasses, ProductsOfSizesAreOfAllOfThem) {
  read(R"(def forward(self, x: "f32[a=3, b=4]"):
    cat = torch.ops.aten.cat.default([x, x])
    flatten = torch.ops.aten.flatten.using_ints(cat)
    return (flatten,)
)");
  EXPECT_EQ(graph_text(run("functionalize")), R"(graph():
    %x : [num_users=3] = placeholder[target=x]
    %sym_size_int_4 : [num_users=1] = call_function[target=torch.ops.aten.sym_size.int](args = (%x, 0), kwargs = {})
    %sym_size_int_5 : [num_users=1] = call_function[target=torch.ops.aten.sym_size.int](args = (%x, 1), kwargs = {})
    %cat : [num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%x, %x],), kwargs = {})
    %mul_2 : [num_users=1] = call_function[target=operator.mul](args = (2, %sym_size_int_4), kwargs = {})
    %mul_3 : [num_users=1] = call_function[target=operator.mul](args = (%mul_2, %sym_size_int_5), kwargs = {})
    %view : [num_users=1] = call_function[target=torch.ops.aten.view.default](args = (%cat, [%mul_3]), kwargs = {})
    return (view,))");
}

// Height and width of dinov2's patches, whose product is a power.
TEST_F(TextPasses, ASizeTimesItselfIsAProduct) {
  read(R"(def forward(self, x: "f32[2, s=28, s]"):
    cat = torch.ops.aten.cat.default([x, x], 0)
    flatten = torch.ops.aten.flatten.using_ints(cat, 1)
    return (flatten,)
)");
  const std::string text = graph_text(run("functionalize"));
  EXPECT_NE(
      text.find("call_function[target=operator.mul](args = (%sym_size_int_2, %sym_size_int_2)"),
      std::string::npos)
      << text;
}

TEST_F(TextPasses, DictionariesStayDictionaries) {
  const std::string text = R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %tree_flatten_spec : [num_users=1] = call_function[target=torch.fx._pytree.tree_flatten_spec](args = (((%x,), {}), {k: %x, 3: [a]}), kwargs = {})
    return tree_flatten_spec)";
  Program read_back = read_graph_text(text);
  EXPECT_EQ(graph_text(read_back.graph()), text);
  EXPECT_NE(readable_text(read_back.graph()).find("((x,), {}), {'k': x, 3: ['a']})"),
            std::string::npos)
      << readable_text(read_back.graph());
  Graph& copy = read_back.add_graph();
  GraphCopy copied(read_back.graph(), copy);
  for (const NodeId id : read_back.graph().order()) copied.add(id);
  EXPECT_EQ(graph_text(copy), text);
}

TEST_F(TextPasses, APatternIsCodeWhoseArgumentsStandForAnyValue) {
  read(R"(def forward(self, x: "f32[2, 4]"):
    mul = torch.ops.aten.mul.Tensor(x, 0.5)
    relu = torch.ops.aten.relu.default(mul)
    mul_1 = torch.ops.aten.mul.Tensor(relu, 2)
    relu_1 = torch.ops.aten.relu.default(mul_1)
    return (relu_1,)
)");
  EXPECT_EQ(replace(R"(def forward(self, x, scale):
    mul = torch.ops.aten.mul.Tensor(x, scale)
    return torch.ops.aten.relu.default(mul)
)",
                    R"(def forward(self, x, scale):
    relu = torch.ops.aten.relu.default(x)
    return torch.ops.aten.mul.Tensor(relu, scale)
)"),
            R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %relu_2 : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})
    %mul_tensor : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%relu_2, 0.5), kwargs = {})
    %relu_3 : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%mul_tensor,), kwargs = {})
    %mul_tensor_1 : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%relu_3, 2), kwargs = {})
    return (mul_tensor_1,))");
}

// Recorded from torch.fx.replace_pattern: results that only an input connects, and ones that nothing
// does, are found as the first combinations in the order of the graph.
constexpr const char* kPairs = R"(graph():
    %x : [num_users=2] = placeholder[target=x]
    %z : [num_users=2] = placeholder[target=z]
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})
    %sigmoid : [num_users=1] = call_function[target=torch.ops.aten.sigmoid.default](args = (%z,), kwargs = {})
    %sigmoid_1 : [num_users=1] = call_function[target=torch.ops.aten.sigmoid.default](args = (%x,), kwargs = {})
    %relu_1 : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%z,), kwargs = {})
    return (relu, sigmoid, sigmoid_1, relu_1))";

class PairsOfResults : public TextPasses {
 protected:
  // What kPairs becomes where relu(x) and sigmoid of the second input are sin and cos of the same.
  std::string replace_pairs(std::string_view inputs, std::string_view second) {
    const auto code = [&](std::string_view first_op, std::string_view second_op) {
      return format(
          "def forward(self, {}):\n"
          "    {} = torch.ops.aten.{}.default(x)\n"
          "    {} = torch.ops.aten.{}.default({})\n"
          "    return ({}, {})\n",
          inputs, first_op, first_op, second_op, second_op, second, first_op, second_op);
    };
    read(kPairs);
    return replace(code("relu", "sigmoid"), code("sin", "cos"));
  }
};

TEST_F(PairsOfResults, AreConnectedByWhatTheyAreComputedOf) {
  EXPECT_EQ(replace_pairs("x", "x"),
            R"(graph():
    %x : [num_users=2] = placeholder[target=x]
    %z : [num_users=2] = placeholder[target=z]
    %sin : [num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%x,), kwargs = {})
    %cos : [num_users=1] = call_function[target=torch.ops.aten.cos.default](args = (%x,), kwargs = {})
    %sin_1 : [num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%z,), kwargs = {})
    %cos_1 : [num_users=1] = call_function[target=torch.ops.aten.cos.default](args = (%z,), kwargs = {})
    return (sin, cos_1, cos, sin_1))");
}

TEST_F(PairsOfResults, ThatNothingConnectsAreFoundInOrder) {
  EXPECT_EQ(replace_pairs("x, y", "y"),
            R"(graph():
    %x : [num_users=2] = placeholder[target=x]
    %z : [num_users=2] = placeholder[target=z]
    %sin : [num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%x,), kwargs = {})
    %cos : [num_users=1] = call_function[target=torch.ops.aten.cos.default](args = (%z,), kwargs = {})
    %sin_1 : [num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%z,), kwargs = {})
    %cos_1 : [num_users=1] = call_function[target=torch.ops.aten.cos.default](args = (%x,), kwargs = {})
    return (sin, cos, cos_1, sin_1))");
}

TEST_F(TextPasses, WhatIsWrongWithAPatternIsToldWithItsPlace) {
  read(kCasts);
  try {
    replace("def forward(self, x):\n    y = torch.ops.aten.relu.default(z)\n    return y\n",
            "def forward(self, x):\n    return x\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnreadable);
    EXPECT_EQ(error.message(), "pattern:2:37: z is not defined; did you mean x?");
  }
}

}  // namespace
}  // namespace faketensor
