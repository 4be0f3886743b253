// Conclusions: what was worked out from a Knowledge and is remembered.
//
// A value, as the Knowledge that it belongs to; the two are copied together. Each entry has the
// epoch (Epochs in knowledge.h) that it holds for, so nothing is cleared when something is learnt.
// It is more than a cache: PyTorch remembers static answers beyond what is learnt meanwhile, and so
// do we (Note [What is remembered of static evaluation] in reasoner.cpp).
//
// Written by Reasoner; the operations by sym_int.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "core/symbolic/expr.h"
#include "core/symbolic/knowledge.h"
#include "core/symbolic/operation_cache.h"

namespace faketensor {

// What was found out about an expression.
struct ExprMemo {
  uint32_t replaced_at = 0;   // Epochs::replacements
  uint32_t known_at[2] = {};  // Epochs::statics: when it was asked about, when it was decided on
  const ExprNode* known[2] = {};
  const ExprNode* replaced = nullptr;
  const ExprNode* decided[3] = {};  // by fallback_index; for good
  uint32_t hinted_at = 0;           // Epochs::hints
  std::optional<int64_t> hint;      // of integers and conditions
};

// Of the ways to decide: without a fallback, with false, with true.
constexpr size_t fallback_index(std::optional<bool> fallback) {
  return fallback ? 1 + static_cast<size_t>(*fallback) : 0;
}

struct Conclusions {
  std::vector<ExprMemo> memos;  // by number of the node in the pool, as far as was needed
  OperationCache operations;
  // Knowledge::divisible with symbols replaced.
  std::unordered_set<const ExprNode*> divisible;
  uint32_t divisible_at[2] = {};  // Epochs::replacements and Epochs::remainders

  // How a condition was decided before; null where it would be decided anew.
  const ExprNode* decided(const ExprNode* condition, std::optional<bool> fallback,
                          const Knowledge& knowledge) const {
    if (condition->id >= memos.size()) return nullptr;
    const ExprMemo* memo = &memos[condition->id];
    if (!knowledge.replacements().empty()) {
      if (memo->replaced_at != knowledge.epochs().replacements) return nullptr;
      if (memo->replaced->id >= memos.size()) return nullptr;
      memo = &memos[memo->replaced->id];
    }
    return memo->decided[fallback_index(fallback)];
  }
  // The value under the hints as it was found before; null where it was not.
  const std::optional<int64_t>* hint(const ExprNode* node, const Knowledge& knowledge) const {
    if (node->id >= memos.size() || memos[node->id].hinted_at != knowledge.epochs().hints)
      return nullptr;
    return &memos[node->id].hint;
  }
};

}  // namespace faketensor
