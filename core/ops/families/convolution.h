// Convolutions: what the operator and its gradients share.
#pragma once

#include "core/ops/call.h"

namespace faketensor {

// The lists of a convolution: one value for each spatial dimension.
struct ConvLists {
  Dims stride, padding, dilation, output_padding;
};

// The lists of a call with one value for each spatial dimension of `weight`; a single value stands
// for all (its copies live as long as the context). Raises for another length, and ValueError for a
// weight of too few dimensions. Mirrors expand_param_if_needed,
// aten/src/ATen/native/utils/ParamUtils.h.
ConvLists expand_lists(Call& call, const Tensor& weight, const ConvLists& given);

}  // namespace faketensor
