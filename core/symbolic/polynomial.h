// Exact division of sums and their common divisors: the part of polynomial algebra that divisions
// of sizes need.
#pragma once

#include <vector>

#include "core/symbolic/expr.h"

namespace faketensor {

// The terms of a sum, its number among them if it is not 0; any other expression by itself.
std::vector<const ExprNode*> terms_of(const ExprNode* sum);

// Whether a sum has more terms than PyTorch looks for common factors in
// (_MAX_ADD_TERMS_FOR_POLY_GCD, torch/utils/_sympy/functions.py). A product is never wide.
bool is_wide(const ExprNode* node);

// p / q multiplied out, where q divides p as a polynomial with integer coefficients in whatever
// their factors are; null where it does not, where one is wide, or where there are more than 128
// terms on the way.
const ExprNode* polynomial_quotient(const ExprNode* p, const ExprNode* q);

// The greatest common divisor of two polynomials with integer coefficients in whatever the factors
// of their terms are: of (x - 1)**2 and 4*x*y - 4*y, x - 1. It is 1 where one is wide, or where
// polynomials on the way have more than 128 terms. Mirrors safe_gcd,
// torch/utils/_sympy/functions.py.
const ExprNode* polynomial_gcd(const ExprNode* p, const ExprNode* q);

}  // namespace faketensor
