// How tightly an expression's outermost operation binds when it is printed
// (sympy.printing.precedence): what binds less than its surroundings gets parentheses.
#pragma once

#include "core/symbolic/expr.h"

namespace faketensor {

// sympy.printing.precedence.PRECEDENCE.
inline constexpr int kPrecedenceOr = 20;
inline constexpr int kPrecedenceAnd = 30;
// Also of FloorDiv, Mod and the true divisions, by their own `precedence`.
inline constexpr int kPrecedenceRelational = 35;
inline constexpr int kPrecedenceBitOr = 36;
inline constexpr int kPrecedenceBitXor = 37;
inline constexpr int kPrecedenceBitAnd = 38;
inline constexpr int kPrecedenceAdd = 40;
inline constexpr int kPrecedenceMul = 50;
inline constexpr int kPrecedencePow = 60;
inline constexpr int kPrecedenceFunction = 70;
inline constexpr int kPrecedenceNot = 100;
inline constexpr int kPrecedenceBelowAtom = 999;
inline constexpr int kPrecedenceAtom = 1000;

int print_precedence(const ExprNode* node);

}  // namespace faketensor
