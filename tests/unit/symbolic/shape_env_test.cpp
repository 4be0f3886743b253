#include "core/symbolic/shape_env.h"

#include <gtest/gtest.h>

#include "core/support/error.h"

namespace faketensor {
namespace {

const ValueRange kSize = ValueRange::ints(2, kIntInfinity);

std::vector<std::string> guard_texts(const ShapeEnv& env) {
  std::vector<std::string> out;
  for (const Guard& guard : env.guards()) out.push_back(to_string(guard.condition));
  return out;
}

using Texts = std::vector<std::string>;

TEST(ShapeEnv, ADecisionOnBackedSymbolsIsRecordedOnceAsAGuard) {
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 5, kSize);
  const SymInt s1 = env.create_backed("s1", 7, kSize);
  EXPECT_TRUE(guard_bool(s0 < s1));
  EXPECT_TRUE(guard_bool(s0 < s1));
  EXPECT_FALSE(guard_bool(s0 == s1));
  EXPECT_TRUE(guard_or_false(s1 > s0));
  EXPECT_EQ(guard_texts(env), Texts({"s0 < s1"}));
}

// PyTorch does not look at its guards again before a condition that it could not decide statically.
TEST(ShapeEnv, TheSameConditionAskedWithAndWithoutAFallbackIsTwoGuards) {
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 5, kSize);
  EXPECT_FALSE(guard_or_false(s0 == 6));
  EXPECT_FALSE(guard_or_false(s0 == 6));
  EXPECT_FALSE(expect_true(s0 == 6));
  EXPECT_FALSE(expect_true(s0 == 6));
  EXPECT_EQ(guard_texts(env), Texts({"Ne(s0, 6)", "Ne(s0, 6)"}));
}

TEST(ShapeEnv, AConditionThatNarrowedARangeIsDecidedByIt) {
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 5, ValueRange::ints(0, kIntInfinity));
  EXPECT_TRUE(guard_bool(s0 >= 2));
  EXPECT_TRUE(guard_or_false(s0 >= 2));
  EXPECT_FALSE(guard_bool(s0 == 1));
  EXPECT_EQ(guard_texts(env), Texts({"s0 >= 2"}));
}

TEST(ShapeEnv, RangesDecideWithoutAGuard) {
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 5, kSize);
  EXPECT_FALSE(guard_bool(s0 == 1));
  EXPECT_TRUE(guard_bool(s0 * s0 >= 4));
  EXPECT_TRUE(statically_known_true(s0 + 1 > 2));
  EXPECT_TRUE(env.guards().empty());
}

TEST(ShapeEnv, AnEquationSpecialisesTheSymbol) {
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 5, kSize);
  EXPECT_TRUE(guard_bool(s0 * 2 == 10));
  EXPECT_EQ(guard_texts(env), Texts({"Eq(2*s0, 10)"}));
  EXPECT_EQ(to_string(s0), "5");
  EXPECT_TRUE(same_expr(s0 + 1, 6));
}

TEST(ShapeEnv, AnEquationOfSymbolsReplacesTheLargerOne) {
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 4, kSize);
  const SymInt s1 = env.create_backed("s1", 8, kSize);
  EXPECT_TRUE(guard_bool(s0 * 2 == s1));
  EXPECT_EQ(to_string(s1), "2*s0");
  EXPECT_EQ(env.range(s1.node()), ValueRange::ints(4, kIntInfinity));
}

TEST(ShapeEnv, GuardIntSpecialises) {
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 5, kSize);
  EXPECT_EQ(guard_int(s0 + 1), 6);
  EXPECT_EQ(guard_texts(env), Texts({"Eq(s0 + 1, 6)"}));
  EXPECT_EQ(to_string(s0), "5");
}

TEST(ShapeEnv, AnUnbackedConditionRaisesUnlessAFallbackIsGiven) {
  ShapeEnv env;
  const SymInt u0 = env.create_unbacked_int();
  EXPECT_FALSE(guard_or_false(u0 == 1));
  EXPECT_TRUE(guard_or_true(u0 == 1));
  EXPECT_FALSE(statically_known_true(u0 == 1));
  try {
    guard_bool(u0 == 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kGuardOnDataDependent);
    EXPECT_EQ(error.message(),
              "Could not guard on data-dependent expression Eq(u0, 1) (unhinted: Eq(u0, 1)).  "
              "(Size-like symbols: none)\n\n"
              "consider using data-dependent friendly APIs such as guard_or_false, guard_or_true "
              "and statically_known_true.");
  }
  EXPECT_TRUE(env.guards().empty());
}

TEST(ShapeEnv, AnUnbackedCheckBecomesARuntimeAssertAndIsKnownAfterwards) {
  ShapeEnv env;
  const SymInt u0 = env.create_unbacked_int();
  EXPECT_TRUE(expect_true(u0 >= 0));
  EXPECT_TRUE(expect_true(u0 >= 0));
  EXPECT_TRUE(expect_true(u0 <= 100));
  ASSERT_EQ(env.deferred_runtime_asserts().size(), 2u);
  EXPECT_EQ(to_string(env.deferred_runtime_asserts()[0].condition), "0 <= u0");
  EXPECT_EQ(to_string(env.deferred_runtime_asserts()[1].condition), "u0 <= 100");
  EXPECT_EQ(env.range(u0.node()), ValueRange::ints(0, 100));
  EXPECT_TRUE(statically_known_true(u0 < 200));
}

TEST(ShapeEnv, ARuntimeAssertAnswersTheSameQuestion) {
  ShapeEnv env;
  const SymInt u0 = env.create_unbacked_int();
  const SymInt u1 = env.create_unbacked_int();
  EXPECT_TRUE(expect_true(u0 * 2 < u1));
  EXPECT_TRUE(guard_bool(u1 > u0 * 2));
  EXPECT_TRUE(guard_bool(u0 * 2 <= u1));
  EXPECT_FALSE(guard_bool(u0 * 2 == u1));
}

TEST(ShapeEnv, SizeLikeSymbolsAreAtLeastTwoWhereSizesAreOblivious) {
  ShapeEnv env;
  const SymInt u0 = env.create_unbacked_int();
  env.constrain_range_for_size(u0);
  EXPECT_EQ(env.range(u0.node()), ValueRange::ints(0, kIntInfinity));
  EXPECT_FALSE(guard_size_oblivious(u0 == 1));
  EXPECT_TRUE(guard_bool(u0 >= 0));
}

TEST(ShapeEnv, KnownDivisibilityMakesDivisionClean) {
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 8, kSize);
  EXPECT_TRUE(guard_bool(mod(s0, 4) == 0));
  EXPECT_EQ(guard_texts(env), Texts({"Eq(Mod(s0, 4), 0)"}));
  EXPECT_EQ(env.simplify(floor_div(s0, 4).node())->kind, ExprKind::kCleanDiv);
}

TEST(ShapeEnv, LongChainsOfReplacementsAreFollowedWithoutRecursion) {
  ShapeEnv env;
  std::vector<SymInt> symbols;
  constexpr int kCount = 3000;
  for (int i = 0; i < kCount; ++i)
    symbols.push_back(env.create_backed("s" + std::to_string(i), 100 + i, kSize));
  for (int i = kCount - 1; i > 0; --i)
    EXPECT_TRUE(
        guard_bool(symbols[static_cast<size_t>(i)] == symbols[static_cast<size_t>(i - 1)] + 1));
  EXPECT_EQ(to_string(symbols.back()), "s0 + 2999");
}

}  // namespace
}  // namespace faketensor
