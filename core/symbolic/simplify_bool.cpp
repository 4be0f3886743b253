// Canonical forms of relations and of their combinations.
#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>
#include <vector>

#include "core/symbolic/simplify.h"

namespace faketensor {

namespace {

using Args = std::span<const ExprNode* const>;

bool compare_holds(ExprKind kind, int sign) {
  switch (kind) {
    case ExprKind::kEq:
      return sign == 0;
    case ExprKind::kNe:
      return sign != 0;
    case ExprKind::kLt:
      return sign < 0;
    case ExprKind::kLe:
      return sign <= 0;
    case ExprKind::kGt:
      return sign > 0;
    default:
      return sign >= 0;
  }
}

// The relation `difference kind 0`, where the sign of the difference is known well enough.
std::optional<bool> decided_by_sign(ExprKind kind, const ExprNode* difference) {
  if (difference->is_number())
    return compare_holds(kind, compare(difference->number, Number::of(0)));
  switch (kind) {
    case ExprKind::kEq:
    case ExprKind::kNe:
      if (difference->has(kNonZero)) return kind == ExprKind::kNe;
      return std::nullopt;
    case ExprKind::kLt:
    case ExprKind::kGe:
      if (difference->has(kNegative)) return kind == ExprKind::kLt;
      if (difference->has(kNonNegative)) return kind == ExprKind::kGe;
      return std::nullopt;
    default:
      if (difference->has(kPositive)) return kind == ExprKind::kGt;
      if (difference->has(kNonPositive)) return kind == ExprKind::kLe;
      return std::nullopt;
  }
}

const ExprNode* canonical_form(const ExprNode* a) {
  return is_relation(a->kind) ? canonical_relation(a) : a;
}

}  // namespace

const ExprNode* simplified_relation(ExprPool& pool, ExprKind kind, const ExprNode* a,
                                    const ExprNode* b) {
  if (a->is_number() && b->is_number())
    return pool.boolean(compare_holds(kind, compare(a->number, b->number)));
  // What may be NaN is not known to be <= itself.
  const bool ordered = kind != ExprKind::kEq && kind != ExprKind::kNe;
  const bool comparable = !ordered || (a->has(kIsReal) && b->has(kIsReal));
  if (a == b && comparable) return pool.boolean(compare_holds(kind, 0));
  if (a->type != ExprType::kBool && b->type != ExprType::kBool) {
    if (!comparable) return pool.intern(kind, ExprType::kBool, Number(), std::array{a, b});
    const std::optional<bool> decided = decided_by_sign(kind, pool.subtract(a, b));
    if (decided) return pool.boolean(*decided);
  } else if (a->is_constant() && b->is_constant()) {
    return pool.boolean((kind == ExprKind::kEq) == (a->number == b->number));
  }
  const std::array args = {a, b};
  return pool.intern(kind, ExprType::kBool, Number(), args);
}

const ExprNode* simplified_not(ExprPool& pool, const ExprNode* a) {
  if (a->kind == ExprKind::kBoolean) return pool.boolean(!a->is_true());
  if (a->kind == ExprKind::kNot) return a->arg(0);
  if (is_relation(a->kind)) {  // not (a < b) = a >= b
    return pool.intern(negated_relation(a->kind), ExprType::kBool, Number(), a->args());
  }
  return pool.intern(ExprKind::kNot, ExprType::kBool, Number(), std::span(&a, 1));
}

const ExprNode* simplified_connective(ExprPool& pool, ExprKind kind, Args args) {
  const bool absorbing = kind == ExprKind::kOr;  // true absorbs in Or, false in And
  Exprs conditions;
  std::unordered_set<const ExprNode*> known;  // the canonical forms of `conditions`
  for (const ExprNode* arg : args) {
    const Args parts = arg->kind == kind ? arg->args() : Args(&arg, 1);  // (a & b) & c = a & b & c
    for (const ExprNode* part : parts) {
      if (part->kind == ExprKind::kBoolean) {
        if (part->is_true() == absorbing) return part;
        continue;
      }
      const ExprNode* canonical = canonical_form(part);
      const ExprNode* negation = canonical_form(simplified_not(pool, part));
      if (known.count(negation) != 0) return pool.boolean(absorbing);  // a | ~a
      if (known.insert(canonical).second) conditions.push_back(part);  // a & a = a
    }
  }
  if (conditions.empty()) return pool.boolean(!absorbing);
  if (conditions.size() == 1) return conditions[0];
  std::sort(conditions.begin(), conditions.end(), [](auto* a, auto* b) { return a->id < b->id; });
  return pool.intern(kind, ExprType::kBool, Number(), conditions);
}

const ExprNode* canonical_relation(const ExprNode* relation) {
  ExprPool& pool = *relation->pool;
  const bool symmetric = relation->kind == ExprKind::kEq || relation->kind == ExprKind::kNe;
  const bool swap = symmetric ? relation->arg(0)->id > relation->arg(1)->id
                              : relation->kind == ExprKind::kGt || relation->kind == ExprKind::kGe;
  if (!swap) return relation;
  const std::array args = {relation->arg(1), relation->arg(0)};
  return pool.intern(mirrored_relation(relation->kind), ExprType::kBool, Number(), args);
}

}  // namespace faketensor
