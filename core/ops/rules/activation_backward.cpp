// Gradients of activations.
//
// Most are decompositions (torch/_decomp/decompositions.py) that FakeTensorMode runs step by step;
// the steps that combine tensors are kept in their order, since they decide layouts and which
// mismatch is found first.
#include <complex>

#include "core/ops/families/operand.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_activation_backward {
namespace {
using enum Promotion;

// Mirrors tanh_backward and sigmoid_backward, torch/_decomp/decompositions.py.
Value tanh_backward(Call& c, const Tensor& grad_output, const Tensor& output) {
  const OpmathCast cast(c, {grad_output, output});
  const Operand grad = cast(grad_output), y = cast(output);
  return cast.back(grad * (1 - y * y).op<"aten::conj_physical">());
}
Value sigmoid_backward(Call& c, const Tensor& grad_output, const Tensor& output) {
  const OpmathCast cast(c, {grad_output, output});
  const Operand grad = cast(grad_output), y = cast(output);
  return cast.back(grad * (y * (1 - y)).op<"aten::conj_physical">());
}

// Mirrors softplus_backward, torch/_decomp/decompositions.py.
Value softplus_backward(Call& c, const Tensor& grad_output, const Tensor& self, const Value& beta,
                        const Value& threshold) {
  const OpmathCast cast(c, {grad_output, self});
  const Operand grad = cast(grad_output);
  const Operand scaled = cast(self) * Operand(c, beta);
  const Operand z = scaled.op<"aten::exp">();
  const Operand is_linear = scaled > Operand(c, threshold);
  const Operand product = grad * z;
  return cast.back(where(is_linear, grad, product / (z + 1.0)));
}

// The product of two numbers, of the type that Python gives it.
Value product_of(Call& c, const Value& a, const Value& b) {
  if (a.is(Value::Tag::kInt) && b.is(Value::Tag::kInt)) return a.as_sym_int() * b.as_sym_int();
  const auto parts = [](const Value& number) {
    return number.is(Value::Tag::kComplex)
               ? std::complex<double>(number.as_complex()[0], number.as_complex()[1])
               : std::complex<double>(number.to_double());
  };
  if (!a.is(Value::Tag::kComplex) && !b.is(Value::Tag::kComplex))
    return a.to_double() * b.to_double();
  const std::complex<double> product = parts(a) * parts(b);
  const double both[] = {product.real(), product.imag()};
  return Value::complex(c.context().arena().copy(std::span<const double>(both)).data());
}

// Mirrors elu_backward, torch/_decomp/decompositions.py.
Value elu_backward(Call& c, const Tensor& grad_output, const Value& alpha, const Value& scale,
                   const Value& input_scale, bool is_result, const Tensor& self_or_result) {
  const OpmathCast cast(c, {grad_output, self_or_result});
  const Operand grad = cast(grad_output);
  const Operand x = cast(self_or_result);
  const Operand factor(c, input_scale);
  const Operand below(c, product_of(c, alpha, scale));
  const Operand is_negative = x <= 0;
  const Operand scaled = is_result ? grad * factor : grad * factor * below;
  const Operand slope = is_result ? x + below : (x * factor).op<"aten::exp">();
  const Operand negative = scaled * slope;
  return cast.back(where(is_negative, negative, grad * Operand(c, scale)));
}

// Mirrors hardsigmoid_backward, hardtanh_backward, hardswish_backward, threshold_backward,
// leaky_relu_backward, torch/_decomp/decompositions.py.
Value hardsigmoid_backward(Call& c, const Tensor& grad_output, const Tensor& self) {
  const OpmathCast cast(c, {grad_output, self});
  const Operand grad = cast(grad_output);
  const Operand x = cast(self);
  const Operand inside = (x > -3.0).op<"aten::__and__.Tensor">(x < 3.0);
  return cast.back(where(inside, grad * (1.0 / 6.0), 0.0));
}
Value hardtanh_backward(Call& c, const Tensor& grad_output, const Tensor& self, const Value& min,
                        const Value& max) {
  const OpmathCast cast(c, {grad_output, self});
  const Operand grad = cast(grad_output);
  const Operand x = cast(self);
  const Operand outside = (x <= Operand(c, min)).op<"aten::__or__.Tensor">(x >= Operand(c, max));
  return cast.back(where(outside, 0.0, grad));
}
Value hardswish_backward(Call& c, const Tensor& grad_output, const Tensor& self) {
  const OpmathCast cast(c, {grad_output, self});
  const Operand grad = cast(grad_output);
  const Operand x = cast(self);
  const Operand below = x <= -3;
  const Operand inside = x < 3;
  return cast.back(where(below, 0.0, where(inside, grad * (x / 3 + 0.5), grad)));
}
Value threshold_backward(Call& c, const Tensor& grad_output, const Tensor& self,
                         const Value& threshold) {
  return where(Operand(c, self) <= Operand(c, threshold), 0, Operand(c, grad_output));
}
Value leaky_relu_backward(Call& c, const Tensor& grad_output, const Tensor& self,
                          const Value& negative_slope, bool) {
  const OpmathCast cast(c, {grad_output, self});
  const Operand grad = cast(grad_output);
  const Operand is_positive = cast(self) > 0;
  return cast.back(where(is_positive, grad, grad * Operand(c, negative_slope)));
}

// Mirrors rrelu_with_noise_backward, torch/_decomp/decompositions.py.
Value rrelu_with_noise_backward(Call& c, const Tensor& grad_output, const Tensor& self,
                                const Tensor& noise, const Value&, const Value&, bool training,
                                bool self_is_result) {
  const OpmathCast cast(c, {grad_output, self, noise});
  const Operand grad = cast(grad_output);
  const Operand x = cast(self);
  const Operand factors = cast(noise);
  if (training) return cast.back(grad * factors);
  return cast.back(grad.op<"aten::leaky_relu_backward">(x, 0.5, self_is_result));
}

// Mirrors gelu_backward, torch/_decomp/decompositions.py.
Value gelu_backward(Call& c, const Tensor& grad_output, const Tensor& self,
                    std::string_view approximate) {
  const OpmathCast cast(c, {grad_output, self});
  constexpr double kSqrtHalf = 0.70710678118654752440;
  constexpr double kTwoOverSqrtPi = 1.12837916709551257390;
  const Operand grad = cast(grad_output);
  const Operand x = cast(self);
  if (approximate == "tanh") {
    constexpr double kBeta = 1.41421356237309504880 * kTwoOverSqrtPi * 0.5;
    constexpr double kKappa = 0.044715;
    const Operand square = x * x;
    const Operand cube = square * x;
    const Operand tanh = (kBeta * (x + kKappa * cube)).op<"aten::tanh">();
    const Operand left = 0.5 * x;
    const Operand left_derivative = 0.5 * (1 + tanh);
    const Operand derivative = 1 - tanh * tanh;
    const Operand inner_derivative = kBeta * (1 + 3 * kKappa * square);
    const Operand right_derivative = left * derivative * inner_derivative;
    return cast.back(grad * (left_derivative + right_derivative));
  }
  const Operand cdf = 0.5 * (1 + (x * kSqrtHalf).op<"aten::erf">());
  const Operand pdf = (kTwoOverSqrtPi * kSqrtHalf * 0.5) * (x * x * -0.5).op<"aten::exp">();
  return cast.back(grad * (cdf + x * pdf));
}

// Mirrors silu_backward and mish_backward, torch/_decomp/decompositions.py.
Value silu_backward(Call& c, const Tensor& grad_output, const Tensor& self) {
  const OpmathCast cast(c, {grad_output, self});
  const Operand grad = cast(grad_output), x = cast(self);
  const Operand sigmoid = x.op<"aten::sigmoid">();
  const Operand scaled = grad * sigmoid;
  return cast.back(scaled * (1 + x * (1 - sigmoid)));
}
Value mish_backward(Call& c, const Tensor& grad_output, const Tensor& self) {
  const OpmathCast cast(c, {grad_output, self});
  const Operand grad = cast(grad_output), x = cast(self);
  const Operand tanh = x.op<"aten::softplus">().op<"aten::tanh">();
  const Operand gate = x * x.op<"aten::sigmoid">();
  const Operand out = gate * (1 - tanh * tanh);
  return cast.back(grad * (tanh + out));
}

// Mirrors infinitely_differentiable_gelu_backward, aten/src/ATen/native/Activation.cpp.
Value differentiable_gelu_backward(Call& c, const Tensor& grad, const Tensor& self) {
  const Operand x(c, self);
  const Operand cdf = (1.0 + (x * 0.5).op<"aten::erf_">()).op<"aten::mul_.Tensor">(0.5);
  const Operand pdf = (-0.5 * x * x).op<"aten::exp_">();
  const Operand sum = cdf.op<"aten::addcmul_">(x, pdf, 0.5);
  return sum.op<"aten::mul_.Tensor">(grad);
}

// Mirrors log_sigmoid_backward, torch/_decomp/decompositions.py: the forward's buffer is empty on
// CUDA.
Value log_sigmoid_backward(Call& c, const Tensor& grad_output, const Tensor& self,
                           const Tensor& buffer) {
  const OpmathCast cast(c, {grad_output, self, buffer});
  const Operand grad = cast(grad_output), x = cast(self);
  const Operand saved = cast(buffer);
  const Operand negative = x < 0;
  const Operand most = where(negative, 1, 0);
  const Operand sign = where(negative, 1, -1);
  const Operand z =
      guard_bool(buffer.numel() > 0) ? saved : (-x.op<"aten::abs">()).op<"aten::exp">();
  return cast.back(grad * (most - sign * (z / (1 + z))));
}

// Mirrors logit_backward, torch/_decomp/decompositions.py.
Value logit_backward(Call& c, const Tensor& grad_output, const Tensor& self,
                     std::optional<double> eps) {
  const OpmathCast cast(c, {grad_output, self});
  const Operand grad = cast(grad_output), x = cast(self);
  const double low = eps.value_or(0.0);
  const Operand inside = (x >= low).op<"aten::logical_and">(x <= 1.0 - low);
  const Operand inner = grad / (x * (1.0 - x));
  if (eps) return cast.back(where(inside, inner, 0.0));
  return cast.back(where(inside, inner, x.op<"aten::new_full">(DimVector(), __builtin_nan(""))));
}

// Mirrors glu_backward, torch/_decomp/decompositions.py.
Value glu_backward(Call& c, const Tensor& grad_output, const Tensor& self, int64_t dim) {
  const OpmathCast cast(c, {grad_output, self});
  const Operand grad = cast(grad_output);
  c.check_as(ErrorKind::kAssertionError, self.dim() > 0,
             "glu does not support 0-dimensional tensors");
  const int64_t at = wrap_dim(dim, self.dim());
  const SymInt size = self.size(at);
  c.check_as(ErrorKind::kAssertionError, guard_bool(mod(size, 2) == 0),
             "Halving dimension must be even, but dimension {} is size {}", at, size);
  const SymInt half = floor_div(size, 2);
  const Operand x = cast(self);
  const Operand first = x.op<"aten::narrow">(at, 0, half);
  const Operand gate = x.op<"aten::narrow">(at, half, half).op<"aten::sigmoid">();
  const Operand second = (1.0 - gate) * gate * first * grad;
  const Value halves[] = {gate * grad, second};
  return cast.back({c, c.call<"aten::cat">(c.list(halves), at)});
}

// Mirrors _prelu_kernel_backward, torch/_decomp/decompositions.py.
Value prelu_kernel_backward(Call& c, const Tensor& grad_output, const Tensor& self,
                            const Tensor& weight) {
  const Operand x(c, self);
  const Operand grad(c, grad_output);
  const Operand is_positive = x > 0;
  const Operand by_input = where(is_positive, grad, Operand(c, weight) * grad);
  const Operand is_still_positive = x > 0;
  return c.tuple({by_input.value(), where(is_still_positive, 0.0, x * grad).value()});
}

// Mirrors the structured kernels hardshrink_backward and softshrink_backward,
// aten/src/ATen/native/Activation.cpp: a TensorIterator of the two tensors.
Tensor* shrink_backward(Call& c, const Tensor& grad, const Tensor& self) {
  (void)broadcast_shapes(grad.sizes(), self.sizes());
  const Value operands[] = {grad, self};
  const DType common = result_type(c, operands);
  return elementwise(c, operands, common, common);
}

// clang-format off
constexpr OpDef kActivationBackward[] = {
    {"aten::_prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)", rule<&prelu_kernel_backward>(), kByDecomp | kRealDerivative},
    {"aten::elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, Tensor self_or_result) -> Tensor", rule<&elu_backward>(), kByDecomp | kRealDerivative},
    {"aten::gelu_backward(Tensor grad_output, Tensor self, *, str approximate=\"none\") -> Tensor", rule<&gelu_backward>(), kByDecomp | kRealDerivative},
    {"aten::glu_backward(Tensor grad_output, Tensor self, int dim) -> Tensor", rule<&glu_backward>(), kByDecomp | kRealDerivative},
    {"aten::hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor", rule<&shrink_backward>(), kByStructured | kRealDerivative},
    {"aten::hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor", rule<&hardsigmoid_backward>(), kByDecomp},
    {"aten::hardswish_backward(Tensor grad_output, Tensor self) -> Tensor", rule<&hardswish_backward>(), kByDecomp | kRealDerivative},
    {"aten::hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> Tensor", rule<&hardtanh_backward>(), kByDecomp | kRealDerivative},
    {"aten::infinitely_differentiable_gelu_backward(Tensor grad, Tensor self) -> Tensor", rule<&differentiable_gelu_backward>(), kComposite},
    {"aten::leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, bool self_is_result) -> Tensor", rule<&leaky_relu_backward>(), kByDecomp | kRealDerivative},
    {"aten::log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor", rule<&log_sigmoid_backward>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "buffer"}>},
    {"aten::logit_backward(Tensor grad_output, Tensor self, float? eps=None) -> Tensor", rule<&logit_backward>(), kByDecomp},
    {"aten::mish_backward(Tensor grad_output, Tensor self) -> Tensor", rule<&mish_backward>(), kByComposite},
    {"aten::rrelu_with_noise_backward(Tensor grad_output, Tensor self, Tensor noise, Scalar lower, Scalar upper, bool training, bool self_is_result) -> Tensor", rule<&rrelu_with_noise_backward>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "noise"}>},
    {"aten::sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor", rule<&sigmoid_backward>(), kByDecomp},
    {"aten::silu_backward(Tensor grad_output, Tensor self) -> Tensor", rule<&silu_backward>(), kByComposite},
    {"aten::softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor", rule<&softplus_backward>(), kByDecomp | kRealDerivative},
    {"aten::softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor", rule<&shrink_backward>(), kByStructured | kRealDerivative},
    {"aten::tanh_backward(Tensor grad_output, Tensor output) -> Tensor", rule<&tanh_backward>(), kByDecomp},
    {"aten::threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor", rule<&threshold_backward>(), kByDecomp | kRealDerivative},
};
// clang-format on
}  // namespace
}  // namespace rules_of_activation_backward

std::span<const OpDef> activation_backward_rules() {
  return rules_of_activation_backward::kActivationBackward;
}

}  // namespace faketensor
