// What operators beyond products and convolutions compute, by name (work.h, Note [What is counted]).
// Operators of the pointwise family (families/pointwise.h) that are not here count one for each element; those that flops.h has a formula for
// only say what kind they are, products of matrices not even that.
#include "core/analysis/work.h"
#include "core/ops/name_table.h"

namespace faketensor {

namespace {

using K = WorkKind;

Dims sizes_of(const WorkCall& call, size_t at) {
  return at < call.args.size() && call.args[at].is_tensor() ? call.args[at].tensor().meta->sizes()
                                                            : Dims();
}

SymInt elements_of(const WorkCall& call, size_t at) {
  return at < call.args.size() && call.args[at].is_tensor() ? call.args[at].tensor().meta->numel()
                                                            : SymInt(0);
}

SymInt result_elements(const WorkCall& call) {
  const Value& first = call.result.is(Value::Tag::kList) ? call.result.values()[0] : call.result;
  return first.is_tensor() ? first.tensor().meta->numel() : SymInt(0);
}

// Each element of a matrix is multiplied once and added once.
SymInt matrix_at_0(const WorkCall& call) { return 2 * elements_of(call, 0); }
SymInt matrix_at_1(const WorkCall& call) { return 2 * elements_of(call, 1); }

// Rows of `self` times matrices of `mat2`, [k, n] or one for each group.
SymInt grouped_product(const WorkCall& call) {
  const Dims weight = sizes_of(call, 1);
  return weight.empty() ? SymInt(0) : 2 * elements_of(call, 0) * weight.back();
}

// As torch.utils.flop_counter counts the kernels of GPUs: two products for each head.
SymInt attention(const WorkCall& call) {
  const Dims query = sizes_of(call, 0);
  const Dims key = sizes_of(call, 1);
  const Dims value = sizes_of(call, 2);
  if (query.size() != 4 || key.size() != 4 || value.size() != 4) return 0;
  return 2 * query[0] * query[1] * query[2] * key[2] * (query[3] + value[3]);
}

// Each element of the result looks at a window of this size.
SymInt window(const WorkCall& call) {
  SymInt points = 1;
  const Dims kernel = call.args[1].ints();
  for (const SymInt size : kernel) points *= size;
  if (kernel.size() == 1) {  // the same for each dimension
    const bool is_plane = sizes_of(call, 0).size() >= 3;
    points = is_plane ? kernel[0] * kernel[0] : kernel[0];
  }
  return points * result_elements(call);
}

// Each index brings a row, which is added to its bag's sum.
SymInt bag(const WorkCall& call) {
  const Dims table = sizes_of(call, 0);
  return table.size() == 2 ? elements_of(call, 1) * table[1] : SymInt(0);
}

constexpr WorkRow kRows[] = {
    {"_adaptive_avg_pool2d", K::kPooling, 0, 1},
    {"_adaptive_avg_pool3d", K::kPooling, 0, 1},
    {"_addmm_activation", K::kMatrix, 2, 0, &matrix_at_1},
    {"_batch_norm_no_update", K::kNormalisation, 4},
    {"_batch_norm_with_update", K::kNormalisation, 7},
    {"_batch_norm_with_update_functional", K::kNormalisation, 7},
    {"_cdist_forward", K::kReduction, 0, 3},
    {"_conj", K::kNone},
    {"_convolution", K::kConvolution},
    {"_efficient_attention_backward", K::kAttention},
    {"_efficient_attention_forward", K::kAttention},
    {"_embedding_bag", K::kGather, 0, 0, &bag},
    {"_embedding_bag_forward_only", K::kGather, 0, 0, &bag},
    {"_euclidean_dist", K::kReduction, 0, 3},
    {"_flash_attention_backward", K::kAttention},
    {"_flash_attention_forward", K::kAttention},
    {"_fused_rms_norm", K::kNormalisation, 5},
    {"_grouped_mm", K::kMatrix, 0, 0, &grouped_product},
    {"_int_mm", K::kMatrix, 0, 0, &grouped_product},
    {"_local_scalar_dense", K::kCopy},
    {"_log_softmax", K::kNormalisation, 5},
    {"_log_softmax_backward_data", K::kNormalisation, 4},
    {"_native_batch_norm_legit", K::kNormalisation, 7},
    {"_native_batch_norm_legit_functional", K::kNormalisation, 7},
    {"_native_batch_norm_legit_no_training", K::kNormalisation, 4},
    {"_reshape_alias", K::kNone},
    {"_safe_softmax", K::kNormalisation, 5},
    {"_scaled_dot_product_cudnn_attention", K::kAttention},
    {"_scaled_dot_product_cudnn_attention_backward", K::kAttention},
    {"_scaled_dot_product_efficient_attention", K::kAttention},
    {"_scaled_dot_product_efficient_attention_backward", K::kAttention},
    {"_scaled_dot_product_flash_attention", K::kAttention},
    {"_scaled_dot_product_flash_attention_backward", K::kAttention},
    {"_scaled_dot_product_flash_attention_for_cpu", K::kAttention, 0, 0, &attention},
    {"_scaled_dot_product_fused_attention_overrideable", K::kAttention, 0, 0, &attention},
    {"_slow_conv2d_forward", K::kConvolution},
    {"_softmax", K::kNormalisation, 5},
    {"_softmax_backward_data", K::kNormalisation, 4},
    {"_to_copy", K::kCopy},
    {"_unsafe_index", K::kGather},
    {"_unsafe_index_put", K::kScatter},
    {"_upsample_bicubic2d_aa", K::kPooling, 35},
    {"_upsample_bilinear2d_aa", K::kPooling, 9},
    {"_weight_norm_interface", K::kNormalisation, 0, 4},
    {"adaptive_max_pool2d", K::kPooling, 0, 1},
    {"adaptive_max_pool3d", K::kPooling, 0, 1},
    {"add", K::kElementwise, 1},
    {"addcdiv", K::kElementwise, 3},
    {"addcmul", K::kElementwise, 3},
    {"addmv", K::kMatrix, 2, 0, &matrix_at_1},
    {"alias", K::kNone},
    {"all", K::kReduction},
    {"amax", K::kReduction, 0, 1},
    {"amin", K::kReduction, 0, 1},
    {"aminmax", K::kReduction, 0, 2},
    {"angle", K::kElementwise, 1},
    {"any", K::kReduction},
    {"arange", K::kFill},
    {"argmax", K::kReduction, 0, 1},
    {"argmin", K::kReduction, 0, 1},
    {"argsort", K::kSort},
    {"avg_pool2d", K::kPooling, 1, 0, &window},
    {"avg_pool3d", K::kPooling, 1, 0, &window},
    {"bernoulli", K::kFill},
    {"binary_cross_entropy", K::kReduction, 0, 7},
    {"binary_cross_entropy_with_logits", K::kReduction, 0, 9},
    {"bucketize", K::kGather},
    {"cat", K::kCopy},
    {"celu", K::kElementwise, 5},
    {"clamp", K::kElementwise, 2},
    {"clamp_max", K::kElementwise, 1},
    {"clamp_min", K::kElementwise, 1},
    {"clone", K::kCopy},
    {"constant_pad_nd", K::kCopy},
    {"convolution", K::kConvolution},
    {"convolution_backward", K::kConvolution},
    {"convolution_overrideable", K::kConvolution},
    {"copy", K::kCopy},
    {"cudnn_batch_norm", K::kNormalisation, 7},
    {"cudnn_convolution", K::kConvolution},
    {"cummax", K::kReduction, 0, 1},
    {"cummin", K::kReduction, 0, 1},
    {"cumprod", K::kReduction, 0, 1},
    {"cumsum", K::kReduction, 0, 1},
    {"detach", K::kNone},
    {"div", K::kElementwise, 1},
    {"dot", K::kMatrix, 0, 0, &matrix_at_0},
    {"elu", K::kElementwise, 4},
    {"embedding", K::kGather},
    {"embedding_dense_backward", K::kScatter, 0, 1},
    {"empty", K::kNone},
    {"empty_like", K::kNone},
    {"empty_permuted", K::kNone},
    {"empty_strided", K::kNone},
    {"expm1", K::kElementwise, 1},
    {"fill", K::kFill},
    {"flip", K::kCopy},
    {"floor_divide", K::kElementwise, 2},
    {"fmod", K::kElementwise, 3},
    {"full", K::kFill},
    {"full_like", K::kFill},
    {"gather", K::kGather},
    {"gelu", K::kElementwise, 5},
    {"gelu_backward", K::kElementwise, 12},
    {"glu", K::kElementwise, 5},
    {"grid_sampler_2d", K::kPooling, 9},
    {"grid_sampler_3d", K::kPooling, 21},
    {"hardsigmoid", K::kElementwise, 4},
    {"hardswish", K::kElementwise, 5},
    {"hardtanh", K::kElementwise, 2},
    {"histc", K::kReduction, 0, 1},
    {"huber_loss", K::kReduction, 0, 5},
    {"im2col", K::kCopy},
    {"index", K::kGather},
    {"index_add", K::kScatter, 1},
    {"index_copy", K::kScatter},
    {"index_fill", K::kScatter},
    {"index_put", K::kScatter},
    {"index_select", K::kGather},
    {"kthvalue", K::kSort},
    {"leaky_relu", K::kElementwise, 2},
    {"lerp", K::kElementwise, 3},
    {"lift", K::kNone},
    {"lift_fresh", K::kNone},
    {"lift_fresh_copy", K::kCopy},
    {"linalg_cross", K::kElementwise, 3},
    {"linalg_vector_norm", K::kReduction, 0, 2},
    {"log_sigmoid_forward", K::kElementwise, 5},
    {"logcumsumexp", K::kReduction, 0, 3},
    {"logit", K::kElementwise, 3},
    {"logsumexp", K::kReduction, 0, 3},
    {"masked_fill", K::kElementwise, 0},
    {"masked_scatter", K::kScatter},
    {"masked_select", K::kGather},
    {"max", K::kReduction, 0, 1},
    {"max_pool2d_with_indices", K::kPooling, 0, 0, &window},
    {"max_pool3d_with_indices", K::kPooling, 0, 0, &window},
    {"mean", K::kReduction, 1, 1},
    {"median", K::kSort},
    {"min", K::kReduction, 0, 1},
    {"mish", K::kElementwise, 5},
    {"mode", K::kSort},
    {"mse_loss", K::kReduction, 0, 3},
    {"mul", K::kElementwise, 1},
    {"multinomial", K::kSort},
    {"mv", K::kMatrix, 0, 0, &matrix_at_0},
    {"native_batch_norm", K::kNormalisation, 7},
    {"native_dropout", K::kElementwise, 2},
    {"native_group_norm", K::kNormalisation, 7},
    {"native_layer_norm", K::kNormalisation, 7},
    {"native_layer_norm_backward", K::kNormalisation, 0, 12},
    {"neg", K::kElementwise, 1},
    {"new_empty", K::kNone},
    {"new_empty_strided", K::kNone},
    {"new_full", K::kFill},
    {"new_ones", K::kFill},
    {"new_zeros", K::kFill},
    {"nll_loss2d_forward", K::kGather},
    {"nll_loss_forward", K::kGather},
    {"nonzero", K::kReduction},
    {"norm", K::kReduction, 0, 2},
    {"normal", K::kFill},
    {"ones", K::kFill},
    {"ones_like", K::kFill},
    {"pow", K::kElementwise, 1},
    {"prod", K::kReduction, 0, 1},
    {"rand", K::kFill},
    {"rand_like", K::kFill},
    {"randn", K::kFill},
    {"randn_like", K::kFill},
    {"reflection_pad1d", K::kCopy},
    {"reflection_pad2d", K::kCopy},
    {"relu", K::kElementwise, 1},
    {"remainder", K::kElementwise, 3},
    {"repeat", K::kCopy},
    {"replication_pad1d", K::kCopy},
    {"replication_pad2d", K::kCopy},
    {"resize", K::kNone},
    {"roll", K::kCopy},
    {"rsqrt", K::kElementwise, 2},
    {"rsub", K::kElementwise, 1},
    {"scatter", K::kScatter},
    {"scatter_add", K::kScatter, 1},
    {"scatter_reduce", K::kScatter, 1},
    {"searchsorted", K::kGather},
    {"select_copy", K::kCopy},
    {"select_scatter", K::kCopy},
    {"set", K::kNone},
    {"sigmoid", K::kElementwise, 4},
    {"sigmoid_backward", K::kElementwise, 3},
    {"silu", K::kElementwise, 5},
    {"silu_backward", K::kElementwise, 9},
    {"slice_scatter", K::kCopy},
    {"smooth_l1_loss", K::kReduction, 0, 5},
    {"soft_margin_loss", K::kReduction, 0, 5},
    {"softplus", K::kElementwise, 5},
    {"softshrink", K::kElementwise, 2},
    {"sort", K::kSort},
    {"stack", K::kCopy},
    {"std", K::kReduction, 0, 4},
    {"std_mean", K::kReduction, 0, 4},
    {"sub", K::kElementwise, 1},
    {"sum", K::kReduction, 0, 1},
    {"take", K::kGather},
    {"tanh_backward", K::kElementwise, 3},
    {"threshold", K::kElementwise, 1},
    {"topk", K::kSort},
    {"tril", K::kCopy},
    {"triu", K::kCopy},
    {"unique_dim", K::kSort},
    {"upsample_bicubic2d", K::kPooling, 35},
    {"upsample_bilinear2d", K::kPooling, 9},
    {"upsample_linear1d", K::kPooling, 3},
    {"upsample_nearest1d", K::kCopy},
    {"upsample_nearest2d", K::kCopy},
    {"upsample_nearest3d", K::kCopy},
    {"upsample_trilinear3d", K::kPooling, 21},
    {"var", K::kReduction, 0, 4},
    {"var_mean", K::kReduction, 0, 4},
    {"vdot", K::kMatrix, 0, 0, &matrix_at_0},
    {"where", K::kElementwise, 0},
    {"xlogy", K::kElementwise, 2},
    {"zero", K::kFill},
    {"zeros", K::kFill},
    {"zeros_like", K::kFill},
};
constexpr NameTable kWorkTable(kRows);

}  // namespace

std::span<const WorkRow> work_rows() { return kRows; }

const WorkRow* find_work_row(const OpEntry& op) {
  if (!op.is_aten()) return nullptr;
  std::string_view packet = op.packet();
  if (const WorkRow* row = kWorkTable.find(packet)) return row;
  if (!packet.ends_with('_')) return nullptr;
  packet.remove_suffix(1);
  return kWorkTable.find(packet);
}

}  // namespace faketensor
