// The value of an expression where every symbol has one: hints, what-if questions, tests.
#pragma once

#include <optional>
#include <unordered_map>

#include "core/symbolic/expr.h"

namespace faketensor {

// Symbol node to value; booleans are the integers 0 and 1.
using Assignment = std::unordered_map<const ExprNode*, Number>;

// The exact value with Python's arithmetic, booleans as 0 and 1; nothing if a symbol has no value,
// or the result does not exist (division by zero) or does not fit 64 bits. Opaque symbols evaluate
// to their definitions.
std::optional<Number> evaluate(const ExprNode* node, const Assignment& assignment);

}  // namespace faketensor
