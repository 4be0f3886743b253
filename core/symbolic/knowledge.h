// Knowledge: what is known of the symbols of a program.
//
// Of a symbol: its hint, its range, whether it is size-like, the expression that replaces it. Of
// conditions: the axioms, and the remainders that are 0. It is a value: a branch or a trial has a
// copy of its own (Note [Branches] in shape_env.h), and nothing in it remembers a question.
//
// Invariants:
//   - a range only narrows, and that of a size-like symbol keeps the value 2;
//   - replaced_symbols() are the keys of replacements(), each once, in order of first replacement;
//   - an expression never replaces a symbol that it holds;
//   - every change is counted in epochs(), in the function that makes it.
//
// Written by ShapeEnv (symbols as they are made, and what a program tells of them), by learn_from
// (what follows from a guard), and by Reasoner, which shortens chains of replacements as it follows
// them and drops remainders that became numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/symbolic/axioms.h"
#include "core/symbolic/evaluate.h"
#include "core/symbolic/expr.h"
#include "core/symbolic/value_range.h"

namespace faketensor {

// How often something changed. Whoever remembers what follows from knowledge remembers the count
// with it, and asks again once the count moved on. Counts only grow.
struct Epochs {
  // What makes PyTorch forget static answers, and makes ours stale: see Note [What is remembered of
  // static evaluation] in reasoner.cpp. Fewer changes than `facts` counts.
  uint32_t statics = 1;
  // Any change of ranges, replacements, axioms or remainders. Stale: results that depend on what
  // holds, as of SymInt's % and of the sizes that storages grew to (ops/cache_emulation.h).
  uint32_t facts = 1;
  // Stale: expressions as they read when replaced, and results of operations on them.
  uint32_t replacements = 1;
  // Stale: the remainders as they read when replaced (as of `replacements` as well).
  uint32_t remainders = 1;
  // Stale: values under the hints.
  uint32_t hints = 1;
  // Stale: ranges of opaque symbols.
  uint32_t ranges = 1;
};

class Knowledge {
 public:
  // Of symbols in `pool`. With affine_only, as an exported program has it, a symbol is replaced by
  // another one or by k*s + c: by what can be expressed as a size.
  Knowledge(const ExprPool& pool, bool affine_only) : pool_(&pool), affine_only_(affine_only) {}

  const Epochs& epochs() const { return epochs_; }

  // --- symbols ---
  void add_symbol(const ExprNode* symbol, ValueRange range);
  // Whether it was added, or learnt of.
  bool knows(const ExprNode* symbol) const { return ranges_.count(symbol) != 0; }
  // What is attributed to when it is learnt: a number of ShapeEnv's user.
  void set_origin(uint32_t origin) { origin_ = origin; }
  uint32_t origin() const { return origin_; }

  // --- hints ---
  void set_hint(const ExprNode* symbol, Number value);
  bool has_hint(const ExprNode* symbol) const { return hints_.count(symbol) != 0; }
  std::optional<int64_t> hint(const ExprNode* symbol) const;
  // An expression's value under the hints; nothing where a symbol has none.
  std::optional<Number> value_under_hints(const ExprNode* node) const;
  // The hints of those of an expression's symbols that have one.
  SymbolMap hinted_constants(const ExprNode* node) const;

  // --- ranges ---
  ValueRange range(const ExprNode* symbol) const;
  // Size-oblivious: as if every size-like symbol were at least 2.
  ValueRange bound(const ExprNode* node, bool size_oblivious = false) const;
  uint32_t range_origin(const ExprNode* symbol) const;
  bool is_size_like(const ExprNode* symbol) const { return size_like_.count(symbol) != 0; }
  void mark_size_like(const ExprNode* symbol) { size_like_.insert(symbol); }
  // Raises ValueRangeError if nothing is left, and AssertionError if the hint is not in it.
  void narrow(const ExprNode* symbol, ValueRange range);
  // The same for a user's constraint, of which produce_guards judges whether hints keep it.
  void constrain(const ExprNode* symbol, ValueRange range);

  // --- replacements ---
  const SymbolMap& replacements() const { return replacements_; }
  const ExprNode* replacement(const ExprNode* symbol) const;
  const std::vector<const ExprNode*>& replaced_symbols() const { return replaced_; }
  uint32_t replacement_origin(const ExprNode* symbol) const;
  // Replaces a symbol, and narrows its range and that of a lone symbol in `target` to each other.
  // Nothing is replaced where `target` may be what the symbol may not. Mirrors _set_replacement.
  void set_replacement(const ExprNode* symbol, const ExprNode* target);
  // What stands for a replaced symbol now, with the chain of replacements behind it shortened, as
  // in a union-find; that tells its range, too.
  const ExprNode* find(const ExprNode* symbol);
  // Replaces a symbol and nothing else: neither ranges nor other facts are carried over.
  void unify(const ExprNode* symbol, const ExprNode* target);
  // What `unify` has replaced since the last set_replacement.
  const std::unordered_set<const ExprNode*>& unified() const { return unified_; }

  // --- conditions ---
  const Axioms& axioms() const { return axioms_; }
  void add_axioms(const ExprNode* condition);
  // Expressions Mod(a, b) that are 0.
  const std::vector<const ExprNode*>& divisible() const { return divisible_; }
  void add_divisible(const ExprNode* remainder);
  // Leaves of the remainders those that are no numbers by now. Mirrors _update_divisible.
  void keep_divisible(std::vector<const ExprNode*> kept) { divisible_ = std::move(kept); }
  // For what PyTorch forgets static answers at besides changes of the above.
  void forget_static_answers() { ++epochs_.statics; }

 private:
  ValueRange range_of_opaque(const ExprNode* symbol) const;
  void narrow_preimage(const ExprNode* symbol, const ExprNode* target);
  void replace(const ExprNode* symbol, const ExprNode* target);

  const ExprPool* pool_;
  bool affine_only_;
  uint32_t origin_ = 0;
  Epochs epochs_;
  Assignment hints_;
  std::unordered_map<const ExprNode*, ValueRange> ranges_;
  std::unordered_map<const ExprNode*, uint32_t> range_origins_;
  std::unordered_set<const ExprNode*> size_like_;
  SymbolMap replacements_;
  std::vector<const ExprNode*> replaced_;
  std::unordered_map<const ExprNode*, uint32_t> replacement_origins_;
  std::unordered_set<const ExprNode*> unified_;
  Axioms axioms_;
  std::vector<const ExprNode*> divisible_;
  // Opaque symbols have what their definitions have: found once in each epoch.
  mutable Assignment opaque_hints_;
  mutable uint32_t opaque_hints_at_ = 0;
  mutable std::unordered_map<const ExprNode*, ValueRange> opaque_ranges_;
  mutable uint32_t opaque_ranges_at_ = 0;
};

}  // namespace faketensor
