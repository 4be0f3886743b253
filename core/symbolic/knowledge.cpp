#include "core/symbolic/knowledge.h"

#include <algorithm>
#include <cmath>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/arithmetic.h"
#include "core/symbolic/bounds.h"
#include "core/symbolic/solve.h"

namespace faketensor {

namespace {

uint32_t origin_in(const std::unordered_map<const ExprNode*, uint32_t>& origins,
                   const ExprNode* symbol) {
  const auto at = origins.find(symbol);
  return at == origins.end() ? 0 : at->second;
}

}  // namespace

// --- symbols and hints ---

void Knowledge::add_symbol(const ExprNode* symbol, ValueRange range) {
  ranges_[symbol] = range;
  ++epochs_.ranges;
  ++epochs_.facts;
}

void Knowledge::set_hint(const ExprNode* symbol, Number value) {
  hints_[symbol] = value;
  ++epochs_.hints;
}

std::optional<int64_t> Knowledge::hint(const ExprNode* symbol) const {
  const auto at = hints_.find(symbol);
  return at == hints_.end() ? std::nullopt : std::optional<int64_t>(at->second.integer);
}

std::optional<Number> Knowledge::value_under_hints(const ExprNode* node) const {
  if (opaque_hints_at_ != epochs_.hints) opaque_hints_.clear();
  opaque_hints_at_ = epochs_.hints;
  return evaluate(node, hints_, opaque_hints_);
}

SymbolMap Knowledge::hinted_constants(const ExprNode* node) const {
  SymbolMap constants;
  for (const ExprNode* symbol : free_symbols(node)) {
    const auto at = hints_.find(symbol);
    if (at != hints_.end()) constants[symbol] = symbol->pool->number(at->second);
  }
  return constants;
}

// --- ranges ---

ValueRange Knowledge::range(const ExprNode* symbol) const {
  const auto at = ranges_.find(symbol);
  if (at != ranges_.end()) return at->second;
  if (symbol->pool != pool_) [[unlikely]]
    throw_error(ErrorKind::kAssertionError,
                format("vr must not be None for symbol {}", to_string(symbol)));
  const SymbolInfo& info = pool_->symbol_info(symbol);
  if (info.definition != nullptr) return range_of_opaque(symbol);
  if (info.type == ExprType::kInt && info.positive) return ValueRange::ints(1, kIntInfinity);
  return ValueRange::unknown(info.type);
}

// That of its definition, which has earlier opaque symbols in it, thousands of times and thousands
// deep: each is found once, the earliest first.
ValueRange Knowledge::range_of_opaque(const ExprNode* symbol) const {
  if (opaque_ranges_at_ != epochs_.ranges) {
    opaque_ranges_.clear();
    opaque_ranges_at_ = epochs_.ranges;
  }
  const auto known = opaque_ranges_.find(symbol);
  if (known != opaque_ranges_.end()) return known->second;
  const auto is_known = [this](const ExprNode* opaque) {
    return ranges_.count(opaque) != 0 || opaque_ranges_.count(opaque) != 0;
  };
  for (const ExprNode* opaque : opaque_symbols(symbol, is_known))
    opaque_ranges_[opaque] = bound(pool_->symbol_info(opaque).definition);
  return opaque_ranges_.at(symbol);
}

ValueRange Knowledge::bound(const ExprNode* node, bool size_oblivious) const {
  return faketensor::bound(node, [this, size_oblivious](const ExprNode* symbol) {
    return size_oblivious && is_size_like(symbol) ? ValueRange::ints(2, kIntInfinity)
                                                  : range(symbol);
  });
}

uint32_t Knowledge::range_origin(const ExprNode* symbol) const {
  return origin_in(range_origins_, symbol);
}

void Knowledge::constrain(const ExprNode* symbol, ValueRange range) {
  // A size-like symbol keeps the value 2, which size-oblivious reasoning relies on.
  if (range.upper < 2 && is_size_like(symbol)) range.upper = 2;
  const ValueRange known = this->range(symbol);
  const ValueRange narrowed = intersect(known, range);
  if (narrowed.lower > narrowed.upper) {
    throw_error(ErrorKind::kValueRange,
                format("Invalid ranges [{}:{}]", narrowed.lower, narrowed.upper));
  }
  ranges_[symbol] = narrowed;
  if (narrowed == known) return;
  range_origins_[symbol] = origin_;
  ++epochs_.facts;
  ++epochs_.ranges;
}

void Knowledge::narrow(const ExprNode* symbol, ValueRange range) {
  constrain(symbol, range);
  const std::optional<int64_t> value = hint(symbol);
  if (!value || symbol->type != ExprType::kInt) return;
  const ValueRange narrowed = ranges_.at(symbol);
  if (!narrowed.contains(*value))
    throw_error(ErrorKind::kAssertionError, format("{} not in VR{}", *value, to_string(narrowed)));
}

// --- replacements ---

namespace {

// k*s + c as PyTorch's _is_supported_equivalence takes it: a number by itself is not.
bool is_affine_in_one_symbol(const ExprNode* node) {
  if (node->kind == ExprKind::kSymbol) return true;
  if (node->kind == ExprKind::kMul)
    return node->arg_count == 1 && is_affine_in_one_symbol(node->arg(0));
  if (node->kind != ExprKind::kAdd) return false;
  return node->arg_count == 1 && !node->number.is_integer(0) &&
         is_affine_in_one_symbol(node->arg(0));
}

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

const ExprNode* Knowledge::replacement(const ExprNode* symbol) const {
  const auto at = replacements_.find(symbol);
  return at == replacements_.end() ? nullptr : at->second;
}

uint32_t Knowledge::replacement_origin(const ExprNode* symbol) const {
  return origin_in(replacement_origins_, symbol);
}

// Iterative: chains are as long as the program has symbols.
const ExprNode* Knowledge::find(const ExprNode* symbol) {
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

// From symbol = k*b + c and the range of the symbol, the range of b.
void Knowledge::narrow_preimage(const ExprNode* symbol, const ExprNode* target) {
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
  narrow(b, preimage);
  const ValueRange image = bound(target);
  if (!image.is_subset_of(source)) {
    throw_error(ErrorKind::kAssertionError, format("tgt_bound=VR{} not a subset of src_bound=VR{}",
                                                   to_string(image), to_string(source)));
  }
}

void Knowledge::set_replacement(const ExprNode* symbol, const ExprNode* target) {
  const ExprNode* known = replacement(symbol);
  if (known == target || contains(target, symbol)) return;
  if (affine_only_ && !is_affine_in_one_symbol(target)) return;
  const ValueRange source = range(symbol);
  ValueRange image = bound(target);
  narrow(symbol, image);
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
  if (known == nullptr) ++epochs_.statics;
  replace(symbol, target);
  unified_.clear();
}

void Knowledge::unify(const ExprNode* symbol, const ExprNode* target) {
  replace(symbol, target);
  unified_.insert(symbol);
  ++epochs_.statics;
}

void Knowledge::replace(const ExprNode* symbol, const ExprNode* target) {
  const bool is_first = replacements_.insert_or_assign(symbol, target).second;
  if (is_first) replaced_.push_back(symbol);
  replacement_origins_.try_emplace(symbol, origin_);
  ++epochs_.replacements;
  ++epochs_.facts;
}

// --- conditions ---

void Knowledge::add_axioms(const ExprNode* condition) {
  if (condition->is_constant()) return;
  axioms_.add(condition);
  ++epochs_.facts;
}

void Knowledge::add_divisible(const ExprNode* remainder) {
  divisible_.push_back(remainder);
  ++epochs_.remainders;
  ++epochs_.statics;
  ++epochs_.facts;
}

}  // namespace faketensor
