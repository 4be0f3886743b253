// Primitive operators (prims::*): the small operators that PyTorch's references are made of.
//
// FakeTensorMode runs their meta functions (torch/_prims/__init__.py) with the fake tensors
// themselves. So they see devices, check by themselves that operands agree, and never promote or
// broadcast: a reference has done that before.
//
//   {"prims::add(Tensor self, Tensor other) -> Tensor", prim_elementwise()},
//   {"prims::eq(Tensor self, Tensor other) -> Tensor",
//    prim_elementwise({.result = PrimResult::kBool})},
#pragma once

#include "core/ops/call.h"

namespace faketensor {

// The dtype of an elementwise prim's result (ELEMENTWISE_PRIM_TYPE_PROMOTION_KIND).
enum class PrimResult : uint8_t { kSame, kBool, kComplexToFloat };

struct PrimParams {
  PrimResult result = PrimResult::kSame;
  uint8_t operands = 0;  // leading arguments that are operands; 0: all
  uint8_t fixed = 0;     // leading operands of another dtype: the condition of where
  bool only_complex = false;
};

Value elementwise_prim(Call& call, uint64_t params);

consteval Rule prim_elementwise(PrimParams params = {}) {
  return family_rule(&elementwise_prim, params);
}

// torch._prims_common.validate_idx: `index` counts from the front.
void check_index(const Call& call, int64_t rank, int64_t index);
// torch._prims_common.validate_shape, whose torch._check has no words of its own.
void check_shape(const Call& call, Dims sizes);
// torch._prims_common.validate_strides.
void check_strides(const Call& call, Dims strides);

// torch._prims.TensorMeta(tensor): a new tensor with the same sizes, strides, dtype and device.
Tensor* fresh_like(Call& call, const Tensor& tensor);
// TensorMeta(shape=, strides=, dtype=, device=), which is torch.empty_strided with its checks.
Tensor* fresh_strided(Call& call, Dims sizes, Dims strides, DType dtype, Device device);
// The same with contiguous strides (make_contiguous_strides_for, which checks the sizes).
Tensor* fresh_contiguous(Call& call, Dims sizes, DType dtype, Device device);

// torch._prims_common.compute_elementwise_output_strides of one tensor.
DimVector elementwise_output_strides(const Tensor& tensor);

}  // namespace faketensor
