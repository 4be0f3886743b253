// Batching rules that many operators share. Mirrors aten/src/ATen/functorch/BatchRulesHelper.h,
// BatchRulesUnaryOps.cpp, BatchRulesBinaryOps.cpp and BatchRulesReduceOps.cpp.
#include "core/mode/batch_rules.h"

#include <algorithm>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

using Args = SmallVector<Value, 16>;

// BASIC_UNARY_BATCH_RULE: the batch dimension stays where it is.
Value unary(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped self = call.unwrap_arg(0);
  Args args(call.args());
  args[0] = self.value;
  return call.wrap(call.run(args.span()), *self.dim);
}

// VARIADIC_BDIMS: in front of every tensor.
Value variadic(BatchCall& call, uint32_t) {
  Args args(call.args());
  for (Value& arg : args)
    if (arg.is_tensor()) arg = call.move_to_front(call.unwrap(arg));
  return call.wrap(call.run(args.span()), 0);
}

// POINTWISE_BOXED: in front of every tensor, dimensions lined up to broadcast.
Value pointwise(BatchCall& call, uint32_t) {
  int64_t rank = 0;
  for (const Value& arg : call.args())
    if (arg.is_tensor()) rank = std::max(rank, call.logical_rank(call.unwrap(arg)));
  Args args(call.args());
  for (Value& arg : args) {
    if (!arg.is_tensor()) continue;
    const Vmap::Unwrapped tensor = call.unwrap(arg);
    arg = call.padded(call.move_to_front(tensor), tensor.dim.has_value(), rank);
  }
  return call.wrap(call.run(args.span()), 0);
}

Value pair_rule(BatchCall& call, bool promote) {
  const Pair pair = aligned_pair(call, call.unwrap_arg(0), call.unwrap_arg(1), promote);
  Args args(call.args());
  args[0] = pair.first;
  args[1] = pair.second;
  return call.wrap(call.run(args.span()), 0);
}

// BINARY_POINTWISE and COMPARISON_POINTWISE.
Value binary(BatchCall& call, uint32_t) { return pair_rule(call, true); }
Value comparison(BatchCall& call, uint32_t) { return pair_rule(call, false); }

// binary_pointwise_inplace_batch_rule
Value binary_inplace(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped self = call.unwrap_arg(0);
  const Vmap::Unwrapped other = call.unwrap_arg(1);
  if (!self.dim && other.dim) {
    const std::string_view kName = "inplace arithmetic";
    throw_error(ErrorKind::kRuntimeError,
                format("vmap: {}(self, *extra_args) is not possible because there exists a Tensor "
                       "`other` in extra_args that has more elements than `self`. This happened "
                       "due to `other` being vmapped over but `self` not being vmapped over in a "
                       "vmap. Please try to use out-of-place operators instead of {}. If said "
                       "operator is being called inside the PyTorch framework, please file a bug "
                       "report instead.",
                       kName, kName));
  }
  const Pair pair = aligned_pair(call, self, other, false);
  Args args(call.args());
  args[0] = pair.first;
  args[1] = pair.second;
  call.run(args.span());
  return call.written(0);
}

// REDUCTION_BOXED_ARGS: where the dim argument is, and what becomes of a reduced dimension.
enum : uint32_t { kKeepsDim = 100, kDropsDim = 101 };
constexpr uint32_t reduces(uint32_t dim, uint32_t keepdim) { return dim | keepdim << 8; }

