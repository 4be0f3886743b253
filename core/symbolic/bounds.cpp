#include "core/symbolic/bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/arithmetic.h"

namespace faketensor {

namespace {

constexpr double kRealInfinity = std::numeric_limits<double>::infinity();

// --- integers with infinities ---

bool infinite(int64_t x) { return x == kIntInfinity || x == kMinusIntInfinity; }
int sign(int64_t x) { return (x > 0) - (x < 0); }
int64_t infinity_of_sign(int s) { return s < 0 ? kMinusIntInfinity : kIntInfinity; }

int64_t extended_negate(int64_t x) { return infinite(x) ? infinity_of_sign(-sign(x)) : -x; }

int64_t extended_add(int64_t a, int64_t b) {
  if (infinite(a)) return a;
  if (infinite(b)) return b;
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? infinity_of_sign(sign(a)) : sum;
}

// 0 * int_oo is 0: an end of a range is approached, never multiplied.
int64_t extended_multiply(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  int64_t product = 0;
  if (infinite(a) || infinite(b) || __builtin_mul_overflow(a, b, &product))
    return infinity_of_sign(sign(a) * sign(b));
  return product;
}

// b is not 0.
int64_t extended_floor_divide(int64_t a, int64_t b) {
  if (infinite(a)) return infinity_of_sign(sign(a) * sign(b));
  if (infinite(b)) return 0;
  return b == -1 ? extended_negate(a) : floor_divide(a, b);
}

int64_t extended_power(int64_t base, int64_t exponent) {
  if (exponent == 0) return 1;
  if (base == 0 || base == 1) return base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  if (exponent >= 64) return infinity_of_sign(base < 0 && exponent % 2 != 0 ? -1 : 1);
  int64_t result = 1;
  for (int64_t i = 0; i < exponent; ++i) result = extended_multiply(result, base);
  return result;
}

double as_real(int64_t x) {
  return infinite(x) ? std::copysign(kRealInfinity, static_cast<double>(sign(x)))
                     : static_cast<double>(x);
}

int64_t as_int(double x) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (x >= kLimit) return kIntInfinity;
  if (x <= -kLimit) return kMinusIntInfinity;
  return static_cast<int64_t>(x);
}

ValueRange as_floats(const ValueRange& range) {
  if (range.type == ExprType::kFloat) return range;
  return ValueRange::floats(as_real(range.lower), as_real(range.upper));
}

// Floor of an unbounded float has a float's range; a function of integers takes it as integers.
ValueRange as_ints(const ValueRange& range) {
  if (range.type != ExprType::kFloat) return range;
  return ValueRange::ints(as_int(range.real_lower), as_int(range.real_upper));
}

bool contains_zero(const ValueRange& range) {
  if (range.type == ExprType::kFloat) return range.real_lower <= 0 && 0 <= range.real_upper;
  return range.contains(0);
}

// The hull of an operation's values at the four corners, for one that is monotone in each operand.
template <typename Operation>
ValueRange int_corners(const ValueRange& a, const ValueRange& b, Operation operation) {
  const std::array values = {operation(a.lower, b.lower), operation(a.lower, b.upper),
                             operation(a.upper, b.lower), operation(a.upper, b.upper)};
  return ValueRange::ints(*std::min_element(values.begin(), values.end()),
                          *std::max_element(values.begin(), values.end()));
}

template <typename Operation>
ValueRange float_corners(const ValueRange& a, const ValueRange& b, Operation operation) {
  const std::array values = {
      operation(a.real_lower, b.real_lower), operation(a.real_lower, b.real_upper),
      operation(a.real_upper, b.real_lower), operation(a.real_upper, b.real_upper)};
  if (std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); })) {
    return ValueRange::unknown(ExprType::kFloat);
  }
  return ValueRange::floats(*std::min_element(values.begin(), values.end()),
                            *std::max_element(values.begin(), values.end()));
}

// --- one rule per function ---

ValueRange add_ranges(const ValueRange& a, const ValueRange& b) {
  if (a.type == ExprType::kInt && b.type == ExprType::kInt) {
    return ValueRange::ints(extended_add(a.lower, b.lower), extended_add(a.upper, b.upper));
  }
  const ValueRange x = as_floats(a);
  const ValueRange y = as_floats(b);
  return ValueRange::floats(x.real_lower + y.real_lower, x.real_upper + y.real_upper);
}

