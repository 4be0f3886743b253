// Pointwise operators: broadcast, promote, and keep the operands' memory format.
//
// PyTorch answers most of them on fake tensors by a Python reference (torch/_refs) over
// torch._prims._elementwise_meta: operands are first cast to the computation dtype, which makes
// them dense, then expanded, and the result is dense in the order that their strides agree on.
// Numbers and 0-dimensional CPU tensors take part in promotion but not in the layout.
//
//   {"aten::atan2(Tensor self, Tensor other) -> Tensor", binary({.promote =
//   Promotion::kIntToFloat}), kInplace},
#pragma once

#include <span>

#include "core/ops/call.h"
#include "core/tensor/promotion.h"

namespace faketensor {

struct PointwiseParams {
  Promotion promote = Promotion::kDefault;
  uint8_t operands = 1;  // leading arguments that are operands: tensors or numbers
};

Value pointwise(Call& call, uint64_t params);

// One, two or three operands, then arguments that do not matter to the answer (alpha,
// rounding_mode, approximate, ...).
consteval Rule unary(PointwiseParams params = {}) {
  params.operands = 1;
  return family_rule(&pointwise, params);
}
consteval Rule binary(PointwiseParams params = {}) {
  params.operands = 2;
  return family_rule(&pointwise, params);
}
consteval Rule ternary(PointwiseParams params = {}) {
  params.operands = 3;
  return family_rule(&pointwise, params);
}

// The pieces, for special rules. An operand is a tensor, a number, or None (ignored).
// The promoted dtype of the operands (torch._prims_common.elementwise_dtypes before the promotion
// kind).
DType promoted_dtype(Call& call, std::span<const Value> operands);
// The result of an elementwise operator on `operands` computed in `computation` and returned in
// `result`.
Tensor* elementwise(Call& call, std::span<const Value> operands, DType computation, DType result);
Tensor* elementwise(Call& call, std::span<const Value> operands, Promotion promote);
// torch._refs._broadcast_shapes, with its words.
DimVector broadcast_operands(Call& call, std::span<const Value> operands);

}  // namespace faketensor