Value reduction(BatchCall& call, uint32_t params) {
  const size_t at = params & 0xFF;
  const uint32_t keepdim = params >> 8;
  const Vmap::Unwrapped tensor = call.unwrap_arg(0);
  const int64_t rank = call.logical_rank(tensor);
  Args args(call.args());
  Value self = call.move_to_front(tensor);
  const bool takes_list = call.op().schema.arguments[at].type.is_list;
  const Value given = call.arg(at);
  SmallVector<int64_t, 8> dims;
  if (given.is(Value::Tag::kInt)) {
    dims.push_back(given.to_int());
  } else if (given.is_none() && !takes_list) {
    if (self.tensor().dim() > 1) self = call.call("aten::flatten.using_ints", {self, 1});
    dims.push_back(0);
  } else {
    for (size_t i = 0; i < given.size(); ++i) dims.push_back(given[i].to_int());
    for (int64_t i = 0; given.size() == 0 && i < std::max<int64_t>(rank, 1); ++i) dims.push_back(i);
  }
  const int64_t here = self.tensor().dim() - 1;
  DimVector physical;
  for (const int64_t dim : dims) physical.push_back(call.physical_dim(dim, here));
  const bool is_scalar = rank == 0 && dims.size() == 1 && (dims[0] == 0 || dims[0] == -1);
  if (is_scalar) {
    self = call.call("aten::unsqueeze", {self, -1});
    physical = {SymInt(1)};
  }
  args[0] = self;
  args[at] = takes_list ? call.context().make_ints(physical) : Value(physical[0]);
  const bool keeps = keepdim == kKeepsDim || (keepdim != kDropsDim && call.arg(keepdim).to_bool());
  Value result = call.run(args.span());
  const auto squeezed = [&](const Value& value) {
    return is_scalar && keeps ? call.call("aten::squeeze.dim", {value, -1}) : value;
  };
  if (result.is_tensor()) return call.wrap(squeezed(result), 0);
  SmallVector<Value, 4> results;
  for (const Value& value : result.values()) results.push_back(squeezed(value));
  return call.wrap(call.context().make_list(results.span()), 0);
}

// EXISTING_BDIM: the batch is part of dimension 0 while the operator runs.
Value existing_batch(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped self = call.unwrap_arg(0);
  Args args(call.args());
  args[0] = call.reshape_dim_into(*self.dim, 0, self.value);
  const Value result = call.run(args.span());
  const auto split = [&](const Value& value) {
    return call.reshape_dim_outof(0, call.batch_size(), value);
  };
  if (result.is_tensor()) return call.wrap(split(result), 0);
  SmallVector<Value, 4> results;
  for (const Value& value : result.values()) results.push_back(split(value));
  return call.wrap(call.context().make_list(results.span()), 0);
}

// NEW_BLAH_BATCH_RULE_SYMINT: new_empty(self, size, ...) and its like.
Value new_tensor(BatchCall& call, uint32_t) {
  Args args(call.args());
  args[0] = call.unwrap_arg(0).value;
  args[1] = call.with_batch_size(call.arg(1));
  return call.wrap(call.run(args.span()), 0);
}

// new_empty_strided_batching_rule: each slice is dense, one behind the other.
Value new_strided(BatchCall& call, uint32_t) {
  DimVector sizes;
  DimVector strides;
  for (size_t i = 0; i < call.arg(1).size(); ++i) sizes.push_back(call.arg(1)[i].as_sym_int());
  for (size_t i = 0; i < call.arg(2).size(); ++i) strides.push_back(call.arg(2)[i].as_sym_int());
  if (sizes.size() != strides.size()) return batch_by_slices(call);
  strides.insert(0, storage_elements(sizes, strides, 0));
  Args args(call.args());
  args[0] = call.unwrap_arg(0).value;
  args[1] = call.with_batch_size(call.arg(1));
  args[2] = call.context().make_ints(strides);
  return call.wrap(call.run(args.span()), 0);
}

// --- decompositions, which run on the tensors without their batch dimensions ---

Value all_dims(const BatchCall& call) {
  DimVector dims;
  for (int64_t i = 0; i < call.arg(0).tensor().dim(); ++i) dims.push_back(i);
  return call.context().make_ints(dims);
}

// sum, mean: over every dimension.
Value reduce_all(BatchCall& call, uint32_t) {
  const bool is_sum = call.op().name == "aten::sum.default";
  return call.call(is_sum ? "aten::sum.dim_IntList" : "aten::mean.dim",
                   {call.arg(0), all_dims(call), false, call.arg(1)});
}

