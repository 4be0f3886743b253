#include "core/analysis/roofline.h"

#include <gtest/gtest.h>

#include "../graph/program_builder.h"
#include "core/devices/presets.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

// The one node of a program that calls `op` with `x` of these sizes.
struct OneCall : ProgramBuilder {
  Row x;
  OneCall(std::initializer_list<int64_t> sizes, const char* op, DType dtype = DType::kFloat32)
      : x(input("x", sizes, dtype)) {
    output({call(op, {ref(x)})});
  }
};

std::string figures(const Program& program) {
  const ProgramWork work(program, {});
  const std::vector<WorkSum> modules = work.modules();
  return format("{} FLOP, {} read, {} written", modules[0].flops, modules[0].read,
                modules[0].written);
}

TEST(Work, AnElementwiseOperatorCountsItsFormulaForEachElement) {
  EXPECT_EQ(figures(OneCall({4, 8}, "aten.exp.default").program), "32 FLOP, 128 read, 128 written");
  EXPECT_EQ(figures(OneCall({4, 8}, "aten.silu.default").program),
            "160 FLOP, 128 read, 128 written");
  EXPECT_EQ(figures(OneCall({4, 8}, "aten.bitwise_not.default", DType::kInt64).program),
            "0 FLOP, 256 read, 256 written");
}

TEST(Work, AReductionCountsWhatItReads) {
  EXPECT_EQ(figures(OneCall({4, 8}, "aten.sum.default").program), "32 FLOP, 128 read, 4 written");
}

TEST(Work, AViewIsNothing) {
  EXPECT_EQ(figures(OneCall({4, 8}, "aten.t.default").program), "0 FLOP, 0 read, 0 written");
  EXPECT_EQ(figures(OneCall({4, 8}, "aten.detach.default").program), "0 FLOP, 0 read, 0 written");
}

TEST(Work, WhatIsWrittenInPlaceIsReadAndWritten) {
  EXPECT_EQ(figures(OneCall({4, 8}, "aten.relu_.default").program),
            "32 FLOP, 128 read, 128 written");
  EXPECT_EQ(figures(OneCall({4, 8}, "aten.zero_.default").program), "0 FLOP, 0 read, 128 written");
}

TEST(Work, AnExpandedTensorIsReadOnce) {
  ProgramBuilder b;
  const Row x = b.input("x", {1, 8});
  const Row wide = b.call("aten.expand.default", {ref(x), b.ints({4, 8})});
  b.output({b.call("aten.exp.default", {ref(wide)})});
  EXPECT_EQ(figures(b.program), "32 FLOP, 32 read, 128 written");
}

TEST(Work, OfATableOnlyWhatIsTakenIsRead) {
  ProgramBuilder b;
  const Row table = b.input("table", {1000, 8});
  const Row indices = b.input("indices", {3}, DType::kInt64);
  b.output({b.call("aten.embedding.default", {ref(table), ref(indices)})});
  EXPECT_EQ(figures(b.program), "0 FLOP, 120 read, 96 written");
}

TEST(Work, AProductCountsAsPyTorchCounts) {
  ProgramBuilder b;
  const Row x = b.input("x", {4, 8});
  const Row w = b.input("w", {8, 16});
  b.output({b.call("aten.mm.default", {ref(x), ref(w)})});
  EXPECT_EQ(figures(b.program), "1024 FLOP, 640 read, 256 written");
}

// Each row of the table is an operator's, so that a name that PyTorch drops is noticed.
TEST(Work, EachRowIsAnOperator) {
  for (const WorkRow& row : work_rows()) {
    bool is_known = false;
    for (const OpEntry& entry : Registry::builtin().entries()) {
      is_known |= entry.is_aten() && (entry.packet() == row.op || entry.base_name() == row.op);
    }
    EXPECT_TRUE(is_known) << row.op;
  }
}

TEST(Roofline, TheSlowestOfThreeBounds) {
  const Hardware hardware = {
      .memory = 1 << 30, .bandwidth = 1e12, .launch = 1e-6, .flops = {{{0, 0}, {1e12, 0}}}};
  const auto bound = [&](int64_t flops, int64_t bytes) {
    const Work work{WorkKind::kElementwise, Rate::kFloat32, flops, bytes, 0};
    return time_of(work, hardware, {}).bound;
  };
  EXPECT_EQ(bound(1, 1), Bound::kLaunch);
  EXPECT_EQ(bound(1'000'000'000, 1), Bound::kCompute);
  EXPECT_EQ(bound(1, 1'000'000'000), Bound::kMemory);
  const Work copy{WorkKind::kCopy, Rate::kFloat32, 0, 1'000'000'000, 0};
  EXPECT_DOUBLE_EQ(time_of(copy, hardware, {}).seconds, 1e-3 / efficiency(WorkKind::kCopy).memory);
}

TEST(Roofline, ProductsOfFloat32RunWithoutTensorCoresConvolutionsAsTf32) {
  const Hardware a100 = *device_preset("a100")->hardware;
  const auto peak = [&](WorkKind kind, Rate rate, bool tf32 = false) {
    return peak_flops({.kind = kind, .rate = rate}, a100, {.tf32_products = tf32});
  };
  EXPECT_EQ(peak(WorkKind::kMatrix, Rate::kFloat32), 19.5e12);
  EXPECT_EQ(peak(WorkKind::kMatrix, Rate::kFloat32, true), 156e12);
  EXPECT_EQ(peak(WorkKind::kConvolution, Rate::kFloat32), 156e12);
  EXPECT_EQ(peak(WorkKind::kMatrix, Rate::kBFloat16), 312e12);
  EXPECT_EQ(peak(WorkKind::kElementwise, Rate::kBFloat16), 39e12);
  // The T4 has no bfloat16.
  EXPECT_EQ(peak_flops({.kind = WorkKind::kMatrix, .rate = Rate::kBFloat16},
                       *device_preset("t4")->hardware, {}),
            8.1e12);
}

TEST(Roofline, AStepIsTheSumOfItsCalls) {
  ProgramBuilder b;
  const Row x = b.input("x", {4, 8});
  const Row exp = b.call("aten.exp.default", {ref(x)});
  b.output({b.call("aten.sum.default", {ref(exp)})});
  const ProgramWork work(b.program, {});
  const StepTime time(work, *device_preset("h100")->hardware);
  EXPECT_EQ(time.calls(), 2u);
  EXPECT_DOUBLE_EQ(time.seconds(), 10e-6);
  EXPECT_DOUBLE_EQ(time.seconds(Bound::kLaunch), 10e-6);
  EXPECT_EQ(time.rows()[0].row, exp);
  EXPECT_EQ(items_of(work.run()).samples, 4);
  EXPECT_EQ(items_of(work.run()).tokens, 0);
}

}  // namespace
}  // namespace faketensor
