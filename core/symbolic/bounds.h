// Value ranges: between which values an expression lies, given the ranges of its symbols.
//
// Mirrors torch.utils._sympy.value_ranges (SymPyValueRangeAnalysis, bound_sympy): the same rule per
// function, so the same ranges. Integer ranges may be open: int_oo and -int_oo are the two ends of
// int64_t. Where PyTorch's unbounded integers would leave 64 bits, the end becomes infinite, which
// is wider and so still true.
//
//   bound(s0 + 1, ranges) with s0 in [2, int_oo] is [3, int_oo]
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/symbolic/expr.h"

namespace faketensor {

inline constexpr int64_t kIntInfinity = INT64_MAX;
inline constexpr int64_t kMinusIntInfinity = INT64_MIN;

// A closed interval. Integers and booleans (false = 0, true = 1) use lower and upper, floats
// real_lower and real_upper.
struct ValueRange {
  ExprType type = ExprType::kInt;
  int64_t lower = kMinusIntInfinity;
  int64_t upper = kIntInfinity;
  double real_lower = 0;
  double real_upper = 0;

  static ValueRange ints(int64_t lower, int64_t upper) {
    return {ExprType::kInt, lower, upper, 0, 0};
  }
  static ValueRange bools(bool lower, bool upper) { return {ExprType::kBool, lower, upper, 0, 0}; }
  static ValueRange floats(double lower, double upper) {
    return {ExprType::kFloat, 0, 0, lower, upper};
  }
  static ValueRange unknown(ExprType type);

  bool is_singleton() const;
  bool contains(int64_t value) const { return lower <= value && value <= upper; }
  // Every value of this range is in `other`; both of the same type.
  bool is_subset_of(const ValueRange& other) const;
  friend bool operator==(const ValueRange& a, const ValueRange& b) {
    return a.type == b.type && a.lower == b.lower && a.upper == b.upper &&
           a.real_lower == b.real_lower && a.real_upper == b.real_upper;
  }
};

// The values in both; empty ranges (lower > upper) are the caller's to refuse.
ValueRange intersect(const ValueRange& a, const ValueRange& b);

// "[2, int_oo]"
std::string to_string(const ValueRange& range);

// The range of a symbol; called for each occurrence.
using SymbolRange = std::function<ValueRange(const ExprNode* symbol)>;

ValueRange bound(const ExprNode* node, const SymbolRange& symbol_range);

}  // namespace faketensor
