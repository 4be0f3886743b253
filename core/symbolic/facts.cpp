#include "core/symbolic/facts.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "core/support/small_vector.h"

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
  facts |= value.is_float ? kIsReal : kIsReal | kIsInteger;
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

// --- sums with a constant: 6*s0 - 2 >= 0 because s0 >= 1 ---
//
// Mirrors sympy's _monotonic_sign: a polynomial in one symbol that is at least 1, or a single term.

// The polynomial sum of coefficients[i] * x**i of one positive integer symbol.
using Coefficients = SmallVector<int64_t, 16>;

constexpr size_t kMaxDegree = 12;

bool add_scaled(Coefficients& sum, const Coefficients& terms, int64_t factor) {
  if (sum.size() < terms.size()) sum.resize(terms.size(), 0);
  for (size_t i = 0; i < terms.size(); ++i) {
    int64_t product = 0;
    if (__builtin_mul_overflow(terms[i], factor, &product) ||
        __builtin_add_overflow(sum[i], product, &sum[i]))
      return false;
  }
  return true;
}

bool multiply_by(Coefficients& product, const Coefficients& factor) {
  if (product.size() + factor.size() > kMaxDegree + 2) return false;
  Coefficients result(product.size() + factor.size() - 1, 0);
  for (size_t i = 0; i < product.size(); ++i) {
    for (size_t j = 0; j < factor.size(); ++j) {
      int64_t term = 0;
      if (__builtin_mul_overflow(product[i], factor[j], &term) ||
          __builtin_add_overflow(result[i + j], term, &result[i + j]))
        return false;
    }
  }
  product = result;
  return true;
}

