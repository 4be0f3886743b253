#include "core/symbolic/shape_env.h"

#include <algorithm>
#include <array>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/arithmetic.h"
#include "core/symbolic/bounds.h"
#include "core/symbolic/solve.h"

namespace faketensor {

namespace {

std::string data_dependent_text(bool integer, const std::string& expr, const std::string& unhinted,
                                const std::string& size_like) {
  const std::string_view description =
      integer ? "Could not extract specialized integer from data-dependent expression"
              : "Could not guard on data-dependent expression";
  std::string text = format("{} {} (unhinted: {}).  (Size-like symbols: {})", description, expr,
                            unhinted, size_like);
  if (!integer) {
    text +=
        "\n\nconsider using data-dependent friendly APIs such as guard_or_false, guard_or_true and "
        "statically_known_true.";
  }
  return text;
}

}  // namespace

ShapeEnv::ShapeEnv(ShapeEnvOptions options) : options_(options) {
  next_unbacked_ = options.first_unbacked;
  pool_.set_shape_env(this);
}

ShapeEnv& shape_env_of(const ExprNode* node) {
  ShapeEnv* env = node->pool->shape_env();
  if (env == nullptr)
    throw_error(ErrorKind::kUsage, "a decision about a symbolic value without a ShapeEnv");
  return *env;
}

// --- symbols ---

ValueRange ShapeEnv::range(const ExprNode* symbol) const {
  const auto at = ranges_.find(symbol);
  if (at != ranges_.end()) return at->second;
  if (symbol->pool != &pool_) [[unlikely]]
    throw_error(ErrorKind::kAssertionError,
                format("vr must not be None for symbol {}", to_string(symbol)));
  const SymbolInfo& info = pool_.symbol_info(symbol);
  if (info.definition != nullptr) return range_of_opaque(symbol);
  if (info.type == ExprType::kInt && info.positive) return ValueRange::ints(1, kIntInfinity);
  return ValueRange::unknown(info.type);
}

// That of its definition, which has earlier opaque symbols in it, thousands of times and thousands
// deep: each is found once, the earliest first.
ValueRange ShapeEnv::range_of_opaque(const ExprNode* symbol) const {
  if (opaque_ranges_at_ != ranges_version_) {
    opaque_ranges_.clear();
    opaque_ranges_at_ = ranges_version_;
  }
  const auto known = opaque_ranges_.find(symbol);
  if (known != opaque_ranges_.end()) return known->second;
  const auto is_known = [this](const ExprNode* opaque) {
    return ranges_.count(opaque) != 0 || opaque_ranges_.count(opaque) != 0;
  };
  for (const ExprNode* opaque : opaque_symbols(symbol, is_known))
    opaque_ranges_[opaque] = bound(pool_.symbol_info(opaque).definition);
  return opaque_ranges_.at(symbol);
}

std::optional<int64_t> ShapeEnv::hint_of_symbol(const ExprNode* symbol) const {
  const auto at = hints_.find(symbol);
  return at == hints_.end() ? std::nullopt : std::optional<int64_t>(at->second.integer);
}

void ShapeEnv::update_range(const ExprNode* symbol, ValueRange range, bool is_constraint) {
  // A size-like symbol keeps the value 2, which size-oblivious reasoning relies on.
  if (range.upper < 2 && is_size_like(symbol)) range.upper = 2;
  const ValueRange narrowed = intersect(this->range(symbol), range);
  if (narrowed.lower > narrowed.upper) {
    throw_error(ErrorKind::kValueRange,
                format("Invalid ranges [{}:{}]", narrowed.lower, narrowed.upper));
  }
  const bool changed = !(narrowed == this->range(symbol));
  if (changed) range_origins_[symbol] = origin_;
  ranges_[symbol] = narrowed;
  if (changed) {
    ++learnt_;
    ++ranges_version_;
  }
  const bool judged = !is_constraint;  // produce_guards judges constraints
  const std::optional<int64_t> hint = hint_of_symbol(symbol);
  if (judged && hint && symbol->type == ExprType::kInt && !narrowed.contains(*hint)) {
    throw_error(ErrorKind::kAssertionError, format("{} not in VR{}", *hint, to_string(narrowed)));
  }
}

// --- decisions ---

bool ShapeEnv::all_backed(const ExprNode* node) const { return !node->has(kHasUnbacked); }

bool ShapeEnv::is_known_at_start(const ExprNode* node) const {
  const std::vector<const ExprNode*> symbols = free_symbols(node);
  return std::all_of(symbols.begin(), symbols.end(), [this](const ExprNode* symbol) {
    return !symbol->has(kHasUnbacked) || unbacked_inputs_.count(symbol) != 0;
  });
}

bool ShapeEnv::evaluate_bool(const ExprNode* condition, std::optional<bool> fallback,
                             bool size_oblivious) {
  return evaluate_expr(condition, fallback, size_oblivious)->is_true();
}

int64_t ShapeEnv::evaluate_int(const ExprNode* expression) {
  return evaluate_expr(expression, std::nullopt, false)->number.integer;
}

double ShapeEnv::evaluate_float(const ExprNode* expression) {
  return evaluate_expr(expression, std::nullopt, false)->number.as_double();
}

// Mirrors evaluate_expr: what was decided once is not decided again, as long as the same is asked
// with the same fallback (PyTorch's lru_cache of _inner_evaluate_expr).
const ExprNode* ShapeEnv::evaluate_expr(const ExprNode* expr, std::optional<bool> fallback,
                                        bool size_oblivious) {
  expr = replace(expr);
  if (expr->is_constant()) return expr;
  const size_t asked = fallback_index(fallback);
  if (!size_oblivious && recording_) {
    if (const ExprNode* decided = memo(expr).decided[asked]) return decided;
  }
  const ExprNode* result = decide(expr, fallback, size_oblivious);
  if (!size_oblivious && recording_) memo(expr).decided[asked] = result;
  return result;
}

const ExprNode* ShapeEnv::decide(const ExprNode* expr, std::optional<bool> fallback,
                                 bool size_oblivious) {
  const ExprNode* known =
      size_oblivious ? maybe_evaluate_static(expr, false, true) : remembered_static(expr, true);
  if (known != nullptr) return known;
  if (!all_backed(expr)) {
    const ExprNode* without_unbacked = maybe_evaluate_static(expr, true);
    if (!all_backed(without_unbacked)) {
      if (fallback) return pool_.boolean(*fallback);
      throw_data_dependent(expr);
    }
    expr = without_unbacked;
    if (expr->is_constant()) return expr;
  }
  const std::optional<Number> value = hint(expr);
  if (!value) throw_data_dependent(expr);
  const bool condition = expr->type == ExprType::kBool;
  const ExprNode* result = condition ? pool_.boolean(value->integer != 0) : pool_.number(*value);
  if (!recording_) return result;
  if (frozen_) ++guards_since_frozen_;
  const ExprNode* guard = !condition          ? pool_.make(ExprKind::kEq, expr, result)
                          : result->is_true() ? expr
                                              : pool_.logical_not(expr);
  learn_from(guard);
  guards_.push_back({guard, size_oblivious, origin_});
  add_axioms(simplify(guard));
  return result;
}

bool ShapeEnv::statically_known_true(const ExprNode* condition) {
  condition = replace(condition);
  // A hint that disproves it settles the matter without any reasoning.
  if (all_backed(condition)) {
    const std::optional<Number> value = hint(condition);
    if (value && value->integer == 0) return false;
  }
  const ExprNode* known = maybe_evaluate_static(condition);
  return known != nullptr && known->is_true();
}

bool ShapeEnv::expect_true(const ExprNode* condition) {
  condition = replace(condition);
  if (condition->is_constant()) return condition->is_true();
  if (all_backed(condition) && !options_.prefer_deferred_runtime_asserts_over_guards)
    return evaluate_bool(condition);
  return guard_or_defer(condition);
}

bool ShapeEnv::guard_or_defer(const ExprNode* condition) {
  if (const ExprNode* known = maybe_evaluate_static(condition)) return known->is_true();
  const ExprNode* without_unbacked = maybe_evaluate_static(condition, true);
  if (!options_.prefer_deferred_runtime_asserts_over_guards && all_backed(without_unbacked)) {
    return evaluate_bool(without_unbacked);
  }
  if (!recording_) return true;
  learn_from(condition);
  const ExprNode* canonical = canonical_condition(condition);
  const ExprNode* youngest = nullptr;
  for (const ExprNode* symbol : free_symbols(canonical)) {
    if (pool_.symbol_info(symbol).unbacked) youngest = symbol;
  }
  runtime_asserts_.push_back({youngest, canonical, origin_});
  ++knowledge_;
  add_axioms(simplify(canonical));
  return true;
}

void ShapeEnv::throw_data_dependent(const ExprNode* expr) {
  last_undecided_ = expr;
  const ExprNode* hinted = substitute(expr, hinted_constants(expr));
  std::string size_like;
  for (const ExprNode* symbol : free_symbols(hinted)) {
    if (is_size_like(symbol)) {
      size_like += (size_like.empty() ? "" : ", ") + pool_.symbol_info(symbol).name;
    }
  }
  if (size_like.empty()) size_like = "none";
  throw_error(
      ErrorKind::kGuardOnDataDependent,
      data_dependent_text(hinted->has(kIsInteger), to_string(hinted), to_string(expr), size_like));
}

SymbolMap ShapeEnv::hinted_constants(const ExprNode* expr) {
  SymbolMap constants;
  for (const ExprNode* symbol : free_symbols(expr)) {
    const auto at = hints_.find(symbol);
    if (at != hints_.end()) constants[symbol] = pool_.number(at->second);
  }
  return constants;
}

std::optional<Number> ShapeEnv::evaluate_by_hints(const ExprNode* node) {
  if (opaque_hints_at_ != hints_version_) opaque_hints_.clear();
  opaque_hints_at_ = hints_version_;
  return evaluate(node, hints_, opaque_hints_);
}

std::optional<Number> ShapeEnv::hint_of_backed(const ExprNode* node) {
  if (node->type == ExprType::kFloat) return evaluate_by_hints(node);
  Memo& entry = memo(node);
  if (entry.hinted_at != hints_version_) {
    const std::optional<Number> value = evaluate_by_hints(node);
    if (value && value->is_float) return value;  // as ceil(inf) is
    entry.hint = value ? std::optional(value->integer) : std::nullopt;
    entry.hinted_at = hints_version_;
  }
  return entry.hint ? std::optional<Number>(Number::of(*entry.hint)) : std::nullopt;
}

std::optional<Number> ShapeEnv::hint(const ExprNode* node) {
  if (all_backed(node)) return hint_of_backed(node);
  // The hints alone may settle it: with s0 = 4, Mod(s0*u0, 4) is 0. With s0 = 0, Mod(u0, s0) has
  // none.
  try {
    const ExprNode* hinted = substitute(node, hinted_constants(node));
    return hinted->is_constant() ? std::optional<Number>(hinted->number) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

const ExprNode* ShapeEnv::python_mod(const ExprNode* a, const ExprNode* b) {
  const auto non_negative = [this](const ExprNode* x) {
    if (x->has(kNonNegative)) return true;
    const ValueRange range = bound(x);
    return range.type == ExprType::kFloat ? range.real_lower >= 0 : range.lower >= 0;
  };
  const bool plain = non_negative(a) && non_negative(b);
  return pool_.make(plain ? ExprKind::kMod : ExprKind::kPythonMod, a, b);
}

// --- replacement ---

const ExprNode* ShapeEnv::replacement(const ExprNode* symbol) const {
  const auto at = replacements_.find(symbol);
  return at == replacements_.end() ? nullptr : at->second;
}

// What stands for a symbol now, with the chain of replacements behind it shortened (as in a
// union-find), which tells its range, too. Iterative: chains are as long as the program has
// symbols.
const ExprNode* ShapeEnv::find(const ExprNode* symbol) {
  std::vector<const ExprNode*> pending = {symbol};
  std::unordered_set<const ExprNode*> final;
  while (!pending.empty()) {
    const ExprNode* next = pending.back();
    const ExprNode* target = replacements_.at(next);
    bool ready = true;
    for (const ExprNode* inner : free_symbols(target)) {
      if (replacements_.count(inner) == 0 || final.count(inner) != 0) continue;
      if (std::find(pending.begin(), pending.end(), inner) != pending.end()) continue;
      pending.push_back(inner);
      ready = false;
    }
    if (!ready) continue;
    const ExprNode* resolved = substitute(target, replacements_);
    if (resolved != target) set_replacement(next, resolved);
    final.insert(next);
    pending.pop_back();
  }
  return replacements_.at(symbol);
}

void ShapeEnv::remember(const Operation& operation) {
  constexpr size_t kMost = size_t{1} << 16;
  // Where one displaces another that still holds, over and over, there are too few places.
  const bool displaces =
      operations_[place_of(operation.asked, operation.a, operation.b)].asked >> 8 ==
      operation.asked >> 8;
  operations_displaced_ += displaces ? 1 : 0;
  if (operations_displaced_ > operations_.size() / 4 && operations_.size() < kMost) {
    operations_.assign(4 * operations_.size(), Operation());
    operations_displaced_ = 0;
  }
  operations_[place_of(operation.asked, operation.a, operation.b)] = operation;
}

void ShapeEnv::reason_from(ShapeKnowledge knowledge) {
  static_cast<ShapeKnowledge&>(*this) = std::move(knowledge);
  memos_.assign(memos_.size(), Memo());
  forget_conclusions();
  ++hints_version_;
  ++ranges_version_;
}

std::shared_ptr<ShapeEnv::Branch> ShapeEnv::make_branch() {
  if (trunk_nodes_ == SIZE_MAX) trunk_nodes_ = pool_.node_count();
  return std::make_shared<Branch>(branch_ == nullptr ? Branch{*this, *this} : *trunk_);
}

std::shared_ptr<ShapeEnv::Branch> ShapeEnv::switch_to(std::shared_ptr<Branch> branch) {
  if (branch == branch_) return branch;
  if (trunk_ == nullptr) trunk_ = std::make_unique<Branch>();
  const auto state_of = [this](const std::shared_ptr<Branch>& of) -> Branch& {
    return of == nullptr ? *trunk_ : *of;
  };
  Branch& left = state_of(branch_);
  left.knowledge = static_cast<ShapeKnowledge&&>(*this);
  left.conclusions = static_cast<ShapeConclusions&&>(*this);
  Branch& taken = state_of(branch);
  static_cast<ShapeKnowledge&>(*this) = std::move(taken.knowledge);
  static_cast<ShapeConclusions&>(*this) = std::move(taken.conclusions);
  return std::exchange(branch_, std::move(branch));
}

ShapeEnv::Memo& ShapeEnv::memo(const ExprNode* node) {
  // Nodes are numbered in each pool.
  if (node->pool != &pool_) [[unlikely]]
    throw_error(ErrorKind::kUsage, "a symbolic value of another environment");
  if (node->id >= memos_.size()) memos_.resize(std::max(pool_.node_count(), 2 * memos_.size()));
  return memos_[node->id];
}

const ExprNode* ShapeEnv::replace(const ExprNode* node) {
  if (replacements_.empty() || !node->has(kHasSymbol)) return node;
  if (memo(node).replaced_at == replaced_version_) return memo(node).replaced;
  bool any = false;
  for (const ExprNode* symbol : free_symbols(node)) {
    if (replacements_.count(symbol) == 0) continue;
    find(symbol);
    any = true;
  }
  const ExprNode* result = any ? expand(substitute(node, replacements_)) : node;
  Memo& entry = memo(node);
  entry.replaced_at = replaced_version_;
  entry.replaced = result;
  return result;
}

// --- reasoning ---

ValueRange ShapeEnv::bound(const ExprNode* node, bool size_oblivious) const {
  return faketensor::bound(node, [this, size_oblivious](const ExprNode* symbol) {
    return size_oblivious && is_size_like(symbol) ? ValueRange::ints(2, kIntInfinity)
                                                  : range(symbol);
  });
}

bool ShapeEnv::is_divisible(const ExprNode* base, const ExprNode* divisor) {
  if (divisible_.empty()) return false;
  if (divisible_at_ != replaced_version_) {
    // Mirrors ShapeEnv._update_divisible: what is a number by now is not kept.
    divisible_now_.clear();
    std::vector<const ExprNode*> kept;
    for (const ExprNode* known : divisible_) {
      const ExprNode* now = replace(known);
      if (now->is_number()) continue;
      divisible_now_.insert(now);
      kept.push_back(known);
    }
    divisible_ = std::move(kept);
    divisible_at_ = replaced_version_;
  }
  return divisible_now_.count(replace(pool_.make(ExprKind::kMod, base, divisor))) != 0;
}

const ExprNode* ShapeEnv::simplify(const ExprNode* node, bool size_oblivious) {
  node = replace(expand(node));
  SymbolMap rewrites;
  if (!size_oblivious) {
    for (const ExprNode* max : atoms(node, ExprKind::kMax)) {
      if (max->arg_count != 2) continue;
      const bool number_first = max->arg(0)->is_number();
      const ExprNode* number = max->arg(number_first ? 0 : 1);
      const ExprNode* value = max->arg(number_first ? 1 : 0);
      if (!number->is_integer(0) && !number->is_integer(1)) continue;
      const ExprNode* above = maybe_evaluate_static(pool_.make(ExprKind::kGe, value, number));
      if (above != nullptr && above->is_true()) rewrites[max] = value;  // x >= 1  =>  Max(1, x) = x
    }
  }
  for (const ExprNode* trunc :
       atoms(node, ExprKind::kTruncToInt)) {  // int(a / b) = a // b, as PyTorch has it
    const ExprNode* quotient = trunc->arg(0);
    if (quotient->kind != ExprKind::kIntTrueDiv) continue;
    const bool clean =
        pool_.make(ExprKind::kMod, quotient->arg(0), quotient->arg(1))->is_integer(0);
    rewrites[trunc] = pool_.make(clean ? ExprKind::kCleanDiv : ExprKind::kFloorDiv,
                                 quotient->arg(0), quotient->arg(1));
  }
  if (!rewrites.empty()) node = substitute(node, rewrites);
  if (divisible_.empty()) return node;
  rewrites.clear();
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

// Note [What is remembered of static evaluation]
// PyTorch remembers what _maybe_evaluate_static found until a symbol is replaced, a runtime assert
// is added, a remainder is found to be 0 (ShapeEnv._get_key) or a condition narrows a range
// (_refine_ranges). Other guards and ranges do not change it, so the same guard may be recorded
// twice: s0 != 6 is asked with a fallback and then as a check. evaluate_expr calls it with another
// spelling of the arguments than all others, which is another entry of the cache.
const ExprNode* ShapeEnv::remembered_static(const ExprNode* node, bool is_to_be_decided) {
  const size_t entry = is_to_be_decided ? 1 : 0;
  if (memo(node).known_at[entry] == knowledge_) return memo(node).known[entry];
  const ExprNode* known = evaluate_statically(node, false, false, true);
  memo(node).known_at[entry] = knowledge_;
  memo(node).known[entry] = known;
  return known;
}

const ExprNode* ShapeEnv::maybe_evaluate_static(const ExprNode* node, bool unbacked_only,
                                                bool size_oblivious, bool use_axioms) {
  if (unbacked_only || size_oblivious || !use_axioms)
    return evaluate_statically(node, unbacked_only, size_oblivious, use_axioms);
  return remembered_static(node, false);
}

// The symbol t of Note [Static evaluation by shifted symbols]: one for each place among an
// expression's symbols.
const ExprNode* ShapeEnv::shifted_symbol(size_t index, bool unbacked) {
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

// Note [Static evaluation by shifted symbols]
// A symbol s >= n is written as t + (n - 1) with a fresh t >= 1, so that signs decide by form what
// ranges alone cannot: with s >= 4, s*s - 2*s >= 0 becomes t*t + 4*t + 3 >= 0. Ranges of what is
// left decide the rest (_maybe_evaluate_static_worker).
const ExprNode* ShapeEnv::evaluate_statically(const ExprNode* node, bool unbacked_only,
                                              bool size_oblivious, bool use_axioms) {
  node = canonical_condition(simplify(node, size_oblivious));
  if (use_axioms && !axioms_.empty()) node = apply_axioms(node);
  if (!node->has(kHasSymbol)) return node;
  std::vector<const ExprNode*> symbols = free_symbols(node);
  if (symbols.size() > 1) {
    std::sort(symbols.begin(), symbols.end(), [this](const ExprNode* a, const ExprNode* b) {
      return pool_.symbol_info(a).name < pool_.symbol_info(b).name;
    });
  }
  SymbolMap shifted;
  std::unordered_map<const ExprNode*, ValueRange> shifted_ranges;
  for (size_t i = 0; i < symbols.size(); ++i) {
    const ExprNode* symbol = symbols[i];
    ValueRange range = this->range(symbol);
    if (size_oblivious && is_size_like(symbol)) {
      const RangeEnd lower = std::max(RangeEnd(2), range.lower);
      RangeEnd upper = std::min(RangeEnd(int64_t{1} << 48), range.upper);
      if (upper > lower) upper = upper - 1;
      if (lower <= upper) range = ValueRange::ints(lower, upper);
    }
    // A symbol that starts beyond 64 bits is left as it is, which concludes less.
    const std::optional<int64_t> least = range.lower.as_int64();
    const bool skip =
        symbol->type != ExprType::kInt || !least || (unbacked_only && hints_.count(symbol) != 0);
    if (skip) {
      shifted_ranges[symbol] = range;
      continue;
    }
    const ExprNode* fresh = shifted_symbol(i, symbol->has(kHasUnbacked));
    const int64_t offset = *least - 1;
    shifted[symbol] = pool_.add(fresh, pool_.integer(offset));
    shifted_ranges[fresh] = ValueRange::ints(1, range.upper - offset);
  }
  // Connectives are left as they are: sympy expands relations only.
  const ExprNode* substituted = substitute(node, shifted);
  const bool expands = is_relation(substituted->kind) || substituted->type != ExprType::kBool;
  const ExprNode* moved = canonical_condition(expands ? expand(substituted) : substituted);
  if (moved->is_constant()) return moved;
  const ValueRange bounds = faketensor::bound(moved, [&](const ExprNode* symbol) {
    const auto at = shifted_ranges.find(symbol);
    return at == shifted_ranges.end() ? this->range(symbol) : at->second;
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

}  // namespace faketensor
