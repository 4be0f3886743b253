// Arguments of a call, made complete and checked against the schema.
//
// Rules may then read their arguments without looking: every value has the type its schema says. As
// PyTorch's argument parser does (torch/csrc/jit/python/pybind_utils.h), missing trailing arguments
// take their defaults, a single int stands for an int[n], and a number where a tensor is expected
// becomes a wrapped 0-dimensional tensor.
#pragma once

#include <span>

#include "core/ops/context.h"
#include "core/support/small_vector.h"

namespace faketensor {

using ArgumentRoom = SmallVector<Value, 16>;

// `args` itself where nothing has to be changed, else the completed arguments in `room`. Raises
// RuntimeError with PyTorch's words for a missing, superfluous or mistyped argument.
std::span<const Value> complete_arguments(Context& context, const OpEntry& op,
                                          std::span<const Value> args, ArgumentRoom& room);

// Raises RuntimeError with PyTorch's words for an `int` argument that 64 bits do not hold.
[[noreturn]] void refuse_far_integer(const Schema& schema, size_t position, uint64_t number);

// What a fake returned, as PyTorch takes it from Python for the results that the schema declares: a
// tensor that is None stays None, a list of more than it declares loses the rest. Raises TypeError
// or RuntimeError with pybind11's words.
Value checked_result(Context& context, const OpEntry& op, const Value& result);

// The rule that answers where a tensor among `args` is not strided; null where all are, or where
// the operator's own rule takes any layout. Raises NotImplementedError where PyTorch has no kernel.
const Rule* sparse_rule(const OpEntry& op, std::span<const Value> args);

// Whether autograd records that an operator writes to its first argument.
bool is_differentiable_inplace(const OpEntry& op, std::span<const Value> args);
// Raises RuntimeError where autograd refuses an in-place operator: it writes to a leaf that
// requires grad.
void check_leaves(const OpEntry& op, std::span<const Value> args);
void check_leaf(const Tensor& written);

}  // namespace faketensor
