// Shapes of expressions that are known to explode in sympy: each must stay small and quick here.
// Every test would run for minutes, or out of memory, if one of its steps grew faster than stated.
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/support/error.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

std::vector<SymInt> backed(ShapeEnv& env, int count) {
  std::vector<SymInt> symbols;
  symbols.reserve(static_cast<size_t>(count));
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
  symbols.reserve(2000);
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

// Asks what a program asks of a size: its hint, its range, its form, and decisions.
void ask_everything(ShapeEnv& env, SymInt size) {
  if (!size.is_symbolic()) return;
  hint(size);
  env.bound(size.node());
  env.simplify(size.node());
  EXPECT_FALSE(to_string(size).empty());
  guard_or_false(size == 5);
  guard_or_false(size + 1 < 100);
  guard_or_false(mod(size, 3) == 0);
  statically_known_true(size >= 0);
}

std::vector<SymInt> unbacked(ShapeEnv& env, int count) {
  std::vector<SymInt> symbols;
  for (int i = 0; i < count; ++i) {
    symbols.push_back(env.create_unbacked_int());
    env.constrain_range_for_size(symbols.back());
  }
  return symbols;
}

TEST(Bounded, ConditionalsOnConditionalsAreNotUnfolded) {
  for (const bool is_backed : {true, false}) {
    ShapeEnv env;
    const std::vector<SymInt> symbols = is_backed ? backed(env, 20) : unbacked(env, 20);
    SymInt value = symbols[0];  // written three times in the next one
    for (size_t i = 0; i < 400; ++i)
      value = sym_ite(symbols[i % 20] * (i + 2) > value, value + i, value);
    EXPECT_TRUE(env.pool().has_opaque());
    ask_everything(env, value);
  }
}

TEST(Bounded, ConditionalsOnAlternatingConnectivesAreNotUnfolded) {
  ShapeEnv env;
  const std::vector<SymInt> symbols = unbacked(env, 101);
  SymInt value = symbols[0];
  for (size_t i = 0; i < 100; ++i) {
    const SymBool both = sym_and(value > i, symbols[i + 1] > i);
    value = sym_ite(sym_or(both, value < 3), symbols[i + 1], value);
  }
  ask_everything(env, value);
}

TEST(Bounded, AlternatingConnectivesAreNotDistributedBeyondTheLimit) {
  for (const int depth : {20, 50, 200}) {
    ShapeEnv env;
    const std::vector<SymInt> symbols = unbacked(env, 2 * depth + 1);
    SymBool condition = symbols[0] > 3;
    for (size_t i = 1; i < symbols.size(); i += 2)
      condition = sym_or(sym_and(condition, symbols[i] > i), symbols[i + 1] > i + 9);
    EXPECT_FALSE(guard_or_false(condition));
    EXPECT_FALSE(statically_known_true(sym_not(condition)));
    EXPECT_TRUE(expect_true(condition));
  }
}

TEST(Bounded, MaximaOfWhatTheyDoubleAreNotUnfolded) {
  ShapeEnv env;
  const std::vector<SymInt> symbols = unbacked(env, 20);
  SymInt value = symbols[0];
  for (size_t i = 0; i < 60; ++i)
    value = sym_max(value * 2 + symbols[i % 20], sym_min(value, symbols[(i + 3) % 20] * i));
  ask_everything(env, value);
}

TEST(Bounded, MaximaOfManySymbolsAreFlat) {
  ShapeEnv env;
  SymInt max = 0;
  for (const SymInt symbol : backed(env, 1000)) max = sym_max(max, symbol);
  EXPECT_EQ(max.node()->arg_count, 1000u);
  ask_everything(env, max);
}

TEST(Bounded, RemaindersAndQuotientsOfEachOtherAreNotUnfolded) {
  for (const bool is_backed : {true, false}) {
    ShapeEnv env;
    const std::vector<SymInt> symbols = is_backed ? backed(env, 10) : unbacked(env, 10);
    SymInt value = symbols[0] * symbols[1];
    for (size_t i = 0; i < 400; ++i) {
      const SymInt rest = mod(value * (i + 2) + symbols[i % 10], symbols[(i + 1) % 10] + 3);
      value = rest + floor_div(value, 2 + i % 5);
    }
    ask_everything(env, value);
  }
}

// A sum that holds the one before twice is 2**2000 symbols large if opaque symbols are looked into
// again each time they occur.
TEST(Bounded, OpaqueSymbolsOfOpaqueSymbolsAreFoundOnce) {
  ShapeEnv env;
  SymInt size = backed(env, 1)[0];
  for (int i = 0; i < 2000; ++i) size = floor_div(size + 1, 2) + floor_div(size, 3);
  ASSERT_TRUE(env.pool().has_opaque());
  EXPECT_TRUE(hint(size).has_value());
  EXPECT_GE(env.bound(size.node()).lower, 0);
  ask_everything(env, size);
}

// As many opaque symbols inside each other as there are 200 layers: recursing into them would need
// a stack as deep as the program.
TEST(Bounded, LayersInHundredThousandsDoNotNestTheirQuestions) {
  ShapeEnv env;
  SymInt size = unbacked(env, 1)[0];
  for (int i = 0; i < 100'000; ++i) size = floor_div(size * 3 + 1, 2);
  ask_everything(env, size);
}

TEST(Bounded, RangesOfOpaqueSymbolsFollowTheirSymbols) {
  ShapeEnv env;
  const SymInt first = unbacked(env, 1)[0];
  SymInt size = first;
  for (int i = 0; i < 300; ++i) size = sym_max(floor_div(size, 2) + 1, size);
  EXPECT_EQ(env.bound(size.node()).upper, kIntInfinity);
  env.constrain_range(first, 4, 64);
  EXPECT_EQ(env.bound(size.node()).lower, 4);
  EXPECT_EQ(env.bound(size.node()).upper, 64);
}

TEST(Bounded, ALargePowerOfASymbolIsNotCountedUpTo) {
  ShapeEnv env;
  const ExprNode* power = env.pool().pow(backed(env, 1)[0].node(), int64_t{1} << 60);
  EXPECT_EQ(env.simplify(power), power);
}

TEST(Bounded, ASumOfAThousandUnbackedSizesIsOneSum) {
  ShapeEnv env;
  SymInt sum = 0;  // torch.cat of what a thousand nonzero() return
  for (const SymInt size : unbacked(env, 1000)) sum += size;
  EXPECT_EQ(sum.node()->arg_count, 1000u);
  ask_everything(env, sum);
  ask_everything(env, floor_div(sum * 3, 5));
}

TEST(Bounded, QuotientsOfProductsOfManySymbolsCancel) {
  ShapeEnv env;
  const std::vector<SymInt> symbols = unbacked(env, 60);
  SymInt whole = 1;
  SymInt without_one = 1;
  for (size_t i = 0; i < symbols.size(); ++i) {
    whole *= symbols[i];
    if (i != 30) without_one *= symbols[i];
  }
  EXPECT_TRUE(same_expr(floor_div(whole, without_one), symbols[30]));  // view(..., -1)
  ask_everything(env, floor_div(without_one, whole));
}

TEST(Bounded, QuotientsOfProductsOfSumsAreNotMultipliedOutBeyondTheLimit) {
  for (const size_t factors : {5, 8, 30}) {
    ShapeEnv env;
    const std::vector<SymInt> symbols = unbacked(env, 60);
    SymInt product = 1;
    SymInt other = 1;
    for (size_t i = 0; i < factors; ++i) {
      product *= symbols[2 * i] + symbols[2 * i + 1];
      other *= symbols[2 * i] + 2;
    }
    EXPECT_FALSE(guard_or_false(product == other));
    EXPECT_FALSE(guard_or_false(mod(product, other) == 0));
    ask_everything(env, floor_div(product, other));
  }
}

// u60 is a polynomial of degree 2**60 in u0 if all of them are put in.
TEST(Bounded, SymbolsThatAreSquaresOfOthersDoNotMultiply) {
  ShapeEnv env;
  const std::vector<SymInt> symbols = unbacked(env, 61);
  for (size_t i = 60; i > 0; --i)
    EXPECT_TRUE(expect_true(symbols[i] == symbols[i - 1] * symbols[i - 1] + 1));
  ask_everything(env, symbols[60]);
}

// x[a:b][c:d]...: each length has the one before in it four times.
TEST(Bounded, PartsThatOccurManyTimesAreLookedIntoOnce) {
  ShapeEnv env;
  const std::vector<SymInt> bounds = unbacked(env, 600);
  SymInt length = unbacked(env, 1)[0];
  for (size_t i = 0; i < bounds.size(); i += 2) {
    const SymInt start = sym_min(sym_max(bounds[i], 0), length);
    length = sym_min(sym_max(bounds[i + 1], start), length) - start;
    guard_or_false(length == 0);
    guard_or_false(length == 1);
    env.bound(length.node());
  }
  ask_everything(env, length);
}

TEST(Bounded, ReasoningGivesUpOnNumbersBeyond64Bits) {
  ShapeEnv env;
  SymInt halved = backed(env, 1)[0];
  for (int i = 0; i < 60; ++i) halved = floor_div(halved, 2);
  EXPECT_FALSE(guard_bool(halved == 20));  // s0 >= 20 * 2**60
  // u8 == u7**2 + 1 multiplied out has coefficients that do not fit.
  const std::vector<SymInt> symbols = unbacked(env, 61);
  for (size_t i = 0; i < 60; ++i)
    EXPECT_TRUE(expect_true(symbols[i + 1] == symbols[i] * symbols[i] + 1));
  ask_everything(env, symbols[60]);
}

// A name begins at one of a hundred numbers and takes the next that is free: all of them in the
// end.
TEST(Bounded, NamesOfManySymbolsAreFoundWithoutTryingAllNumbers) {
  constexpr int64_t kCount = 20'000;
  ShapeEnv env;
  std::set<std::string> names;
  for (int64_t i = 0; i < kCount; ++i) {
    const Source source = Source::local("x" + std::to_string(i)).size(0);
    names.insert(to_string(env.create_symbol(64 + i, source, DimDynamic::kDynamic)));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(kCount));
  EXPECT_TRUE(names.count("s0") == 1 && names.count("s" + std::to_string(kCount - 1)) == 1);
}

}  // namespace
}  // namespace faketensor
