// Normalisation: by batch, layer, group, instance and root mean square.
#include "core/ops/families/arithmetic.h"
#include "core/ops/families/copy.h"
#include "core/ops/families/into.h"
#include "core/ops/families/kernel.h"
#include "core/ops/families/symbolic_sizes.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/ops/variables.h"
#include "core/symbolic/cpp_comparison.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_norm {
namespace {

// --- batch norm ---

struct BatchNorm {
  const Tensor& input;
  Tensor* weight;
  Tensor* bias;
  Tensor* running_mean;
  Tensor* running_var;
  bool training;
};

struct BatchNormResult {
  Tensor* output;
  Tensor* save_mean;
  Tensor* save_rstd;
  Tensor* running_mean;  // the new ones
  Tensor* running_var;
};

// x with trailing dimensions of size 1 up to `rank`.
const Tensor& unsqueezed_to(Call& c, const Tensor& x, int64_t rank) {
  if (x.dim() >= rank) return x;
  DimVector sizes(x.sizes());
  DimVector strides(x.strides());
  while (static_cast<int64_t>(sizes.size()) < rank) {
    sizes.push_back(1);
    strides.push_back(1);
  }
  return *c.view(x, sizes, strides);
}

// A channel's number spread over the input's other dimensions, as weight.flatten() and unsqueezes.
const Tensor& per_channel(Call& c, const Tensor& x, const Tensor& input) {
  return unsqueezed_to(c, x.dim() == 1 ? x : c.tensor<"aten::flatten.using_ints">(x),
                       input.dim() - 1);
}

// One step of the running statistics: momentum * batch + (1 - momentum) * running.
Tensor* updated_statistic(Call& c, const Tensor& batch, Tensor& running, bool functional) {
  Tensor* updated = arithmetic(c, batch, running);
  if (!functional) c.call<"aten::copy_">(running, updated);
  return updated;
}

// Batch statistics, and the input normalised by them.
BatchNormResult normalize_by_batch(Call& c, const BatchNorm& norm, bool functional) {
  DimVector dims = {0};
  for (int64_t i = 2; i < norm.input.dim(); ++i) dims.push_back(i);
  const DType computation = computation_dtype(norm.input.dtype());
  const Tensor& input = *cast_to(c, norm.input, computation);
  const Value statistics = c.call<"aten::var_mean.correction">(input, dims, 0, true);
  const Tensor& variance = statistics[0].tensor();
  const Tensor& mean = statistics[1].tensor();
  const Tensor& rstd = c.tensor<"aten::rsqrt">(variance);
  BatchNormResult result = {};
  result.output = arithmetic(c, arithmetic(c, input, mean), rstd);
  result.save_mean = &c.tensor<"aten::squeeze.dims">(mean, dims);
  result.save_rstd = &c.tensor<"aten::squeeze.dims">(rstd, dims);
  result.running_mean = norm.running_mean;
  result.running_var = norm.running_var;
  if (norm.running_mean != nullptr)
    result.running_mean = updated_statistic(c, *result.save_mean, *norm.running_mean, functional);
  if (norm.running_var != nullptr) {
    const Tensor& squeezed = c.tensor<"aten::squeeze.dims">(variance, dims);
    result.running_var = updated_statistic(c, squeezed, *norm.running_var, functional);
  }
  return result;
}

// The input normalised by the running statistics. Eager's devices disagree on what is saved.
BatchNormResult normalize_by_running(Call& c, const BatchNorm& norm) {
  c.check_as(ErrorKind::kAssertionError,
             norm.running_mean != nullptr && norm.running_var != nullptr,
             "running_mean and running_var must not be None in eval mode");
  const DType computation = computation_dtype(norm.input.dtype());
  BatchNormResult result = {};
  c.check(!is_bool(computation),
          "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
          "`logical_xor()` operator instead.");
  const auto copied = [&](const Tensor& running, DType dtype) {
    return empty_as_cloned(c, running, dtype, c.device());
  };
  result.running_mean = copied(*norm.running_mean, computation);
  result.running_var = copied(*norm.running_var, computation);
  Tensor* invstd = &c.tensor<"aten::rsqrt">(*result.running_var);
  const bool is_cpu = norm.input.device().is_cpu();
  const auto none = [&] {
    return c.context().empty(DimVector{0}, norm.input.dtype(), norm.input.device());
  };
  result.save_mean = is_cpu ? none() : result.running_mean;
  result.save_rstd = is_cpu ? none() : invstd;
  const int64_t rank = norm.input.dim() - 1;
  Tensor* centred = arithmetic(c, norm.input, unsqueezed_to(c, *result.running_mean, rank));
  result.output = arithmetic(c, *centred, unsqueezed_to(c, *invstd, rank));
  return result;
}

// A zero-dimensional tensor of another device is an operand like any other once it is unsqueezed.
void check_devices(Call& c, const BatchNorm& norm) {
  const Device device = norm.input.device();
  Tensor* const running[] = {norm.running_mean, norm.running_var, norm.weight, norm.bias};
  for (const Tensor* x : std::span(running).subspan(norm.training ? 2 : 0)) {
    if (x == nullptr || x->dim() != 0 || norm.input.dim() < 2) continue;
    c.check_as(ErrorKind::kDeviceMismatch, x->device() == device,
               "Expected all tensors to be on the same device, but found at least two devices, {} "
               "and {}!",
               device, x->device());
  }
}

// Mirrors native_batch_norm_helper, torch/_decomp/decompositions.py.
BatchNormResult batch_norm_helper(Call& c, const BatchNorm& norm, bool functional = false) {
  check_devices(c, norm);
  // A decomposition's steps look at devices one by one: statistics are added before they are
  // copied.
  for (const Tensor* running : {norm.running_mean, norm.running_var}) {
    if (!norm.training || running == nullptr || running->device() == norm.input.device()) continue;
    const Tensor& batch = *c.context().empty(DimVector{1}, norm.input.dtype(), norm.input.device());
    c.call<"aten::add.Tensor">(batch, *running);
  }
  BatchNormResult result =
      norm.training ? normalize_by_batch(c, norm, functional) : normalize_by_running(c, norm);
  const DType dtype = norm.input.dtype();
  for (const Tensor* scale : {norm.weight, norm.bias}) {
    if (scale != nullptr)
      result.output = arithmetic(c, *result.output, per_channel(c, *scale, norm.input));
  }
  if (norm.input.device().is_cpu()) {
    result.save_mean = cast_to(c, *result.save_mean, dtype);
    result.save_rstd = cast_to(c, *result.save_rstd, dtype);
  }
  result.output = cast_to(c, *result.output, dtype);
  return result;
}

// Mirrors batch_norm_cpu_out, which the overloads without a Meta kernel run on zeros.
Value write_batch_norm(Call& c, const Tensor& input) {
  require_type(c, "batch_norm", input.dtype(), kFloats);
  input.size(1);
  return outputs_left_alone(c);
}

Value native_batch_norm(Call& c, const Tensor& input, Tensor* weight, Tensor* bias,
                        Tensor* running_mean, Tensor* running_var, bool training) {
  if (output_of(c) != nullptr) return write_batch_norm(c, input);
  const BatchNormResult result =
      batch_norm_helper(c, {input, weight, bias, running_mean, running_var, training});
  return c.tuple({result.output, result.save_mean, result.save_rstd});
}
Value batch_norm_no_training(Call& c, const Tensor& input, Tensor* weight, Tensor* bias,
                             Tensor* running_mean, Tensor* running_var) {
  return native_batch_norm(c, input, weight, bias, running_mean, running_var, false);
}
Value batch_norm_no_stats(Call& c, const Tensor& input, Tensor* weight, Tensor* bias,
                          bool training) {
  return native_batch_norm(c, input, weight, bias, nullptr, nullptr, training);
}
Value batch_norm_functional(Call& c, const Tensor& input, Tensor* weight, Tensor* bias,
                            Tensor* running_mean, Tensor* running_var, bool training) {
  const BatchNormResult result =
      batch_norm_helper(c, {input, weight, bias, running_mean, running_var, training}, true);
  return c.tuple(
      {result.output, result.save_mean, result.save_rstd, result.running_mean, result.running_var});
}

// Whether cuDNN would normalise. Mirrors _select_batch_norm_backend,
// aten/src/ATen/native/Normalization.cpp; it asks how PyTorch was built, not whether a GPU is
// there.
bool uses_cudnn(Call& c, const BatchNorm& norm) {
  const Target& target = c.target();
  const DType dtype = norm.input.dtype();
  if (!norm.input.device().is_cuda() || target.cudnn == 0 || !target.cudnn_enabled) return false;
  if (norm.weight == nullptr || norm.bias == nullptr || norm.input.dim() < 3) return false;
  if (dtype == DType::kBFloat16 || norm.weight->dtype() == DType::kBFloat16) return false;
  if (dtype == DType::kFloat16 && norm.weight->dtype() != DType::kFloat32) return false;
  const bool has_both = norm.running_mean != nullptr && norm.running_var != nullptr;
  const bool has_none = norm.running_mean == nullptr && norm.running_var == nullptr;
  if (!has_both && !(has_none && norm.training)) return false;
  const SymInt max_batch = norm.training ? 880801 : 65535;
  return guard_bool(norm.input.size(0) <= max_batch) && guard_bool(norm.input.numel() < 2147483647);
}

// What _batch_norm_with_update and its kin reserve for cuDNN's backward: nothing without a GPU.
Tensor* reserve_tensor(Call& c, const BatchNorm& norm) {
  return c.empty_on(norm.input.device(), DimVector{0}, DType::kUInt8);
}

Value batch_norm_with_update(Call& c, const Tensor& input, Tensor* weight, Tensor* bias,
                             Tensor* running_mean, Tensor* running_var) {
  if (output_of(c) != nullptr) return write_batch_norm(c, input);
  const BatchNorm norm = {input, weight, bias, running_mean, running_var, true};
  const BatchNormResult result = batch_norm_helper(c, norm);
  return c.tuple({result.output, result.save_mean, result.save_rstd, reserve_tensor(c, norm)});
}
Value batch_norm_no_update(Call& c, const Tensor& input, Tensor* weight, Tensor* bias,
                           Tensor* running_mean, Tensor* running_var) {
  const BatchNorm norm = {input, weight, bias, running_mean, running_var, false};
  const BatchNormResult result = batch_norm_helper(c, norm);
  return c.tuple({result.output, result.save_mean, result.save_rstd, reserve_tensor(c, norm)});
}
Value batch_norm_with_update_functional(Call& c, const Tensor& input, Tensor* weight, Tensor* bias,
                                        Tensor* running_mean, Tensor* running_var) {
  const BatchNorm norm = {input, weight, bias, running_mean, running_var, true};
  const BatchNormResult result = batch_norm_helper(c, norm, true);
  return c.tuple({result.output, result.save_mean, result.save_rstd, reserve_tensor(c, norm),
                  result.running_mean, result.running_var});
}

// Mirrors cudnn_batch_norm, torch/_decomp/decompositions.py.
Value cudnn_batch_norm(Call& c, const Tensor& input, const Tensor& weight, Tensor* bias,
                       Tensor* running_mean, Tensor* running_var, bool training) {
  const BatchNormResult result = batch_norm_helper(
      c, {input, const_cast<Tensor*>(&weight), bias, running_mean, running_var, training});
  Tensor* reserve = c.empty_on(input.device(), DimVector{0}, DType::kUInt8);
  if (training) return c.tuple({result.output, result.save_mean, result.save_rstd, reserve});
  Tensor* none = c.empty_on(weight.device(), DimVector{0}, weight.dtype());
  Tensor* none_either = c.empty_on(weight.device(), DimVector{0}, weight.dtype());
  return c.tuple({result.output, none, none_either, reserve});
}

// Mirrors meta_miopen_batch_norm, torch/_meta_registrations.py.
Value miopen_batch_norm(Call& c, const Tensor& input, const Tensor& weight, Tensor*,
                        Tensor* running_mean, Tensor* running_var, bool training) {
  const MemoryFormat format = suggest_memory_format(input);
  c.check(input.is_contiguous(format), "miopen_batch_norm: input must be contiguous in {}", format);
  const Tensor& like = *c.empty_like(input, {}, format);
  Tensor* output = c.empty_strided(like.sizes(), like.strides(), input.dtype());
  const DimVector none = {0};
  const Dims mean = running_mean != nullptr ? running_mean->sizes() : weight.sizes();
  const Dims var = running_var != nullptr ? running_var->sizes() : weight.sizes();
  return c.tuple({output, c.empty(training ? mean : Dims(none), weight.dtype()),
                  c.empty(training ? var : Dims(none), weight.dtype())});
}

void check_channel_count(Call& c, std::string_view name, const Tensor* tensor, SymInt channels) {
  if (tensor == nullptr) return;
  c.check(cpp_eq(tensor->numel(), channels), "{} should contain {} elements not {}", name, channels,
          tensor->numel());
}

// Normalization.cpp reads the second of the sizes without asking how many there are; it finds a
// zero after a single one.
SymInt channel_count(const Tensor& input) { return input.dim() > 1 ? input.size(1) : SymInt(0); }

// at::toAccumulateType: the CPU adds single precision up in double.
DType accumulate_type(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (is_integral(dtype)) return DType::kInt64;
  if (tensor.device().is_cuda()) return to_opmath(dtype);
  if (dtype == DType::kFloat32) return DType::kFloat64;
  return dtype == DType::kComplex64 ? DType::kComplex128 : to_opmath(dtype);
}

// An empty batch is scaled by the first channel's weight, so that gradients still flow.
Value empty_batch_norm(Call& c, const BatchNorm& norm) {
  const DimVector channels = {channel_count(norm.input)};
  const DType statistics = accumulate_type(norm.input);
  const Device device = norm.input.device();
  Tensor* reserve = c.empty_on(device, DimVector{0}, DType::kUInt8);
  Tensor* save_mean = c.empty_on(device, channels, statistics);
  Tensor* save_invstd = c.empty_on(device, channels, statistics);
  Value output = c.call<"aten::clone">(norm.input);
  if (norm.weight != nullptr)
    output = c.call<"aten::mul.Tensor">(output, c.call<"aten::select.int">(norm.weight, 0, 0));
  if (norm.bias != nullptr)
    output = c.call<"aten::add.Tensor">(output, c.call<"aten::select.int">(norm.bias, 0, 0));
  return c.tuple({output, save_mean, save_invstd, reserve, 0});
}

// Mirrors _batch_norm_impl_index, aten/src/ATen/native/Normalization.cpp.
Value batch_norm_impl_index(Call& c, const Tensor& input, Tensor* weight, Tensor* bias,
                            Tensor* running_mean, Tensor* running_var, bool training) {
  const BatchNorm norm = {input, weight, bias, running_mean, running_var, training};
  const SymInt channels = channel_count(input);
  if (guard_bool(input.numel() == 0)) return empty_batch_norm(c, norm);
  check_channel_count(c, "running_mean", running_mean, channels);
  c.check(training || running_mean != nullptr, "running_mean must be defined in evaluation mode");
  check_channel_count(c, "running_var", running_var, channels);
  c.check(training || running_var != nullptr, "running_var must be defined in evaluation mode");
  check_channel_count(c, "weight", weight, channels);
  check_channel_count(c, "bias", bias, channels);
  if (uses_cudnn(c, norm)) {
    const Value dense = c.call<"aten::contiguous">(input, suggest_memory_format(input));
    const Value given[] = {dense, *weight, *bias, running_mean, running_var, training, 0.0, 0.0};
    const Value result = c.forward<"aten::cudnn_batch_norm">(given);
    return c.tuple({result[0], result[1], result[2], result[3], 1});
  }
  Tensor* reserve = c.empty_on(input.device(), DimVector{0}, DType::kUInt8);
  const Value result = c.forward<"aten::native_batch_norm">(c.args().first(8));
  return c.tuple({result[0], result[1], result[2], reserve, 0});
}
Value batch_norm(Call& c, const Tensor& input, Tensor* weight, Tensor* bias, Tensor* running_mean,
                 Tensor* running_var, bool training) {
  return batch_norm_impl_index(c, input, weight, bias, running_mean, running_var, training)[0];
}

// --- instance norm ---

// Mirrors instance_norm, aten/src/ATen/native/Normalization.cpp.
Value instance_norm(Call& c, const Tensor& input, Tensor* weight, Tensor* bias,
                    Tensor* running_mean, Tensor* running_var, bool use_input_stats,
                    const Value& momentum, const Value& eps, const Value& cudnn_enabled) {
  c.check(use_input_stats || (running_mean != nullptr && running_var != nullptr),
          "Expected running_mean and running_var to be defined when use_input_stats is false");
  const DimVector by_batch = {input.size(0), input.size(1)};
  DimVector shape(input.sizes());
  shape[1] = by_batch[0] * by_batch[1];
  shape[0] = 1;
  const auto repeated = [&](Tensor* x) {
    return x == nullptr ? Value() : c.call<"aten::repeat">(*x, DimVector{by_batch[0]});
  };
  const Value scale = repeated(weight);
  const Value shift = repeated(bias);
  const Value mean = repeated(running_mean);
  const Value var = repeated(running_var);
  const Value flat = c.call<"aten::view">(c.call<"aten::contiguous">(input), shape);
  const Value normalized = c.call<"aten::batch_norm">(
      flat, scale, shift, mean, var, use_input_stats, momentum, eps, cudnn_enabled);
  const auto write_back = [&](Tensor* running, const Value& batch) {
    if (running == nullptr) return;
    const Value split = c.call<"aten::view">(batch, by_batch);
    const Value mean_of_batch = c.call<"aten::mean.dim">(split, DimVector{0}, false);
    c.call<"aten::copy_">(c.call<"aten::alias">(*running), mean_of_batch);
  };
  write_back(running_mean, mean);
  write_back(running_var, var);
  return c.call<"aten::view">(normalized, input.sizes());
}

// --- layer norm ---

void check_layer_norm(Call& c, const Tensor& input, Dims shape, Tensor* weight, Tensor* bias) {
  c.check(!shape.empty(),
          "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
          "element, but got normalized_shape = {}",
          shape);
  const auto check_parameter = [&](std::string_view name, const Tensor* x) {
    if (x == nullptr) return;
    c.check(sym_eq(x->sizes(), shape),
            "Expected {} to be of same shape as normalized_shape, but got {} of shape {} and "
            "normalized_shape = {}",
            name, name, size_text(x->sizes()), shape);
  };
  check_parameter("weight", weight);
  check_parameter("bias", bias);
  const Dims sizes = input.sizes();
  c.check(sizes.size() >= shape.size() ? sym_eq(sizes.last(shape.size()), shape) : SymBool(false),
          "Given normalized_shape={}, expected input with shape {}, but got input of size {}",
          shape, shape, size_text(sizes));
  c.check(!is_complex(input.dtype()), "native_layer_norm does not support complex inputs");
  c.check(is_floating(input.dtype()),
          "mean(): could not infer output dtype. Input dtype must be either a floating point or "
          "complex dtype. Got: {}",
          input.dtype());
}

// A layer-normalised input, before it is cast back to the input's dtype.
Tensor* layer_normalized(Call& c, const Tensor& input, const Tensor& statistic, Tensor* weight,
                         Tensor* bias) {
  Tensor* output = arithmetic(c, input, statistic);
  // Scaling a contiguous tensor by a vector changes its dtype at most.
  if (!output->meta->has(kRowMajor)) output = arithmetic(c, *output, statistic);
  for (const Tensor* scale : {weight, bias}) {
    if (scale == nullptr) continue;
    const Tensor& dense = scale->is_contiguous() ? *scale : c.tensor<"aten::contiguous">(*scale);
    output = arithmetic(c, *output, dense);
  }
  return output;
}

// Mirrors native_layer_norm, torch/_refs/__init__.py.
Value native_layer_norm(Call& c, const Tensor& input, Dims shape, Tensor* weight, Tensor* bias) {
  check_layer_norm(c, input, shape, weight, bias);
  const DType dtype = input.dtype();
  const DType computation = computation_dtype(dtype);
  const Tensor& dense = input.is_contiguous() ? input : c.tensor<"aten::contiguous">(input);
  // The reference casts by prims.convert_element_type, which takes every dtype.
  const Tensor& accumulated = *cast_to(c, dense, computation);
  DimVector kept(input.sizes());
  for (size_t i = kept.size() - shape.size(); i < kept.size(); ++i) kept[i] = 1;
  Tensor* mean = c.empty(kept, computation);
  Tensor* output = layer_normalized(c, accumulated, *mean, weight, bias);
  const bool casts = input.device().is_cpu() || input.device().type == DeviceType::kMTIA;
  const DType statistics = casts ? dtype : computation;
  Tensor* rstd = c.empty(kept, statistics);
  return c.tuple({cast_to(c, *output, dtype), cast_to(c, *mean, statistics), rstd});
}
Value layer_norm(Call& c, const Tensor& input, Dims shape, Tensor* weight, Tensor* bias,
                 const Value& eps) {
  return c.call<"aten::native_layer_norm">(input, shape, weight, bias, eps)[0];
}

// --- group norm ---

// Weight and bias as one scale and one shift per batch and channel, which is how the CPU computes.
Value scaled_by_channel(Call& c, const Tensor& input, const Tensor& rstd, const Tensor& weight,
                        Tensor* bias, const DimVector& group_shape, const DimVector& by_channel) {
  const DimVector strides = {by_channel[1], 1};
  Tensor* scale = arithmetic(c, rstd, c.call<"aten::reshape">(weight, group_shape));
  Tensor* shift = arithmetic(c, rstd, *scale);
  if (bias != nullptr) shift = arithmetic(c, *shift, c.call<"aten::reshape">(*bias, group_shape));
  const auto per_channel_of = [&](const Tensor& x) -> const Tensor& {
    const Value dense = c.call<"aten::contiguous">(x);
    return unsqueezed_to(c, c.tensor<"aten::as_strided">(dense, by_channel, strides), input.dim());
  };
  Tensor* scaled = arithmetic(c, input, per_channel_of(*scale));
  return arithmetic(c, *scaled, per_channel_of(*shift));
}

// Mirrors reshape as a kernel sees it, aten/src/ATen/native/TensorShape.cpp.
Tensor* reshaped(Call& c, const Tensor& x, Dims sizes) {
  c.check(x.numel() == numel(sizes), "shape '{}' is invalid for input of size {}", sizes,
          x.numel());
  const std::optional<DimVector> strides = view_strides(x.sizes(), x.strides(), sizes);
  return strides ? c.view(x, sizes, *strides) : c.empty(sizes, x.dtype());
}

// Mirrors native_group_norm, torch/_refs/__init__.py.
Value native_group_norm(Call& c, const Tensor& input, Tensor* weight, Tensor* bias, SymInt batch,
                        SymInt channels, SymInt inner, int64_t groups) {
  c.check(input.dim() >= 2, "Expected at least 2 dimensions for input tensor but received {}",
          input.dim());
  c.check(mod(channels, groups) == 0,
          "Expected number of channels in input to be divisible by num_groups, but got input of "
          "shape {} and num_groups = {}",
          size_text(input.sizes()), groups);
  const DType dtype = input.dtype();
  const Tensor& accumulated = *cast_to(c, input, computation_dtype(dtype));
  const SymInt per_group = floor_div(channels, groups);
  const DimVector group_sizes = {batch, groups, per_group, inner};
  // With numbers for sizes the reference runs as a kernel of the meta device, and sees that device.
  const bool is_kernel = !has_symbolic_sizes(c);
  const Tensor& grouped = is_kernel ? *reshaped(c, accumulated, group_sizes)
                                    : c.tensor<"aten::reshape">(accumulated, group_sizes);
  for (const Tensor* scale : {weight, bias}) {
    c.check_as(ErrorKind::kIndexError, scale == nullptr || scale->dim() > 0 || input.dim() == 2,
               "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  }
  const DimVector dims = {2, 3};
  const Value statistics = c.call<"aten::var_mean.correction">(grouped, dims, 0, true);
  const Tensor& mean = statistics[1].tensor();
  const Tensor& rstd = c.tensor<"aten::rsqrt">(statistics[0]);
  Value output;
  if (!is_kernel && input.device().is_cpu() && weight != nullptr) {
    output = scaled_by_channel(c, accumulated, rstd, *weight, bias,
                               DimVector{1, groups, per_group, 1}, DimVector{batch, channels});
  } else {
    const Tensor& normalized = *arithmetic(c, *arithmetic(c, grouped, mean), rstd);
    output = is_kernel ? Value(reshaped(c, normalized, input.sizes()))
                       : c.call<"aten::view">(normalized, input.sizes());
    for (const Tensor* scale : {weight, bias}) {
      if (scale == nullptr) continue;
      const Tensor& leading = c.tensor<"aten::unsqueeze">(*scale, 0);
      output = *arithmetic(c, output, unsqueezed_to(c, leading, input.dim()));
    }
  }
  return c.tuple({cast_to(c, output.tensor(), dtype),
                  c.call<"aten::squeeze.dims">(cast_to(c, mean, dtype), dims),
                  c.call<"aten::squeeze.dims">(cast_to(c, rstd, dtype), dims)});
}

void check_group_norm(Call& c, const Tensor& input, int64_t groups, Tensor* weight, Tensor* bias) {
  const SymInt channels = input.size(1);
  c.check(groups > 0, "Expected num groups to be greater than 0, got {}", groups);
  if (!expect_true(cpp_eq(mod(channels, groups), 0))) {
    specialize_sizes(input);
    c.fail(ErrorKind::kRuntimeError,
           format("Expected number of channels in input to be divisible by num_groups, but got "
                  "input of shape {} and num_groups={}",
                  input.sizes(), groups));
  }
  const auto check_parameter = [&](std::string_view name, const Tensor* x) {
    if (x == nullptr || (x->dim() == 1 && expect_true(cpp_eq(x->numel(), channels)))) return;
    specialize_sizes(input);
    specialize_sizes(*x);
    c.fail(ErrorKind::kRuntimeError,
           format("Expected {} to be a vector of size equal to the number of channels in input, "
                  "but got {} of shape {} and input of shape {}",
                  name, name, x->sizes(), input.sizes()));
  };
  check_parameter("weight", weight);
  check_parameter("bias", bias);
}

// Mirrors group_norm, aten/src/ATen/native/group_norm.cpp.
Value group_norm(Call& c, const Tensor& input, int64_t num_groups, Tensor* weight, Tensor* bias,
                 const Value& eps) {
  const SymInt batch = input.size(0);
  const SymInt channels = input.size(1);
  check_group_norm(c, input, num_groups, weight, bias);
  const SymInt inner = numel(input.sizes().subspan(2));
  const MemoryFormat format =
      input.device().is_cpu() ? suggest_memory_format(input) : MemoryFormat::kContiguous;
  const auto dense = [&](Tensor* x) {
    return x == nullptr ? Value() : c.call<"aten::contiguous">(*x);
  };
  const Value scale = dense(weight);
  const Value shift = dense(bias);
  return c.call<"aten::native_group_norm">(c.call<"aten::contiguous">(input, format), scale, shift,
                                           batch, channels, inner, num_groups, eps)[0];
}

// --- rms norm ---

void check_rms_norm(Call& c, const Tensor& input, Dims shape, Tensor* weight) {
  c.check(!shape.empty(),
          "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
          "element, but got normalized_shape = {}",
          shape);
  if (weight != nullptr) {
    c.check(sym_eq(weight->sizes(), shape),
            "Expected weight to be of same shape as normalized_shape, but got weight of shape {} "
            "and normalized_shape = {}",
            weight->sizes(), shape);
  }
  const Dims sizes = input.sizes();
  c.check_as(ErrorKind::kValueError, sizes.size() >= shape.size(),
             "Input tensor must have at least {} dimensions, but got {}", shape.size(),
             sizes.size());
  const std::string text = format("{}", shape);
  c.check(sym_eq(sizes.last(shape.size()), shape),
          "Given normalized_shape={}, expected input with shape [*{}, but got input of size{}",
          shape, text.substr(1), sizes);
}

// Mirrors _fused_rms_norm, torch/_decomp/decompositions.py, and rms_norm_composite,
// aten/src/ATen/native/layer_norm.cpp.
Value root_mean_square(Call& c, const Tensor& input, Dims shape, Tensor* weight) {
  const DType dtype = input.dtype();
  DimVector dims;
  for (size_t i = 0; i < shape.size(); ++i)
    dims.push_back(input.dim() - 1 - static_cast<int64_t>(i));
  const auto cast = [&](const Value& x, DType to) {
    return x.tensor().dtype() == to ? x : c.call<"aten::to.dtype">(x, to);
  };
  const Value accumulated = cast(input, computation_dtype(dtype));
  Value scale;
  {
    Variables statement(c);
    const Value squares = statement.keep(c.call<"aten::pow.Tensor_Scalar">(accumulated, 2));
    scale = c.call<"aten::rsqrt">(c.call<"aten::mean.dim">(squares, dims, true));
  }
  Value output;
  {
    Variables block(c);
    block.keep(accumulated);
    block.keep(scale);
    output = c.call<"aten::mul.Tensor">(accumulated, scale);
    if (weight != nullptr) output = c.call<"aten::mul.Tensor">(output, *weight);
  }
  // The composite asks the tensor itself, the decomposition torch._prims_common.
  const MemoryFormat format =
      input.device().is_cuda() ? suggest_memory_format(input) : tensor_memory_format(input);
  if (format == MemoryFormat::kContiguous) {
    output = c.call<"aten::contiguous">(output);
    scale = c.call<"aten::contiguous">(scale);
  }
  return c.tuple({cast(output, dtype), scale});
}

// That the composite's kernel takes the dtype.
void check_rms_norm_dtype(Call& c, DType dtype) {
  const bool is_known = dtype == DType::kFloat64 || dtype == DType::kFloat32 ||
                        is_reduced_floating(dtype) || dtype == DType::kComplex64 ||
                        dtype == DType::kComplex128;
  c.check_as(ErrorKind::kNotImplementedError, is_known, "\"rms_norm\" not implemented for '{}'",
             info(dtype).cpp_name);
}

// CUDA has a kernel, in whose place the decomposition stands; other devices take the composite.
Value fused_rms_norm(Call& c, const Tensor& input, Dims shape, Tensor* weight) {
  if (!input.device().is_cuda()) check_rms_norm_dtype(c, input.dtype());
  return root_mean_square(c, input, shape, weight);
}

// Mirrors rms_norm_symint, aten/src/ATen/native/layer_norm.cpp.
Value rms_norm(Call& c, const Tensor& input, Dims shape, Tensor* weight) {
  check_rms_norm(c, input, shape, weight);
  const bool is_composite = !input.device().is_cuda() || is_complex(input.dtype()) ||
                            suggest_memory_format(input) != MemoryFormat::kContiguous ||
                            (weight != nullptr && weight->dtype() != input.dtype());
  if (is_composite) check_rms_norm_dtype(c, input.dtype());
  return root_mean_square(c, input, shape, weight)[0];
}

// clang-format off
constexpr OpDef kNorm[] = {
    {"aten::_batch_norm_impl_index(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> (Tensor, Tensor, Tensor, Tensor, int)", rule<&batch_norm_impl_index>(), kComposite},
    {"aten::_batch_norm_no_update(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)", rule<&batch_norm_no_update>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "running_mean,running_var"}>},
    {"aten::_batch_norm_with_update(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)", rule<&batch_norm_with_update>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "running_mean,running_var", .differentiable_results = 0b1}>},
    {"aten::_batch_norm_with_update_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)", rule<&batch_norm_with_update_functional>(), kByDecomp, derivative<Derivative{.without_formula = "running_mean,running_var", .differentiable_results = 0b1}>},
    {"aten::_fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> (Tensor, Tensor)", rule<&fused_rms_norm>(), kComposite | kRealDerivative},
    {"aten::_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)", rule<&native_batch_norm>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "running_mean,running_var", .differentiable_results = 0b1}>},
    {"aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)", rule<&batch_norm_no_stats>(), kByDecomp | kRealDerivative, derivative<Derivative{.differentiable_results = 0b1}>},
    {"aten::_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)", rule<&batch_norm_functional>(), kByDecomp, derivative<Derivative{.without_formula = "running_mean,running_var", .differentiable_results = 0b1}>},
    {"aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)", rule<&batch_norm_no_training>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "running_mean,running_var"}>},
    {"aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor", rule<&batch_norm>(), kComposite},
    {"aten::cudnn_batch_norm(Tensor input, Tensor weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float exponential_average_factor, float epsilon) -> (Tensor, Tensor, Tensor, Tensor)", rule<&cudnn_batch_norm>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "running_mean,running_var", .differentiable_results = 0b1}>},
    {"aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1.0000000000000001e-05, bool cudnn_enabled=True) -> Tensor", rule<&group_norm>(), kComposite},
    {"aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor", rule<&instance_norm>(), kComposite},
    {"aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1.0000000000000001e-05, bool cudnn_enable=True) -> Tensor", rule<&layer_norm>(), kComposite},
    {"aten::miopen_batch_norm(Tensor input, Tensor weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float exponential_average_factor, float epsilon) -> (Tensor, Tensor, Tensor)", rule<&miopen_batch_norm>(), kRealDerivative, derivative<Derivative{.without_formula = "running_mean,running_var"}>},
    {"aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)", rule<&native_batch_norm>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "running_mean,running_var", .differentiable_results = 0b1}>},
    {"aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)", rule<&native_group_norm>(), kByRef | kRealDerivative},
    {"aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)", rule<&native_layer_norm>(), kByFakeImpl | kRealDerivative, derivative<Derivative{.differentiable_results = 0b1}>},
    {"aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor", rule<&rms_norm>(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_norm

std::span<const OpDef> norm_rules() { return rules_of_norm::kNorm; }

}  // namespace faketensor
