// Derivative formulas: how the gradients of an operator's arguments follow from those of its results.
//
// One row per operator that autograd has a node for, in a small language: what PyTorch declares in
// tools/autograd/derivatives.yaml, as far as memory goes. A row names the arguments that have a
// gradient, each with an expression of operators; what the node keeps of the forward call follows
// from the names that stand in them, as PyTorch's code generator finds it:
//
//   {"mul.Tensor", "self: grad * other; other: grad * self"}
//
// Note [The language of formulas]
//   - `NAME: EXPRESSION` gives the gradient of an argument, `A, B: EXPRESSION` those of several from
//     one call that returns as many. Formulas are separated by ';' and are evaluated in that order.
//   - `grad` is the gradient of the first result, `grads` the list of all (None where there is
//     none), `grad1` that of the second, `result` and `result1` the results, `needed` a list of booleans:
//     which of the statement's arguments need a gradient. Other names are arguments.
//   - `op.overload(a, b)` calls an operator with arguments in schema order; `a * b` and its
//     neighbours call mul.Tensor, div.Tensor, add.Tensor and sub.Tensor, or compute with numbers.
//     `none`, `true`, `false`, numbers and `[a, b]` are literals.
//   - `sizes(x)`, `dim(x)` and other functions of metadata (core/analysis/formula_functions.cpp) keep
//     nothing of their argument.
//   - An in-place overload has its functional one's row unless it has its own. One whose formula
//     reads `self` keeps a clone of it.
//   - An empty row says that the results have no history.
// What a formula computes may differ from PyTorch's by operators that bring no memory (a conjugation,
// a real part), never by what it keeps.
#pragma once

#include <span>
#include <string_view>

#include "core/ops/registry.h"

namespace faketensor {

struct DerivativeFormula {
  std::string_view op;  // "mul.Tensor", without its namespace
  std::string_view text;
};

// The row of an operator; null where there is none.
const DerivativeFormula* derivative_formula(const OpEntry& op);
std::span<const DerivativeFormula> derivative_formulas();

}  // namespace faketensor
