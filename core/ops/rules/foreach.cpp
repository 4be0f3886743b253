// Operators on lists of tensors: `_foreach_*`, gradient scaling, fused optimizers.
//
// A `_foreach_*` row names the operator of one element; its in-place and `out` overloads follow.
#include "core/ops/families/foreach.h"

#include <algorithm>
#include <cmath>

#include "core/ops/families/copy.h"
#include "core/ops/families/kernel.h"
#include "core/ops/families/list_out.h"
#include "core/ops/families/reduction.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace rules_of_foreach {
namespace {

// Mirrors convert_tensor_to_scalar_list, aten/src/ATen/native/ForeachOpsKernels.cpp: kernels see
// meta tensors.
Value scalars_on_meta(Call& c) {
  check_written_list(c);
  c.fail(ErrorKind::kRuntimeError, "Expected scalars to be on CPU, got meta instead.");
}

// Lists that are copied to may be on another device than what they are copied from, if one of the
// two is the CPU (mixed_device_fns of FakeTensor._find_common_device).
void check_copies_between(const Call& c, const Tensor& self, const Tensor& src) {
  const Value pair[] = {self, src};
  if (!self.device().is_cpu() && !src.device().is_cpu()) Call(c.context(), c.op(), pair).device();
}

// Mirrors foreach_tensor_copy_list_kernel_slow_ and _foreach_copy,
// aten/src/ATen/native/ForeachOpsKernels.cpp; the latter takes as many as there are sources.
Value copy(Call& c, TensorList self, TensorList src, bool non_blocking) {
  if (c.op().derived == OpEntry::Derived::kListInplace) {
    const size_t count = check_lists(c);
    for (size_t i = 0; i < count; ++i) c.call<"aten::copy_">(self[i], src[i], non_blocking);
    return Value();
  }
  std::vector<Value> results;
  for (size_t i = 0; i < std::min(self.size(), src.size()); ++i) {
    results.push_back(c.call<"aten::copy">(self[i], src[i], non_blocking));
  }
  for (size_t i = 0; i < results.size(); ++i) check_copies_between(c, self[i], src[i]);
  return c.list(results);
}

// Mirrors foreach_tensor_max_slow, aten/src/ATen/native/ForeachOpsKernels.cpp.
Value max(Call& c, TensorList self) {
  check_lists(c);
  std::vector<Value> results;
  for (const Value& element : self.values()) {
    c.check(guard_bool(element.tensor().numel() > 0),
            "_foreach_max cannot compute the maximum of an empty tensor; max over zero elements is "
            "undefined.");
    results.push_back(c.call<"aten::max">(element));
  }
  return c.list(results);
}

// Mirrors _foreach_mm, aten/src/ATen/native/ForeachOpsKernels.cpp.
Value mm(Call& c, TensorList self, TensorList mat2) {
  c.check(self.size() == mat2.size(),
          "_foreach_mm: self and mat2 must have the same number of tensors");
  std::vector<Value> results;
  for (size_t i = 0; i < self.size(); ++i) results.push_back(c.call<"aten::mm">(self[i], mat2[i]));
  return c.list(results);
}

// Mirrors meta_foreach_norm, torch/_meta_registrations.py.
Value norm(Call& c, TensorList self, const Value& ord, std::optional<DType> dtype) {
  const double order = ord.is(Value::Tag::kComplex) ? 0 : ord.to_double();
  const bool is_greatest = std::isinf(order) && order > 0;
  for (const Value& element : self.values()) {
    c.check(!is_greatest || guard_bool(element.tensor().numel() > 0),
            "_foreach_norm cannot compute infinity norm on empty tensor");
  }
  std::vector<Value> norms;
  for (const Value& element : self.values()) {
    const Tensor& tensor = element.tensor();
    norms.push_back(
        c.context().empty({}, to_real(dtype.value_or(tensor.dtype())), tensor.device()));
  }
  return c.list(norms);
}

// Mirrors foreach_tensor_powsum_slow, aten/src/ATen/native/ForeachOpsKernels.cpp: sums of absolute
// values.
Value powsum(Call& c, TensorList self, const Value&, std::optional<DType> dtype) {
  check_lists(c);
  std::vector<Value> sums;
  for (const Value& element : self.values()) {
    const Tensor& tensor = element.tensor();
    sums.push_back(
        c.context().empty({}, dtype.value_or(to_real(sum_dtype(tensor, {}))), tensor.device()));
  }
  return c.list(sums);
}

// Clones, or what torch.empty_like makes, on the call's common device.
Value copies_of(Call& c, TensorList tensors, bool are_clones = true) {
  std::vector<Value> copies;
  for (const Value& element : tensors.values()) {
    const Tensor& tensor = element.tensor();
    copies.push_back(are_clones ? empty_as_cloned(c, tensor, tensor.dtype(), c.device())
                                : c.empty_strided(tensor.sizes(), c.empty_like(tensor)->strides(),
                                                  tensor.dtype()));
  }
  return c.list(copies);
}

// --- gradient scaling (torch.amp) ---

// Mirrors _amp_foreach_non_finite_check_and_unscale_, torch/_meta_registrations.py.
void unscale_in_place(Call& c, TensorList, const Tensor& found_inf, const Tensor& inv_scale) {
  c.check(found_inf.numel() == 1, "found_inf must be a 1-element tensor.");
  c.check(inv_scale.numel() == 1, "inv_scale must be a 1-element tensor.");
  c.check(is_floating(found_inf.dtype()), "found_inf must be a float tensor.");
  c.check(is_floating(inv_scale.dtype()), "inv_scale must be a float tensor.");
}
Value unscale(Call& c, TensorList self, const Tensor& found_inf, const Tensor& inv_scale) {
  unscale_in_place(c, self, found_inf, inv_scale);
  const Value scaled = copies_of(c, self);
  return c.tuple({scaled, empty_as_cloned(c, found_inf, found_inf.dtype(), c.device())});
}

Value update_scale_in_place(Call& c, Tensor& self) { return written(c, self); }
Value update_scale(Call& c, const Tensor& self, const Tensor& growth_tracker) {
  return c.tuple({empty_as_cloned(c, self, self.dtype(), c.device()),
                  empty_as_cloned(c, growth_tracker, growth_tracker.dtype(), c.device())});
}

// --- fused optimizers: the lists that a step changes come first ---

Value changed_lists(Call& c, bool are_clones) {
  SmallVector<Value, 8> lists;
  for (size_t i = 0; i < c.op().schema.returns.size(); ++i) {
    lists.push_back(copies_of(c, TensorList(c.arg(i)), are_clones));
  }
  return c.list(lists.span());
}

// Functional overloads that torchgen makes of the in-place ones: clones that are then changed.
Value optimizer_step(Call& c) { return changed_lists(c, true); }
// Mirrors meta__fused_adam, torch/_meta_registrations.py.
Value fused_adam(Call& c) { return changed_lists(c, false); }
// Mirrors meta__fused_adam_, torch/_meta_registrations.py.
void optimizer_step_in_place(Call&) {}

// What the CPU's kernels of steps without a Meta function refuse (ATen/native/FusedAdagrad.cpp,
// FusedAdam.cpp, FusedSGD.cpp).
void check_real_step(Call& c) {
  if (!c.device().is_cpu()) return;
  const auto argument = [&](std::string_view name) {
    const int position = c.op().schema.find_argument(name);
    return position < 0 ? Value() : c.arg(static_cast<size_t>(position));
  };
  if (const Value lr = argument("lr"); lr.is_tensor()) require_one_element(c, lr.tensor().numel());
  for (const std::string_view name : {"grad_scale", "found_inf"}) {
    if (const Value read = argument(name); read.is_tensor())
      require_data_type(c, DType::kFloat32, read.tensor());
  }
  std::string_view kernel = "fused_adagrad_kernel";
  if (const Value momentum = argument("momentum"); !momentum.is_none()) {
    kernel = "fused_sgd_kernel";
    const TensorList momenta(argument("momentum_buffer_list"));
    require_condition(c, momentum.to_double() != 0 || momenta.empty(),
                      "momentum_buffer_list.empty()");
  }
  if (const Value amsgrad = argument("amsgrad"); !amsgrad.is_none()) {
    kernel = "fused_adam_kernel";
    const TensorList largest(argument("max_exp_avg_sqs"));
    require_condition(c, amsgrad.to_bool() || largest.empty(), "max_exp_avg_sqs.empty()");
  }
  const TensorList params(c.arg(0)), counts(argument("state_steps"));
  for (size_t i = 0; i < params.size(); ++i) {
    require_type(c, kernel, params[i].dtype(), kFloats);
    if (i < counts.size()) require_one_element(c, counts[i].numel());
  }
}
Value real_step(Call& c) {
  check_real_step(c);
  return optimizer_step(c);
}
void real_step_in_place(Call& c) { check_real_step(c); }

// --- observers that quantize ---

// Mirrors meta__fused_moving_avg_obs_fq_helper, torch/_meta_registrations.py.
Value moving_average_observer(Call& c, const Tensor& self, const Value&, const Value&, const Value&,
                              const Value&, const Value&, const Value&, const Value&, const Value&,
                              const Value&, int64_t ch_axis) {
  c.check(ch_axis < self.dim(),
          "Error in fused_moving_avg_obs_fake_quant_cpu: ch_axis must be < self.dim()");
  const Dims strides = c.empty_like(self)->strides();
  return c.tuple({c.empty_strided(self.sizes(), strides, self.dtype()),
                  c.empty_strided(self.sizes(), strides, DType::kBool)});
}

// As torchgen makes it: the observer's state is cloned, changed and returned after the results.
Value moving_average_observer_functional(Call& c) {
  const Value results = c.forward<"aten::_fused_moving_avg_obs_fq_helper">(c.args());
  SmallVector<Value, 8> all = {results[0], results[1]};
  for (size_t state = 3; state < 7; ++state) {
    const Tensor& tensor = c.arg(state).tensor();
    all.push_back(empty_as_cloned(c, tensor, tensor.dtype(), c.device()));
  }
  return c.list(all.span());
}

// Mirrors fused_moving_avg_obs_fake_quant,
// aten/src/ATen/native/quantized/cpu/fused_obs_fake_quant.cpp.
Value moving_average_fake_quantize(Call& c, const Tensor& self) {
  if (guard_bool(self.numel() == 0)) return c.call<"aten::clone">(self);
  return c.forward<"aten::_fused_moving_avg_obs_fq_helper">(c.args())[0];
}

// clang-format off
constexpr OpDef kForeach[] = {
    {"aten::_amp_foreach_non_finite_check_and_unscale(Tensor[] self, Tensor found_inf, Tensor inv_scale) -> (Tensor[] self_out, Tensor found_inf_out)", rule<&unscale>(), kByCompositeExplicit},
    {"aten::_amp_foreach_non_finite_check_and_unscale.out(Tensor[] self, Tensor(b!) found_inf, Tensor inv_scale, *, Tensor(a!)[] out) -> ()", out_of<"aten::_amp_foreach_non_finite_check_and_unscale">(), kByCompositeExplicit},
    {"aten::_amp_foreach_non_finite_check_and_unscale_(Tensor(a!)[] self, Tensor(b!) found_inf, Tensor inv_scale) -> ()", rule<&unscale_in_place>()},
    {"aten::_amp_update_scale(Tensor self, Tensor growth_tracker, Tensor found_inf, float scale_growth_factor, float scale_backoff_factor, int growth_interval) -> (Tensor, Tensor growth_tracker_out)", rule<&update_scale>(), kByCompositeExplicit},
    {"aten::_amp_update_scale.out(Tensor self, Tensor(b!) growth_tracker, Tensor found_inf, float scale_growth_factor, float scale_backoff_factor, int growth_interval, *, Tensor(a!) out) -> Tensor(a!)", out_of<"aten::_amp_update_scale">(), kByCompositeExplicit},
    {"aten::_amp_update_scale_(Tensor(a!) self, Tensor(b!) growth_tracker, Tensor found_inf, float scale_growth_factor, float scale_backoff_factor, int growth_interval) -> Tensor(a!)", rule<&update_scale_in_place>(), kByMetaCpp},
    {"aten::_foreach_abs(Tensor[] self) -> Tensor[]", foreach_of<"aten::abs">(), kInplace | kByFakeImpl},
    {"aten::_foreach_acos(Tensor[] self) -> Tensor[]", foreach_of<"aten::acos">(), kInplace | kByFakeImpl},
    {"aten::_foreach_add.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]", foreach_of<"aten::add.Tensor">(), kInplace | kByFakeImpl},
    {"aten::_foreach_add.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", foreach_of<"aten::add.Scalar">(), kInplace | kByFakeImpl},
    {"aten::_foreach_add.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]", foreach_of<"aten::add.Scalar">(), kInplace | kByFakeImpl},
    {"aten::_foreach_add.Tensor(Tensor[] self, Tensor other, *, Scalar alpha=1) -> Tensor[]", foreach_of<"aten::add.Tensor">(), kInplace | kByFakeImpl},
    {"aten::_foreach_addcdiv.Scalar(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> Tensor[]", foreach_of<"aten::addcdiv">(), kInplace | kByFakeImpl},
    {"aten::_foreach_addcdiv.ScalarList(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars) -> Tensor[]", foreach_of<"aten::addcdiv">(), kInplace | kByFakeImpl},
    {"aten::_foreach_addcdiv.Tensor(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> Tensor[]", rule<&scalars_on_meta>(), kInplace | kByFakeImpl},
    {"aten::_foreach_addcmul.Scalar(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> Tensor[]", foreach_of<"aten::addcmul">(), kInplace | kByFakeImpl},
    {"aten::_foreach_addcmul.ScalarList(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars) -> Tensor[]", foreach_of<"aten::addcmul">(), kInplace | kByFakeImpl},
    {"aten::_foreach_addcmul.Tensor(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> Tensor[]", rule<&scalars_on_meta>(), kInplace | kByFakeImpl},
    {"aten::_foreach_asin(Tensor[] self) -> Tensor[]", foreach_of<"aten::asin">(), kInplace | kByFakeImpl},
    {"aten::_foreach_atan(Tensor[] self) -> Tensor[]", foreach_of<"aten::atan">(), kInplace | kByFakeImpl},
    {"aten::_foreach_ceil(Tensor[] self) -> Tensor[]", foreach_of<"aten::ceil">(), kInplace | kByFakeImpl},
    {"aten::_foreach_clamp_max.List(Tensor[] self, Tensor[] other) -> Tensor[]", foreach_of<"aten::clamp_max.Tensor">(), kInplace | kByFakeImpl},
    {"aten::_foreach_clamp_max.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", foreach_of<"aten::clamp_max">(), kInplace | kByFakeImpl},
    {"aten::_foreach_clamp_max.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]", foreach_of<"aten::clamp_max">(), kInplace | kByFakeImpl},
    {"aten::_foreach_clamp_min.List(Tensor[] self, Tensor[] other) -> Tensor[]", foreach_of<"aten::clamp_min.Tensor">(), kInplace | kByFakeImpl},
    {"aten::_foreach_clamp_min.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", foreach_of<"aten::clamp_min">(), kInplace | kByFakeImpl},
    {"aten::_foreach_clamp_min.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]", foreach_of<"aten::clamp_min">(), kInplace | kByFakeImpl},
    {"aten::_foreach_clone(Tensor[] self, *, MemoryFormat? memory_format=None) -> Tensor[]", foreach_of<"aten::clone">(), kByFakeImpl},
    {"aten::_foreach_copy(Tensor[] self, Tensor[] src, bool non_blocking=False) -> Tensor[] self_out", rule<&copy>(), kInplace | kByFakeImpl},
    {"aten::_foreach_cos(Tensor[] self) -> Tensor[]", foreach_of<"aten::cos">(), kInplace | kByFakeImpl},
    {"aten::_foreach_cosh(Tensor[] self) -> Tensor[]", foreach_of<"aten::cosh">(), kInplace | kByFakeImpl},
    {"aten::_foreach_div.List(Tensor[] self, Tensor[] other) -> Tensor[]", foreach_of<"aten::div.Tensor">(), kInplace | kByFakeImpl},
    {"aten::_foreach_div.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", foreach_of<"aten::div.Scalar">(), kInplace | kByFakeImpl},
    {"aten::_foreach_div.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]", foreach_of<"aten::div.Scalar">(), kInplace | kByFakeImpl},
    {"aten::_foreach_div.Tensor(Tensor[] self, Tensor other) -> Tensor[]", foreach_of<"aten::div.Tensor">(), kInplace | kByFakeImpl},
    {"aten::_foreach_erf(Tensor[] self) -> Tensor[]", foreach_of<"aten::erf">(), kInplace | kByFakeImpl},
    {"aten::_foreach_erfc(Tensor[] self) -> Tensor[]", foreach_of<"aten::erfc">(), kInplace | kByFakeImpl},
    {"aten::_foreach_exp(Tensor[] self) -> Tensor[]", foreach_of<"aten::exp">(), kInplace | kByFakeImpl},
    {"aten::_foreach_expm1(Tensor[] self) -> Tensor[]", foreach_of<"aten::expm1">(), kInplace | kByFakeImpl},
    {"aten::_foreach_floor(Tensor[] self) -> Tensor[]", foreach_of<"aten::floor">(), kInplace | kByFakeImpl},
    {"aten::_foreach_frac(Tensor[] self) -> Tensor[]", foreach_of<"aten::frac">(), kInplace | kByFakeImpl},
    {"aten::_foreach_lerp.List(Tensor[] self, Tensor[] tensors1, Tensor[] weights) -> Tensor[]", foreach_of<"aten::lerp.Tensor">(), kInplace | kByFakeImpl},
    {"aten::_foreach_lerp.Scalar(Tensor[] self, Tensor[] tensors1, Scalar weight) -> Tensor[]", foreach_of<"aten::lerp.Scalar">(), kInplace | kByFakeImpl},
    {"aten::_foreach_lerp.ScalarList(Tensor[] self, Tensor[] tensors1, Scalar[] weight) -> Tensor[]", foreach_of<"aten::lerp.Scalar">(), kInplace | kByFakeImpl},
    {"aten::_foreach_lgamma(Tensor[] self) -> Tensor[]", foreach_of<"aten::lgamma">(), kInplace | kByFakeImpl},
    {"aten::_foreach_log(Tensor[] self) -> Tensor[]", foreach_of<"aten::log">(), kInplace | kByFakeImpl},
    {"aten::_foreach_log10(Tensor[] self) -> Tensor[]", foreach_of<"aten::log10">(), kInplace | kByFakeImpl},
    {"aten::_foreach_log1p(Tensor[] self) -> Tensor[]", foreach_of<"aten::log1p">(), kInplace | kByFakeImpl},
    {"aten::_foreach_log2(Tensor[] self) -> Tensor[]", foreach_of<"aten::log2">(), kInplace | kByFakeImpl},
    {"aten::_foreach_max(Tensor[] self) -> Tensor[]", rule<&max>(), kByFakeImpl},
    {"aten::_foreach_maximum.List(Tensor[] self, Tensor[] other) -> Tensor[]", foreach_of<"aten::clamp_min.Tensor">(), kInplace | kByFakeImpl},
    {"aten::_foreach_maximum.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", foreach_of<"aten::clamp_min">(), kInplace | kByFakeImpl},
    {"aten::_foreach_maximum.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]", foreach_of<"aten::clamp_min">(), kInplace | kByFakeImpl},
    {"aten::_foreach_minimum.List(Tensor[] self, Tensor[] other) -> Tensor[]", foreach_of<"aten::clamp_max.Tensor">(), kInplace | kByFakeImpl},
    {"aten::_foreach_minimum.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", foreach_of<"aten::clamp_max">(), kInplace | kByFakeImpl},
    {"aten::_foreach_minimum.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]", foreach_of<"aten::clamp_max">(), kInplace | kByFakeImpl},
    {"aten::_foreach_mm(Tensor[] self, Tensor[] mat2) -> Tensor[]", rule<&mm>(), kByFakeImpl},
    {"aten::_foreach_mul.List(Tensor[] self, Tensor[] other) -> Tensor[]", foreach_of<"aten::mul.Tensor">(), kInplace | kByFakeImpl},
    {"aten::_foreach_mul.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", foreach_of<"aten::mul.Scalar">(), kInplace | kByFakeImpl},
    {"aten::_foreach_mul.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]", foreach_of<"aten::mul.Scalar">(), kInplace | kByFakeImpl},
    {"aten::_foreach_mul.Tensor(Tensor[] self, Tensor other) -> Tensor[]", foreach_of<"aten::mul.Tensor">(), kInplace | kByFakeImpl},
    {"aten::_foreach_neg(Tensor[] self) -> Tensor[]", foreach_of<"aten::neg">(), kInplace | kByFakeImpl},
    {"aten::_foreach_norm.Scalar(Tensor[] self, Scalar ord=2, ScalarType? dtype=None) -> Tensor[]", rule<&norm>(), kByFakeImpl},
    {"aten::_foreach_pow.List(Tensor[] self, Tensor[] exponent) -> Tensor[]", foreach_of<"aten::pow.Tensor_Tensor", "aten::pow_.Tensor">(), kInplace | kByFakeImpl},
    {"aten::_foreach_pow.Scalar(Tensor[] self, Scalar exponent) -> Tensor[]", foreach_of<"aten::pow.Tensor_Scalar", "aten::pow_.Scalar">(), kInplace | kByFakeImpl},
    {"aten::_foreach_pow.ScalarAndTensor(Scalar self, Tensor[] exponent) -> Tensor[]", foreach_of<"aten::pow.Scalar">(), kByFakeImpl},
    {"aten::_foreach_pow.ScalarList(Tensor[] self, Scalar[] exponent) -> Tensor[]", foreach_of<"aten::pow.Tensor_Scalar", "aten::pow_.Scalar">(), kInplace | kByFakeImpl},
    {"aten::_foreach_powsum.Scalar(Tensor[] self, Scalar ord=2, ScalarType? dtype=None) -> Tensor[]", rule<&powsum>(), kByFakeImpl},
    {"aten::_foreach_reciprocal(Tensor[] self) -> Tensor[]", foreach_of<"aten::reciprocal">(), kInplace | kByFakeImpl},
    {"aten::_foreach_round(Tensor[] self) -> Tensor[]", foreach_of<"aten::round">(), kInplace | kByFakeImpl},
    {"aten::_foreach_rsqrt(Tensor[] self) -> Tensor[]", foreach_of<"aten::rsqrt">(), kInplace | kByFakeImpl},
    {"aten::_foreach_sigmoid(Tensor[] self) -> Tensor[]", foreach_of<"aten::sigmoid">(), kInplace | kByFakeImpl},
    {"aten::_foreach_sign(Tensor[] self) -> Tensor[]", foreach_of<"aten::sign">(), kInplace | kByFakeImpl},
    {"aten::_foreach_sin(Tensor[] self) -> Tensor[]", foreach_of<"aten::sin">(), kInplace | kByFakeImpl},
    {"aten::_foreach_sinh(Tensor[] self) -> Tensor[]", foreach_of<"aten::sinh">(), kInplace | kByFakeImpl},
    {"aten::_foreach_sqrt(Tensor[] self) -> Tensor[]", foreach_of<"aten::sqrt">(), kInplace | kByFakeImpl},
    {"aten::_foreach_sub.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]", foreach_of<"aten::sub.Tensor">(), kInplace | kByFakeImpl},
    {"aten::_foreach_sub.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", foreach_of<"aten::sub.Scalar">(), kInplace | kByFakeImpl},
    {"aten::_foreach_sub.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]", foreach_of<"aten::sub.Scalar">(), kInplace | kByFakeImpl},
    {"aten::_foreach_tan(Tensor[] self) -> Tensor[]", foreach_of<"aten::tan">(), kInplace | kByFakeImpl},
    {"aten::_foreach_tanh(Tensor[] self) -> Tensor[]", foreach_of<"aten::tanh">(), kInplace | kByFakeImpl},
    {"aten::_foreach_trunc(Tensor[] self) -> Tensor[]", foreach_of<"aten::trunc">(), kInplace | kByFakeImpl},
    {"aten::_foreach_zero(Tensor[] self) -> Tensor[] self_out", foreach_of<"aten::clone", "aten::zero_">(), kInplace | kByFakeImpl},
    {"aten::_fused_adagrad(Tensor[] self, Tensor[] grads, Tensor[] state_sums, Tensor[] state_steps, *, float lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] state_sums_out, Tensor[] state_steps_out)", rule<&real_step>(), kByCompositeExplicit},
    {"aten::_fused_adagrad.out(Tensor[] self, Tensor(b!)[] grads, Tensor(c!)[] state_sums, Tensor(d!)[] state_steps, *, float lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None, Tensor(a!)[] out) -> ()", out_of<"aten::_fused_adagrad">(), kByCompositeExplicit},
    {"aten::_fused_adagrad.tensor_lr(Tensor[] self, Tensor[] grads, Tensor[] state_sums, Tensor[] state_steps, *, Tensor lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] state_sums_out)", rule<&real_step>(), kByCompositeExplicit},
    {"aten::_fused_adagrad.tensor_lr_out(Tensor[] self, Tensor(b!)[] grads, Tensor(c!)[] state_sums, Tensor[] state_steps, *, Tensor lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None, Tensor(a!)[] out) -> ()", out_of<"aten::_fused_adagrad.tensor_lr">(), kByCompositeExplicit},
    {"aten::_fused_adagrad_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] state_sums, Tensor(d!)[] state_steps, *, float lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()", rule<&real_step_in_place>(), kByFallback},
    {"aten::_fused_adagrad_.tensor_lr(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] state_sums, Tensor[] state_steps, *, Tensor lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()", rule<&real_step_in_place>(), kByFallback},
    {"aten::_fused_adam(Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] exp_avgs_out, Tensor[] exp_avg_sqs_out, Tensor[] max_exp_avg_sqs_out)", rule<&fused_adam>()},
    {"aten::_fused_adam.out(Tensor[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None, Tensor(a!)[] out) -> ()", out_of<"aten::_fused_adam">(), kByCompositeExplicit},
    {"aten::_fused_adam.tensor_lr(Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] exp_avgs_out, Tensor[] exp_avg_sqs_out, Tensor[] max_exp_avg_sqs_out)", rule<&real_step>(), kByCompositeExplicit},
    {"aten::_fused_adam.tensor_lr_out(Tensor[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None, Tensor(a!)[] out) -> ()", out_of<"aten::_fused_adam.tensor_lr">(), kByCompositeExplicit},
    {"aten::_fused_adam_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()", rule<&optimizer_step_in_place>()},
    {"aten::_fused_adam_.tensor_lr(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()", rule<&real_step_in_place>(), kByFallback},
    {"aten::_fused_adamw(Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] exp_avgs_out, Tensor[] exp_avg_sqs_out, Tensor[] max_exp_avg_sqs_out)", rule<&optimizer_step>(), kByCompositeExplicit},
    {"aten::_fused_adamw.out(Tensor[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None, Tensor(a!)[] out) -> ()", out_of<"aten::_fused_adamw">(), kByCompositeExplicit},
    {"aten::_fused_adamw.tensor_lr(Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] exp_avgs_out, Tensor[] exp_avg_sqs_out, Tensor[] max_exp_avg_sqs_out)", rule<&real_step>(), kByCompositeExplicit},
    {"aten::_fused_adamw.tensor_lr_out(Tensor[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None, Tensor(a!)[] out) -> ()", out_of<"aten::_fused_adamw.tensor_lr">(), kByCompositeExplicit},
    {"aten::_fused_adamw_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()", rule<&optimizer_step_in_place>()},
    {"aten::_fused_adamw_.tensor_lr(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()", rule<&real_step_in_place>(), kByFallback},
    {"aten::_fused_moving_avg_obs_fq_helper(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor(a!) running_min, Tensor(b!) running_max, Tensor(c!) scale, Tensor(d!) zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False) -> (Tensor output, Tensor mask)", rule<&moving_average_observer>(), 0, derivative<Derivative{.without_formula = "observer_on,fake_quant_on,running_min,running_max,scale,zero_point"}>},
    {"aten::_fused_moving_avg_obs_fq_helper_functional(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor running_min, Tensor running_max, Tensor scale, Tensor zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False) -> (Tensor output, Tensor mask, Tensor running_min_out, Tensor running_max_out, Tensor scale_out, Tensor zero_point_out)", rule<&moving_average_observer_functional>(), kByCompositeExplicit, derivative<Derivative{.without_formula = "observer_on,fake_quant_on,running_min,running_max,scale,zero_point"}>},
    {"aten::_fused_sgd(Tensor[] self, Tensor[] grads, Tensor[] momentum_buffer_list, *, float weight_decay, float momentum, float lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] momentum_buffer_list_out)", rule<&real_step>(), kByCompositeExplicit},
    {"aten::_fused_sgd.out(Tensor[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float weight_decay, float momentum, float lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None, Tensor(a!)[] out) -> ()", out_of<"aten::_fused_sgd">(), kByCompositeExplicit},
    {"aten::_fused_sgd.tensor_lr(Tensor[] self, Tensor[] grads, Tensor[] momentum_buffer_list, *, float weight_decay, float momentum, Tensor lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] momentum_buffer_list_out)", rule<&real_step>(), kByCompositeExplicit},
    {"aten::_fused_sgd.tensor_lr_out(Tensor[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float weight_decay, float momentum, Tensor lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None, Tensor(a!)[] out) -> ()", out_of<"aten::_fused_sgd.tensor_lr">(), kByCompositeExplicit},
    {"aten::_fused_sgd_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float weight_decay, float momentum, float lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()", rule<&real_step_in_place>(), kByFallback},
    {"aten::_fused_sgd_.tensor_lr(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float weight_decay, float momentum, Tensor lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()", rule<&real_step_in_place>(), kByFallback},
    {"aten::fused_moving_avg_obs_fake_quant(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor(a!) running_min, Tensor(b!) running_max, Tensor(c!) scale, Tensor(d!) zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False) -> Tensor", rule<&moving_average_fake_quantize>(), kComposite},
};
// clang-format on

}  // namespace
}  // namespace rules_of_foreach

std::span<const OpDef> foreach_rules() { return rules_of_foreach::kForeach; }

}  // namespace faketensor