// max, min, median, nanmedian, prod, all, any: over the only dimension of the flattened tensor.
enum class Flattened : uint32_t { kMax, kMin, kMedian, kNanMedian, kProd, kAll, kAny };
constexpr uint32_t flattened(Flattened what) { return static_cast<uint32_t>(what); }
constexpr std::string_view kFlattened[] = {
    "aten::max.dim",      "aten::min.dim", "aten::median.dim", "aten::nanmedian.dim",
    "aten::prod.dim_int", "aten::all.dim", "aten::any.dim"};

Value reduce_flattened(BatchCall& call, uint32_t params) {
  const Value flat = call.call("aten::flatten.using_ints", {call.arg(0), 0, -1});
  const Value result = static_cast<Flattened>(params) == Flattened::kProd
                           ? call.call(kFlattened[params], {flat, 0, false, call.arg(1)})
                           : call.call(kFlattened[params], {flat, 0, false});
  return result.is_tensor() ? result : result.values()[0];
}

Value norm_of_all(BatchCall& call, uint32_t) {
  return call.call("aten::norm.ScalarOpt_dim", {call.arg(0), call.arg(1), all_dims(call), false});
}

Value dist(BatchCall& call, uint32_t) {
  return call.call("aten::norm.Scalar",
                   {call.call("aten::sub.Tensor", {call.arg(0), call.arg(1)}), call.arg(2)});
}

