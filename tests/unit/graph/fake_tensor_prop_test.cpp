#include "core/graph/fake_tensor_prop.h"

#include <gtest/gtest.h>

#include "core/support/error.h"
#include "core/symbolic/shape_env.h"
#include "program_builder.h"
#include "run_text.h"

namespace faketensor {
namespace {

TEST(FakeTensorProp, AnswersEveryNode) {
  ProgramBuilder b;
  const Row x = b.input("x", {2, 3});
  const Row w = b.input("w", {4, 3}, DType::kFloat32, InputSpec::Kind::kParameter);
  const Row y = b.call("aten.linear.default", {ref(x), ref(w)});
  b.output({y});
  const auto run = propagate(b.program);
  EXPECT_TRUE(run.problems().empty());
  EXPECT_EQ(text_of(run, y), "f32[2, 4]");
}

TEST(FakeTensorProp, AnErrorStopsOnlyWhatDependsOnIt) {
  ProgramBuilder b;
  const Row x = b.input("x", {2, 3});
  const Row bad = b.call("aten.mm.default", {ref(x), ref(x)});
  const Row after = b.call("aten.relu.default", {ref(bad)});
  const Row fine = b.call("aten.relu.default", {ref(x)});
  b.output({after, fine});
  const auto run = propagate(b.program);
  ASSERT_EQ(run.problems().size(), 1u);
  EXPECT_EQ(run.problems()[0].error_class, "RuntimeError");
  EXPECT_EQ(run.problems()[0].node, bad);
  EXPECT_EQ(run.record(bad).status, NodeStatus::kError);
  EXPECT_EQ(run.record(after).status, NodeStatus::kNotReached);
  EXPECT_EQ(run.record(fine).status, NodeStatus::kOk);
}

TEST(FakeTensorProp, CanStopAtTheFirstErrorAsPytorchDoes) {
  ProgramBuilder b;
  const Row x = b.input("x", {2, 3});
  b.call("aten.mm.default", {ref(x), ref(x)});
  const Row fine = b.call("aten.relu.default", {ref(x)});
  b.output({fine});
  const auto run = propagate(b.program, {.stop_at_first_error = true});
  EXPECT_EQ(run.record(fine).status, NodeStatus::kNotReached);
}

TEST(FakeTensorProp, AnOperatorWithoutARuleIsUnknownAndEverythingElseIsAnswered) {
  ProgramBuilder b;
  const Row x = b.input("x", {2, 3});
  const Row custom = b.call("mylib.mystery.default", {ref(x)});
  const Row after = b.call("aten.relu.default", {ref(custom)});
  const Row fine = b.call("aten.relu.default", {ref(x)});
  b.output({after, fine});
  const auto run = propagate(b.program);
  ASSERT_EQ(run.problems().size(), 1u);
  EXPECT_EQ(run.problems()[0].kind, Problem::Kind::kUnknown);
  EXPECT_EQ(run.problems()[0].op, "torch.ops.mylib.mystery.default");
  EXPECT_EQ(run.record(custom).status, NodeStatus::kUnknown);
  EXPECT_EQ(run.record(after).status, NodeStatus::kNotReached);
  EXPECT_EQ(text_of(run, fine), "f32[2, 3]");
}

TEST(FakeTensorProp, ViewsShareTheStorageAndInplaceOperatorsReturnTheirInput) {
  ProgramBuilder b;
  const Row x = b.input("x", {2, 3});
  const Row t = b.call("aten.transpose.int", {ref(x), 0, 1});
  const Row added = b.call("aten.add_.Tensor", {ref(t), 1});
  b.output({added});
  const auto run = propagate(b.program);
  EXPECT_EQ(run.record(t).tensors[0].storage, run.record(x).tensors[0].storage);
  EXPECT_NE(run.record(t).tensors[0].tensor, run.record(x).tensors[0].tensor);
  EXPECT_EQ(run.record(added).tensors[0].tensor, run.record(t).tensors[0].tensor);
}

TEST(FakeTensorProp, ElementsOfMultiOutputCallsAreTheirOwnNodes) {
  ProgramBuilder b;
  const Row x = b.input("x", {2, 6});
  const Row parts = b.call("aten.split.Tensor", {ref(x), 2, 1});
  const Row second = b.getitem(parts, 1);
  b.output({second});
  const auto run = propagate(b.program);
  EXPECT_EQ(text_of(run, second), "f32[2, 2] strides [6, 1] offset 2");
}

TEST(FakeTensorProp, WhatIfChangesSizesDtypeDeviceAndMemoryFormat) {
  ProgramBuilder b;
  const Row x = b.input("x", {2, 3, 8, 8});
  const Row y = b.input("y", {2, 4});
  const Row w = b.input("w", {4, 3, 3, 3}, DType::kFloat32, InputSpec::Kind::kParameter);
  const Row conv = b.call("aten.conv2d.default", {ref(x), ref(w)});
  b.output({conv, y});
  EXPECT_EQ(text_of(propagate(b.program, {.dims = {{"batch", 5}}}), conv), "f32[5, 4, 6, 6]");
  EXPECT_EQ(text_of(propagate(b.program, {.dims = {{"batch", 5}}}), y), "f32[5, 4]");
  EXPECT_EQ(text_of(propagate(b.program, {.dims = {{"x.2", 16}}}), conv), "f32[2, 4, 14, 6]");
  EXPECT_EQ(text_of(propagate(b.program, {.dtype = DType::kFloat64}), conv), "f64[2, 4, 6, 6]");
  EXPECT_EQ(text_of(propagate(b.program, {.device = Device{DeviceType::kCUDA, -1}}), conv),
            "f32[2, 4, 6, 6] cuda:0");
  EXPECT_EQ(text_of(propagate(b.program, {.memory_format = MemoryFormat::kChannelsLast}), conv),
            "f32[2, 4, 6, 6] channels_last");
}

TEST(FakeTensorProp, AnOverrideReplacesOnePlaceholder) {
  ProgramBuilder b;
  const Row x = b.input("x", {2, 3});
  b.output({x});
  PropagateOptions options;
  options.inputs["x"] = {.sizes = std::vector<SymInt>{4, 5},
                         .strides = std::vector<SymInt>{1, 4},
                         .dtype = DType::kInt8,
                         .device = {}};
  EXPECT_EQ(text_of(propagate(b.program, options), x), "i8[4, 5] strides [1, 4]");
}

TEST(FakeTensorProp, OptionsThatNameNothingAreRefused) {
  ProgramBuilder b;
  b.output({b.input("x", {2, 3})});
  for (const char* dim : {"z.0", "x.2", "x.", "nonsense", "x.-1"}) {
    EXPECT_THROW(propagate(b.program, {.dims = {{dim, 4}}}), Error) << dim;
  }
  PropagateOptions options;
  options.inputs["nobody"] = {};
  EXPECT_THROW(propagate(b.program, options), Error);
}

TEST(FakeTensorProp, AnUnknownDimensionSaysWhichThereAre) {
  ProgramBuilder b;
  b.input("weight", {7}, DType::kFloat32, InputSpec::Kind::kParameter);
  const Row x = b.input("x", {2, 3, 8, 8});
  const Row mask = b.input("mask", {2});
  b.output({x, mask});
  try {
    propagate(b.program, {.dims = {{"s31", 8}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "the program has no input dimension or symbol 's31'; it has batch, x.0...3 of "
              "[2, 3, 8, 8], mask.0 of [2]");
  }
}

TEST(FakeTensorProp, DifferencesFromTheFilesRecordAreReported) {
  ProgramBuilder b;
  const Row x = b.input("x", {2, 3});
  const Row y = b.call("aten.relu.default", {ref(x)});
  const DimVector wrong = {3, 2};
  b.program.graph().meta(NodeId{y}).recorded = b.program.metas().intern({.sizes = wrong});
  b.output({y});
  const auto mismatches = propagate(b.program).compare_with_recorded();
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches[0].message,
            "the file records f32[3, 2] strides [2, 1] offset 0 on cpu, propagation gives f32[2, "
            "3] strides [3, 1] offset 0 on cpu");
}

TEST(FakeTensorProp, ARecordThatTheRangesMakeEqualIsNoDifference) {
  ProgramBuilder b;
  b.program.shape_env = std::make_shared<ShapeEnv>();
  const SymInt s0 = b.program.shape_env->create_backed("s0", 4, ValueRange::ints(2, kIntInfinity));
  const Row x = b.input("x", {1, 8});
  const SymInt sizes[] = {s0, 8};
  b.program.graph().meta(NodeId{x}).recorded = b.program.metas().intern({.sizes = sizes});
  const Row y = b.call("aten.relu.default", {ref(x)});
  const Row z = b.call("aten.relu.default", {ref(x)});
  const std::vector<SymInt> bounded = {sym_min(8, 8 * s0), 1};
  const std::vector<SymInt> other = {sym_min(8, s0), 1};
  b.program.graph().meta(NodeId{y}).recorded =
      b.program.metas().intern({.sizes = sizes, .strides = bounded});
  b.program.graph().meta(NodeId{z}).recorded =
      b.program.metas().intern({.sizes = sizes, .strides = other});
  b.output({y, z});
  const auto mismatches = propagate(b.program).compare_with_recorded();
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches[0].node, z);
}

TEST(FakeTensorProp, ProgressCanCancel) {
  ProgramBuilder b;
  b.output({b.input("x", {2})});
  const auto run = propagate(b.program, {.progress = [](size_t, size_t) { return false; }});
  EXPECT_TRUE(run.was_cancelled());
}

TEST(ModuleTree, LeavesOutWhatIsNoModule) {
  ProgramBuilder b;
  const std::string none = "_empty_nn_module_stack_from_metadata_hook";
  const Row x = b.input("x", {2});
  const Row y = b.call("aten.relu.default", {ref(x)}, none + "," + none + "," + none);
  b.output({y});
  EXPECT_EQ(b.program.modules.size(), 1u);
  EXPECT_EQ(b.program.modules[0].nodes, 1u);
}

TEST(ModuleTree, CountsCallsBelowEachModule) {
  ProgramBuilder b;
  const Row x = b.input("x", {2});
  const Row y = b.call(
      "aten.relu.default", {ref(x)},
      "L__self__,,m.Net;L__self___a,a,m.Block;L__self___a_b,a.b,torch.nn.modules.activation.ReLU");
  const Row z = b.call("aten.relu.default", {ref(y)}, "L__self__,,m.Net;L__self___a,a,m.Block");
  b.output({z});
  ASSERT_EQ(b.program.modules.size(), 3u);
  EXPECT_EQ(b.program.text(b.program.modules[1].path), "a");
  EXPECT_EQ(b.program.modules[1].nodes, 2u);
  EXPECT_EQ(b.program.modules[2].nodes, 1u);
  EXPECT_EQ(b.program.modules[2].parent, 1u);
  EXPECT_EQ(b.program.text(b.program.modules[0].type), "m.Net");
}

TEST(Verifier, RefusesValuesThatAreUsedBeforeTheyAreComputed) {
  ProgramBuilder b;
  const Row x = b.input("x", {2});
  b.call("aten.relu.default", {ref(x + 5)});
  EXPECT_THROW(b.output({x}), Error);
}

}  // namespace
}  // namespace faketensor
