// What ShapeEnv concludes from a guard or runtime assert: implied conditions, ranges, replacements
// and divisibility (_maybe_guard_rel, _refine_ranges, _set_replacement and get_implications of
// PyTorch's).
#include <algorithm>
#include <array>

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

void ShapeEnv::add_axiom(const ExprNode* condition) {
  ++learnt_;
  const ExprNode* canonical = canonical_condition(condition);
  if (canonical->kind == ExprKind::kEq || canonical->kind == ExprKind::kNe) {
    const std::array swapped = {canonical->arg(1), canonical->arg(0)};
    const ExprKind opposite = negated_relation(canonical->kind);
    axioms_[canonical] = true;
    axioms_[pool_.intern(canonical->kind, ExprType::kBool, Number(), swapped)] = true;
    axioms_[pool_.intern(opposite, ExprType::kBool, Number(), canonical->args())] = false;
    axioms_[pool_.intern(opposite, ExprType::kBool, Number(), swapped)] = false;
  } else {
    axioms_[canonical] = true;
    axioms_[canonical_condition(pool_.logical_not(canonical))] = false;
  }
}

void ShapeEnv::add_axioms(const ExprNode* condition) {
  if (condition->is_constant()) return;
  add_axiom(condition);
  if (!is_relation(condition->kind)) return;
  const ExprNode* a = condition->arg(0);
  const ExprNode* b = condition->arg(1);
  const auto relation = [this](ExprKind kind, const ExprNode* left, const ExprNode* right) {
    const std::array args = {left, right};
    return pool_.intern(kind, ExprType::kBool, Number(), args);
  };
  switch (condition->kind) {
    case ExprKind::kEq:  // a == b  =>  a <= b and a >= b
      add_axiom(relation(ExprKind::kLe, a, b));
      add_axiom(relation(ExprKind::kGe, a, b));
      break;
    case ExprKind::kLt:  // a < b  =>  a <= b, a != b, and for integers a <= b - 1
      add_axiom(relation(ExprKind::kLe, a, b));
      add_axiom(relation(ExprKind::kNe, a, b));
      if (a->type == ExprType::kInt && b->type == ExprType::kInt) {
        add_axiom(relation(ExprKind::kLe, a, pool_.subtract(b, pool_.integer(1))));
      }
      break;
    case ExprKind::kLe:  // a <= b  =>  a < b + 1
      add_axiom(relation(ExprKind::kLt, a, pool_.add(b, pool_.integer(1))));
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
    if (now.is_singleton()) set_replacement(symbol, pool_.integer(now.lower));
    ++knowledge_;
  }
}

// From symbol = k*b + c and the range of the symbol, the range of b.
void ShapeEnv::narrow_preimage(const ExprNode* symbol, const ExprNode* target) {
  const std::vector<const ExprNode*> symbols = free_symbols(target);
  if (symbols.size() != 1) return;
  const ExprNode* b = symbols[0];
  const int64_t constant = target->kind == ExprKind::kAdd ? target->number.integer : 0;
  const ExprNode* product = target->kind == ExprKind::kAdd ? target->arg(0) : target;
  if (target->kind == ExprKind::kAdd && target->arg_count != 1) return;
  const bool scaled =
      product->kind == ExprKind::kMul && product->arg_count == 1 && product->arg(0) == b;
  if (product != b && !scaled) return;
  const int64_t factor = scaled ? product->number.integer : 1;
  const ValueRange source = range(symbol);
  const auto solve_up = [&](int64_t end) {  // ceil((end - c) / k)
    return -floor_divide(-checked_subtract(end, constant), factor);
  };
  const auto solve_down = [&](int64_t end) {
    return floor_divide(checked_subtract(end, constant), factor);
  };
  ValueRange preimage = ValueRange::unknown(ExprType::kInt);
  const int64_t low = factor > 0 ? source.lower : source.upper;
  const int64_t high = factor > 0 ? source.upper : source.lower;
  if (low != kMinusIntInfinity && low != kIntInfinity) preimage.lower = solve_up(low);
  if (high != kMinusIntInfinity && high != kIntInfinity) preimage.upper = solve_down(high);
  update_range(b, preimage);
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
