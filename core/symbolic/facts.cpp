#include "core/symbolic/facts.h"

#include <optional>

namespace faketensor {

namespace {

constexpr uint16_t kSignFacts = kNonNegative | kPositive | kNonPositive | kNegative | kNonZero;

// What the stronger facts imply: positive means non-negative and non-zero, odd means non-zero.
uint16_t closed(uint16_t facts) {
  if ((facts & kPositive) != 0) facts |= kNonNegative | kNonZero;
  if ((facts & kNegative) != 0) facts |= kNonPositive | kNonZero;
  if ((facts & kOdd) != 0) facts |= kNonZero;
  return facts;
}

uint16_t number_facts(Number value) {
  uint16_t facts = 0;
  const int sign = compare(value, Number::of(0));
  if (sign >= 0) facts |= kNonNegative;
  if (sign <= 0) facts |= kNonPositive;
  if (sign > 0) facts |= kPositive;
  if (sign < 0) facts |= kNegative;
  if (!value.is_float) facts |= value.integer % 2 == 0 ? kEven : kOdd;
  return closed(facts);
}

// x >= 0, y > 0  =>  x + y > 0; and the sum of n odd and any even terms has the parity of n.
uint16_t sum_facts(uint16_t a, uint16_t b) {
  uint16_t facts = 0;
  if ((a & b & kNonNegative) != 0) facts |= kNonNegative;
  if ((a & b & kNonPositive) != 0) facts |= kNonPositive;
  if ((facts & kNonNegative) != 0 && ((a | b) & kPositive) != 0) facts |= kPositive;
  if ((facts & kNonPositive) != 0 && ((a | b) & kNegative) != 0) facts |= kNegative;
  const bool parity_known = (a & (kEven | kOdd)) != 0 && (b & (kEven | kOdd)) != 0;
  if (parity_known) facts |= (a & kOdd) == (b & kOdd) ? kEven : kOdd;
  return closed(facts);
}

// Where the terms of a sum are k_i * x**n_i of one positive symbol x, all k_i of one sign: the sum
// of the k_i, their value at x = 1.
std::optional<int64_t> value_at_one(const ExprNode* sum) {
  const ExprNode* symbol = nullptr;
  int64_t value = 0;
  for (const ExprNode* term : sum->args()) {
    const bool scaled = term->kind == ExprKind::kMul;
    if (scaled && (term->arg_count != 1 || term->number.is_float)) return std::nullopt;
    const ExprNode* power = scaled ? term->arg(0) : term;
    const ExprNode* base = power->kind == ExprKind::kPow ? power->arg(0) : power;
    const bool one_symbol =
        base->kind == ExprKind::kSymbol && (symbol == nullptr || symbol == base);
    if (!one_symbol || !base->has(kPositive)) return std::nullopt;
    symbol = base;
    if (__builtin_add_overflow(value, scaled ? term->number.integer : 1, &value))
      return std::nullopt;
  }
  return value;
}

// A sum whose constant has the other sign than its terms: 6*s0 - 2 >= 0 because s0 >= 1. As far as
// sympy goes (its _monotonic_sign): one term, or a polynomial in one symbol.
uint16_t offset_sum_facts(const ExprNode* sum) {
  const Number constant = sum->number;
  if (constant.is_float || constant.integer == 0 || sum->type != ExprType::kInt) return 0;
  const bool below = constant.integer > 0;  // the terms are <= 0
  for (const ExprNode* term : sum->args()) {
    if (!term->has(below ? kNonPositive : kNonNegative)) return 0;
  }
  int64_t nearest = 0;  // the value of the terms that is closest to 0
  if (const std::optional<int64_t> at_one = value_at_one(sum)) {
    nearest = *at_one;
  } else if (sum->arg_count == 1 && sum->arg(0)->has(kNonZero)) {
    nearest = (sum->arg(0)->has(kEven) ? 2 : 1) * (below ? -1 : 1);
  }
  int64_t value = 0;
  if (__builtin_add_overflow(nearest, constant.integer, &value)) return 0;
  if (value == 0) return below ? kNonPositive : kNonNegative;
  if ((value > 0) == below) return 0;
  return below ? kNegative | kNonPositive : kPositive | kNonNegative;
}

uint16_t product_facts(uint16_t a, uint16_t b) {
  uint16_t facts = 0;
  const bool same_sign = (a & b & kNonNegative) != 0 || (a & b & kNonPositive) != 0;
  const bool opposite_sign = ((a & kNonNegative) != 0 && (b & kNonPositive) != 0) ||
                             ((a & kNonPositive) != 0 && (b & kNonNegative) != 0);
  const bool non_zero = (a & b & kNonZero) != 0;
  if (same_sign) facts |= non_zero ? kPositive | kNonNegative : kNonNegative;
  if (opposite_sign) facts |= non_zero ? kNegative | kNonPositive : kNonPositive;
  if (non_zero) facts |= kNonZero;
  if (((a | b) & kEven) != 0) facts |= kEven;
  if ((a & b & kOdd) != 0) facts |= kOdd;
  return closed(facts);
}

uint16_t power_facts(uint16_t base, int64_t exponent) {
  uint16_t facts = base & (kEven | kOdd | kNonZero);
  if (exponent % 2 == 0) {
    facts |= (base & kNonZero) != 0 ? kPositive : kNonNegative;
  } else {
    facts |= base & kSignFacts;
  }
  return closed(facts);
}

uint16_t function_facts(const ExprNode* node) {
  const auto fact = [node](size_t i, uint16_t which) { return node->arg(i)->has(which); };
  switch (node->kind) {
    case ExprKind::kFloorDiv:
    case ExprKind::kCleanDiv:
      return fact(0, kNonNegative) && fact(1, kNonNegative) ? kNonNegative : 0;
    case ExprKind::kMod:
      return kNonNegative;
    case ExprKind::kPythonMod:
      return fact(1, kPositive) ? kNonNegative : fact(1, kNegative) ? kNonPositive : 0;
    case ExprKind::kAbs:
      return fact(0, kNonZero) ? kPositive : kNonNegative;
    case ExprKind::kMax:
    case ExprKind::kMin: {
      uint16_t any = 0;
      uint16_t all = kSignFacts | kEven | kOdd;
      for (const ExprNode* arg : node->args()) any |= arg->facts;
      for (const ExprNode* arg : node->args()) all &= arg->facts;
      const uint16_t decided_by_one =
          node->kind == ExprKind::kMax ? kNonNegative | kPositive : kNonPositive | kNegative;
      return static_cast<uint16_t>((any & decided_by_one) | all);
    }
    case ExprKind::kWhere:
      return node->arg(1)->facts & node->arg(2)->facts & (kSignFacts | kEven | kOdd);
    default:
      return 0;
  }
}

}  // namespace

uint16_t symbol_facts(const SymbolInfo& info) {
  uint16_t facts = kHasSymbol;
  if (info.positive) facts |= kPositive;
  if (info.unbacked) facts |= kHasUnbacked;
  return closed(facts);
}

uint16_t derive_facts(const ExprNode* node) {
  uint16_t facts = 0;
  switch (node->kind) {
    case ExprKind::kInteger:
    case ExprKind::kFloat:
      return number_facts(node->number);
    case ExprKind::kAdd:
      facts = number_facts(node->number);
      for (const ExprNode* arg : node->args()) facts = sum_facts(facts, arg->facts);
      facts = closed(facts | offset_sum_facts(node));
      break;
    case ExprKind::kMul:
      facts = number_facts(node->number);
      for (const ExprNode* arg : node->args()) facts = product_facts(facts, arg->facts);
      break;
    case ExprKind::kPow:
      facts = power_facts(node->arg(0)->facts, node->number.integer);
      break;
    default:
      facts = closed(function_facts(node));
      break;
  }
  for (const ExprNode* arg : node->args()) facts |= arg->facts & (kHasUnbacked | kHasSymbol);
  return facts;
}

}  // namespace faketensor
