// Gradients of normalisation.
//
// Decompositions (torch/_decomp/decompositions.py) that FakeTensorMode runs step by step. Numbers
// that only scale, as the count of elements does, are 1 here: they decide nothing.
#include "core/ops/families/arithmetic.h"
#include "core/ops/families/operand.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_norm_backward {
namespace {

bool wants(const Value& output_mask, size_t i) { return output_mask[i].to_bool(); }

// x with trailing dimensions of size 1 up to `rank`.
Operand unsqueezed_to(Operand x, int64_t rank) {
  while (x.tensor().dim() < rank) x = x.unsqueeze(-1);
  return x;
}

// --- batch norm ---

// A channel's numbers with a dimension of size 1 for each other dimension of the input, as
// _broadcast_batch_norm_backward puts them: one that already is of size 1 is left as it is.
Operand across_channels(Operand x, const Tensor& input) {
  for (int64_t axis = 0; axis < input.dim(); ++axis) {
    if (axis == 1 && !guard_bool(input.size(1) == 1)) continue;
    const bool is_there = axis < x.tensor().dim() && guard_bool(x.tensor().size(axis) == 1);
    if (!is_there) x = x.unsqueeze(axis);
  }
  return x;
}

// Mirrors native_batch_norm_backward, torch/_decomp/decompositions.py.
Value native_batch_norm_backward(Call& c, const Tensor& grad_out, const Tensor& input,
                                 Tensor* weight, Tensor* running_mean, Tensor* running_var,
                                 Tensor* save_mean, Tensor* save_invstd, bool train, double eps,
                                 const Value& output_mask) {
  const DType computation = computation_dtype(input.dtype());
  const auto cast = [&](Tensor* x) {
    return Operand(c, x == nullptr ? Value() : c.call<"aten::to.dtype">(*x, computation));
  };
  const Operand grad = Operand(c, grad_out).to(computation);
  const Operand x = Operand(c, input).to(computation);
  const Operand scale = cast(weight);
  const Operand tracked_mean = cast(running_mean);
  const Operand tracked_var = cast(running_var);
  const Operand batch_mean = cast(save_mean);
  const Operand batch_invstd = cast(save_invstd);
  c.check_as(ErrorKind::kAssertionError, input.dim() >= 2,
             "rank of the input must be at least 2, got {}", input.dim());
  c.check_as(ErrorKind::kZeroDivisionError, !guard_or_false(input.size(1) == 0),
             "division by zero");
  c.check_as(ErrorKind::kAssertionError, !train || (save_mean != nullptr && save_invstd != nullptr),
             "mean and invstd must not be None in training mode");
  c.check_as(ErrorKind::kAssertionError,
             train || (running_mean != nullptr && running_var != nullptr),
             "running_mean_cast and running_var_cast must not be None in eval mode");
  const Operand invstd = train ? batch_invstd : (tracked_var + eps).op<"aten::rsqrt">();
  const Operand mean = across_channels(train ? batch_mean : tracked_mean, input);
  c.check_as(ErrorKind::kZeroDivisionError, !guard_or_false(input.numel() == 0),
             "float division by zero");
  DimVector axes = {0};
  for (int64_t i = 2; i < input.dim(); ++i) axes.push_back(i);
  const Operand grad_sum = grad.sum(axes);
  const Operand dot = (grad * (x - mean)).sum(axes);
  const Operand grad_mean = across_channels(grad_sum * 1.0, input);
  const Operand mean_dot = dot * 1.0;
  const Operand projection = across_channels(mean_dot * (invstd * invstd), input);
  const Operand grad_scale = scale.is_tensor() ? across_channels(invstd * scale, input)
                                               : across_channels(invstd, input) * 1.0;
  const Operand grad_input =
      train ? (grad - (x - mean) * projection - grad_mean) * grad_scale : grad * grad_scale;
  const DType parameters = weight != nullptr ? weight->dtype() : input.dtype();
  const Value grad_weight = wants(output_mask, 1) ? (dot * invstd).to(parameters).value() : Value();
  return c.tuple({grad_input.to(input.dtype()).value(), grad_weight,
                  wants(output_mask, 2) ? grad_sum.to(parameters).value() : Value()});
}

// Mirrors cudnn_batch_norm_backward and miopen_batch_norm_backward,
// torch/_decomp/decompositions.py.
Value library_batch_norm_backward(Call& c, const Tensor& input, const Tensor& grad_output,
                                  const Tensor& weight, Tensor* running_mean, Tensor* running_var,
                                  Tensor* save_mean, Tensor* save_var, const Value& epsilon) {
  const Value all = c.tuple({true, true, true});
  return c.call<"aten::native_batch_norm_backward">(grad_output, input, weight, running_mean,
                                                    running_var, save_mean, save_var, true, epsilon,
                                                    all);
}

// Mirrors _batch_norm_impl_index_backward, aten/src/ATen/native/Normalization.cpp.
Value batch_norm_impl_index_backward(Call& c, int64_t impl_index, const Tensor& input,
                                     const Tensor& grad_output, Tensor* weight,
                                     Tensor* running_mean, Tensor* running_var, Tensor* save_mean,
                                     Tensor* save_var, bool train, const Value& epsilon,
                                     const Value& output_mask, const Tensor& reserve) {
  if (guard_bool(input.numel() == 0)) {
    DimVector dims = {0};
    for (int64_t i = 2; i < input.dim(); ++i) dims.push_back(i);
    const Operand grad(c, grad_output);
    const Operand sum = grad.sum(dims);
    const Value grad_bias = wants(output_mask, 2) ? sum.value() : Value();
    const Value grad_weight =
        wants(output_mask, 1) ? (grad * Operand(c, input)).sum(dims).value() : Value();
    Value grad_input;
    if (wants(output_mask, 0) && weight != nullptr)
      grad_input = grad * Operand(c, *weight).op<"aten::select.int">(0, 0);
    return c.tuple({grad_input, grad_weight, grad_bias});
  }
  const Value given = weight == nullptr ? Value() : Value(*weight);
  // cuDNN has no gradient of evaluation.
  if (impl_index == 0 || !train) {
    return c.call<"aten::native_batch_norm_backward">(grad_output, input, weight, running_mean,
                                                      running_var, save_mean, save_var, train,
                                                      epsilon, output_mask);
  }
  c.check(impl_index == 1 || impl_index == 2,
          "Unsupported impl_index in "
          "_batch_norm_impl_index_backward: {}",
          impl_index);
  c.check(weight != nullptr,
          "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #2 "
          "'weight'");
  if (impl_index == 1) {
    return c.call<"aten::cudnn_batch_norm_backward">(input, grad_output, given, running_mean,
                                                     running_var, save_mean, save_var, epsilon,
                                                     reserve);
  }
  return c.call<"aten::miopen_batch_norm_backward">(input, grad_output, given, running_mean,
                                                    running_var, save_mean, save_var, epsilon);
}

// --- group norm ---

// Mirrors torch._prims_common.check_same_device.
void check_device_of(Call& c, const Tensor& first, std::initializer_list<const Tensor*> others) {
  for (const Tensor* x : others) {
    c.check(x->device() == first.device(), "Tensor on device {} is not on the expected device {}!",
            x->device(), first.device());
  }
}
// Mirrors torch._prims_common.check_same_shape.
void check_shape_of(Call& c, const Tensor& first, const Tensor& x) {
  SymBool same = first.dim() == x.dim();
  for (size_t i = 0; i < x.sizes().size() && first.dim() == x.dim(); ++i)
    same = sym_and(same, first.sizes()[i] == x.sizes()[i]);
  c.check(same, "Shape {} is not the expected shape {}!", size_text(x.sizes()),
          size_text(first.sizes()));
}

struct GroupNorm {
  const Tensor& input;
  const Tensor& mean;
  Tensor* gamma;
  SymInt batch, channels, positions, groups, per_group;

