// The functions of Python that compute with symbolic numbers in a graph.
#pragma once

#include <string_view>

#include "core/symbolic/expr.h"

namespace faketensor {

// The function for an expression of that kind, "_operator.add"; empty where torch.fx has none
// (_has_uninterpretable_sympy_function).
std::string_view python_function(ExprKind kind);

}  // namespace faketensor
