// Random expressions over random values: what the pool builds, bounds, expands, canonicalises and
// prints must mean what was asked.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "core/support/error.h"
#include "core/symbolic/arithmetic.h"
#include "core/symbolic/canonical_condition.h"
#include "core/symbolic/parse.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

constexpr int kRounds = 3000;
constexpr int kAssignments = 8;
constexpr int kDepth = 4;

// A tree as it was asked for, evaluated without any rewriting.
struct Tree {
  ExprKind kind;
  int64_t value = 0;  // a number, or the index of a symbol
  std::vector<Tree> args;
};

struct Symbols {
  std::array<const ExprNode*, 4> nodes;
  std::array<int64_t, 4> values;
};

class Fuzz {
 public:
  explicit Fuzz(uint32_t seed) : random_(seed) {}

  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  Tree number(int depth) {
    if (depth == 0 || pick(0, 5) == 0) {
      return pick(0, 2) == 0 ? Tree{ExprKind::kInteger, pick(-4, 9), {}}
                             : Tree{ExprKind::kSymbol, pick(0, 3), {}};
    }
    constexpr std::array kKinds = {ExprKind::kAdd,    ExprKind::kAdd,       ExprKind::kMul,
                                   ExprKind::kMul,    ExprKind::kFloorDiv,  ExprKind::kMax,
                                   ExprKind::kMin,    ExprKind::kPythonMod, ExprKind::kAbs,
                                   ExprKind::kPow,    ExprKind::kMod,       ExprKind::kWhere,
                                   ExprKind::kBitAnd, ExprKind::kBitOr};
    const ExprKind kind = kKinds[static_cast<size_t>(pick(0, kKinds.size() - 1))];
    if (kind == ExprKind::kAbs) return {kind, 0, {number(depth - 1)}};
    if (kind == ExprKind::kPow) return {kind, pick(2, 3), {number(depth - 1)}};
    if (kind == ExprKind::kWhere)
      return {kind, 0, {condition(depth - 1), number(depth - 1), number(depth - 1)}};
    return {kind, 0, {number(depth - 1), number(depth - 1)}};
  }

  Tree condition(int depth) {
    if (depth > 0 && pick(0, 3) == 0) {
      const int64_t which = pick(0, 2);
      if (which == 2) return {ExprKind::kNot, 0, {condition(depth - 1)}};
      return {which == 0 ? ExprKind::kAnd : ExprKind::kOr,
              0,
              {condition(depth - 1), condition(depth - 1)}};
    }
    const auto kind = static_cast<ExprKind>(
        pick(static_cast<int64_t>(ExprKind::kEq), static_cast<int64_t>(ExprKind::kGe)));
    return {
        kind, 0, {number(depth - 1 < 0 ? 0 : depth - 1), number(depth - 1 < 0 ? 0 : depth - 1)}};
  }

 private:
  std::mt19937 random_;
};

const ExprNode* build(ExprPool& pool, const Tree& tree, const Symbols& symbols) {
  if (tree.kind == ExprKind::kInteger) return pool.integer(tree.value);
  if (tree.kind == ExprKind::kSymbol) return symbols.nodes[static_cast<size_t>(tree.value)];
  std::vector<const ExprNode*> args;
  for (const Tree& arg : tree.args) args.push_back(build(pool, arg, symbols));
  if (tree.kind == ExprKind::kPow) return pool.pow(args[0], tree.value);
  // Mod is only built where both sides are known non-negative.
  if (tree.kind == ExprKind::kMod) return pool.python_mod(args[0], args[1]);
  return pool.make(tree.kind, args);
}

int64_t direct(const Tree& tree, const Symbols& symbols) {
  if (tree.kind == ExprKind::kInteger) return tree.value;
  if (tree.kind == ExprKind::kSymbol) return symbols.values[static_cast<size_t>(tree.value)];
  std::vector<int64_t> x;
  for (const Tree& arg : tree.args) x.push_back(direct(arg, symbols));
  // PyTorch rewrites (a // b) // c as a // (b*c), which holds for c > 0 only.
  const auto divisor = [&x] {
    if (x[1] <= 0) throw_error(ErrorKind::kZeroDivisionError, "");
    return x[1];
  };
  switch (tree.kind) {
    case ExprKind::kAdd:
      return checked_add(x[0], x[1]);
    case ExprKind::kMul:
      return checked_multiply(x[0], x[1]);
    case ExprKind::kFloorDiv:
      return floor_divide(x[0], divisor());
    case ExprKind::kMod:
    case ExprKind::kPythonMod:
      return floor_modulo(x[0], divisor());
    case ExprKind::kMax:
      return std::max(x[0], x[1]);
    case ExprKind::kMin:
      return std::min(x[0], x[1]);
    case ExprKind::kBitAnd:
      return x[0] & x[1];
    case ExprKind::kBitOr:
      return x[0] | x[1];
    case ExprKind::kAbs:
      return std::abs(x[0]);
    case ExprKind::kPow:
      return checked_power(x[0], tree.value);
    case ExprKind::kWhere:
      return x[0] != 0 ? x[1] : x[2];
    case ExprKind::kEq:
      return x[0] == x[1];
    case ExprKind::kNe:
      return x[0] != x[1];
    case ExprKind::kLt:
      return x[0] < x[1];
    case ExprKind::kLe:
      return x[0] <= x[1];
    case ExprKind::kGt:
      return x[0] > x[1];
    case ExprKind::kGe:
      return x[0] >= x[1];
    case ExprKind::kAnd:
      return x[0] != 0 && x[1] != 0;
    case ExprKind::kOr:
      return x[0] != 0 || x[1] != 0;
    default:
      return x[0] == 0;
  }
}

