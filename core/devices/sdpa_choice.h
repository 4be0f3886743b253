// Which kernel scaled_dot_product_attention runs.
//
// PyTorch picks one of several kernels by device, shapes, strides and dtype; they lay out their
// results differently, so a fake tensor's strides depend on the choice. On the CPU it is the flash
// kernel or the composition of matrix products ("math"). On CUDA it also depends on the GPU; where
// none is present the answer is "math".
//
//   const SdpaKernel kernel = choose_sdpa({.query = q, .key = k, .value = v}, call.target());
#pragma once

#include <cstdint>

#include "core/devices/target.h"
#include "core/tensor/tensor.h"

namespace faketensor {

enum class SdpaKernel : uint8_t { kMath, kFlash, kEfficient };

// The arguments that the choice looks at. All tensors have at least two dimensions.
struct SdpaArguments {
  const Tensor& query;
  const Tensor& key;
  const Tensor& value;
  const Tensor* mask = nullptr;
  double dropout = 0;
  bool is_causal = false;
  bool enable_gqa = false;
};

// Mirrors _fused_sdp_choice_cpp (aten/src/ATen/native/transformers/sdp_utils_cpp.cpp) and
// select_sdp_backend (aten/src/ATen/native/transformers/cuda/sdp_utils.cpp), which guard on the
// sizes they compare. Nested tensors are not known here.
SdpaKernel choose_sdpa(const SdpaArguments& arguments, const Target& target);

}  // namespace faketensor
