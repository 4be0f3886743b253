// Reasoner: what follows from a Knowledge, without guards.
//
// It replaces symbols, simplifies by ranges and known divisibility, tells the constant that an
// expression must be, and evaluates under the hints. Asking teaches nothing about a program:
// Knowledge is written only to shorten chains of replacements (which narrows ranges, as PyTorch's
// does) and to drop remainders that became numbers. What was found is remembered in Conclusions.
//
// One for each ShapeEnv: it goes by what stands in the two references, which the environment
// exchanges for another branch's (Note [Branches] in shape_env.h).
//
//   reasoner.maybe_evaluate_static(s0 * 2 >= 4)   // true with s0 in [2, int_oo]
#pragma once

#include <optional>
#include <vector>

#include "core/symbolic/conclusions.h"
#include "core/symbolic/expr.h"
#include "core/symbolic/knowledge.h"

namespace faketensor {

class Reasoner {
 public:
  Reasoner(ExprPool& pool, Knowledge& knowledge, Conclusions& conclusions)
      : pool_(pool), knowledge_(knowledge), conclusions_(conclusions) {}

  // --- expressions ---
  // Replaced symbols replaced, and products multiplied out where there were any.
  const ExprNode* replace(const ExprNode* node);
  // The same without what Knowledge::unify replaced since another replacement was found.
  const ExprNode* as_shown(const ExprNode* node);
  // Replaced, multiplied out, Max and FloorDiv resolved by ranges and known divisibility.
  const ExprNode* simplify(const ExprNode* node, bool size_oblivious = false);
  // Python's a % b: Mod where both are non-negative by form or by range, PythonMod otherwise.
  const ExprNode* python_mod(const ExprNode* a, const ExprNode* b);

  // --- static answers ---
  // See ShapeEnv::maybe_evaluate_static.
  const ExprNode* maybe_evaluate_static(const ExprNode* node, bool unbacked_only = false,
                                        bool size_oblivious = false, bool use_axioms = true);
  // The same of what is to be decided, which PyTorch remembers apart.
  const ExprNode* evaluate_to_decide(const ExprNode* node);

  // --- hints ---
  // The value under the hints; nothing if it still depends on an unbacked symbol then.
  std::optional<Number> hint(const ExprNode* node);

  // --- decisions, which ShapeEnv makes ---
  // Of a replaced condition; null where there was none.
  const ExprNode* decided(const ExprNode* replaced, std::optional<bool> fallback) {
    return memo(replaced).decided[fallback_index(fallback)];
  }
  void remember_decision(const ExprNode* replaced, std::optional<bool> fallback,
                         const ExprNode* result) {
    memo(replaced).decided[fallback_index(fallback)] = result;
  }

 private:
  struct Shifted;

  // Holds until the next call.
  ExprMemo& memo(const ExprNode* node);
  const ExprNode* remembered_static(const ExprNode* node, bool is_to_be_decided);
  const ExprNode* evaluate_statically(const ExprNode* node, bool unbacked_only, bool size_oblivious,
                                      bool use_axioms);
  Shifted shift(const ExprNode* node, bool unbacked_only, bool size_oblivious);
  const ExprNode* shifted_symbol(size_t index, bool unbacked);
  void resolve_extrema(const ExprNode* node, SymbolMap& rewrites);
  const ExprNode* resolve_divisions(const ExprNode* node);
  void update_divisible();
  bool is_divisible(const ExprNode* base, const ExprNode* divisor);
  std::optional<Number> hint_of_backed(const ExprNode* node);

  ExprPool& pool_;
  Knowledge& knowledge_;
  Conclusions& conclusions_;
  std::vector<const ExprNode*> shifted_symbols_[2];  // backed, unbacked
};

}  // namespace faketensor
