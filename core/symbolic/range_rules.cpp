#include "core/symbolic/range_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/symbolic/arithmetic.h"

namespace faketensor {

namespace {

constexpr double kRealInfinity = std::numeric_limits<double>::infinity();

// --- integers ---

// A power beyond 63 bits is infinite (safe_pow, torch/utils/_sympy/functions.py).
RangeEnd power(RangeEnd base, RangeEnd exponent) {
  if (exponent == 0) return 1;
  if (base == 0 || base == 1) return base;
  const bool is_odd = !exponent.is_infinite() && exponent.value() % 2 != 0;
  if (base == -1) return is_odd ? -1 : 1;
  if (exponent >= 64) return RangeEnd::infinity(base < 0 && is_odd ? -1 : 1);
  RangeEnd result = 1;
  for (RangeEnd i = 0; i < exponent; i = i + 1) result = result * base;
  return result.as_int64() ? result : RangeEnd::infinity(result.sign());
}

ValueRange as_floats(const ValueRange& range) {
  if (range.type == ExprType::kFloat) return ValueRange::floats(range.real_lower, range.real_upper);
  return ValueRange::floats(range.lower.as_double(), range.upper.as_double());
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

// --- ends of which some are floats ---

// An end of a range: a float, or an integer (int_oo among them) that has met floats.
struct End {
  double value;
  bool integral;

  bool finite() const { return std::isfinite(value); }
};

End lower_end(const ValueRange& r) {
  return r.is_float() ? End{r.real_lower, r.integral_lower} : End{r.lower.as_double(), true};
}

End upper_end(const ValueRange& r) {
  return r.is_float() ? End{r.real_upper, r.integral_upper} : End{r.upper.as_double(), true};
}

// -oo < -int_oo < numbers < int_oo < oo
bool less(End a, End b) {
  if (a.value != b.value || a.finite()) return a.value < b.value;
  return a.value > 0 ? a.integral && !b.integral : !a.integral && b.integral;
}

// An infinite end opposite an integer is an integer's (ValueRanges.__init__).
ValueRange range_between(End lower, End upper) {
  if (lower.integral && lower.finite() && upper.value == kRealInfinity) upper.integral = true;
  if (upper.integral && upper.finite() && lower.value == -kRealInfinity) lower.integral = true;
  if (lower.integral && upper.integral)
    return ValueRange::ints(integral_end(lower.value), integral_end(upper.value));
  ValueRange range = ValueRange::floats(lower.value, upper.value);
  range.integral_lower = lower.integral;
  range.integral_upper = upper.integral;
  return range;
}

// Of two infinities of one sign the left one's kind stays in a product, in a sum int_oo + oo is oo.
// A finite float makes every result a float (_keep_float).
End multiply_ends(End a, End b) {
  End product = a.value == 0 ? a : b;
  if (a.value != 0 && b.value != 0) {
    product.value = a.value * b.value;
    product.integral = a.finite() && (b.finite() ? a.integral && b.integral : b.integral);
    if (!a.finite()) product.integral = a.integral;
  }
  const bool keeps_float = (a.finite() && !a.integral) || (b.finite() && !b.integral);
  if (keeps_float) product.integral = false;
  return product;
}

End add_ends(End a, End b) {
  const bool keeps_float = (a.finite() && !a.integral) || (b.finite() && !b.integral);
  if (a.finite() && b.finite()) return {a.value + b.value, a.integral && b.integral};
  if (a.finite() || b.finite()) {
    const End infinite_end = a.finite() ? b : a;
    return {infinite_end.value, infinite_end.integral && !keeps_float};
  }
  if (a.value != b.value) {  // the float's infinity outweighs the integers'
    if (a.integral == b.integral) return {std::numeric_limits<double>::quiet_NaN(), false};
    return a.integral ? b : a;
  }
  return {a.value, a.value > 0 ? a.integral && b.integral : a.integral};
}

// The hull of an operation's values at the four corners; the first of equal values.
template <typename Operation>
ValueRange end_corners(const ValueRange& a, const ValueRange& b, Operation operation) {
  const std::array values = {
      operation(lower_end(a), lower_end(b)), operation(lower_end(a), upper_end(b)),
      operation(upper_end(a), lower_end(b)), operation(upper_end(a), upper_end(b))};
  const bool undefined =
      std::any_of(values.begin(), values.end(), [](End end) { return std::isnan(end.value); });
  if (undefined) return ValueRange::unknown(ExprType::kFloat);
  const auto before = [](End x, End y) { return less(x, y); };
  const End lowest = *std::min_element(values.begin(), values.end(), before);
  const End highest = *std::max_element(values.begin(), values.end(), before);
  return range_between(lowest, highest);
}

// A convex function with its least value at 0, from its values at both ends.
ValueRange convex_range(const ValueRange& a, End at_lower, End at_upper) {
  const End highest = less(at_lower, at_upper) ? at_upper : at_lower;
  if (contains_zero(a)) return range_between({0, highest.integral}, highest);
  return range_between(less(at_upper, at_lower) ? at_upper : at_lower, highest);
}

// --- the rules that differ between integers and floats ---

// Mod has C's sign: that of the dividend.
ValueRange int_mod_range(const ValueRange& x, const ValueRange& y) {
  if (contains_zero(y)) return ValueRange::unknown(ExprType::kInt);
  const RangeEnd largest = abs_range(y).upper;
  if (!y.is_singleton()) {
    const RangeEnd upper = largest - 1;
    return ValueRange::ints(-upper, upper);
  }
  if (!x.lower.is_infinite() && !x.upper.is_infinite()) {
    const RangeEnd::Wide low = x.lower.value();
    const RangeEnd::Wide high = x.upper.value();
    const RangeEnd::Wide modulus = largest.value();
    if (low / modulus == high / modulus)  // no wrap in between
      return ValueRange::ints(RangeEnd::wide(low % modulus), RangeEnd::wide(high % modulus));
  }
  if (x.upper < 0) return ValueRange::ints(RangeEnd(1) - largest, 0);
  if (x.lower > 0) return ValueRange::ints(0, largest - 1);
  return ValueRange::ints(std::max(RangeEnd(1) - largest, x.lower), std::min(largest - 1, x.upper));
}

// PythonMod has the sign of the divisor.
ValueRange int_python_mod_range(const ValueRange& x, const ValueRange& y) {
  if (x.lower >= 0 && y.lower >= 0) return int_mod_range(x, y);
  return ValueRange::ints(y.lower < 0 ? y.lower + 1 : 0, y.upper > 0 ? y.upper - 1 : 0);
}

End minus_one(End end) { return add_ends(end, {-1, true}); }

ValueRange float_mod_range(const ValueRange& x, const ValueRange& y) {
  if (contains_zero(y)) return ValueRange::unknown(ExprType::kInt);
  const ValueRange magnitude = abs_range(y);
  const End highest = minus_one(upper_end(magnitude));
  const End lowest = {-highest.value, highest.integral || highest.value == 0};
  if (!y.is_singleton()) return range_between(lowest, highest);
  const double divisor = upper_end(magnitude).value;
  const End from = lower_end(x);
  const End to = upper_end(x);
  const bool finite = from.finite() && to.finite();
  if (finite && std::trunc(from.value / divisor) == std::trunc(to.value / divisor)) {
    return range_between({std::fmod(from.value, divisor), false},
                         {std::fmod(to.value, divisor), false});  // no wrap in between
  }
  if (to.value < 0) return range_between(lowest, {0, true});
  if (from.value > 0) return range_between({0, true}, highest);
  return range_between(less(lowest, from) ? from : lowest, less(to, highest) ? to : highest);
}

ValueRange float_python_mod_range(const ValueRange& x, const ValueRange& y) {
  const End from = lower_end(y);
  const End to = upper_end(y);
  if (lower_end(x).value >= 0 && from.value >= 0) return float_mod_range(x, y);
  constexpr End kZero = {0, true};
  return range_between(from.value < 0 ? add_ends(from, {1, true}) : kZero,
                       to.value > 0 ? minus_one(to) : kZero);
}

ValueRange int_power_range(const ValueRange& a, const ValueRange& b) {
  if (a.is_singleton() && b.is_singleton()) {
    const RangeEnd value = power(a.lower, b.lower);
    return ValueRange::ints(value, value);
  }
  if (a.lower >= 1) {
    const RangeEnd lowest = std::max(b.lower, RangeEnd(0));
    return ValueRange::ints(power(a.lower, lowest), power(a.upper, std::max(b.upper, lowest)));
  }
  if (b.is_singleton()) {
    const bool is_even = b.lower.value() % 2 == 0;
    const ValueRange base = is_even ? abs_range(a) : a;
    return ValueRange::ints(power(base.lower, b.lower), power(base.upper, b.lower));
  }
  const RangeEnd largest = power(abs_range(a).upper, b.upper);
  return ValueRange::ints(-largest, largest);
}

// x ** n for an integer n > 1. As PyTorch has it, what is beyond 63 bits is an infinite integer,
// and so is 0; x >= 1 stays among floats (safe_pow; PowByNatural).
ValueRange float_power_range(const ValueRange& x, int64_t exponent) {
  const auto end_power = [exponent](End base) -> End {
    constexpr double kLimit = 9223372036854775807.0;
    const double value = std::pow(base.value, static_cast<double>(exponent));
    if (std::fabs(value) > kLimit) return {std::copysign(kRealInfinity, value), true};
    return {value, base.integral || value == 0};
  };
  if (x.real_lower >= 1) {
    return ValueRange::floats(std::pow(x.real_lower, static_cast<double>(exponent)),
                              std::pow(x.real_upper, static_cast<double>(exponent)));
  }
  const End at_lower = end_power(lower_end(x));
  const End at_upper = end_power(upper_end(x));
  return exponent % 2 == 0 ? convex_range(x, at_lower, at_upper)
                           : range_between(at_lower, at_upper);
}

bool less(const ValueRange& a, bool a_upper, const ValueRange& b, bool b_upper) {
  if (!a.is_float() && !b.is_float())
    return (a_upper ? a.upper : a.lower) < (b_upper ? b.upper : b.lower);
  return less(a_upper ? upper_end(a) : lower_end(a), b_upper ? upper_end(b) : lower_end(b));
}

ValueRange less_range(const ValueRange& a, const ValueRange& b) {
  if (less(a, true, b, false)) return ValueRange::bools(true, true);
  if (!less(a, false, b, true)) return ValueRange::bools(false, false);
  return ValueRange::bools(false, true);
}

ValueRange hull(const ValueRange& a, const ValueRange& b) {
  if (a.is_float() || b.is_float()) {
    const End lower = less(lower_end(b), lower_end(a)) ? lower_end(b) : lower_end(a);
    const End upper = less(upper_end(a), upper_end(b)) ? upper_end(b) : upper_end(a);
    return range_between(lower, upper);
  }
  return {a.type, std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
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

// The least 2^k - 1 that is >= x, for x > 0.
RangeEnd all_ones_above(RangeEnd x) {
  if (x.is_infinite()) return x;
  RangeEnd::Wide mask = x.value();
  for (unsigned shift = 1; shift < 128; shift *= 2) mask |= mask >> shift;
  return RangeEnd::wide(mask);
}

}  // namespace

// Floor of an unbounded float has a float's range; a function of integers takes it as integers.
ValueRange as_ints(const ValueRange& range) {
  if (range.type != ExprType::kFloat) return range;
  return ValueRange::ints(integral_end(range.real_lower), integral_end(range.real_upper));
}

ValueRange add_ranges(const ValueRange& a, const ValueRange& b) {
  if (!a.is_float() && !b.is_float()) return ValueRange::ints(a.lower + b.lower, a.upper + b.upper);
  const End lower = add_ends(lower_end(a), lower_end(b));
  const End upper = add_ends(upper_end(a), upper_end(b));
  if (std::isnan(lower.value) || std::isnan(upper.value))
    return ValueRange::unknown(ExprType::kFloat);
  return range_between(lower, upper);
}

ValueRange multiply_ranges(const ValueRange& a, const ValueRange& b) {
  if (!a.is_float() && !b.is_float())
    return int_corners(a, b, [](RangeEnd x, RangeEnd y) { return x * y; });
  return end_corners(a, b, multiply_ends);
}

ValueRange abs_range(const ValueRange& a) {
  if (a.is_float()) {
    const auto magnitude = [](End end) { return End{std::fabs(end.value), end.integral}; };
    return convex_range(a, magnitude(lower_end(a)), magnitude(upper_end(a)));
  }
  const RangeEnd lower = a.lower < 0 ? -a.lower : a.lower;
  const RangeEnd upper = a.upper < 0 ? -a.upper : a.upper;
  return ValueRange::ints(contains_zero(a) ? 0 : std::min(lower, upper), std::max(lower, upper));
}

ValueRange floor_div_range(const ValueRange& a, const ValueRange& b) {
  if (!contains_zero(b))
    return int_corners(a, b, [](RangeEnd x, RangeEnd y) { return floor_divide(x, y); });
  if ((b.lower >= 0 && a.lower >= 0) || (b.upper <= 0 && a.upper <= 0))
    return ValueRange::ints(0, kIntInfinity);
  if ((b.upper <= 0 && a.lower >= 0) || (b.lower >= 0 && a.upper <= 0)) {
    return ValueRange::ints(kMinusIntInfinity, 0);
  }
  return ValueRange::unknown(ExprType::kInt);
}

ValueRange mod_range(ExprType type, const ValueRange& a, const ValueRange& b) {
  return type == ExprType::kFloat ? float_mod_range(a, b) : int_mod_range(as_ints(a), as_ints(b));
}

ValueRange python_mod_range(ExprType type, const ValueRange& a, const ValueRange& b) {
  return type == ExprType::kFloat ? float_python_mod_range(a, b)
                                  : int_python_mod_range(as_ints(a), as_ints(b));
}

ValueRange power_range(ExprType type, const ValueRange& a, const ValueRange& exponent) {
  if (type == ExprType::kFloat) return float_power_range(a, *exponent.lower.as_int64());
  return int_power_range(as_ints(a), exponent);
}

ValueRange true_div_range(const ValueRange& a, const ValueRange& b) {
  const ValueRange x = as_floats(a);
  const ValueRange y = as_floats(b);
  const auto open = [](const ValueRange& r) {
    return std::isinf(r.real_lower) || std::isinf(r.real_upper);
  };
  if (contains_zero(y) || (open(x) && open(y))) return ValueRange::unknown(ExprType::kFloat);
  return end_corners(x, y, [](End p, End q) { return End{p.value / q.value, false}; });
}

ValueRange extremum_range(ExprKind kind, const ValueRange& a, const ValueRange& b) {
  const bool max = kind == ExprKind::kMax;
  if (!a.is_float() && !b.is_float()) {
    return max ? ValueRange::ints(std::max(a.lower, b.lower), std::max(a.upper, b.upper))
               : ValueRange::ints(std::min(a.lower, b.lower), std::min(a.upper, b.upper));
  }
  const auto pick = [max](End x, End y) { return less(x, y) == max ? y : x; };
  return range_between(pick(lower_end(a), lower_end(b)), pick(upper_end(a), upper_end(b)));
}

ValueRange bitwise_range(ExprKind kind, const ValueRange& a, const ValueRange& b) {
  const RangeEnd lowest = std::min(a.lower, b.lower);
  const RangeEnd highest = std::max(a.upper, b.upper);
  if (kind == ExprKind::kBitAnd) {
    // Open below, PyTorch says 0; that holds where the other operand has no sign bit.
    RangeEnd lower = 0;
    if (lowest == kMinusIntInfinity) {
      if (std::max(a.lower, b.lower) < 0) lower = kMinusIntInfinity;
    } else if (lowest < 0) {
      // 1...10...0: nothing smaller has these leading ones.
      lower = -all_ones_above(-lowest - 1) - 1;
    }
    return ValueRange::ints(lower, highest);
  }
  if (kind == ExprKind::kBitOr) {
    const RangeEnd upper = highest > 0 ? all_ones_above(highest) : highest == 0 ? 0 : -1;
    return ValueRange::ints(lowest, upper);
  }
  if (a.is_singleton() && b.is_singleton()) {
    const RangeEnd value = RangeEnd::wide(a.lower.value() ^ b.lower.value());
    return ValueRange::ints(value, value);
  }
  return ValueRange::unknown(ExprType::kInt);
}

// floor and ceiling of an unbounded float stay the infinities of floats in PyTorch.
ValueRange rounding_range(ExprKind kind, const ValueRange& a) {
  if (!a.is_float()) return a;
  const bool keeps_infinities = kind == ExprKind::kFloorToInt || kind == ExprKind::kCeilToInt;
  const auto round_end = [=](End end) -> End {
    if (!end.finite()) return {end.value, end.integral || !keeps_infinities};
    return {rounded(kind, end.value), true};
  };
  return range_between(round_end(lower_end(a)), round_end(upper_end(a)));
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

ValueRange round_decimal_range(const ValueRange& a, const ValueRange& digits) {
  const std::optional<int64_t> count =
      digits.is_singleton() ? digits.lower.as_int64() : std::nullopt;
  if (!count) return ValueRange::unknown(ExprType::kFloat);
  const ValueRange x = as_floats(a);
  return ValueRange::floats(round_decimal(x.real_lower, *count),
                            round_decimal(x.real_upper, *count));
}

ValueRange and_range(const ValueRange& a, const ValueRange& b) {
  return ValueRange::bools(a.lower != 0 && b.lower != 0, a.upper != 0 && b.upper != 0);
}

ValueRange or_range(const ValueRange& a, const ValueRange& b) {
  return ValueRange::bools(a.lower != 0 || b.lower != 0, a.upper != 0 || b.upper != 0);
}

ValueRange where_range(const ValueRange& condition, const ValueRange& a, const ValueRange& b) {
  return condition.upper == 0 ? b : hull(a, b);
}

}  // namespace faketensor
