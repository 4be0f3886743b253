// Arithmetic on tensors inside a rule: what the Python expressions `a * b`, `a.to(dtype)` of a
// decomposition give, without a call through the registry for each step.
//
// Each result is a new tensor laid out as elementwise operators lay theirs out
// (families/pointwise.h). The names of +, -, * and / are one function, since they answer alike on
// floating-point tensors.
//
//   Tensor* centred = arithmetic(c, input, mean);
#pragma once

#include <initializer_list>

#include "core/ops/families/pointwise.h"

namespace faketensor {

// With symbolic sizes: the result of operands of one memory format, which is in that format, also
// in dimensions of size 1. Null where the operands share no format, or are not symbolic. Mirrors
// make_fast_binary_impl, torch/_subclasses/fake_impls.py, which answers before add, sub, mul and
// div do: it looks at the operands only, neither at alpha nor for what those operators refuse.
Tensor* fast_arithmetic(Call& call, const Value& a, const Value& b,
                        Promotion promote = Promotion::kDefault);

// a + b, a - b, a * b for any operands; a / b for floating-point ones, or with kIntToFloat: the
// fast way where there is one, else as elementwise operators.
Tensor* arithmetic(Call& call, const Value& a, const Value& b,
                   Promotion promote = Promotion::kDefault);

// tensor.to(dtype): itself where it has that dtype.
Tensor* cast_to(Call& call, const Tensor& tensor, DType dtype);

}  // namespace faketensor
