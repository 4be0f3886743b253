// Tensors that are known to be zero: what torch._efficientzerotensor makes, for derivatives in
// forward mode.
//
// They have a dispatch key of their own, between autograd and the kernels. Views of them are such
// tensors too; most other operators are given a zero that is expanded to their sizes in their place
// (zeroTensorFallback, aten/src/ATen/ZeroTensorFallback.cpp).
#pragma once

#include <atomic>

#include "core/ops/arguments.h"

namespace faketensor {

inline bool is_zero_tensor(const Tensor& tensor) {
  return (tensor.meta->flags() & kZeroTensor) != 0;
}
bool has_zero_tensor(std::span<const Value> args);
// Whether this process has made one: where it has not, no call looks at its arguments for them.
inline constinit std::atomic<bool> zero_tensors_were_made{false};

// The arguments that the kernel sees: `args` itself where it takes such tensors. Raises
// RuntimeError for one that is to be written to.
std::span<const Value> without_zero_tensors(Context& context, const OpEntry& op,
                                            std::span<const Value> args, ArgumentRoom& room);
// Whether the result is zero because these arguments are.
bool gives_zero_tensor(const OpEntry& op, std::span<const Value> args);
Tensor* new_zero_tensor(Context& context, Dims sizes, DType dtype, Device device);
inline Tensor* new_zero_tensor(Context& context, const Tensor& like) {
  return new_zero_tensor(context, like.sizes(), like.dtype(), like.device());
}

}  // namespace faketensor
