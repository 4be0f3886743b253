// Quantization: quantized_decomposed::*, which exported programs hold, and quantize_per_tensor.
//
// Mirrors the Meta functions of torch/ao/quantization/fx/_decomposed.py: they look at dtypes and
// answer torch.empty_like.
#include <cstdint>

#include "core/ops/families/arithmetic.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace rules_of_quantized_decomposed {
namespace {
constexpr auto kAssertion = ErrorKind::kAssertionError;
using OptionalDType = std::optional<DType>;

struct Bounds {
  int64_t least;
  int64_t most;
};
// The values of the dtypes that hold quantized values (_DTYPE_TO_QVALUE_BOUNDS).
std::optional<Bounds> bounds_of(DType dtype) {
  switch (dtype) {
    case DType::kUInt8:
      return Bounds{0, UINT8_MAX};
    case DType::kInt8:
      return Bounds{INT8_MIN, INT8_MAX};
    case DType::kUInt16:
      return Bounds{0, UINT16_MAX};
    case DType::kInt16:
      return Bounds{INT16_MIN, INT16_MAX};
    case DType::kInt32:
      return Bounds{INT32_MIN, INT32_MAX};
    case DType::kFloat8E5M2:
      return Bounds{-57344, 57344};
    case DType::kFloat8E4M3FN:
      return Bounds{-448, 448};
    default:
      return std::nullopt;
  }
}

// _quant_min_max_bounds_check.
void check_bounds(const Call& c, int64_t quant_min, int64_t quant_max, DType dtype) {
  const std::optional<Bounds> bounds = bounds_of(dtype);
  c.check_as(ErrorKind::kValueError, bounds.has_value(), "Unsupported dtype: {}", dtype);
  c.check_as(kAssertion, quant_min >= bounds->least,
             "quant_min out of bounds for dtype, quant_min_lower_bound: {} quant_min: {}",
             bounds->least, quant_min);
  c.check_as(kAssertion, quant_max <= bounds->most,
             "quant_max out of bounds for dtype, quant_max_upper_bound: {} quant_max: {}",
             bounds->most, quant_max);
}

void check_axis(const Call& c, const Tensor& input, int64_t axis) {
  c.check_as(kAssertion, axis < input.dim(), "Expecting axis to be < {}", input.dim());
}

void check_one_element(const Call& c, std::string_view name, const Tensor& tensor) {
  c.check_as(kAssertion, guard_bool(tensor.numel() == 1),
             "Expecting {} tensor to be one element, but received : {}", name, tensor.numel());
}

// Half types are computed in float32; of the others float32 alone is quantized.
const Tensor& as_float32(Call& c, const Tensor& input) {
  return is_reduced_floating(input.dtype()) ? *cast_to(c, input, DType::kFloat32) : input;
}
void check_float32(const Call& c, const Tensor& input) {
  c.check_as(kAssertion, input.dtype() == DType::kFloat32,
             "Expecting input to have dtype torch.float32, but got dtype: {}", input.dtype());
}

// torch.empty_like(input, dtype=), on the device of all tensors of the call.
Tensor* like(Call& c, const Tensor& input, DType dtype) {
  const Tensor* laid_out = c.empty_like(input, dtype);
  return c.empty_strided(laid_out->sizes(), laid_out->strides(), dtype);
}

// Mirrors meta_quantize_per_tensor, torch/_meta_registrations.py, which keeps the dtype: a tensor
// of quantized numbers is none that a fake one could be.
Tensor* quantize_per_tensor(Call& c, const Tensor& input) { return like(c, input, input.dtype()); }
void quantize_list(Call& c) {
  c.fail(ErrorKind::kTypeError,
         "empty_like(): argument 'input' (position 1) must be Tensor, not list");
}

// --- one scale for the tensor ---

Tensor* quantize(Call& c, const Tensor& given, double, const Value&, const Value&, const Value&,
                 DType dtype) {
  const Tensor& input = as_float32(c, given);
  check_float32(c, input);
  return like(c, input, dtype);
}
Tensor* quantize_by_tensor(Call& c, const Tensor& given, const Tensor& scale,
                           const Tensor& zero_point, const Value&, const Value&, DType dtype) {
  const Tensor& input = as_float32(c, given);
  check_one_element(c, "zero_point", zero_point);
  check_one_element(c, "scale", scale);
  check_float32(c, input);
  return like(c, input, dtype);
}
Tensor* dequantize(Call& c, const Tensor& input, double, const Value&, const Value&, const Value&,
                   DType, OptionalDType out_dtype) {
  return like(c, input, out_dtype.value_or(DType::kFloat32));
}
Tensor* dequantize_by_tensor(Call& c, const Tensor& input, const Tensor& scale,
                             const Tensor& zero_point, const Value&, const Value&, DType dtype,
                             OptionalDType out_dtype) {
  check_one_element(c, "zero_point", zero_point);
  check_one_element(c, "scale", scale);
  c.check_as(kAssertion, input.dtype() == dtype, "Expecting input to have dtype: {}, but got {}",
             dtype, input.dtype());
  c.check_as(ErrorKind::kValueError, bounds_of(dtype).has_value(),
             "Unsupported dtype in dequantize_per_tensor: {}", dtype);
  return like(c, input, out_dtype.value_or(DType::kFloat32));
}

// --- one scale per channel ---

Tensor* quantize_per_channel(Call& c, const Tensor& given, const Tensor&, const Tensor&,
                             int64_t axis, int64_t quant_min, int64_t quant_max, DType dtype) {
  const Tensor& input = as_float32(c, given);
  check_float32(c, input);
  check_axis(c, input, axis);
  check_bounds(c, quant_min, quant_max, dtype);
  return like(c, input, dtype);
}
Tensor* dequantize_per_channel(Call& c, const Tensor& input, const Tensor&, Tensor*, int64_t axis,
                               int64_t quant_min, int64_t quant_max, DType dtype,
                               OptionalDType out_dtype) {
  c.check_as(kAssertion, input.dtype() == dtype,
             "Expecting input to have dtype {}, but got dtype: {}", dtype, input.dtype());
  check_axis(c, input, axis);
  check_bounds(c, quant_min, quant_max, dtype);
  return like(c, input, out_dtype.value_or(DType::kFloat32));
}

// Mirrors FakeQuantPerChannel.forward. The channels' parameters get dimensions of size 1 around
// theirs; counted from the end, the axis counts twice.
Tensor* fake_quant_per_channel(Call& c, const Tensor& input, const Tensor& scales,
                               const Tensor& zero_points, int64_t axis) {
  Tensor* scale = cast_to(c, scales, DType::kFloat32);
  Tensor* zero_point = cast_to(c, zero_points, DType::kInt32);
  check_float32(c, input);
  check_axis(c, input, axis);
  const auto widen = [&](Tensor*& tensor, int64_t dim) {
    tensor = &c.tensor<"aten::unsqueeze">(*tensor, dim);
  };
  for (Tensor** tensor : {&scale, &zero_point}) {
    for (int64_t dim = axis + 1; dim < 0 && axis < 0; ++dim) widen(*tensor, dim);
    for (int64_t dim = 0; dim < input.dim(); ++dim) {
      if (dim < axis || dim > axis) widen(*tensor, dim);
    }
  }
  Tensor* scaled = arithmetic(c, input, arithmetic(c, *scale, 1));
  Tensor* shifted = arithmetic(c, arithmetic(c, *scaled, 1), *zero_point);
  return arithmetic(c, arithmetic(c, arithmetic(c, *shifted, 1), *zero_point), *scale);
}

// --- one scale per group of a channel ---

// The group size that holds, for matrices of groups.
SymInt checked_group_size(const Call& c, std::string_view name, const Tensor& input,
                          const Tensor& scales, SymInt group_size) {
  c.check_as(kAssertion, guard_bool(group_size > 1), "group_size must be > 1");
  c.check_as(ErrorKind::kIndexError, input.dim() != 0, "tuple index out of range");
  const SymInt length = input.size(-1);
  if (guard_bool(group_size > length)) {
    c.check_as(ErrorKind::kIndexError, scales.dim() != 0, "tuple index out of range");
    if (guard_bool(scales.size(-1) == 1)) group_size = length;
  }
  c.check_as(kAssertion, guard_bool(mod(length, group_size) == 0),
             "{}.shape[-1] must be divisible by group_size", name);
  c.check_as(kAssertion, input.dim() == 2, "{} must be 2-dimensional", name);
  return group_size;
}

Tensor* quantize_per_group(Call& c, const Tensor& input, const Tensor& scales, const Tensor&,
                           const Value&, const Value&, DType dtype, SymInt group_size) {
  checked_group_size(c, "input", input, scales, group_size);
  return like(c, input, dtype);
}

// Mirrors dequantize_per_channel_group, which is composite.
Value dequantize_per_group(Call& c, const Tensor& input, const Tensor& scales, Tensor* zero_points,
                           const Value&, const Value&, DType, SymInt group_size,
                           DType output_dtype) {
  group_size = checked_group_size(c, "w_int8", input, scales, group_size);
  const DimVector column = {-1, 1};
  Tensor& grouped = c.tensor<"aten::reshape">(input, DimVector{-1, group_size});
  Tensor& scale = c.tensor<"aten::reshape">(scales, column);
  Tensor& zero_point = zero_points != nullptr ? c.tensor<"aten::reshape">(*zero_points, column)
                                              : *c.empty_on(scales.device(), {}, DType::kInt32);
  Tensor& centred = c.tensor<"aten::sub.Tensor">(grouped, zero_point);
  Tensor& values = c.tensor<"aten::mul.Tensor">(centred, scale);
  return c.call<"aten::to.dtype">(c.tensor<"aten::reshape">(values, input.sizes()), output_dtype);
}

// --- one scale per token: all but the last dimension ---

Tensor* quantize_per_token(Call& c, const Tensor& input, const Tensor&, const Tensor&,
                           int64_t quant_min, int64_t quant_max, DType dtype) {
  check_bounds(c, quant_min, quant_max, dtype);
  return like(c, input, dtype);
}
Tensor* dequantize_per_token(Call& c, const Tensor& input, const Tensor&, const Tensor&,
                             int64_t quant_min, int64_t quant_max, DType dtype,
                             DType output_dtype) {
  check_bounds(c, quant_min, quant_max, dtype);
  return like(c, input, output_dtype);
}

// --- scales and zero points of a tensor ---

Value parameters(Call& c, Dims sizes) {
  return c.tuple({c.empty(sizes, DType::kFloat64), c.empty(sizes, DType::kInt64)});
}
Value choose_symmetric(Call& c, const Tensor&) { return parameters(c, DimVector{1}); }
Value choose(Call& c, const Tensor& input, int64_t quant_min, int64_t quant_max) {
  const bool is_float = input.dtype() == DType::kFloat32 || is_reduced_floating(input.dtype());
  c.check_as(kAssertion, is_float,
             "Expecting input to have dtype torch.float32/16/b16, but got dtype: {}",
             input.dtype());
  c.check_as(kAssertion, quant_min < quant_max,
             "Expecting quant_min to be smaller than quant_max but received min: {} max: {}",
             quant_min, quant_max);
  return parameters(c, DimVector{1});
}
Value choose_per_token(Call& c, const Tensor& input) {
  DimVector sizes(input.sizes());
  if (!sizes.empty()) sizes.pop_back();
  sizes.push_back(1);
  return parameters(c, sizes);
}

// Mirrors _choose_qparams_per_token_asymmetric_impl, which is composite.
Value choose_per_token_asymmetric(Call& c, const Tensor& input) {
  const DimVector last = {-1};
  Tensor& least = c.tensor<"aten::amin">(input, last, true);
  Tensor& most = c.tensor<"aten::amax">(input, last, true);
  Tensor& range = c.tensor<"aten::sub.Tensor">(most, least);
  return c.tuple({c.tensor<"aten::to.dtype">(range, DType::kFloat64),
                  c.tensor<"aten::to.dtype">(range, DType::kInt64)});
}

Tensor* convert_element_type(Call& c, const Tensor& input, DType dtype) {
  return like(c, input, dtype);
}

// clang-format off
constexpr OpDef kQuantizedDecomposedRules[] = {
    {"aten::quantize_per_tensor(Tensor self, float scale, int zero_point, ScalarType dtype) -> Tensor", rule<&quantize_per_tensor>(), kNoDerivative},
    {"aten::quantize_per_tensor.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, ScalarType dtype) -> Tensor", rule<&quantize_per_tensor>(), kNoDerivative},
    {"aten::quantize_per_tensor.tensors(Tensor[] tensors, Tensor scales, Tensor zero_points, ScalarType dtype) -> Tensor[]", rule<&quantize_list>(), kNoDerivative},
    {"quantized_decomposed::_choose_qparams_per_token_asymmetric_impl(Tensor input, ScalarType dtype) -> (Tensor, Tensor)", rule<&choose_per_token_asymmetric>(), kComposite},
    {"quantized_decomposed::choose_qparams.tensor(Tensor input, int quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor)", rule<&choose>()},
    {"quantized_decomposed::choose_qparams_per_token(Tensor input, ScalarType dtype) -> (Tensor, Tensor)", rule<&choose_per_token>()},
    {"quantized_decomposed::choose_qparams_per_token_asymmetric(Tensor input, ScalarType dtype) -> (Tensor, Tensor)", rule<&choose_per_token>()},
    {"quantized_decomposed::choose_qparams_symmetric.tensor(Tensor input, int quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor)", rule<&choose_symmetric>()},
    {"quantized_decomposed::convert_element_type.no_fuse(Tensor input, ScalarType dtype) -> Tensor", rule<&convert_element_type>()},
    {"quantized_decomposed::dequantize_per_channel(Tensor input, Tensor scales, Tensor? zero_points, int axis, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor", rule<&dequantize_per_channel>()},
    {"quantized_decomposed::dequantize_per_channel_group(Tensor input, Tensor scales, Tensor? zero_points, int quant_min, int quant_max, ScalarType dtype, int group_size, ScalarType output_dtype) -> Tensor", rule<&dequantize_per_group>(), kByCompositeExplicit},
    {"quantized_decomposed::dequantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor", rule<&dequantize>()},
    {"quantized_decomposed::dequantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor", rule<&dequantize_by_tensor>()},
    {"quantized_decomposed::dequantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor", rule<&dequantize_by_tensor>()},
    {"quantized_decomposed::dequantize_per_token(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype, ScalarType output_dtype) -> Tensor", rule<&dequantize_per_token>()},
    {"quantized_decomposed::fake_quant_per_channel(Tensor input, Tensor scales, Tensor zero_points, int axis, int quant_min, int quant_max) -> Tensor", rule<&fake_quant_per_channel>()},
    {"quantized_decomposed::quantize_per_channel(Tensor input, Tensor scales, Tensor zero_points, int axis, int quant_min, int quant_max, ScalarType dtype) -> Tensor", rule<&quantize_per_channel>()},
    {"quantized_decomposed::quantize_per_channel_group(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype, int group_size) -> Tensor", rule<&quantize_per_group>()},
    {"quantized_decomposed::quantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor", rule<&quantize>()},
    {"quantized_decomposed::quantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor", rule<&quantize_by_tensor>()},
    {"quantized_decomposed::quantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype) -> Tensor", rule<&quantize_by_tensor>()},
    {"quantized_decomposed::quantize_per_token(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype) -> Tensor", rule<&quantize_per_token>()},
};
// clang-format on
}  // namespace
}  // namespace rules_of_quantized_decomposed

std::span<const OpDef> quantized_decomposed_rules() {
  return rules_of_quantized_decomposed::kQuantizedDecomposedRules;
}

}  // namespace faketensor
