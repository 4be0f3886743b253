// The order in which sympy holds the operands of sums and products.
//
// Note [Order of operands]
// Sums and products of integers do not care in which order they are reduced; those of floats do, in
// the last digit, and where infinite ends of ranges meet. sympy holds operands sorted by
// Basic.compare (class, number of parts, the parts in turn), a number first, and PyTorch reduces
// them in that order. Our nodes hold them in order of creation and print them in another (Note
// [Order of printed terms]), so this one is found where floats are reduced.
#pragma once

#include <vector>

#include "core/symbolic/expr.h"

namespace faketensor {

// The operands of a sum or a product without its number, as sympy holds them: of
// ToFloat(s0)*IntTrueDiv(s1, 4): IntTrueDiv(s1, 4), ToFloat(s0). Quadratic in the number of nodes.
std::vector<const ExprNode*> canonical_operands(const ExprNode* node);

}  // namespace faketensor
