// Axioms: conditions whose truth earlier guards and runtime asserts imply.
//
// Mirrors ShapeEnv.axioms and get_implications. Conditions are kept and looked up in their one
// spelling (canonical_condition). An axiom is never taken back.
//
//   Axioms axioms;
//   axioms.add(s0 < 8);
//   axioms.apply(s0 <= 8);   // true, and of 8 < s0 false
//
// Written by Knowledge, which counts that something was added.
#pragma once

#include <unordered_map>

#include "core/symbolic/expr.h"

namespace faketensor {

class Axioms {
 public:
  // The condition holds, and what follows from it. Must not be a constant.
  void add(const ExprNode* condition);
  bool empty() const { return truths_.empty(); }
  // A canonical condition with what is known of it or of its parts put in.
  const ExprNode* apply(const ExprNode* condition) const;

 private:
  void add_canonical(const ExprNode* canonical);

  std::unordered_map<const ExprNode*, bool> truths_;
};

}  // namespace faketensor
