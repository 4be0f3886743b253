// Convolutions.
#include "core/ops/families/convolution.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "core/devices/conv_layout.h"
#include "core/ops/derived.h"
#include "core/ops/families/into.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/contiguity.h"
#include "core/tensor/cpp_type_name.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_convolution {
namespace {

struct ConvArgs {
  const Tensor& input;
  const Tensor& weight;
  Tensor* bias;
  const ConvLists& lists;
  bool transposed;
  SymInt groups;
};

bool are_numbers(Dims values) {
  for (const SymInt value : values) {
    if (value.is_symbolic()) return false;
  }
  return true;
}

bool any_below(Dims values, int64_t bound) {
  for (const SymInt value : values) {
    if (guard_or_false(value < bound)) return true;
  }
  return false;
}

// "2 x 3"
std::string joined(Dims values) {
  std::string text;
  for (const SymInt value : values) text += (text.empty() ? "" : " x ") + to_string(value);
  return text;
}

void check_bias(Call& c, const ConvArgs& conv, SymInt elements, std::string_view given) {
  if (conv.bias == nullptr) return;
  c.check(conv.bias->dim() == 1 ? conv.bias->size(0) == elements : SymBool(false),
          "Given {}weight of size {}, expected bias to be 1-dimensional with {} elements, but got "
          "bias of size {} instead",
          given, conv.weight.sizes(), elements, conv.bias->sizes());
}

void check_channels(Call& c, const ConvArgs& conv) {
  const Tensor& weight = conv.weight;
  const Tensor& input = conv.input;
  const SymInt outputs = weight.sizes()[0];
  const SymInt given = input.sizes()[1];
  c.check(outputs >= conv.groups,
          "Given groups={}, expected weight to be at least {} at dimension 0, but got weight of "
          "size {} instead",
          conv.groups, conv.groups, weight.sizes());
  c.check(mod(outputs, conv.groups) == 0,
          "Given groups={}, expected weight to be divisible by {} at dimension 0, but got weight "
          "of size {} instead",
          conv.groups, conv.groups, weight.sizes());
  if (conv.transposed) {
    c.check(given == outputs,
            "Given transposed=1, weight of size {}, expected input{} to have {} channels, but got "
            "{} channels instead",
            weight.sizes(), input.sizes(), outputs, given);
    check_bias(c, conv, weight.sizes()[1] * conv.groups, "transposed=1, ");
  } else {
    const SymInt channels = weight.sizes()[1] * conv.groups;
    c.check(given == channels,
            "Given groups={}, weight of size {}, expected input{} to have {} channels, but got {} "
            "channels instead",
            conv.groups, weight.sizes(), input.sizes(), channels, given);
    check_bias(c, conv, outputs, "");
  }
}

SymInt padded_size(const ConvArgs& conv, size_t i) {
  return conv.input.sizes()[i + 2] + 2 * conv.lists.padding[i];
}
SymInt kernel_size(const ConvArgs& conv, size_t i) {
  return conv.lists.dilation[i] * (conv.weight.sizes()[i + 2] - 1) + 1;
}

[[noreturn, gnu::cold]] void refuse_kernel(Call& c, const ConvArgs& conv) {
  DimVector padded;
  DimVector kernel;
  for (size_t i = 0; i + 2 < conv.input.sizes().size(); ++i) {
    padded.push_back(padded_size(conv, i));
    kernel.push_back(kernel_size(conv, i));
  }
  c.fail(ErrorKind::kRuntimeError,
         format("Calculated padded input size per channel: ({}). Kernel size: ({}). Kernel size "
                "can't be greater than actual input size",
                joined(padded), joined(kernel)));
}

void check_kernel_fits(Call& c, const ConvArgs& conv) {
  bool fits = true;
  for (size_t i = 0; i + 2 < conv.input.sizes().size(); ++i) {
    const SymInt padding = conv.lists.padding[i];
    // padding <= INT64_MAX - padding, of which the half keeps both sides within 64 bits.
    const SymInt room = SymInt(std::numeric_limits<int64_t>::max() / 2) - padding;
    c.check(guard_bool(padding <= room), "padding is too large");
    if (guard_or_false(padded_size(conv, i) < kernel_size(conv, i))) fits = false;
  }
  if (!fits) refuse_kernel(c, conv);
}

// Mirrors check_shape_forward, aten/src/ATen/native/Convolution.cpp.
void check_convolution(Call& c, const ConvArgs& conv) {
  const int64_t rank = conv.weight.dim();
  c.check(!any_below(conv.lists.padding, 0), "negative padding is not supported");
  c.check(!any_below(conv.lists.output_padding, 0), "negative output_padding is not supported");
  c.check(!any_below(conv.lists.stride, 1), "non-positive stride is not supported");
  c.check(!any_below(conv.lists.dilation, 0), "dilation should be greater than zero");
  c.check(rank == conv.input.dim(),
          "Expected {}-dimensional input for {}-dimensional weight {}, but got {}-dimensional "
          "input of size {} instead",
          rank, rank, conv.weight.sizes(), conv.input.dim(), conv.input.sizes());
  c.check(conv.groups > 0, "expected groups to be greater than 0, but got groups={}", conv.groups);
  check_channels(c, conv);
  if (!conv.transposed) check_kernel_fits(c, conv);
  const bool may_be_empty = rank < 3 || guard_or_false(conv.input.size(0) == 0) ||
                            guard_or_false(conv.input.size(1) == 0);
  c.check(may_be_empty || guard_or_true(conv.input.numel() != 0),
          "Only zero batch or zero channel inputs are supported, but got input shape: {}",
          conv.input.sizes());
}

// Whether the shapes are numbers, of which what was asked once need not be asked again.
bool are_numbers(const ConvArgs& conv) {
  return !conv.input.meta->has_symbols() && !conv.weight.meta->has_symbols() &&
         !conv.groups.is_symbolic() && are_numbers(conv.lists.padding) &&
         are_numbers(conv.lists.dilation);
}

// The checks of the meta function, which are all there are where a size has no hint.
void check_return_shape(Call& c, const ConvArgs& conv) {
  if (conv.transposed) return;
  c.check(conv.weight.size(1) * conv.groups == conv.input.size(1), "Invalid channel dimensions");
  SymBool fits = true;
  for (size_t i = 0; i + 2 < conv.input.sizes().size(); ++i)
    fits = sym_and(fits, padded_size(conv, i) >= kernel_size(conv, i));
  if (!expect_true(fits)) refuse_kernel(c, conv);
}

// Mirrors calc_conv_nd_return_shape, torch/_meta_registrations.py.
DimVector output_sizes(Call& c, const ConvArgs& conv) {
  const Dims input = conv.input.sizes();
  const Dims kernel = conv.weight.sizes();
  DimVector sizes = {input[0], conv.transposed ? conv.groups * kernel[1] : kernel[0]};
  for (size_t i = 0; i + 2 < input.size(); ++i) {
    const SymInt reach = conv.lists.dilation[i] * (kernel[i + 2] - 1);
    sizes.push_back(conv.transposed
                        ? (input[i + 2] - 1) * conv.lists.stride[i] - 2 * conv.lists.padding[i] +
                              reach + conv.lists.output_padding[i] + 1
                        : floor_div(input[i + 2] + 2 * conv.lists.padding[i] - reach - 1,
                                    conv.lists.stride[i]) +
                              1);
  }
  const Dims spatial = Dims(sizes.data() + 2, sizes.size() - 2);
  if (!conv.input.device().is_cuda()) {
    SymBool any_positive = false;
    for (const SymInt size : spatial) any_positive = sym_or(any_positive, size > 0);
    c.check(any_positive,
            "Given input size per channel: {}. Calculated output size per channel: {}. Output size "
            "is too small",
            input.subspan(2), spatial);
  }
  if (guard_or_false(input[1] == 0)) sizes[1] = 0;
  return sizes;
}

// The operand's sizes and strides, those of a 1-d one as 2-d, as view4d makes them.
class Operand {
 public:
  Operand(const Tensor& tensor, bool make_contiguous)
      : sizes(tensor.sizes()), strides(tensor.strides()) {
    if (sizes.size() != 3) return;
    wide_sizes_ = sizes;
    wide_strides_ = strides;
    if (make_contiguous && !tensor.is_contiguous()) wide_strides_ = contiguous_strides(sizes);
    wide_strides_.insert(2, wide_sizes_[2] * wide_strides_[2]);
    wide_sizes_.insert(2, 1);
    sizes = wide_sizes_;
    strides = wide_strides_;
  }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;

