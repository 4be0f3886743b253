#include "core/ops/families/unallocated.h"

namespace faketensor {

void fail_unallocated(const Call& call) {
  call.fail(ErrorKind::kRuntimeError,
            "The tensor has a non-zero number of elements, but its data is not allocated yet.\n"
            "If you're using torch.compile/export/fx, it is likely that we are erroneously tracing "
            "into a custom kernel. To fix this, please wrap the custom kernel into an opaque "
            "custom op. Please see the following for details: "
            "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html\n"
            "If you're using Caffe2, Caffe2 uses a lazy allocation, so you will need to call "
            "mutable_data() or raw_mutable_data() to actually allocate memory.");
}

std::string class_text(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  const DeviceType device = tensor.device().type;
  const bool had_class = (is_integral(dtype) && dtype < DType::kQInt8) ||
                         dtype == DType::kFloat16 || dtype == DType::kFloat32 ||
                         dtype == DType::kFloat64;
  const std::string_view type = info(dtype).cpp_name;
  if (had_class && device == DeviceType::kCPU) return format("torch.{}Tensor", type);
  if (had_class && device == DeviceType::kCUDA) return format("torch.cuda.{}Tensor", type);
  const std::string_view prefix = device == DeviceType::kCPU    ? "CPU"
                                  : device == DeviceType::kCUDA ? "CUDA"
                                                                : "Meta";
  return format("{}{}Type", prefix, type);
}

}  // namespace faketensor
