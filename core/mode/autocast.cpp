#include "core/mode/autocast.h"

#include <algorithm>
#include <iterator>

#include "core/support/error.h"

namespace faketensor {

namespace {

// aten/src/ATen/autocast_mode.cpp and .h; names without "aten::". First AutocastCPU.
// clang-format off
constexpr std::string_view kLowerPrecision[] = {
    "_addmm_activation.default", "_convolution.deprecated", "_native_multi_head_attention.default", "addbmm.default",
    "addmm.default", "baddbmm.default", "bmm.default", "conv1d.default", "conv1d.padding", "conv2d.default", "conv2d.padding",
    "conv3d.default", "conv3d.padding", "conv_tbc.default", "conv_transpose1d.default", "conv_transpose2d.input",
    "conv_transpose3d.input", "linalg_vecdot.default", "linear.default", "matmul.default", "mkldnn_rnn_layer.default",
    "mm.default", "prelu.default", "scaled_dot_product_attention.default",
};
constexpr std::string_view kSinglePrecision[] = {
    "_grid_sampler_2d_cpu_fallback.default", "_lu_with_info.default", "adaptive_avg_pool3d.default",
    "adaptive_max_pool3d.default", "avg_pool3d.default", "binary_cross_entropy.default",
    "binary_cross_entropy_with_logits.default", "cdist.default", "cholesky.default", "cholesky_inverse.default",
    "cholesky_solve.default", "cosine_embedding_loss.default", "cross_entropy_loss.default", "ctc_loss.IntList",
    "ctc_loss.Tensor", "fake_quantize_per_tensor_affine.default", "fft_fft.default", "fft_fft2.default", "fft_fftn.default",
    "fft_hfft.default", "fft_ifft.default", "fft_ifft2.default", "fft_ifftn.default", "fft_ihfft.default", "fft_irfft.default",
    "fft_irfft2.default", "fft_irfftn.default", "fft_rfft.default", "fft_rfft2.default", "fft_rfftn.default",
    "fractional_max_pool2d.default", "fractional_max_pool3d.default", "geqrf.default", "grid_sampler.default",
    "grid_sampler_2d.default", "grid_sampler_3d.default", "hinge_embedding_loss.default", "huber_loss.default",
    "inverse.default", "kl_div.default", "l1_loss.default", "linalg_cholesky.default", "linalg_cholesky_ex.default",
    "linalg_cond.default", "linalg_cond.p_str", "linalg_eig.default", "linalg_eigh.default", "linalg_eigvals.default",
    "linalg_eigvalsh.default", "linalg_householder_product.default", "linalg_inv.default", "linalg_inv_ex.default",
    "linalg_lstsq.default", "linalg_matrix_rank.atol_rtol_float", "linalg_matrix_rank.atol_rtol_tensor",
    "linalg_matrix_rank.default", "linalg_matrix_rank.tol_tensor", "linalg_qr.default", "linalg_solve.default",
    "linalg_svd.default", "linalg_svdvals.default", "linalg_tensorinv.default", "linalg_tensorsolve.default",
    "lu_solve.default", "margin_ranking_loss.default", "max_pool3d.default", "max_unpool2d.default", "max_unpool3d.default",
    "mse_loss.default", "multi_margin_loss.default", "multilabel_margin_loss.default", "multilabel_margin_loss_forward.default",
    "nanquantile.default", "nanquantile.scalar", "nll_loss.default", "nll_loss2d.default", "orgqr.default", "ormqr.default",
    "pinverse.default", "poisson_nll_loss.default", "polar.default", "prod.default", "prod.dim_int", "qr.default",
    "quantile.default", "quantile.scalar", "reflection_pad1d.default", "reflection_pad2d.default", "replication_pad1d.default",
    "replication_pad2d.default", "replication_pad3d.default", "smooth_l1_loss.default", "soft_margin_loss.default",
    "stft.center", "stft.default", "svd.default", "trace.default", "triangular_solve.default", "triplet_margin_loss.default",
    "view_as_complex.default",
};
constexpr std::string_view kWidest[] = {
    "cat.default", "index_copy.default", "stack.default",
};
// AutocastCUDA.
constexpr std::string_view kCudaLowerPrecision[] = {
    "_convolution.default", "_convolution.deprecated", "_scaled_dot_product_flash_attention.default",
    "_thnn_fused_gru_cell.default", "_thnn_fused_lstm_cell.default", "addbmm.default", "addmm.default", "addmv.default",
    "addr.default", "baddbmm.default", "bmm.default", "chain_matmul.default", "conv1d.default", "conv2d.default",
    "conv3d.default", "conv_tbc.default", "conv_transpose1d.default", "conv_transpose2d.input", "conv_transpose3d.input",
    "convolution.default", "cudnn_convolution.default", "cudnn_convolution_transpose.default", "einsum.default",
    "gru_cell.default", "linalg_multi_dot.default", "linalg_vecdot.default", "linear.default", "lstm_cell.default",
    "matmul.default", "mm.default", "mv.default", "prelu.default", "rnn_relu_cell.default", "rnn_tanh_cell.default",
    "scaled_dot_product_attention.default",
};
constexpr std::string_view kCudaSinglePrecision[] = {
    "_upsample_bicubic2d_aa.default", "_upsample_bilinear2d_aa.default", "_upsample_nearest_exact1d.default",
    "_upsample_nearest_exact2d.default", "_upsample_nearest_exact3d.default", "acos.default", "asin.default",
    "binary_cross_entropy_with_logits.default", "cdist.default", "cosh.default", "cosine_embedding_loss.default",
    "cosine_similarity.default", "dist.default", "erfinv.default", "exp.default", "expm1.default", "frobenius_norm.dim",
    "group_norm.default", "hinge_embedding_loss.default", "huber_loss.default", "kl_div.default", "l1_loss.default",
    "layer_norm.default", "log.default", "log10.default", "log1p.default", "log2.default", "logsumexp.default",
    "margin_ranking_loss.default", "mse_loss.default", "multi_margin_loss.default", "multilabel_margin_loss.default",
    "native_layer_norm.default", "nll_loss.default", "nll_loss2d.default", "nuclear_norm.default", "nuclear_norm.dim",
    "pdist.default", "poisson_nll_loss.default", "pow.Scalar", "pow.Tensor_Scalar", "pow.Tensor_Tensor",
    "reciprocal.default", "renorm.default", "rms_norm.default", "rsqrt.default", "sinh.default", "smooth_l1_loss.default",
    "soft_margin_loss.default", "softplus.default", "tan.default", "triplet_margin_loss.default",
    "upsample_bicubic2d.default", "upsample_bilinear2d.default", "upsample_linear1d.default", "upsample_nearest1d.default",
    "upsample_nearest2d.default", "upsample_nearest3d.default", "upsample_trilinear3d.default",
};
constexpr std::string_view kCudaSingleResult[] = {
    "cumprod.default", "cumsum.default", "linalg_matrix_norm.default", "linalg_matrix_norm.str_ord",
    "linalg_vector_norm.default", "log_softmax.int", "prod.default", "prod.dim_int", "softmax.int", "sum.default",
    "sum.dim_IntList",
};
constexpr std::string_view kCudaSingleOverload[] = {
    "norm.Scalar", "norm.ScalarOpt_dim",
};
constexpr std::string_view kCudaWidest[] = {
    "addcdiv.default", "addcmul.default", "atan2.default", "bilinear.default", "cross.default", "dot.default",
    "grid_sampler.default", "index_put.default", "scatter_add.default", "tensordot.default", "vdot.default",
};
// clang-format on

template <size_t N>
bool contains(const std::string_view (&sorted)[N], std::string_view name) {
  return std::binary_search(std::begin(sorted), std::end(sorted), name);
}

AutocastPolicy cuda_policy(std::string_view name) {
  if (contains(kCudaLowerPrecision, name)) return AutocastPolicy::kLowerPrecision;
  if (contains(kCudaSinglePrecision, name)) return AutocastPolicy::kSinglePrecision;
  if (contains(kCudaSingleResult, name)) return AutocastPolicy::kSingleResult;
  if (contains(kCudaSingleOverload, name)) return AutocastPolicy::kSingleOverload;
  if (name == "binary_cross_entropy.default") return AutocastPolicy::kBanned;
  return contains(kCudaWidest, name) ? AutocastPolicy::kWidest : AutocastPolicy::kNone;
}

AutocastPolicy cpu_policy(std::string_view name) {
  if (contains(kLowerPrecision, name)) return AutocastPolicy::kLowerPrecision;
  if (contains(kSinglePrecision, name)) return AutocastPolicy::kSinglePrecision;
  return contains(kWidest, name) ? AutocastPolicy::kWidest : AutocastPolicy::kNone;
}

// at::autocast::is_eligible
bool is_eligible(const Value& value, DeviceType device) {
  if (!value.is_tensor() || value.tensor().is_wrapped_number) return false;
  const Tensor& tensor = value.tensor();
  return tensor.device().type == device && is_floating(tensor.dtype()) &&
         tensor.dtype() != DType::kFloat64;
}

// at::autocast::prioritize: the wider of a dtype and an operand's.
DType prioritize(DType current, const Value& operand, const Autocast& autocast) {
  if (!is_eligible(operand, autocast.device)) return current;
  const DType next = operand.tensor().dtype();
  if (current == DType::kFloat32 || next == DType::kFloat32) return DType::kFloat32;
  if (current == autocast.lower && next == autocast.lower) return current;
  throw_error(ErrorKind::kRuntimeError,
              "Unexpected floating ScalarType in at::autocast::prioritize");
}

DType widest_of(std::span<const Value> args, const Autocast& autocast) {
  DType widest = autocast.lower;
  for (const Value& arg : args) {
    if (!arg.is(Value::Tag::kList)) {
      widest = prioritize(widest, arg, autocast);
      continue;
    }
    for (const Value& element : arg.values()) widest = prioritize(widest, element, autocast);
  }
  return widest;
}

void cast_to(Context& context, DType target, DeviceType device, SmallVector<Value, 16>& args) {
  static const OpId kTo = Registry::builtin().find("aten::to.dtype");
  const auto casted = [&](const Value& value) {
    if (!is_eligible(value, device) || value.tensor().dtype() == target) return value;
    const Value call[] = {value, target};
    return context.call(kTo, call);
  };
  for (Value& arg : args) {
    if (!arg.is(Value::Tag::kList)) {
      arg = casted(arg);
      continue;
    }
    SmallVector<Value, 8> elements;
    for (const Value& element : arg.values()) elements.push_back(casted(element));
    arg = context.make_list(elements.span());
  }
}

// fp32_set_opt_dtype: a dtype that the caller gives stays.
void set_result_dtype(const OpEntry& op, DeviceType device, SmallVector<Value, 16>& args) {
  if (args.empty() || !is_eligible(args[0], device)) return;
  const auto at = static_cast<size_t>(op.schema.find_argument("dtype"));
  while (args.size() <= at) args.push_back(Value::unset());
  if (args[at].is_unset() || args[at].is_none()) args[at] = DType::kFloat32;
}

// fp32_append_dtype: norm with a dtype, float32 or, of what is not cast, its own.
AutocastCall overload_with_dtype(const OpEntry& op, std::span<const Value> args,
                                 DeviceType device) {
  static const OpId kScalar = Registry::builtin().find("aten::norm.ScalarOpt_dtype");
  static const OpId kDims = Registry::builtin().find("aten::norm.ScalarOpt_dim_dtype");
  const bool over_all = op.name == "aten::norm.Scalar";
  const Value dtype = is_eligible(args[0], device) ? DType::kFloat32 : args[0].tensor().dtype();
  AutocastCall call{over_all ? kScalar : kDims, SmallVector<Value, 16>(args)};
  if (over_all && (call.args.size() < 2 || call.args[1].is_unset())) {
    while (call.args.size() < 2) call.args.push_back(Value());
    call.args[1] = 2;  // the default of norm.Scalar, which the other overload has not
  }
  const size_t before = over_all ? 2 : 4;  // arguments
  while (call.args.size() < before) call.args.push_back(false);
  if (!over_all && call.args[3].is_unset()) call.args[3] = false;  // keepdim
  call.args.push_back(dtype);
  return call;
}

}  // namespace

AutocastPolicy autocast_policy(const OpEntry& op, DeviceType device) {
  if (!op.name.starts_with("aten::")) return AutocastPolicy::kNone;
  const std::string_view name = op.name.substr(6);
  return device == DeviceType::kCUDA ? cuda_policy(name) : cpu_policy(name);
}

AutocastCall autocast(Context& context, const OpEntry& op, std::span<const Value> args,
                      Autocast autocast) {
  AutocastCall call{op.id, SmallVector<Value, 16>(args)};
  switch (autocast_policy(op, autocast.device)) {
    case AutocastPolicy::kNone:
      break;
    case AutocastPolicy::kLowerPrecision:
      cast_to(context, autocast.lower, autocast.device, call.args);
      break;
    case AutocastPolicy::kSinglePrecision:
      cast_to(context, DType::kFloat32, autocast.device, call.args);
      break;
    case AutocastPolicy::kSingleResult:
      set_result_dtype(op, autocast.device, call.args);
      break;
    case AutocastPolicy::kSingleOverload:
      return overload_with_dtype(op, args, autocast.device);
    case AutocastPolicy::kWidest:
      cast_to(context, widest_of(args, autocast), autocast.device, call.args);
      break;
    case AutocastPolicy::kBanned:
      throw_error(
          ErrorKind::kRuntimeError,
          "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
          "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
          "In this case, combine the two layers using "
          "torch.nn.functional.binary_cross_entropy_with_logits\n"
          "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
          "safe to autocast.");
  }
  return call;
}

namespace {

// Whether a tensor among the arguments is on the device: then its dispatch key is among the keys.
bool has_tensor_on(DeviceType device, std::span<const Value> args) {
  return std::any_of(args.begin(), args.end(), [device](const Value& arg) {
    if (arg.is(Value::Tag::kList)) return has_tensor_on(device, arg.values());
    return arg.is_tensor() && arg.tensor().device().type == device;
  });
}

}  // namespace

// The keys of the two devices stand one behind the other, CUDA's first.
Value AutocastRegions::call(const OpEntry& op, std::span<const Value> args) {
  for (const DeviceType device : {DeviceType::kCUDA, DeviceType::kCPU}) {
    Region& here = region(device);
    if (!here.enabled || autocast_policy(op, device) == AutocastPolicy::kNone ||
        !has_tensor_on(device, args))
      continue;
    const ScopedValue excluded(here.enabled, false);  // its dispatch key
    const AutocastCall cast = autocast(context_, op, args, {device, here.lower});
    return context_.call(cast.op, cast.args.span());
  }
  return context_.call_below(op, args);
}

}  // namespace faketensor