  Dims sizes;
  Dims strides;

 private:
  DimVector wide_sizes_;
  DimVector wide_strides_;
};

bool all_hinted(const Tensor& tensor) {
  return !tensor.meta->has_symbols() ||
         std::all_of(tensor.sizes().begin(), tensor.sizes().end(),
                     [](SymInt size) { return hint(size).has_value(); });
}

bool looks_channels_last(const Tensor& tensor) {
  return tensor.meta->has(kChannelsLastStrides) || tensor.meta->has(kChannelsLast3dStrides);
}

// view4d of C++ calls unsqueeze, which FakeTensorMode answers like any other call.
void ask_viewed(Call& c, const ConvArgs& conv) {
  for (const Tensor* operand : {&conv.input, &conv.weight}) {
    if (!has_symbolic_sizes(*operand)) continue;
    const bool is_copied = operand == &conv.input && !operand->is_contiguous();
    c.call<"aten::unsqueeze">(
        is_copied ? *c.empty_like(*operand, {}, MemoryFormat::kContiguous) : *operand, 2);
  }
}

// The back-end's memory format; none where sizes have no hint to choose a back-end by.
std::optional<MemoryFormat> backend_format(Call& c, const ConvArgs& conv) {
  if (!all_hinted(conv.input) || !all_hinted(conv.weight)) return std::nullopt;
  // No back-end gives another format than its operands have.
  const bool is_viewed = conv.input.dim() == 3;
  if (!is_viewed && !has_symbolic_sizes(conv.input) && !has_symbolic_sizes(conv.weight) &&
      !looks_channels_last(conv.input) && !looks_channels_last(conv.weight))
    return MemoryFormat::kContiguous;
  if (is_viewed) ask_viewed(c, conv);
  const Operand input(conv.input, /*make_contiguous=*/true);
  const Operand weight(conv.weight, /*make_contiguous=*/false);
  ConvGeometry geometry{.input_sizes = input.sizes,
                        .input_strides = input.strides,
                        .weight_sizes = weight.sizes,
                        .weight_strides = weight.strides};
  geometry.input_dtype = conv.input.dtype();
  geometry.weight_dtype = conv.weight.dtype();
  geometry.device = conv.input.device();
  geometry.transposed = conv.transposed;
  geometry.groups = conv.groups;
  const auto not_one = [](SymInt value) { return guard_or_false(value != 1); };
  geometry.strided = std::any_of(conv.lists.stride.begin(), conv.lists.stride.end(), not_one);
  geometry.dilated = std::any_of(conv.lists.dilation.begin(), conv.lists.dilation.end(), not_one);
  for (size_t i = 0; i < conv.lists.stride.size(); ++i) {
    geometry.big_output_padding |=
        guard_or_false(conv.lists.output_padding[i] >= conv.lists.stride[i]);
  }
  DimVector padding;
  if (is_viewed) padding.push_back(0);
  for (const SymInt size : conv.lists.padding) padding.push_back(size);
  geometry.padding = padding;
  return conv_memory_format(c.target(), geometry);
}

// Strides after `.to(memory_format=...)`, which leaves alone what already looks as asked. Of three
// dimensions the last is the width of an image of height 1.
DimVector converted(Dims sizes, const DimVector& strides, MemoryFormat format) {
  if (sizes.size() == 3) {
    if (format != MemoryFormat::kChannelsLast) return strides;
    const DimVector wide = channels_last_strides(DimVector{sizes[0], sizes[1], 1, sizes[2]});
    return {wide[0], wide[1], wide[3]};
  }
  const bool is_2d = has_channels_last_strides(sizes, strides);
  const bool is_3d = !is_2d && has_channels_last_3d_strides(sizes, strides);
  const MemoryFormat look = is_2d   ? MemoryFormat::kChannelsLast
                            : is_3d ? MemoryFormat::kChannelsLast3d
                                    : MemoryFormat::kContiguous;
  return look == format ? strides : strides_for(sizes, format);
}

// The lists of a call as the meta function reads them: as far as the input has spatial dimensions,
// with no word about those beyond. Mirrors calc_conv_nd_return_shape, torch/_meta_registrations.py.
ConvLists lists_for_input(Call& c, const Tensor& input, const Tensor& weight,
                          const ConvLists& given, bool transposed, SymInt groups) {
  c.check_as(ErrorKind::kIndexError, weight.dim() >= 2 && input.dim() >= 2,
             "tuple index out of range");
  c.check(transposed ? SymBool(true) : weight.size(1) * groups == input.size(1),
          "Invalid channel dimensions");
  const size_t rank = input.sizes().size() - 2;
  const auto values = [&](Dims list) -> Dims {
    if (list.size() == 1) return c.context().arena().copy(Dims(DimVector(rank, list[0])));
    c.check_as(ErrorKind::kIndexError, list.size() >= rank, "list index out of range");
    return list.first(rank);
  };
  constexpr SymInt kNone[] = {0};
  const bool pads_output = transposed && !given.output_padding.empty();
  ConvLists lists;
  lists.stride = values(given.stride);
  lists.padding = values(given.padding);
  lists.dilation = values(given.dilation);
  lists.output_padding = values(pads_output ? given.output_padding : Dims(kNone));
  c.check_as(ErrorKind::kIndexError, weight.dim() >= input.dim(), "tuple index out of range");
  return lists;
}

// convolution.out: the Meta kernel alone, without the checks of a back-end. Mirrors meta_conv,
// torch/_meta_registrations.py.
Value convolution_out(Call& c, const ConvLists& given, const Tensor& input, const Tensor& weight,
                      bool transposed, SymInt groups) {
  const ConvLists lists = lists_for_input(c, input, weight, given, transposed, groups);
  const ConvArgs conv = {input, weight, nullptr, lists, transposed, groups};
  const Value result = *c.context().empty(output_sizes(c, conv), input.dtype(), input.device());
  return write_copies(c, {&result, 1});
}

// Mirrors conv, torch/_subclasses/fake_impls.py: the meta function's contiguous result, then
// `.to(memory_format=...)`.
Value convolution(Call& c, const Tensor& input, const Tensor& weight, Tensor* bias, Dims stride,
                  Dims padding, Dims dilation, bool transposed, Dims output_padding,
                  SymInt groups) {
  const ConvLists given = {stride, padding, dilation, output_padding};
  if (output_of(c) != nullptr) return convolution_out(c, given, input, weight, transposed, groups);
  c.check(input.dtype() == weight.dtype(),
          "Input type ({}) and weight type ({}) should be the same", input.dtype(), weight.dtype());
  const bool by_backend = all_hinted(input) && all_hinted(weight);
  const ConvLists lists = by_backend ? expand_lists(c, weight, given)
                                     : lists_for_input(c, input, weight, given, transposed, groups);
  const ConvArgs conv = {input, weight, bias, lists, transposed, groups};
  std::optional<MemoryFormat> format;
  if (by_backend) {
    check_convolution(c, conv);
    c.check(weight.dim() > 2, "weight should have at least three dimensions");
    format = backend_format(c, conv);
  }
  if (!by_backend || !are_numbers(conv)) check_return_shape(c, conv);
  const DimVector sizes = output_sizes(c, conv);
  Tensor* output = c.context().empty(sizes, input.dtype(), input.device());
  if (!format || tensor_memory_format(*output) == *format) return *output;
  return *c.context().empty(sizes, input.dtype(), input.device(),
                            converted(sizes, contiguous_strides(sizes), *format));
}

using OptionalDims = std::optional<Dims>;

// Mirrors conv, torch/_subclasses/fake_impls.py, and meta_convolution_backward,
// torch/_meta_registrations.py: gradients have the dtype of the output's gradient, the device of
// the input, and first the format of input or weight, then the back-end's.
Value convolution_backward(Call& c, const Tensor& grad_output, const Tensor& input,
                           const Tensor& weight, OptionalDims bias_sizes, Dims stride, Dims padding,
                           Dims dilation, bool transposed, Dims output_padding, SymInt groups,
                           const Value& output_mask) {
  // convolution_backward.out is the Meta kernel alone, without the checks of a back-end.
  const bool is_out = output_of(c) != nullptr;
  std::optional<MemoryFormat> format;
  if (!is_out && all_hinted(input) && all_hinted(weight)) {
    const ConvLists lists = expand_lists(c, weight, {stride, padding, dilation, output_padding});
    const ConvArgs conv = {input, weight, nullptr, lists, transposed, groups};
    check_convolution(c, conv);
    format = backend_format(c, conv);
  }
  const MemoryFormat by_weight = suggest_memory_format(weight);
  const MemoryFormat by_input = suggest_memory_format(input);
  const MemoryFormat first = by_input == MemoryFormat::kContiguous ? by_weight : by_input;
  const auto gradient = [&](Dims sizes) {
    DimVector strides = contiguous_strides(sizes);
    if (sizes.size() > 3) strides = converted(sizes, strides, first);
    if (format) strides = converted(sizes, strides, *format);
    return c.context().empty(sizes, grad_output.dtype(), input.device(), strides);
  };
  const auto wanted = [&](size_t i) { return output_mask[i].to_bool(); };
  Tensor* grad_input = wanted(0) ? gradient(input.sizes()) : nullptr;
  Tensor* grad_weight = wanted(1) ? gradient(weight.sizes()) : nullptr;
  Tensor* grad_bias = nullptr;
  if (wanted(2)) {
    c.check_as(ErrorKind::kTypeError, bias_sizes.has_value(),
               "new_empty(): argument 'size' (position 1) must be tuple of ints, not NoneType");
    grad_bias = c.context().empty(*bias_sizes, grad_output.dtype(), input.device());
  }
  const Value gradients[] = {grad_input, grad_weight, grad_bias};
  return is_out ? write_copies(c, gradients) : c.list(gradients);
}

// The input with a batch dimension (aten/src/ATen/native/Convolution.cpp, batchify).
const Tensor& batched(Call& c, const Tensor& input, int64_t spatial, bool& is_batched) {
  is_batched = input.dim() == spatial + 2;
  c.check(is_batched || input.dim() == spatial + 1,
          "Expected {}D (unbatched) or {}D (batched) input to {}, but got input of size: {}",
          spatial + 1, spatial + 2, c.op().packet(), input.sizes());
  return is_batched ? input : c.tensor<"aten::unsqueeze">(input, 0);
}

Value unbatched(Call& c, const Tensor& output, bool is_batched) {
  return is_batched ? Value(output) : c.call<"aten::squeeze.dim">(output, 0);
}

// "CUDAComplexFloatType", Tensor::toString.
std::string tensor_type_text(const Tensor& tensor) {
  const std::string_view device = tensor.device().is_cuda()  ? "CUDA"
                                  : tensor.device().is_cpu() ? "CPU"
                                                             : "Meta";
  return format("{}{}Type", device, info(tensor.dtype()).cpp_name);
}

// Mirrors check_input_same_type_as_parameters, aten/src/ATen/native/Convolution.cpp.
void check_same_type(Call& c, const Tensor& input, const Tensor& weight, const Tensor* bias) {
  const auto check = [&](const Tensor& parameter, std::string_view name) {
    if (input.dtype() == parameter.dtype() && input.device().type == parameter.device().type)
      return;
    c.fail(ErrorKind::kRuntimeError,
           format("Input type ({}) and {} type ({}) should be the same", tensor_type_text(input),
                  name, tensor_type_text(parameter)));
  };
  check(weight, "weight");
  if (bias != nullptr) check(*bias, "bias");
}

struct ComplexParts {
  Value real, imaginary;
  Value sum(Call& c) const { return c.call<"aten::add.Tensor">(real, imaginary); }
};
ComplexParts complex_parts(Call& c, const Tensor& x) {
  const Value pairs = c.call<"aten::view_as_real">(c.call<"aten::resolve_conj">(x));
  return {c.call<"aten::select.int">(pairs, -1, 0), c.call<"aten::select.int">(pairs, -1, 1)};
}

// Three real convolutions make a complex one (complex_convolution,
// aten/src/ATen/native/Convolution.cpp); `convolve` takes input, weight and bias.
template <typename Convolve>
Value complex_convolution(Call& c, const Tensor& input, const Tensor& weight, const Tensor* bias,
                          Convolve convolve) {
  check_same_type(c, input, weight, bias);
  const ComplexParts x = complex_parts(c, input);
  const ComplexParts w = complex_parts(c, weight);
  const ComplexParts b = bias == nullptr ? ComplexParts() : complex_parts(c, *bias);
  const Value first = convolve(x.real, w.real, b.real);
  const Value second = convolve(x.imaginary, w.imaginary, Value());
  const Value third = convolve(x.sum(c), w.sum(c), bias == nullptr ? Value() : b.sum(c));
  const Value real = c.call<"aten::sub.Tensor">(first, second);
  const Value rest = c.call<"aten::sub.Tensor">(c.call<"aten::sub.Tensor">(third, first), second);
  static constexpr double kI[] = {0, 1};
  return c.call<"aten::add.Tensor">(real, c.call<"aten::mul.Tensor">(rest, Value::complex(kI)));
}

// A convolution, in real parts where the input is complex.
Value convolve(Call& c, const Tensor& input, const Tensor& weight, const Tensor* bias, Dims stride,
               Dims padding, Dims dilation, bool transposed, Dims output_padding, SymInt groups) {
  const auto run = [&](const Value& x, const Value& w, const Value& b) {
    return c.call<"aten::convolution">(x, w, b, stride, padding, dilation, transposed,
                                       output_padding, groups);
  };
  if (is_complex(input.dtype())) return complex_convolution(c, input, weight, bias, run);
  return run(input, weight, bias == nullptr ? Value() : Value(*bias));
}

// conv1d, conv2d, conv3d: spatial dimensions from the schema's list sizes.
template <int64_t kSpatial>
Value conv_nd(Call& c, const Tensor& input, const Tensor& weight, Tensor* bias, Dims stride,
              Dims padding, Dims dilation, SymInt groups) {
  if (bias != nullptr) {
    c.check(bias->dtype() == input.dtype(), "Input type ({}) and bias type ({}) should be the same",
            cpp_type_name(input.dtype()), cpp_type_name(bias->dtype()));
  }
  bool is_batched = true;
  const Tensor& batch = batched(c, input, kSpatial, is_batched);
  const DimVector none(kSpatial, SymInt(0));
  const Value output =
      convolve(c, batch, weight, bias, stride, padding, dilation, false, none, groups);
  return unbatched(c, output.tensor(), is_batched);
}

template <int64_t kSpatial>
Value conv_transpose_nd(Call& c, const Tensor& input, const Tensor& weight, Tensor* bias,
                        Dims stride, Dims padding, Dims output_padding, SymInt groups,
                        Dims dilation) {
  bool is_batched = true;
  const Tensor& batch = batched(c, input, kSpatial, is_batched);
  const Value output =
      convolve(c, batch, weight, bias, stride, padding, dilation, true, output_padding, groups);
  return unbatched(c, output.tensor(), is_batched);
}

// Mirrors convolution_same, aten/src/ATen/native/Convolution.cpp.
Value convolution_same(Call& c, const Tensor& input, const Tensor& weight, Tensor* bias,
                       Dims stride, Dims dilation, SymInt groups) {
  const int64_t rank = weight.dim();
  c.check(rank > 2, "weight should have at least three dimensions");
  c.check(groups > 0, "non-positive groups is not supported");
  c.check(rank == input.dim(),
          "Expected {}-dimensional input for {}-dimensional weight{}, but got {}-dimensional "
          "input of size {} instead",
          rank, rank, weight.sizes(), input.dim(), input.sizes());
  const auto spatial = static_cast<size_t>(rank - 2);
  c.check(stride.size() == spatial || stride.size() == 1,
          "stride cannot broadcast to {} dimensions", static_cast<int64_t>(spatial));
  c.check(dilation.size() == spatial || dilation.size() == 1,
          "dilation cannot broadcast to {} dimensions", static_cast<int64_t>(spatial));
  for (const SymInt step : stride)
    c.check(step == 1, "padding='same' is not supported for strided convolutions");
  DimVector padding(spatial);
  DimVector extra(2 * static_cast<size_t>(spatial), SymInt(0));
  bool symmetric = true;
  for (size_t i = 0; i < spatial; ++i) {
    const SymInt total =
        (dilation.size() == 1 ? dilation[0] : dilation[i]) * (weight.sizes()[i + 2] - 1);
    padding[i] = floor_div(total, 2);
    const SymInt rest = total - 2 * padding[i];
    extra[2 * (spatial - 1 - i) + 1] = rest;
    symmetric = symmetric && guard_or_false(rest == 0);
  }
  const Tensor& padded = symmetric ? input : c.tensor<"aten::constant_pad_nd">(input, extra, 0);
  return c.call<"aten::convolution">(padded, weight, bias, stride, padding, dilation, false,
                                     DimVector(spatial, SymInt(0)), groups);
}

// Mirrors _convolution_mode, aten/src/ATen/native/Convolution.cpp.
Value convolution_mode(Call& c, const Tensor& input, const Tensor& weight, Tensor* bias,
                       Dims stride, std::string_view padding, Dims dilation, SymInt groups) {
  if (padding == "same") return convolution_same(c, input, weight, bias, stride, dilation, groups);
  c.check(padding == "valid", "Invalid padding string: '{}'", padding);
  const DimVector none(static_cast<size_t>(std::max<int64_t>(weight.dim() - 2, 0)), SymInt(0));
  return c.call<"aten::convolution">(input, weight, bias, stride, none, dilation, false, none,
                                     groups);
}

template <int64_t kSpatial>
Value conv_nd_padding(Call& c, const Tensor& input, const Tensor& weight, Tensor* bias, Dims stride,
                      std::string_view padding, Dims dilation, SymInt groups) {
  bool is_batched = true;
  const Tensor& batch = batched(c, input, kSpatial, is_batched);
  const auto run = [&](const Value& x, const Value& w, const Value& b) {
    return c.call<"aten::_convolution_mode">(x, w, b, stride, padding, dilation, groups);
  };
  const Value output = is_complex(input.dtype())
                           ? complex_convolution(c, batch, weight, bias, run)
                           : run(batch, weight, bias == nullptr ? Value() : Value(*bias));
  return unbatched(c, output.tensor(), is_batched);
}

// clang-format off
constexpr OpDef kConvolution[] = {
    {"aten::_convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor", rule<&convolution>(), kByFakeImpl | kRealDerivative},
    {"aten::_convolution_mode(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, str padding, SymInt[] dilation, SymInt groups) -> Tensor", rule<&convolution_mode>(), kComposite},
    {"aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], SymInt[1] dilation=[1], SymInt groups=1) -> Tensor", rule<&conv_nd<1>>(), kComposite},
    {"aten::conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], str padding=\"valid\", SymInt[1] dilation=[1], SymInt groups=1) -> Tensor", rule<&conv_nd_padding<1>>(), kComposite},
    {"aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor", rule<&conv_nd<2>>(), kComposite},
    {"aten::conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], str padding=\"valid\", SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor", rule<&conv_nd_padding<2>>(), kComposite},
    {"aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor", rule<&conv_nd<3>>(), kComposite},
    {"aten::conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], str padding=\"valid\", SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor", rule<&conv_nd_padding<3>>(), kComposite},
    {"aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], SymInt[1] output_padding=[0], SymInt groups=1, SymInt[1] dilation=[1]) -> Tensor", rule<&conv_transpose_nd<1>>(), kComposite},
    {"aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] output_padding=[0, 0], SymInt groups=1, SymInt[2] dilation=[1, 1]) -> Tensor", rule<&conv_transpose_nd<2>>(), kComposite},
    {"aten::conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] output_padding=[0, 0, 0], SymInt groups=1, SymInt[3] dilation=[1, 1, 1]) -> Tensor", rule<&conv_transpose_nd<3>>(), kComposite},
    {"aten::convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor", rule<&convolution>(), kByFakeImpl | kRealDerivative},
    {"aten::convolution_backward(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)", rule<&convolution_backward>(), kByFakeImpl | kRealDerivative},
};
// clang-format on
}  // namespace
}  // namespace rules_of_convolution

std::span<const OpDef> convolution_rules() { return rules_of_convolution::kConvolution; }

}  // namespace faketensor
