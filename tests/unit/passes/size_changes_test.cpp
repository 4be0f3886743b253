#include "core/passes/size_changes.h"

#include <gtest/gtest.h>

namespace faketensor {
namespace {

std::vector<int64_t> matched(std::vector<SizePair> from, std::vector<int64_t> shape,
                             SizeChanges changes = {}) {
  const std::optional<Sizes> sizes = match_shape(from, shape, changes);
  return sizes ? std::vector<int64_t>(sizes->begin(), sizes->end()) : std::vector<int64_t>{};
}
using List = std::vector<int64_t>;

TEST(MatchShape, DimensionsKeepTheirPlaces) {
  EXPECT_EQ(matched({{2, 7}, {16, 16}, {64, 64}}, {2, 16, 4, 16}), (List{7, 16, 4, 16}));
  EXPECT_EQ(matched({{2, 2}, {16, 24}, {4, 4}, {16, 16}}, {2, 16, 64}), (List{2, 24, 64}));
}

TEST(MatchShape, MergedDimensionsAreMultiplied) {
  EXPECT_EQ(matched({{2, 7}, {16, 16}, {64, 64}}, {32, 64}), (List{112, 64}));
  EXPECT_EQ(matched({{2, 7}, {16, 24}, {64, 64}}, {32, 64}), (List{168, 64}));
}

TEST(MatchShape, WhatWasMergedIsTakenApartInItsOrder) {
  SizeChanges changes;
  const SizePair batch_and_length[] = {{16, 24}, {16, 16}};
  changes.learn_product(batch_and_length);
  EXPECT_EQ(matched({{256, 384}, {8, 8}}, {16, 16, 8}, changes), (List{24, 16, 8}));
}

TEST(MatchShape, NumbersTakeUpTheDimensionsInTheirOrder) {
  // Patches: the batch is in the 128, though a 2 follows.
  EXPECT_EQ(matched({{2, 7}, {16, 16}, {8, 8}, {8, 8}}, {128, 2, 4, 2}), (List{448, 2, 4, 2}));
}

TEST(MatchShape, AKnownChangeExplainsASplit) {
  SizeChanges changes;
  changes.learn({16, 24}, 0, 1);
  EXPECT_EQ(matched({{32, 48}}, {2, 16}, changes), (List{2, 24}));
  // Without one, the first number that can takes it up.
  EXPECT_EQ(matched({{32, 48}}, {2, 16}), (List{3, 16}));
}

TEST(MatchShape, ABatchOfOneIsNoBroadcast) {
  EXPECT_EQ(matched({{1, 7}, {16, 16}, {64, 64}}, {1, 16, 4, 16}), (List{7, 16, 4, 16}));
  EXPECT_EQ(matched({{1, 7}, {16, 16}}, {16}), (List{112}));
  // A new dimension of 1 stays one.
  EXPECT_EQ(matched({{1, 7}, {16, 16}}, {1, 1, 1, 16}), (List{7, 1, 1, 16}));
}

TEST(MatchShape, ABatchOfOneBehindTheLengthGoesWhereItIsMergedOrSplit) {
  // (T, B, E) as (T, B * heads, E / heads), and back as (T * B, E).
  EXPECT_EQ(matched({{10, 10}, {1, 7}, {64, 64}}, {10, 4, 16}), (List{10, 28, 16}));
  EXPECT_EQ(matched({{10, 10}, {1, 7}, {4, 4}, {16, 16}}, {10, 64}), (List{70, 64}));
  EXPECT_EQ(matched({{10, 10}, {1, 7}}, {10}), (List{70}));
}

TEST(MatchShape, ANumberThatTookUpABatchOfOneGivesItBack) {
  SizeChanges changes;
  const SizePair from[] = {{10, 10}, {1, 7}, {64, 64}};
  const int64_t heads[] = {10, 4, 16};
  ASSERT_TRUE(match_shape(from, heads, changes));
  EXPECT_EQ(matched({{4, 28}, {10, 10}, {16, 16}}, {1, 4, 10, 16}, changes), (List{7, 4, 10, 16}));
}

TEST(MatchShape, WindowsThatDoNotDivideAreNone) {
  EXPECT_EQ(matched({{28, 30}}, {4, 7}), List{});
  EXPECT_EQ(matched({{28, 35}}, {4, 7}), (List{5, 7}));
}

}  // namespace
}  // namespace faketensor
