// One spelling per relation, as PyTorch keeps its facts: >= and > turned into <= and <, common
// factors divided out, and every term moved to the side where it is positive. "u0 >= 0" becomes
// "0 <= u0".
#pragma once

#include "core/symbolic/expr.h"

namespace faketensor {

const ExprNode* canonical_condition(const ExprNode* condition);

}  // namespace faketensor
