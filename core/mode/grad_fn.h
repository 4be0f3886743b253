// The names of autograd nodes: what type(tensor.grad_fn).__name__ is for the result of an operator.
//
//   grad_fn_name(add_Tensor);   // "AddBackward0"
#pragma once

#include <string>

#include "core/ops/registry.h"

namespace faketensor {

// Mirrors tools/autograd/load_derivatives.py: the operator's name in camel case, "Backward", and
// which of the name's formulas in derivatives.yaml it has.
std::string grad_fn_name(const OpEntry& op);

}  // namespace faketensor
