// Shapes of expressions that are known to explode in sympy: each must stay small and quick here.
// Every test would run for minutes, or out of memory, if one of its steps grew faster than stated.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

std::vector<SymInt> backed(ShapeEnv& env, int count) {
  std::vector<SymInt> symbols;
  for (int i = 0; i < count; ++i)
    symbols.push_back(
        env.create_backed("s" + std::to_string(i), 64 + i, ValueRange::ints(2, kIntInfinity)));
  return symbols;
}

TEST(Bounded, AProductOfManySymbolsStaysOneProduct) {
  ShapeEnv env;
  SymInt product = 1;
  for (const SymInt symbol : backed(env, 64)) product *= symbol;
  EXPECT_EQ(product.node()->arg_count, 64u);
  EXPECT_TRUE(statically_known_true(product >= 1));
  EXPECT_TRUE(same_expr(mod(product, env.pool().sym_int(env.pool().symbol_at(7))), 0));
}

TEST(Bounded, AProductOfManySumsIsNotMultipliedOut) {
  ShapeEnv env;
  SymInt product = 1;
  for (const SymInt symbol : backed(env, 64)) product *= symbol + 1;  // 2**64 terms if expanded
  EXPECT_EQ(env.simplify(product.node()), product.node());
  EXPECT_TRUE(statically_known_true(product > 0));
  EXPECT_FALSE(statically_known_true(product == 5));
}

TEST(Bounded, APowerOfASumIsNotMultipliedOutBeyondTheLimit) {
  ShapeEnv env;
  SymInt sum = 0;
  for (const SymInt symbol : backed(env, 40)) sum += symbol;
  const ExprNode* power = env.pool().pow(sum.node(), 40);
  EXPECT_EQ(env.simplify(power), power);
}

TEST(Bounded, GrowingSumsKeepOneTermForEachSymbol) {
  ShapeEnv env;
  const std::vector<SymInt> symbols = backed(env, 64);
  SymInt sum = 0;
  for (int round = 0; round < 200; ++round) {
    for (const SymInt symbol : symbols) sum += symbol + round;
  }
  EXPECT_EQ(sum.node()->arg_count, 64u);
  EXPECT_TRUE(statically_known_true(sum > 100));
}

TEST(Bounded, ChainsOfMaximaAreFlatAndEndInAnOpaqueSymbol) {
  ShapeEnv env;
  const std::vector<SymInt> symbols = backed(env, 64);
  SymInt max = 0;
  for (int i = 0; i < 1000; ++i)
    max = sym_max(max, symbols[static_cast<size_t>(i % 64)] * (i + 2) + symbols[(i + 1) % 64]);
  EXPECT_LE(max.node()->size, kMaxExprSize);
  EXPECT_TRUE(statically_known_true(max > 0));
}

TEST(Bounded, NestedMaximaAndMinimaDoNotMultiply) {
  ShapeEnv env;
  const std::vector<SymInt> symbols = backed(env, 64);
  SymInt value = symbols[0];
  for (size_t i = 1; i < 64; ++i)
    value = i % 2 == 0 ? sym_max(sym_min(value, symbols[i]), symbols[i - 1])
                       : sym_min(sym_max(value, symbols[i]), symbols[i - 1] + 1);
  EXPECT_LE(value.node()->size, kMaxExprSize);
}

TEST(Bounded, NestedFloorDivisionsShareTheirDivisor) {
  ShapeEnv env;
  SymInt size = backed(env, 1)[0];
  for (int i = 0; i < 60; ++i) size = floor_div(size, 2);
  EXPECT_EQ(size.node()->kind, ExprKind::kFloorDiv);
  EXPECT_LE(size.node()->size, 4u);
}

TEST(Bounded, ConvolutionSizesNestWithoutGrowingFast) {
  ShapeEnv env;
  SymInt size = backed(env, 1)[0];
  for (int i = 0; i < 300; ++i) size = floor_div(size - 1, 2) + 1;
  EXPECT_LE(size.node()->depth, kMaxExprDepth);
  EXPECT_TRUE(hint(size).has_value());
}

TEST(Bounded, EqualGuardsAreRecordedOnce) {
  ShapeEnv env;
  const std::vector<SymInt> symbols = backed(env, 2);
  for (int i = 0; i < 10000; ++i) EXPECT_TRUE(guard_bool(symbols[0] * 3 < symbols[1] * 4 + 1));
  EXPECT_EQ(env.guards().size(), 1u);
}

TEST(Bounded, DivisibilityOfManyExpressionsIsLookedUp) {
  ShapeEnv env;
  const SymInt size = backed(env, 1)[0];
  for (int i = 1; i < 2000; ++i) EXPECT_TRUE(guard_bool(mod(size * i, i * 64) == 0));
  EXPECT_EQ(to_string(env.simplify(floor_div(size * 5, 320).node())), "(s0//64)");
}

TEST(Bounded, ChainsOfReplacementsAreFollowed) {
  ShapeEnv env;
  std::vector<SymInt> symbols;
  for (int i = 0; i < 2000; ++i)
    symbols.push_back(
        env.create_backed("s" + std::to_string(i), 64, ValueRange::ints(2, kIntInfinity)));
  for (size_t i = symbols.size() - 1; i > 0; --i)
    EXPECT_TRUE(guard_bool(symbols[i] == symbols[i - 1]));
  EXPECT_EQ(to_string(symbols.back() + 1), to_string(symbols.front() + 1));
}

TEST(Bounded, AConnectiveOfManyConditionsIsLinear) {
  ShapeEnv env;
  SymBool all = true;
  for (const SymInt symbol : backed(env, 256)) all = sym_and(all, symbol != 5);
  EXPECT_TRUE(guard_bool(all));
}

}  // namespace
}  // namespace faketensor
