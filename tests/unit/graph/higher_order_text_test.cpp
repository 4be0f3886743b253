// Programs that call higher-order operators, as torch.fx prints them. Values are PyTorch's 2.13
// (FakeTensorMode), texts those of print_readable() and str(graph).
#include <gtest/gtest.h>

#include "core/graph/fake_tensor_prop.h"
#include "core/graph/graph_text.h"
#include "core/graph/readable.h"
#include "core/graph/text/read_program_text.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

TextProgram read_calls(std::string_view text) {
  TextProgram of = read_program_text(std::string(text), "typed.txt", {});
  for (const TextProblem& problem : of.text->problems()) ADD_FAILURE() << problem.message;
  return of;
}

std::string describe_tensor(const TensorRecord& record) {
  return format("{} {} {}", record.meta->sizes(), record.meta->strides(), record.meta->offset());
}

std::string tensors_of(const faketensor::Run& run, std::string_view name) {
  const NodeRecord& record = run.record(run.program().find(name));
  if (record.status != NodeStatus::kOk) return "unknown";
  std::string text;
  for (const TensorRecord& tensor : record.tensors)
    text += (text.empty() ? "" : "; ") + describe_tensor(tensor);
  return text;
}

void expect_read_again(const Program& program) {
  const std::string graph = graph_text(program.graph());
  EXPECT_EQ(graph_text(read_graph_text(graph).graph()), graph);
  const std::string readable = readable_text(program.graph());
  EXPECT_EQ(graph_text(read_calls(readable).program.graph()), graph);
}

constexpr std::string_view kFlexText = R"(class GraphModule(torch.nn.Module):
    def forward(self, q: "f32[2, 4, 128, 16][8192, 16, 64, 1]", k: "f32[1, 2, 64, 16]", v: "f32[1, 2, 64, 8]", bias: "f32[4]"):
        sdpa_score0 = self.sdpa_score0
        sdpa_mask0 = self.sdpa_mask0
        flex_attention = torch.ops.higher_order.flex_attention(q, k, v, sdpa_score0, (128, 128, None, sdpa_mask0), 0.25, {'BACKEND': 'AUTO', 'WRITE_DQ': True}, (bias,), ());  sdpa_score0 = sdpa_mask0 = None
        getitem: "f32[2, 4, 128, 8]" = flex_attention[0]
        return (getitem,)

    class sdpa_score0(torch.nn.Module):
        def forward(self, arg0_1: "f32[]", arg1_1: "i32[]", arg2_1: "i32[]", arg3_1: "i32[]", arg4_1: "i32[]", arg5_1: "f32[4]"):
            spec0 = self.spec0
            flat_apply: "f32[]" = torch.ops.higher_order.flat_apply(spec0, arg5_1, arg2_1)
            add: "f32[]" = torch.ops.aten.add.Tensor(arg0_1, flat_apply)
            return add

    class sdpa_mask0(torch.nn.Module):
        def forward(self, arg0_1: "i32[]", arg1_1: "i32[]", arg2_1: "i32[]", arg3_1: "i32[]"):
            ge: "b8[]" = torch.ops.aten.ge.Tensor(arg2_1, arg3_1)
            return ge
)";

TEST(FlexAttention, ItsResultsHaveTheOrderOfTheQuery) {
  const TextProgram of = read_calls(kFlexText);
  const auto run = propagate(of.program);
  EXPECT_TRUE(run.problems().empty());
  EXPECT_EQ(tensors_of(run, "flex_attention"),
            "[2, 4, 128, 8] [4096, 8, 32, 1] 0; [2, 4, 128] [512, 128, 1] 0; "
            "[2, 4, 128] [512, 128, 1] 0");
  expect_read_again(of.program);
}

TEST(FlexAttention, OptionsArePrintedAsADictionary) {
  const TextProgram of = read_calls(kFlexText);
  EXPECT_NE(readable_text(of.program.graph()).find("{'BACKEND': 'AUTO', 'WRITE_DQ': True}"),
            std::string::npos);
  EXPECT_NE(graph_text(of.program.graph()).find("{BACKEND: AUTO, WRITE_DQ: True}"),
            std::string::npos);
}

