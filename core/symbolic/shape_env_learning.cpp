// What ShapeEnv concludes from a guard or runtime assert: implied conditions, ranges, replacements
// and divisibility (_maybe_guard_rel, _refine_ranges, _set_replacement and get_implications of
// PyTorch's).
#include <algorithm>
#include <array>
#include <cmath>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/arithmetic.h"
#include "core/symbolic/shape_env.h"
#include "core/symbolic/solve.h"

namespace faketensor {

namespace {

// An inequality in more symbols than this teaches nothing (PyTorch's limit in _maybe_guard_rel).
constexpr size_t kMaxSymbolsToLearnFrom = 5;

bool has_kind(const ExprNode* node, ExprKind kind) {
  if (node->kind == kind) return true;
  const auto args = node->args();
  return std::any_of(args.begin(), args.end(),
                     [kind](const ExprNode* arg) { return has_kind(arg, kind); });
}

// k*s + c as PyTorch's _is_supported_equivalence takes it: a number by itself is not.
bool is_affine_in_one_symbol(const ExprNode* node) {
  if (node->kind == ExprKind::kSymbol) return true;
  if (node->kind == ExprKind::kMul)
    return node->arg_count == 1 && is_affine_in_one_symbol(node->arg(0));
  if (node->kind != ExprKind::kAdd) return false;
  return node->arg_count == 1 && !node->number.is_integer(0) &&
         is_affine_in_one_symbol(node->arg(0));
}

}  // namespace

// Note [Axioms by sides]
// A canonical relation has what is negative of the difference on its left side and what is positive
// on its right. So what follows from it about the same difference needs no canonical form of its
// own: with a < b known, a <= b and a != b are so, and b <= a is not.
void ShapeEnv::add_axiom(const ExprNode* canonical) {
  ++learnt_;
  axioms_[canonical] = true;
  const auto relation = [this](ExprKind kind, const ExprNode* a, const ExprNode* b) {
    return relation_of(kind, a, b);
  };
  if (canonical->kind == ExprKind::kLt || canonical->kind == ExprKind::kLe) {
    const ExprKind opposite = canonical->kind == ExprKind::kLt ? ExprKind::kLe : ExprKind::kLt;
    axioms_[relation(opposite, canonical->arg(1), canonical->arg(0))] = false;
  } else if (canonical->kind == ExprKind::kEq || canonical->kind == ExprKind::kNe) {
    const ExprNode* a = canonical->arg(0);
    const ExprNode* b = canonical->arg(1);
    const ExprKind opposite = negated_relation(canonical->kind);
    axioms_[relation(canonical->kind, b, a)] = true;
    axioms_[relation(opposite, a, b)] = false;
    axioms_[relation(opposite, b, a)] = false;
  } else {
    axioms_[canonical_condition(pool_.logical_not(canonical))] = false;
  }
}

const ExprNode* ShapeEnv::relation_of(ExprKind kind, const ExprNode* a, const ExprNode* b) {
  const std::array args = {a, b};
  return pool_.intern(kind, ExprType::kBool, Number(), args);
}

void ShapeEnv::add_axioms(const ExprNode* condition) {
  if (condition->is_constant()) return;
  const ExprNode* canonical = canonical_condition(condition);
  add_axiom(canonical);
  if (!is_relation(condition->kind) || !is_relation(canonical->kind)) return;
  const ExprNode* a = canonical->arg(0);
  const ExprNode* b = canonical->arg(1);
  const auto with_bound = [&](ExprKind kind, int64_t offset) {
    const ExprNode* bound = pool_.add(condition->arg(1), pool_.integer(offset));
    add_axiom(canonical_condition(relation_of(kind, condition->arg(0), bound)));
  };
  switch (condition->kind) {
    case ExprKind::kEq:  // a == b  =>  a <= b and a >= b
      add_axiom(relation_of(ExprKind::kLe, a, b));
      add_axiom(relation_of(ExprKind::kLe, b, a));
      break;
    case ExprKind::kLt:  // a < b  =>  a <= b, a != b, and for integers a <= b - 1
      add_axiom(relation_of(ExprKind::kLe, a, b));
      add_axiom(relation_of(ExprKind::kNe, a, b));
      if (a->type == ExprType::kInt && b->type == ExprType::kInt) with_bound(ExprKind::kLe, -1);
      break;
    case ExprKind::kLe:  // a <= b  =>  a < b + 1
      with_bound(ExprKind::kLt, 1);
      break;
    default:
      break;
  }
}

const ExprNode* ShapeEnv::apply_axioms(const ExprNode* condition) const {
  const auto at = axioms_.find(condition);
  if (at != axioms_.end()) return pool_.boolean(at->second);
  const bool connective = condition->kind == ExprKind::kAnd || condition->kind == ExprKind::kOr ||
                          condition->kind == ExprKind::kNot;
  if (!connective && !condition->has(kHasPiecewise)) return condition;
  std::vector<const ExprNode*> parts;
  bool changed = false;
  for (const ExprNode* part : condition->args()) {
    parts.push_back(apply_axioms(part));
    changed |= parts.back() != part;
  }
  return changed ? rebuilt(condition, parts) : condition;
}

void ShapeEnv::learn_from(const ExprNode* relation) {
  if (relation->kind == ExprKind::kAnd) {
    for (const ExprNode* part : relation->args()) learn_from(part);
    return;
  }
  if (!is_relation(relation->kind) || relation->kind == ExprKind::kNe) return;
  if (free_symbols(relation).size() > kMaxSymbolsToLearnFrom) return;
  refine_ranges(relation);
  if (relation->kind == ExprKind::kEq) learn_from_equality(relation);
}

// An unbacked symbol may always be replaced by what is known when the program starts, and a float
// by anything.
bool ShapeEnv::is_solved_trivially(const ExprNode* symbol, const ExprNode* value) const {
  if (symbol->kind != ExprKind::kSymbol) return false;
  if (symbol->type == ExprType::kFloat && !symbol->has(kHasUnbacked)) return true;
  return symbol->has(kHasUnbacked) && is_known_at_start(value);
}

void ShapeEnv::learn_from_equality(const ExprNode* relation) {
  const std::vector<const ExprNode*> mods = atoms(relation, ExprKind::kMod);
  if (!mods.empty()) {
    const std::optional<Solved> solved = try_solve(relation, mods[0], false);
    if (solved && solved->value->is_integer(0)) {
      if (std::find(divisible_.begin(), divisible_.end(), mods[0]) != divisible_.end()) return;
      divisible_.push_back(mods[0]);
      divisible_at_ = 0;
      ++knowledge_;
      ++learnt_;
    }
    return;
  }
  if (has_kind(relation, ExprKind::kFloorDiv) || has_kind(relation, ExprKind::kCleanDiv)) return;
  const ExprNode* lhs = relation->arg(0);
  const ExprNode* rhs = relation->arg(1);
  if (is_solved_trivially(lhs, rhs)) {
    set_replacement(lhs, replace(rhs));
  } else if (is_solved_trivially(rhs, lhs)) {
    set_replacement(rhs, replace(lhs));
  } else {
    // The symbol with the largest hint goes, an unbacked one or a float first; of equals the one
    // whose name sorts last. One that only exists while a view is remade goes before all others.
    const auto rank = [this](const ExprNode* symbol) {
      const std::span<const Source> sources = this->sources(symbol);
      const bool is_ephemeral =
          !sources.empty() && std::all_of(sources.begin(), sources.end(), [](const Source& source) {
            return source.is_ephemeral();
          });
      const int64_t size =
          symbol->type == ExprType::kFloat ? INT64_MAX : hint_of_symbol(symbol).value_or(INT64_MAX);
      return std::pair(is_ephemeral, size);
    };
    const std::vector<const ExprNode*> symbols = free_symbols(relation);
    if (symbols.empty()) return;
    const ExprNode* best = *std::max_element(
        symbols.begin(), symbols.end(), [&](const ExprNode* a, const ExprNode* b) {
          return rank(a) != rank(b) ? rank(a) < rank(b)
                                    : pool_.symbol_info(a).name < pool_.symbol_info(b).name;
        });
    const std::optional<Solved> solved = try_solve(relation, best, false);
    if (!solved || solved->value->type != ExprType::kInt) return;
    const ExprNode* target = replace(solved->value);
    if (!target->has(kHasUnbacked)) set_replacement(best, target);
  }
}

void ShapeEnv::refine_ranges(const ExprNode* relation) {
  relation = simplify(relation);
  if (!is_relation(relation->kind)) return;
  for (const ExprNode* symbol : free_symbols(relation)) {
    const std::optional<Solved> solved = try_solve(relation, symbol);
    if (!solved || symbol->type != ExprType::kInt || solved->value->type != ExprType::kInt)
      continue;
    const ValueRange known = range(symbol);
    const ValueRange value = bound(solved->value);
    ValueRange refined = known;
    const ExprKind kind = solved->kind;
    const bool from_below = kind == ExprKind::kEq || kind == ExprKind::kGe || kind == ExprKind::kGt;
    const bool from_above = kind == ExprKind::kEq || kind == ExprKind::kLe || kind == ExprKind::kLt;
    if (from_below && known.lower <= value.lower && value.lower != kMinusIntInfinity) {
      refined.lower = value.lower + (kind == ExprKind::kGt ? 1 : 0);
    }
    if (from_above && known.upper >= value.upper && value.upper != kIntInfinity) {
      refined.upper = value.upper - (kind == ExprKind::kLt ? 1 : 0);
    }
    if (refined == known) continue;
    update_range(symbol, refined);
    const ValueRange now = range(symbol);
    const std::optional<int64_t> number = now.is_singleton() ? now.lower.as_int64() : std::nullopt;
    if (number) set_replacement(symbol, pool_.integer(*number));
    ++knowledge_;
  }
}

namespace {

// floor(a / k). PyTorch takes the floor of a rational number as a float (FloorToInt), which is
// another where the number has no integer value and more than 53 bits.
RangeEnd quotient_down(RangeEnd a, int64_t k) {
  constexpr int64_t kExact = int64_t{1} << 53;
  const bool is_exact = (-kExact <= a && a <= kExact) || a.value() % k == 0;
  if (is_exact) return floor_divide(a, k);
  const double quotient = a.as_double() / static_cast<double>(k);
  return RangeEnd::wide(static_cast<RangeEnd::Wide>(std::floor(quotient)));
}

}  // namespace

// From symbol = k*b + c and the range of the symbol, the range of b.
void ShapeEnv::narrow_preimage(const ExprNode* symbol, const ExprNode* target) {
  const std::vector<const ExprNode*> symbols = free_symbols(target);
  if (symbols.size() != 1) return;
  const ExprNode* b = symbols[0];
  const RangeEnd constant = target->kind == ExprKind::kAdd ? target->number.integer : 0;
  const ExprNode* product = target->kind == ExprKind::kAdd ? target->arg(0) : target;
  if (target->kind == ExprKind::kAdd && target->arg_count != 1) return;
  const bool scaled =
      product->kind == ExprKind::kMul && product->arg_count == 1 && product->arg(0) == b;
  if (product != b && !scaled) return;
  const int64_t factor = scaled ? product->number.integer : 1;
  const ValueRange source = range(symbol);
  ValueRange preimage = ValueRange::unknown(ExprType::kInt);
  const RangeEnd low = factor > 0 ? source.lower : source.upper;
  const RangeEnd high = factor > 0 ? source.upper : source.lower;
  if (!low.is_infinite()) preimage.lower = -quotient_down(constant - low, factor);
  if (!high.is_infinite()) preimage.upper = quotient_down(high - constant, factor);
  update_range(b, preimage);
  const ValueRange image = bound(target);
  if (!image.is_subset_of(source)) {
    throw_error(ErrorKind::kAssertionError, format("tgt_bound=VR{} not a subset of src_bound=VR{}",
                                                   to_string(image), to_string(source)));
  }
}

void ShapeEnv::set_replacement(const ExprNode* symbol, const ExprNode* target) {
  const auto known = replacements_.find(symbol);
  if (known != replacements_.end() && known->second == target) return;
  if (contains(target, symbol)) return;
  // An exported program's sizes are symbols or k*s + c: what else replaced one could not be
  // expressed.
  if (options_.prefer_deferred_runtime_asserts_over_guards && !is_affine_in_one_symbol(target))
    return;
  const ValueRange source = range(symbol);
  ValueRange image = bound(target);
  update_range(symbol, image);
  if (!image.is_subset_of(source)) {
    narrow_preimage(symbol, target);
    image = bound(target);
  }
  if (target->kind == ExprKind::kSymbol) {
    if (is_size_like(symbol)) {
      mark_size_like(target);
    } else if (is_size_like(target)) {
      mark_size_like(symbol);
    }
  }
  if (!image.is_subset_of(source)) return;
  if (is_size_like(symbol) && !bound(target, true).is_subset_of(bound(symbol, true))) return;
  if (known == replacements_.end()) {
    replaced_.push_back(symbol);
    ++knowledge_;
  }
  replacements_[symbol] = target;
  replacement_origins_.try_emplace(symbol, origin_);
  unified_.clear();
  ++replaced_version_;
  ++learnt_;
}

}  // namespace faketensor