ValueRange multiply_ranges(const ValueRange& a, const ValueRange& b) {
  if (a.type == ExprType::kInt && b.type == ExprType::kInt)
    return int_corners(a, b, extended_multiply);
  return float_corners(as_floats(a), as_floats(b),
                       [](double x, double y) { return x == 0 || y == 0 ? 0 : x * y; });
}

ValueRange abs_range(const ValueRange& a) {
  if (a.type == ExprType::kFloat) {
    const double lower = std::fabs(a.real_lower);
    const double upper = std::fabs(a.real_upper);
    return ValueRange::floats(contains_zero(a) ? 0 : std::min(lower, upper),
                              std::max(lower, upper));
  }
  const int64_t lower = a.lower < 0 ? extended_negate(a.lower) : a.lower;
  const int64_t upper = a.upper < 0 ? extended_negate(a.upper) : a.upper;
  return ValueRange::ints(contains_zero(a) ? 0 : std::min(lower, upper), std::max(lower, upper));
}

ValueRange floor_div_range(const ValueRange& a, const ValueRange& b) {
  if (!contains_zero(b)) return int_corners(a, b, extended_floor_divide);
  if ((b.lower >= 0 && a.lower >= 0) || (b.upper <= 0 && a.upper <= 0))
    return ValueRange::ints(0, kIntInfinity);
  if ((b.upper <= 0 && a.lower >= 0) || (b.lower >= 0 && a.upper <= 0)) {
    return ValueRange::ints(kMinusIntInfinity, 0);
  }
  return ValueRange::unknown(ExprType::kInt);
}

// Mod has C's sign: that of the dividend.
ValueRange mod_range(const ValueRange& x, const ValueRange& y) {
  if (contains_zero(y)) return ValueRange::unknown(ExprType::kInt);
  const int64_t largest = abs_range(y).upper;
  if (!y.is_singleton()) {
    const int64_t upper = extended_add(largest, -1);
    return ValueRange::ints(extended_negate(upper), upper);
  }
  const bool finite = !infinite(x.lower) && !infinite(x.upper);
  if (finite && x.lower / largest == x.upper / largest) {
    return ValueRange::ints(x.lower % largest, x.upper % largest);  // no wrap in between
  }
  if (x.upper < 0) return ValueRange::ints(1 - largest, 0);
  if (x.lower > 0) return ValueRange::ints(0, largest - 1);
  return ValueRange::ints(std::max(1 - largest, x.lower), std::min(largest - 1, x.upper));
}

// PythonMod has the sign of the divisor.
ValueRange python_mod_range(const ValueRange& x, const ValueRange& y) {
  if (x.lower >= 0 && y.lower >= 0) return mod_range(x, y);
  return ValueRange::ints(y.lower < 0 ? extended_add(y.lower, 1) : 0,
                          y.upper > 0 ? extended_add(y.upper, -1) : 0);
}

ValueRange power_range(const ValueRange& a, const ValueRange& b) {
  if (a.is_singleton() && b.is_singleton()) {
    const int64_t value = extended_power(a.lower, b.lower);
    return ValueRange::ints(value, value);
  }
  if (a.lower >= 1) {
    const int64_t lowest = std::max<int64_t>(b.lower, 0);
    return ValueRange::ints(extended_power(a.lower, lowest),
                            extended_power(a.upper, std::max(b.upper, lowest)));
  }
  if (b.is_singleton()) {
    const ValueRange base = b.lower % 2 == 0 ? abs_range(a) : a;
    return ValueRange::ints(extended_power(base.lower, b.lower),
                            extended_power(base.upper, b.lower));
  }
  const int64_t largest = extended_power(abs_range(a).upper, b.upper);
  return ValueRange::ints(extended_negate(largest), largest);
}

// x ** n for an integer n. As PyTorch has it, an end beyond 63 bits is an infinite integer.
ValueRange float_power_range(const ValueRange& x, int64_t exponent) {
  const ValueRange base = exponent % 2 == 0 ? abs_range(as_floats(x)) : as_floats(x);
  const double lower = std::pow(base.real_lower, static_cast<double>(exponent));
  const double upper = std::pow(base.real_upper, static_cast<double>(exponent));
  constexpr double kLimit = 9223372036854775807.0;
  const bool open_below = lower < -kLimit;
  const bool open_above = upper > kLimit;
  if (!open_below && !open_above) return ValueRange::floats(lower, upper);
  const bool integral_lower = open_below || lower == 0;
  const bool integral_upper = open_above || upper == 0;
  if (!integral_lower || !integral_upper) {
    return ValueRange::floats(open_below ? -kRealInfinity : lower,
                              open_above ? kRealInfinity : upper);
  }
  return ValueRange::ints(open_below ? kMinusIntInfinity : 0, open_above ? kIntInfinity : 0);
}

