// Canonical forms: what a function applied to arguments becomes when it is built.
//
// The rewrites are those that sympy and torch/utils/_sympy/functions.py apply on construction
// (their `eval` methods), so that the text of an expression agrees with PyTorch's. Each stands
// beside the identity it uses. None needs a range, a hint or a guard: those are ShapeEnv's
// business.
#pragma once

#include <cstdint>
#include <span>

#include "core/support/small_vector.h"
#include "core/symbolic/expr.h"

namespace faketensor {

// Parts of an expression under construction; most are few.
using Exprs = SmallVector<const ExprNode*, 8>;

// A factor of a product, and a relation between two sides, while they are taken apart.
struct Power {
  const ExprNode* base;
  int64_t exponent;
};
struct Relation {
  ExprKind kind;
  const ExprNode* lhs;
  const ExprNode* rhs;
};

const ExprNode* simplified(ExprPool& pool, ExprKind kind, std::span<const ExprNode* const> args);
const ExprNode* simplified_pow(ExprPool& pool, const ExprNode* base, int64_t exponent);

// FloorDiv and CleanDiv; Mod and PythonMod; ModularIndexing. Raise ZeroDivisionError for a divisor
// that is the number 0.
const ExprNode* simplified_floor_div(ExprPool& pool, ExprKind kind, const ExprNode* base,
                                     const ExprNode* divisor);
const ExprNode* simplified_mod(ExprPool& pool, ExprKind kind, const ExprNode* p, const ExprNode* q);
const ExprNode* simplified_modular_indexing(ExprPool& pool, std::span<const ExprNode* const> args);

// Max and Min.
const ExprNode* simplified_extremum(ExprPool& pool, ExprKind kind,
                                    std::span<const ExprNode* const> args);

const ExprNode* simplified_relation(ExprPool& pool, ExprKind kind, const ExprNode* a,
                                    const ExprNode* b);
const ExprNode* simplified_connective(ExprPool& pool, ExprKind kind,
                                      std::span<const ExprNode* const> args);
const ExprNode* simplified_not(ExprPool& pool, const ExprNode* a);

// A condition as Piecewise keeps it: in each relation a number, or else the larger side, on the
// right, and the constant and coefficient of the left side moved there. 2*s0 + 4 < 8 becomes s0
// < 2.
const ExprNode* piecewise_condition(const ExprNode* condition);

// p / q where that is an integer by form alone: (4*s0, 2) gives 2*s0, (s0*s1, s0) gives s1. Null
// otherwise.
const ExprNode* exact_quotient(ExprPool& pool, const ExprNode* p, const ExprNode* q);

// A relation with one spelling for each meaning: 3 > x and x < 3 give the same, as do Eq(a, b) and
// Eq(b, a).
const ExprNode* canonical_relation(const ExprNode* relation);

}  // namespace faketensor
