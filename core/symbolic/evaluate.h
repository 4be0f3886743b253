// The value of an expression where every symbol has one: hints, what-if questions, tests.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/symbolic/expr.h"

namespace faketensor {

// Symbol node to value; booleans are the integers 0 and 1.
using Assignment = std::unordered_map<const ExprNode*, Number>;

// The exact value with Python's arithmetic, booleans as 0 and 1; nothing if a symbol has no value,
// or the result does not exist (division by zero) or does not fit 64 bits. Opaque symbols evaluate
// to their definitions.
std::optional<Number> evaluate(const ExprNode* node, const Assignment& assignment);
// The same where the opaque symbols in `opaque` are known already; those that were needed are
// added.
std::optional<Number> evaluate(const ExprNode* node, const Assignment& assignment,
                               Assignment& opaque);

// The opaque symbols that a node needs, definitions of definitions included, in order of creation:
// each needs only those before it. What `is_known` need not be looked into.
std::vector<const ExprNode*> opaque_symbols(const ExprNode* node,
                                            const std::function<bool(const ExprNode*)>& is_known);

}  // namespace faketensor
