// Solving a relation for one part of it, by the few steps that PyTorch tries
// (torch/utils/_sympy/solve.py).
#pragma once

#include <optional>

#include "core/symbolic/expr.h"

namespace faketensor {

// `thing kind value`, equivalent to (or for a FloorDiv in an inequality, implied by and implying)
// the relation it was solved from.
struct Solved {
  ExprKind kind;
  const ExprNode* value;
};

// Isolates `thing` on the left: terms without it move over, integer factors are divided out where
// they divide exactly, and with floordiv_inequality a // b < c becomes a < b*c for a positive b.
// Nothing if `thing` is on both sides or cannot be isolated.
//   try_solve(Eq(2*s0 + 4, s1), s0) is nothing; try_solve(2*s0 < 12, s0) is s0 < 6
std::optional<Solved> try_solve(const ExprNode* relation, const ExprNode* thing,
                                bool floordiv_inequality = true);

bool contains(const ExprNode* node, const ExprNode* part);

}  // namespace faketensor