// The last dimension of the output is innermost, whichever is the query's.
TEST(FlexAttention, TheLastDimensionIsInnermost) {
  const TextProgram of = read_calls(
      "def forward(self, q: \"f32[2, 4, 128, 16][1, 2, 8, 1024]\", k: \"f32[1, 2, 64, 16]\", v: "
      "\"f32[1, 2, 64, 8]\"):\n"
      "    flex_attention = torch.ops.higher_order.flex_attention(q, k, v, None, (1, 1, None), "
      "1.0, "
      "{}, (), ())\n"
      "    return (flex_attention,)\n");
  EXPECT_EQ(tensors_of(propagate(of.program), "flex_attention"),
            "[2, 4, 128, 8] [8, 16, 64, 1] 0; [2, 4, 128] [512, 128, 1] 0; "
            "[2, 4, 128] [512, 128, 1] 0");
}

TEST(FlexAttention, AQueryWithoutABatchRaises) {
  const TextProgram of = read_calls(
      "def forward(self, q: \"f32[4, 128, 16]\", k: \"f32[1, 2, 64, 16]\"):\n"
      "    flex_attention = torch.ops.higher_order.flex_attention(q, k, k, None, (1, 1, None), "
      "1.0, "
      "{}, (), ())\n"
      "    return (flex_attention,)\n");
  const auto run = propagate(of.program);
  ASSERT_EQ(run.problems().size(), 1u);
  EXPECT_EQ(run.problems()[0].error_class, "ValueError");
  EXPECT_EQ(run.problems()[0].message, "not enough values to unpack (expected 4, got 3)");
}

TEST(FlexAttention, BackwardSumsTheGradientsOfOneBatchOfKeys) {
  const TextProgram of = read_calls(
      "def forward(self, q: \"f32[2, 4, 128, 16][8192, 16, 64, 1]\", k: \"f32[1, 2, 64, 16]\", v: "
      "\"f32[1, 2, 64, 8][1024, 8, 16, 1]\", o: \"f32[2, 4, 128, 8]\", l: \"f32[2, 4, 128]\", b: "
      "\"f32[3, 4][1, 3]\"):\n"
      "    grads = torch.ops.higher_order.flex_attention_backward(q, k, v, o, l, o, l, None, None, "
      "(1, 1, None), 1.0, {}, (b, 3), ())\n"
      "    return (grads,)\n");
  const auto run = propagate(of.program);
  EXPECT_TRUE(run.problems().empty());
  EXPECT_EQ(tensors_of(run, "grads"),
            "[2, 4, 128, 16] [8192, 16, 64, 1] 0; [1, 2, 64, 16] [2048, 1024, 16, 1] 0; "
            "[1, 2, 64, 8] [1024, 512, 8, 1] 0; [3, 4] [4, 1] 0");
}

TEST(TritonKernels, WhatTheyWriteToIsCopiedAndGoesByItsName) {
  const TextProgram of = read_calls(
      "def forward(self, x: \"f32[10]\"):\n"
      "    b = torch.ops.aten.as_strided.default(x, [2, 3], [3, 1], 2)\n"
      "    kernel = torch.ops.higher_order.triton_kernel_wrapper_functional(kernel_idx = 0, "
      "constant_args_idx = 0, grid = [[1, 1, 1]], tma_descriptor_metadata = {}, kwargs = {'x': b, "
      "'out': b, 'n': 6}, tensors_to_clone = ['out'])\n"
      "    getitem = kernel['out'];  kernel = None\n"
      "    mutation = torch.ops.higher_order.triton_kernel_wrapper_mutation(kernel_idx = 0, "
      "constant_args_idx = 0, grid = [[1, 1, 1]], tma_descriptor_metadata = {}, kwargs = {'x': "
      "getitem})\n"
      "    return (getitem,)\n");
  const auto run = propagate(of.program);
  EXPECT_TRUE(run.problems().empty());
  EXPECT_EQ(tensors_of(run, "getitem"), "[2, 3] [3, 1] 2");
  EXPECT_NE(run.record(run.program().find("getitem")).tensors[0].storage,
            run.record(run.program().find("b")).tensors[0].storage);
  expect_read_again(of.program);
}

