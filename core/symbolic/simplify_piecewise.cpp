// Conditions as sympy's Piecewise keeps them (_piecewise_collapse_arguments, _canonical_coeff and
// Relational.canonical of sympy).
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/symbolic/display_order.h"
#include "core/symbolic/simplify.h"

namespace faketensor {

namespace {

bool is_ordered(const ExprNode* a, const ExprNode* b) {
  const std::array args = {a, b};
  return ordered_by_size(args)[0] == a;
}

Relation reversed(const Relation& r) { return {mirrored_relation(r.kind), r.rhs, r.lhs}; }
Relation sign_reversed(const Relation& r) {
  ExprPool& pool = *r.lhs->pool;
  return {mirrored_relation(r.kind), pool.negate(r.lhs), pool.negate(r.rhs)};
}

// Relational.canonical: a number on the right, else the sides in order; no minus sign on the left.
Relation canonical(Relation r) {
  if (!r.rhs->is_number()) {
    if (r.lhs->is_number() || !is_ordered(r.lhs, r.rhs)) r = reversed(r);
  }
  if (has_minus_sign(r.lhs)) return sign_reversed(r);
  if (!r.rhs->is_number() && has_minus_sign(r.rhs) &&
      !is_ordered(r.lhs, r.lhs->pool->negate(r.rhs)))
    return sign_reversed(reversed(r));
  return r;
}

// a + b*x < c  =>  x < (c - a) / b, where that is an integer; sympy would make a fraction.
const ExprNode* solved_relation(ExprPool& pool, const Relation& r) {
  const ExprNode* lhs = r.lhs;
  const ExprNode* rhs = r.rhs;
  if (lhs->kind == ExprKind::kAdd && !lhs->number.is_float) {
    const ExprNode* constant = pool.integer(lhs->number.integer);
    lhs = pool.subtract(lhs, constant);
    rhs = pool.subtract(rhs, constant);
  }
  ExprKind kind = r.kind;
  if (lhs->kind == ExprKind::kMul && !lhs->number.is_float && !lhs->number.is_integer(1)) {
    const ExprNode* coefficient = pool.integer(lhs->number.integer);
    const ExprNode* quotient = exact_quotient(pool, rhs, coefficient);
    if (quotient == nullptr)
      return pool.intern(r.kind, ExprType::kBool, Number(), std::array{r.lhs, r.rhs});
    if (lhs->number.negative()) kind = mirrored_relation(kind);
    lhs = exact_quotient(pool, lhs, coefficient);
    rhs = quotient;
  }
  return pool.make(kind, lhs, rhs);
}

}  // namespace

const ExprNode* piecewise_condition(const ExprNode* condition) {
  ExprPool& pool = *condition->pool;
  if (is_relation(condition->kind)) {
    if (condition->arg(0)->type == ExprType::kBool || condition->arg(1)->type == ExprType::kBool)
      return condition;
    return solved_relation(pool,
                           canonical({condition->kind, condition->arg(0), condition->arg(1)}));
  }
  const bool connective = condition->kind == ExprKind::kAnd || condition->kind == ExprKind::kOr ||
                          condition->kind == ExprKind::kNot;
  if (!connective) return condition;
  std::vector<const ExprNode*> parts;
  for (const ExprNode* part : condition->args()) parts.push_back(piecewise_condition(part));
  return pool.make(condition->kind, parts);
}

}  // namespace faketensor
