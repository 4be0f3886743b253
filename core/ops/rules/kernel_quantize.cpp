// Fake quantization, and operators that make quantized tensors, which real kernels answer.
#include <algorithm>

#include "core/ops/families/kernel.h"
#include "core/ops/families/sparse.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/cpp_type_name.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_kernel_quantize {
namespace {

void check_range(Call& c, int64_t quant_min, int64_t quant_max) {
  c.check(quant_min <= quant_max,
          "`quant_min` should be less than or         equal to `quant_max`.");
}

void check_zero_point(Call& c, int64_t zero_point, int64_t quant_min, int64_t quant_max) {
  c.check(zero_point >= quant_min && zero_point <= quant_max,
          "`zero_point` must be between `quant_min` and `quant_max`.");
}

// --- per tensor ---

Value quantized_tensor(Call& c, const Tensor& self) {
  require_type(c, "fake_quantize_tensor_cachemask_kernel_type_handling", self.dtype(), kFloats);
  return c.tuple({like_zeros(c, self, self.dtype()), like_zeros(c, self, DType::kBool)});
}

// Mirrors fake_quantize_per_tensor_affine_cachemask,
// ATen/native/quantized/FakeQuantPerTensorAffine.
Value per_tensor_cachemask(Call& c, const Tensor& self, double, int64_t zero_point,
                           int64_t quant_min, int64_t quant_max) {
  check_range(c, quant_min, quant_max);
  check_zero_point(c, zero_point, quant_min, quant_max);
  return quantized_tensor(c, self);
}
Value per_tensor(Call& c, const Tensor& self, double scale, int64_t zero_point, int64_t quant_min,
                 int64_t quant_max) {
  return c.call<"aten::fake_quantize_per_tensor_affine_cachemask">(self, scale, zero_point,
                                                                   quant_min, quant_max)[0];
}

// Scale and zero point are read from tensors, the last argument first.
Value per_tensor_qparams_cachemask(Call& c, const Tensor& self, const Tensor& scale,
                                   const Tensor& zero_point, const Tensor& enabled,
                                   int64_t quant_min, int64_t quant_max) {
  check_range(c, quant_min, quant_max);
  require_one_element(c, zero_point.numel());
  require_one_element(c, scale.numel());
  require_one_element(c, enabled.numel());
  return quantized_tensor(c, self);
}
Value per_tensor_qparams(Call& c, const Tensor& self, const Tensor& scale, const Tensor& zero_point,
                         int64_t quant_min, int64_t quant_max) {
  const SymInt one[] = {1};
  const Tensor* enabled = c.context().empty(Dims(one), DType::kInt64, self.device());
  return c.call<"aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams">(
      self, scale, zero_point, *enabled, quant_min, quant_max)[0];
}

// The first element of a tensor of parameters.
void check_first(Call& c, const Tensor& parameter) {
  c.check_as(ErrorKind::kIndexError, parameter.dim() != 0,
             "select() cannot be applied to a 0-dim tensor.");
  SymInt rest = 1;
  for (int64_t i = 1; i < parameter.dim(); ++i) rest = rest * parameter.size(i);
  require_one_element(c, rest);
}

// Mirrors _fake_quantize_learnable_per_tensor_affine: the zero point, 0, is clamped into the range.
Value learnable_per_tensor(Call& c, const Tensor& self, const Tensor& scale,
                           const Tensor& zero_point, int64_t quant_min, int64_t quant_max) {
  check_first(c, scale);
  check_first(c, zero_point);
  check_range(c, quant_min, quant_max);
  return quantized_tensor(c, self)[0];
}

void check_learnable_backward(Call& c, const Tensor& grad, const Tensor& x, const Tensor& scale,
                              const Tensor& zero_point, int64_t quant_min, int64_t quant_max) {
  require_condition(c, grad.dtype() == DType::kFloat32, "dY_.scalar_type() == ScalarType::Float");
  require_condition(c, x.dtype() == DType::kFloat32, "X.scalar_type() == ScalarType::Float");
  require_condition(c, scale.dtype() == DType::kFloat32,
                    "scale.scalar_type() == ScalarType::Float");
  require_condition(c, zero_point.dtype() == DType::kFloat32,
                    "zero_point.scalar_type() == ScalarType::Float");
  c.check(guard_bool(x.numel() == grad.numel()), "`X` and `dY` are not the same size");
  c.check(quant_min <= 0 && quant_max >= 0, "Expecting `quant_min` <= 0 and `quant_max` >= 0");
}

Value learnable_per_tensor_backward(Call& c, const Tensor& grad, const Tensor& x,
                                    const Tensor& scale, const Tensor& zero_point,
                                    int64_t quant_min, int64_t quant_max) {
  check_first(c, scale);
  check_first(c, zero_point);
  check_learnable_backward(c, grad, x, scale, zero_point, quant_min, quant_max);
  const SymInt one[] = {1};
  return c.tuple(
      {c.empty_like(x), c.empty(Dims(one), DType::kFloat32), c.empty(Dims(one), DType::kFloat32)});
}

Value learnable_per_channel_backward(Call& c, const Tensor& grad, const Tensor& x,
                                     const Tensor& scale, const Tensor& zero_point, int64_t,
                                     int64_t quant_min, int64_t quant_max) {
  check_learnable_backward(c, grad, x, scale, zero_point, quant_min, quant_max);
  return c.tuple({c.empty_like(x), c.empty_like(scale), c.empty_like(zero_point)});
}

// --- per channel ---

void check_channels(Call& c, const Tensor& self, const Tensor& scale, const Tensor& zero_point,
                    int64_t axis, int64_t quant_min, int64_t quant_max) {
  c.check(scale.dim() == 1, "scale should be a 1-D tensor");
  c.check(zero_point.dim() == 1, "zero point should be a 1-D tensor");
  c.check(guard_bool(scale.numel() == zero_point.numel()),
          "scale and zero-point need to have the same dimensions");
  c.check(guard_bool(scale.numel() == self.size(axis)),
          "dimensions of scale and zero-point are not consistent with input tensor");
  check_range(c, quant_min, quant_max);
}

// Mirrors fake_quantize_per_channel_affine_cachemask. Integer zero points are read: zeros.
Value per_channel_cachemask(Call& c, const Tensor& self, const Tensor& scale,
                            const Tensor& zero_point, int64_t axis, int64_t quant_min,
                            int64_t quant_max) {
  c.check(scale.dtype() == DType::kFloat32 || scale.dtype() == DType::kBFloat16,
          "Scale must be Float or BFloat16, found {}", info(scale.dtype()).cpp_name);
  const DType type = zero_point.dtype();
  c.check(type == DType::kInt32 || type == DType::kFloat32 || type == DType::kFloat16,
          "Zero-point must be Int32, Float or Half, found {}", info(type).cpp_name);
  check_channels(c, self, scale, zero_point, axis, quant_min, quant_max);
  if (!is_floating(type)) check_zero_point(c, 0, quant_min, quant_max);
  c.check(axis >= 0 && axis <= self.dim(),
          "`axis` must be between 0 and number of dimensions of input");
  require_type(c, "fake_quantize_channel_cachemask_cpu_type_handling", self.dtype(), kFloats);
  return c.tuple({like_zeros(c, self, self.dtype()), like_zeros(c, self, DType::kBool)});
}
Value per_channel(Call& c, const Tensor& self, const Tensor& scale, const Tensor& zero_point,
                  int64_t axis, int64_t quant_min, int64_t quant_max) {
  return c.call<"aten::fake_quantize_per_channel_affine_cachemask">(self, scale, zero_point, axis,
                                                                    quant_min, quant_max)[0];
}
Value learnable_per_channel(Call& c, const Tensor& self, const Tensor& scale,
                            const Tensor& zero_point, int64_t axis, int64_t quant_min,
                            int64_t quant_max) {
  require_type(c, "round_vml_cpu", zero_point.dtype(), kFloats | kIntegers);
  check_channels(c, self, scale, zero_point, axis, quant_min, quant_max);
  require_type(c, "fake_quantize_channel_cachemask_cpu_type_handling", self.dtype(), kFloats);
  return like_zeros(c, self, self.dtype());
}

// --- quantized tensors, which FakeTensorMode does not have ---

bool is_quantized(DType dtype) {
  return dtype == DType::kQInt8 || dtype == DType::kQUInt8 || dtype == DType::kQInt32 ||
         dtype == DType::kQUInt4x2 || dtype == DType::kQUInt2x4;
}

// A dense tensor stands for what dequantize makes of it, its float.
Value dequantize(Call& c, const Tensor& self) {
  if (self.dtype() == DType::kFloat32) return self;
  return like_zeros(c, self, DType::kFloat32);
}

// Mirrors quantize_per_tensor_dynamic, aten/src/ATen/native/quantized/QTensor.cpp. Half is no
// quantized dtype, but a cast.
Value quantize_per_tensor_dynamic(Call& c, const Tensor& self, DType dtype) {
  const bool to_half = dtype == DType::kFloat16;
  c.check(dtype == DType::kQInt8 || dtype == DType::kQUInt8 || to_half, "dtype {}not supported",
          info(dtype).cpp_name);
  if (to_half) return c.empty(self.sizes(), dtype);
  c.check(guard_bool(self.numel() != 0),
          "min(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
          "reduction dim with the 'dim' argument.");
  c.check(self.dtype() == DType::kFloat32, "Quantize only works on Float Tensor, got {}",
          info(self.dtype()).cpp_name);
  c.check(c.op().output_count == 0, "Expected out tensor to have dtype {}, but got {} instead",
          cpp_type_name(dtype), cpp_type_name(self.dtype()));
  c.fail(ErrorKind::kUnsupportedFakeTensor, "quantized nyi in meta tensors");
}

Value quantize_per_channel(Call& c, const Tensor& self, const Tensor& scales,
                           const Tensor& zero_points, int64_t axis, DType dtype) {
  c.check(scales.dim() == 1, "scale tensor must have dimension 1");
  c.check(zero_points.dim() == 1, "zero_points tensor must have dimension 1");
  c.check(guard_bool(scales.numel() == zero_points.numel()),
          "number of elements in scales and zero_points must match");
  c.check(is_floating(scales.dtype()), "scale tensor must be floating point");
  c.check(is_quantized(dtype), "ScalarType {} is not supported in new_qtensor.",
          info(dtype).cpp_name);
  wrap_dim(axis, self.dim());
  throw_no_kernel(c.op(), "QuantizedMeta");
}

// A layout other than strided is of a backend that has no such tensors.
Value empty_per_channel(Call& c) {
  const Value& layout = c.arg(5);
  if (layout.is(Value::Tag::kLayout) && layout.layout() != Layout::kStrided)
    throw_no_kernel(c.op(), "SparseCPU");
  c.fail(ErrorKind::kRuntimeError,
         "Creation of quantized tensor requires quantized dtype like torch.quint8");
}

constexpr FixedString kNotQuantized(
    "Creation of quantized tensor requires quantized dtype like torch.quint8");
constexpr FixedString kOldGru(
    "torch.quantized_gru with List[Tensor] for parameters is no longer supported. Please re-export "
    "your model using the newer definitions in torch.jit.quantized");
constexpr FixedString kOldLstm(
    "torch.quantized_lstm with List[Tensor] for parameters is no longer supported. Please "
    "re-export "
    "your model using the newer definitions in torch.jit.quantized");

// clang-format off
constexpr OpDef kKernelQuantizeRules[] = {
    {"aten::_empty_per_channel_affine_quantized(SymInt[] size, *, Tensor scales, Tensor zero_points, int axis, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=0) -> Tensor", rule<&empty_per_channel>(), kRealKernel},
    {"aten::_fake_quantize_learnable_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max, float grad_factor=1.) -> Tensor", rule<&learnable_per_channel>(), kRealKernel | kRealDerivative},
    {"aten::_fake_quantize_learnable_per_channel_affine_backward(Tensor grad, Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max, float grad_factor=1.) -> (Tensor, Tensor, Tensor)", rule<&learnable_per_channel_backward>(), kRealKernel},
    {"aten::_fake_quantize_learnable_per_tensor_affine(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max, float grad_factor=1.) -> Tensor", rule<&learnable_per_tensor>(), kRealKernel | kRealDerivative},
    {"aten::_fake_quantize_learnable_per_tensor_affine_backward(Tensor grad, Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max, float grad_factor=1.) -> (Tensor, Tensor, Tensor)", rule<&learnable_per_tensor_backward>(), kRealKernel},
    {"aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, Tensor fake_quant_enabled, int quant_min, int quant_max) -> (Tensor output, Tensor mask)", rule<&per_tensor_qparams_cachemask>(), kRealKernel | kRealDerivative, derivative<Derivative{.without_formula = "scale,zero_point,fake_quant_enabled"}>},
    {"aten::_make_per_channel_quantized_tensor(Tensor self, Tensor scale, Tensor zero_point, int axis) -> Tensor", fails<kNotQuantized>(), kRealKernel},
    {"aten::_make_per_tensor_quantized_tensor(Tensor self, float scale, int zero_point) -> Tensor", fails<kNotQuantized>(), kRealKernel},
    {"aten::dequantize.self(Tensor self) -> Tensor", rule<&dequantize>(), kRealKernel},
    {"aten::empty_quantized(int[] size, Tensor qtensor, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", no_cpu_kernel(), kRealKernel},
    {"aten::fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> Tensor", rule<&per_channel>(), kComposite | kRealKernel},
    {"aten::fake_quantize_per_channel_affine_cachemask(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> (Tensor output, Tensor mask)", rule<&per_channel_cachemask>(), kRealKernel | kRealDerivative, derivative<Derivative{.without_formula = "scale,zero_point"}>},
    {"aten::fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> Tensor", rule<&per_tensor>(), kComposite | kRealKernel},
    {"aten::fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max) -> Tensor", rule<&per_tensor_qparams>(), kComposite | kRealKernel},
    {"aten::fake_quantize_per_tensor_affine_cachemask(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> (Tensor output, Tensor mask)", rule<&per_tensor_cachemask>(), kRealKernel | kRealDerivative},
    {"aten::quantize_per_channel(Tensor self, Tensor scales, Tensor zero_points, int axis, ScalarType dtype) -> Tensor", rule<&quantize_per_channel>(), kRealKernel},
    {"aten::quantize_per_tensor_dynamic(Tensor self, ScalarType dtype, bool reduce_range) -> Tensor", rule<&quantize_per_tensor_dynamic>(), kRealKernel},
    {"aten::quantized_gru.data_legacy(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)", fails<kOldGru>(), kRealKernel},
    {"aten::quantized_gru.input_legacy(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)", fails<kOldGru>(), kRealKernel},
    {"aten::quantized_lstm.data_legacy(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, *, ScalarType? dtype=None, bool use_dynamic=False) -> (Tensor, Tensor, Tensor)", fails<kOldLstm>(), kRealKernel},
    {"aten::quantized_lstm.input_legacy(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first, *, ScalarType? dtype=None, bool use_dynamic=False) -> (Tensor, Tensor, Tensor)", fails<kOldLstm>(), kRealKernel},
};
// clang-format on

}  // namespace
}  // namespace rules_of_kernel_quantize

std::span<const OpDef> kernel_quantize_rules() {
  return rules_of_kernel_quantize::kKernelQuantizeRules;
}

}  // namespace faketensor
