#include "core/ops/autograd.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/tensor/cpp_type_name.h"

namespace faketensor {

namespace {

// clang-format off
// Operators whose derivative formula is for real results (all but GRADIENT_IMPLEMENTED_FOR_COMPLEX,
// gen_variable_type.py), sorted.
constexpr std::string_view kRealDerivatives[] = {
    "_adaptive_avg_pool2d", "_adaptive_avg_pool2d_backward", "_adaptive_avg_pool3d",
    "_adaptive_avg_pool3d_backward", "_batch_norm_no_update", "_batch_norm_with_update",
    "_cdist_backward", "_cdist_forward", "_conj_copy", "_conv_depthwise2d", "_convolution",
    "_ctc_loss", "_cudnn_attention_forward", "_cudnn_ctc_loss", "_cudnn_rnn",
    "_cudnn_rnn_backward", "_efficient_attention_forward", "_embedding_bag",
    "_embedding_bag_backward", "_embedding_bag_dense_backward", "_euclidean_dist",
    "_fake_quantize_learnable_per_channel_affine", "_fake_quantize_learnable_per_tensor_affine",
    "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", "_fft_c2r",
    "_flash_attention_forward", "_fused_dropout", "_fused_rms_norm",
    "_grid_sampler_2d_cpu_fallback", "_grid_sampler_2d_cpu_fallback_backward", "_grouped_mm",
    "_index_put_impl", "_lazy_clone", "_log_softmax", "_log_softmax_backward_data",
    "_masked_softmax", "_mkldnn_reshape", "_native_batch_norm_legit",
    "_native_batch_norm_legit_no_training", "_neg_view_copy", "_nnpack_spatial_convolution",
    "_pack_padded_sequence", "_pdist_backward", "_pdist_forward", "_pin_memory",
    "_prelu_kernel", "_prelu_kernel_backward", "_reshape_alias_copy", "_safe_softmax",
    "_scaled_dot_product_cudnn_attention", "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_flash_attention", "_scaled_dot_product_flash_attention_for_cpu",
    "_scaled_dot_product_fused_attention_overrideable", "_slow_conv2d_backward",
    "_slow_conv2d_forward", "_softmax", "_softmax_backward_data", "_sparse_log_softmax",
    "_sparse_mm_reduce_impl", "_sparse_softmax", "_sparse_sum", "_standard_gamma",
    "_standard_gamma_grad", "_thnn_fused_gru_cell", "_thnn_fused_lstm_cell", "_to_sparse",
    "_to_sparse_bsc", "_to_sparse_bsr", "_to_sparse_csc", "_to_sparse_csr", "_trilinear",
    "_unique", "_unique2", "_upsample_bicubic2d_aa", "_upsample_bicubic2d_aa_backward",
    "_upsample_bilinear2d_aa", "_upsample_bilinear2d_aa_backward", "_upsample_lanczos2d_aa",
    "_upsample_lanczos2d_aa_backward", "_upsample_nearest_exact1d",
    "_upsample_nearest_exact1d_backward", "_upsample_nearest_exact2d",
    "_upsample_nearest_exact2d_backward", "_upsample_nearest_exact3d",
    "_upsample_nearest_exact3d_backward", "_weight_norm_interface", "abs",
    "adaptive_max_pool2d", "adaptive_max_pool2d_backward", "adaptive_max_pool3d",
    "adaptive_max_pool3d_backward", "affine_grid_generator", "amax", "amin", "aminmax", "angle",
    "atan2", "avg_pool2d", "avg_pool2d_backward", "avg_pool3d", "avg_pool3d_backward",
    "batch_norm_backward", "bernoulli", "binary_cross_entropy", "binary_cross_entropy_backward",
    "binary_cross_entropy_with_logits", "cauchy", "ceil", "celu", "clamp", "clamp_max",
    "clamp_min", "conv_depthwise3d", "conv_tbc", "convolution", "convolution_backward",
    "convolution_backward_overrideable", "convolution_overrideable", "copysign",
    "cudnn_affine_grid_generator", "cudnn_batch_norm", "cudnn_batch_norm_backward",
    "cudnn_convolution", "cudnn_convolution_transpose", "cudnn_grid_sampler",
    "cudnn_grid_sampler_backward", "cummax", "cummin", "deg2rad", "digamma", "dist", "elu",
    "elu_backward", "embedding", "embedding_dense_backward", "embedding_renorm", "eq", "erf",
    "erfc", "erfinv", "exponential", "fake_quantize_per_channel_affine_cachemask",
    "fake_quantize_per_tensor_affine_cachemask", "floor", "fmax", "fmin", "fmod", "frac",
    "fractional_max_pool2d", "fractional_max_pool2d_backward", "fractional_max_pool3d",
    "fractional_max_pool3d_backward", "frexp", "ge", "gelu", "gelu_backward", "geometric",
    "geqrf", "glu", "glu_backward", "grid_sampler_2d", "grid_sampler_2d_backward",
    "grid_sampler_3d", "grid_sampler_3d_backward", "gt", "hardshrink", "hardshrink_backward",
    "hardsigmoid", "hardswish", "hardswish_backward", "hardtanh", "hardtanh_backward",
    "huber_loss", "huber_loss_backward", "hypot", "i0", "igamma", "igammac", "index_reduce",
    "kthvalue", "le", "leaky_relu", "leaky_relu_backward", "lgamma", "lift", "lift_fresh",
    "lift_fresh_copy", "linear_backward", "log_normal", "log_sigmoid_backward",
    "log_sigmoid_forward", "logaddexp2", "logit", "lt", "matmul", "max", "max_pool2d",
    "max_pool2d_backward", "max_pool2d_with_indices", "max_pool2d_with_indices_backward",
    "max_pool3d_with_indices", "max_pool3d_with_indices_backward", "max_unpool2d",
    "max_unpool3d", "maximum", "median", "min", "minimum", "miopen_batch_norm",
    "miopen_batch_norm_backward", "miopen_convolution", "miopen_convolution_transpose",
    "miopen_ctc_loss", "miopen_depthwise_convolution", "miopen_rnn", "mish",
    "mkldnn_adaptive_avg_pool2d", "mkldnn_convolution", "mkldnn_linear", "mkldnn_max_pool2d",
    "mkldnn_max_pool3d", "mkldnn_rnn_layer", "mode", "mse_loss", "mse_loss_backward",
    "multi_margin_loss", "multilabel_margin_loss_forward", "mvlgamma", "nan_to_num",
    "nanmedian", "native_batch_norm", "native_batch_norm_backward", "native_dropout",
    "native_dropout_backward", "native_group_norm", "native_layer_norm",
    "native_layer_norm_backward", "ne", "nextafter", "nll_loss2d_backward",
    "nll_loss2d_forward", "nll_loss_backward", "nll_loss_forward", "norm", "normal", "poisson",
    "polygamma", "rad2deg", "random", "relu", "remainder", "round", "rrelu_with_noise",
    "rrelu_with_noise_backward", "scatter_reduce", "segment_reduce", "select_copy",
    "select_scatter", "sign", "silu", "slice_copy", "slice_inverse", "slice_scatter",
    "slow_conv3d_forward", "slow_conv_dilated2d", "slow_conv_dilated3d",
    "slow_conv_transpose2d", "slow_conv_transpose3d", "smooth_l1_loss",
    "smooth_l1_loss_backward", "soft_margin_loss", "soft_margin_loss_backward", "softplus",
    "softplus_backward", "softshrink", "softshrink_backward", "sort",
    "sparse_compressed_tensor", "special_entr", "special_erfcx", "special_i0e", "special_i1",
    "special_i1e", "special_log_ndtr", "special_ndtri", "special_xlog1py", "special_zeta",
    "split_copy", "split_with_sizes_copy", "std", "threshold", "threshold_backward",
    "to_mkldnn", "to_padded_tensor", "topk", "trunc", "uniform", "unique_consecutive",
    "unique_dim", "unique_dim_consecutive", "unsafe_split_with_sizes", "upsample_bicubic2d",
    "upsample_bicubic2d_backward", "upsample_bilinear2d", "upsample_bilinear2d_backward",
    "upsample_linear1d", "upsample_linear1d_backward", "upsample_nearest1d",
    "upsample_nearest1d_backward", "upsample_nearest2d", "upsample_nearest2d_backward",
    "upsample_nearest3d", "upsample_nearest3d_backward", "upsample_trilinear3d",
    "upsample_trilinear3d_backward", "values_copy", "var", "view_as_complex_copy",
    "view_as_real", "view_as_real_copy", "xlogy", "zero",
};

// Tensor arguments that a formula leaves out and that are not declared non-differentiable
// (tools/autograd/derivatives.yaml).
struct WithoutFormula {
  std::string_view op;
  std::string_view argument;
};
constexpr WithoutFormula kWithoutFormula[] = {
    {"_batch_norm_no_update", "running_mean"},
    {"_batch_norm_no_update", "running_var"},
    {"_batch_norm_with_update", "running_mean"},
    {"_batch_norm_with_update", "running_var"},
    {"_batch_norm_with_update_functional", "running_mean"},
    {"_batch_norm_with_update_functional", "running_var"},
    {"_ctc_loss", "targets"},
    {"_ctc_loss.Tensor", "targets"},
    {"_ctc_loss.Tensor", "input_lengths"},
    {"_ctc_loss.Tensor", "target_lengths"},
    {"_cudnn_attention_forward", "attn_bias"},
    {"_cudnn_attention_forward", "cum_seq_q"},
    {"_cudnn_attention_forward", "cum_seq_k"},
    {"_cudnn_ctc_loss", "targets"},
    {"_cudnn_ctc_loss.Tensor", "targets"},
    {"_cudnn_ctc_loss.Tensor", "input_lengths"},
    {"_cudnn_ctc_loss.Tensor", "target_lengths"},
    {"_cudnn_rnn", "weight_buf"},
    {"_cudnn_rnn_backward", "weight_buf"},
    {"_cudnn_rnn_backward", "reserve"},
    {"_efficient_attention_forward", "cu_seqlens_q"},
    {"_efficient_attention_forward", "cu_seqlens_k"},
    {"_efficient_attention_forward", "seqlen_k"},
    {"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", "scale"},
    {"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", "zero_point"},
    {"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", "fake_quant_enabled"},
    {"_flash_attention_forward", "cum_seq_q"},
    {"_flash_attention_forward", "cum_seq_k"},
    {"_flash_attention_forward", "seqused_k"},
    {"_flash_attention_forward", "alibi_slopes"},
    {"_flash_attention_forward", "block_table"},
    {"_fused_moving_avg_obs_fq_helper", "observer_on"},
    {"_fused_moving_avg_obs_fq_helper", "fake_quant_on"},
    {"_fused_moving_avg_obs_fq_helper", "running_min"},
    {"_fused_moving_avg_obs_fq_helper", "running_max"},
    {"_fused_moving_avg_obs_fq_helper", "scale"},
    {"_fused_moving_avg_obs_fq_helper", "zero_point"},
    {"_fused_moving_avg_obs_fq_helper_functional", "observer_on"},
    {"_fused_moving_avg_obs_fq_helper_functional", "fake_quant_on"},
    {"_fused_moving_avg_obs_fq_helper_functional", "running_min"},
    {"_fused_moving_avg_obs_fq_helper_functional", "running_max"},
    {"_fused_moving_avg_obs_fq_helper_functional", "scale"},
    {"_fused_moving_avg_obs_fq_helper_functional", "zero_point"},
    {"_grouped_mm", "offs"},
    {"_grouped_mm", "bias"},
    {"_index_put_impl", "indices"},
    {"_index_put_impl_", "indices"},
    {"_native_batch_norm_legit", "running_mean"},
    {"_native_batch_norm_legit", "running_var"},
    {"_native_batch_norm_legit_functional", "running_mean"},
    {"_native_batch_norm_legit_functional", "running_var"},
    {"_native_batch_norm_legit_no_training", "running_mean"},
    {"_native_batch_norm_legit_no_training", "running_var"},
    {"_pack_padded_sequence", "lengths"},
    {"_scaled_dot_product_cudnn_attention", "attn_bias"},
    {"_scaled_dot_product_flash_attention_for_cpu", "attn_mask"},
    {"_unsafe_index.Tensor", "indices"},
    {"_unsafe_index_put", "indices"},
    {"_unsafe_masked_index", "indices"},
    {"_unsafe_masked_index_put_accumulate", "indices"},
    {"adaptive_max_pool2d_backward", "indices"},
    {"adaptive_max_pool3d_backward", "indices"},
    {"batch_norm_backward", "running_mean"},
    {"batch_norm_backward", "running_var"},
    {"binary_cross_entropy", "weight"},
    {"binary_cross_entropy_backward", "weight"},
    {"binary_cross_entropy_with_logits", "weight"},
    {"binary_cross_entropy_with_logits", "pos_weight"},
    {"cudnn_batch_norm", "running_mean"},
    {"cudnn_batch_norm", "running_var"},
    {"cudnn_batch_norm_backward", "running_mean"},
    {"cudnn_batch_norm_backward", "running_var"},
    {"fake_quantize_per_channel_affine_cachemask", "scale"},
    {"fake_quantize_per_channel_affine_cachemask", "zero_point"},
    {"fractional_max_pool2d", "random_samples"},
    {"fractional_max_pool2d_backward", "indices"},
    {"fractional_max_pool3d", "random_samples"},
    {"fractional_max_pool3d_backward", "indices"},
    {"index.Tensor", "indices"},
    {"index_put", "indices"},
    {"index_put_", "indices"},
    {"linalg_lu_solve", "pivots"},
    {"linalg_pinv.atol_rtol_tensor", "atol"},
    {"linalg_pinv.atol_rtol_tensor", "rtol"},
    {"log_sigmoid_backward", "buffer"},
    {"miopen_batch_norm", "running_mean"},
    {"miopen_batch_norm", "running_var"},
    {"miopen_batch_norm_backward", "running_mean"},
    {"miopen_batch_norm_backward", "running_var"},
    {"miopen_ctc_loss", "targets"},
    {"miopen_ctc_loss.Tensor", "targets"},
    {"miopen_ctc_loss.Tensor", "input_lengths"},
    {"miopen_ctc_loss.Tensor", "target_lengths"},
    {"multi_margin_loss", "weight"},
    {"native_batch_norm", "running_mean"},
    {"native_batch_norm", "running_var"},
    {"native_batch_norm_backward", "running_mean"},
    {"native_batch_norm_backward", "running_var"},
    {"nll_loss2d_backward", "weight"},
    {"nll_loss2d_backward", "total_weight"},
    {"nll_loss2d_forward", "weight"},
    {"nll_loss_backward", "weight"},
    {"nll_loss_backward", "total_weight"},
    {"nll_loss_forward", "weight"},
    {"rrelu_with_noise", "noise"},
    {"rrelu_with_noise_", "noise"},
    {"rrelu_with_noise_backward", "noise"},
    {"segment_reduce", "lengths"},
    {"segment_reduce", "indices"},
    {"segment_reduce", "offsets"},
    {"soft_margin_loss", "target"},
    {"soft_margin_loss_backward", "target"},
};
// clang-format on

// clang-format off
// Operators none of whose floating results is differentiable (output_differentiability and
// not_differentiable inputs of derivatives.yaml), sorted.
constexpr std::string_view kNotDifferentiable[] = {
    "_efficientzerotensor", "_new_zeros_with_same_feature_meta", "_values", "all", "any", "bernoulli_",
    "empty_like", "eq", "full_like", "ge", "gt", "histc", "isnan", "le", "lt", "multinomial", "ne",
    "new_empty", "new_empty_strided", "new_full", "new_ones", "new_zeros", "nonzero", "ones_like",
    "quantize_per_tensor", "rand_like", "randn_like", "resize_", "set_", "zeros_like",
};
// Operators some of whose floating results are not: bit i set, result i is.
struct PartlyDifferentiable {
  std::string_view op;
  uint32_t results;
};
constexpr PartlyDifferentiable kPartlyDifferentiable[] = {
    {"_batch_norm_with_update", 0b1}, {"_batch_norm_with_update_functional", 0b1},
    {"_cudnn_attention_forward", 0b1}, {"_cudnn_rnn", 0b111}, {"_efficient_attention_forward", 0b1},
    {"_flash_attention_forward", 0b1}, {"_linalg_det", 0b1}, {"_linalg_slogdet", 0b11},
    {"_linalg_solve_ex", 0b1}, {"_native_batch_norm_legit", 0b1},
    {"_native_batch_norm_legit_functional", 0b1},
    {"_scaled_dot_product_cudnn_attention", 0b1}, {"_scaled_dot_product_efficient_attention", 0b1},
    {"_scaled_dot_product_flash_attention", 0b1}, {"_scaled_dot_product_flash_attention_for_cpu", 0b1},
    {"_scaled_dot_product_fused_attention_overrideable", 0b1}, {"_thnn_fused_lstm_cell", 0b11},
    {"cudnn_batch_norm", 0b1}, {"linalg_lu", 0b110}, {"linalg_lstsq", 0b11},
    {"log_sigmoid_forward", 0b1}, {"lu_unpack", 0b110}, {"miopen_rnn", 0b111},
    {"mkldnn_rnn_layer", 0b111}, {"multilabel_margin_loss_forward", 0b1}, {"native_batch_norm", 0b1},
    {"native_layer_norm", 0b1}, {"nll_loss2d_forward", 0b1}, {"nll_loss_forward", 0b1},
    {"rrelu_with_noise_functional", 0b1},
};
// clang-format on

// Operators with a derivative formula whose floating arguments may become integers, besides
// gradients and _foreach_ operators.
constexpr std::string_view kMayReturnIntegers[] = {
    "_thnn_fused_lstm_cell", "cumprod", "cumsum", "nansum", "prod", "sum",
};

// The polynomials and Bessel functions have no derivatives.
bool has_no_derivative(std::string_view name) {
  if (std::binary_search(std::begin(kNotDifferentiable), std::end(kNotDifferentiable), name))
    return true;
  if (!name.starts_with("special_")) return false;
  return name.find("bessel") != std::string_view::npos ||
         name.find("polynomial") != std::string_view::npos || name == "special_airy_ai";
}

uint32_t differentiable_results(std::string_view name) {
  for (const PartlyDifferentiable& entry : kPartlyDifferentiable) {
    if (entry.op == name) return entry.results;
  }
  return ~0u;
}

// "aten::add_.Tensor" is "add_.Tensor" in derivatives.yaml.
std::string_view local_name(std::string_view name) {
  return name.substr(std::min(name.find("::") + 2, name.size()));
}

bool requires_grad(const Value& value) {
  return value.is_tensor() && value.tensor().meta->has(kRequiresGrad);
}
bool any_requires_grad(const Value& value) {
  if (!value.is(Value::Tag::kList)) return requires_grad(value);
  return std::any_of(value.values().begin(), value.values().end(), requires_grad);
}
bool any_requires_grad(std::span<const Value> args) {
  return std::any_of(args.begin(), args.end(),
                     [](const Value& value) { return any_requires_grad(value); });
}

bool is_without_formula(const OpEntry& op, std::string_view argument) {
  const std::string_view name = local_name(op.schema.name);
  return std::any_of(
      std::begin(kWithoutFormula), std::end(kWithoutFormula), [&](const WithoutFormula& entry) {
        if (entry.argument != argument || !entry.op.starts_with(name)) return false;
        const std::string_view rest = entry.op.substr(name.size());
        return rest.empty() ? op.schema.overload.empty()
                            : rest.front() == '.' && rest.substr(1) == op.schema.overload;
      });
}

// Of a gradient every result has a derivative, of other operators the first for certain: what
// follows is declared not to (indices, saved statistics).
std::span<const Value> differentiable(const Value& result, bool is_gradient) {
  if (!result.is(Value::Tag::kList)) return {&result, 1};
  return result.values().first(is_gradient ? result.size() : std::min<size_t>(result.size(), 1));
}

// The results that a history is set on: of these operators, which is refused for an integer one.
std::span<const Value> recorded_results(std::string_view name, const Value& result) {
  if (!result.is(Value::Tag::kList)) return {&result, 1};
  const auto count = static_cast<size_t>(std::popcount(differentiable_results(name)));
  return result.values().first(std::min(result.size(), count));
}

bool takes_integer_history(const OpEntry& op, std::string_view name) {
  if (name.starts_with("_foreach_")) return op.written_arguments == 0 && name != "_foreach_powsum";
  return std::find(std::begin(kMayReturnIntegers), std::end(kMayReturnIntegers), name) !=
         std::end(kMayReturnIntegers);
}

// The first tensor of these that has this property.
template <typename Property>
const Tensor* find_tensor(std::span<const Value> results, Property has_property) {
  for (const Value& result : results) {
    if (result.is_tensor() && has_property(result.tensor())) return &result.tensor();
  }
  return nullptr;
}

// Sizes of an argument that a derivative formula needs and that are read before the operator runs,
// in this order (tools/autograd/derivatives.yaml).
struct SavedSizes {
  std::string_view op;
  size_t argument;
  int64_t dims[3];
  size_t count;
};
constexpr SavedSizes kSavedSizes[] = {
    {"_adaptive_avg_pool2d_backward", 0, {-1, -2}, 2},
    {"_adaptive_avg_pool3d_backward", 0, {-1, -2, -3}, 3},
    {"_embedding_bag", 0, {0}, 1},
    {"embedding", 0, {0}, 1},
};

void read_saved_sizes(const OpEntry& op, std::span<const Value> args) {
  const std::string_view name = local_name(op.schema.name);
  for (const SavedSizes& saved : kSavedSizes) {
    const auto is_wanted = [](const Value& arg) { return any_requires_grad(arg); };
    if (saved.op != name || !std::any_of(args.begin(), args.end(), is_wanted)) continue;
    for (size_t i = 0; i < saved.count; ++i) args[saved.argument].tensor().size(saved.dims[i]);
  }
}

}  // namespace

void check_differentiable(const OpEntry& op, std::span<const Value> args) {
  read_saved_sizes(op, args);
  for (size_t i = 0; i < args.size(); ++i) {
    if (!any_requires_grad(args[i]) || !is_without_formula(op, op.schema.arguments[i].name))
      continue;
    throw_error(ErrorKind::kRuntimeError,
                format("The function '{}' is not differentiable with respect to argument '{}'. "
                       "This input cannot have requires_grad True.",
                       local_name(op.schema.name), op.schema.arguments[i].name));
  }
}

namespace {
// Whether a differentiable argument or output requires grad. The noise of rrelu_with_noise is
// written to, and not asked.
bool refuses_grad(const OpEntry& op, std::span<const Value> args) {
  const std::string_view name = local_name(op.schema.name);
  const size_t inputs = args.size() - op.output_count;
  const uint32_t results = differentiable_results(name);
  for (size_t i = 0; i < args.size(); ++i) {
    const bool is_asked = i < inputs ? op.schema.arguments[i].name != "noise"
                                     : i - inputs >= 32 || (results >> (i - inputs) & 1) != 0;
    if (is_asked && any_requires_grad(args[i])) return true;
  }
  return false;
}
}  // namespace

void check_out_grad(const OpEntry& op, std::span<const Value> args) {
  if (op.out->grad == OutGrad::kNoGrad) return;
  const bool formula = op.out->grad == OutGrad::kFormula;
  if (!(formula ? refuses_grad(op, args) : any_requires_grad(args.last(op.output_count)))) return;
  const std::string_view name = formula ? local_name(op.schema.name) : op.schema.name;
  throw_error(ErrorKind::kRuntimeError,
              format("{}(): functions with out=... arguments don't support automatic "
                     "differentiation, but one of the arguments requires grad.",
                     name));
}

void check_differentiable_results(const OpEntry& op, std::span<const Value> args,
                                  const Value& result) {
  std::string_view name = local_name(op.schema.name);
  if (name.ends_with('_')) name.remove_suffix(1);
  const bool is_gradient = name.ends_with("_backward") || name.ends_with("_backward_data");
  const std::span<const Value> results = differentiable(result, is_gradient);
  const auto is_not_real = [](const Tensor& tensor) { return !is_floating(tensor.dtype()); };
  const bool sets_history = takes_integer_history(op, name);
  const std::span<const Value> recorded = sets_history ? recorded_results(name, result) : results;
  if (find_tensor(recorded, is_not_real) == nullptr || !any_requires_grad(args)) return;
  const bool is_real_formula =
      std::binary_search(std::begin(kRealDerivatives), std::end(kRealDerivatives), name);
  if (!is_real_formula && !sets_history) return;
  const auto is_integer = [](const Tensor& tensor) { return is_integral_or_bool(tensor.dtype()); };
  const Tensor* integer = find_tensor(recorded, is_integer);
  if (integer != nullptr && (is_gradient || sets_history)) {
    throw_error(ErrorKind::kRuntimeError,
                format("Autograd not support dtype: {}", info(integer->dtype()).cpp_name));
  }
  if (!is_real_formula) return;
  const auto is_of_complex = [](const Tensor& tensor) { return is_complex(tensor.dtype()); };
  if (find_tensor(results, is_of_complex) == nullptr) return;
  throw_error(ErrorKind::kRuntimeError,
              format("{} does not support automatic differentiation for outputs with complex "
                     "dtype.",
                     name));
}

namespace {
void set_requires_grad(Context& context, const Value& value, bool required) {
  if (value.is(Value::Tag::kList)) {
    for (const Value& element : value.values()) set_requires_grad(context, element, required);
    return;
  }
  if (!value.is_tensor()) return;
  Tensor& tensor = value.tensor();
  const bool can_require = is_floating(tensor.dtype()) || is_complex(tensor.dtype());
  if (!can_require || tensor.meta->has(kRequiresGrad) == required) return;
  MetaSpec spec = tensor.meta->spec();
  spec.flags ^= kRequiresGrad;
  tensor.meta = context.metas().intern(spec);
}

bool detaches(const OpEntry& op, std::string_view name) {
  return name.starts_with("detach") || (name == "view" && op.schema.overload == "dtype");
}
}  // namespace

void record_history(Context& context, const OpEntry& op, std::span<const Value> args,
                    const Value& result) {
  if (!any_requires_grad(args)) return;
  if (op.out != nullptr && op.out->grad == OutGrad::kNoGrad) return;
  const std::string_view name = local_name(op.schema.name);
  if (has_no_derivative(name)) return;
  const bool required = !detaches(op, name);
  if (op.schema.returns.empty()) {  // lists that are written in place
    for (size_t j = 0; j < args.size(); ++j) {
      if (op.schema.arguments[j].is_written()) set_requires_grad(context, args[j], required);
    }
  }
  if (!result.is(Value::Tag::kList)) return set_requires_grad(context, result, required);
  // basicAutogradNotImplementedFallback marks all.
  const bool falls_back = op.out != nullptr && op.out->grad == OutGrad::kNoFormula;
  const uint32_t results = falls_back ? ~0u : differentiable_results(name);
  const std::span<const Value> values = result.values();
  for (size_t i = 0; i < values.size(); ++i) {
    if (i >= 32 || (results >> i & 1) != 0) set_requires_grad(context, values[i], required);
  }
}

void record_unknown(Context& context, std::span<const Value> args, const Value& result) {
  if (any_requires_grad(args)) set_requires_grad(context, result, true);
}

}  // namespace faketensor
