// Upsampling: an image, line or volume interpolated to other spatial sizes.
//
// The `.vec` overloads are composites that turn sizes or scale factors into sizes and call the
// overload without a name. Nearest and antialiased interpolation answer by a meta function, linear
// and cubic by a decomposition whose steps (indexing, then arithmetic along each dimension) decide
// the strides.
#include <algorithm>
#include <cmath>

#include "core/ops/derived.h"
#include "core/ops/families/arithmetic.h"
#include "core/ops/families/factory.h"
#include "core/ops/families/into.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/symbolic/arithmetic.h"
#include "core/symbolic/sym_float.h"
#include "core/tensor/contiguity.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_upsample {
namespace {

struct UpsampleParams {
  uint8_t dims = 2;  // spatial dimensions
  bool is_cubic = false;
};

bool all_positive(Dims sizes) {
  for (const SymInt size : sizes) {
    if (!guard_bool(size > 0)) return false;
  }
  return true;
}

// --- sizes ---

// Element `i` of a list of scale factors.
double scale_factor(const Value& factors, size_t i) { return factors[i].to_double(); }

// One output size. Mirrors upsample_compute_output_size and upsample_bicubic2d_vec,
// torch/_decomp/decompositions.py, under the Python dispatcher; else compute_output_size,
// aten/src/ATen/native/UpSample.cpp, which turns symbols into numbers.
SymInt scaled_size(Call& c, SymInt size, double factor, bool is_cubic) {
  if (!size.is_symbolic()) {
    const double scaled = static_cast<double>(size.as_int()) * factor;
    c.check(std::abs(scaled) < 0x1p62,
            "value cannot be converted to type int64_t without overflow");
    return static_cast<int64_t>(scaled);
  }
  const SymFloat scaled = sym_float(size) * SymFloat(factor);
  if (!c.context().python_dispatcher) return checked_to_int(guard_float(scaled));
  const bool is_whole = std::abs(factor) < 0x1p53 && std::trunc(factor) == factor;
  if (is_whole && !is_cubic) return size * static_cast<int64_t>(factor);
  return trunc_to_int(scaled);
}

DimVector output_sizes(Call& c, const Tensor& input, const Value& sizes, const Value& factors,
                       bool is_cubic) {
  static constexpr std::string_view kExpected =
      "Expected static_cast<int64_t>({}->size()) == spatial_dimensions to be true, but got false.  "
      "(Could this error message be improved?  If so, please report an enhancement request to "
      "PyTorch.)";
  c.check(sizes.is_none() != factors.is_none(),
          "Must specify exactly one of output_size and scale_factors");
  const size_t dims = input.sizes().size() - 2;
  if (factors.is_none()) {
    c.check(input.dim() >= 2 && sizes.size() == dims, kExpected, "output_size");
    return DimVector(sizes.ints());
  }
  c.check(input.dim() >= 2 && factors.size() == dims, kExpected, "scale_factors");
  DimVector result;
  for (size_t i = 0; i < dims; ++i)
    result.push_back(scaled_size(c, input.sizes()[i + 2], scale_factor(factors, i), is_cubic));
  return result;
}

// Mirrors upsample_common_check, torch/_meta_registrations.py.
DimVector full_sizes(Call& c, Dims input, Dims output, size_t dims) {
  c.check(output.size() == dims, "It is expected output_size equals to {}, but got size {}", dims,
          output.size());
  c.check(input.size() == dims + 2, "It is expected input_size equals to {}, but got size {}",
          dims + 2, input.size());
  if (!all_positive(input.subspan(2)) || !all_positive(output)) {
    // Sizes that come from a tensor print as torch.Size, those of an argument as a list.
    const bool is_backward = c.op().schema.find_argument("grad_output") >= 0;
    c.check(false,
            "Input and output sizes should be greater than 0, but got input size {} and output "
            "size {}",
            is_backward ? format("{}", input) : format("{}", size_text(input)), output);
  }
  DimVector sizes(input.first(2));
  sizes.append(output);
  return sizes;
}

// What the decompositions ask of an output size that is symbolic: the positions along it are
// torch.arange(size), of which the source's are calculated.
void ask_positions(Call& c, SymInt size) {
  c.check(guard_or_true(size >= 0), "upper bound and lower bound inconsistent with step sign");
  if (size.is_symbolic()) arithmetic(c, *c.empty({size}, DType::kFloat32), SymInt(1));
}

// The scale of a dimension is the quotient of its sizes where it is not given
// (_compute_scale, torch/_decomp/decompositions.py).
void check_scale(Call& c, SymInt out_size, bool align_corners, const Value& scale) {
  if (align_corners) {
    (void)guard_bool(out_size > 1);
    return;
  }
  const bool is_given = !scale.is_none() && !scale.is_unset() &&
                        (scale.is(Value::Tag::kFloat) ? scale.to_double() > 0 : true);
  c.check_as(ErrorKind::kZeroDivisionError, is_given || hint(out_size).value_or(1) != 0,
             "division by zero");
}

// --- nearest ---

// What indexing `input` along its spatial dimensions gives: dense, in the order of the dimensions
// that are not indexed (meta_index_Tensor, torch/_meta_registrations.py).
Tensor* indexed(Call& c, const Tensor& input, Dims sizes, DType dtype, size_t spatial = 3) {
  if (guard_or_false(input.numel() == 0)) return c.empty(sizes, dtype);
  DimVector strides(input.strides());
  for (size_t i = 2; i < std::min(strides.size(), 2 + spatial); ++i) strides[i] = 0;
  const Dims operands[] = {strides};
  return empty_restrided(c, sizes, elementwise_strides(sizes, operands), dtype);
}

// Mirrors _upsample_nearest, torch/_decomp/decompositions.py, which answers for the out= overloads:
// as many dimensions are indexed, from the third on, as sizes are given.
Value upsample_nearest_into(Call& c, const Tensor& input, Dims output, Tensor& out) {
  check_output_devices(c);
  const size_t count = output.size() + 2;
  for (const SymInt size : output) {
    c.check(size >= 0, "upper bound and lower bound inconsistent with step sign");
  }
  c.check(output.empty() || count <= input.sizes().size(),
          "too many indices for tensor of dimension {} (got {})", input.dim(), count);
  DimVector sizes(input.sizes());
  for (size_t i = 0; i < output.size(); ++i) sizes[i + 2] = output[i];
  Value result = *indexed(c, input, sizes, input.dtype(), output.size());
  if (sizes.size() == 4 || sizes.size() == 5) {
    const bool few_on_cuda =
        sizes.size() == 4 && input.device().is_cuda() && guard_bool(sizes[1] < 4);
    result = c.call<"aten::contiguous">(
        result, few_on_cuda ? MemoryFormat::kContiguous : suggest_memory_format(input));
  }
  const MemoryFormat format = suggest_memory_format(result.tensor());
  resize_output(c.context(), out, sizes, strides_for(sizes, format));
  return write_results(c, {&result, 1}, OutBy::kExactDecomposition);
}

// Mirrors upsample_nearest1d, _2d and _3d, torch/_meta_registrations.py; under the Python
// dispatcher _upsample_nearest, torch/_decomp/decompositions.py, which differs for lines.
Value upsample_nearest(Call& c, uint64_t params) {
  const size_t dims = rule_params<UpsampleParams>(params).dims;
  const Tensor& input = c.arg(0).tensor();
  const Dims output = c.arg(1).ints();
  if (Tensor* out = output_of(c); out != nullptr)
    return upsample_nearest_into(c, input, output, *out);
  if (has_symbolic_sizes(input) && c.context().python_dispatcher) {
    for (size_t i = 0; i < output.size(); ++i) {
      check_scale(c, output[i], /*align_corners=*/false,
                  i + 2 < c.args().size() ? c.arg(i + 2) : Value());
      ask_positions(c, output[i]);
    }
    DimVector sizes(input.sizes().first(2));
    sizes.append(output);
    Tensor* result = indexed(c, input, sizes, input.dtype());
    if (dims == 1) return *result;
    MemoryFormat format = suggest_memory_format(input);
    if (dims == 2 && input.device().is_cuda() && guard_bool(sizes[1] < 4))
      format = MemoryFormat::kContiguous;
    if (format == MemoryFormat::kContiguous &&
        is_contiguous_or_false(result->sizes(), result->strides(), result->numel())) {
      return *result;
    }
    return c.call<"aten::contiguous">(*result, format);
  }
  if (guard_bool(input.numel() == 0)) {
    c.check(input.dim() > 0 && guard_bool(numel(input.sizes().subspan(1)) != 0),
            "Non-empty {}D data tensor expected but got a tensor with sizes {}", dims + 2,
            size_text(input.sizes()));
  }
  const DimVector sizes = full_sizes(c, input.sizes(), output, dims);
  if (dims == 1 && c.context().python_dispatcher) return indexed(c, input, sizes, input.dtype());
  MemoryFormat memory_format = suggest_memory_format(input);
  if (dims != 2) return c.empty_strided(sizes, strides_for(sizes, memory_format), input.dtype());
  // The meta function runs on the meta device, where it cannot tell CUDA's preference.
  const bool sees_device = c.context().python_dispatcher;
  if (sees_device && input.device().is_cuda() && guard_bool(sizes[1] < 4))
    memory_format = MemoryFormat::kContiguous;
  return c.call<"aten::contiguous">(*c.empty(sizes, input.dtype()), memory_format);
}

// Mirrors meta_upsample_bimode2d_aa, torch/_meta_registrations.py.
Value upsample_antialiased(Call& c, const Tensor& self, Dims output_size) {
  const DimVector sizes = full_sizes(c, self.sizes(), output_size, 2);
  c.check(guard_bool(self.numel() != 0) || all_positive(self.sizes().subspan(1)),
          "Non-empty 4D data tensor expected but got a tensor with sizes {}",
          size_text(self.sizes()));
  return c.empty_strided(sizes, strides_for(sizes, suggest_memory_format(self)), self.dtype());
}

// --- linear and cubic ---

// Mirrors _upsample_linear and upsample_bicubic2d_default, torch/_decomp/decompositions.py: values
// at indices, weighted along the dimensions from the last to the first.
Value upsample_weighted(Call& c, uint64_t params) {
  const Tensor& input = c.arg(0).tensor();
  const Dims output = c.arg(1).ints();
  const bool align_corners = c.arg(2).to_bool();
  const bool is_cubic = rule_params<UpsampleParams>(params).is_cubic;
  if (is_cubic) {
    c.check_as(ErrorKind::kValueError, input.dim() <= 4, "too many values to unpack (expected 4)");
    c.check_as(ErrorKind::kValueError, input.dim() == 4,
               "not enough values to unpack (expected 4, got {})", input.dim());
  }
  c.check_as(ErrorKind::kIndexError, input.dim() >= 2, "tuple index out of range");
  const size_t dims = input.sizes().size() - 2;
  c.check_as(ErrorKind::kIndexError, dims >= 1 && output.size() >= dims,
             "tuple index out of range");
  DimVector sizes(input.sizes().first(2));
  for (size_t i = 0; i < dims; ++i) {
    check_scale(c, output[i], align_corners, i + 3 < c.args().size() ? c.arg(i + 3) : Value());
    ask_positions(c, output[i]);
    sizes.push_back(output[i]);
  }
  const DType dtype =
      is_float_or_complex(input.dtype()) ? to_opmath(input.dtype()) : c.context().default_dtype;
  Tensor* result = indexed(c, input, sizes, dtype);
  for (size_t i = dims; i-- > 0;) {
    DimVector weight_sizes(dims - i, 1);
    weight_sizes[0] = output[i];
    const Tensor& weight = *c.empty(weight_sizes, dtype);
    if (is_cubic) {  // v1 * w1 + v2 * w2 + ...
      const Tensor& product = *arithmetic(c, *result, weight);
      result = arithmetic(c, product, product);
    } else {  // v1 + (v2 - v1) * w
      const Tensor& difference = *arithmetic(c, *result, *result);
      result = arithmetic(c, *result, *arithmetic(c, difference, weight));
    }
  }
  MemoryFormat memory_format = suggest_memory_format(input);
  if (!is_cubic && input.device().is_cuda() && guard_bool(input.sizes()[1] < 16))
    memory_format = MemoryFormat::kContiguous;
  return cast_to(c, c.tensor<"aten::contiguous">(*result, memory_format), input.dtype());
}

// --- composites ---

// Sizes or scale factors turned into sizes. Nearest modes have no `align_corners`.
template <FixedString base, bool has_align_corners>
Value upsample_vec(Call& c, uint64_t params) {
  const Value& factors = c.arg(has_align_corners ? 3 : 2);
  const DimVector sizes = output_sizes(c, c.arg(0).tensor(), c.arg(1), factors,
                                       rule_params<UpsampleParams>(params).is_cubic);
  SmallVector<Value, 8> arguments = {c.arg(0), c.context().make_ints(sizes)};
  if (has_align_corners) arguments.push_back(c.arg(2));
  for (size_t i = 0; i < sizes.size() && !factors.is_none(); ++i)
    arguments.push_back(scale_factor(factors, i));
  return c.forward<base>(arguments);
}
template <FixedString base>
consteval Rule vec(UpsampleParams params = {}) {
  return family_rule(&upsample_vec<base, true>, params);
}
template <FixedString base>
consteval Rule vec_nearest() {
  return family_rule(&upsample_vec<base, false>, UpsampleParams{});
}

// --- gradients ---

// Raises unless grad_output has the sizes of the output (UpSample*d.cpp, aten/src/ATen/native).
void check_grad_output(Call& c, const Tensor& grad_output, Dims sizes) {
  const int64_t rank = static_cast<int64_t>(sizes.size());
  for (int64_t i = 0; i < rank; ++i) {
    const SymInt expected = sizes[static_cast<size_t>(i)];
    if (rank == 3) {
      const SymInt size = grad_output.size(i);
      c.check(
          grad_output.dim() == rank && guard_bool(size == expected),
          "Expected a tensor of dimension 3 and tensor.size[{}] == {} but got: dimension {} and "
          "tensor.size[{}] = {}",
          i, expected, grad_output.dim(), i, size);
      continue;
    }
    c.check(grad_output.dim() == rank,
            "Expected grad_output to be a tensor of dimension {} but got: dimension {}", rank,
            grad_output.dim());
    c.check(grad_output.size(i) == expected,
            "Expected grad_output to have the same shape as output; output.size({}) = {} but got "
            "grad_output.size({}) = {}",
            i, expected, i, grad_output.size(i));
  }
}

// "H: 4, W: 5"
std::string named_sizes(Dims sizes) {
  static constexpr std::string_view kNames = "DHW";
  std::string text;
  for (size_t i = 0; i < sizes.size(); ++i) {
    text += format("{}{}: {}", i == 0 ? "" : ", ", kNames[3 - sizes.size() + i], sizes[i]);
  }
  return text;
}

// The gradient has the input's sizes. `follows_format` tells whether it takes grad_output's memory
// format. Mirrors the structured kernels' meta functions, aten/src/ATen/native/UpSample*d.cpp.
Value structured_backward(Call& c, size_t dims, bool follows_format) {
  const Tensor& grad_output = c.arg(0).tensor();
  const Dims output = c.arg(1).ints();
  const Dims input = c.arg(2).ints();
  c.check(output.size() == dims, "It is expected output_size equals to {}, but got size {}", dims,
          output.size());
  c.check(input.size() == dims + 2, "It is expected input_size equals to {}, but got size {}",
          dims + 2, input.size());
  c.check(all_positive(input.subspan(2)) && all_positive(output),
          "Input and output sizes should be greater than 0, but got input ({}){}output ({})",
          named_sizes(input.subspan(2)), dims == 1 ? " and " : " ", named_sizes(output));
  DimVector sizes(input.first(2));
  sizes.append(output);
  check_grad_output(c, grad_output, sizes);
  const MemoryFormat memory_format =
      follows_format ? suggest_memory_format(grad_output) : MemoryFormat::kContiguous;
  return c.empty_strided(input, strides_for(input, memory_format), grad_output.dtype());
}
template <size_t dims, bool follows_format>
Value backward(Call& c, uint64_t) {
  return structured_backward(c, dims, follows_format);
}

// Mirrors upsample_nearest2d_backward, torch/_meta_registrations.py.
Value upsample_nearest2d_backward(Call& c, const Tensor& grad_output, Dims output_size,
                                  Dims input_size) {
  check_grad_output(c, grad_output, full_sizes(c, input_size, output_size, 2));
  return c.empty_strided(input_size, strides_for(input_size, suggest_memory_format(grad_output)),
                         grad_output.dtype());
}

// Mirrors meta_upsample_bimode2d_aa_backward, torch/_meta_registrations.py, whose message begins
// with a line break.
Value upsample_antialiased_backward(Call& c, const Tensor& grad_output, Dims output_size,
                                    Dims input_size) {
  const DimVector sizes = full_sizes(c, input_size, output_size, 2);
  c.check(grad_output.dim() == 4,
          "Expected grad_output to be a tensor of dimension 4 but got: dimension {}",
          grad_output.dim());
  for (int64_t i = 0; i < 4; ++i) {
    const SymInt expected = sizes[static_cast<size_t>(i)];
    c.check(grad_output.size(i) == expected,
            "\nExpected grad_output to have the same shape as output; output.size({}) = {}\n"
            "but got grad_output_size({}) = {}",
            i, expected, i, grad_output.size(i));
  }
  return c.empty_strided(input_size, strides_for(input_size, suggest_memory_format(grad_output)),
                         grad_output.dtype());
}

consteval Rule nearest(uint8_t dims) {
  return family_rule(&upsample_nearest, UpsampleParams{.dims = dims});
}
consteval Rule weighted(UpsampleParams params) { return family_rule(&upsample_weighted, params); }

// clang-format off
constexpr OpDef kUpsampleRules[] = {
    {"aten::_upsample_bicubic2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", rule<&upsample_antialiased>(), kRealDerivative},
    {"aten::_upsample_bicubic2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", vec<"aten::_upsample_bicubic2d_aa">(), kComposite | kSpecializes | kRealDerivative},
    {"aten::_upsample_bicubic2d_aa_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", {&backward<2, false>}, kByStructured | kRealDerivative},
    {"aten::_upsample_bilinear2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", rule<&upsample_antialiased>(), kRealDerivative},
    {"aten::_upsample_bilinear2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", vec<"aten::_upsample_bilinear2d_aa">(), kComposite | kSpecializes | kRealDerivative},
    {"aten::_upsample_bilinear2d_aa_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", rule<&upsample_antialiased_backward>(), kRealDerivative},
    {"aten::_upsample_lanczos2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", rule<&upsample_antialiased>(), kRealDerivative},
    {"aten::_upsample_lanczos2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", vec<"aten::_upsample_lanczos2d_aa">(), kComposite | kSpecializes | kRealDerivative},
    {"aten::_upsample_lanczos2d_aa_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", rule<&upsample_antialiased_backward>(), kRealDerivative},
    {"aten::_upsample_nearest_exact1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor", nearest(1), kRealDerivative},
    {"aten::_upsample_nearest_exact1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", vec_nearest<"aten::_upsample_nearest_exact1d">(), kComposite | kSpecializes | kRealDerivative},
    {"aten::_upsample_nearest_exact1d_backward(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, float? scales=None) -> Tensor", {&backward<1, false>}, kByStructured | kRealDerivative},
    {"aten::_upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor", nearest(2), kRealDerivative},
    {"aten::_upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", vec_nearest<"aten::_upsample_nearest_exact2d">(), kComposite | kSpecializes | kRealDerivative},
    {"aten::_upsample_nearest_exact2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, float? scales_h=None, float? scales_w=None) -> Tensor", rule<&upsample_nearest2d_backward>(), kRealDerivative},
    {"aten::_upsample_nearest_exact3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor", nearest(3), kRealDerivative},
    {"aten::_upsample_nearest_exact3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", vec_nearest<"aten::_upsample_nearest_exact3d">(), kComposite | kSpecializes | kRealDerivative},
    {"aten::_upsample_nearest_exact3d_backward(Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor", {&backward<3, false>}, kByStructured | kRealDerivative},
    {"aten::upsample_bicubic2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", weighted({.is_cubic = true}), kByDecomp | kRealDerivative},
    {"aten::upsample_bicubic2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", vec<"aten::upsample_bicubic2d">({.is_cubic = true}), kComposite | kSpecializes | kRealDerivative},
    {"aten::upsample_bicubic2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", {&backward<2, false>}, kByStructured | kRealDerivative},
    {"aten::upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", weighted({}), kByDecomp | kRealDerivative},
    {"aten::upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", vec<"aten::upsample_bilinear2d">(), kComposite | kSpecializes | kRealDerivative},
    {"aten::upsample_bilinear2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", {&backward<2, true>}, kByStructured | kRealDerivative},
    {"aten::upsample_linear1d(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor", weighted({}), kByDecomp | kRealDerivative},
    {"aten::upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", vec<"aten::upsample_linear1d">(), kComposite | kSpecializes | kRealDerivative},
    {"aten::upsample_linear1d_backward(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, bool align_corners, float? scales=None) -> Tensor", {&backward<1, false>}, kByStructured | kRealDerivative},
    {"aten::upsample_nearest1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor", nearest(1), kRealDerivative},
    {"aten::upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", vec_nearest<"aten::upsample_nearest1d">(), kComposite | kSpecializes | kRealDerivative},
    {"aten::upsample_nearest1d_backward(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, float? scales=None) -> Tensor", {&backward<1, false>}, kByStructured | kRealDerivative},
    {"aten::upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor", nearest(2), kRealDerivative},
    {"aten::upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", vec_nearest<"aten::upsample_nearest2d">(), kComposite | kSpecializes | kRealDerivative},
    {"aten::upsample_nearest2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, float? scales_h=None, float? scales_w=None) -> Tensor", rule<&upsample_nearest2d_backward>(), kRealDerivative},
    {"aten::upsample_nearest3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor", nearest(3), kRealDerivative},
    {"aten::upsample_nearest3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", vec_nearest<"aten::upsample_nearest3d">(), kComposite | kSpecializes | kRealDerivative},
    {"aten::upsample_nearest3d_backward(Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor", {&backward<3, false>}, kByStructured | kRealDerivative},
    {"aten::upsample_trilinear3d(Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor", weighted({}), kByDecomp | kRealDerivative},
    {"aten::upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", vec<"aten::upsample_trilinear3d">(), kComposite | kSpecializes | kRealDerivative},
    {"aten::upsample_trilinear3d_backward(Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor", {&backward<3, true>}, kByStructured | kRealDerivative},
};
// clang-format on
}  // namespace
}  // namespace rules_of_upsample

std::span<const OpDef> upsample_rules() { return rules_of_upsample::kUpsampleRules; }

}  // namespace faketensor