// In order of their names.
// clang-format off
constexpr BatchRule kRules[] = {
    {"__lshift__.Scalar", &unary},
    {"__lshift__.Tensor", &binary},
    {"__rshift__.Scalar", &unary},
    {"__rshift__.Tensor", &binary},
    {"_adaptive_avg_pool2d.default", &existing_batch},
    {"_adaptive_avg_pool3d.default", &existing_batch},
    {"_cdist_forward.default", &binary},
    {"_conj.default", &unary},
    {"_conj_physical.default", &unary},
    {"_euclidean_dist.default", &variadic},
    {"_fft_c2c.default", &reduction, reduces(1, kKeepsDim)},
    {"_fft_c2r.default", &reduction, reduces(1, kKeepsDim)},
    {"_fft_r2c.default", &reduction, reduces(1, kKeepsDim)},
    {"_linalg_det.default", &variadic},
    {"_linalg_eigh.default", &variadic},
    {"_linalg_slogdet.default", &variadic},
    {"_linalg_svd.default", &variadic},
    {"_log_softmax.default", &reduction, reduces(1, kKeepsDim)},
    {"_prelu_kernel.default", &binary},
    {"_safe_softmax.default", &reduction, reduces(1, kKeepsDim)},
    {"_softmax.default", &reduction, reduces(1, kKeepsDim)},
    {"_to_copy.default", &unary},
    {"abs.default", &unary},
    {"abs_.default", &pointwise},
    {"acos.default", &unary},
    {"acos_.default", &pointwise},
    {"acosh.default", &unary},
    {"acosh_.default", &pointwise},
    {"adaptive_max_pool2d.default", &existing_batch},
    {"adaptive_max_pool3d.default", &existing_batch},
    {"add.Scalar", &unary},
    {"add.Tensor", &binary},
    {"add_.Scalar", &pointwise},
    {"add_.Tensor", &pointwise},
    {"addcdiv.default", &pointwise},
    {"addcmul.default", &pointwise},
    {"alias.default", &unary},
    {"alias_copy.default", &unary},
    {"all.default", &reduce_flattened, flattened(Flattened::kAll)},
    {"all.dim", &reduction, reduces(1, 2)},
    {"all.dims", &reduction, reduces(1, 2)},
    {"amax.default", &reduction, reduces(1, 2)},
    {"amin.default", &reduction, reduces(1, 2)},
    {"aminmax.default", &reduction, reduces(1, 2)},
    {"angle.default", &unary},
    {"any.default", &reduce_flattened, flattened(Flattened::kAny)},
    {"any.dim", &reduction, reduces(1, 2)},
    {"any.dims", &reduction, reduces(1, 2)},
    {"argmax.default", &reduction, reduces(1, 2)},
    {"argmin.default", &reduction, reduces(1, 2)},
    {"asin.default", &unary},
    {"asin_.default", &pointwise},
    {"asinh.default", &unary},
    {"asinh_.default", &pointwise},
    {"atan.default", &unary},
    {"atan2.default", &binary},
    {"atan2_.default", &pointwise},
    {"atan_.default", &pointwise},
    {"atanh.default", &unary},
    {"atanh_.default", &pointwise},
    {"avg_pool2d.default", &existing_batch},
    {"avg_pool3d.default", &existing_batch},
    {"bitwise_and.Scalar", &unary},
    {"bitwise_and.Scalar_Tensor", &pointwise},
    {"bitwise_and.Tensor", &binary},
    {"bitwise_and_.Scalar", &pointwise},
    {"bitwise_and_.Tensor", &pointwise},
    {"bitwise_left_shift.Scalar_Tensor", &pointwise},
    {"bitwise_left_shift.Tensor", &binary},
    {"bitwise_left_shift.Tensor_Scalar", &unary},
    {"bitwise_not.default", &unary},
    {"bitwise_not_.default", &pointwise},
    {"bitwise_or.Scalar", &unary},
    {"bitwise_or.Scalar_Tensor", &pointwise},
    {"bitwise_or.Tensor", &binary},
    {"bitwise_or_.Scalar", &pointwise},
    {"bitwise_or_.Tensor", &pointwise},
    {"bitwise_right_shift.Scalar_Tensor", &pointwise},
    {"bitwise_right_shift.Tensor", &binary},
    {"bitwise_right_shift.Tensor_Scalar", &unary},
    {"bitwise_xor.Scalar", &unary},
    {"bitwise_xor.Scalar_Tensor", &pointwise},
    {"bitwise_xor.Tensor", &binary},
    {"bitwise_xor_.Scalar", &pointwise},
    {"bitwise_xor_.Tensor", &pointwise},
    {"ceil.default", &unary},
    {"ceil_.default", &pointwise},
    {"celu.default", &unary},
    {"celu_.default", &pointwise},
    {"channel_shuffle.default", &existing_batch},
    {"cholesky.default", &variadic},
    {"cholesky_inverse.default", &variadic},
    {"cholesky_solve.default", &comparison},
    {"clamp.Tensor", &pointwise},
    {"clamp.default", &unary},
    {"clamp_max.Tensor", &binary},
    {"clamp_max.default", &unary},
    {"clamp_max_.Tensor", &binary_inplace},
    {"clamp_max_.default", &pointwise},
    {"clamp_min.Tensor", &binary},
    {"clamp_min.default", &unary},
    {"clamp_min_.Tensor", &binary_inplace},
    {"clamp_min_.default", &pointwise},
    {"col2im.default", &existing_batch},
    {"complex.default", &binary},
    {"constant_pad_nd.default", &variadic},
    {"copy_.default", &binary_inplace},
    {"copysign.Scalar", &unary},
    {"copysign.Tensor", &binary},
    {"cos.default", &unary},
    {"cos_.default", &pointwise},
    {"cosh.default", &unary},
    {"cosh_.default", &pointwise},
    {"count_nonzero.dim_IntList", &reduction, reduces(1, kDropsDim)},
    {"cummax.default", &reduction, reduces(1, kKeepsDim)},
    {"cummin.default", &reduction, reduces(1, kKeepsDim)},
    {"cumprod.default", &reduction, reduces(1, kKeepsDim)},
    {"cumsum.default", &reduction, reduces(1, kKeepsDim)},
    {"deg2rad.default", &unary},
    {"deg2rad_.default", &pointwise},
    {"detach.default", &unary},
    {"digamma.default", &unary},
    {"digamma_.default", &pointwise},
    {"dist.default", &dist},
    {"div.Scalar", &unary},
    {"div.Scalar_mode", &unary},
    {"div.Tensor", &binary},
    {"div.Tensor_mode", &binary},
    {"div_.Scalar", &pointwise},
    {"div_.Tensor", &binary_inplace},
    {"div_.Tensor_mode", &binary_inplace},
    {"elu.default", &unary},
    {"elu_.default", &pointwise},
    {"elu_backward.default", &pointwise},
    {"empty_like.default", &unary},
    {"eq.Scalar", &unary},
    {"eq.Tensor", &comparison},
    {"erf.default", &unary},
    {"erf_.default", &pointwise},
    {"erfc.default", &unary},
    {"erfc_.default", &pointwise},
    {"erfinv.default", &unary},
    {"erfinv_.default", &pointwise},
    {"exp.default", &unary},
    {"exp2.default", &unary},
    {"exp2_.default", &pointwise},
    {"exp_.default", &pointwise},
    {"expm1.default", &unary},
    {"expm1_.default", &pointwise},
    {"fill_.Scalar", &pointwise},
    {"floor.default", &unary},
    {"floor_.default", &pointwise},
    {"floor_divide.Scalar", &unary},
    {"floor_divide.default", &binary},
    {"fmax.default", &binary},
    {"fmin.default", &binary},
    {"fmod.Scalar", &unary},
    {"fmod.Tensor", &binary},
    {"frac.default", &unary},
    {"frac_.default", &pointwise},
    {"frexp.Tensor", &pointwise},
    {"full_like.default", &unary},
    {"gcd.default", &binary},
    {"gcd_.default", &pointwise},
    {"ge.Scalar", &unary},
    {"ge.Tensor", &comparison},
    {"gelu.default", &unary},
    {"geqrf.default", &variadic},
    {"gt.Scalar", &unary},
    {"gt.Tensor", &comparison},
    {"hardshrink.default", &unary},
    {"hardshrink_backward.default", &binary},
    {"hardsigmoid.default", &unary},
    {"hardsigmoid_.default", &pointwise},
    {"hardsigmoid_backward.default", &binary},
    {"hardswish.default", &unary},
    {"hardswish_.default", &pointwise},
    {"hardswish_backward.default", &binary},
    {"hardtanh.default", &unary},
    {"hardtanh_.default", &pointwise},
    {"hardtanh_backward.default", &binary},
    {"heaviside.default", &binary},
    {"hypot.default", &binary},
    {"i0.default", &unary},
    {"i0_.default", &pointwise},
    {"igamma.default", &binary},
    {"igammac.default", &binary},
    {"im2col.default", &existing_batch},
    {"isinf.default", &unary},
    {"isnan.default", &unary},
    {"isneginf.default", &unary},
    {"isposinf.default", &unary},
    {"kthvalue.default", &reduction, reduces(2, 3)},
    {"lcm.default", &binary},
    {"lcm_.default", &pointwise},
    {"ldexp.Tensor", &binary},
    {"le.Scalar", &unary},
    {"le.Tensor", &comparison},
    {"leaky_relu.default", &unary},
    {"leaky_relu_.default", &pointwise},
    {"leaky_relu_backward.default", &binary},
    {"lerp.Scalar", &pointwise},
    {"lerp.Tensor", &pointwise},
    {"lgamma.default", &unary},
    {"lgamma_.default", &pointwise},
    {"linalg_cholesky_ex.default", &variadic},
    {"linalg_eig.default", &variadic},
    {"linalg_inv_ex.default", &variadic},
    {"linalg_ldl_factor_ex.default", &variadic},
    {"linalg_lu_factor_ex.default", &variadic},
    {"linalg_matrix_exp.default", &variadic},
    {"linalg_qr.default", &variadic},
    {"linalg_solve_triangular.default", &comparison},
    {"linalg_vector_norm.default", &reduction, reduces(2, 3)},
    {"log.default", &unary},
    {"log10.default", &unary},
    {"log10_.default", &pointwise},
    {"log1p.default", &unary},
    {"log1p_.default", &pointwise},
    {"log2.default", &unary},
    {"log2_.default", &pointwise},
    {"log_.default", &pointwise},
    {"log_sigmoid_forward.default", &pointwise},
    {"logaddexp.default", &binary},
    {"logaddexp2.default", &binary},
    {"logcumsumexp.default", &reduction, reduces(1, kKeepsDim)},
    {"logical_and.default", &comparison},
    {"logical_and_.default", &binary_inplace},
    {"logical_not.default", &unary},
    {"logical_not_.default", &pointwise},
    {"logical_or.default", &comparison},
    {"logical_or_.default", &binary_inplace},
    {"logical_xor.default", &comparison},
    {"logical_xor_.default", &binary_inplace},
    {"logit.default", &unary},
    {"logit_.default", &pointwise},
    {"logit_backward.default", &binary},
    {"logsumexp.default", &reduction, reduces(1, 2)},
    {"lt.Scalar", &unary},
    {"lt.Tensor", &comparison},
    {"masked_fill_.Scalar", &binary_inplace},
    {"max.default", &reduce_flattened, flattened(Flattened::kMax)},
    {"max.dim", &reduction, reduces(1, 2)},
    {"maximum.default", &binary},
    {"mean.default", &reduce_all},
    {"mean.dim", &reduction, reduces(1, 2)},
    {"median.default", &reduce_flattened, flattened(Flattened::kMedian)},
    {"median.dim", &reduction, reduces(1, 2)},
    {"min.default", &reduce_flattened, flattened(Flattened::kMin)},
    {"min.dim", &reduction, reduces(1, 2)},
    {"minimum.default", &binary},
    {"mish.default", &unary},
    {"mish_.default", &pointwise},
    {"mode.default", &reduction, reduces(1, 2)},
    {"mul.Scalar", &unary},
    {"mul.Tensor", &binary},
    {"mul_.Scalar", &pointwise},
    {"mul_.Tensor", &binary_inplace},
    {"mvlgamma.default", &unary},
    {"mvlgamma_.default", &pointwise},
    {"nan_to_num.default", &unary},
    {"nan_to_num_.default", &pointwise},
    {"nanmedian.default", &reduce_flattened, flattened(Flattened::kNanMedian)},
    {"nanmedian.dim", &reduction, reduces(1, 2)},
    {"nansum.default", &reduction, reduces(1, 2)},
    {"ne.Scalar", &unary},
    {"ne.Tensor", &comparison},
    {"neg.default", &unary},
    {"neg_.default", &pointwise},
    {"new_empty.default", &new_tensor},
    {"new_empty_strided.default", &new_strided},
    {"new_full.default", &new_tensor},
    {"new_ones.default", &new_tensor},
    {"new_zeros.default", &new_tensor},
    {"nextafter.default", &binary},
    {"norm.Scalar", &norm_of_all},
    {"norm.ScalarOpt_dim", &reduction, reduces(2, 3)},
    {"ones_like.default", &unary},
    {"pixel_shuffle.default", &existing_batch},
    {"pixel_unshuffle.default", &existing_batch},
    {"polar.default", &binary},
    {"polygamma.default", &pointwise},
    {"pow.Scalar", &pointwise},
    {"pow.Tensor_Scalar", &unary},
    {"pow.Tensor_Tensor", &binary},
    {"pow_.Scalar", &pointwise},
    {"prod.default", &reduce_flattened, flattened(Flattened::kProd)},
    {"prod.dim_int", &reduction, reduces(1, 2)},
    {"rad2deg.default", &unary},
    {"rad2deg_.default", &pointwise},
    {"reciprocal.default", &unary},
    {"reciprocal_.default", &pointwise},
    {"reflection_pad1d.default", &existing_batch},
    {"reflection_pad2d.default", &existing_batch},
    {"reflection_pad3d.default", &existing_batch},
    {"relu.default", &unary},
    {"relu_.default", &pointwise},
    {"remainder.Scalar", &unary},
    {"remainder.Scalar_Tensor", &pointwise},
    {"remainder.Tensor", &binary},
    {"replication_pad1d.default", &existing_batch},
    {"replication_pad2d.default", &existing_batch},
    {"replication_pad3d.default", &existing_batch},
    {"rot90.default", &reduction, reduces(2, kKeepsDim)},
    {"round.decimals", &unary},
    {"round.default", &unary},
    {"round_.decimals", &pointwise},
    {"round_.default", &pointwise},
    {"rsqrt.default", &unary},
    {"rsqrt_.default", &pointwise},
    {"rsub.Scalar", &unary},
    {"rsub.Tensor", &binary},
    {"sgn.default", &unary},
    {"sgn_.default", &pointwise},
    {"sigmoid.default", &unary},
    {"sigmoid_.default", &pointwise},
    {"sigmoid_backward.default", &binary},
    {"sign.default", &unary},
    {"sign_.default", &pointwise},
    {"signbit.default", &unary},
    {"silu.default", &unary},
    {"silu_.default", &pointwise},
    {"silu_backward.default", &binary},
    {"sin.default", &unary},
    {"sin_.default", &pointwise},
    {"sinc.default", &unary},
    {"sinc_.default", &pointwise},
    {"sinh.default", &unary},
    {"sinh_.default", &pointwise},
    {"softplus.default", &unary},
    {"softplus_backward.default", &pointwise},
    {"softshrink.default", &unary},
    {"softshrink_backward.default", &binary},
    {"sort.default", &reduction, reduces(1, kKeepsDim)},
    {"sort.stable", &reduction, reduces(2, kKeepsDim)},
    {"special_bessel_j0.default", &pointwise},
    {"special_bessel_j1.default", &pointwise},
    {"special_bessel_y0.default", &pointwise},
    {"special_bessel_y1.default", &pointwise},
    {"special_entr.default", &unary},
    {"special_erfcx.default", &unary},
    {"special_i0e.default", &unary},
    {"special_i1.default", &unary},
    {"special_i1e.default", &unary},
    {"special_modified_bessel_i0.default", &pointwise},
    {"special_modified_bessel_i1.default", &pointwise},
    {"special_modified_bessel_k0.default", &pointwise},
    {"special_modified_bessel_k1.default", &pointwise},
    {"special_ndtri.default", &unary},
    {"special_scaled_modified_bessel_k0.default", &pointwise},
    {"special_scaled_modified_bessel_k1.default", &pointwise},
    {"special_spherical_bessel_j0.default", &pointwise},
    {"special_xlog1py.default", &binary},
    {"special_xlog1py.other_scalar", &unary},
    {"special_xlog1py.self_scalar", &pointwise},
    {"special_zeta.default", &binary},
    {"special_zeta.other_scalar", &unary},
    {"special_zeta.self_scalar", &pointwise},
    {"sqrt.default", &unary},
    {"sqrt_.default", &pointwise},
    {"std.correction", &reduction, reduces(1, 3)},
    {"std_mean.correction", &reduction, reduces(1, 3)},
    {"sub.Scalar", &unary},
    {"sub.Tensor", &binary},
    {"sub_.Scalar", &pointwise},
    {"sub_.Tensor", &binary_inplace},
    {"sum.default", &reduce_all},
    {"sum.dim_IntList", &reduction, reduces(1, 2)},
    {"tan.default", &unary},
    {"tan_.default", &pointwise},
    {"tanh.default", &unary},
    {"tanh_.default", &pointwise},
    {"tanh_backward.default", &binary},
    {"threshold.default", &unary},
    {"threshold_.default", &pointwise},
    {"threshold_backward.default", &binary},
    {"topk.default", &reduction, reduces(2, kKeepsDim)},
    {"triangular_solve.default", &comparison},
    {"tril.default", &variadic},
    {"triu.default", &variadic},
    {"trunc.default", &unary},
    {"trunc_.default", &pointwise},
    {"upsample_bicubic2d.default", &existing_batch},
    {"upsample_bilinear2d.default", &existing_batch},
    {"upsample_linear1d.default", &existing_batch},
    {"upsample_nearest1d.default", &existing_batch},
    {"upsample_nearest2d.default", &existing_batch},
    {"upsample_nearest3d.default", &existing_batch},
    {"upsample_trilinear3d.default", &existing_batch},
    {"var.correction", &reduction, reduces(1, 3)},
    {"var_mean.correction", &reduction, reduces(1, 3)},
    {"view.dtype", &unary},
    {"view_as_complex.default", &variadic},
    {"view_as_real.default", &unary},
    {"xlogy.Scalar_Other", &unary},
    {"xlogy.Scalar_Self", &pointwise},
    {"xlogy.Tensor", &binary},
    {"zero_.default", &pointwise},
    {"zeros_like.default", &unary},
};
// clang-format on

}  // namespace

std::span<const BatchRule> shared_batch_rules() { return kRules; }

}  // namespace faketensor
