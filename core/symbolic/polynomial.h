// Exact division of sums and their common divisors: the part of polynomial algebra that divisions
// of sizes need.
#pragma once

#include <vector>

#include "core/symbolic/expr.h"

namespace faketensor {

// The terms of a sum, its number among them if it is not 0; any other expression by itself.
std::vector<const ExprNode*> terms_of(const ExprNode* sum);

// p / q multiplied out, where q divides p as a polynomial with integer coefficients in whatever
// their factors are; null where it does not, or where a sum is wider than PyTorch tries (20 terms).
const ExprNode* polynomial_quotient(const ExprNode* p, const ExprNode* q);

// The greatest common divisor of two polynomials with integer coefficients in whatever the factors
// of their terms are: of (x - 1)**2 and 4*x*y - 4*y, x - 1. It is 1 where a sum is wider than
// PyTorch tries (20 terms), or where polynomials on the way have more than 128 terms. Mirrors
// safe_gcd, torch/utils/_sympy/functions.py.
const ExprNode* polynomial_gcd(const ExprNode* p, const ExprNode* q);

}  // namespace faketensor
