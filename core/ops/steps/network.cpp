// Layers: torch/_decomp/decompositions.py, torch/_refs/__init__.py and
// torch/_subclasses/fake_impls.py.
#include "core/ops/dispatch_cache.h"
#include "core/ops/families/operand.h"
#include "core/ops/families/view.h"
#include "core/ops/steps/reference.h"
#include "core/ops/steps/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace steps_of_network {
namespace {

using enum Promotion;
using Taken = StepsDef::Taken;

// Tensor.contiguous, which does nothing for a tensor that is.
Operand contiguous(Call& c, const Value& value) {
  if (value.tensor().is_contiguous()) return {c, value};
  return {c, c.call<"aten::contiguous">(value)};
}

// --- products ---

// A factor of a Tensor: `factor * tensor`.
Operand times(const Operand& a, const Value& factor) { return a.op<"aten::mul.Tensor">(factor); }
// Integers are scaled by integers.
Value scale_of(const Tensor& self, const Value& factor) {
  const bool is_whole = is_integral_or_bool(self.dtype());
  return is_whole ? Value(static_cast<int64_t>(factor.to_double())) : factor;
}
Operand scaled_sum(const Tensor& self, const Operand& product, const Operand& added,
                   const Value& beta, const Value& alpha) {
  const Operand out = times(product, scale_of(self, alpha));
  if (beta.to_double() == 0) return out;
  return out + times(added, scale_of(self, beta));
}

Value addmm(Call& c, const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Value& beta,
            const Value& alpha) {
  const OpmathCast cast(c, {self, mat1, mat2});
  const Operand bias = cast(self);
  const Operand a = cast(mat1);
  const Operand b = cast(mat2);
  return cast.back(scaled_sum(self, a.op<"aten::mm">(b), bias, beta, alpha));
}
Value addmv(Call& c, const Tensor& self, const Tensor& mat, const Tensor& vec, const Value& beta,
            const Value& alpha) {
  const OpmathCast cast(c, {self, mat, vec});
  const Operand bias = cast(self);
  const Operand a = cast(mat);
  const Operand b = cast(vec);
  const Operand product = a.op<"aten::mv">(b);
  if (beta.to_double() == 0 || !guard_or_false(product.tensor().numel() == 0))
    return cast.back(scaled_sum(self, product, bias, beta, alpha));
  times(product, scale_of(self, alpha));
  return cast.back(times(bias, scale_of(self, beta)));
}
Value baddbmm(Call& c, const Tensor& self, const Tensor& batch1, const Tensor& batch2,
              const Value& beta, const Value& alpha) {
  const OpmathCast cast(c, {self, batch1, batch2});
  Operand bias = cast(self);
  const Operand a = cast(batch1);
  const Operand b = cast(batch2);
  Operand product = a.op<"aten::bmm">(b);
  if (alpha.to_double() != 1) product = times(product, scale_of(self, alpha));
  if (beta.to_double() == 0) return cast.back(product);
  if (beta.to_double() != 1) bias = times(bias, scale_of(self, beta));
  return cast.back(bias + product);
}
Value mv(Call& c, const Tensor& self, const Tensor& vec) {
  const OpmathCast cast(c, {self, vec});
  const Operand matrix = cast(self);
  return cast.back((matrix * cast(vec)).op<"aten::sum.dim_IntList">(DimVector{1}));
}
Value addmm_activation(Call& c, const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                       const Value& beta, const Value& alpha, bool use_gelu) {
  const OpmathCast cast(c, {self, mat1, mat2});
  const Operand bias = cast(self);
  const Operand a = cast(mat1);
  const Operand b = cast(mat2);
  const Value sum = addmm(c, bias.tensor(), a.tensor(), b.tensor(), beta, alpha);
  const Operand out(c, sum);
  if (!use_gelu) return cast.back(out.op<"aten::relu">());
  const bool is_cuda = self.device().is_cuda();
  return cast.back(out.op<"aten::gelu">(is_cuda ? "tanh" : "none"));
}

// --- softmax ---

// An empty dimension is padded by the least number: amax has no identity.
Operand safe_amax(Call& c, const Operand& x, int64_t dim) {
  const Tensor& tensor = x.tensor();
  Operand most = x;
  if (tensor.dim() > 0 && !guard_or_false(tensor.size(dim) > 0)) {
    DimVector sizes(tensor.sizes());
    sizes[static_cast<size_t>(wrap_dim(dim, tensor.dim()))] = 1;
    const Value pad =
        c.call<"aten::new_full">(tensor, sizes, -HUGE_VAL, nullptr, nullptr, nullptr, false);
    const Value both[] = {x.value(), pad};
    most = Operand(c, c.call<"aten::cat">(c.list(both), dim));
  }
  return most.op<"aten::amax">(DimVector{dim}, true);
}
template <bool is_log>
Value softmax(Call& c, const Tensor& given, int64_t dim, bool half_to_float) {
  const Operand self = contiguous(c, given);
  const ElementwiseTypes types =
      elementwise_types(self.tensor().dtype(), kDefault, c.context().default_dtype);
  const Operand x = self.to(types.computation);
  const Operand shifted = x - safe_amax(c, x, dim);
  const Operand power = shifted.op<"aten::exp">();
  const Operand total = power.sum(DimVector{SymInt(dim)}, true);
  const Operand result = is_log ? shifted - total.op<"aten::log">() : power / total;
  return half_to_float ? result : result.to(types.result);
}

// --- normalisation ---

Value layer_norm(Call& c, const Tensor& input, Dims shape, Tensor* weight, Tensor* bias,
                 double eps) {
  const Operand self = contiguous(c, input);
  const int64_t rank = input.dim();
  DimVector dims;
  for (int64_t dim = rank - static_cast<int64_t>(shape.size()); dim < rank; ++dim)
    dims.push_back(dim);
  const Operand a(c, cast_to(c, self, computation_dtype(input.dtype())));
  const Value moments = c.call<"aten::var_mean.dim">(a.value(), dims, false, true);
  const Operand variance(c, moments.values()[0]);
  const Operand mean(c, moments.values()[1]);
  const Operand rstd = (variance + eps).op<"aten::rsqrt">();
  Operand out = (a - mean) * rstd;
  if (weight != nullptr) out = out * contiguous(c, *weight);
  if (bias != nullptr) out = out + contiguous(c, *bias);
  Value result = cast_to(c, out, input.dtype());
  const bool on_cpu = input.device().is_cpu();
  const Value mean_out = on_cpu ? cast_to(c, mean, input.dtype()) : mean.value();
  const Value rstd_out = on_cpu ? cast_to(c, rstd, input.dtype()) : rstd.value();
  return c.tuple({result, mean_out, rstd_out});
}

// A tensor of the channels among the dimensions of the input: a trailing one for each after them.
Operand as_channels(Operand a, int64_t rank) {
  while (a.tensor().dim() < rank - 1) a = a.unsqueeze(-1);
  return a;
}

// What native_batch_norm_helper computes for one call.
struct BatchNorm {
  Call& c;
  const Tensor& input;
  double eps;
  Value output, mean, rstd, running_mean, running_var;