  DimVector grouped() const { return {batch, groups, per_group}; }
  DimVector grouped_positions() const { return {batch, groups, per_group, positions}; }
};

void check_group_norm(Call& c, const GroupNorm& norm) {
  c.check(norm.input.numel() == norm.batch * norm.channels * norm.positions,
          "Expect input to have {} elements", norm.batch * norm.channels * norm.positions);
  const Dims mean = norm.mean.sizes();
  const SymBool fits =
      mean.size() == 2 ? sym_and(mean[0] == norm.batch, mean[1] == norm.groups) : SymBool(false);
  c.check(fits, "Expect mean to have shape ({}, {}, but got {}", norm.batch, norm.groups,
          size_text(mean));
  if (norm.gamma != nullptr) {
    c.check(norm.gamma->numel() == norm.channels, "Expect gamma to have {} elements but got {}",
            norm.channels, norm.gamma->numel());
  }
  c.check(norm.channels == norm.per_group * norm.groups,
          "Expect number of channels {} to be evenly-divisible by number of groups {}",
          norm.channels, norm.groups);
}

// The gradient of the input from the gradient's sums with (`ds`) and without (`db`) the input.
Operand group_norm_input_gradient(Call& c, const GroupNorm& norm, const Operand& grad,
                                  const Operand& x, const Operand& mean, const Operand& rstd,
                                  const Operand& gamma, const Operand& ds, const Operand& db) {
  const DimVector one = {1, norm.groups, norm.per_group};
  const auto by_group = [&](const Operand& sums) {
    const Operand scaled = gamma.is_tensor() ? sums * gamma.unsqueeze(0) : sums;
    return scaled.reshape(norm.grouped()).sum({2});
  };
  const Operand ds_value = by_group(ds);
  const Operand db_value = by_group(db);
  const Operand ones(c, gamma.is_tensor()
                            ? gamma.reshape(one).value()
                            : Value(c.empty_on(rstd.tensor().device(), one, DType::kFloat32)));
  const Operand c1 = (rstd.unsqueeze(-1) * ones).unsqueeze(-1);
  const Operand c2 = (db_value * mean - ds_value) * rstd * rstd * rstd * 1.0;
  const Operand c2_mean = -c2 * mean;
  const Operand c3 = c2_mean - db_value * rstd * 1.0;
  const Operand c2_by_position = unsqueezed_to(c2, 4);
  const Operand c3_by_position = unsqueezed_to(c3, 4);
  const Operand by_grad = grad.reshape(norm.grouped_positions()) * c1;
  const Operand by_input = x.reshape(norm.grouped_positions()) * c2_by_position;
  const Operand sum = by_grad + by_input + c3_by_position;
  return sum.reshape(DimVector(norm.input.sizes())).to(x.tensor().dtype());
}

// Mirrors native_group_norm_backward, torch/_decomp/decompositions.py.
Value native_group_norm_backward(Call& c, const Tensor& grad_out, const Tensor& input,
                                 const Tensor& mean, const Tensor& rstd, Tensor* weight,
                                 SymInt batch, SymInt channels, SymInt positions, SymInt groups,
                                 const Value& output_mask) {
  const OpmathCast cast(c, {grad_out, input, mean, rstd, weight});
  const Operand grad = cast(grad_out), x = cast(input), m = cast(mean), r = cast(rstd);
  const Operand gamma(c, weight == nullptr ? Value() : cast(*weight).value());
  check_device_of(c, grad_out, {&input, &mean, &rstd});
  check_shape_of(c, input, grad_out);
  check_shape_of(c, mean, rstd);
  c.check_as(ErrorKind::kZeroDivisionError, !guard_or_false(groups == 0),
             "integer division or modulo by zero");
  const GroupNorm norm = {input,    mean,      weight, batch,
                          channels, positions, groups, floor_div(channels, groups)};
  check_group_norm(c, norm);
  const DimVector flat = {batch, channels, positions};
  const Operand ds = (grad * x).view(flat).sum({2});
  const Operand db = grad.view(flat).sum({2});
  Value grad_input, grad_weight, grad_bias;
  if (wants(output_mask, 0)) {
    c.check_as(ErrorKind::kZeroDivisionError, !guard_or_false(positions * norm.per_group == 0),
               "float division by zero");
    grad_input = cast.back(group_norm_input_gradient(c, norm, grad, x, m, r, gamma, ds, db));
  }
  if (wants(output_mask, 1)) {
    const Operand ds_grouped = ds.view(norm.grouped());
    const Operand db_grouped = db.view(norm.grouped());
    const Operand centred = ds_grouped - db_grouped * m.unsqueeze(-1);
    const Operand sum = (centred * r.unsqueeze(-1)).sum({0});
    grad_weight = cast.back(sum.reshape({channels}));
  }
  if (wants(output_mask, 2)) grad_bias = cast.back(db.sum({0}));
  return c.tuple({grad_input, grad_weight, grad_bias});
}

// --- layer norm, root mean square norm ---

// The dimensions before and from `axis` on.
struct SplitDims {
  DimVector outer, inner;
  bool is_empty = false;  // one side holds no elements

