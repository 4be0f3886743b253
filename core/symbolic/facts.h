// Signs and parities that follow from the form of an expression and the assumptions on its symbols.
//
// These are sympy's "old assumptions" as far as PyTorch's printed results depend on them: they
// decide Max(1, s0) = s0 and s0 + 1 > 0 when an expression is built, before any range or guard is
// known. Ranges are in bounds.h.
#pragma once

#include <cstdint>

#include "core/symbolic/expr.h"

namespace faketensor {

uint16_t symbol_facts(const SymbolInfo& info);
// The facts of a node whose arguments have theirs.
uint16_t derive_facts(const ExprNode* node);

}  // namespace faketensor
