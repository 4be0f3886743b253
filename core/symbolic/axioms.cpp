#include "core/symbolic/axioms.h"

#include <array>
#include <vector>

#include "core/symbolic/canonical_condition.h"

namespace faketensor {

namespace {

const ExprNode* relation_of(ExprKind kind, const ExprNode* a, const ExprNode* b) {
  const std::array args = {a, b};
  return a->pool->intern(kind, ExprType::kBool, Number(), args);
}

}  // namespace

// Note [Axioms by sides]
// A canonical relation has what is negative of the difference on its left side and what is positive
// on its right. So what follows from it about the same difference needs no canonical form of its
// own: with a < b known, a <= b and a != b are so, and b <= a is not.
void Axioms::add_canonical(const ExprNode* canonical) {
  truths_[canonical] = true;
  if (canonical->kind == ExprKind::kLt || canonical->kind == ExprKind::kLe) {
    const ExprKind opposite = canonical->kind == ExprKind::kLt ? ExprKind::kLe : ExprKind::kLt;
    truths_[relation_of(opposite, canonical->arg(1), canonical->arg(0))] = false;
  } else if (canonical->kind == ExprKind::kEq || canonical->kind == ExprKind::kNe) {
    const ExprNode* a = canonical->arg(0);
    const ExprNode* b = canonical->arg(1);
    const ExprKind opposite = negated_relation(canonical->kind);
    truths_[relation_of(canonical->kind, b, a)] = true;
    truths_[relation_of(opposite, a, b)] = false;
    truths_[relation_of(opposite, b, a)] = false;
  } else {
    truths_[canonical_condition(canonical->pool->logical_not(canonical))] = false;
  }
}

void Axioms::add(const ExprNode* condition) {
  const ExprNode* canonical = canonical_condition(condition);
  add_canonical(canonical);
  if (!is_relation(condition->kind) || !is_relation(canonical->kind)) return;
  ExprPool& pool = *condition->pool;
  const ExprNode* a = canonical->arg(0);
  const ExprNode* b = canonical->arg(1);
  const auto with_bound = [&](ExprKind kind, int64_t offset) {
    const ExprNode* bound = pool.add(condition->arg(1), pool.integer(offset));
    add_canonical(canonical_condition(relation_of(kind, condition->arg(0), bound)));
  };
  switch (condition->kind) {
    case ExprKind::kEq:  // a == b  =>  a <= b and a >= b
      add_canonical(relation_of(ExprKind::kLe, a, b));
      add_canonical(relation_of(ExprKind::kLe, b, a));
      break;
    case ExprKind::kLt:  // a < b  =>  a <= b, a != b, and for integers a <= b - 1
      add_canonical(relation_of(ExprKind::kLe, a, b));
      add_canonical(relation_of(ExprKind::kNe, a, b));
      if (a->type == ExprType::kInt && b->type == ExprType::kInt) with_bound(ExprKind::kLe, -1);
      break;
    case ExprKind::kLe:  // a <= b  =>  a < b + 1
      with_bound(ExprKind::kLt, 1);
      break;
    default:
      break;
  }
}

const ExprNode* Axioms::apply(const ExprNode* condition) const {
  const auto at = truths_.find(condition);
  if (at != truths_.end()) return condition->pool->boolean(at->second);
  const bool connective = condition->kind == ExprKind::kAnd || condition->kind == ExprKind::kOr ||
                          condition->kind == ExprKind::kNot;
  if (!connective && !condition->has(kHasPiecewise)) return condition;
  std::vector<const ExprNode*> parts;
  bool changed = false;
  for (const ExprNode* part : condition->args()) {
    parts.push_back(apply(part));
    changed |= parts.back() != part;
  }
  return changed ? rebuilt(condition, parts) : condition;
}

}  // namespace faketensor
