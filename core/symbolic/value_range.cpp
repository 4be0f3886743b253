#include "core/symbolic/value_range.h"

#include <algorithm>
#include <limits>

#include "core/support/format.h"

namespace faketensor {

RangeEnd integral_end(double x) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(x < kLimit)) return kIntInfinity;
  if (x <= -kLimit) return kMinusIntInfinity;
  return static_cast<int64_t>(x);
}

ValueRange ValueRange::unknown(ExprType type) {
  switch (type) {
    case ExprType::kInt:
      return ints(kMinusIntInfinity, kIntInfinity);
    case ExprType::kFloat: {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      return floats(-kInfinity, kInfinity);
    }
    default:
      return bools(false, true);
  }
}

bool ValueRange::is_singleton() const {
  return type == ExprType::kFloat ? real_lower == real_upper
                                  : lower == upper && !lower.is_infinite();
}

bool ValueRange::is_subset_of(const ValueRange& other) const {
  if (type == ExprType::kFloat)
    return other.real_lower <= real_lower && real_upper <= other.real_upper;
  return other.lower <= lower && upper <= other.upper;
}

ValueRange intersect(const ValueRange& a, const ValueRange& b) {
  ValueRange range = a;
  range.lower = std::max(a.lower, b.lower);
  range.upper = std::min(a.upper, b.upper);
  range.real_lower = std::max(a.real_lower, b.real_lower);
  range.real_upper = std::min(a.real_upper, b.real_upper);
  return range;
}

std::string to_string(const ValueRange& range) {
  if (range.type == ExprType::kBool) return format("[{}, {}]", range.lower != 0, range.upper != 0);
  const auto end_text = [&](RangeEnd x, double real, bool integral) {
    if (range.type != ExprType::kFloat) return to_string(x);
    return integral ? to_string(integral_end(real)) : format("{}", real);
  };
  return "[" + end_text(range.lower, range.real_lower, range.integral_lower) + ", " +
         end_text(range.upper, range.real_upper, range.integral_upper) + "]";
}

}  // namespace faketensor