ValueRange true_div_range(const ValueRange& a, const ValueRange& b) {
  const ValueRange x = as_floats(a);
  const ValueRange y = as_floats(b);
  const auto open = [](const ValueRange& r) {
    return std::isinf(r.real_lower) || std::isinf(r.real_upper);
  };
  if (contains_zero(y) || (open(x) && open(y))) return ValueRange::unknown(ExprType::kFloat);
  return float_corners(x, y, [](double p, double q) { return p / q; });
}

ValueRange extremum_range(ExprKind kind, const ValueRange& a, const ValueRange& b) {
  const bool max = kind == ExprKind::kMax;
  if (a.type == ExprType::kInt && b.type == ExprType::kInt) {
    return max ? ValueRange::ints(std::max(a.lower, b.lower), std::max(a.upper, b.upper))
               : ValueRange::ints(std::min(a.lower, b.lower), std::min(a.upper, b.upper));
  }
  const ValueRange x = as_floats(a);
  const ValueRange y = as_floats(b);
  return max ? ValueRange::floats(std::max(x.real_lower, y.real_lower),
                                  std::max(x.real_upper, y.real_upper))
             : ValueRange::floats(std::min(x.real_lower, y.real_lower),
                                  std::min(x.real_upper, y.real_upper));
}

// The least 2^k - 1 that is >= x, for x > 0.
int64_t all_ones_above(int64_t x) {
  uint64_t mask = static_cast<uint64_t>(x);
  for (unsigned shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  return static_cast<int64_t>(mask);
}

ValueRange bitwise_range(ExprKind kind, const ValueRange& a, const ValueRange& b) {
  const int64_t lowest = std::min(a.lower, b.lower);
  const int64_t highest = std::max(a.upper, b.upper);
  if (kind == ExprKind::kBitAnd) {
    // Open below, PyTorch says 0; that holds where the other operand has no sign bit.
    int64_t lower = 0;
    if (lowest == kMinusIntInfinity) {
      lower = std::max(a.lower, b.lower) >= 0 ? 0 : kMinusIntInfinity;
    } else if (lowest < 0) {
      lower =
          -all_ones_above(-lowest - 1) - 1;  // 1...10...0: nothing smaller has these leading ones
    }
    return ValueRange::ints(lower, highest);
  }
  if (kind == ExprKind::kBitOr) {
    return ValueRange::ints(lowest, highest > 0 ? all_ones_above(highest) : highest == 0 ? 0 : -1);
  }
  if (a.is_singleton() && b.is_singleton())
    return ValueRange::ints(a.lower ^ b.lower, a.lower ^ b.lower);
  return ValueRange::unknown(ExprType::kInt);
}

double rounded(ExprKind kind, double x) {
  if (!std::isfinite(x)) return x;
  switch (kind) {
    case ExprKind::kFloorToInt:
      return std::floor(x);
    case ExprKind::kCeilToInt:
      return std::ceil(x);
    case ExprKind::kRoundToInt:
      return round_half_even(x);
    default:
      return std::trunc(x);
  }
}

ValueRange rounding_range(ExprKind kind, const ValueRange& a) {
  if (a.type != ExprType::kFloat) return a;
  // floor and ceiling of an unbounded float stay the infinities of floats in PyTorch.
  const bool keeps_infinities = kind == ExprKind::kFloorToInt || kind == ExprKind::kCeilToInt;
  if (keeps_infinities && a.real_lower == -kRealInfinity && a.real_upper == kRealInfinity) return a;
  return ValueRange::ints(as_int(rounded(kind, a.real_lower)), as_int(rounded(kind, a.real_upper)));
}

bool less(const ValueRange& a, bool a_upper, const ValueRange& b, bool b_upper) {
  if (a.type != ExprType::kFloat && b.type != ExprType::kFloat) {
    return (a_upper ? a.upper : a.lower) < (b_upper ? b.upper : b.lower);
  }
  const ValueRange x = as_floats(a);
  const ValueRange y = as_floats(b);
  return (a_upper ? x.real_upper : x.real_lower) < (b_upper ? y.real_upper : y.real_lower);
}

ValueRange less_range(const ValueRange& a, const ValueRange& b) {
  if (less(a, true, b, false)) return ValueRange::bools(true, true);
  if (!less(a, false, b, true)) return ValueRange::bools(false, false);
  return ValueRange::bools(false, true);
}

ValueRange not_range(const ValueRange& a) { return ValueRange::bools(a.upper == 0, a.lower == 0); }

ValueRange relation_range(ExprKind kind, const ValueRange& a, const ValueRange& b) {
  switch (kind) {
    case ExprKind::kEq: {
      if (less(a, true, b, false) || less(b, true, a, false))
        return ValueRange::bools(false, false);
      const bool one_value = a.is_singleton() && b.is_singleton();
      return ValueRange::bools(one_value, true);
    }
    case ExprKind::kNe:
      return not_range(relation_range(ExprKind::kEq, a, b));
    case ExprKind::kLt:
      return less_range(a, b);
    case ExprKind::kGt:
      return less_range(b, a);
    case ExprKind::kLe:
      return not_range(less_range(b, a));
    default:
      return not_range(less_range(a, b));
  }
}

ValueRange hull(const ValueRange& a, const ValueRange& b) {
  if (a.type == ExprType::kFloat || b.type == ExprType::kFloat) {
    const ValueRange x = as_floats(a);
    const ValueRange y = as_floats(b);
    return ValueRange::floats(std::min(x.real_lower, y.real_lower),
                              std::max(x.real_upper, y.real_upper));
  }
  return {a.type, std::min(a.lower, b.lower), std::max(a.upper, b.upper), 0, 0};
}

ValueRange monotone_float(ExprKind kind, const ValueRange& a) {
  const ValueRange x = as_floats(a);
  if (kind == ExprKind::kSqrt) {
    if (x.real_lower < 0) return ValueRange::unknown(ExprType::kFloat);
    return ValueRange::floats(std::sqrt(x.real_lower), std::sqrt(x.real_upper));
  }
  if (kind == ExprKind::kTruncToFloat)
    return ValueRange::floats(std::trunc(x.real_lower), std::trunc(x.real_upper));
  return x;  // ToFloat
}

ValueRange constant_range(const ExprNode* node) {
  if (node->kind == ExprKind::kBoolean) return ValueRange::bools(node->is_true(), node->is_true());
  if (node->kind == ExprKind::kInteger)
    return ValueRange::ints(node->number.integer, node->number.integer);
  if (std::isnan(node->number.real)) return ValueRange::unknown(ExprType::kFloat);
  return ValueRange::floats(node->number.real, node->number.real);
}

ValueRange number_range(Number number) {
  return number.is_float ? ValueRange::floats(number.real, number.real)
                         : ValueRange::ints(number.integer, number.integer);
}

}  // namespace

