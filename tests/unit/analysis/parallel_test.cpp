// Several GPUs on paper: memory of a rank, bytes sent, time.
#include "core/analysis/parallel.h"

#include <gtest/gtest.h>

#include "../graph/program_builder.h"
#include "core/analysis/training_step.h"
#include "core/devices/presets.h"

namespace faketensor {
namespace {

constexpr InputSpec::Kind kParameter = InputSpec::Kind::kParameter;

// x of 128 bytes; mm with 512 bytes of weight, relu, mm with 512 more. Between them 256 bytes.
struct TwoLayers : ProgramBuilder {
  Row first = input("first", {8, 16}, DType::kFloat32, kParameter);
  Row second = input("second", {16, 8}, DType::kFloat32, kParameter);
  Row x = input("x", {4, 8});
  Row wide = call("aten.mm.default", {ref(x), ref(first)}, "m,0,Linear");
  Row relu = call("aten.relu.default", {ref(wide)}, "m,0,Linear");
  TwoLayers() { output({call("aten.mm.default", {ref(relu), ref(second)}, "m,1,Linear")}); }
};

ParallelStep two_gpus(const Program& program, std::optional<TrainingOptions> training = {},
                      std::string_view device = "h100") {
  return ParallelStep(program, {.options = {}, .training = std::move(training), .gpus = 2},
                      *device_preset(device));
}

TEST(Parallel, LinearsAreSplitByColumnsThenRows) {
  const TwoLayers model;
  const ParallelRow row = two_gpus(model.program).on(ParallelWay::kTensor);
  // Half of both weights, x, half of what is between them twice; one all-reduce of the result.
  EXPECT_EQ(row.memory, 512 + 128 + 2 * 128);
  EXPECT_EQ(row.sent, 128);
}

TEST(Parallel, ASplitValueIsGatheredWhereAllOfItIsRead) {
  ProgramBuilder b;
  const Row weight = b.input("weight", {8, 16}, DType::kFloat32, kParameter);
  const Row x = b.input("x", {4, 8});
  b.output({b.call("aten.mm.default", {ref(x), ref(weight)})});
  // The output of 256 bytes: each of two ranks sends its half.
  EXPECT_EQ(two_gpus(b.program).on(ParallelWay::kTensor).sent, 128);
}

TEST(Parallel, FeaturesThatDoNotDivideStayWhole) {
  ProgramBuilder b;
  const Row weight = b.input("weight", {8, 15}, DType::kFloat32, kParameter);
  const Row x = b.input("x", {4, 8});
  b.output({b.call("aten.mm.default", {ref(x), ref(weight)})});
  const ParallelStep step = two_gpus(b.program);
  EXPECT_EQ(step.on(ParallelWay::kTensor).sent, 0);
  EXPECT_EQ(step.on(ParallelWay::kTensor).memory, step.on(ParallelWay::kData).memory);
}

TEST(Parallel, StagesBeginWhereANumberedModuleDoes) {
  const TwoLayers model;
  const ParallelRow row = two_gpus(model.program).on(ParallelWay::kPipeline);
  EXPECT_EQ(row.stages, 2);
  EXPECT_EQ(row.memory, 512 + 128 + 256 + 256);
  EXPECT_EQ(row.sent, 256);
}

TEST(Parallel, DataParallelIsTheStepOfOneGpu) {
  const TwoLayers model;
  const TrainingOptions adam{.optimizer = Optimizer::kAdam};
  const ParallelRow row = two_gpus(model.program, adam).on(ParallelWay::kData);
  EXPECT_EQ(row.memory, TrainingStep(model.program, {}, adam).peak().as_int());
  EXPECT_EQ(row.sent, 1024);
}

TEST(Parallel, ZeroSharesStatesGradientsParameters) {
  const TwoLayers model;
  const ParallelStep step = two_gpus(model.program, TrainingOptions{.optimizer = Optimizer::kAdam});
  EXPECT_LT(step.on(ParallelWay::kZero1).memory, step.on(ParallelWay::kData).memory);
  EXPECT_EQ(step.on(ParallelWay::kZero1).sent, 1024);
  EXPECT_EQ(step.on(ParallelWay::kZero2).sent, 1024);
  EXPECT_EQ(step.on(ParallelWay::kZero3).sent, 512 + 2 * 512);
}

TEST(Parallel, TheLinkIsHalfOfWhatItsSheetCounts) {
  const TwoLayers model;
  const ParallelRow row = two_gpus(model.program).on(ParallelWay::kTensor);
  EXPECT_DOUBLE_EQ(*row.communication, 128 / 450e9);
  EXPECT_DOUBLE_EQ(*row.seconds(), row.compute + *row.communication);
}

TEST(Parallel, WhatCannotBeIsRefused) {
  const TwoLayers model;
  const ParallelStep step = two_gpus(model.program);
  EXPECT_FALSE(step.allows(ParallelWay::kZero1));
  EXPECT_THROW(step.on(ParallelWay::kZero2), Error);
  EXPECT_THROW(ParallelStep(model.program, {.options = {}, .training = {}, .gpus = 1},
                            *device_preset("h100")),
               Error);
  EXPECT_FALSE(parallel_way_named("zero4").has_value());
}

}  // namespace
}  // namespace faketensor
