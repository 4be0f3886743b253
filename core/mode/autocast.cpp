#include "core/mode/autocast.h"

#include <algorithm>
#include <iterator>

namespace faketensor {

namespace {

// aten/src/ATen/autocast_mode.cpp, the dispatch key AutocastCPU; names without "aten::".
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
// clang-format on

template <size_t N>
bool contains(const std::string_view (&sorted)[N], std::string_view name) {
  return std::binary_search(std::begin(sorted), std::end(sorted), name);
}

// at::autocast::is_eligible
bool is_eligible(const Value& value) {
  if (!value.is_tensor() || value.tensor().is_wrapped_number) return false;
  const Tensor& tensor = value.tensor();
  return tensor.device().is_cpu() && is_floating(tensor.dtype()) &&
         tensor.dtype() != DType::kFloat64;
}

template <typename Visit>
void for_each_eligible(std::span<const Value> args, Visit&& visit) {
  for (const Value& arg : args) {
    if (is_eligible(arg)) visit(arg.tensor());
    if (!arg.is(Value::Tag::kList)) continue;
    for (const Value& element : arg.values())
      if (is_eligible(element)) visit(element.tensor());
  }
}

// The dtype that the operands are cast to.
DType target_of(AutocastPolicy policy, std::span<const Value> args, DType lower) {
  if (policy == AutocastPolicy::kLowerPrecision) return lower;
  if (policy == AutocastPolicy::kSinglePrecision) return DType::kFloat32;
  DType widest = lower;
  for_each_eligible(args, [&](const Tensor& tensor) {
    if (tensor.dtype() == DType::kFloat32) widest = DType::kFloat32;
  });
  return widest;
}

}  // namespace

AutocastPolicy autocast_policy(const OpEntry& op) {
  if (!op.name.starts_with("aten::")) return AutocastPolicy::kNone;
  const std::string_view name = op.name.substr(6);
  if (contains(kLowerPrecision, name)) return AutocastPolicy::kLowerPrecision;
  if (contains(kSinglePrecision, name)) return AutocastPolicy::kSinglePrecision;
  return contains(kWidest, name) ? AutocastPolicy::kWidest : AutocastPolicy::kNone;
}

SmallVector<Value, 16> autocast(Context& context, const OpEntry& op, std::span<const Value> args,
                                DType lower) {
  static const OpId kTo = Registry::builtin().find("aten::to.dtype");
  SmallVector<Value, 16> cast(args);
  const AutocastPolicy policy = autocast_policy(op);
  if (policy == AutocastPolicy::kNone) return cast;
  const DType target = target_of(policy, args, lower);
  const auto casted = [&](const Value& value) {
    if (!is_eligible(value) || value.tensor().dtype() == target) return value;
    const Value call[] = {value, target};
    return context.call(kTo, call);
  };
  for (Value& arg : cast) {
    if (!arg.is(Value::Tag::kList)) {
      arg = casted(arg);
      continue;
    }
    SmallVector<Value, 8> elements;
    for (const Value& element : arg.values()) elements.push_back(casted(element));
    arg = context.make_list(elements.span());
  }
  return cast;
}

}  // namespace faketensor
