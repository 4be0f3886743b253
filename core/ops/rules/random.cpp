// Random numbers: dropout and distributions. Factories (rand, randn, ...): factory.cpp.
#include <cmath>
#include <cstdio>

#include "core/ops/derived.h"
#include "core/ops/families/arithmetic.h"
#include "core/ops/families/copy.h"
#include "core/ops/families/into.h"
#include "core/ops/families/list_out.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_random {
namespace {
using enum Promotion;

// --- dropout ---

// Mirrors native_dropout, torch/_decomp/decompositions.py.
Value native_dropout(Call& c, Tensor& self, double p, std::optional<bool> train) {
  if (!train.value_or(false) || std::fpclassify(p) == FP_ZERO)
    return c.tuple({self, c.empty_like(self, DType::kBool)});
  if (p >= 1 && p <= 1) return c.tuple({c.empty_like(self), c.empty_like(self, DType::kBool)});
  c.check(is_floating(self.dtype()),
          "result type Float can't be cast to the desired output type Long");
  Tensor* mask = c.empty_like(self, DType::kBool);
  const Tensor* kept = arithmetic(c, *mask, self);
  return c.tuple({arithmetic(c, *kept, 1.0), mask});
}

// Mirrors native_dropout_backward, torch/_decomp/decompositions.py.
Value native_dropout_backward(Call& c, const Tensor& grad, const Tensor& mask, double scale) {
  const Value scaled = c.call<"aten::mul.Tensor">(c.call<"aten::type_as">(mask, grad), scale);
  const Value product = c.call<"aten::mul.Tensor">(grad, scaled);
  return c.call<"aten::clone">(product, suggest_memory_format(grad));
}

// Mirrors _fused_dropout_decomposition, torch/_decomp/decompositions.py.
Value fused_dropout(Call& c, const Tensor& self, double, const Value& generator) {
  c.check_as(ErrorKind::kAssertionError, generator.is_none(),
             "generator must be None for _fused_dropout decomposition, got {}", generator);
  const Value cast = c.call<"aten::to.dtype">(self, computation_dtype(self.dtype()));
  Tensor* mask = c.empty_like(cast.tensor(), DType::kUInt8);
  const Value kept = c.call<"aten::mul.Tensor">(*c.empty_like(cast.tensor()), cast);
  const Value scale = c.empty(Dims(), computation_dtype(self.dtype()));
  const Tensor& result = c.tensor<"aten::mul.Tensor">(kept, scale);
  return c.tuple({cast_to(c, result, self.dtype()), mask});
}

enum class Noise : uint8_t { kPlain, kFeature, kAlpha, kFeatureAlpha };
struct DropoutParams {
  Noise noise = Noise::kPlain;
  bool inplace = false;
};

// One value per channel (make_feature_noise, aten/src/ATen/native/Dropout.cpp).
Value new_noise(Call& c, const Tensor& self, bool per_channel) {
  if (!per_channel) return c.empty_like(self);
  c.check(self.dim() >= 2, "Feature dropout requires at least 2 dimensions in the input");
  DimVector sizes(static_cast<size_t>(self.dim()), SymInt(1));
  sizes[0] = self.size(0);
  sizes[1] = self.size(1);
  return c.empty(sizes, self.dtype());
}

Value multiply(Call& c, bool inplace, const Value& self, const Value& factor) {
  return inplace ? c.call<"aten::mul_.Tensor">(self, factor)
                 : c.call<"aten::mul.Tensor">(self, factor);
}

// Mirrors _dropout_impl and dropout, aten/src/ATen/native/Dropout.cpp: outside training the
// argument itself.
Value dropout(Call& c, uint64_t params) {
  const auto given = rule_params<DropoutParams>(params);
  const Value self = c.arg(0);
  const Tensor& input = self.tensor();
  const double p = c.arg(1).to_double();
  const bool train = c.arg(2).to_bool();
  const bool is_plain = given.noise == Noise::kPlain && !given.inplace;
  if (is_plain && c.context().python_dispatcher) {
    if (train && p != 0) return c.call<"aten::native_dropout">(self, p, train)[0];
    return c.call<"aten::clone">(self);
  }
  const auto has_elements = [&] { return guard_bool(input.numel() != 0); };
  if (is_plain && train && p > 0 && p < 1 && input.device().is_cuda() && has_elements())
    return c.call<"aten::native_dropout">(self, p, train)[0];
  if (!(p >= 0 && p <= 1)) {
    char text[32];  // as a C++ stream writes it
    std::snprintf(text, sizeof text, "%g", p);
    c.fail(ErrorKind::kRuntimeError,
           format("dropout probability has to be between 0 and 1, but got {}", text));
  }
  if (p <= 0 || !train || !has_elements()) return self;
  if (p >= 1) return multiply(c, given.inplace, self, c.empty({}, input.dtype()));
  const bool per_channel = given.noise == Noise::kFeature || given.noise == Noise::kFeatureAlpha;
  Value noise = c.call<"aten::bernoulli_.float">(new_noise(c, input, per_channel), 1 - p);
  if (given.noise == Noise::kPlain || given.noise == Noise::kFeature) {
    noise = c.call<"aten::div_.Scalar">(noise, 1 - p);
    return multiply(c, given.inplace, self, noise);
  }
  // The alpha variants keep mean and variance: noise * a + b with numbers a and b.
  const Value shift = c.call<"aten::add.Scalar">(noise, -1);
  c.call<"aten::mul_.Scalar">(shift, 1.5);
  c.call<"aten::add_.Scalar">(shift, 1.5);
  c.call<"aten::mul_.Scalar">(noise, 1.5);
  return c.call<"aten::add_.Tensor">(multiply(c, given.inplace, self, noise), shift);
}
consteval Rule dropout_of(Noise noise, bool inplace = false) {
  return family_rule(&dropout, DropoutParams{noise, inplace});
}

// --- distributions ---

// Mirrors meta_bernoulli and meta_bernoulli_p, torch/_meta_registrations.py.
Tensor* bernoulli(Call& c, const Tensor& self) { return c.empty(self.sizes(), self.dtype()); }

// In-place samplers of any dtype: bernoulli_, random_.
Tensor* sampled(Call&, Tensor& self) { return &self; }

void check_continuous(Call& c, const Tensor& self, std::string_view message) {
  c.check(is_floating(self.dtype()), message, self.dtype());
}
constexpr std::string_view kCauchyDType =
    "Cauchy distribution is a continuous probability distribution.         dtype must be a "
    "floating "
    "point but you specified {}";
constexpr std::string_view kExponentialDType =
    "Exponential distribution is a continuous probability distribution.         dtype must be a "
    "floating point but you specified {}";

// Mirrors cauchy, exponential, geometric and log_normal, torch/_refs/__init__.py.
Tensor* cauchy(Call& c, const Tensor& self, double, double sigma) {
  check_continuous(c, self, kCauchyDType);
  c.check(sigma > 0, "cauchy_ expects sigma > 0.0, but found sigma={}", sigma);
  return elementwise(c, c.args().first(1), kDefault);
}
Tensor* exponential(Call& c, const Tensor& self, double rate) {
  check_continuous(c, self, kExponentialDType);
  c.check(rate > 0, "exponential_ expects lambda > 0.0, but found lambda={}", rate);
  return elementwise(c, c.args().first(1), kDefault);
}
DType computed_in(DType dtype) { return dtype == DType::kComplex32 ? DType::kComplex64 : dtype; }
Tensor* geometric(Call& c, const Tensor& self, double p) {
  c.check(!is_complex(self.dtype()) && !is_bool(self.dtype()), "geometric not implemented for {}",
          computed_in(self.dtype()));
  c.check(p > 0 && p < 1, "geometric_ expects p to be in (0, 1), but got p={}", p);
  return elementwise(c, c.args().first(1), kDefault);
}
Tensor* log_normal(Call& c, const Tensor& self, double, double std) {
  c.check(is_floating(self.dtype()), "log_normal not implemented for {}",
          computed_in(self.dtype()));
  c.check(std > 0, "log_normal_ expects std > 0.0, but found std={}", std);
  return elementwise(c, c.args().first(1), kDefault);
}

// Mirrors uniform, torch/_decomp/decompositions.py: the strides of `self`.
Tensor* uniform(Call& c, const Tensor& self) {
  return c.empty_strided(self.sizes(), self.strides(), self.dtype());
}

void check_inexact(Call& c, DType dtype) {
  c.check(is_float_or_complex(dtype),
          "expected a floating-point or complex dtype, but got dtype={}", dtype);
}

// Mirrors normal, torch/_refs/__init__.py, where mean or std is a tensor.
Tensor* normal_of_tensors(Call& c, const Value& mean, const Value& std) {
  c.check(std.is_tensor() || std.to_double() >= 0, "normal expects std >= 0.0, but found std {}",
          std);
  // A std of 1 is not passed on, and the function's own default is an integer.
  const Value operands[] = {mean,
                            std.is_tensor() || std.to_double() != 1.0 ? std : Value(int64_t{1})};
  const DType dtype = elementwise_types(promoted_dtype(c, operands), kDefault).result;
  check_inexact(c, dtype);
  Tensor* samples = c.empty(broadcast_operands(c, operands), dtype);
  const Value scaled = *arithmetic(c, std, *samples);
  if (has_symbolic_sizes(c)) return cast_to(c, *arithmetic(c, scaled, mean), dtype);
  const Value terms[] = {scaled, mean};
  return elementwise(c, terms, computation_dtype(dtype), dtype);
}
Tensor* normal_inplace(Call& c, Tensor& self, double, double std) {
  check_inexact(c, self.dtype());
  c.check(std >= 0, "normal expects std >= 0.0, but found std {}", std);
  return &self;
}
// Mirrors torch._refs.normal as normal.out reaches it: (self, mean, std) stand for its (mean, std,
// size), what equals a default is not passed on, and the result is copied whatever its dtype.
Value normal_into(Call& c, const Tensor& self, double mean, double std, Tensor& out) {
  const bool has_deviation = std::fpclassify(mean) != FP_ZERO;
  c.check(mean >= 0, "normal expects std >= 0.0, but found std {}", mean);
  c.check(std == 1, "normal expects mean and std to be scalars when size is defined");
  if (!has_deviation || is_complex(self.dtype())) check_inexact(c, self.dtype());
  resize_output(c.context(), out, self.sizes());
  c.check(out.device() == c.device(),
          "FakeTensor is wrapped to wrong device, found {}, expected {}", out.device(), c.device());
  return out;
}
// Mirrors normal_functional, aten/src/ATen/native/Distributions.cpp, and answers normal.out, which
// takes the same arguments.
Value normal_functional(Call& c, const Tensor& self, double mean, double std) {
  if (Tensor* out = output_of(c); out != nullptr) return normal_into(c, self, mean, std, *out);
  check_inexact(c, self.dtype());
  return c.call<"aten::clone">(self);
}

// Functional forms that are generated from the in-place ones: a clone that is written to.
Value sampled_clone(Call& c, const Tensor& self) { return c.call<"aten::clone">(self); }

// Where the probabilities are a tensor, results are on the common device.
Value bernoulli_of_tensor(Call& c, const Tensor& self) {
  if (c.device() != self.device()) return c.empty(self.sizes(), self.dtype());  // a CPU scalar
  return c.call<"aten::clone">(self);
}
Tensor* bernoulli_by_tensor(Call& c, Tensor& self) {
  c.check(self.device() == c.device(),
          "FakeTensor is wrapped to wrong device, found {}, expected {}", self.device(),
          c.device());
  return &self;
}

// --- counter-based generators ---

// A key is a pair of integers, or a batch of pairs.
void check_philox_key(const Call& c, std::string_view name, const Tensor& key) {
  c.check(key.dim() >= 1 && guard_bool(key.size(-1) == 2),
          "{}: key must have shape (*batch, 2), got shape torch.Size({})", name, key.sizes());
  c.check(key.dtype() == DType::kUInt64, "{}: key must have dtype uint64, got {}", name,
          key.dtype());
}
// Mirrors meta_philox_key_split, torch/_meta_registrations.py.
Tensor* philox_key_split(Call& c, const Tensor& key, SymInt num_splits) {
  check_philox_key(c, "_philox_key_split", key);
  c.check(num_splits > 0, "_philox_key_split: num_splits must be positive, got {}", num_splits);
  DimVector sizes = {num_splits};
  sizes.append(key.sizes());
  return c.empty(sizes, key.dtype());
}
// Mirrors meta_philox_key_fold_in, torch/_meta_registrations.py.
Tensor* philox_key_fold_in(Call& c, const Tensor& key) {
  check_philox_key(c, "_philox_key_fold_in", key);
  return c.empty_like(key);
}

// Mirrors _check_philox_distribution_args, torch/_meta_registrations.py.
template <FixedString name>
Value philox_in_place(Call& c, Tensor& self, const Tensor& key) {
  c.check(is_floating(self.dtype()), "{}: self must be a floating point tensor, got {}",
          name.view(), self.dtype());
  c.check(key.dtype() == DType::kUInt64, "{}: key must have dtype uint64, got {}", name.view(),
          key.dtype());
  c.check(key.dim() >= 1 && guard_bool(key.size(-1) == 2),
          "{}: key must have shape (2,) or (*batch, 2), got shape torch.Size({})", name.view(),
          key.sizes());
  if (key.dim() == 1) return written(c, self);
  c.check(key.dim() == self.dim() + 1,
          "{}: batched key must have ndim == output ndim + 1, got key shape torch.Size({}) with "
          "output shape torch.Size({})",
          name.view(), key.sizes(), self.sizes());
  const Dims batch = key.sizes().first(self.sizes().size());
  for (size_t i = 0; i < batch.size(); ++i) {
    c.check(guard_bool(batch[i] == 1) || guard_bool(batch[i] == self.sizes()[i]),
            "{}: key batch shape {} is not broadcastable with output shape torch.Size({})",
            name.view(), batch, self.sizes());
  }
  return written(c, self);
}
template <FixedString in_place>
Value philox(Call& c, uint64_t) {
  SmallVector<Value, 4> args(c.args());
  args[0] = c.call<"aten::clone">(args[0]);
  return c.forward<in_place>(args.span());
}

// --- what a kernel would fill ---

Value filled_mask(Call& c, Tensor& self) { return written(c, self); }

// Mirrors meta__masked_scale, torch/_meta_registrations.py.
Value masked_scale(Call& c, const Tensor& self) {
  Tensor* fresh = c.empty(self.sizes(), self.dtype());
  const MemoryFormat format = suggest_memory_format(self);
  if (suggest_memory_format(*fresh) == format) return fresh;
  return c.call<"aten::clone">(*fresh, format);
}

// The generated kernel of bernoulli.float_out, whose functional operator bernoulli.p has no
// default.
Value bernoulli_out(Call& c, const Tensor& self, const Value& p, const Value& generator,
                    Tensor& out) {
  c.check(!c.context().grad_enabled || !out.meta->has(kRequiresGrad),
          "aten::bernoulli(): functions with out=... arguments don't support automatic "
          "differentiation, but one of the arguments requires grad.");
  const Value result = c.call<"aten::bernoulli.p">(self, p, generator);
  const Value written = out;
  write_copies(c, TensorList(Value::list({&written, 1})), TensorList(Value::list({&result, 1})));
  c.device();  // compared when the result is wrapped
  return written;
}

// clang-format off
constexpr OpDef kRandomRules[] = {
    {"aten::_fill_mem_eff_dropout_mask_(Tensor(a!) self, float dropout_p, int seed, int offset) -> Tensor(a!)", rule<&filled_mask>(), kRandom | kByMetaCpp},
    {"aten::_fused_dropout(Tensor self, float p, Generator? generator=None) -> (Tensor, Tensor)", rule<&fused_dropout>(), kRandom | kByDecomp | kRealDerivative},
    {"aten::_masked_scale(Tensor self, Tensor mask, float scale) -> Tensor", rule<&masked_scale>()},
    {"aten::_philox_key_fold_in(Tensor key, int data) -> Tensor", rule<&philox_key_fold_in>()},
    {"aten::_philox_key_split(Tensor key, int num_splits) -> Tensor", rule<&philox_key_split>()},
    {"aten::_philox_normal(Tensor self, Tensor key, float mean=0., float std=1.) -> Tensor", {&philox<"aten::_philox_normal_">}, kByCompositeExplicit},
    {"aten::_philox_normal_(Tensor(a!) self, Tensor key, float mean=0., float std=1.) -> Tensor(a!)", rule<&philox_in_place<"_philox_normal_">>()},
    {"aten::_philox_uniform(Tensor self, Tensor key, float low=0., float high=1.) -> Tensor", {&philox<"aten::_philox_uniform_">}, kByCompositeExplicit},
    {"aten::_philox_uniform_(Tensor(a!) self, Tensor key, float low=0., float high=1.) -> Tensor(a!)", rule<&philox_in_place<"_philox_uniform_">>()},
    {"aten::_standard_gamma(Tensor self, Generator? generator=None) -> Tensor", like_first(), kRandom | kRealDerivative},
    {"aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor", dropout_of(Noise::kAlpha), kComposite | kRandom},
    {"aten::alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", dropout_of(Noise::kAlpha, true), kComposite | kRandom},
    {"aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor", rule<&bernoulli>(), kRandom | kRealDerivative},
    {"aten::bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor", rule<&bernoulli_of_tensor>(), kRandom | kByCompositeExplicit | kRealDerivative},
    {"aten::bernoulli.float_out(Tensor self, float p=0.5, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)", rule<&bernoulli_out>(), kRandom | kByCompositeExplicit | kRealDerivative},
    {"aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor", rule<&bernoulli>(), kRandom | kRealDerivative},
    {"aten::bernoulli_.Tensor(Tensor(a!) self, Tensor p, *, Generator? generator=None) -> Tensor(a!)", rule<&bernoulli_by_tensor>(), kRandom | kByMetaCpp | kRealDerivative | kNoDerivative},
    {"aten::bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)", rule<&sampled>(), kRandom | kRealDerivative | kNoDerivative},
    {"aten::cauchy(Tensor self, float median=0., float sigma=1., *, Generator? generator=None) -> Tensor", rule<&cauchy>(), kRandom | kInplace | kByRef | kRealDerivative},
    {"aten::dropout(Tensor input, float p, bool train) -> Tensor", dropout_of(Noise::kPlain), kComposite | kRandom},
    {"aten::dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", dropout_of(Noise::kPlain, true), kComposite | kRandom},
    {"aten::exponential(Tensor self, float lambd=1., *, Generator? generator=None) -> Tensor", rule<&exponential>(), kRandom | kInplace | kByRef | kRealDerivative},
    {"aten::feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor", dropout_of(Noise::kFeatureAlpha), kComposite | kRandom},
    {"aten::feature_alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", dropout_of(Noise::kFeatureAlpha, true), kComposite | kRandom},
    {"aten::feature_dropout(Tensor input, float p, bool train) -> Tensor", dropout_of(Noise::kFeature), kComposite | kRandom},
    {"aten::feature_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", dropout_of(Noise::kFeature, true), kComposite | kRandom},
    {"aten::geometric(Tensor self, float p, *, Generator? generator=None) -> Tensor", rule<&geometric>(), kRandom | kInplace | kByRef | kRealDerivative},
    {"aten::log_normal(Tensor self, float mean=1., float std=2., *, Generator? generator=None) -> Tensor", rule<&log_normal>(), kRandom | kInplace | kByRef | kRealDerivative},
    {"aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)", rule<&native_dropout>(), kRandom | kByDecomp | kRealDerivative},
    {"aten::native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor", rule<&native_dropout_backward>(), kByDecomp | kRealDerivative},
    {"aten::normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor", rule<&normal_of_tensors>(), kRandom | kByRef | kRealDerivative},
    {"aten::normal.Tensor_float(Tensor mean, float std=1., *, Generator? generator=None) -> Tensor", rule<&normal_of_tensors>(), kRandom | kByRef | kRealDerivative},
    {"aten::normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor", rule<&normal_of_tensors>(), kRandom | kByRef | kRealDerivative},
    {"aten::normal_(Tensor(a!) self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor(a!)", rule<&normal_inplace>(), kRandom | kByRef | kRealDerivative},
    {"aten::normal_functional(Tensor self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor", rule<&normal_functional>(), kRandom | kByCompositeExplicit},
    {"aten::poisson(Tensor self, Generator? generator=None) -> Tensor", like_first(), kRandom | kRealDerivative},
    {"aten::random(Tensor self, *, Generator? generator=None) -> Tensor", rule<&sampled_clone>(), kRandom | kByCompositeExplicit | kRealDerivative},
    {"aten::random.from(Tensor self, int from, int? to, *, Generator? generator=None) -> Tensor", rule<&sampled_clone>(), kRandom | kByCompositeExplicit | kRealDerivative},
    {"aten::random.to(Tensor self, int to, *, Generator? generator=None) -> Tensor", rule<&sampled_clone>(), kRandom | kByCompositeExplicit | kRealDerivative},
    {"aten::random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)", rule<&sampled>(), kRandom | kByMetaCpp | kRealDerivative},
    {"aten::random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)", rule<&sampled>(), kRandom | kByMetaCpp | kRealDerivative},
    {"aten::random_.to(Tensor(a!) self, int to, *, Generator? generator=None) -> Tensor(a!)", rule<&sampled>(), kRandom | kByMetaCpp | kRealDerivative},
    {"aten::uniform(Tensor self, float from=0., float to=1., *, Generator? generator=None) -> Tensor", rule<&uniform>(), kRandom | kByDecomp | kRealDerivative},
    {"aten::uniform_(Tensor(a!) self, float from=0., float to=1., *, Generator? generator=None) -> Tensor(a!)", rule<&sampled>(), kRandom | kByDecomp | kRealDerivative},
};
// clang-format on
}  // namespace
}  // namespace rules_of_random

std::span<const OpDef> random_rules() { return rules_of_random::kRandomRules; }

}  // namespace faketensor
