// What a picture of a program leaves out.
#include "core/graph/plumbing.h"

#include <gtest/gtest.h>

#include "program_builder.h"

namespace faketensor {
namespace {

TEST(Plumbing, SizesAndAssertionsAreLeftOut) {
  ProgramBuilder b;
  const Row x = b.input("x", {4, 8});
  const Row size = b.call("aten.sym_size.int", {ref(x), SymInt(0)});
  const Row check = b.call("aten._assert_tensor_metadata.default", {ref(x)});
  const Row relu = b.call("aten.relu.default", {ref(x)});
  b.output({relu});
  const std::vector<Row> shown = shown_rows(b.program);
  EXPECT_EQ(shown[x], x);
  EXPECT_EQ(shown[size], kNoRow);
  EXPECT_EQ(shown[check], kNoRow);
  EXPECT_EQ(shown[relu], relu);
}

TEST(Plumbing, AReaderOfAnAliasReadsWhatItIsTheAliasOf) {
  ProgramBuilder b;
  const Row x = b.input("x", {4, 8});
  const Row alias = b.call("aten.alias.default", {ref(x)});
  const Row detached = b.call("aten.detach_.default", {ref(alias)});
  b.output({detached});
  const std::vector<Row> shown = shown_rows(b.program);
  EXPECT_EQ(shown[alias], x);
  EXPECT_EQ(shown[detached], x);
}

TEST(Plumbing, WhatWritesIsDrawnThoughNothingComesOutOfIt) {
  ProgramBuilder b;
  const Row x = b.input("x", {4, 8});
  const Row relu = b.call("aten.relu_.default", {ref(x)});
  b.output({relu});
  EXPECT_EQ(shown_rows(b.program)[relu], relu);
}

// A mask is made of sizes and token ids before the blocks run; what a block does is drawn.
TEST(Plumbing, MasksAndPositionsBesideSubmodulesAreLeftOut) {
  constexpr std::string_view kRoot = "L__self__,,model.Net";
  constexpr std::string_view kBlock = "L__self__,,model.Net;L__self___block,block,model.Block";
  ProgramBuilder b;
  const Row ids = b.input("ids", {2, 8}, DType::kInt64);
  const Row x = b.input("x", {2, 8});
  const Row mask = b.call("aten.ne.Scalar", {ref(ids), Value(SymInt(0))}, kRoot);
  const Row wide = b.call("aten.unsqueeze.default", {ref(mask), Value(SymInt(1))}, kRoot);
  const Row doubled = b.call("aten.add.Tensor", {ref(x), ref(x)}, kRoot);
  const Row masked = b.call("aten.mul.Tensor", {ref(doubled), ref(wide)}, kBlock);
  b.output({masked});
  const std::vector<Row> shown = shown_rows(b.program);
  EXPECT_EQ(shown[mask], ids);
  EXPECT_EQ(shown[wide], ids);
  EXPECT_EQ(shown[doubled], doubled);
  EXPECT_EQ(shown[masked], masked);
}

}  // namespace
}  // namespace faketensor
