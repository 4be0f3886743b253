#include "core/symbolic/range_end.h"

#include <gtest/gtest.h>

#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

constexpr int64_t kLargest = INT64_MAX - 1;

TEST(RangeEnd, EndsBeyond64BitsAreExact) {
  const RangeEnd end = RangeEnd(kLargest) * 4;
  EXPECT_EQ(to_string(end), "36893488147419103224");
  EXPECT_EQ(to_string(-end), "-36893488147419103224");
  EXPECT_EQ(floor_divide(end, 4), RangeEnd(kLargest));
  EXPECT_EQ(floor_divide(-end - 1, 4), RangeEnd(-kLargest - 1));
  EXPECT_FALSE(end.as_int64().has_value());
  EXPECT_EQ(floor_divide(end, 4).as_int64(), kLargest);
}

TEST(RangeEnd, TheExtremesOf64BitsAreInfinite) {
  EXPECT_EQ(to_string(RangeEnd(kIntInfinity)), "int_oo");
  EXPECT_EQ(RangeEnd(kMinusIntInfinity) + 5, RangeEnd(kMinusIntInfinity));
  EXPECT_EQ(RangeEnd(kIntInfinity) * -2, RangeEnd(kMinusIntInfinity));
  EXPECT_EQ(RangeEnd(kIntInfinity) * 0, RangeEnd(0));
  EXPECT_EQ(floor_divide(7, kIntInfinity), RangeEnd(0));
}

TEST(RangeEnd, WhatPassesTheLimitIsInfinite) {
  RangeEnd end = kLargest;
  for (int i = 0; i < 3; ++i) end = end * end;
  EXPECT_EQ(end, RangeEnd(kIntInfinity));
  EXPECT_EQ(-(end * -1), RangeEnd(kIntInfinity));
}

TEST(RangeEnd, AProductOfASizeKeepsItsUpperEnd) {
  ShapeEnv env;
  const SymInt u0 = env.create_unbacked_int("u0", ValueRange::ints(0, kLargest));
  EXPECT_EQ(to_string(env.bound((u0 * 4).node())), "[0, 36893488147419103224]");
  const SymInt s0 = env.create_backed("s0", 8, ValueRange::ints(2, kIntInfinity));
  EXPECT_TRUE(expect_true(u0 * 4 == s0));
  EXPECT_EQ(to_string(env.range(s0.node())), "[2, 36893488147419103224]");
}

}  // namespace
}  // namespace faketensor