  // By the statistics of the batch, which the tracked ones follow; those are written to unless the
  // operator is functional.
  void train(Tensor* tracked_mean, Tensor* tracked_var, double momentum, bool functional);
  // By the tracked statistics.
  void evaluate(Tensor* tracked_mean, Tensor* tracked_var);
  void scale(Tensor* weight, Tensor* bias);
};

void BatchNorm::train(Tensor* tracked_mean, Tensor* tracked_var, double momentum, bool functional) {
  const Operand self(c, input);
  DimVector dims{0};
  for (int64_t dim = 2; dim < input.dim(); ++dim) dims.push_back(dim);
  const Operand wide = self.to(computation_dtype(input.dtype()));
  const Value moments = c.call<"aten::var_mean.correction">(wide.value(), dims, 0, true);
  const Operand variance(c, moments.values()[0]);
  const Operand average(c, moments.values()[1]);
  const Operand factor = (variance + eps).op<"aten::rsqrt">();
  output = (self - average) * factor;
  mean = average.op<"aten::squeeze.dims">(dims);
  rstd = factor.op<"aten::squeeze.dims">(dims);
  const auto follow = [&](const Value& now, Tensor* tracked) {
    const Operand fresh = Operand(c, now) * momentum;
    const Operand sum = fresh + Operand(c, *tracked) * (1 - momentum);
    if (!functional) c.call<"aten::copy_">(*tracked, sum.value());
    return sum.value();
  };
  if (tracked_mean != nullptr) running_mean = follow(mean, tracked_mean);
  if (tracked_var == nullptr) return;
  const Operand squeezed = variance.op<"aten::squeeze.dims">(dims);
  const SymFloat count = int_true_div(input.numel(), input.size(1));
  const Operand unbiased = squeezed.op<"aten::mul.Tensor">(number_of(count / (count - 1.0)));
  running_var = follow(unbiased, tracked_var);
}

void BatchNorm::evaluate(Tensor* tracked_mean, Tensor* tracked_var) {
  c.check_as(ErrorKind::kAssertionError, tracked_mean != nullptr && tracked_var != nullptr,
             "running_mean and running_var must not be None in eval mode");
  const DType computation = computation_dtype(input.dtype());
  running_mean = c.call<"aten::to.dtype">(*tracked_mean, computation, false, true);
  running_var = c.call<"aten::to.dtype">(*tracked_var, computation, false, true);
  const Operand average(c, running_mean);
  const Operand factor = 1 / (Operand(c, running_var) + eps).op<"aten::sqrt">();
  const bool on_cpu = input.device().is_cpu();
  const auto saved = [&](const Operand& value) {
    return on_cpu ? c.call<"aten::new_zeros">(input, DimVector{0}) : value.value();
  };
  mean = saved(average);
  rstd = saved(factor);
  const Operand wide_mean = as_channels(average, input.dim());
  const Operand wide_factor = as_channels(factor, input.dim());
  output = (Operand(c, input) - wide_mean) * wide_factor;
}

void BatchNorm::scale(Tensor* weight, Tensor* bias) {
  const auto flat = [&](Tensor* parameter) {
    return as_channels(Operand(c, *parameter).op<"aten::flatten.using_ints">(), input.dim());
  };
  Operand result(c, output);
  if (weight != nullptr) result = result * flat(weight);
  if (bias != nullptr) result = result + flat(bias);
  if (input.device().is_cpu()) {
    mean = Operand(c, mean).to(input.dtype());
    rstd = Operand(c, rstd).to(input.dtype());
  }
  output = result.to(input.dtype());
}

BatchNorm batch_norm_helper(Call& c, const Tensor& input, Tensor* weight, Tensor* bias,
                            Tensor* running_mean, Tensor* running_var, bool training,
                            double momentum, double eps, bool functional) {
  BatchNorm norm{c, input, eps, {}, {}, {}, running_mean, running_var};
  if (training) {
    norm.train(running_mean, running_var, momentum, functional);
  } else {
    norm.evaluate(running_mean, running_var);
  }
  norm.scale(weight, bias);
  return norm;
}

Value batch_norm(Call& c, const Tensor& input, Tensor* weight, Tensor* bias, Tensor* running_mean,
                 Tensor* running_var, bool training, double momentum, double eps) {
  const BatchNorm norm = batch_norm_helper(c, input, weight, bias, running_mean, running_var,
                                           training, momentum, eps, false);
  return c.tuple({norm.output, norm.mean, norm.rstd});
}
Value batch_norm_functional(Call& c, const Tensor& input, Tensor* weight, Tensor* bias,
                            Tensor* running_mean, Tensor* running_var, bool training,
                            double momentum, double eps) {
  const BatchNorm norm = batch_norm_helper(c, input, weight, bias, running_mean, running_var,
                                           training, momentum, eps, true);
  return c.tuple({norm.output, norm.mean, norm.rstd, norm.running_mean, norm.running_var});
}
Value batch_norm_no_stats(Call& c, const Tensor& input, Tensor* weight, Tensor* bias, bool training,
                          double momentum, double eps) {
  const BatchNorm norm =
      batch_norm_helper(c, input, weight, bias, nullptr, nullptr, training, momentum, eps, false);
  return c.tuple({norm.output, norm.mean, norm.rstd});
}
Value batch_norm_no_training(Call& c, const Value& input, const Value& weight, const Value& bias,
                             const Value& running_mean, const Value& running_var, double momentum,
                             double eps) {
  return c.call<"aten::_native_batch_norm_legit">(input, weight, bias, running_mean, running_var,
                                                  false, momentum, eps);
}
// The workspace that a kernel would reserve.
template <bool training, bool functional>
Value batch_norm_reserved(Call& c, const Tensor& input, Tensor* weight, Tensor* bias,
                          Tensor* running_mean, Tensor* running_var, double momentum, double eps) {
  const BatchNorm norm = batch_norm_helper(c, input, weight, bias, running_mean, running_var,
                                           training, momentum, eps, functional);
  const Value reserve = c.call<"aten::empty.memory_format">(DimVector{0}, DType::kUInt8, nullptr,
                                                            input.device(), false);
  if (!functional) return c.tuple({norm.output, norm.mean, norm.rstd, reserve});
  return c.tuple({norm.output, norm.mean, norm.rstd, reserve, norm.running_mean, norm.running_var});
}

// Mirrors native_group_norm, torch/_refs/__init__.py.
Value group_norm(Call& c, const Tensor& input, Tensor* weight, Tensor* bias, SymInt batch,
                 SymInt channels, SymInt inner, int64_t groups, double eps) {
  const DType computation = computation_dtype(input.dtype());
  const Operand self(c, cast_to(c, input, computation));
  const SymInt in_group = floor_div(channels, groups);
  const DimVector by_group = {batch, groups, in_group, inner};
  const Operand grouped = self.reshape(by_group);
  const DimVector dims = {2, 3};
  const Value moments = c.call<"aten::var_mean.dim">(grouped.value(), dims, false, true);
  const Operand variance(c, moments.values()[0]);
  const Operand mean(c, moments.values()[1]);
  const Operand rstd = (variance + eps).op<"aten::rsqrt">();
  const auto widened = [&](Operand a, int64_t first) {
    for (int64_t dim = first; dim < input.dim(); ++dim) a = a.unsqueeze(dim);
    return a;
  };
  Operand out = self;
  if (input.device().is_cpu() && weight != nullptr) {
    const DimVector shape = {1, groups, in_group, 1};
    const Operand scale = rstd * Operand(c, *weight).reshape(shape);
    Operand shift = -mean * scale;
    if (bias != nullptr) shift = shift + Operand(c, *bias).reshape(shape);
    const auto flat = [&](const Operand& a) {
      return contiguous(c, a).op<"aten::as_strided">(DimVector{batch, channels},
                                                     DimVector{channels, 1});
    };
    const Operand w = flat(scale);
    const Operand b = flat(shift);
    const Operand wide_w = widened(w, 2);
    const Operand wide_b = widened(b, 2);
    out = self * wide_w + wide_b;
  } else {
    out = ((grouped - mean) * rstd).view(DimVector(input.sizes()));
    const auto parameter = [&](Tensor* given) {
      return widened(Operand(c, *given).unsqueeze(0), 2);
    };
    if (weight != nullptr) out = out * parameter(weight);
    if (bias != nullptr) out = out + parameter(bias);
  }
  const Value result = cast_to(c, out, input.dtype());
  const Value cast_mean = cast_to(c, mean, input.dtype());
  const Value cast_rstd = cast_to(c, rstd, input.dtype());
  const Value flat_mean = c.call<"aten::squeeze.dims">(cast_mean, dims);
  return c.tuple({result, flat_mean, c.call<"aten::squeeze.dims">(cast_rstd, dims)});
}

// Mirrors _weight_norm_interface: the norm over all dimensions but one.
Value weight_norm(Call& c, const Tensor& v, const Tensor& g, int64_t dim) {
  DimVector others;
  for (int64_t each = 0; each < v.dim(); ++each) {
    if (each != dim) others.push_back(each);
  }
  const Value wide = g.dtype() == DType::kBFloat16 ? Value(DType::kFloat32) : Value();
  const Operand norm(c, c.call<"aten::linalg_vector_norm">(v, 2, others, true, wide));
  const Operand ratio = Operand(c, g) / norm.to(g.dtype());
  return c.tuple({Operand(c, v) * ratio, norm});
}

// --- dropout ---

Value native_dropout(Call& c, const Tensor& input, double p, std::optional<bool> train) {
  const Operand self(c, input);
  if (!train.value_or(false) || p == 0)
    return c.tuple({input, self.op<"aten::ones_like">(DType::kBool)});
  if (p == 1) {
    const Value zeros = self.op<"aten::zeros_like">();
    return c.tuple({zeros, self.op<"aten::zeros_like">(DType::kBool)});
  }
  const Operand mask = self.op<"aten::rand_like">().op<"aten::gt.Scalar">(p);
  return c.tuple({mask * self * (1.0 / (1.0 - p)), mask});
}

// --- look-ups ---

Value embedding(Call& c, const Tensor& weight, const Tensor&) {
  const OpEntry& op = c.op();
  const Tensor& result = op.rule.function(c, op.rule.params).tensor();
  return c.call<"aten::new_empty">(weight, result.sizes(), weight.dtype(), nullptr, nullptr, false);
}

// meta_index_Tensor, torch/_meta_registrations.py, which fake_impls.py runs inside of the mode. The
// rule looks for the places of masks as it does.
Value index(Call& c, const Tensor& self) {
  const OpEntry& op = c.op();
  const Tensor& result = op.rule.function(c, op.rule.params).tensor();
  const Value made =
      c.call<"aten::new_empty">(self, result.sizes(), nullptr, nullptr, nullptr, false);
  // The order of its strides is looked at where there are elements (_restride_src).
  if (!guard_or_false(self.numel() == 0))
    c.call<"aten::as_strided">(self, result.sizes(), DimVector(result.sizes().size(), SymInt(0)));
  return c.call<"aten::to.dtype_layout">(made, self.dtype(), self.layout(), self.device());
}

// clang-format off
constexpr StepsDef kNetworkSteps[] = {
    {"aten::_addmm_activation", rule<&addmm_activation>()},
    {"aten::_batch_norm_no_update", rule<&batch_norm_reserved<false, false>>()},
    {"aten::_batch_norm_with_update", rule<&batch_norm_reserved<true, false>>()},
    {"aten::_batch_norm_with_update_functional", rule<&batch_norm_reserved<true, true>>()},
    {"aten::_log_softmax", rule<&softmax<true>>()},
    {"aten::_native_batch_norm_legit", rule<&batch_norm>()},
    {"aten::_native_batch_norm_legit.no_stats", rule<&batch_norm_no_stats>()},
    {"aten::_native_batch_norm_legit_functional", rule<&batch_norm_functional>()},
    {"aten::_native_batch_norm_legit_no_training", rule<&batch_norm_no_training>()},
    {"aten::_softmax", rule<&softmax<false>>()},
    {"aten::_weight_norm_interface", rule<&weight_norm>()},
    {"aten::addmm", rule<&addmm>()},
    {"aten::addmv", rule<&addmv>()},
    {"aten::baddbmm", rule<&baddbmm>()},
    {"aten::embedding", rule<&embedding>(), Taken::kAll},
    {"aten::index.Tensor", rule<&index>(), Taken::kAll},
    {"aten::mv", rule<&mv>()},
    {"aten::native_batch_norm", rule<&batch_norm>()},
    {"aten::native_dropout", rule<&native_dropout>()},
    {"aten::native_group_norm", rule<&group_norm>()},
    {"aten::native_layer_norm", rule<&layer_norm>(), Taken::kAll},
};
// clang-format on

}  // namespace
}  // namespace steps_of_network

std::span<const StepsDef> network_steps() { return steps_of_network::kNetworkSteps; }

}  // namespace faketensor
