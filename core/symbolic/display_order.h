// The order in which sums, products and arguments are printed.
//
// Note [Order of printed terms]
// sympy prints the terms of a sum by descending exponents of their factors, the factors compared in
// its default_sort_key order (Expr.as_ordered_terms); the factors of a product in default_sort_key
// order; the arguments of Max and Min likewise; those of And and Or smaller first
// (sympy.core.sorting.ordered). default_sort_key compares class, then arguments, exponent,
// coefficient. Our nodes keep their arguments in order of creation, so the order is found here,
// when someone reads.
#pragma once

#include <span>
#include <vector>

#include "core/symbolic/expr.h"

namespace faketensor {

// compare_display_order(a, b) < 0, for sorting.
bool displayed_before(const ExprNode* a, const ExprNode* b);

// The terms of a sum, its number among them.
std::vector<const ExprNode*> ordered_terms(const ExprNode* sum);
// The factors of a product, its number first; any other expression by itself.
std::vector<const ExprNode*> ordered_factors(const ExprNode* product);
// Arguments by sympy.core.sorting.ordered: fewer nodes first.
std::vector<const ExprNode*> ordered_by_size(std::span<const ExprNode* const> args);

// Whether sympy would write the expression as -(...): a negative coefficient, or a sum with more
// negative terms than others (Expr.could_extract_minus_sign).
bool has_minus_sign(const ExprNode* node);

}  // namespace faketensor
