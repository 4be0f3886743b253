#include "core/devices/conv_layout.h"

#include "core/tensor/contiguity.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

MemoryFormat look_of(Dims sizes, Dims strides) {
  if (has_channels_last_strides(sizes, strides)) return MemoryFormat::kChannelsLast;
  // A tensor that is dense as channels_last_3d is not channels_last: PyTorch asks for the former
  // first.
  guard_or_false(channels_last_3d_contiguity(sizes, strides));
  return has_channels_last_3d_strides(sizes, strides) ? MemoryFormat::kChannelsLast3d
                                                      : MemoryFormat::kContiguous;
}

// channels_last in the rank of the operands if either looks so, else contiguous.
MemoryFormat suggested(const ConvGeometry& conv) {
  const MemoryFormat input = look_of(conv.input_sizes, conv.input_strides);
  const MemoryFormat weight = look_of(conv.weight_sizes, conv.weight_strides);
  return input == MemoryFormat::kContiguous ? weight : input;
}

bool uses_double(const ConvGeometry& conv) {
  return conv.input_dtype == DType::kFloat64 || conv.weight_dtype == DType::kFloat64;
}

// ConvParams::use_cudnn, for calls that are not too large for 32-bit indices.
bool uses_cudnn(const Target& target, const ConvGeometry& conv, MemoryFormat format) {
  if (target.cudnn == 0 || !target.cudnn_enabled) return false;
  const bool is_bf16 =
      conv.input_dtype == DType::kBFloat16 || conv.weight_dtype == DType::kBFloat16;
  if (is_bf16 && target.sm < 80) return false;
  if (format == MemoryFormat::kContiguous && conv.dilated &&
      (target.deterministic || !target.has_gpu()))
    return false;
  return !conv.big_output_padding;
}

bool is_empty(const ConvGeometry& conv) {
  return guard_bool(conv.input_sizes[0] == 0) || guard_bool(conv.input_sizes[1] == 0);
}

// ConvParams::is_depthwise. cuDNN takes channels_last ones of any type (use_cudnn_depthwise).
bool is_depthwise(const ConvGeometry& conv) {
  const SymInt channels = conv.input_sizes[1];
  return !conv.transposed && guard_or_false(channels == conv.groups) &&
         guard_or_false(conv.groups > 1) &&
         guard_or_false(mod(conv.weight_sizes[0], channels) == 0);
}

// ConvParams::use_mkldnn on the recorded machine: one thread, on which oneDNN leaves plain filters
// of size 1 to the native kernels, and a CPU with instructions for bfloat16 but not for float16.
bool uses_mkldnn(const Target& target, const ConvGeometry& conv) {
  if (!target.mkldnn_enabled || (conv.transposed && conv.big_output_padding)) return false;
  if (conv.input_dtype == DType::kBFloat16) return true;
  if (conv.input_dtype != DType::kFloat32) return false;
  const Dims weight = conv.weight_sizes;
  const SymInt height = weight[weight.size() - 2];
  const SymInt width = weight[weight.size() - 1];
  const SymInt batch = conv.input_sizes[0];
  const bool is_plain = !conv.strided && !conv.dilated && !guard_bool(batch >= 16) &&
                        !guard_bool(width != 1) && !guard_bool(height != 1);
  if (is_plain) return false;
  if (guard_bool(conv.groups > 1)) return true;
  if (guard_bool(width > 3) && guard_bool(height > 3)) return true;
  return guard_bool(batch > 1) || guard_bool(numel(conv.input_sizes.first(4)) > 20480);
}

// ConvParams::use_nnpack. Where oneDNN is enabled it takes all that NNPACK would; but NNPACK is
// asked, and that guards.
bool uses_nnpack(const ConvGeometry& conv) {
  const Dims weight = conv.weight_sizes;
  return conv.input_dtype == DType::kFloat32 && guard_bool(weight[2] < 17) &&
         guard_bool(weight[3] < 17) && guard_bool(conv.padding[0] < weight[2]) &&
         guard_bool(conv.padding[1] < weight[3]) && guard_bool(conv.input_sizes[0] >= 16);
}

// Whether the native kernel for the CPU is one that writes channels_last: those of two dimensions.
bool is_native_2d(const ConvGeometry& conv) {
  if (conv.input_sizes.size() != 4) return false;
  return conv.transposed || conv.dilated || !uses_nnpack(conv);
}

MemoryFormat cpu_format(const Target& target, const ConvGeometry& conv) {
  if (uses_mkldnn(target, conv))
    return uses_double(conv) ? MemoryFormat::kContiguous : suggested(conv);
  if (!is_native_2d(conv)) return MemoryFormat::kContiguous;
  const MemoryFormat format = suggested(conv);
  return format == MemoryFormat::kChannelsLast ? format : MemoryFormat::kContiguous;
}

MemoryFormat cuda_format(const Target& target, const ConvGeometry& conv) {
  const MemoryFormat format = suggested(conv);
  if (format == MemoryFormat::kContiguous || uses_double(conv)) return MemoryFormat::kContiguous;
  const bool has_cudnn = target.cudnn != 0 && target.cudnn_enabled;
  return uses_cudnn(target, conv, format) || (has_cudnn && is_depthwise(conv))
             ? format
             : MemoryFormat::kContiguous;
}

}  // namespace

MemoryFormat conv_memory_format(const Target& target, const ConvGeometry& conv) {
  if (is_empty(conv)) return MemoryFormat::kContiguous;
  if (conv.device.is_cuda()) return cuda_format(target, conv);
  return conv.device.is_cpu() ? cpu_format(target, conv) : MemoryFormat::kContiguous;
}

}  // namespace faketensor
