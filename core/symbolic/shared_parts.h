// SharedParts: what a walk through an expression found out about its larger parts.
//
// What is written twice in an expression is one node, so that one of thousands of nodes as a tree
// often consists of a few dozen: a slice of a slice has the length before it in three places. A
// walk that finds the same wherever it meets a part asks here, and looks into each part once.
//
//   SharedParts<ValueRange> parts;
//   return parts.of(node, [&] { return combined(node); });   // `combined` asks about node->args()
#pragma once

#include <unordered_map>

#include "core/symbolic/expr.h"

namespace faketensor {

template <typename Result>
class SharedParts {
 public:
  template <typename Find>
  Result of(const ExprNode* node, Find find) {
    if (node->size < kLarge) return find();
    const auto known = known_.find(node);
    if (known != known_.end()) return known->second;
    Result result = find();
    known_.emplace(node, result);
    return result;
  }

 private:
  static constexpr uint32_t kLarge = 48;  // smaller parts are walked through sooner than looked up
  std::unordered_map<const ExprNode*, Result> known_;
};

}  // namespace faketensor
