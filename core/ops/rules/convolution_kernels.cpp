// Convolutions of one back-end or of an unusual layout, and quantized recurrent cells.
#include "core/ops/families/linalg.h"
#include "core/ops/families/unallocated.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_convolution_kernels {
namespace {

// Mirrors _convolution.deprecated, aten/src/ATen/native/Convolution.cpp: TF32 is allowed or not by
// a global setting.
Value convolution_deprecated(Call& c, uint64_t) {
  SmallVector<Value, 16> args(c.args());
  args.push_back(true);
  return c.forward<"aten::_convolution">(args.span());
}

// --- conv_tbc ---

// Whether some kernel position multiplies more than one time step, which takes a view of time and
// batch as rows.
bool has_long_steps(SymInt steps, SymInt output_steps, SymInt kernel, int64_t pad) {
  const SymInt at = sym_max(sym_min(kernel - 1, pad), 0);
  const SymInt before = sym_max(SymInt(pad) - at, 0);
  return guard_bool(sym_min(steps + pad - at, output_steps) - before > 1);
}

// Mirrors conv_tbc, aten/src/ATen/native/ConvolutionTBC.cpp.
Value conv_tbc(Call& c, const Tensor& self, const Tensor& weight, const Tensor& bias, int64_t pad) {
  c.check(self.dim() == 3, "Input must have 3 dims: time, batch, in_channel");
  c.check(weight.dim() == 3,
          "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.");
  c.check(bias.dim() == 1, "Bias must be 1-D");
  const SymInt kernel = weight.size(0);
  const SymInt steps = self.size(0);
  const SymInt output_steps = steps - kernel + 1 + SymInt(pad) * 2;
  c.check(self.size(2) == weight.size(1),
          "Input dim 2 (input channels) is not == dim 1 in the weight tensor");
  c.check(weight.size(2) == bias.size(0),
          "Bias size must equal dim 2 in the weight tensor (output channels).");
  Tensor* output = c.empty({output_steps, self.size(1), weight.size(2)}, self.dtype());
  const bool needs_view = guard_bool(kernel > 0) &&
                          has_long_steps(steps, output_steps, kernel, pad) &&
                          guard_bool(self.numel() != 0);
  const DimVector rows = {steps * self.size(1), self.size(2)};
  c.check(!needs_view || view_strides(self.sizes(), self.strides(), rows).has_value(),
          "view size is not compatible with input tensor's size and stride (at least one dimension "
          "spans across two contiguous subspaces). Use .reshape(...) instead.");
  return output;
}

// --- mkldnn, cuDNN ---

// Mirrors mkldnn_convolution, aten/src/ATen/native/mkldnn/Conv.cpp, on the meta device: it checks,
// then asks for the data. float16 takes a newer processor than the one recorded on.
Value mkldnn_convolution(Call& c, const Tensor& self, const Tensor& weight, Tensor* bias,
                         Dims padding, Dims stride, Dims dilation, SymInt groups) {
  c.check(self.dtype() != DType::kFloat16,
          "mkldnn_convolution: fp16 path needs the cpu support avx_ne_convert or avx512_fp16");
  const bool same = self.dtype() == weight.dtype();
  const Value kernel = same ? Value(weight) : c.call<"aten::to.dtype">(weight, self.dtype());
  c.call<"aten::convolution">(self, kernel, bias == nullptr ? Value() : Value(bias), stride,
                              padding, dilation, false, DimVector{0}, groups);
  c.fail(ErrorKind::kRuntimeError, "itensor_view_from_dense expects CPU tensor input");
}

// Mirrors cudnn_convolution_relu, aten/src/ATen/native/cudnn/ConvShared.cpp.
Value cudnn_convolution_relu(Call& c, const Tensor& self, const Tensor& weight, Tensor* bias,
                             Dims stride, Dims padding, Dims dilation, SymInt groups) {
  return c.call<"aten::convolution">(self, weight, bias == nullptr ? Value() : Value(bias), stride,
                                     padding, dilation, false, DimVector{0}, groups);
}

// --- slow_conv_transpose2d ---

struct Pair {
  SymInt h, w;
};
Pair pair_of(Call& c, Dims values, std::string_view name) {
  c.check(values.size() == 2, "It is expected {} equals to 2, but got size {}", name,
          values.size());
  return {values[0], values[1]};
}
void check_positive(Call& c, Pair pair, std::string_view name, std::string_view prefix) {
  c.check(guard_bool(pair.h > 0) && guard_bool(pair.w > 0),
          "{} should be greater than zero, but got {}_height: {} {}_width: {}", name, prefix,
          pair.h, prefix, pair.w);
}
// at::check_dim_size.
void check_dim_size(Call& c, const Tensor& tensor, int64_t rank, int64_t dim, SymInt size) {
  c.check(tensor.dim() == rank && guard_bool(tensor.size(dim) == size),
          "Expected a tensor of dimension {} and tensor.size[{}] == {} but got: dimension {} and "
          "tensor.size[{}] = {}",
          rank, dim, size, tensor.dim(), dim, dim < tensor.dim() ? tensor.size(dim) : SymInt(0));
}

// Mirrors slow_conv_transpose2d_shape_check and the meta function,
// aten/src/ATen/native/NaiveConvolutionTranspose2d.cpp.
Value slow_conv_transpose2d(Call& c, const Tensor& self, const Tensor& weight, Dims kernel_size,
                            Tensor* bias, Dims stride_size, Dims padding_size, Dims output_size,
                            Dims dilation_size) {
  const Pair kernel = pair_of(c, kernel_size, "kernel_size");
  const Pair dilation = pair_of(c, dilation_size, "dilation");
  const Pair padding = pair_of(c, padding_size, "padding");
  const Pair stride = pair_of(c, stride_size, "stride");
  const Pair extra = pair_of(c, output_size, "stride");
  check_positive(c, kernel, "kernel size", "kernel");
  check_positive(c, stride, "stride", "stride");
  check_positive(c, dilation, "dilation", "dilation");
  const auto is_small = [](SymInt extra_size, SymInt step, SymInt reach) {
    return guard_bool(extra_size < step) || guard_bool(extra_size < reach);
  };
  c.check(is_small(extra.h, stride.h, dilation.h) && is_small(extra.w, stride.w, dilation.w),
          "output padding must be smaller than either stride or dilation, but got "
          "output_padding_height: {} output_padding_width: {} stride_height: {} stride_width: {} "
          "dilation_height: {} dilation_width: {}",
          extra.h, extra.w, stride.h, stride.w, dilation.h, dilation.w);
  c.check(guard_bool(weight.numel() != 0) && (weight.dim() == 2 || weight.dim() == 4),
          "non-empty 2D or 4D weight tensor expected, but got: {}", weight.sizes());
  if (bias != nullptr) check_dim_size(c, *bias, 1, 0, weight.size(1));
  const bool is_image = self.dim() == 3 || self.dim() == 4;
  bool has_elements = is_image;
  for (int64_t i = self.dim() == 4 ? 1 : 0; is_image && i < self.dim(); ++i)
    has_elements = has_elements && guard_bool(self.size(i) != 0);
  c.check(has_elements, "non-empty 3D or 4D input tensor expected but got a tensor with size {}",
          self.sizes());
  const SymInt height =
      (self.size(-2) - 1) * stride.h - padding.h * 2 + (dilation.h * (kernel.h - 1) + 1) + extra.h;
  const SymInt width =
      (self.size(-1) - 1) * stride.w - padding.w * 2 + (dilation.w * (kernel.w - 1) + 1) + extra.w;
  c.check(
      guard_bool(height >= 1) && guard_bool(width >= 1),
      "Given input size per channel: ({} x {}). Calculated output spatial size per channel: ({} "
      "x {}). Output size is too small",
      self.size(-2), self.size(-1), height, width);
  check_dim_size(c, self, self.dim(), self.dim() - 3, weight.size(0));
  return c.empty({self.dim() == 4 ? self.size(0) : SymInt(1), weight.size(1), height, width},
                 self.dtype());
}

// --- quantized recurrent cells: aten/src/ATen/native/RNN.cpp ---

// Mirrors fbgemm_linear_int8_weight_fp32_activation, aten/src/ATen/native/QuantizedLinear.cpp,
// which reads its input.
void quantized_linear(Call& c, const Tensor& input, const Tensor& weight) {
  c.check(input.dtype() == DType::kFloat32, "expected scalar type Float but found {}",
          info(input.dtype()).cpp_name);
  if (guard_bool(input.numel() != 0)) fail_unallocated(c);
  const auto require = [&](bool condition, std::string_view text) {
    c.check(condition,
            "Expected {} to be true, but got false.  (Could this error message be improved?  If "
            "so, please report an enhancement request to PyTorch.)",
            text);
  };
  require(input.dim() >= 2, "input.dim() >= 2");
  require(weight.dim() == 2, "weight.dim() == 2");
  require(guard_bool(input.size(-1) == weight.size(1)), "K == weight.size(1)");
}

constexpr std::string_view kNoMatmul = "matmul is not supported with quantized cell params";

// The cells never get to a result: their first product reads data. CUDA asks for one without bias,
// which packed weights do not have.
[[noreturn]] void fail_cell(Call& c) {
  c.fail(ErrorKind::kUnsupportedOperator, std::string(c.op().name));
}
Value quantized_gru_cell(Call& c, const Tensor& input, const Tensor& hx, const Tensor& w_ih,
                         const Tensor& w_hh) {
  c.check(!input.device().is_cuda(), kNoMatmul);
  quantized_linear(c, input, w_ih);
  quantized_linear(c, hx, w_hh);
  fail_cell(c);
}
Value quantized_lstm_cell(Call& c, const Tensor& input, TensorList hx, const Tensor& w_ih,
                          const Tensor& w_hh) {
  c.check(hx.size() == 2, "lstm_cell expects two hidden states");
  c.check(!input.device().is_cuda(), kNoMatmul);
  quantized_linear(c, hx[0], w_hh);
  quantized_linear(c, input, w_ih);
  fail_cell(c);
}
Value quantized_simple_cell(Call& c, const Tensor& input, const Tensor& hx, const Tensor& w_ih,
                            const Tensor& w_hh) {
  quantized_linear(c, hx, w_hh);
  quantized_linear(c, input, w_ih);
  fail_cell(c);
}

// clang-format off
constexpr OpDef kConvolutionKernelRules[] = {
    {"aten::_convolution.deprecated(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, int[] output_padding, SymInt groups, bool benchmark, bool deterministic, bool cudnn_enabled) -> Tensor", {&convolution_deprecated}, kComposite | kRealDerivative},
    {"aten::conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor", rule<&conv_tbc>(), kByCompositeExplicit | kRealDerivative},
    {"aten::cudnn_convolution_relu(Tensor self, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, SymInt groups) -> Tensor", rule<&cudnn_convolution_relu>(), kByFallback},
    {"aten::mkldnn_convolution(Tensor self, Tensor weight, Tensor? bias, SymInt[] padding, SymInt[] stride, SymInt[] dilation, SymInt groups) -> Tensor", rule<&mkldnn_convolution>(), kByCompositeExplicit | kRealDerivative},
    {"aten::quantized_gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor b_ih, Tensor b_hh, Tensor packed_ih, Tensor packed_hh, Tensor col_offsets_ih, Tensor col_offsets_hh, Scalar scale_ih, Scalar scale_hh, Scalar zero_point_ih, Scalar zero_point_hh) -> Tensor", rule<&quantized_gru_cell>(), kComposite},
    {"aten::quantized_lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor b_ih, Tensor b_hh, Tensor packed_ih, Tensor packed_hh, Tensor col_offsets_ih, Tensor col_offsets_hh, Scalar scale_ih, Scalar scale_hh, Scalar zero_point_ih, Scalar zero_point_hh) -> (Tensor, Tensor)", rule<&quantized_lstm_cell>(), kComposite},
    {"aten::quantized_rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor b_ih, Tensor b_hh, Tensor packed_ih, Tensor packed_hh, Tensor col_offsets_ih, Tensor col_offsets_hh, Scalar scale_ih, Scalar scale_hh, Scalar zero_point_ih, Scalar zero_point_hh) -> Tensor", rule<&quantized_simple_cell>(), kComposite},
    {"aten::quantized_rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor b_ih, Tensor b_hh, Tensor packed_ih, Tensor packed_hh, Tensor col_offsets_ih, Tensor col_offsets_hh, Scalar scale_ih, Scalar scale_hh, Scalar zero_point_ih, Scalar zero_point_hh) -> Tensor", rule<&quantized_simple_cell>(), kComposite},
    {"aten::slow_conv_transpose2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] output_padding=[0, 0], SymInt[2] dilation=[1, 1]) -> Tensor", rule<&slow_conv_transpose2d>(), kByStructured | kRealDerivative},
};
// clang-format on
}  // namespace
}  // namespace rules_of_convolution_kernels

std::span<const OpDef> convolution_kernel_rules() {
  return rules_of_convolution_kernels::kConvolutionKernelRules;
}

}  // namespace faketensor
