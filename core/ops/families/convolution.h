// Convolutions: what the operator and its gradients share.
#pragma once

#include "core/ops/call.h"

namespace faketensor {

// A list argument of a convolution with one value for each of `expected` spatial dimensions; a
// single value stands for all. Raises for another length, and ValueError for a negative
// `expected`, which a weight of too few dimensions gives. Mirrors expand_param_if_needed,
// aten/src/ATen/native/utils/ParamUtils.h.
DimVector expand_param(Call& call, Dims given, std::string_view name, int64_t expected);

}  // namespace faketensor
