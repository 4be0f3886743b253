#include "core/ops/derivative_formulas.h"

#include <string>

#include "core/ops/name_table.h"

namespace faketensor {

namespace {

constexpr DerivativeFormula kDerivatives[] = {
    {"_adaptive_avg_pool2d", "self: _adaptive_avg_pool2d_backward(grad, self)"},
    {"_adaptive_avg_pool3d", "self: _adaptive_avg_pool3d_backward(grad, self)"},
    {"_cdist_forward",
     "x1: _cdist_backward(grad, x1, x2, p, result); x2: _cdist_backward(transpose.int(grad, -1, "
     "-2), x2, x1, p, transpose.int(result, -1, -2))"},
    {"_conj", "self: _conj(grad)"},
    {"_embedding_bag",
     "weight: _embedding_bag_dense_backward(grad, indices, result1, result2, result3, size(weight, "
     "0), scale_grad_by_freq, mode, per_sample_weights, padding_idx)"},
    {"_euclidean_dist",
     "x1: x1 * sum.dim_IntList(grad / result, [-1], true) - matmul(grad / result, x2); x2: x2 * "
     "unsqueeze(sum.dim_IntList(grad / result, [-2]), -1) - matmul(transpose.int(grad / result, "
     "-1, -2), x1)"},
    {"_fft_c2c", "self: _fft_c2c(grad, dim, normalization, false)"},
    {"_fft_c2r", "self: _fft_r2c(grad, dim, normalization, true)"},
    {"_fft_r2c",
     "self: select.int(view_as_real(_fft_c2c(new_zeros(grad, sizes(self)), dim, normalization, "
     "false)), -1, 0)"},
    {"_fused_rms_norm",
     "input, weight: _fused_rms_norm_backward(grad, input, normalized_shape, result1, weight, "
     "needed)"},
    {"_index_put_impl_",
     "self: index_put(grad, indices, zeros_like(values), false); values: index.Tensor(grad, "
     "indices)"},
    {"_log_softmax", "self: _log_softmax_backward_data(grad, result, dim, dtype(self))"},
    {"_native_batch_norm_legit",
     "input, weight, bias: native_batch_norm_backward(grad, input, weight, running_mean, "
     "running_var, result1, result2, training, eps, needed)"},
    {"_native_batch_norm_legit_no_training",
     "input, weight, bias: native_batch_norm_backward(grad, input, weight, running_mean, "
     "running_var, result1, result2, false, eps, needed)"},
    {"_neg_view", "self: neg(grad)"},
    {"_reshape_alias", "self: reshape(grad, sizes(self))"},
    {"_safe_softmax", "self: _softmax_backward_data(grad, result, dim, dtype(self))"},
    {"_scaled_dot_product_cudnn_attention",
     "query, key, value: _scaled_dot_product_cudnn_attention_backward(grad, query, key, value, "
     "result, result1, result6, result7, attn_bias, result2, result3, result4, result5, dropout_p, "
     "is_causal, scale)"},
    {"_scaled_dot_product_efficient_attention",
     "query, key, value, attn_bias: _scaled_dot_product_efficient_attention_backward(grad, query, "
     "key, value, attn_bias, result, result1, result2, result3, dropout_p, needed, is_causal, "
     "scale)"},
    {"_scaled_dot_product_flash_attention",
     "query, key, value: _scaled_dot_product_flash_attention_backward(grad, query, key, value, "
     "result, result1, result2, result3, result4, result5, dropout_p, is_causal, result6, result7, "
     "scale)"},
    {"_scaled_dot_product_flash_attention_for_cpu",
     "query, key, value: _scaled_dot_product_flash_attention_for_cpu_backward(grad, query, key, "
     "value, result, result1, dropout_p, is_causal, attn_mask, scale)"},
    {"_softmax", "self: _softmax_backward_data(grad, result, dim, dtype(self))"},
    {"_to_copy", "self: to.dtype(grad, dtype(self))"},
    {"_unsafe_index.Tensor", "self: index_put(new_zeros(grad, sizes(self)), indices, grad, true)"},
    {"_unsafe_index_put",
     "self: index_put(grad, indices, zeros_like(values), false); values: index.Tensor(grad, "
     "indices)"},
    {"_unsafe_view", "self: reshape(grad, sizes(self))"},
    {"_weight_norm_interface", "v, g: _weight_norm_interface_backward(grad, v, g, result1, dim)"},
    {"abs", "self: grad * sgn(self)"},
    {"acos", "self: grad * neg(rsqrt(neg(self) * self + 1))"},
    {"add.Scalar", "self: grad"},
    {"add.Tensor", "self: grad; other: scaled(grad, alpha)"},
    {"addcdiv",
     "self: grad; tensor1: grad * value / tensor2; tensor2: neg(grad) * value * (tensor1 / "
     "(tensor2 * tensor2))"},
    {"addcmul", "self: grad; tensor1: grad * (tensor2 * value); tensor2: grad * (tensor1 * value)"},
    {"addmm",
     "self: scaled(grad, beta); mat1: scaled(mm_left(grad, mat2, sizes(mat1), strides(mat1)), "
     "alpha); mat2: scaled(mm_right(grad, mat1, sizes(mat2), strides(mat2)), alpha)"},
    {"affine_grid_generator", "theta: affine_grid_generator_backward(grad, size, align_corners)"},
    {"alias", "self: grad"},
    {"amax",
     "self: (unreduced(grad, dim, keepdim, dim(self)) / sum.dim_IntList(eq.Tensor(self, "
     "unreduced(result, dim, keepdim, dim(self))), dim, true)) * eq.Tensor(self, unreduced(result, "
     "dim, keepdim, dim(self)))"},
    {"amin",
     "self: (unreduced(grad, dim, keepdim, dim(self)) / sum.dim_IntList(eq.Tensor(self, "
     "unreduced(result, dim, keepdim, dim(self))), dim, true)) * eq.Tensor(self, unreduced(result, "
     "dim, keepdim, dim(self)))"},
    {"angle", "self: where.ScalarOther(isnan(self), self, 0.0)"},
    {"as_strided", "self: new_zeros(grad, sizes(self))"},
    {"asin", "self: grad * rsqrt(neg(self) * self + 1)"},
    {"atan", "self: grad / (self * self + 1)"},
    {"atan2",
     "self: grad * (other * reciprocal(self * self + other * other)); other: grad * (neg(self) * "
     "reciprocal(self * self + other * other))"},
    {"avg_pool2d",
     "self: avg_pool2d_backward(grad, self, kernel_size, stride, padding, ceil_mode, "
     "count_include_pad, divisor_override)"},
    {"avg_pool3d",
     "self: avg_pool3d_backward(grad, self, kernel_size, stride, padding, ceil_mode, "
     "count_include_pad, divisor_override)"},
    {"baddbmm",
     "self: scaled(grad, beta); batch1: scaled(bmm(grad, transpose.int(batch2, 1, 2)), alpha); "
     "batch2: scaled(bmm(transpose.int(batch1, 1, 2), grad), alpha)"},
    {"binary_cross_entropy",
     "self: binary_cross_entropy_backward(grad, self, target, weight, reduction)"},
    {"binary_cross_entropy_with_logits", "self: (sigmoid(self) - target) * grad"},
    {"bmm",
     "self: bmm(grad, transpose.int(mat2, 1, 2)); mat2: bmm(transpose.int(self, 1, 2), grad)"},
    {"cat", "tensors: pieces(grad, tensors, dim)"},
    {"ceil", "self: zeros_like(grad)"},
    {"clamp", "self: where.ScalarOther(within(self, min, max), grad, 0)"},
    {"clamp_max", "self: where.ScalarOther(le.Scalar(self, max), grad, 0)"},
    {"clamp_min", "self: where.ScalarOther(ge.Scalar(self, min), grad, 0)"},
    {"clone", "self: grad"},
    {"col2im", "self: im2col(grad, kernel_size, dilation, padding, stride)"},
    {"constant_pad_nd", "self: constant_pad_nd(grad, negated(pad), 0)"},
    {"convolution",
     "input, weight, bias: convolution_backward(grad, input, weight, sizes(bias), stride, padding, "
     "dilation, transposed, output_padding, groups, needed)"},
    {"copy", "src: grad"},
    {"copy_", "src: grad"},
    {"cos", "self: grad * neg(sin(self))"},
    {"cosh", "self: grad * sinh(self)"},
    {"cudnn_batch_norm",
     "input, weight, bias: cudnn_batch_norm_backward(input, grad, weight, running_mean, "
     "running_var, result1, result2, epsilon, result3)"},
    {"cumprod", "self: flip(cumsum(flip(result * grad, [dim]), dim), [dim]) / self"},
    {"cumsum", "self: flip(cumsum(flip(grad, [dim]), dim), [dim])"},
    {"diag_embed", "self: diagonal(grad, offset, dim1, dim2)"},
    {"diagonal", "self: diagonal_backward(grad, sizes(self), offset, dim1, dim2)"},
    {"div.Scalar", "self: grad / other"},
    {"div.Tensor", "self: grad / other; other: neg(grad) * ((self / other) / other)"},
    {"div.Tensor_mode", "self: zeros_like(grad); other: zeros_like(grad)"},
    {"dot", "self: grad * tensor; tensor: grad * self"},
    {"elu", "self: elu_backward(grad, alpha, scale, input_scale, false, self)"},
    {"elu_", "self: elu_backward(grad, alpha, scale, input_scale, true, result)"},
    {"embedding",
     "weight: embedding_dense_backward(grad, indices, size(weight, 0), padding_idx, "
     "scale_grad_by_freq)"},
    {"erf", "self: 1.1283791670955126 * exp(neg(pow.Tensor_Scalar(self, 2))) * grad"},
    {"erfc", "self: -1.1283791670955126 * exp(neg(pow.Tensor_Scalar(self, 2))) * grad"},
    {"exp", "self: grad * result"},
    {"exp2", "self: grad * result * 0.6931471805599453"},
    {"expand", "self: sum_to(grad, sizes(self))"},
    {"expm1", "self: grad * (result + 1)"},
    {"fill.Scalar", "self: zeros_like(grad)"},
    {"fill.Tensor", "self: zeros_like(grad)"},
    {"flip", "self: flip(grad, dims)"},
    {"floor", "self: zeros_like(grad)"},
    {"fmod.Scalar", "self: grad"},
    {"fmod.Tensor", "self: grad; other: neg(grad) * floor_divide(self, other)"},
    {"gather", "self: scatter_add(new_zeros(grad, sizes(self)), dim, index, grad)"},
    {"gelu", "self: gelu_backward(grad, self, approximate)"},
    {"glu", "self: glu_backward(grad, self, dim)"},
    {"grid_sampler_2d",
     "input, grid: grid_sampler_2d_backward(grad, input, grid, interpolation_mode, padding_mode, "
     "align_corners, needed)"},
    {"grid_sampler_3d",
     "input, grid: grid_sampler_3d_backward(grad, input, grid, interpolation_mode, padding_mode, "
     "align_corners, needed)"},
    {"hardsigmoid", "self: hardsigmoid_backward(grad, self)"},
    {"hardswish", "self: hardswish_backward(grad, self)"},
    {"hardtanh", "self: hardtanh_backward(grad, self, min_val, max_val)"},
    {"hardtanh_", "self: hardtanh_backward(grad, result, min_val, max_val)"},
    {"huber_loss", "self: huber_loss_backward(grad, self, target, reduction, delta)"},
    {"index.Tensor", "self: index_put(new_zeros(grad, sizes(self)), indices, grad, true)"},
    {"index_add", "self: grad; source: index_select(grad, dim, index)"},
    {"index_copy",
     "self: index_fill.int_Scalar(grad, dim, index, 0); source: index_select(grad, dim, index)"},
    {"index_fill.int_Scalar", "self: index_fill.int_Scalar(grad, dim, index, 0)"},
    {"index_put",
     "self: index_put(grad, indices, zeros_like(values), false); values: index.Tensor(grad, "
     "indices)"},
    {"index_select", "self: index_add(new_zeros(grad, sizes(self)), dim, index, grad)"},
    {"kthvalue",
     "self: scatter.src(new_zeros(grad, sizes(self)), dim, unreduced(result1, dim, keepdim, "
     "dim(self)), unreduced(grad, dim, keepdim, dim(self)))"},
    {"leaky_relu", "self: leaky_relu_backward(grad, self, negative_slope, false)"},
    {"leaky_relu_", "self: leaky_relu_backward(grad, result, negative_slope, true)"},
    {"lerp.Scalar", "self: grad * 0.5; end: grad * weight"},
    {"lerp.Tensor", "self: grad * (1 - weight); end: grad * weight; weight: grad * (end - self)"},
    {"lift", "self: grad"},
    {"lift_fresh", "self: grad"},
    {"linalg_vector_norm",
     "self: unreduced(grad, dim, keepdim, dim(self)) * (self / unreduced(result, dim, keepdim, "
     "dim(self)))"},
    {"log", "self: grad / self"},
    {"log10", "self: grad / (self * 2.302585092994046)"},
    {"log1p", "self: grad / (self + 1)"},
    {"log2", "self: grad / (self * 0.6931471805599453)"},
    {"log_sigmoid_forward", "self: log_sigmoid_backward(grad, self, result1)"},
    {"logcumsumexp",
     "self: flip(logcumsumexp(flip(log(abs(grad)) - result, [dim]), dim), [dim]) + self"},
    {"logsumexp",
     "self: unreduced(grad, dim, keepdim, dim(self)) * exp(self - unreduced(result, dim, keepdim, "
     "dim(self)))"},
    {"masked_fill.Scalar", "self: masked_fill.Scalar(grad, mask, 0)"},
    {"masked_fill.Tensor",
     "self: masked_fill.Scalar(grad, mask, 0); value: sum(where.ScalarOther(mask, grad, 0))"},
    {"masked_scatter", "self: masked_fill.Scalar(grad, mask, 0); source: zeros_like(source)"},
    {"masked_select", "self: masked_scatter(zeros_like(self), mask, grad)"},
    {"max", "self: eq.Tensor(self, result) * (grad / sum(eq.Tensor(self, result)))"},
    {"max.dim",
     "self: scatter.src(new_zeros(grad, sizes(self)), dim, unreduced(result1, dim, keepdim, "
     "dim(self)), unreduced(grad, dim, keepdim, dim(self)))"},
    {"max_pool2d_with_indices",
     "self: max_pool2d_with_indices_backward(grad, self, kernel_size, stride, padding, dilation, "
     "ceil_mode, result1)"},
    {"max_pool3d_with_indices",
     "self: max_pool3d_with_indices_backward(grad, self, kernel_size, stride, padding, dilation, "
     "ceil_mode, result1)"},
    {"maximum",
     "self: masked_fill.Scalar(where.self(eq.Tensor(self, other), grad / 2, grad), lt.Tensor(self, "
     "other), 0); other: masked_fill.Scalar(where.self(eq.Tensor(self, other), grad / 2, grad), "
     "gt.Tensor(self, other), 0)"},
    {"mean", "self: expand(grad, sizes(self)) / numel(self)"},
    {"mean.dim",
     "self: expand(unreduced(grad, dim, keepdim, dim(self)), sizes(self)) / count(self, dim)"},
    {"median.dim",
     "self: scatter.src(new_zeros(grad, sizes(self)), dim, unreduced(result1, dim, keepdim, "
     "dim(self)), unreduced(grad, dim, keepdim, dim(self)))"},
    {"min", "self: eq.Tensor(self, result) * (grad / sum(eq.Tensor(self, result)))"},
    {"min.dim",
     "self: scatter.src(new_zeros(grad, sizes(self)), dim, unreduced(result1, dim, keepdim, "
     "dim(self)), unreduced(grad, dim, keepdim, dim(self)))"},
    {"minimum",
     "self: masked_fill.Scalar(where.self(eq.Tensor(self, other), grad / 2, grad), gt.Tensor(self, "
     "other), 0); other: masked_fill.Scalar(where.self(eq.Tensor(self, other), grad / 2, grad), "
     "lt.Tensor(self, other), 0)"},
    {"mish", "self: mish_backward(grad, self)"},
    {"mkldnn_rnn_layer",
     "input, weight0, weight1, weight2, weight3, hx_, cx_: mkldnn_rnn_layer_backward(input, "
     "weight0, weight1, weight2, weight3, hx_, cx_, result, result1, result2, grad, grad1, grad2, "
     "reverse, mode, hidden_size, num_layers, has_biases, train, bidirectional, batch_sizes, "
     "batch_first, result3)"},
    {"mm",
     "self: mm_left(grad, mat2, sizes(self), strides(self)); mat2: mm_right(grad, self, "
     "sizes(mat2), strides(mat2))"},
    {"mode",
     "self: scatter.src(new_zeros(grad, sizes(self)), dim, unreduced(result1, dim, keepdim, "
     "dim(self)), unreduced(grad, dim, keepdim, dim(self)))"},
    {"mse_loss",
     "self: mse_loss_backward(grad, self, target, reduction); target: mse_loss_backward(grad, "
     "target, self, reduction)"},
    {"mul.Scalar", "self: grad * other"},
    {"mul.Tensor", "self: grad * other; other: grad * self"},
    {"mv", "self: unsqueeze(grad, 1) * unsqueeze(vec, 0); vec: mv(t(self), grad)"},
    {"nan_to_num", "self: grad * logical_not(isnan(self))"},
    {"native_batch_norm",
     "input, weight, bias: native_batch_norm_backward(grad, input, weight, running_mean, "
     "running_var, result1, result2, training, eps, needed)"},
    {"native_channel_shuffle", "self: native_channel_shuffle(grad, groups)"},
    {"native_dropout", "input: native_dropout_backward(grad, result1, 1.0)"},
    {"native_group_norm",
     "input, weight, bias: native_group_norm_backward(grad, input, result1, result2, weight, N, C, "
     "HxW, group, needed)"},
    {"native_layer_norm",
     "input, weight, bias: native_layer_norm_backward(grad, input, normalized_shape, result1, "
     "result2, weight, bias, needed)"},
    {"neg", "self: neg(grad)"},
    {"nll_loss2d_forward",
     "self: nll_loss2d_backward(grad, self, target, weight, reduction, ignore_index, result1)"},
    {"nll_loss_forward",
     "self: nll_loss_backward(grad, self, target, weight, reduction, ignore_index, result1)"},
    {"permute", "self: permuted_back(grad, dims)"},
    {"pixel_shuffle", "self: pixel_unshuffle(grad, upscale_factor)"},
    {"pixel_unshuffle", "self: pixel_shuffle(grad, downscale_factor)"},
    {"pow.Scalar", "exponent: grad * (result * 1.0)"},
    {"pow.Tensor_Scalar", "self: grad * (exponent * pow.Tensor_Scalar(self, exponent - 1))"},
    {"pow.Tensor_Tensor",
     "self: where.ScalarSelf(eq.Scalar(exponent, 0), 0.0, grad * (exponent * "
     "pow.Tensor_Tensor(self, exponent - 1))); exponent: "
     "where.ScalarSelf(logical_and(eq.Scalar(self, 0), ge.Scalar(exponent, 0)), 0.0, grad * "
     "(result * log(self)))"},
    {"prod", "self: grad * (result / self)"},
    {"prod.dim_int",
     "self: unreduced(grad, dim, keepdim, dim(self)) * (unreduced(result, dim, keepdim, dim(self)) "
     "/ self)"},
    {"reciprocal", "self: neg(grad) * (result * result)"},
    {"reflection_pad1d", "self: reflection_pad1d_backward(grad, self, padding)"},
    {"reflection_pad2d", "self: reflection_pad2d_backward(grad, self, padding)"},
    {"relu", "self: threshold_backward(grad, result, 0)"},
    {"remainder.Scalar", "self: grad"},
    {"remainder.Tensor", "self: grad; other: neg(grad) * floor_divide(self, other)"},
    {"repeat", "self: new_empty(grad, sizes(self))"},
    {"replication_pad1d", "self: replication_pad1d_backward(grad, self, padding)"},
    {"replication_pad2d", "self: replication_pad2d_backward(grad, self, padding)"},
    {"roll", "self: roll(grad, negated(shifts), dims)"},
    {"round", "self: zeros_like(grad)"},
    {"rsqrt", "self: -0.5 * grad * pow.Tensor_Scalar(result, 3)"},
    {"rsub.Scalar", "self: scaled(neg(grad), alpha)"},
    {"rsub.Tensor", "self: scaled(neg(grad), alpha); other: grad"},
    {"scatter.src", "self: scatter.value(grad, dim, index, 0); src: gather(grad, dim, index)"},
    {"scatter.value", "self: scatter.value(grad, dim, index, 0)"},
    {"scatter_add", "self: grad; src: gather(grad, dim, index)"},
    {"scatter_reduce.two", "self: grad * 1.0; src: gather(grad, dim, index)"},
    {"select.int", "self: select_backward(grad, sizes(self), dim, index)"},
    {"select_scatter",
     "self: select_scatter(grad, zeros_like(src), dim, index); src: select.int(grad, dim, index)"},
    {"sgn", "self: zeros_like(grad)"},
    {"sigmoid", "self: sigmoid_backward(grad, result)"},
    {"sign", "self: zeros_like(grad)"},
    {"silu", "self: silu_backward(grad, self)"},
    {"sin", "self: grad * cos(self)"},
    {"sinh", "self: grad * cosh(self)"},
    {"slice.Tensor",
     "self: slice_backward(grad, sizes(self), dim, given(start, 0), given(end, size(self, dim)), "
     "step)"},
    {"slice_scatter",
     "self: slice_scatter(grad, zeros_like(src), dim, start, end, step); src: slice.Tensor(grad, "
     "dim, start, end, step)"},
    {"smooth_l1_loss", "self: smooth_l1_loss_backward(grad, self, target, reduction, beta)"},
    {"softplus", "self: softplus_backward(grad, self, beta, threshold)"},
    {"sort", "self: scatter.src(new_zeros(grad, sizes(self)), dim, result1, grad)"},
    {"sort.stable", "self: scatter.src(new_zeros(grad, sizes(self)), dim, result1, grad)"},
    {"split.Tensor", "self: cat(filled(grads, result), dim)"},
    {"split_with_sizes", "self: cat(filled(grads, result), dim)"},
    {"sqrt", "self: grad / (2 * result)"},
    {"squeeze", "self: unsqueezed_to(grad, sizes(self))"},
    {"squeeze.dim", "self: unsqueezed_to(grad, sizes(self))"},
    {"squeeze.dims", "self: unsqueezed_to(grad, sizes(self))"},
    {"stack", "tensors: unbind.int(grad, dim)"},
    {"std.correction",
     "self: (((unreduced(grad, dim, keepdim, dim(self)) / (unreduced(result, dim, keepdim, "
     "dim(self)) * 2))) * 2.0) * (self - mean.dim(self, dim, true))"},
    {"sub.Scalar", "self: grad"},
    {"sub.Tensor", "self: grad; other: scaled(neg(grad), alpha)"},
    {"sum", "self: expand(grad, sizes(self))"},
    {"sum.dim_IntList", "self: expand(unreduced(grad, dim, keepdim, dim(self)), sizes(self))"},
    {"t", "self: t(grad)"},
    {"tan", "self: grad * (1 + pow.Tensor_Scalar(result, 2))"},
    {"tanh", "self: tanh_backward(grad, result)"},
    {"threshold", "self: threshold_backward(grad, self, threshold)"},
    {"threshold_", "self: threshold_backward(grad, result, threshold)"},
    {"topk", "self: scatter.src(new_zeros(grad, sizes(self)), dim, result1, grad)"},
    {"transpose.int", "self: transpose.int(grad, dim0, dim1)"},
    {"tril", "self: tril(grad, diagonal)"},
    {"triu", "self: triu(grad, diagonal)"},
    {"trunc", "self: zeros_like(grad)"},
    {"unbind.int", "self: stack(filled(grads, result), dim)"},
    {"unfold", "self: unfold_backward(grad, sizes(self), dimension, size, step)"},
    {"unsafe_split.Tensor", "self: cat(filled(grads, result), dim)"},
    {"unsafe_split_with_sizes", "self: cat(filled(grads, result), dim)"},
    {"unsqueeze", "self: squeeze.dim(grad, dim)"},
    {"upsample_bicubic2d",
     "self: upsample_bicubic2d_backward(grad, output_size, sizes(self), align_corners, scales_h, "
     "scales_w)"},
    {"upsample_bilinear2d",
     "self: upsample_bilinear2d_backward(grad, output_size, sizes(self), align_corners, scales_h, "
     "scales_w)"},
    {"upsample_linear1d",
     "self: upsample_linear1d_backward(grad, output_size, sizes(self), align_corners, scales)"},
    {"upsample_nearest1d",
     "self: upsample_nearest1d_backward(grad, output_size, sizes(self), scales)"},
    {"upsample_nearest2d",
     "self: upsample_nearest2d_backward(grad, output_size, sizes(self), scales_h, scales_w)"},
    {"upsample_nearest3d",
     "self: upsample_nearest3d_backward(grad, output_size, sizes(self), scales_d, scales_h, "
     "scales_w)"},
    {"var.correction",
     "self: (unreduced(grad, dim, keepdim, dim(self)) * 2.0) * (self - mean.dim(self, dim, true))"},
    {"var_mean.correction",
     "self: (unreduced(grad, dim, keepdim, dim(self)) * 2.0) * (self - mean.dim(self, dim, true))"},
    {"view", "self: reshape(grad, sizes(self))"},
    {"view_as", "self: grad"},
    {"view_as_complex", "self: view_as_real(grad)"},
    {"view_as_real", "self: view_as_complex(contiguous(grad))"},
    {"where.self",
     "self: where.ScalarOther(condition, grad, 0); other: where.ScalarSelf(condition, 0, grad)"},
    {"zero", "self: zeros_like(grad)"},
};
constexpr NameTable kDerivativeTable(kDerivatives);

}  // namespace

const DerivativeFormula* derivative_formula(const OpEntry& op) {
  if (!op.is_aten()) return nullptr;
  const std::string overload =
      op.schema.overload.empty() ? std::string() : "." + std::string(op.schema.overload);
  const DerivativeFormula* own = kDerivativeTable.find(std::string(op.packet()) + overload);
  return own != nullptr ? own : kDerivativeTable.find(std::string(op.base_name()) + overload);
}

std::span<const DerivativeFormula> derivative_formulas() { return kDerivativeTable.rows(); }

}  // namespace faketensor