ValueRange ValueRange::unknown(ExprType type) {
  switch (type) {
    case ExprType::kInt:
      return ints(kMinusIntInfinity, kIntInfinity);
    case ExprType::kFloat:
      return floats(-kRealInfinity, kRealInfinity);
    default:
      return bools(false, true);
  }
}

bool ValueRange::is_singleton() const {
  return type == ExprType::kFloat ? real_lower == real_upper : lower == upper && !infinite(lower);
}

bool ValueRange::is_subset_of(const ValueRange& other) const {
  if (type == ExprType::kFloat)
    return other.real_lower <= real_lower && real_upper <= other.real_upper;
  return other.lower <= lower && upper <= other.upper;
}

ValueRange intersect(const ValueRange& a, const ValueRange& b) {
  return {a.type, std::max(a.lower, b.lower), std::min(a.upper, b.upper),
          std::max(a.real_lower, b.real_lower), std::min(a.real_upper, b.real_upper)};
}

std::string to_string(const ValueRange& range) {
  const auto end_text = [](int64_t x) -> std::string {
    if (x == kIntInfinity) return "int_oo";
    return x == kMinusIntInfinity ? "-int_oo" : std::to_string(x);
  };
  switch (range.type) {
    case ExprType::kInt:
      return "[" + end_text(range.lower) + ", " + end_text(range.upper) + "]";
    case ExprType::kBool:
      return format("[{}, {}]", range.lower != 0, range.upper != 0);
    default:
      return format("[{}, {}]", range.real_lower, range.real_upper);
  }
}