// The coefficients of `node` as a polynomial in `symbol` (the first one met, where it is null);
// false if it is none, or a large one.
bool polynomial_in_one(const ExprNode* node, const ExprNode*& symbol, Coefficients& out) {
  switch (node->kind) {
    case ExprKind::kInteger:
      out = Coefficients{node->number.integer};
      return true;
    case ExprKind::kSymbol:
      if (symbol == nullptr) symbol = node;
      out = Coefficients{0, 1};
      return symbol == node && node->type == ExprType::kInt && node->has(kPositive);
    case ExprKind::kAdd:
    case ExprKind::kMul: {
      if (node->number.is_float || node->size > 64) return false;
      out = Coefficients{node->number.integer};
      Coefficients part;
      for (const ExprNode* arg : node->args()) {
        if (!polynomial_in_one(arg, symbol, part)) return false;
        const bool fits =
            node->kind == ExprKind::kAdd ? add_scaled(out, part, 1) : multiply_by(out, part);
        if (!fits) return false;
      }
      return true;
    }
    case ExprKind::kPow: {
      Coefficients base;
      if (node->number.integer > static_cast<int64_t>(kMaxDegree) ||
          !polynomial_in_one(node->arg(0), symbol, base))
        return false;
      out = {1};
      for (int64_t i = 0; i < node->number.integer; ++i) {
        if (!multiply_by(out, base)) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

Coefficients derivative(const Coefficients& p) {
  Coefficients result;
  for (size_t i = 1; i < p.size(); ++i) {
    int64_t term = 0;
    if (__builtin_mul_overflow(p[i], static_cast<int64_t>(i), &term)) return {0};
    result.push_back(term);
  }
  return result;
}

std::optional<int64_t> value_at_one(const Coefficients& p) {
  int64_t value = 0;
  for (const int64_t coefficient : p) {
    if (__builtin_add_overflow(value, coefficient, &value)) return std::nullopt;
  }
  return value;
}

// p(x) > 0 for every x >= 1, as far as repeated derivatives tell: p(1) > 0 and p' >= 0 from there.
bool positive_from_one(const Coefficients& p) {
  const bool all_positive =
      std::all_of(p.begin(), p.end(), [](int64_t coefficient) { return coefficient >= 0; });
  const std::optional<int64_t> at_one = value_at_one(p);
  if (!at_one || *at_one <= 0) return false;
  return all_positive || (p.size() > 1 && positive_from_one(derivative(p)));
}

// The facts of a polynomial that grows from x = 1 on, and so is at least what it is there. The sum
// it stands for has `constant` among terms that are or are not known to be >= 0.
uint16_t growing_facts(const Coefficients& p, int64_t constant, bool terms_non_negative) {
  const std::optional<int64_t> value = value_at_one(p);
  int64_t of_terms = 0;
  if (!value || __builtin_sub_overflow(*value, constant, &of_terms)) return 0;
  if (of_terms < 0 || !positive_from_one(derivative(p))) return 0;
  if (*value > 0) return kPositive | kNonNegative;
  return *value == 0 && terms_non_negative ? kNonNegative : 0;
}

uint16_t polynomial_facts(const ExprNode* sum, Coefficients p) {
  const int64_t constant = sum->number.integer;
  const auto all_terms = [sum](uint16_t fact) {
    return std::all_of(sum->args().begin(), sum->args().end(),
                       [fact](const ExprNode* term) { return term->has(fact); });
  };
  if (const uint16_t facts = growing_facts(p, constant, all_terms(kNonNegative))) return facts;
  for (int64_t& coefficient : p) {
    if (coefficient == INT64_MIN) return 0;
    coefficient = -coefficient;
  }
  if (constant == INT64_MIN) return 0;
  const uint16_t negated = growing_facts(p, -constant, all_terms(kNonPositive));
  if (negated == 0) return 0;
  return (negated & kPositive) != 0 ? kNegative | kNonPositive : kNonPositive;
}

uint16_t offset_sum_facts(const ExprNode* sum) {
  const Number constant = sum->number;
  if (constant.is_float || constant.integer == 0 || sum->type != ExprType::kInt) return 0;
  const ExprNode* symbol = nullptr;
  Coefficients coefficients;
  const bool may_be_in_one = std::has_single_bit(sum->symbol_bits);
  if (may_be_in_one && polynomial_in_one(sum, symbol, coefficients) && symbol != nullptr)
    return polynomial_facts(sum, coefficients);
  // One term of known sign: its value nearest to 0 is 1, or 2 if it is even.
  const bool below = constant.integer > 0;  // the term is <= 0
  if (sum->arg_count != 1 || !sum->arg(0)->has(kNonZero) ||
      !sum->arg(0)->has(below ? kNonPositive : kNonNegative))
    return 0;
  const int64_t magnitude = sum->arg(0)->has(kEven) ? 2 : 1;
  const int64_t nearest = below ? -magnitude : magnitude;
  int64_t value = 0;
  if (__builtin_add_overflow(nearest, constant.integer, &value)) return 0;
  if (value == 0) return below ? kNonPositive : kNonNegative;
  if ((value > 0) == below) return 0;
  return below ? kNegative | kNonPositive : kPositive | kNonNegative;
}

// --- products ---

// The terms of a sum that are odd or may be, each once if it occurs an odd number of times.
void toggle_terms(const ExprNode* node, std::vector<const ExprNode*>& terms, bool& odd_constant) {
  const auto toggle = [&terms](const ExprNode* term) {
    const auto at = std::find(terms.begin(), terms.end(), term);
    if (at == terms.end()) {
      terms.push_back(term);
    } else {
      terms.erase(at);
    }
  };
  if (node->kind != ExprKind::kAdd) {
    toggle(node);
    return;
  }
  if (!node->number.is_float && node->number.integer % 2 != 0) odd_constant = !odd_constant;
  for (const ExprNode* term : node->args()) {
    const bool one_factor = term->kind == ExprKind::kMul && term->arg_count == 1;
    if (!term->has(kEven)) toggle(one_factor ? term->arg(0) : term);
  }
}

// a*b is even where a + b is odd: s0*(13 - s0).
bool has_odd_pair(const ExprNode* product) {
  constexpr uint32_t kMaxSum = 8;
  const auto args = product->args();
  for (size_t i = 1; i < args.size() && i < kMaxSum; ++i) {
    const bool is_sum = args[i - 1]->kind == ExprKind::kAdd || args[i]->kind == ExprKind::kAdd;
    if (!is_sum || args[i - 1]->arg_count > kMaxSum || args[i]->arg_count > kMaxSum) continue;
    std::vector<const ExprNode*> terms;
    bool odd = false;
    toggle_terms(args[i - 1], terms, odd);
    toggle_terms(args[i], terms, odd);
    if (terms.empty() && odd) return true;
  }
  return false;
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
  // An unbacked float has no assumptions at all.
  if (info.type == ExprType::kInt) facts |= kIsReal | kIsInteger;
  if (info.type == ExprType::kFloat && !info.unbacked) facts |= kIsReal;
  return closed(facts);
}

namespace {

// What sympy knows of an expression's domain. Its functions are declared to be integer or real,
// except the bitwise ones and square roots; arithmetic is what its operands are.
uint16_t domain_facts(const ExprNode* node) {
  switch (node->kind) {
    case ExprKind::kBitAnd:
    case ExprKind::kBitOr:
    case ExprKind::kBitXor:
    case ExprKind::kSqrt:
      return 0;
    case ExprKind::kAdd:
    case ExprKind::kMul:
    case ExprKind::kPow:
    case ExprKind::kMax:
    case ExprKind::kMin:
    case ExprKind::kAbs:
    case ExprKind::kWhere: {
      uint16_t facts = kIsReal | kIsInteger;
      const size_t first = node->kind == ExprKind::kWhere ? 1 : 0;
      for (size_t i = first; i < node->arg_count; ++i) facts &= node->arg(i)->facts;
      const bool has_coefficient = node->kind == ExprKind::kAdd || node->kind == ExprKind::kMul;
      if (has_coefficient && node->number.is_float) facts &= ~kIsInteger;
      return facts;
    }
    default:
      return node->type == ExprType::kInt ? kIsReal | kIsInteger : kIsReal;
  }
}

}  // namespace

uint16_t derive_facts(const ExprNode* node) {
  uint16_t facts = 0;
  switch (node->kind) {
    case ExprKind::kInteger:
    case ExprKind::kFloat:
      return number_facts(node->number);
    case ExprKind::kAdd:
      facts = number_facts(node->number);
      for (const ExprNode* arg : node->args()) facts = sum_facts(facts, arg->facts);
      if ((facts & (kPositive | kNegative)) == 0) facts = closed(facts | offset_sum_facts(node));
      break;
    case ExprKind::kMul:
      facts = number_facts(node->number);
      for (const ExprNode* arg : node->args()) facts = product_facts(facts, arg->facts);
      if (node->type == ExprType::kInt && (facts & (kEven | kOdd)) == 0 && has_odd_pair(node))
        facts |= kEven;
      break;
    case ExprKind::kPow:
      facts = power_facts(node->arg(0)->facts, node->number.integer);
      break;
    default:
      facts = closed(function_facts(node));
      break;
  }
  facts = static_cast<uint16_t>((facts & ~(kIsReal | kIsInteger)) | domain_facts(node));
  if (node->kind == ExprKind::kWhere) facts |= kHasPiecewise;
  for (const ExprNode* arg : node->args())
    facts |= arg->facts & (kHasUnbacked | kHasSymbol | kHasPiecewise);
  return facts;
}

}  // namespace faketensor
