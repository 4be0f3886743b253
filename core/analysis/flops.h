// FLOPs of a call, by the formulas of PyTorch's counter.
//
// Products of matrices, convolutions and attention have a formula; what computes elementwise counts
// as nothing, as there. Mirrors torch/utils/flop_counter.py: a multiplication and an addition are two.
//
//   flops_of(op, args, result)   // mm of [2, 3] and [3, 4]: 48
#pragma once

#include <optional>
#include <span>

#include "core/ops/registry.h"
#include "core/ops/value.h"

namespace faketensor {

// Arguments complete and in schema order, as modes below autograd are given them. None for an
// operator without a formula.
std::optional<SymInt> flops_of(const OpEntry& op, std::span<const Value> args, const Value& result);

}  // namespace faketensor
