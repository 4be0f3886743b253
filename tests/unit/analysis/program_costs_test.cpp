#include "core/analysis/program_costs.h"

#include <gtest/gtest.h>

#include "../graph/program_builder.h"
#include "core/support/format.h"
#include "layer.h"

namespace faketensor {
namespace {

// A weight of 256 bytes and an x of 128: mm(x, w).relu(), of which a view is returned.
std::string live(const ProgramCosts& costs) {
  std::string text;
  for (const RowMemory& row : costs.memory().rows()) text += format("{} ", row.live);
  return text;
}

TEST(ProgramCosts, AValueIsAliveFromItsNodeToItsLastUse) {
  const ViewedLayer layer;
  const ProgramCosts costs(layer.program, {});
  // Held: 384. The product dies when relu has run; the view holds what relu brought.
  EXPECT_EQ(live(costs), "384 384 512 512 512 512 ");
  EXPECT_TRUE(same_expr(costs.memory().held(MemoryKind::kParameter), 256));
  EXPECT_TRUE(same_expr(costs.memory().held(MemoryKind::kInput), 128));
}

TEST(ProgramCosts, ThePeakIsInsideOfTheNodeThatReadsAndBrings) {
  const ViewedLayer layer;
  const ProgramCosts costs(layer.program, {});
  EXPECT_EQ(costs.memory().peak_row(), layer.relu);
  EXPECT_TRUE(same_expr(costs.memory().peak(), 640));
  const std::vector<Holder> holders = costs.memory().holders(layer.relu);
  ASSERT_EQ(holders.size(), 4u);
  EXPECT_EQ(holders[0].row, layer.weight);
  EXPECT_EQ(holders[2].row, layer.product);
  EXPECT_EQ(holders[2].last_use, layer.relu);
  EXPECT_EQ(holders[3].kind, MemoryKind::kOutput);
}

TEST(ProgramCosts, WhatIsWrittenInPlaceAddsNothing) {
  ProgramBuilder b;
  const Row x = b.input("x", {4, 8});
  const Row sum = b.call("aten.add.Tensor", {ref(x), ref(x)});
  const Row relu = b.call("aten.relu_.default", {ref(sum)});
  b.output({relu});
  const ProgramCosts costs(b.program, {});
  EXPECT_EQ(live(costs), "128 256 256 256 ");
  EXPECT_TRUE(same_expr(costs.memory().peak(), 256));
}

TEST(ProgramCosts, ACompositeOperatorsTemporariesAreInsideOfItsNode) {
  ProgramBuilder b;
  const Row x = b.input("x", {1, 1, 4, 4});
  const Row y = b.call("aten.max_pool2d.default", {ref(x), b.ints({2, 2})});
  b.output({y});
  const ProgramCosts costs(b.program, {});
  // The indices of the maxima, eight bytes each, are dropped when the operator ends.
  EXPECT_TRUE(same_expr(costs.memory().rows()[y].live, 64 + 16));
  EXPECT_TRUE(same_expr(costs.memory().rows()[y].peak, 64 + 16 + 32));
}

TEST(ProgramCosts, ProductsCountTwoForEachMultiplication) {
  const ViewedLayer layer;
  const ProgramCosts costs(layer.program, {});
  ASSERT_EQ(costs.flops().size(), 1u);
  EXPECT_EQ(costs.flops()[0].row, layer.product);
  EXPECT_TRUE(same_expr(costs.flops()[0].flops, 2 * 4 * 8 * 8));
  EXPECT_TRUE(same_expr(costs.module_flops()[0], 512));
}

// With what its nodes were recorded with, which sizes are lifted from.
struct RecordedLayer : ViewedLayer {
  RecordedLayer() {
    const auto run = propagate(program);
    for (const Row row : {product, relu, view})
      program.graph().meta(NodeId{row}).recorded =
          program.metas().intern(run.record(row).value.tensor().meta->spec());
  }
};

RetargetOptions dynamic_batch(DynamicDim range = {}) {
  RetargetOptions options;
  options.dynamic["batch"] = range;
  return options;
}

TEST(ProgramCosts, ADynamicBatchGivesExpressions) {
  const RecordedLayer layer;
  const ProgramCosts costs(layer.program, dynamic_batch());
  const BranchScope env = costs.run().shape_env();
  EXPECT_EQ(format("{}", costs.memory().peak()), "96*batch + 256");
  EXPECT_EQ(format("{}", costs.module_flops()[0]), "128*batch");
}

TEST(ProgramCosts, ThePeakHasARangeOverTheRangeOfASymbol) {
  const RecordedLayer layer;
  const ProgramCosts costs(layer.program, dynamic_batch({.range = ValueRange::ints(2, 64)}));
  const PeakRange range = costs.memory().peak_range();
  EXPECT_EQ(range.least, 96 * 2 + 256);
  EXPECT_EQ(range.most, 96 * 64 + 256);
  EXPECT_EQ(range.most_row, costs.memory().peak_row());

  const ProgramCosts open(layer.program, dynamic_batch());
  EXPECT_EQ(open.memory().peak_range().most, std::nullopt);
  EXPECT_EQ(open.memory().peak_range().most_row, kNoRow);
}

// A convolution of [1, 2, 5, 5] by [3, 2, 3, 3]: 9 points, 18 products, 3 channels.
TEST(Flops, AConvolutionMultipliesTheFilterAtEachPoint) {
  ProgramBuilder b;
  const Row x = b.input("x", {1, 2, 5, 5});
  const Row weight = b.input("weight", {3, 2, 3, 3});
  const Row y = b.call("aten.conv2d.default", {ref(x), ref(weight)});
  b.output({y});
  const ProgramCosts costs(b.program, {});
  EXPECT_TRUE(same_expr(costs.module_flops()[0], 2 * 9 * 18 * 3));
}

}  // namespace
}  // namespace faketensor
