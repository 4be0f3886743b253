#include "core/analysis/program_diff.h"

#include <gtest/gtest.h>

#include "core/devices/presets.h"
#include "layer.h"

namespace faketensor {
namespace {

TEST(ProgramDiff, AProgramDoesNotDifferFromItself) {
  const Layer layer("aten.relu.default");
  const ProgramDiff diff({layer.program}, {layer.program});
  EXPECT_TRUE(diff.nodes().empty());
  EXPECT_TRUE(diff.modules().empty());
  EXPECT_EQ(diff.matched(), layer.program.plan().size());
  EXPECT_EQ(diff.total_a().bytes, diff.total_b().bytes);
}

TEST(ProgramDiff, AnotherBatchChangesWhatDependsOnItTheMostFirst) {
  const Layer layer("aten.relu.default");
  const Hardware hardware = *device_preset("h100")->hardware;
  const ProgramDiff diff({layer.program, {}, &hardware},
                         {layer.program, {{.dims = {{"batch", 8}}}}, &hardware});
  ASSERT_EQ(diff.nodes().size(), 4u);  // x, mm, relu and the output
  const NodeDiff& first = diff.nodes()[0];
  EXPECT_EQ(first.row_a, layer.product);
  EXPECT_TRUE(first.value_changed);
  EXPECT_EQ(first.a.bytes, 128);
  EXPECT_EQ(first.b.bytes, 256);
  EXPECT_EQ(first.b.flops, 2 * first.a.flops);
  EXPECT_EQ(diff.counted_a(), 512);
  EXPECT_EQ(diff.counted_b(), 1024);
}

TEST(ProgramDiff, WhatOnlyOneHasIsSaid) {
  const Layer a("aten.relu.default");
  const Layer b("aten.exp.default");
  const ProgramDiff diff({a.program}, {b.program});
  ASSERT_EQ(diff.nodes().size(), 2u);
  EXPECT_EQ(diff.nodes()[0].row_b, kNoRow);
  EXPECT_EQ(diff.nodes()[1].row_a, kNoRow);
}

}  // namespace
}  // namespace faketensor