void expect_value(const ExprNode* node, const Assignment& assignment, int64_t expected,
                  const char* what) {
  const std::optional<Number> value = evaluate(node, assignment);
  // Rewriting may widen or narrow where a division by zero or an overflow appears; a value must be
  // the value.
  if (value) {
    EXPECT_EQ(value->integer, expected) << what << ": " << to_string(node);
  }
}

void expect_facts(const ExprNode* node, int64_t value) {
  if (node->type != ExprType::kInt) return;
  const std::string text = to_string(node);
  EXPECT_TRUE(!node->has(kNonNegative) || value >= 0) << text;
  EXPECT_TRUE(!node->has(kPositive) || value > 0) << text;
  EXPECT_TRUE(!node->has(kNonPositive) || value <= 0) << text;
  EXPECT_TRUE(!node->has(kNegative) || value < 0) << text;
  EXPECT_TRUE(!node->has(kNonZero) || value != 0) << text;
  EXPECT_TRUE(!node->has(kEven) || value % 2 == 0) << text;
  EXPECT_TRUE(!node->has(kOdd) || value % 2 != 0) << text;
}

bool has_python_mod(const ExprNode* node) {
  if (node->kind == ExprKind::kPythonMod || node->kind == ExprKind::kMod) return true;
  for (const ExprNode* arg : node->args()) {
    if (has_python_mod(arg)) return true;
  }
  return false;
}

TEST(SymbolicFuzz, EveryFormOfAnExpressionHasItsValue) {
  const char* given = std::getenv("FAKETENSOR_FUZZ_SEED");
  const uint32_t seed = given != nullptr ? static_cast<uint32_t>(std::atol(given)) : 20260101;
  RecordProperty("seed", std::to_string(seed));
  Fuzz fuzz(seed);
  int checked = 0;
  for (int round = 0; round < kRounds && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
    ShapeEnv env;
    ExprPool& pool = env.pool();
    Symbols symbols{};
    symbols.nodes = {env.create_backed("s0", 5, ValueRange::ints(2, 40)).node(),
                     env.create_backed("s1", 7, ValueRange::ints(3, kIntInfinity)).node(),
                     env.create_unbacked_int("u0", ValueRange::ints(0, 50)).node(),
                     env.create_unbacked_int("u1", ValueRange::ints(-20, kIntInfinity)).node()};
    const Tree tree = round % 2 == 0 ? fuzz.number(kDepth) : fuzz.condition(kDepth);
    const ExprNode* node = nullptr;
    try {
      node = build(pool, tree, symbols);
    } catch (const Error&) {
      continue;  // a constant division by zero, a coefficient out of range
    }
    // sympy's canonical relations, in which Piecewise keeps its conditions, may turn once more when
    // they are made again.
    if (!node->has(kHasPiecewise)) {
      EXPECT_EQ(parse_expr(pool, to_string(node)), node) << to_string(node);
      EXPECT_EQ(parse_expr(pool, to_constructor_string(node)), node) << to_constructor_string(node);
    }
    const ExprNode* expanded = nullptr;
    const ExprNode* canonical = nullptr;
    const ExprNode* simplified = nullptr;
    const ExprNode* known = nullptr;
    try {
      expanded = expand(node);
      canonical = canonical_condition(node);
      simplified = env.simplify(node);
      known = env.maybe_evaluate_static(node);
    } catch (const Error&) {
      continue;  // only the multiplied-out form shows that a divisor is 0
    }
    const ValueRange range = env.bound(node);
    for (int i = 0; i < kAssignments; ++i) {
      symbols.values = {fuzz.pick(2, 40), fuzz.pick(3, 60), fuzz.pick(0, 50), fuzz.pick(-20, 60)};
      Assignment assignment;
      for (size_t k = 0; k < symbols.nodes.size(); ++k)
        assignment[symbols.nodes[k]] = Number::of(symbols.values[k]);
      int64_t expected = 0;
      try {
        expected = direct(tree, symbols);
      } catch (const Error&) {
        continue;
      }
      expect_value(node, assignment, expected, "built");
      expect_value(expanded, assignment, expected, "expanded");
      if (node->type == ExprType::kBool) expect_value(canonical, assignment, expected, "canonical");
      expect_value(simplified, assignment, expected, "simplified");
      expect_facts(node, expected);
      // PyTorch gives Mod the range of C's remainder, which differs for a negative divisor or
      // dividend.
      if (!has_python_mod(node)) {
        EXPECT_LE(range.lower, expected) << to_string(node);
        EXPECT_GE(range.upper, expected) << to_string(node);
        if (known != nullptr && !has_python_mod(known)) {
          EXPECT_EQ(known->number.integer, expected) << to_string(node);
        }
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, kRounds * kAssignments / 4);
}

}  // namespace
}  // namespace faketensor
