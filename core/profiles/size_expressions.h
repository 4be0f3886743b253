// Expressions of a profile or shape rule over the sizes of a call's arguments.
//
//   SizeExpressions(call).evaluate({"2*x0_1", "x0_0"})   // f32[3, 5] -> [10, 3]
#pragma once

#include <string>
#include <vector>

#include "core/ops/library.h"
#include "core/symbolic/expr.h"

namespace faketensor {

class SizeExpressions {
 public:
  explicit SizeExpressions(FakeCall& call);
  // Raises ValueError for an expression that names what no argument has, UnreadableInput for text
  // that is no expression.
  DimVector evaluate(const std::vector<std::string>& texts);

 private:
  SymInt evaluate(const std::string& text);

  FakeCall& call_;
  ExprPool own_;
  ExprPool* pool_;
  SymbolMap sizes_;
};

}  // namespace faketensor
