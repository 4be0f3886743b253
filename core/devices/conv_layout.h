// The memory format a convolution's results have: which back-end would run it, and what that
// back-end writes.
//
// Mirrors _select_conv_backend and determine_backend_memory_format,
// aten/src/ATen/native/Convolution.cpp, as far as they decide the format. CPU: oneDNN and the
// native 2-d kernels write channels_last where input or weight look so. CUDA: cuDNN does the same,
// where it is compiled in and takes the call; every other kernel writes contiguous results.
#pragma once

#include "core/devices/target.h"
#include "core/tensor/dims.h"
#include "core/tensor/tensor.h"

namespace faketensor {

// A convolution's operands as 4-d or 5-d (1-d ones are viewed as 2-d), and what the choice depends
// on.
struct ConvGeometry {
  Dims input_sizes;
  Dims input_strides;
  Dims weight_sizes;
  Dims weight_strides;
  DType input_dtype = DType::kFloat32;
  DType weight_dtype = DType::kFloat32;
  Device device = {};
  bool transposed = false;
  bool strided = false;
  bool dilated = false;
  bool big_output_padding = false;  // some output padding is not below its stride
  Dims padding = {};                // as many as spatial dimensions
  SymInt groups = 1;
};

// Guards on symbolic sizes as PyTorch's choice of a back-end does; all must have hints.
MemoryFormat conv_memory_format(const Target& target, const ConvGeometry& conv);

}  // namespace faketensor
