// Exact division of sums: the part of polynomial algebra that divisions of sizes need.
#pragma once

#include "core/symbolic/expr.h"

namespace faketensor {

// p / q multiplied out, where q divides p as a polynomial with integer coefficients in whatever
// their factors are; null where it does not, or where a sum is wider than PyTorch tries (20 terms).
const ExprNode* polynomial_quotient(const ExprNode* p, const ExprNode* q);

}  // namespace faketensor
