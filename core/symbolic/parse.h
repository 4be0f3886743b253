// Reading expressions back from text.
//
// Two notations, and any mixture of them: what PyTorch prints ("48*s53", "((s53 - 1)//2) + 1",
// "Eq(Mod(s0, 8), 0) | (u0 <= 3)") and sympy's constructor form, which exported programs carry
// ("Mul(Integer(48), Symbol('s53', positive=True, integer=True))"). Both give the same node:
// parsing rebuilds, and so simplifies.
//
// A name is the symbol of that name in the pool. A new one is made with the assumptions written
// beside it (Symbol('s0', positive=True, ...)) or, in printed text, with those that PyTorch's
// naming implies: s12 a positive integer, u3 an unbacked integer, zf1 a float, zuf1 an unbacked
// float, anything else an integer.
//
// Text is untrusted: nesting is limited to kMaxParseDepth and errors (UnreadableError, or
// LimitExceeded) give the column.
#pragma once

#include <string_view>

#include "core/symbolic/expr.h"

namespace faketensor {

inline constexpr int kMaxParseDepth = 200;
inline constexpr size_t kMaxParseLength = size_t{1} << 20;

const ExprNode* parse_expr(ExprPool& pool, std::string_view text);

}  // namespace faketensor
