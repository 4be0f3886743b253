// What autograd refuses when a tensor among the arguments requires grad and grad mode is on.
//
// Mirrors the checks that tools/autograd/gen_variable_type.py writes into the autograd kernel of
// each operator that has a derivative formula: an argument without a formula may not require grad,
// and results may not be complex (where the formula holds for real numbers alone) nor of an integer
// type. What they need to know of an operator stands in its row (kRealDerivative and its
// neighbours, Derivative, op_def.h).
//
//   check_differentiable(op, args);                 // before the rule runs
//   check_differentiable_results(op, args, result); // after
#pragma once

#include <span>

#include "core/ops/context.h"

namespace faketensor {

// Raises RuntimeError: "The function 'nll_loss_backward' is not differentiable with respect to
// argument 'weight'. This input cannot have requires_grad True."
void check_differentiable(const OpEntry& op, std::span<const Value> args);

// Raises RuntimeError: "elu_backward does not support automatic differentiation for outputs with
// complex dtype." or "Autograd not support dtype: Int".
void check_differentiable_results(const OpEntry& op, std::span<const Value> args,
                                  const Value& result);

// Whether autograd records what is done with the tensor.
inline bool needs_grad(const Context& context, const Tensor& tensor) {
  return context.grad_enabled && tensor.meta->has(kRequiresGrad);
}

// The check of an out= overload (OutGrad, out_def.h). Raises RuntimeError: "add(): functions with
// out=... arguments don't support automatic differentiation, but one of the arguments requires
// grad."
void check_out_grad(const OpEntry& op, std::span<const Value> args);

// Marks the floating and complex results of a recorded call as requiring grad, where an argument
// does and the operator's results are differentiable.
void record_history(Context& context, const OpEntry& op, std::span<const Value> args,
                    const Value& result);

// Marks the floating and complex tensors in `result` where an argument requires grad: autograd's
// answer for an operator that it knows nothing of (a custom operator).
void record_unknown(Context& context, std::span<const Value> args, const Value& result);

}  // namespace faketensor
