#include "core/symbolic/solve.h"

#include <algorithm>
#include <vector>

#include "core/support/error.h"
#include "core/symbolic/simplify.h"

namespace faketensor {

namespace {

constexpr int kTrials = 5;  // as in PyTorch

// a + x < b  =>  x < b - a, for the terms a without `thing`.
bool move_terms(Relation& relation, const ExprNode* thing) {
  if (relation.lhs->kind != ExprKind::kAdd) return false;
  ExprPool& pool = *relation.lhs->pool;
  const ExprNode* rest = pool.number(relation.lhs->number);
  for (const ExprNode* term : relation.lhs->args()) {
    if (!contains(term, thing)) rest = pool.add(rest, term);
  }
  if (rest->is_integer(0)) return false;
  relation = {relation.kind, pool.subtract(relation.lhs, rest), pool.subtract(relation.rhs, rest)};
  return true;
}

// k * x < b  =>  x < b / k, mirrored for a negative k; only where b / k is an integer by form.
bool divide_factors(Relation& relation, const ExprNode* thing) {
  if (relation.lhs->kind != ExprKind::kMul) return false;
  ExprPool& pool = *relation.lhs->pool;
  const bool inequality = relation.kind != ExprKind::kEq && relation.kind != ExprKind::kNe;
  const ExprNode* other = pool.number(relation.lhs->number);
  for (const ExprNode* factor : relation.lhs->args()) {
    if (!contains(factor, thing)) other = pool.mul(other, factor);
  }
  const bool negative = other->has(kNegative);
  if (other->is_integer(1)) return false;
  if (inequality && !negative && !other->has(kNonNegative)) return false;
  if (!inequality && relation.rhs->is_integer(0)) return false;
  const ExprNode* lhs = exact_quotient(pool, relation.lhs, other);
  const ExprNode* rhs = exact_quotient(pool, relation.rhs, other);
  if (lhs == nullptr || rhs == nullptr) return false;
  relation = {inequality && negative ? mirrored_relation(relation.kind) : relation.kind, lhs, rhs};
  return true;
}

// a // b == c  =>  a >= b*c and a < b*(c + 1): of use where one of the two holds anyway.
bool multiply_out_equality(Relation& relation) {
  ExprPool& pool = *relation.lhs->pool;
  const ExprNode* base = relation.lhs->arg(0);
  const ExprNode* divisor = relation.lhs->arg(1);
  const ExprNode* low = pool.mul(relation.rhs, divisor);
  const ExprNode* high = pool.mul(pool.add(relation.rhs, pool.integer(1)), divisor);
  const ExprNode* above = pool.make(ExprKind::kGe, base, low);
  const ExprNode* below = pool.make(ExprKind::kLt, base, high);
  const ExprNode* open = above->is_true() ? below : above;
  if ((!above->is_true() && !below->is_true()) || open->is_constant()) return false;
  relation = {open->kind, open->arg(0), open->arg(1)};
  return true;
}

// a // b >= c  =>  a >= b*c, and a // b < c  =>  a < b*c, for b > 0.
bool multiply_out_floor_div(Relation& relation) {
  if (relation.lhs->kind != ExprKind::kFloorDiv && relation.lhs->kind != ExprKind::kCleanDiv)
    return false;
  const ExprNode* divisor = relation.lhs->arg(1);
  if (!divisor->has(kPositive) || !relation.rhs->has(kIsInteger)) return false;
  if (relation.kind == ExprKind::kEq) return multiply_out_equality(relation);
  if (relation.kind == ExprKind::kNe) return false;
  ExprPool& pool = *relation.lhs->pool;
  const bool next = relation.kind == ExprKind::kGt ||
                    relation.kind == ExprKind::kLe;  // a // b > c  =>  a // b >= c + 1
  const ExprNode* quotient = next ? pool.add(relation.rhs, pool.integer(1)) : relation.rhs;
  const bool lower_bound = relation.kind == ExprKind::kGt || relation.kind == ExprKind::kGe;
  relation = {lower_bound ? ExprKind::kGe : ExprKind::kLt, relation.lhs->arg(0),
              pool.mul(quotient, divisor)};
  return true;
}

}  // namespace

bool contains(const ExprNode* node, const ExprNode* part) {
  if (node == part) return true;
  const auto args = node->args();
  return std::any_of(args.begin(), args.end(),
                     [part](const ExprNode* arg) { return contains(arg, part); });
}

namespace {
std::optional<Solved> solved_for(const ExprNode* relation, const ExprNode* thing,
                                 bool floordiv_inequality) {
  if (!is_relation(relation->kind)) return std::nullopt;
  const bool left = contains(relation->arg(0), thing);
  const bool right = contains(relation->arg(1), thing);
  if (left == right) return std::nullopt;
  Relation e =
      left ? Relation{relation->kind, relation->arg(0), relation->arg(1)}
           : Relation{mirrored_relation(relation->kind), relation->arg(1), relation->arg(0)};
  for (int trial = 0; trial < kTrials && e.lhs != thing; ++trial) {
    bool changed = move_terms(e, thing);
    changed |= divide_factors(e, thing);
    changed |= floordiv_inequality && multiply_out_floor_div(e);
    if (!changed) break;
  }
  if (e.lhs != thing) return std::nullopt;
  // What sympy evaluates by the assumptions on the symbols is no relation any more.
  if (thing->pool->make(e.kind, e.lhs, e.rhs)->is_constant()) return std::nullopt;
  return Solved{e.kind, e.rhs};
}
}  // namespace

std::optional<Solved> try_solve(const ExprNode* relation, const ExprNode* thing,
                                bool floordiv_inequality) {
  try {
    return solved_for(relation, thing, floordiv_inequality);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kOverflowError) throw;
    return std::nullopt;  // the solution has a number beyond 64 bits
  }
}

}  // namespace faketensor
