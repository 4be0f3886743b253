// Higher-order operators: branches, loops, regions and copies.
#include <functional>

#include <gtest/gtest.h>

#include "core/graph/fake_tensor_prop.h"
#include "core/support/format.h"
#include "program_builder.h"
#include "run_text.h"

namespace faketensor {
namespace {

void expect_no_problem(const faketensor::Run& run) {
  for (const Problem& problem : run.problems()) ADD_FAILURE() << problem.message;
}

// Names the last arguments of a call.
void name_arguments(Program& program, Row call, std::vector<std::string_view> names) {
  std::vector<StringId> keywords;
  for (const std::string_view name : names) keywords.push_back(program.strings().intern(name));
  program.graph().set_arguments(NodeId{call}, program.graph().node(NodeId{call}).args, keywords);
}

TEST(Cond, SizesThatDifferBecomeAFreshSymbol) {
  ProgramBuilder b;
  const Row flag = b.input("flag", {}, DType::kBool);
  const Row x = b.input("x", {6, 3});
  Program& p = b.program;
  const Value two = graph_of(
      p, 1, {{"aten.slice.Tensor", {ref(0), 0, 0, 2}}, {"aten.sin.default", {ref(1)}}}, {ref(2)});
  const Value five = graph_of(
      p, 1, {{"aten.slice.Tensor", {ref(0), 0, 1, 6}}, {"aten.cos.default", {ref(1)}}}, {ref(2)});
  const Row cond = b.call("higher_order.cond", {ref(flag), two, five, list_of(p, {ref(x)})});
  b.output({b.getitem(cond, 0)});
  const auto run = propagate(p);
  expect_no_problem(run);
  EXPECT_EQ(text_of(run, cond), "(f32[u0, 3])");
}

TEST(Cond, BranchesOfTwoDtypesAreRefusedInPytorchsWords) {
  ProgramBuilder b;
  const Row flag = b.input("flag", {}, DType::kBool);
  const Row x = b.input("x", {6, 3});
  Program& p = b.program;
  const Value same = graph_of(p, 1, {{"aten.sin.default", {ref(0)}}}, {ref(1)});
  const Value other = graph_of(p, 1, {{"aten.isnan.default", {ref(0)}}}, {ref(1)});
  const Row cond = b.call("higher_order.cond", {ref(flag), same, other, list_of(p, {ref(x)})});
  b.output({cond});
  const auto run = propagate(p);
  ASSERT_EQ(run.problems().size(), 1u);
  EXPECT_EQ(run.problems()[0].message,
            "When merging two branches' output in torch.cond,  expected same dtype but got "
            "torch.float32 and torch.bool.");
}

Row while_loop(ProgramBuilder& b, const Value& condition, const Value& body,
               std::vector<Value> carried) {
  Program& p = b.program;
  return b.call("higher_order.while_loop",
                {condition, body, list_of(p, std::move(carried)), list_of(p, {})});
}

TEST(WhileLoop, GivesWhatItsBodyGives) {
  ProgramBuilder b;
  const Row i = b.input("i", {}, DType::kInt64);
  const Row x = b.input("x", {4, 3});
  Program& p = b.program;
  const Value condition = graph_of(p, 2, {{"aten.lt.Scalar", {ref(0), 3}}}, {ref(2)});
  const Value body = graph_of(
      p, 2, {{"aten.add.Tensor", {ref(0), 1}}, {"aten.mul.Tensor", {ref(1), 2}}}, {ref(2), ref(3)});
  const Row loop = while_loop(b, condition, body, {ref(i), ref(x)});
  b.output({b.getitem(loop, 0), b.getitem(loop, 1)});
  const auto run = propagate(p);
  expect_no_problem(run);
  EXPECT_EQ(text_of(run, loop), "(i64[], f32[4, 3])");
}

TEST(WhileLoop, ABodyThatGivesAnotherShapeIsRefused) {
  ProgramBuilder b;
  const Row x = b.input("x", {4, 3});
  Program& p = b.program;
  const Value condition = graph_of(p, 1, {{"aten.sum.default", {ref(0)}}}, {ref(1)});
  const Value body = graph_of(p, 1, {{"aten.t.default", {ref(0)}}}, {ref(1)});
  const Row loop = while_loop(b, condition, body, {ref(x)});
  b.output({loop});
  const auto run = propagate(p);
  ASSERT_EQ(run.problems().size(), 1u);
  EXPECT_EQ(run.problems()[0].error_class, "UncapturedHigherOrderOpError");
  EXPECT_EQ(run.problems()[0].message,
            "Expected carried_inputs and body_output to have same metadata but found:\n"
            "pair[0] differ in 'shape: torch.Size([4, 3]) vs torch.Size([3, 4])', 'stride: (3, 1) "
            "vs (1, 3)', where lhs is FakeTensor(..., size=(4, 3)) and rhs is FakeTensor(..., "
            "size=(3, 4))");
}

TEST(WhileLoop, AnIntegerThatIsCarriedMayBeAnyInTheEnd) {
  ProgramBuilder b;
  const Row x = b.input("x", {4, 3});
  Program& p = b.program;
  const Value condition = graph_of(p, 2, {{"aten.sum.default", {ref(1)}}}, {ref(2)});
  const Value body = graph_of(p, 2, {{"aten.sin.default", {ref(1)}}}, {Value(7), ref(2)});
  const Row loop = while_loop(b, condition, body, {Value(0), ref(x)});
  b.output({loop});
  const auto run = propagate(p);
  expect_no_problem(run);
  EXPECT_EQ(text_of(run, loop), "(u0, f32[4, 3])");
}

TEST(AssociativeScan, GivesCopies) {
  ProgramBuilder b;
  const Row x = b.input("x", {4, 3});
  Program& p = b.program;
  const Value combine = graph_of(p, 2, {{"aten.mul.Tensor", {ref(0), ref(1)}}}, {ref(2)});
  const Row scan =
      b.call("higher_order.associative_scan", {combine, list_of(p, {ref(x)}), list_of(p, {})});
  b.output({scan});
  const auto run = propagate(p);
  expect_no_problem(run);
  EXPECT_EQ(text_of(run, scan), "(f32[4, 3])");
  EXPECT_NE(run.record(scan).tensors[0].storage, run.record(x).tensors[0].storage);
}

// Operators that run their graph as if it stood there. PyTorch 2.13 answers each so.
TEST(Wrappers, GiveWhatTheirGraphGives) {
  struct Wrapper {
    std::string name;
    bool takes_list;  // of inputs
    std::vector<Value> rest;
    std::vector<std::string_view> names;  // of the rest
  };
  const Wrapper wrappers[] = {
      {"wrap", false, {}, {}},
      {"wrap_activation_checkpoint", false, {}, {}},
      {"tag_activation_checkpoint", false, {Value(false)}, {"use_reentrant"}},
      {"invoke_quant", false, {Value::string("nf4")}, {"scheme"}},
      {"strict_mode", true, {}, {}},
      {"run_const_graph", true, {}, {}},
      {"hints_wrapper", true, {Value(), Value::string("outer")}, {"kwargs", "hints"}}};
  for (const Wrapper& wrapper : wrappers) {
    ProgramBuilder b;
    const Row x = b.input("x", {3, 4});
    const Row y = b.input("y", {4, 5});
    Program& p = b.program;
    std::vector<Value> args = {
        graph_of(p, 2, {{"aten.mm.default", {ref(0), ref(1)}}, {"aten.t.default", {ref(2)}}},
                 {ref(3), ref(0)})};
    if (wrapper.takes_list) {
      args.push_back(list_of(p, {ref(x), ref(y)}));
    } else {
      args.insert(args.end(), {ref(x), ref(y)});
    }
    args.insert(args.end(), wrapper.rest.begin(), wrapper.rest.end());
    const Row call = b.call("higher_order." + wrapper.name, args);
    name_arguments(p, call, wrapper.names);
    b.output({b.getitem(call, 0), b.getitem(call, 1)});
    const auto run = propagate(p);
    expect_no_problem(run);
    EXPECT_EQ(text_of(run, call), "(f32[5, 3] strides [1, 5], f32[3, 4])") << wrapper.name;
    EXPECT_EQ(run.record(call).tensors[1].tensor, run.record(x).tensors[0].tensor) << wrapper.name;
  }
}

TEST(WithEffects, GivesANewTokenAndWhatTheOperatorReturns) {
  ProgramBuilder b;
  const Row token = b.input("token", {0});
  const Row x = b.input("x", {3, 4});
  const auto with_effects = [&](std::string_view op, std::vector<Value> args) {
    args.insert(args.begin(), {ref(token), Value::string(op)});
    return b.call("higher_order.with_effects", args);
  };
  const Row one = with_effects("torch.ops.aten.relu.default", {ref(x)});
  const Row two = with_effects("torch.ops.aten.max.dim", {ref(x), 1, true});
  name_arguments(b.program, two, {"keepdim"});
  const Row nothing = with_effects("torch.ops.aten._print.default", {Value::string("here")});
  const Row unknown = with_effects("torch.ops.mylib.write.default", {ref(x)});
  const Row misnamed = with_effects("torch.ops.aten.relu.default", {ref(x)});
  name_arguments(b.program, misnamed, {"x"});
  b.output({one, two, nothing});
  const auto run = propagate(b.program);
  EXPECT_EQ(text_of(run, one), "(f32[0], f32[3, 4])");
  EXPECT_NE(run.record(one).tensors[0].tensor, run.record(token).tensors[0].tensor);
  EXPECT_EQ(text_of(run, two), "(f32[0], f32[3, 1], i64[3, 1])");
  EXPECT_EQ(text_of(run, nothing), "(f32[0], None)");
  ASSERT_EQ(run.problems().size(), 2u);
  EXPECT_EQ(run.problems()[0].node, unknown);
  EXPECT_EQ(run.problems()[0].message, "mylib.write.default");
  EXPECT_EQ(run.problems()[1].message,
            "Unknown keyword argument 'x' for operator 'aten::relu'. Schema: aten::relu(Tensor "
            "self) -> Tensor");
}

// linear -> softmax in an autocast region.
faketensor::Run run_in_autocast(std::string_view device, Value dtype, bool enabled,
                                const Target& target = {}) {
  static ProgramBuilder* builders[8];
  static size_t used = 0;
  ProgramBuilder& b = *(builders[used++ % 8] = new ProgramBuilder);
  const Row x = b.input("x", {4, 3});
  const Row w = b.input("w", {5, 3});
  Program& p = b.program;
  const Value body = graph_of(
      p, 2, {{"aten.linear.default", {ref(0), ref(1)}}, {"aten.softmax.int", {ref(2), -1}}},
      {ref(2), ref(3)});
  const Row call = b.call("higher_order.wrap_with_autocast",
                          {Value::string(device), dtype, enabled, false, body, ref(x), ref(w)});
  b.output({call});
  PropagateOptions options;
  options.target = target;
  if (device == "cuda") options.device = Device{DeviceType::kCUDA, 0};
  return propagate(p, options);
}

TEST(Autocast, CastsInsideTheRegionAsTheDeviceDoes) {
  EXPECT_EQ(text_of(run_in_autocast("cpu", DType::kBFloat16, true), 2), "(bf16[4, 5], bf16[4, 5])");
  EXPECT_EQ(text_of(run_in_autocast("cpu", DType::kFloat16, true), 2), "(f16[4, 5], f16[4, 5])");
  EXPECT_EQ(text_of(run_in_autocast("cpu", DType::kBFloat16, false), 2), "(f32[4, 5], f32[4, 5])");
  // A dtype that the CPU's autocast has not turns it off.
  EXPECT_EQ(text_of(run_in_autocast("cpu", DType::kFloat64, true), 2), "(f32[4, 5], f32[4, 5])");
}

TEST(Autocast, OfAGpuNeedsOneAndComputesSoftmaxInSinglePrecision) {
  EXPECT_EQ(text_of(run_in_autocast("cuda", Value(), true), 2),
            "(f32[4, 5] cuda:0, f32[4, 5] cuda:0)");
  EXPECT_EQ(text_of(run_in_autocast("cuda", Value(), true, *target_preset("h100")), 2),
            "(f16[4, 5] cuda:0, f32[4, 5] cuda:0)");
}

TEST(AutoFunctionalized, CopiesTheBasesOfAnOperatorThatNobodyDefined) {
  ProgramBuilder b;
  const Row x = b.input("x", {4, 3});
  Program& p = b.program;
  const Row call =
      b.call("higher_order.auto_functionalized_v2",
             {Value::string("torch.ops.mylib.write.default"), ref(x), 0, list_of(p, {ref(x)})});
  name_arguments(p, call, {"y", "_x_base_index", "_all_bases"});
  const Row nothing = b.getitem(call, 0);
  const Row written = b.getitem(call, 1);
  b.output({written});
  const auto run = propagate(p);
  expect_no_problem(run);
  EXPECT_EQ(text_of(run, nothing), "None");
  EXPECT_EQ(text_of(run, written), "f32[4, 3]");
  EXPECT_NE(run.record(written).tensors[0].storage, run.record(x).tensors[0].storage);
}

TEST(AutoFunctionalized, WhatSuchAnOperatorReturnsIsUnknown) {
  ProgramBuilder b;
  const Row x = b.input("x", {4, 3});
  Program& p = b.program;
  const Row call =
      b.call("higher_order.auto_functionalized_v2",
             {Value::string("torch.ops.mylib.write.default"), 0, list_of(p, {ref(x)})});
  name_arguments(p, call, {"_x_base_index", "_all_bases"});
  const Row returned = b.getitem(call, 0);
  p.graph().meta(NodeId{returned}).recorded = p.node(x).recorded;
  const Row written = b.getitem(call, 1);
  b.output({written});
  const auto run = propagate(p);
  ASSERT_EQ(run.problems().size(), 1u);
  EXPECT_EQ(run.problems()[0].node, returned);
  EXPECT_EQ(run.problems()[0].message, "mylib.write.default");
  EXPECT_EQ(text_of(run, written), "f32[4, 3]");
}

TEST(AutoFunctionalized, ADefinedOperatorGetsItsViewsAnew) {
  ProgramBuilder b;
  const Row x = b.input("x", {4, 3});
  Program& p = b.program;
  const Row call = b.call(
      "higher_order.auto_functionalized_v2",
      {Value::string("torch.ops.mylib.write.default"), ref(x), 0, 0, 1, 4, list_of(p, {ref(x)})});
  name_arguments(
      p, call,
      {"y", "_x_base_index", "_x_slice_dim", "_x_slice_start", "_x_slice_end", "_all_bases"});
  b.output({call});
  std::string seen;
  PropagateOptions options;
  options.prepare = [&](const Program&, FakeTensorMode& mode) {
    mode.library().define("mylib::write(Tensor(a!) x, Tensor y) -> Tensor");
    mode.library().register_fake("mylib::write", [&](FakeCall& c) -> Value {
      seen = tensor_text(*c.arg(0).tensor().meta);
      return c.empty({7}, DType::kFloat32);
    });
  };
  const auto run = propagate(p, options);
  expect_no_problem(run);
  EXPECT_EQ(seen, "f32[3, 3] offset 3");
  EXPECT_EQ(text_of(run, call), "(f32[7], f32[4, 3])");
}

}  // namespace
}  // namespace faketensor
