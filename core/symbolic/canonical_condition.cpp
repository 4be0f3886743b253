#include "core/symbolic/canonical_condition.h"

#include <array>
#include <span>
#include <vector>

#include "core/symbolic/simplify.h"

namespace faketensor {

namespace {

int64_t common_factor(const ExprNode* sum) {
  uint64_t gcd = 0;
  const auto include = [&gcd](Number number) {
    if (number.is_float) {
      gcd = 1;
      return;
    }
    uint64_t a = number.integer < 0 ? -static_cast<uint64_t>(number.integer)
                                    : static_cast<uint64_t>(number.integer);
    while (a != 0) {
      const uint64_t rest = gcd % a;
      gcd = a;
      a = rest;
    }
  };
  if (sum->kind != ExprKind::kAdd) {
    include(sum->kind == ExprKind::kMul ? sum->number : Number::of(1));
  } else {
    if (!sum->number.is_integer(0)) include(sum->number);
    for (const ExprNode* term : sum->args())
      include(term->kind == ExprKind::kMul ? term->number : Number::of(1));
  }
  return gcd == 0 || gcd > static_cast<uint64_t>(INT64_MAX) ? 1 : static_cast<int64_t>(gcd);
}

Number divided(Number number, int64_t divisor) {
  return number.is_float ? number : Number::of(number.integer / divisor);
}

// More clauses than this are not multiplied out.
constexpr size_t kMaxClauses = 64;

// (a & b) | c as (a | c) & (b | c), the form sympy's to_cnf gives; null where there is no And
// inside or too many.
const ExprNode* distributed(const ExprNode* disjunction) {
  ExprPool& pool = *disjunction->pool;
  Exprs clauses = {pool.boolean(false)};
  bool any = false;
  for (const ExprNode* part : disjunction->args()) {
    const bool conjunction = part->kind == ExprKind::kAnd;
    const std::span<const ExprNode* const> terms = conjunction ? part->args() : std::span(&part, 1);
    if (clauses.size() * terms.size() > kMaxClauses) return nullptr;
    Exprs next;
    for (const ExprNode* clause : clauses) {
      for (const ExprNode* term : terms) next.push_back(pool.make(ExprKind::kOr, clause, term));
    }
    clauses = next;
    any |= conjunction;
  }
  return any ? pool.make(ExprKind::kAnd, clauses) : nullptr;
}

}  // namespace

const ExprNode* canonical_condition(const ExprNode* condition) {
  ExprPool& pool = *condition->pool;
  if (condition->kind == ExprKind::kOr) {
    if (const ExprNode* clauses = distributed(condition)) return canonical_condition(clauses);
  }
  if (condition->kind == ExprKind::kAnd || condition->kind == ExprKind::kOr) {
    Exprs parts;
    for (const ExprNode* part : condition->args()) parts.push_back(canonical_condition(part));
    return pool.make(condition->kind, parts);
  }
  if (condition->kind == ExprKind::kNot) {
    const ExprNode* inner = condition->arg(0);
    if (inner->kind != ExprKind::kAnd && inner->kind != ExprKind::kOr) return condition;
    Exprs parts;  // not (a and b) = not a or not b
    for (const ExprNode* part : inner->args())
      parts.push_back(canonical_condition(pool.logical_not(part)));
    const ExprKind opposite = inner->kind == ExprKind::kAnd ? ExprKind::kOr : ExprKind::kAnd;
    const ExprNode* result = pool.make(opposite, parts);
    return result->kind == ExprKind::kOr ? canonical_condition(result) : result;
  }
  if (!is_relation(condition->kind) || condition->arg(0)->type == ExprType::kBool) return condition;
  const bool mirrored = condition->kind == ExprKind::kGt || condition->kind == ExprKind::kGe;
  const ExprKind kind = mirrored ? mirrored_relation(condition->kind) : condition->kind;
  const ExprNode* difference = mirrored ? pool.subtract(condition->arg(0), condition->arg(1))
                                        : pool.subtract(condition->arg(1), condition->arg(0));
  // Of floats equal sides are not known to be equal (NaN), and PyTorch's "lowest terms" of an
  // integer are 1: zuf0 > zuf0 reads 0 < 1 (_reduce_to_lowest_terms).
  if (difference->kind == ExprKind::kInteger && condition->arg(0)->type == ExprType::kFloat)
    return pool.make(kind, pool.integer(0), pool.integer(1));
  const int64_t factor = common_factor(difference);
  Exprs positive;
  Exprs negative;
  const auto place = [&](Number coefficient, std::span<const ExprNode* const> factors) {
    coefficient = divided(coefficient, factor);
    const bool is_negative = coefficient.negative();
    Exprs parts(factors);
    parts.push_back(pool.number(is_negative ? coefficient * Number::of(-1) : coefficient));
    (is_negative ? negative : positive).push_back(pool.make(ExprKind::kMul, parts));
  };
  const auto place_term = [&](const ExprNode* term) {
    if (term->kind == ExprKind::kMul) {
      place(term->number, term->args());
    } else if (term->is_number()) {
      place(term->number, {});
    } else {
      place(Number::of(factor), std::span(&term, 1));
    }
  };
  if (difference->kind == ExprKind::kAdd) {
    if (!difference->number.is_integer(0)) place(difference->number, {});
    for (const ExprNode* term : difference->args()) place_term(term);
  } else {
    place_term(difference);
  }
  const std::array sides = {pool.make(ExprKind::kAdd, negative),
                            pool.make(ExprKind::kAdd, positive)};
  if (sides[0]->is_number() && sides[1]->is_number()) return pool.make(kind, sides);
  return pool.intern(kind, ExprType::kBool, Number(), sides);
}

}  // namespace faketensor
