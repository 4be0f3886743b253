// The caches of a decoder's step, and the longest context.
#include "core/analysis/kv_cache.h"

#include <gtest/gtest.h>

#include "../graph/program_builder.h"

namespace faketensor {
namespace {

// 3 tokens of 2 * 8 float32: 64 bytes a token.
constexpr int64_t kToken = 64;

TEST(KvCache, ACacheThatIsAppendedToIsThereTwice) {
  ProgramBuilder b;
  const Row past = b.input("past", {1, 2, 3, 8});
  const Row key = b.input("key", {1, 2, 1, 8});
  b.output({b.call("aten.cat.default", {list_of(b.program, {ref(past), ref(key)}), -2})});
  const ProgramCosts costs(b.program, {});
  const KvCaches caches(costs);
  ASSERT_EQ(caches.caches().size(), 1u);
  EXPECT_EQ(caches.caches()[0].row, past);
  EXPECT_EQ(caches.caches()[0].dim, 2u);
  EXPECT_EQ(caches.length(), 3);
  EXPECT_EQ(caches.per_token(), kToken);
  const int64_t peak = costs.memory().peak().as_int();  // 3 + 1 + 4 tokens
  EXPECT_EQ(peak, 8 * kToken);
  EXPECT_EQ(caches.longest(peak), 3);
  EXPECT_EQ(caches.longest(peak + 4 * kToken - 1), 4);
  EXPECT_EQ(caches.longest(peak + 4 * kToken), 5);
  EXPECT_EQ(caches.longest(peak - 1), 2);
  EXPECT_EQ(caches.longest(0), 0);
}

TEST(KvCache, ACacheOfFixedCapacityIsWrittenAtPositions) {
  ProgramBuilder b;
  const Row keys = b.input("keys", {1, 2, 3, 8}, DType::kFloat32, InputSpec::Kind::kBuffer);
  const Row values = b.input("values", {1, 2, 3, 8}, DType::kFloat32, InputSpec::Kind::kBuffer);
  const Row at = b.input("at", {1}, DType::kInt64);
  const Row key = b.input("key", {1, 2, 1, 8});
  const Row copied = b.call("aten.index_copy.default", {ref(keys), 2, ref(at), ref(key)});
  const Value indices = list_of(b.program, {Value(), Value(), ref(at)});
  b.output({copied, b.call("aten.index_put.default", {ref(values), indices, ref(key)})});
  const ProgramCosts costs(b.program, {});
  const KvCaches caches(costs);
  ASSERT_EQ(caches.caches().size(), 2u);
  EXPECT_EQ(caches.caches()[1].dim, 2u);
  EXPECT_FALSE(caches.caches()[1].grows);
  EXPECT_EQ(caches.caches()[1].copies, 2);  // not in place
  EXPECT_EQ(caches.per_token(), 2 * kToken);
}

TEST(KvCache, WhatIsJoinedOnTheWayIsNone) {
  ProgramBuilder b;
  const Row x = b.input("x", {1, 2, 3, 8});
  const Row cat = b.call("aten.cat.default", {list_of(b.program, {ref(x), ref(x)}), 2});
  b.output({b.call("aten.relu.default", {ref(cat)})});
  const ProgramCosts costs(b.program, {});
  EXPECT_TRUE(KvCaches(costs).caches().empty());
  EXPECT_EQ(KvCaches(costs).longest(1 << 20), 0);
}

}  // namespace
}  // namespace faketensor
