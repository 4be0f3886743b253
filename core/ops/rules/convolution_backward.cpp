// Second gradients of convolutions, and the gradients of those that are sums of products.
// (convolution_backward itself is laid out as convolution is: convolution.cpp.)
#include "core/ops/families/convolution.h"
#include "core/ops/families/operand.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace rules_of_convolution_backward {
namespace {

bool wants(const Value& output_mask, size_t i) { return output_mask[i].to_bool(); }

struct DoubleBackward {
  const Tensor& weight;
  const Tensor& input;
  ConvLists lists;
  bool transposed;
  int64_t groups;
};

Operand convolve(const Operand& input, const Operand& weight, const DoubleBackward& conv,
                 int64_t groups) {
  return input.op<"aten::convolution">(weight, nullptr, conv.lists.stride, conv.lists.padding,
                                       conv.lists.dilation, conv.transposed,
                                       conv.lists.output_padding, groups);
}

Operand contiguous_on_cuda(const Operand& x) {
  return x.tensor().device().is_cuda() ? x.op<"aten::contiguous">() : x;
}

// The g-th of `groups` parts of a dimension.
Operand part(const Operand& x, int64_t dim, int64_t groups, int64_t g) {
  const SymInt size = floor_div(x.tensor().size(dim), groups);
  return x.op<"aten::narrow">(dim, size * g, size);
}

// x without what lies beyond the sizes of `like` in dimensions 2 and up.
Operand narrowed_to(Operand x, const Tensor& like) {
  for (int64_t i = 2; i < x.tensor().dim(); ++i) {
    if (guard_bool(x.tensor().size(i) > like.size(i))) x = x.op<"aten::narrow">(i, 0, like.size(i));
  }
  return x;
}

// The gradient of the weight: ggI and gO, transposed to sum over the batch.
Operand weight_gradient(Call& c, const DoubleBackward& conv, const Operand& gg_input,
                        const Operand& grad) {
  DoubleBackward swapped = conv;
  std::swap(swapped.lists.dilation, swapped.lists.stride);
  swapped.transposed = false;
  const Operand inputs = gg_input.op<"aten::transpose.int">(0, 1);
  const Operand grads = grad.op<"aten::transpose.int">(0, 1);
  const auto one = [&](const Operand& x, const Operand& g) {
    const Operand dense = contiguous_on_cuda(g);
    return conv.transposed ? convolve(dense, x, swapped, 1) : convolve(x, dense, swapped, 1);
  };
  Operand result = inputs;
  if (conv.groups == 1) {
    result = one(inputs, grads);
  } else {
    SmallVector<Value, 8> parts;
    for (int64_t g = 0; g < conv.groups; ++g) {
      const Operand group_inputs = part(inputs, 0, conv.groups, g);
      parts.push_back(one(group_inputs, part(grads, 0, conv.groups, g)));
    }
    result = {c, c.call<"aten::cat">(c.list(parts.span()), 1)};
  }
  return narrowed_to(result.op<"aten::transpose.int">(0, 1), conv.weight);
}

// The gradient of the input: gO with ggW, and the output padding that gives back the input's sizes.
Operand input_gradient(const DoubleBackward& conv, const Operand& gg_weight, const Operand& grad) {
  DoubleBackward other = conv;
  other.transposed = !conv.transposed;
  DimVector output_padding(conv.lists.output_padding);
  for (size_t i = 0; !conv.transposed && i + 2 < conv.weight.sizes().size(); ++i) {
    const SymInt size = conv.input.sizes()[i + 2];
    const SymInt expected = (conv.weight.sizes()[i + 2] - 1) * conv.lists.dilation[i] -
                            2 * conv.lists.padding[i] +
                            (conv.lists.stride[i] * (grad.tensor().sizes()[i + 2] - 1) + 1);
    if (guard_bool(expected != size)) output_padding[i] = size - expected;
  }
  other.lists.output_padding = output_padding;
  const Operand result = convolve(contiguous_on_cuda(grad), gg_weight, other, conv.groups);
  return conv.transposed ? narrowed_to(result, conv.input) : result;
}

// The gradient of the output's gradient: the sum of what each of the three given ones adds.
Value output_gradient(Call& c, const DoubleBackward& conv, Tensor* gg_input, Tensor* gg_weight,
                      Tensor* gg_bias, const Operand& grad) {
  Value sum;
  const auto add = [&](const Operand& term) {
    sum = sum.is_none() ? term.value() : (Operand(c, sum) + term).value();
  };
  const bool is_empty = guard_bool(conv.input.numel() == 0);
  if (gg_input != nullptr && !is_empty) {
    const Operand weight(c, conv.weight);
    add(convolve(Operand(c, *gg_input), contiguous_on_cuda(weight), conv, conv.groups));
  }
  if (gg_weight != nullptr && !is_empty)
    add(convolve(Operand(c, conv.input), contiguous_on_cuda({c, *gg_weight}), conv, conv.groups));
  if (gg_bias != nullptr) {
    DimVector sizes(static_cast<size_t>(grad.tensor().dim()), SymInt(1));
    if (sizes.size() > 1) sizes[1] = gg_bias->size(0);
    add(Operand(c, *gg_bias)
            .op<"aten::contiguous">()
            .view(sizes)
            .op<"aten::expand">(grad.tensor().sizes()));
  }
  return sum;
}

// Mirrors _convolution_double_backward, aten/src/ATen/native/Convolution.cpp.
Value convolution_double_backward(Call& c, Tensor* gg_input, Tensor* gg_weight, Tensor* gg_bias,
                                  const Tensor& grad_output, const Tensor& weight,
                                  const Tensor& input, Dims stride, Dims padding, Dims dilation,
                                  bool transposed, Dims output_padding, int64_t groups) {
  const ConvLists lists = expand_lists(c, weight, {stride, padding, dilation, output_padding});
  const DoubleBackward conv = {weight, input, lists, transposed, groups};
  constexpr int64_t kMostGroups = 1 << 20;
  c.check_as(ErrorKind::kLimitExceeded, groups <= kMostGroups, "a convolution in {} groups",
             groups);
  const Operand grad(c, grad_output);
  const Value grad_grad = output_gradient(c, conv, gg_input, gg_weight, gg_bias, grad);
  const bool is_empty = guard_bool(input.numel() == 0);
  Value grad_weight, grad_input;
  if (gg_input != nullptr && !is_empty)
    grad_weight = weight_gradient(c, conv, {c, *gg_input}, grad);
  if (gg_weight != nullptr && !is_empty) grad_input = input_gradient(conv, {c, *gg_weight}, grad);
  return c.tuple({grad_grad, grad_input, grad_weight});
}

// Mirrors conv_tbc_backward, aten/src/ATen/native/ConvolutionTBC.cpp. The positions of the kernel
// are alike: the first that overlaps stands for all.
Value conv_tbc_backward(Call& c, const Tensor& grad_output, const Tensor& input,
                        const Tensor& weight, const Tensor& bias, SymInt pad) {
  const SymInt length = input.size(0);
  const SymInt batch = input.size(1);
  // The number of planes is not checked to be there: of a tensor with fewer dimensions it reads 0.
  const SymInt input_planes = input.dim() > 2 ? input.size(2) : 0;
  const SymInt output_planes = weight.dim() > 2 ? weight.size(2) : 0;
  const SymInt kernel = weight.size(0);
  const SymInt output_length = length - kernel + 1 + pad * 2;
  const SymInt before = floor_div(output_length - length + kernel - 1, 2);
  const Operand grad(c, grad_output);
  const auto zeros = [&](const Tensor& x) {
    return Operand(c, c.call<"aten::zeros_like">(x, nullptr, nullptr, nullptr, nullptr,
                                                 MemoryFormat::kContiguous));
  };
  const Operand grad_input = zeros(input);
  const Operand grad_weight = zeros(weight);
  const SymInt shift = sym_max(before, 0);
  const SymInt overlap = sym_min(length + before, output_length) - shift;
  if (guard_bool(kernel > 0) && guard_bool(overlap > 0)) {
    const auto rows = [&](const Operand& x, SymInt start, SymInt planes) {
      return x.op<"aten::narrow">(0, start, overlap).view({overlap * batch, planes});
    };
    const SymInt start = sym_max(-before, 0);
    const Operand grads = rows(grad, shift, output_planes);
    const Operand inputs = rows(grad_input, start, input_planes);
    const Operand first = Operand(c, weight).op<"aten::select.int">(0, 0);
    (void)inputs.op<"aten::addmm_">(grads, first.op<"aten::t">());
    const Operand columns = rows({c, input}, start, input_planes).op<"aten::t">();
    (void)grad_weight.op<"aten::select.int">(0, 0).op<"aten::addmm_">(
        columns, rows(grad, shift, output_planes));
  }
  const Operand grad_bias = zeros(bias);
  (void)grad_bias.op<"aten::copy_">(grad.sum({0}).sum({0}));
  return c.tuple({grad_input.value(), grad_weight.value(), grad_bias.value()});
}

// Mirrors linear_backward, torch/_meta_registrations.py.
Value linear_backward(Call& c, const Tensor& input, const Tensor& grad_output, const Tensor&,
                      const Value& output_mask) {
  const DType dtype = grad_output.dtype();
  Tensor* grad_input = wants(output_mask, 0) ? c.empty(input.sizes(), dtype) : nullptr;
  if (!wants(output_mask, 1) && !wants(output_mask, 2))
    return c.tuple({grad_input, Value(), Value()});
  const SymInt outputs = grad_output.size(-1);
  Tensor* grad_weight = c.empty({outputs, input.size(-1)}, dtype);
  return c.tuple({grad_input, grad_weight, c.empty({outputs}, dtype)});
}

// clang-format off
constexpr OpDef kConvolutionBackward[] = {
    {"aten::_convolution_double_backward(Tensor? ggI, Tensor? ggW, Tensor? ggb, Tensor gO, Tensor weight, Tensor self, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)", rule<&convolution_double_backward>(), kComposite},
    {"aten::conv_tbc_backward(Tensor self, Tensor input, Tensor weight, Tensor bias, int pad) -> (Tensor, Tensor, Tensor)", rule<&conv_tbc_backward>(), kComposite},
    {"aten::linear_backward(Tensor self, Tensor grad_output, Tensor weight, bool[3] output_mask) -> (Tensor, Tensor, Tensor)", rule<&linear_backward>(), kRealDerivative},
};
// clang-format on
}  // namespace
}  // namespace rules_of_convolution_backward

std::span<const OpDef> convolution_backward_rules() {
  return rules_of_convolution_backward::kConvolutionBackward;
}

}  // namespace faketensor
