// Where a function's values lie, given the ranges of its operands: one rule per function of an
// expression, by the kinds of core/symbolic/expr.h. core/symbolic/bounds.h applies them to a tree.
//
// Mirrors SymPyValueRangeAnalysis of torch/utils/_sympy/value_ranges.py, down to where its ranges
// are wider than they need be. `type` is the expression's: an integer expression may have operands
// whose ranges are of floats (floor of an unbounded float), which its rule takes as integers.
//
//   add_ranges(ValueRange::ints(2, 5), ValueRange::ints(1, 1))      // [3, 6]
#pragma once

#include "core/symbolic/value_range.h"

namespace faketensor {

// Ends that are no integers go towards 0; infinite ones and those beyond 63 bits become int_oo.
ValueRange as_ints(const ValueRange& range);

ValueRange add_ranges(const ValueRange& a, const ValueRange& b);
ValueRange multiply_ranges(const ValueRange& a, const ValueRange& b);
ValueRange abs_range(const ValueRange& a);
// Of integers; also of CleanDiv.
ValueRange floor_div_range(const ValueRange& a, const ValueRange& b);
ValueRange true_div_range(const ValueRange& a, const ValueRange& b);
// With the sign of the dividend, as C has it.
ValueRange mod_range(ExprType type, const ValueRange& a, const ValueRange& b);
// With the sign of the divisor.
ValueRange python_mod_range(ExprType type, const ValueRange& a, const ValueRange& b);
// The exponent is of integers, and a single one where the power is a float.
ValueRange power_range(ExprType type, const ValueRange& a, const ValueRange& exponent);
// kMax or kMin.
ValueRange extremum_range(ExprKind kind, const ValueRange& a, const ValueRange& b);
// kBitAnd, kBitOr or kBitXor of integers.
ValueRange bitwise_range(ExprKind kind, const ValueRange& a, const ValueRange& b);
// kTruncToInt, kFloorToInt, kCeilToInt or kRoundToInt.
ValueRange rounding_range(ExprKind kind, const ValueRange& a);
// kToFloat, kTruncToFloat or kSqrt.
ValueRange monotone_float(ExprKind kind, const ValueRange& a);
ValueRange round_decimal_range(const ValueRange& a, const ValueRange& digits);

// kEq, kNe, kLt, kLe, kGt or kGe.
ValueRange relation_range(ExprKind kind, const ValueRange& a, const ValueRange& b);
ValueRange and_range(const ValueRange& a, const ValueRange& b);
ValueRange or_range(const ValueRange& a, const ValueRange& b);
ValueRange not_range(const ValueRange& a);
ValueRange where_range(const ValueRange& condition, const ValueRange& a, const ValueRange& b);

}  // namespace faketensor
