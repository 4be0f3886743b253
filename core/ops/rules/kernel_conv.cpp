// Convolutions of the CPU that have no meta function: the "slow" kernels behind aten::convolution.
#include "core/ops/families/kernel.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_kernel_conv {
namespace {

// "Expected a tensor of dimension 4 and tensor.size[1] == 3 but got: ..." (check_dim_size).
void check_dim_size(Call& c, const Tensor& tensor, int64_t rank, int64_t dim, SymInt size) {
  const bool fits = tensor.dim() == rank && guard_bool(tensor.size(dim) == size);
  if (fits) return;
  std::string found = tensor.dim() > dim ? format("{}", tensor.size(dim)) : std::string("0");
  c.fail(
      ErrorKind::kRuntimeError,
      format(
          "Expected a tensor of dimension {} and tensor.size[{}] == {} but got: dimension {} and "
          "tensor.size[{}] = {}",
          rank, dim, size, tensor.dim(), dim, found));
}

SymInt output_size(SymInt input, SymInt kernel, SymInt stride, SymInt padding,
                   SymInt dilation = 1) {
  return floor_div(input + 2 * padding - (dilation * (kernel - 1) + 1), stride) + 1;
}

// Mirrors thnn_conv_use_channels_last, ATen/native/ConvUtils.h; the kernel gets dense zeros.
bool use_channels_last(Call& c, const Tensor& self, const Tensor& weight) {
  return suggest_memory_format(zeros_for(c, self)) == MemoryFormat::kChannelsLast ||
         suggest_memory_format(zeros_for(c, weight)) == MemoryFormat::kChannelsLast;
}

Value output(Call& c, const DimVector& sizes, DType dtype, bool channels_last) {
  if (!channels_last || sizes.size() != 4) return c.empty(sizes, dtype);
  return c.empty_strided(sizes, channels_last_strides(sizes), dtype);
}

// --- two dimensions ---

void check_weight(Call& c, const Tensor& weight) {
  c.check(guard_bool(weight.numel() > 0) && (weight.dim() == 2 || weight.dim() == 4),
          "non-empty 2D or 4D weight tensor expected, but got: {}", weight.sizes());
}

// Mirrors slow_conv2d_shape_check, ATen/native/ConvolutionMM2d.cpp.
void check_conv2d(Call& c, const Tensor& input, const Tensor& weight, Dims kernel, Tensor* bias,
                  Dims stride, Dims padding) {
  c.check(guard_bool(kernel[0] > 0) && guard_bool(kernel[1] > 0),
          "kernel size should be greater than zero, but got kernel_height: {} kernel_width: {}",
          kernel[0], kernel[1]);
  c.check(guard_bool(stride[0] > 0) && guard_bool(stride[1] > 0),
          "stride should be greater than zero, but got stride_height: {} stride_width: {}",
          stride[0], stride[1]);
  check_weight(c, weight);
  if (bias != nullptr) check_dim_size(c, *bias, 1, 0, weight.size(0));
  c.check(input.dim() == 4, "Expected 4D input tensor, but got: {}", input.sizes());
  for (int64_t dim = 1; dim < 4; ++dim)
    c.check(guard_bool(input.size(dim) != 0), "Expected non-empty input tensor, but got: {}",
            input.sizes());
  const SymInt height = input.size(2) + 2 * padding[0], width = input.size(3) + 2 * padding[1];
  c.check(
      guard_bool(height >= kernel[0]) && guard_bool(width >= kernel[1]),
      "Calculated padded input size per channel: ({} x {}). Kernel size: ({} x {}). Kernel size "
      "can't be greater than actual input size",
      height, width, kernel[0], kernel[1]);
  // The weight is a matrix by now: its rows hold a kernel for each input channel.
  SymInt planes = weight.numel();
  planes = floor_div(floor_div(planes, weight.size(0)), kernel[0] * kernel[1]);
  check_dim_size(c, input, 4, 1, planes);
}

void check_lengths(Call& c, Dims kernel, Dims stride, Dims padding) {
  c.check(kernel.size() == 2, "2D kernel_size expected");
  c.check(stride.size() == 2, "2D stride expected");
  c.check(padding.size() == 2, "2D padding expected");
}

Value conv2d_forward(Call& c, const Tensor& self, const Tensor& weight, Dims kernel, Tensor* bias,
                     Dims stride, Dims padding) {
  check_lengths(c, kernel, stride, padding);
  check_conv2d(c, self, weight, kernel, bias, stride, padding);
  require_type(c, "slow_conv2d_cpu", self.dtype(), kAllNumbers);
  require_data_type(c, self.dtype(), weight);
  const DimVector sizes = {self.size(0), weight.size(0),
                           output_size(self.size(2), kernel[0], stride[0], padding[0]),
                           output_size(self.size(3), kernel[1], stride[1], padding[1])};
  return output(c, sizes, self.dtype(), use_channels_last(c, self, weight));
}
Value thnn_conv2d(Call& c, const Tensor& self, const Tensor& weight, Dims kernel, Tensor* bias,
                  Dims stride, Dims padding) {
  return c.call<"aten::_slow_conv2d_forward">(self, weight, kernel, bias, stride, padding);
}

Value conv2d_backward(Call& c, const Tensor& grad, const Tensor& self, const Tensor& weight,
                      Dims kernel, Dims stride, Dims padding, const Value& mask) {
  check_weight(c, weight);
  check_lengths(c, kernel, stride, padding);
  check_conv2d(c, self, weight, kernel, nullptr, stride, padding);
  check_dim_size(c, grad, 4, 1, weight.size(0));
  require_type(c, "slow_conv2d_cpu_grad_input", grad.dtype(), kFloats);
  const bool channels_last = use_channels_last(c, self, weight);
  const auto wanted = [&](size_t i) { return mask[i].to_bool(); };
  const auto like = [&](const Tensor& t) {
    DimVector sizes;
    for (const SymInt size : t.sizes()) sizes.push_back(size);
    return output(c, sizes, grad.dtype(), channels_last);
  };
  return c.tuple({wanted(0) ? like(self) : Value(), wanted(1) ? like(weight) : Value(),
                  wanted(2) ? Value(c.empty({weight.size(0)}, grad.dtype())) : Value()});
}
// The kernel writes to zeros that stand for the outputs.
Value conv2d_backward_into(Call& c, const Tensor& grad, const Tensor& self, const Tensor& weight,
                           Dims kernel, Dims stride, Dims padding) {
  const Value every[] = {true, true, true};
  conv2d_backward(c, grad, self, weight, kernel, stride, padding, Value::list(every));
  return c.list(c.args().last(3));
}

// --- three dimensions ---

// Mirrors slow_conv3d_shape_check, ATen/native/ConvolutionMM3d.cpp.
Value conv3d_forward(Call& c, const Tensor& self, const Tensor& weight, Dims kernel, Tensor* bias,
                     Dims stride, Dims padding) {
  c.check(kernel.size() == 3, "It is expected kernel_size equals to 3, but got size {}",
          kernel.size());
  c.check(stride.size() == 3, "It is expected stride equals to 3, but got size {}", stride.size());
  c.check(padding.size() == 3, "It is expected padding equals to 3, but got size {}",
          padding.size());
  const SymInt planes = weight.size(1);
  const SymInt channels = self.size(1);
  const SymInt groups = guard_bool(planes > 0) ? floor_div(channels, planes) : SymInt(0);
  c.check(guard_bool(groups > 0), "none zero group size expected");
  c.check(weight.dim() == 5 || weight.dim() == 2,
          "non-empty 5D weight tensor expected, but got: {}", weight.sizes());
  if (bias != nullptr) check_dim_size(c, *bias, 1, 0, weight.size(0));
  c.check(self.dim() == 5, "non-empty 5D input tensor expected but got: {}", self.sizes());
  DimVector sizes = {self.size(0), weight.size(0)};
  for (int64_t i = 0; i < 3; ++i) {
    const auto at = static_cast<size_t>(i);
    sizes.push_back(output_size(self.size(i + 2), kernel[at], stride[at], padding[at]));
  }
  check_dim_size(c, self, 5, 1, weight.size(1) * groups);
  require_type(c, "slow_conv3d_cpu", self.dtype(), kAllNumbers);
  require_data_type(c, self.dtype(), weight);
  return c.empty(sizes, self.dtype());
}
Value conv3d(Call& c, const Tensor& self, const Tensor& weight, Dims kernel, Tensor* bias,
             Dims stride, Dims padding) {
  return c.call<"aten::slow_conv3d_forward">(self, weight, kernel, bias, stride, padding);
}

// --- dilated ---

// Mirrors slow_conv_dilated_shape_check, ATen/native/DilatedConvolutionUtils.h.
void check_dilated(Call& c, size_t dims, const Tensor& input, const Tensor& weight, Tensor* bias,
                   Dims kernel, Dims stride, Dims padding, Dims dilation) {
  const auto rank = static_cast<int64_t>(dims);
  const auto positive = [](Dims values) {
    for (const SymInt value : values)
      if (!guard_bool(value > 0)) return false;
    return true;
  };
  const auto check = [&](Dims given, std::string_view length, std::string_view value) {
    c.check(given.size() == dims, "{} length should be {}, but got {}", length, dims, given.size());
    c.check(positive(given), "{} should be greater than zero, but got {}", value, given);
  };
  check(kernel, "kernel sizes", "kernel size");
  check(stride, "strides", "stride");
  check(dilation, "dilations", "dilation");
  c.check(padding.size() == dims, "paddings length should be {}, but got {}", dims, padding.size());
  c.check(input.dim() == rank + 1 || input.dim() == rank + 2,
          "input must be 4D or 5D tensor but got {}D tensor", input.dim());
  c.check(weight.dim() == rank + 2, "weight must be {}D tensor but got {}D tensor dim={}", rank + 2,
          weight.dim(), rank);
  const Dims shape = weight.sizes().subspan(2);
  for (size_t i = 0; i < dims; ++i)
    c.check(guard_bool(shape[i] == kernel[i]),
            "weight[2:] shape {} must be equal to kernel_size {}", shape, kernel);
  const bool batched = input.dim() == rank + 2;
  c.check(guard_bool(input.size(batched ? 1 : 0) == weight.size(1)),
          "Need input of dimension {} and input.size[{}] == {} but got input to be of shape {}",
          input.dim(), batched ? 1 : 0, weight.size(1), input.sizes());
  if (bias == nullptr) return;
  c.check(bias->dim() == 1, "bias must be 1D tensor but got {}D tensor", bias->dim());
  c.check(guard_bool(bias->size(0) == weight.size(0)), "bias should have size {} but got {}",
          weight.size(0), bias->size(0));
}

template <size_t dims>
Value conv_dilated(Call& c, const Tensor& self, const Tensor& weight, Dims kernel, Tensor* bias,
                   Dims stride, Dims padding, Dims dilation) {
  check_dilated(c, dims, self, weight, bias, kernel, stride, padding, dilation);
  require_type(c, "slow_conv_dilated<>", self.dtype(), kAllNumbers);
  require_data_type(c, self.dtype(), weight);
  DimVector sizes;
  const int64_t first = self.dim() - static_cast<int64_t>(dims);
  if (first == 2) sizes.push_back(self.size(0));
  sizes.push_back(weight.size(0));
  for (size_t i = 0; i < dims; ++i) {
    sizes.push_back(output_size(self.size(first + static_cast<int64_t>(i)), kernel[i], stride[i],
                                padding[i], dilation[i]));
  }
  return output(c, sizes, self.dtype(), dims == 2 && use_channels_last(c, self, weight));
}

// --- transposed ---

// Mirrors slow_conv_transpose3d_shape_check, ATen/native/NaiveConvolutionTranspose3d.cpp.
Value conv_transpose3d(Call& c, const Tensor& self, const Tensor& weight, Dims kernel, Tensor* bias,
                       Dims stride, Dims padding, Dims output_padding, Dims dilation) {
  const auto check = [&](Dims given, std::string_view name) {
    c.check(given.size() == 3, "It is expected {} equals to 3, but got size {}", name,
            given.size());
  };
  check(kernel, "kernel_size");
  check(dilation, "dilation");
  check(padding, "padding");
  check(stride, "stride");
  check(output_padding, "output_padding");
  bool smaller = true;
  for (size_t i = 0; i < 3; ++i)
    smaller = smaller && (guard_bool(output_padding[i] < stride[i]) ||
                          guard_bool(output_padding[i] < dilation[i]));
  c.check(
      smaller,
      "output padding must be smaller than either stride or dilation, but got "
      "output_padding_depth: {} output_padding_height: {} output_padding_width: {} stride_depth: "
      "{} stride_height: {} stride_width: {} dilation_depth: {} dilation_height: {} "
      "dilation_width: {}",
      output_padding[0], output_padding[1], output_padding[2], stride[0], stride[1], stride[2],
      dilation[0], dilation[1], dilation[2]);
  c.check(
      weight.dim() == 5 && guard_bool(weight.numel() != 0),
      "non-empty 5D (n_output_plane x n_input_plane x kernel_depth x kernel_height x kernel_width) "
      "tensor expected for weight, but got: {}",
      weight.sizes());
  if (bias != nullptr) check_dim_size(c, *bias, 1, 0, weight.size(1));
  c.check(self.dim() == 4 || self.dim() == 5,
          "non-empty 4D or 5D input tensor expected but got a tensor with size {}", self.sizes());
  const int64_t first = self.dim() - 3;
  check_dim_size(c, self, self.dim(), first - 1, weight.size(0));
  require_type(c, "slow_conv_transpose3d_out_cpu", self.dtype(), kFloats | kIntegers);
  DimVector sizes;
  if (first == 2) sizes.push_back(self.size(0));
  sizes.push_back(weight.size(1));
  for (size_t i = 0; i < 3; ++i) {
    sizes.push_back((self.size(first + static_cast<int64_t>(i)) - 1) * stride[i] - 2 * padding[i] +
                    dilation[i] * (kernel[i] - 1) + output_padding[i] + 1);
  }
  return c.empty(sizes, self.dtype());
}

constexpr FixedString kNotOverridden(
    "convolution_overrideable not implemented. You are likely triggering this with tensor backend "
    "other than CPU/CUDA/MKLDNN, if this is intended, please use TORCH_LIBRARY_IMPL to override "
    "this "
    "function ");
constexpr FixedString kBackwardNotOverridden(
    "convolution_backward_overrideable: You are likely triggering this with tensor backend other "
    "than "
    "CPU/CUDA/MKLDNN, if this is intended, please use TORCH_LIBRARY_IMPL to override this "
    "function ");
constexpr ErrorKind kNotImplemented = ErrorKind::kNotImplementedError;

// clang-format off
constexpr OpDef kKernelConvRules[] = {
    {"aten::_slow_conv2d_backward.grad_input(Tensor grad_output, Tensor self, Tensor weight, SymInt[2] kernel_size, SymInt[2] stride, SymInt[2] padding, *, Tensor(a!) grad_input, Tensor(b!) grad_weight, Tensor(c!) grad_bias) -> (Tensor(a!), Tensor(b!), Tensor(c!))", rule<&conv2d_backward_into>(), kRealKernel | kRealDerivative},
    {"aten::_slow_conv2d_backward.output_mask(Tensor grad_output, Tensor self, Tensor weight, SymInt[2] kernel_size, SymInt[2] stride, SymInt[2] padding, bool[3] output_mask) -> (Tensor grad_input, Tensor grad_weight, Tensor grad_bias)", rule<&conv2d_backward>(), kRealKernel | kRealDerivative},
    {"aten::_slow_conv2d_forward(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias, SymInt[2] stride, SymInt[2] padding) -> Tensor", rule<&conv2d_forward>(), kRealKernel | kRealDerivative},
    {"aten::convolution_backward_overrideable(Tensor grad_output, Tensor input, Tensor weight, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) -> (Tensor grad_input, Tensor grad_weight, Tensor grad_bias)", fails<kBackwardNotOverridden, kNotImplemented>(), kRealKernel | kByCompositeExplicit | kRealDerivative},
    {"aten::convolution_overrideable(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor", fails<kNotOverridden, kNotImplemented>(), kRealKernel | kByCompositeExplicit | kRealDerivative},
    {"aten::slow_conv3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0]) -> Tensor", rule<&conv3d>(), kComposite | kRealKernel},
    {"aten::slow_conv3d_forward(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias, SymInt[3] stride, SymInt[3] padding) -> Tensor", rule<&conv3d_forward>(), kRealKernel | kRealDerivative},
    {"aten::slow_conv_dilated2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] dilation=[1, 1]) -> Tensor", rule<&conv_dilated<2>>(), kRealKernel | kRealDerivative},
    {"aten::slow_conv_dilated3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] dilation=[1, 1, 1]) -> Tensor", rule<&conv_dilated<3>>(), kRealKernel | kRealDerivative},
    {"aten::slow_conv_transpose3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] output_padding=[0, 0, 0], SymInt[3] dilation=[1, 1, 1]) -> Tensor", rule<&conv_transpose3d>(), kRealKernel | kRealDerivative},
    {"aten::thnn_conv2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0]) -> Tensor", rule<&thnn_conv2d>(), kComposite | kRealKernel},
};
// clang-format on

}  // namespace
}  // namespace rules_of_kernel_conv

std::span<const OpDef> kernel_conv_rules() { return rules_of_kernel_conv::kKernelConvRules; }

}  // namespace faketensor