ValueRange bound(const ExprNode* node, const SymbolRange& symbol_range) {
  const auto arg = [&](size_t i) { return bound(node->arg(i), symbol_range); };
  const auto int_arg = [&](size_t i) { return as_ints(bound(node->arg(i), symbol_range)); };
  switch (node->kind) {
    case ExprKind::kInteger:
    case ExprKind::kFloat:
    case ExprKind::kBoolean:
      return constant_range(node);
    case ExprKind::kSymbol:
      return symbol_range(node);
    case ExprKind::kAdd: {
      ValueRange sum = number_range(node->number);
      for (size_t i = 0; i < node->arg_count; ++i) sum = add_ranges(sum, arg(i));
      return sum;
    }
    case ExprKind::kMul: {
      ValueRange product = number_range(node->number);
      for (size_t i = 0; i < node->arg_count; ++i) product = multiply_ranges(product, arg(i));
      return product;
    }
    case ExprKind::kPow:
      if (node->type == ExprType::kFloat) return float_power_range(arg(0), node->number.integer);
      return power_range(int_arg(0), number_range(node->number));
    case ExprKind::kMax:
    case ExprKind::kMin: {
      ValueRange range = arg(0);
      for (size_t i = 1; i < node->arg_count; ++i)
        range = extremum_range(node->kind, range, arg(i));
      return range;
    }
    case ExprKind::kFloorDiv:
    case ExprKind::kCleanDiv:
      return floor_div_range(int_arg(0), int_arg(1));
    case ExprKind::kMod:
      return mod_range(int_arg(0), int_arg(1));
    case ExprKind::kPythonMod:
      return python_mod_range(int_arg(0), int_arg(1));
    case ExprKind::kModularIndexing:
      return mod_range(floor_div_range(int_arg(0), int_arg(1)), int_arg(2));
    case ExprKind::kAbs:
      return abs_range(arg(0));
    case ExprKind::kPowByNatural:
      return power_range(int_arg(0), int_arg(1));
    case ExprKind::kBitAnd:
    case ExprKind::kBitOr:
    case ExprKind::kBitXor:
      return bitwise_range(node->kind, int_arg(0), int_arg(1));
    case ExprKind::kTruncToInt:
    case ExprKind::kFloorToInt:
    case ExprKind::kCeilToInt:
    case ExprKind::kRoundToInt:
      return rounding_range(node->kind, arg(0));
    case ExprKind::kToFloat:
    case ExprKind::kTruncToFloat:
    case ExprKind::kSqrt:
      return monotone_float(node->kind, arg(0));
    case ExprKind::kIntTrueDiv:
    case ExprKind::kFloatTrueDiv:
      return true_div_range(arg(0), arg(1));
    case ExprKind::kRoundDecimal: {
      const ValueRange digits = arg(1);
      if (!digits.is_singleton()) return ValueRange::unknown(ExprType::kFloat);
      const ValueRange x = as_floats(arg(0));
      return ValueRange::floats(round_decimal(x.real_lower, digits.lower),
                                round_decimal(x.real_upper, digits.lower));
    }
    case ExprKind::kWhere: {
      const ValueRange condition = arg(0);
      return condition.upper == 0 ? arg(2) : hull(arg(1), arg(2));
    }
    case ExprKind::kAnd: {
      ValueRange range = ValueRange::bools(true, true);
      for (size_t i = 0; i < node->arg_count; ++i) {
        const ValueRange part = arg(i);
        range = ValueRange::bools(range.lower != 0 && part.lower != 0,
                                  range.upper != 0 && part.upper != 0);
      }
      return range;
    }
    case ExprKind::kOr: {
      ValueRange range = ValueRange::bools(false, false);
      for (size_t i = 0; i < node->arg_count; ++i) {
        const ValueRange part = arg(i);
        range = ValueRange::bools(range.lower != 0 || part.lower != 0,
                                  range.upper != 0 || part.upper != 0);
      }
      return range;
    }
    case ExprKind::kNot:
      return not_range(arg(0));
    default:
      if (is_relation(node->kind)) return relation_range(node->kind, arg(0), arg(1));
      return ValueRange::unknown(node->type);
  }
}

}  // namespace faketensor
