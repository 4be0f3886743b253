// Activations, and clamping.
#include <cmath>
#include <limits>

#include "core/ops/families/arithmetic.h"
#include "core/ops/families/copy.h"
#include "core/ops/families/into.h"
#include "core/ops/families/linalg.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_activation {
namespace {
using enum Promotion;

// One bound of clamp: where(isnan(value) | (value >= bound), value, bound).
Value bounded(const ReferenceSteps& steps, const Value& value, const Value& bound) {
  if (bound.is_none()) return value;
  const Value is_nan = steps.truth(value);
  const Value condition = steps.both(steps.truth(value, bound), is_nan);
  return steps.where(condition, value, bound);
}

// What the steps of a reference ask about symbolic sizes: all broadcast the operand with a number,
// and some calculate with one, which has a way of its own (`arithmetic`).
enum class Asks : uint8_t { kBroadcast, kArithmetic };

// Runs `steps` for an operand whose layout they may change; for others the first is like the last.
template <typename Steps>
Value unless_plain(Call& c, const Steps& run, Asks asks = Asks::kArithmetic) {
  const Value self = c.arg(0);
  if (has_plain_layout(self.tensor())) {
    if (self.tensor().meta->has_symbols()) {
      if (asks == Asks::kArithmetic) (void)arithmetic(c, self, 1.0);
      ask_beside_number(self.tensor());
    }
    return elementwise(c, {&self, 1}, kDefault);
  }
  const ReferenceSteps steps(c, {&self, 1}, kDefault);
  return steps.result(run(steps, self));
}

// where(self <= 0, 0, self) and its like: a choice between the operand and a number.
Value choice(Call& c, uint64_t) {
  return unless_plain(
      c,
      [](const ReferenceSteps& steps, const Value& self) {
        return steps.where(steps.truth(self), 0, self);
      },
      Asks::kBroadcast);
}

// Mirrors threshold, torch/_refs/nn/functional/__init__.py.
Value threshold(Call& c, const Tensor&, const Value&, const Value& value) {
  const Value values[] = {value, c.arg(0)};
  result_type(c, values);  // refuses complex numbers where the dtype has no complex twin
  return choice(c, 0);
}

// where(self > 0, self, what is computed from it): both branches are tensors.
Value branches(Call& c, Asks asks = Asks::kArithmetic) {
  return unless_plain(
      c,
      [&](const ReferenceSteps& steps, const Value& self) {
        const Value condition = steps.truth(self);
        const Value computed = asks == Asks::kArithmetic ? steps.arithmetic(self) : steps.of(self);
        return steps.where(condition, self, computed);
      },
      asks);
}

// clamp(clamp(self + 3, min=0), max=6)
Value hard_gate(const ReferenceSteps& steps, const Value& self) {
  return bounded(steps, bounded(steps, steps.arithmetic(self), 0), 6);
}
// Mirrors hardsigmoid and hardswish, torch/_decomp/decompositions.py.
Value hardsigmoid(Call& c, uint64_t) {
  return unless_plain(c, [](const ReferenceSteps& steps, const Value& self) {
    return steps.arithmetic(hard_gate(steps, self));
  });
}
Value hardswish(Call& c, uint64_t) {
  return unless_plain(c, [](const ReferenceSteps& steps, const Value& self) {
    return steps.arithmetic(steps.arithmetic(self, hard_gate(steps, self)));
  });
}

// Mirrors hardshrink, torch/_refs/nn/functional/__init__.py.
Value hardshrink(Call& c, const Tensor& self, const Value& lambd) {
  const Value is_small = c.call<"aten::le.Scalar">(c.call<"aten::abs">(self), lambd);
  return c.call<"aten::where.ScalarSelf">(is_small, 0, self);
}

// Mirrors _hardtanh, torch/_refs/nn/functional/__init__.py.
Value hardtanh(Call& c, const Tensor& self, const Value& min, const Value& max) {
  c.check(!is_bool(self.dtype()), "Bool inputs not supported for hardtanh");
  if (is_integral(self.dtype())) {
    for (const Value& bound : {min, max}) {
      c.check_as(ErrorKind::kTypeError, !bound.is(Value::Tag::kComplex),
                 "int() argument must be a string, a bytes-like object or a real number, not "
                 "'complex'");
      const double limit = std::trunc(bound.to_double());
      c.check(self.dtype() != DType::kUInt8 || limit >= 0,
              "Cannot do hardtanh on an unsigned type with negative limits");
    }
    return c.call<"aten::clamp">(self, 0, 1);
  }
  return cast_to(c, c.tensor<"aten::clamp">(self, min, max), self.dtype());
}

// The same kind of number and the same number: 1.0 is not the default 1.
bool is_default(const Value& given, const Value& assumed) {
  if (given.tag() != assumed.tag()) return false;
  if (given.is(Value::Tag::kInt))
    return statically_known_true(given.as_sym_int() == assumed.as_sym_int());
  return given.is(Value::Tag::kFloat) && !(given.as_double() < assumed.as_double()) &&
         !(given.as_double() > assumed.as_double());
}
// Arguments at the end of a call that are the schema's defaults do not reach a Python reference,
// whose own defaults take their places (parseIValuesToPyArgsKwargs,
// torch/csrc/utils/pybind.cpp).
bool is_left_out(const Call& c, size_t position) {
  const std::span<const Argument> arguments = c.op().schema.arguments;
  for (size_t i = position; i < arguments.size() && !arguments[i].is_keyword_only; ++i)
    if (!is_default(c.arg(i), arguments[i].default_value)) return false;
  return true;
}

// Mirrors celu, torch/_refs/nn/functional/__init__.py: alpha is None by default.
Value celu(Call& c, const Tensor& self, const Value& alpha) {
  if (!is_left_out(c, 1))
    check_number_fits(c, ErrorKind::kValueError, "alpha", alpha, self.dtype());
  return branches(c, Asks::kBroadcast);
}

// Mirrors elu, torch/_refs/nn/functional/__init__.py: the numbers are floats by default.
Value elu(Call& c, const Tensor& self, const Value& alpha, const Value& scale,
          const Value& input_scale) {
  const auto check = [&](std::string_view name, size_t position, const Value& number) {
    check_number_fits(c, ErrorKind::kRuntimeError, name,
                      is_left_out(c, position) ? Value(1.0) : number, self.dtype());
  };
  check("input_scale", 3, input_scale);
  check("scale", 2, scale);
  check("alpha", 1, alpha);
  return unless_plain(c, [](const ReferenceSteps& steps, const Value& a) {
    const Value condition = steps.truth(a);
    const Value positive = steps.arithmetic(a);
    return steps.where(condition, positive, steps.arithmetic(steps.of(steps.arithmetic(a))));
  });
}

// Mirrors gelu, torch/_refs/nn/functional/__init__.py.
Value gelu(Call& c, const Tensor&, std::string_view approximate) {
  c.check(approximate == "none" || approximate == "tanh",
          "approximate argument must be either none or tanh.");
  return unless_plain(c, [&](const ReferenceSteps& steps, const Value& a) {
    if (approximate == "none") {
      const Value half = steps.arithmetic(a);
      return steps.arithmetic(half, steps.arithmetic(steps.of(steps.arithmetic(a))));
    }
    const Value cube = steps.arithmetic(steps.arithmetic(a, a), a);
    const Value inner = steps.arithmetic(steps.arithmetic(a, steps.arithmetic(cube)));
    const Value half = steps.arithmetic(a);
    return steps.arithmetic(half, steps.arithmetic(steps.of(inner)));
  });
}

// Mirrors meta_relu_, torch/_meta_registrations.py.
Tensor* relu_inplace(Call&, Tensor& self) { return &self; }

// Mirrors leaky_relu, torch/_refs/nn/functional/__init__.py.
Value leaky_relu(Call& c, const Tensor& self, const Value& negative_slope) {
  check_number_fits(c, ErrorKind::kValueError, "negative_slope", negative_slope, self.dtype());
  return branches(c);
}

// Mirrors softplus, torch/_refs/nn/functional/__init__.py: beta is None by default.
Value softplus_steps(const ReferenceSteps& steps, const Value& self, bool is_scaled) {
  const Value scaled = is_scaled ? steps.arithmetic(self) : self;
  const Value curve = steps.of(steps.of(scaled));
  const Value is_linear = steps.truth(scaled);
  return steps.where(is_linear, self, is_scaled ? steps.arithmetic(curve) : curve);
}
Value softplus(Call& c, const Tensor& self, const Value& beta) {
  const bool is_scaled = !is_left_out(c, 1);
  if (is_scaled) check_number_fits(c, ErrorKind::kValueError, "beta", beta, self.dtype());
  return unless_plain(
      c,
      [&](const ReferenceSteps& steps, const Value& a) {
        return softplus_steps(steps, a, is_scaled);
      },
      is_scaled ? Asks::kArithmetic : Asks::kBroadcast);
}
// Mirrors mish, torch/_refs/nn/functional/__init__.py.
Value mish(Call& c, uint64_t) {
  return unless_plain(c, [&](const ReferenceSteps& steps, const Value& a) {
    // The product is of floating type, to which an integer is cast first.
    const DType dtype = a.tensor().dtype();
    const DType factor = is_integral_or_bool(dtype) ? c.context().default_dtype : dtype;
    const Value self = *cast_to(c, a.tensor(), factor);
    return steps.arithmetic(self, steps.of(softplus_steps(steps, a, false)));
  });
}

// torch.finfo(dtype).max; that of a complex dtype is its parts'.
double largest(DType dtype) {
  switch (to_real(dtype)) {
    case DType::kFloat16:
      return 65504;
    case DType::kBFloat16:
      return 0x1.fep127;
    case DType::kFloat64:
      return std::numeric_limits<double>::max();
    case DType::kFloat8E4M3FN:
      return 448;
    case DType::kFloat8E4M3FNUZ:
      return 240;
    case DType::kFloat8E8M0FNU:
      return 0x1p127;
    case DType::kFloat8E5M2:
    case DType::kFloat8E5M2FNUZ:
      return 57344;
    default:
      return std::numeric_limits<float>::max();
  }
}

// Mirrors softshrink, torch/_refs/nn/functional/__init__.py: `0 <= lambd <= finfo.max` is asked in
// this order.
Value softshrink(Call& c, const Tensor& self, const Value& lambd) {
  c.check_as(ErrorKind::kTypeError, !lambd.is(Value::Tag::kComplex),
             "'<=' not supported between instances of 'int' and 'complex'");
  const bool is_plain = !lambd.is(Value::Tag::kSymFloat);
  const double bound = is_plain ? as_real(lambd) : 0;
  c.check_as(ErrorKind::kTypeError, is_float_or_complex(self.dtype()),
             "torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
             "'torch.finfo'");
  const double most = largest(self.dtype());
  c.check(bound >= 0 && bound <= most,
          "lambda must be in range [0, {}] for input dtype {}, but found {}", most, self.dtype(),
          lambd);
  // where(abs(self) > lambd, self - sign(self) * lambd, self * 0)
  return unless_plain(c, [](const ReferenceSteps& steps, const Value& a) {
    const Value condition = steps.truth(steps.of(a));
    const Value shrunk = steps.arithmetic(a, steps.arithmetic(steps.of(a)));
    return steps.where(condition, shrunk, steps.arithmetic(a));
  });
}

// Mirrors log_sigmoid_forward, torch/_decomp/decompositions.py; the buffer is only used on the CPU.
Value log_sigmoid_forward(Call& c, const Tensor& self) {
  check_negatable(c, self);
  const Value zero = c.empty({}, self.dtype());
  Value buffer;
  const Value output = unless_plain(c, [&](const ReferenceSteps& steps, const Value& a) {
    const Value decay = steps.of(steps.of(steps.of(a)));
    buffer = steps.result(decay);
    const Value least = steps.of(zero, a);
    return steps.arithmetic(least, steps.of(decay));
  });
  if (self.device().is_cuda()) return c.tuple({output, c.empty({0}, self.dtype())});
  if (buffer.is_none()) buffer = *elementwise(c, {&output, 1}, kDefault);
  return c.tuple({output, buffer});
}
Value log_sigmoid(Call& c, const Tensor& self) {
  if (Tensor* out = output_of(c)) {
    const Tensor* buffer = c.empty_on(self.device(), DimVector{0}, self.dtype());
    return c.call<"aten::log_sigmoid_forward.output">(c.call<"aten::contiguous">(self), *out,
                                                      *buffer)[0];
  }
  return c.call<"aten::log_sigmoid_forward">(self)[0];
}

// Mirrors clamp, torch/_refs/__init__.py.
Value clamp(Call& c, const Tensor& self, const Value& min, const Value& max) {
  c.check_as(ErrorKind::kValueError, !min.is_none() || !max.is_none(),
             "clamp called but both min and max are none!");
  const Value operands[] = {self, min, max};
  if (!min.is_tensor() && !max.is_tensor() && has_plain_layout(self) && !self.meta->has_symbols())
    return elementwise(c, operands, kDefault);
  const ReferenceSteps steps(c, operands, kDefault);
  return steps.result(bounded(steps, bounded(steps, self, min), max));
}

// Mirrors clamp_min and clamp_max, torch/_refs/__init__.py.
Value clamp_one(Call& c, const Tensor& self, const Value& bound) {
  return clamp(c, self, bound, Value());
}

// Mirrors prelu, aten/src/ATen/native/Activation.cpp.
Value prelu(Call& c, const Tensor& self, const Tensor& weight) {
  c.check(self.dtype() == weight.dtype(), "prelu: Type promoting not supported. Got {} and {}",
          info(self.dtype()).cpp_name, info(weight.dtype()).cpp_name);
  if (!guard_bool(weight.numel() == 1)) {
    c.check(self.dim() > 0, "Not allow zero-dim input tensor.");
    const SymInt channels = self.dim() > 1 ? self.size(1) : SymInt(1);
    c.check(
        channels == weight.numel(),
        "Mismatch of parameter numbers and input channel size. Found parameter numbers = {} and "
        "channel size = {}.",
        weight.numel(), channels);
  }
  c.check(weight.dim() == 0 || weight.dim() == 1,
          "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {}", weight.dim());
  if (self.dim() == weight.dim()) return c.call<"aten::_prelu_kernel">(self, weight);
  DimVector shape(static_cast<size_t>(self.dim()), SymInt(1));
  if (self.dim() > 1) shape[1] = weight.numel();
  return c.call<"aten::_prelu_kernel">(self, c.call<"aten::reshape">(weight, shape));
}
// Mirrors _prelu_kernel, torch/_decomp/decompositions.py.
Value prelu_kernel(Call& c, const Tensor& self, const Tensor& weight) {
  const Value choices[] = {self, c.call<"aten::mul.Tensor">(weight, self)};
  return elementwise_if(c, c.call<"aten::gt.Scalar">(self, 0), choices, kNoOpmath);
}

// Mirrors relu6 and selu, aten/src/ATen/native/Activation.cpp.
Value relu6(Call& c, const Tensor& self) { return c.call<"aten::hardtanh">(self, 0, 6); }
Value relu6_inplace(Call& c, Tensor& self) { return c.call<"aten::hardtanh_">(self, 0, 6); }
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;
Value selu(Call& c, const Tensor& self) {
  return c.call<"aten::elu">(self, kSeluAlpha, kSeluScale);
}
Value selu_inplace(Call& c, Tensor& self) {
  return c.call<"aten::elu_">(self, kSeluAlpha, kSeluScale);
}

// Mirrors rrelu and rrelu_, aten/src/ATen/native/Activation.cpp, and the meta functions of
// rrelu_with_noise, torch/_meta_registrations.py.
void check_rrelu(const Call& c, const Value& lower, const Value& upper) {
  for (const Value* bound : {&lower, &upper}) {
    c.check(!bound->is(Value::Tag::kComplex),
            "value cannot be converted to type double without overflow");
    c.check(std::isfinite(as_real(*bound)), "rrelu: {} bound must be finite, got {}",
            bound == &lower ? "lower" : "upper", *bound);
  }
  c.check(as_real(lower) <= as_real(upper),
          "Lower bound should be less than or equal to the upper bound");
}
Value rrelu(Call& c, const Tensor& self, const Value& lower, const Value& upper,
            const Value& training, const Value& generator) {
  check_rrelu(c, lower, upper);
  const Value noise = c.call<"aten::empty_like">(self);
  return c.call<"aten::rrelu_with_noise">(self, noise, lower, upper, training, generator);
}
Value rrelu_in_place(Call& c, Tensor& self, const Value& lower, const Value& upper,
                     const Value& training) {
  check_rrelu(c, lower, upper);
  const Tensor* noise = c.context().empty(self.sizes(), self.dtype(), self.device());
  return c.call<"aten::rrelu_with_noise_">(self, *noise, lower, upper, training);
}
Tensor* rrelu_with_noise(Call& c, const Tensor& self) { return c.empty_like(self); }
Value rrelu_with_noise_in_place(Call& c, Tensor& self) { return written(c, self); }
Value rrelu_with_noise_functional(Call& c, const Tensor& self, const Tensor& noise) {
  c.device();  // both results are on the one device of the arguments
  return c.tuple({c.empty_like(self), c.empty_like(noise)});
}
// _add_relu_ on the meta device writes nothing and looks at nothing.
Value add_relu_in_place(Call& c, Tensor& self) { return written(c, self); }

// Mirrors glu, torch/_refs/nn/functional/__init__.py.
Value glu(Call& c, const Tensor& self, int64_t dim) {
  const int64_t at = wrap_dim(dim, self.dim());
  c.check(self.dim() > 0, "glu does not support 0-dimensional tensors");
  const SymInt size = self.size(at);
  c.check(mod(size, 2) == 0, "Halving dimension must be even, but dimension {} is size {}", at,
          size);
  const Value cast = c.call<"aten::to.dtype">(self, computation_dtype(self.dtype()));
  const Value halves = c.call<"aten::tensor_split.sections">(cast, 2, at);
  const Value gated = c.call<"aten::mul.Tensor">(halves[0], c.call<"aten::sigmoid">(halves[1]));
  return c.call<"aten::to.dtype">(gated, self.dtype());
}

// clang-format off
constexpr OpDef kActivation[] = {
    {"aten::_add_relu_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)", rule<&add_relu_in_place>(), kByMetaCpp},
    {"aten::_add_relu_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)", rule<&add_relu_in_place>(), kByMetaCpp},
    {"aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor", rule<&prelu_kernel>(), kByDecomp | kRealDerivative},
    {"aten::celu(Tensor self, Scalar alpha=1.) -> Tensor", rule<&celu>(), kInplace | kByRef | kRealDerivative},
    {"aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", rule<&clamp>(), kInplace | kByRef | kRealDerivative},
    {"aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor", rule<&clamp>(), kInplace | kByRef | kRealDerivative},
    {"aten::clamp_max(Tensor self, Scalar max) -> Tensor", rule<&clamp_one>(), kInplace | kByRef | kRealDerivative},
    {"aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor", rule<&clamp_one>(), kInplace | kByRef | kRealDerivative},
    {"aten::clamp_min(Tensor self, Scalar min) -> Tensor", rule<&clamp_one>(), kInplace | kByRef | kRealDerivative},
    {"aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor", rule<&clamp_one>(), kInplace | kByRef | kRealDerivative},
    {"aten::clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", same_as<"aten::clamp">(), kComposite},
    {"aten::clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor", same_as<"aten::clamp.Tensor">(), kComposite},
    {"aten::clip_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)", same_as<"aten::clamp_">(), kComposite},
    {"aten::clip_.Tensor(Tensor(a!) self, Tensor? min=None, Tensor? max=None) -> Tensor(a!)", same_as<"aten::clamp_.Tensor">(), kComposite},
    {"aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor", rule<&elu>(), kInplace | kByRef | kRealDerivative},
    {"aten::gelu(Tensor self, *, str approximate=\"none\") -> Tensor", rule<&gelu>(), kInplaceCopies | kByRef | kRealDerivative},
    {"aten::glu(Tensor self, int dim=-1) -> Tensor", rule<&glu>(), kByRef | kRealDerivative},
    {"aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor", rule<&hardshrink>(), kByRef | kRealDerivative},
    {"aten::hardsigmoid(Tensor self) -> Tensor", {&hardsigmoid}, kInplaceCopies | kByDecomp | kRealDerivative},
    {"aten::hardswish(Tensor self) -> Tensor", {&hardswish}, kInplaceCopies | kByDecomp | kRealDerivative},
    {"aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor", rule<&hardtanh>(), kInplaceCopies | kByRef | kRealDerivative},
    {"aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor", rule<&leaky_relu>(), kInplaceCopies | kByRef | kRealDerivative},
    {"aten::log_sigmoid(Tensor self) -> Tensor", rule<&log_sigmoid>(), kComposite},
    {"aten::log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)", rule<&log_sigmoid_forward>(), kByDecomp | kRealDerivative, derivative<Derivative{.differentiable_results = 0b1}>},
    {"aten::mish(Tensor self) -> Tensor", {&mish}, kInplace | kByRef | kRealDerivative},
    {"aten::prelu(Tensor self, Tensor weight) -> Tensor", rule<&prelu>(), kComposite},
    {"aten::relu(Tensor self) -> Tensor", {&choice}, kByRef | kRealDerivative},
    {"aten::relu6(Tensor self) -> Tensor", rule<&relu6>(), kComposite},
    {"aten::relu6_(Tensor(a!) self) -> Tensor(a!)", rule<&relu6_inplace>(), kComposite},
    {"aten::relu_(Tensor(a!) self) -> Tensor(a!)", rule<&relu_inplace>(), kRealDerivative},
    {"aten::rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None) -> Tensor", rule<&rrelu>(), kComposite | kRandom},
    {"aten::rrelu_(Tensor(a!) self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None) -> Tensor(a!)", rule<&rrelu_in_place>(), kComposite | kRandom},
    {"aten::rrelu_with_noise(Tensor self, Tensor(b!) noise, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None) -> Tensor", rule<&rrelu_with_noise>(), kRandom | kRealDerivative, derivative<Derivative{.without_formula = "noise"}>},
    {"aten::rrelu_with_noise_(Tensor(a!) self, Tensor(b!) noise, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None) -> Tensor(a!)", rule<&rrelu_with_noise_in_place>(), kRandom | kRealDerivative, derivative<Derivative{.without_formula = "noise"}>},
    {"aten::rrelu_with_noise_functional(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None) -> (Tensor, Tensor noise_out)", rule<&rrelu_with_noise_functional>(), kRandom, derivative<Derivative{.differentiable_results = 0b1}>},
    {"aten::selu(Tensor self) -> Tensor", rule<&selu>(), kComposite},
    {"aten::selu_(Tensor(a!) self) -> Tensor(a!)", rule<&selu_inplace>(), kComposite},
    {"aten::silu(Tensor self) -> Tensor", like_first(), kInplaceCopies | kRealDerivative},
    {"aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor", rule<&softplus>(), kByRef | kRealDerivative},
    {"aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor", rule<&softshrink>(), kByRef | kRealDerivative},
    {"aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor", rule<&threshold>(), kInplace | kByRef | kRealDerivative},
};
// clang-format on
}  // namespace
}  // namespace rules_of_activation

std::span<const OpDef> activation_rules() { return rules_of_activation::kActivation; }

}  // namespace faketensor
