// Between which values an expression lies, given the ranges of its symbols: mirrors bound_sympy of
// torch/utils/_sympy/value_ranges.py, one rule per function (core/symbolic/range_rules.h).
//
//   bound(s0 + 1, ranges) with s0 in [2, int_oo] is [3, int_oo]
#pragma once

#include <functional>

#include "core/symbolic/expr.h"
#include "core/symbolic/value_range.h"

namespace faketensor {

// The range of a symbol; called for each occurrence.
using SymbolRange = std::function<ValueRange(const ExprNode* symbol)>;

ValueRange bound(const ExprNode* node, const SymbolRange& symbol_range);

}  // namespace faketensor