TEST(HigherOrderText, OperatorsThatAreHandedOverAreNames) {
  const TextProgram of = read_calls(
      "def forward(self, token: \"f32[0]\", x: \"f32[2, 3]\"):\n"
      "    with_effects = torch.ops.higher_order.with_effects(token, "
      "torch.ops.aten._print.default, 'moo')\n"
      "    getitem = with_effects[0]\n"
      "    first = torch.ops.higher_order.auto_functionalized(torch.ops.aten.add_.Tensor, self = "
      "x, "
      "other = x)\n"
      "    getitem_1 = first[1]\n"
      "    second = torch.ops.higher_order.auto_functionalized_v2(torch.ops.aten.add_.Tensor, "
      "other "
      "= x, _self_base_index = 0, _self_alias = True, _all_bases = [x])\n"
      "    getitem_2 = second[1]\n"
      "    return (getitem, getitem_1, getitem_2)\n");
  const auto run = propagate(of.program);
  EXPECT_TRUE(run.problems().empty());
  EXPECT_EQ(tensors_of(run, "getitem"), "[0] [1] 0");
  EXPECT_EQ(tensors_of(run, "getitem_1"), "[2, 3] [3, 1] 0");
  EXPECT_EQ(tensors_of(run, "getitem_2"), "[2, 3] [3, 1] 0");
  EXPECT_NE(graph_text(of.program.graph()).find("(%token, aten._print.default, moo)"),
            std::string::npos);
  EXPECT_NE(readable_text(of.program.graph()).find("(token, torch.ops.aten._print.default, 'moo')"),
            std::string::npos);
  expect_read_again(of.program);
}

// What a method of a custom object returns is not known; the rest is.
TEST(HigherOrderText, CallsOfCustomObjectsAreUnknown) {
  const TextProgram of = read_calls(
      "def forward(self, x: \"f32[2, 3]\"):\n"
      "    call_torchbind = torch.ops.higher_order.call_torchbind('obj', 'add_tensor', x)\n"
      "    relu = torch.ops.aten.relu.default(x)\n"
      "    add = torch.ops.aten.add.Tensor(call_torchbind, relu)\n"
      "    return (add, relu)\n");
  const auto run = propagate(of.program);
  EXPECT_EQ(run.record(run.program().find("call_torchbind")).status, NodeStatus::kUnknown);
  EXPECT_EQ(run.record(run.program().find("add")).status, NodeStatus::kNotReached);
  EXPECT_EQ(tensors_of(run, "relu"), "[2, 3] [3, 1] 0");
  expect_read_again(of.program);
}

constexpr std::string_view kInvokedText = R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[8, 8]", y: "f32[8, 4]"):
        repeated_subgraph0 = self.repeated_subgraph0
        one = torch.ops.higher_order.invoke_subgraph(repeated_subgraph0, 'subgraph_0', x, x)
        getitem: "f32[8, 8]" = one[0]
        repeated_subgraph0_1 = self.repeated_subgraph0
        two = torch.ops.higher_order.invoke_subgraph(repeated_subgraph0_1, 'subgraph_0', getitem, x)
        getitem_1: "f32[8, 8]" = two[0]
        repeated_subgraph0_2 = self.repeated_subgraph0
        three = torch.ops.higher_order.invoke_subgraph(repeated_subgraph0_2, 'subgraph_0', x, y)
        getitem_2: "f32[8, 4]" = three[0]
        return (getitem_1, getitem_2)

    class repeated_subgraph0(torch.nn.Module):
        def forward(self, arg0_1: "f32[8, 8]", arg1_1: "f32[8, 8]"):
            mm: "f32[8, 8]" = torch.ops.aten.mm.default(arg0_1, arg1_1)
            sin: "f32[8, 8]" = torch.ops.aten.sin.default(mm)
            return (sin,)
)";

TEST(InvokeSubgraph, IsAnsweredFromTheCacheForTheSameFakes) {
  const TextProgram of = read_calls(kInvokedText);
  const auto run = propagate(of.program);
  EXPECT_TRUE(run.problems().empty());
  EXPECT_EQ(tensors_of(run, "getitem"), "[8, 8] [8, 1] 0");
  EXPECT_EQ(tensors_of(run, "getitem_1"), "[8, 8] [8, 1] 0");
  EXPECT_EQ(tensors_of(run, "getitem_2"), "[8, 4] [4, 1] 0");
  // Two for each call that is run, one for that which is not, and the inputs.
  EXPECT_EQ(run.mode().context().tensor_count(), 2u + 2u + 1u + 2u);
  const auto storage = [&](std::string_view name) {
    return run.record(run.program().find(name)).tensors[0].storage;
  };
  EXPECT_NE(storage("getitem"), storage("getitem_1"));
}

}  // namespace
}  // namespace faketensor