  SplitDims(const Tensor& input, Dims normalized_shape) {
    const int64_t axis = input.dim() - static_cast<int64_t>(normalized_shape.size());
    for (int64_t i = 0; i < input.dim(); ++i) (i < axis ? outer : inner).push_back(i);
    is_empty = guard_or_false(numel(input.sizes().first(outer.size())) == 0) ||
               guard_or_false(numel(input.sizes().subspan(outer.size())) == 0);
  }
};

Operand contiguous_in(Call& c, const Tensor& x, DType dtype) {
  return Operand(c, x).op<"aten::to.dtype">(dtype, false, false, MemoryFormat::kContiguous);
}

// What is left of a gradient for a parameter: the sum over the outer dimensions.
Operand over_outer(const Operand& x, const SplitDims& dims) {
  return dims.outer.empty() ? x : x.sum(dims.outer);
}

Value zeros_where(Call& c, const Tensor& input, const SplitDims& dims, const Value& output_mask) {
  SmallVector<Value, 3> result;
  for (size_t i = 0; i < output_mask.size(); ++i) {
    const DimVector sizes(i == 0 ? input.sizes() : input.sizes().subspan(dims.outer.size()));
    result.push_back(wants(output_mask, i) ? c.call<"aten::new_zeros">(input, sizes) : Value());
  }
  return c.list(result.span());
}

// Mirrors native_layer_norm_backward, torch/_decomp/decompositions.py.
Value native_layer_norm_backward(Call& c, const Tensor& grad_out, const Tensor& input,
                                 Dims normalized_shape, const Tensor& mean, const Tensor& rstd,
                                 Tensor* weight, Tensor* bias, const Value& output_mask) {
  const DType computation = computation_dtype(input.dtype());
  const Operand grad = contiguous_in(c, grad_out, computation);
  const Operand x = contiguous_in(c, input, computation);
  const SplitDims dims(input, normalized_shape);
  if (dims.is_empty) return zeros_where(c, input, dims, output_mask);
  const Operand m = unsqueezed_to({c, mean}, input.dim());
  const Operand r = unsqueezed_to({c, rstd}, input.dim());
  const Operand x_hat = (x - m) * r;
  const Operand scaled = weight == nullptr ? grad : grad * contiguous_in(c, *weight, computation);
  const Operand sum = scaled.sum(dims.inner, true);
  const Operand projection = x_hat * (scaled * x_hat).sum(dims.inner, true);
  const Operand inner = scaled * 1 - sum - projection;
  Value grad_input, grad_weight, grad_bias;
  if (wants(output_mask, 0)) grad_input = (r / 1 * inner).to(input.dtype());
  if (wants(output_mask, 1) && weight != nullptr)
    grad_weight = over_outer(grad * x_hat, dims).to(weight->dtype());
  if (wants(output_mask, 2) && bias != nullptr) {
    const Operand total = dims.outer.empty() ? grad.op<"aten::clone">() : grad.sum(dims.outer);
    grad_bias = total.to(bias->dtype());
  }
  return c.tuple({grad_input, grad_weight, grad_bias});
}

// Mirrors _fused_rms_norm_backward, torch/_decomp/decompositions.py.
Value fused_rms_norm_backward(Call& c, const Tensor& grad_out, const Tensor& input,
                              Dims normalized_shape, const Tensor& rstd, Tensor* weight,
                              const Value& output_mask) {
  const DType computation = computation_dtype(input.dtype());
  const Operand grad = contiguous_in(c, grad_out, computation);
  const Operand x = contiguous_in(c, input, computation);
  const SplitDims dims(input, normalized_shape);
  if (dims.is_empty) return zeros_where(c, input, dims, output_mask);
  const Operand r = unsqueezed_to({c, rstd}, input.dim());
  const Operand scaled = weight == nullptr ? grad : grad * contiguous_in(c, *weight, computation);
  const Operand x_hat = x * r;
  Value grad_input, grad_weight;
  if (wants(output_mask, 0)) {
    const Operand sum = (x_hat * scaled).sum(dims.inner, true);
    grad_input = ((scaled - x_hat / 1 * sum) * r).to(input.dtype());
  }
  if (wants(output_mask, 1) && weight != nullptr)
    grad_weight = over_outer(grad * x_hat, dims).to(input.dtype());
  return c.tuple({grad_input, grad_weight});
}

// --- weight norm ---

// Mirrors meta_weight_norm_backward, torch/_meta_registrations.py.
Value weight_norm_interface_backward(Call& c, const Tensor&, const Tensor& saved_v,
                                     const Tensor& saved_g) {
  (void)c.device();
  return c.tuple({c.empty_like(saved_v), c.empty_like(saved_g)});
}

// Mirrors _weight_norm_differentiable_backward, aten/src/ATen/native/WeightNorm.cpp.
Value weight_norm_differentiable_backward(Call& c, const Tensor& grad_w, const Tensor& saved_v,
                                          const Tensor& saved_g, const Tensor& saved_norms,
                                          int64_t dim) {
  c.check(grad_w.is_contiguous(), "grad_w must be contiguous");
  c.check(saved_v.is_contiguous(), "saved_v must be contiguous");
  c.check(saved_g.is_contiguous(), "saved_g must be contiguous");
  c.check(saved_norms.is_contiguous(), "saved_norms must be contiguous");
  const int64_t last = saved_v.dim() - 1;
  const SymInt last_size = saved_v.size(last);
  c.check(dim == 0 || dim == last, "Expected dim to be the first or last dimension");
  const Operand g(c, saved_g), v(c, saved_v), w(c, grad_w);
  const Operand norms = Operand(c, saved_norms).to(saved_g.dtype());
  DimVector sizes(static_cast<size_t>(saved_v.dim()), SymInt(1));
  const Operand product = w * v;
  Operand per_dim = product;
  if (dim == 0) {
    sizes[0] = saved_v.size(0);
    per_dim = product.view({saved_v.size(0), -1}).sum({1}).view(sizes);
  } else {
    sizes[static_cast<size_t>(last)] = last_size;
    per_dim = product.view({-1, last_size}).sum({0}).view(sizes);
  }
  const Operand perpendicular = w - v * (per_dim / (norms * norms));
  const Operand grad_v = g / norms * perpendicular;
  return c.tuple({grad_v.value(), (per_dim / norms).value()});
}

// clang-format off
constexpr OpDef kNormBackward[] = {
    {"aten::_batch_norm_impl_index_backward(int impl_index, Tensor input, Tensor grad_output, Tensor? weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_var_transform, bool train, float eps, bool[3] output_mask, Tensor reservedSpace) -> (Tensor, Tensor, Tensor)", rule<&batch_norm_impl_index_backward>(), kComposite},
    {"aten::_fused_rms_norm_backward(Tensor grad_out, Tensor input, int[] normalized_shape, Tensor rstd, Tensor? weight, bool[2] output_mask) -> (Tensor, Tensor)", rule<&fused_rms_norm_backward>(), kByDecomp},
    {"aten::_weight_norm_differentiable_backward(Tensor grad_w, Tensor saved_v, Tensor saved_g, Tensor saved_norms, int dim) -> (Tensor, Tensor)", rule<&weight_norm_differentiable_backward>(), kComposite},
    {"aten::_weight_norm_interface_backward(Tensor grad_w, Tensor saved_v, Tensor saved_g, Tensor saved_norms, int dim) -> (Tensor, Tensor)", rule<&weight_norm_interface_backward>()},
    {"aten::batch_norm_backward(Tensor grad_out, Tensor input, Tensor weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_var, bool update, float eps, bool[3] output_mask, Tensor reserve) -> (Tensor, Tensor, Tensor)", rule<&native_batch_norm_backward>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "running_mean,running_var"}>},
    {"aten::cudnn_batch_norm_backward(Tensor input, Tensor grad_output, Tensor weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_var, float epsilon, Tensor reserveSpace) -> (Tensor, Tensor, Tensor)", rule<&library_batch_norm_backward>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "running_mean,running_var"}>},
    {"aten::miopen_batch_norm_backward(Tensor input, Tensor grad_output, Tensor weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_var, float epsilon) -> (Tensor, Tensor, Tensor)", rule<&library_batch_norm_backward>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "running_mean,running_var"}>},
    {"aten::native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_invstd, bool train, float eps, bool[3] output_mask) -> (Tensor, Tensor, Tensor)", rule<&native_batch_norm_backward>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "running_mean,running_var"}>},
    {"aten::native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, SymInt N, SymInt C, SymInt HxW, int group, bool[3] output_mask) -> (Tensor, Tensor, Tensor)", rule<&native_group_norm_backward>(), kByDecomp},
    {"aten::native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, Tensor rstd, Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)", rule<&native_layer_norm_backward>(), kByDecomp | kRealDerivative},
};
// clang-format on
}  // namespace
}  // namespace rules_of_norm_backward

std::span<const OpDef> norm_backward_rules() { return rules_of_norm_backward::kNormBackward; }

}  // namespace faketensor
