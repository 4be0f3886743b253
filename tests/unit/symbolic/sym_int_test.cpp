#include "core/symbolic/sym_int.h"

#include <limits>

#include <gtest/gtest.h>

#include "core/support/error.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

template <typename Function>
ErrorKind kind_thrown(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing thrown";
  return ErrorKind::kUsage;
}

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = -(int64_t{1} << 62);

TEST(SymInt, PlainIntegersComputeAsPythonDoes) {
  EXPECT_EQ((SymInt(3) + 4).as_int(), 7);
  EXPECT_EQ((SymInt(3) - 4).as_int(), -1);
  EXPECT_EQ((SymInt(-3) * 4).as_int(), -12);
  EXPECT_EQ(floor_div(-7, 2).as_int(), -4);
  EXPECT_EQ(floor_div(7, -2).as_int(), -4);
  EXPECT_EQ(mod(-7, 2).as_int(), 1);
  EXPECT_EQ(mod(7, -2).as_int(), -1);
  EXPECT_EQ(ceil_div(7, 2).as_int(), 4);
  EXPECT_EQ(sym_max(SymInt(-1), 3).as_int(), 3);
  EXPECT_EQ(sym_min(SymInt(-1), 3).as_int(), -1);
}

TEST(SymInt, ArithmeticIsExactUpToTheRangeAndThenRaises) {
  EXPECT_EQ((SymInt(kMax - 1) + 1).as_int(), kMax);
  EXPECT_EQ((SymInt(int64_t{1} << 32) * (int64_t{1} << 30)).as_int(), int64_t{1} << 62);
  EXPECT_EQ((SymInt(kMin + 1) - 1).as_int(), kMin);
  EXPECT_EQ(kind_thrown([] { (void)(SymInt(kMax) + 1); }), ErrorKind::kOverflowError);
  EXPECT_EQ(kind_thrown([] { (void)(SymInt(kMin) - 1); }), ErrorKind::kOverflowError);
  EXPECT_EQ(kind_thrown([] { (void)(SymInt(int64_t{1} << 32) * (int64_t{1} << 31)); }),
            ErrorKind::kOverflowError);
  EXPECT_EQ(kind_thrown([] { (void)SymInt(kMin - 1); }), ErrorKind::kOverflowError);
  EXPECT_EQ(kind_thrown([] { (void)SymInt(std::numeric_limits<uint64_t>::max()); }),
            ErrorKind::kOverflowError);
}

TEST(SymInt, DivisionByZeroRaises) {
  EXPECT_EQ(kind_thrown([] { (void)floor_div(1, 0); }), ErrorKind::kZeroDivisionError);
  EXPECT_EQ(kind_thrown([] { (void)mod(1, 0); }), ErrorKind::kZeroDivisionError);
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 5, ValueRange::ints(2, kIntInfinity));
  EXPECT_EQ(kind_thrown([&] { (void)floor_div(s0, 0); }), ErrorKind::kZeroDivisionError);
}

TEST(SymInt, TheSameExpressionIsTheSameWord) {
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 5, ValueRange::ints(2, kIntInfinity));
  const SymInt s1 = env.create_backed("s1", 7, ValueRange::ints(2, kIntInfinity));
  EXPECT_TRUE(same_expr(s0 + s1, s1 + s0));
  EXPECT_TRUE(same_expr((s0 + s1) * 2, s0 * 2 + s1 * 2));
  EXPECT_TRUE(same_expr(s0 - s0, 0));
  EXPECT_FALSE(same_expr(s0, s1));
  EXPECT_EQ(hint(s0 * s1), 35);
}

TEST(SymInt, ValuesOfTwoEnvironmentsDoNotMix) {
  ShapeEnv left;
  ShapeEnv right;
  const SymInt a = left.create_backed("s0", 5, ValueRange::ints(2, kIntInfinity));
  const SymInt b = right.create_backed("s0", 5, ValueRange::ints(2, kIntInfinity));
  EXPECT_EQ(kind_thrown([&] { (void)(a + b); }), ErrorKind::kUsage);
}

// Note [Operations are remembered], core/symbolic/sym_int.cpp.
TEST(SymInt, AnOperationIsCarriedOutAgainWhenItsOperandsReadOtherwise) {
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 5, ValueRange::ints(2, kIntInfinity));
  EXPECT_EQ(to_string(s0 * 2), "2*s0");
  EXPECT_EQ(to_string(s0 == 4), "Eq(s0, 4)");
  guard_int(s0);
  EXPECT_EQ((s0 * 2).maybe_as_int(), 10);
  EXPECT_EQ((s0 == 4).maybe_as_bool(), false);
}

TEST(SymInt, ARemainderIsAskedAgainWhenARangeIsLearnt) {
  ShapeEnv env;
  const SymInt u0 = env.create_unbacked_int();
  EXPECT_EQ(to_string(mod(u0, 3)), "PythonMod(u0, 3)");
  env.constrain_range(u0, 0, 100);
  EXPECT_EQ(to_string(mod(u0, 3)), "Mod(u0, 3)");
}

TEST(SymInt, HintsOfOneExpressionAreThoseOfItsSymbols) {
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 5, ValueRange::ints(2, kIntInfinity));
  const SymInt both = s0 * env.create_backed("s1", 7, ValueRange::ints(2, kIntInfinity));
  EXPECT_EQ(hint(both), 35);
  EXPECT_EQ(hint(both), 35);
  EXPECT_EQ(hint(s0 + env.create_unbacked_int()), std::nullopt);
}

}  // namespace
}  // namespace faketensor
