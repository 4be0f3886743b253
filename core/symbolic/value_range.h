// A closed interval that an expression's value lies in; mirrors ValueRanges of
// torch/utils/_sympy/value_ranges.py. Integer ranges may be open (core/symbolic/range_end.h).
//
//   to_string(ValueRange::ints(2, kIntInfinity))      // "[2, int_oo]"
#pragma once

#include <cstdint>
#include <string>

#include "core/symbolic/expr.h"
#include "core/symbolic/range_end.h"

namespace faketensor {

// An end of a range of floats as an integer, towards 0: int_oo where it is beyond 63 bits.
RangeEnd integral_end(double end);

// A closed interval. Integers and booleans (false = 0, true = 1) use lower and upper, floats
// real_lower and real_upper. PyTorch keeps an integer end as it is where the other one is a float
// ([-int_oo, oo]); such a range has the type of floats and says which of its ends is an integer.
// An integer expression may have one, too (floor of an unbounded float): lower and upper of a range
// of floats are its ends as integers.
struct ValueRange {
  ExprType type = ExprType::kInt;
  RangeEnd lower = kMinusIntInfinity;
  RangeEnd upper = kIntInfinity;
  double real_lower = 0;
  double real_upper = 0;
  bool integral_lower = false;
  bool integral_upper = false;

  static ValueRange ints(RangeEnd lower, RangeEnd upper) { return {ExprType::kInt, lower, upper}; }
  static ValueRange bools(bool lower, bool upper) { return {ExprType::kBool, lower, upper}; }
  static ValueRange floats(double lower, double upper) {
    return {ExprType::kFloat, integral_end(lower), integral_end(upper), lower, upper};
  }
  static ValueRange unknown(ExprType type);

  bool is_float() const { return type == ExprType::kFloat; }
  bool is_singleton() const;
  bool contains(int64_t value) const { return lower <= value && value <= upper; }
  // Every value of this range is in `other`; both of the same type.
  bool is_subset_of(const ValueRange& other) const;
  friend bool operator==(const ValueRange& a, const ValueRange& b) {
    return a.type == b.type && a.lower == b.lower && a.upper == b.upper &&
           a.real_lower == b.real_lower && a.real_upper == b.real_upper &&
           a.integral_lower == b.integral_lower && a.integral_upper == b.integral_upper;
  }
};

// The values in both; empty ranges (lower > upper) are the caller's to refuse.
ValueRange intersect(const ValueRange& a, const ValueRange& b);

// "[2, int_oo]"
std::string to_string(const ValueRange& range);

}  // namespace faketensor
