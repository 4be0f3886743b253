#include "core/symbolic/reasoner.h"

#include <algorithm>
#include <string>

#include "core/support/error.h"
#include "core/symbolic/bounds.h"
#include "core/symbolic/canonical_condition.h"

namespace faketensor {

ExprMemo& Reasoner::memo(const ExprNode* node) {
  // Nodes are numbered in each pool.
  if (node->pool != &pool_) [[unlikely]]
    throw_error(ErrorKind::kUsage, "a symbolic value of another environment");
  std::vector<ExprMemo>& memos = conclusions_.memos;
  if (node->id >= memos.size()) memos.resize(std::max(pool_.node_count(), 2 * memos.size()));
  return memos[node->id];
}

// --- expressions ---

const ExprNode* Reasoner::replace(const ExprNode* node) {
  const SymbolMap& replacements = knowledge_.replacements();
  if (replacements.empty() || !node->has(kHasSymbol)) return node;
  if (memo(node).replaced_at == knowledge_.epochs().replacements) return memo(node).replaced;
  bool any = false;
  for (const ExprNode* symbol : free_symbols(node)) {
    if (replacements.count(symbol) == 0) continue;
    knowledge_.find(symbol);
    any = true;
  }
  const ExprNode* result = any ? expand(substitute(node, replacements)) : node;
  ExprMemo& entry = memo(node);
  entry.replaced_at = knowledge_.epochs().replacements;
  entry.replaced = result;
  return result;
}

const ExprNode* Reasoner::as_shown(const ExprNode* node) {
  if (knowledge_.unified().empty()) return replace(node);
  SymbolMap shown = knowledge_.replacements();
  for (const ExprNode* symbol : knowledge_.unified()) shown.erase(symbol);
  return expand(substitute(node, shown));
}

const ExprNode* Reasoner::python_mod(const ExprNode* a, const ExprNode* b) {
  const auto non_negative = [this](const ExprNode* x) {
    if (x->has(kNonNegative)) return true;
    const ValueRange range = knowledge_.bound(x);
    return range.type == ExprType::kFloat ? range.real_lower >= 0 : range.lower >= 0;
  };
  const bool plain = non_negative(a) && non_negative(b);
  return pool_.make(plain ? ExprKind::kMod : ExprKind::kPythonMod, a, b);
}

// x >= 1  =>  Max(1, x) = x
void Reasoner::resolve_extrema(const ExprNode* node, SymbolMap& rewrites) {
  for (const ExprNode* max : atoms(node, ExprKind::kMax)) {
    if (max->arg_count != 2) continue;
    const bool number_first = max->arg(0)->is_number();
    const ExprNode* number = max->arg(number_first ? 0 : 1);
    const ExprNode* value = max->arg(number_first ? 1 : 0);
    if (!number->is_integer(0) && !number->is_integer(1)) continue;
    const ExprNode* above = maybe_evaluate_static(pool_.make(ExprKind::kGe, value, number));
    if (above != nullptr && above->is_true()) rewrites[max] = value;
  }
}

namespace {

// int(a / b) = a // b, as PyTorch has it
void resolve_truncations(ExprPool& pool, const ExprNode* node, SymbolMap& rewrites) {
  for (const ExprNode* trunc : atoms(node, ExprKind::kTruncToInt)) {
    const ExprNode* quotient = trunc->arg(0);
    if (quotient->kind != ExprKind::kIntTrueDiv) continue;
    const ExprNode* a = quotient->arg(0);
    const ExprNode* b = quotient->arg(1);
    const bool clean = pool.make(ExprKind::kMod, a, b)->is_integer(0);
    rewrites[trunc] = pool.make(clean ? ExprKind::kCleanDiv : ExprKind::kFloorDiv, a, b);
  }
}

}  // namespace

const ExprNode* Reasoner::simplify(const ExprNode* node, bool size_oblivious) {
  node = replace(expand(node));
  SymbolMap rewrites;
  if (!size_oblivious) resolve_extrema(node, rewrites);
  resolve_truncations(pool_, node, rewrites);
  if (!rewrites.empty()) node = substitute(node, rewrites);
  return knowledge_.divisible().empty() ? node : resolve_divisions(node);
}

const ExprNode* Reasoner::resolve_divisions(const ExprNode* node) {
  SymbolMap rewrites;
  for (const ExprNode* division : atoms(node, ExprKind::kFloorDiv)) {
    const ExprNode* base = division->arg(0);
    const ExprNode* divisor = division->arg(1);
    const bool nested = divisor->kind == ExprKind::kFloorDiv && divisor->arg(0) == base;
    if (nested && is_divisible(base, divisor) && is_divisible(base, divisor->arg(1))) {
      rewrites[division] = divisor->arg(1);  // a // (a // b) = b where all is divisible
    }
  }
  if (!rewrites.empty()) node = expand(substitute(node, rewrites));
  rewrites.clear();
  for (const ExprNode* division : atoms(node, ExprKind::kFloorDiv)) {
    if (is_divisible(division->arg(0), division->arg(1))) {
      rewrites[division] = pool_.make(ExprKind::kCleanDiv, division->arg(0), division->arg(1));
    }
  }
  return rewrites.empty() ? node : expand(substitute(node, rewrites));
}

bool Reasoner::is_divisible(const ExprNode* base, const ExprNode* divisor) {
  if (knowledge_.divisible().empty()) return false;
  update_divisible();
  const ExprNode* remainder = replace(pool_.make(ExprKind::kMod, base, divisor));
  return conclusions_.divisible.count(remainder) != 0;
}

void Reasoner::update_divisible() {
  const Epochs& epochs = knowledge_.epochs();
  uint32_t(&at)[2] = conclusions_.divisible_at;
  if (at[0] == epochs.replacements && at[1] == epochs.remainders) return;
  conclusions_.divisible.clear();
  std::vector<const ExprNode*> kept;
  for (const ExprNode* known : knowledge_.divisible()) {
    const ExprNode* now = replace(known);
    if (now->is_number()) continue;
    conclusions_.divisible.insert(now);
    kept.push_back(known);
  }
  knowledge_.keep_divisible(std::move(kept));
  at[0] = epochs.replacements;
  at[1] = epochs.remainders;
}

// --- static answers ---

// Note [What is remembered of static evaluation]
// PyTorch remembers what _maybe_evaluate_static found until a symbol is replaced, a runtime assert
// is added, a remainder is found to be 0 (ShapeEnv._get_key) or a condition narrows a range
// (_refine_ranges). Other guards and ranges do not change it, so the same guard may be recorded
// twice: s0 != 6 is asked with a fallback and then as a check. evaluate_expr calls it with another
// spelling of the arguments than all others, which is another entry of the cache.
const ExprNode* Reasoner::remembered_static(const ExprNode* node, bool is_to_be_decided) {
  const size_t entry = is_to_be_decided ? 1 : 0;
  const uint32_t now = knowledge_.epochs().statics;
  if (memo(node).known_at[entry] == now) return memo(node).known[entry];
  const ExprNode* known = evaluate_statically(node, false, false, true);
  memo(node).known_at[entry] = knowledge_.epochs().statics;
  memo(node).known[entry] = known;
  return known;
}

const ExprNode* Reasoner::maybe_evaluate_static(const ExprNode* node, bool unbacked_only,
                                                bool size_oblivious, bool use_axioms) {
  if (unbacked_only || size_oblivious || !use_axioms)
    return evaluate_statically(node, unbacked_only, size_oblivious, use_axioms);
  return remembered_static(node, false);
}

const ExprNode* Reasoner::evaluate_to_decide(const ExprNode* node) {
  return remembered_static(node, true);
}

// The symbol t of Note [Static evaluation by shifted symbols]: one for each place among an
// expression's symbols.
const ExprNode* Reasoner::shifted_symbol(size_t index, bool unbacked) {
  std::vector<const ExprNode*>& symbols = shifted_symbols_[unbacked ? 1 : 0];
  while (symbols.size() <= index) {
    SymbolInfo info;
    info.unbacked = unbacked;
    info.name = (unbacked ? "static_unbacked_" : "static_backed_") + std::to_string(symbols.size());
    info.positive = true;
    symbols.push_back(pool_.symbol(info));
  }
  return symbols[index];
}

// Symbols to be substituted, and the ranges of those that are left.
struct Reasoner::Shifted {
  SymbolMap symbols;
  std::unordered_map<const ExprNode*, ValueRange> ranges;
};

// Note [Static evaluation by shifted symbols]
// A symbol s >= n is written as t + (n - 1) with a fresh t >= 1, so that signs decide by form what
// ranges alone cannot: with s >= 4, s*s - 2*s >= 0 becomes t*t + 4*t + 3 >= 0. Ranges of what is
// left decide the rest (_maybe_evaluate_static_worker).
Reasoner::Shifted Reasoner::shift(const ExprNode* node, bool unbacked_only, bool size_oblivious) {
  std::vector<const ExprNode*> symbols = free_symbols(node);
  if (symbols.size() > 1) {
    std::sort(symbols.begin(), symbols.end(), [this](const ExprNode* a, const ExprNode* b) {
      return pool_.symbol_info(a).name < pool_.symbol_info(b).name;
    });
  }
  Shifted shifted;
  for (size_t i = 0; i < symbols.size(); ++i) {
    const ExprNode* symbol = symbols[i];
    ValueRange range = knowledge_.range(symbol);
    if (size_oblivious && knowledge_.is_size_like(symbol)) {
      const RangeEnd lower = std::max(RangeEnd(2), range.lower);
      RangeEnd upper = std::min(RangeEnd(int64_t{1} << 48), range.upper);
      if (upper > lower) upper = upper - 1;
      if (lower <= upper) range = ValueRange::ints(lower, upper);
    }
    // A symbol that starts beyond 64 bits is left as it is, which concludes less.
    const std::optional<int64_t> least = range.lower.as_int64();
    const bool skip =
        symbol->type != ExprType::kInt || !least || (unbacked_only && knowledge_.has_hint(symbol));
    if (skip) {
      shifted.ranges[symbol] = range;
      continue;
    }
    const ExprNode* fresh = shifted_symbol(i, symbol->has(kHasUnbacked));
    const int64_t offset = *least - 1;
    shifted.symbols[symbol] = pool_.add(fresh, pool_.integer(offset));
    shifted.ranges[fresh] = ValueRange::ints(1, range.upper - offset);
  }
  return shifted;
}

const ExprNode* Reasoner::evaluate_statically(const ExprNode* node, bool unbacked_only,
                                              bool size_oblivious, bool use_axioms) {
  node = canonical_condition(simplify(node, size_oblivious));
  if (use_axioms && !knowledge_.axioms().empty()) node = knowledge_.axioms().apply(node);
  if (!node->has(kHasSymbol)) return node;
  const Shifted shifted = shift(node, unbacked_only, size_oblivious);
  // Connectives are left as they are: sympy expands relations only.
  const ExprNode* substituted = substitute(node, shifted.symbols);
  const bool expands = is_relation(substituted->kind) || substituted->type != ExprType::kBool;
  const ExprNode* moved = canonical_condition(expands ? expand(substituted) : substituted);
  if (moved->is_constant()) return moved;
  const ValueRange bounds = bound(moved, [&](const ExprNode* symbol) {
    const auto at = shifted.ranges.find(symbol);
    return at == shifted.ranges.end() ? knowledge_.range(symbol) : at->second;
  });
  if (bounds.is_singleton()) {
    switch (moved->type) {
      case ExprType::kBool:
        return pool_.boolean(bounds.lower != 0);
      case ExprType::kInt:
        if (const std::optional<int64_t> number = bounds.lower.as_int64())
          return pool_.integer(*number);
        break;  // beyond the integers of expressions
      default:
        return pool_.real(bounds.real_lower);
    }
  }
  return unbacked_only ? moved : nullptr;
}

// --- hints ---

std::optional<Number> Reasoner::hint_of_backed(const ExprNode* node) {
  if (node->type == ExprType::kFloat) return knowledge_.value_under_hints(node);
  ExprMemo& entry = memo(node);
  const uint32_t now = knowledge_.epochs().hints;
  if (entry.hinted_at != now) {
    const std::optional<Number> value = knowledge_.value_under_hints(node);
    if (value && value->is_float) return value;  // as ceil(inf) is
    entry.hint = value ? std::optional(value->integer) : std::nullopt;
    entry.hinted_at = now;
  }
  return entry.hint ? std::optional<Number>(Number::of(*entry.hint)) : std::nullopt;
}

std::optional<Number> Reasoner::hint(const ExprNode* node) {
  if (!node->has(kHasUnbacked)) return hint_of_backed(node);
  // The hints alone may settle it: with s0 = 4, Mod(s0*u0, 4) is 0. With s0 = 0, Mod(u0, s0) has
  // none.
  try {
    const ExprNode* hinted = substitute(node, knowledge_.hinted_constants(node));
    return hinted->is_constant() ? std::optional<Number>(hinted->number) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace faketensor
