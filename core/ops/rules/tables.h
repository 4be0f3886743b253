// The tables of all families, in the order in which the registry numbers them.
#pragma once

#include <span>

#include "core/ops/op_def.h"

namespace faketensor {

std::span<const std::span<const OpDef>> rule_tables();

// One per file of this folder, alphabetical.
std::span<const OpDef> activation_backward_rules();
std::span<const OpDef> activation_rules();
std::span<const OpDef> attention_backward_rules();
std::span<const OpDef> attention_rules();
std::span<const OpDef> backward_rules();
std::span<const OpDef> collective_rules();
std::span<const OpDef> comparison_rules();
std::span<const OpDef> convolution_backward_rules();
std::span<const OpDef> convolution_kernel_rules();
std::span<const OpDef> convolution_rules();
std::span<const OpDef> copy_rules();
std::span<const OpDef> data_dependent_rules();
std::span<const OpDef> decomposition_rules();
std::span<const OpDef> distance_rules();
std::span<const OpDef> einsum_rules();
std::span<const OpDef> embedding_rules();
std::span<const OpDef> factory_rules();
std::span<const OpDef> fft_rules();
std::span<const OpDef> foreach_rules();
std::span<const OpDef> image_rules();
std::span<const OpDef> indexing_backward_rules();
std::span<const OpDef> indexing_rules();
std::span<const OpDef> inductor_rules();
std::span<const OpDef> integral_rules();
std::span<const OpDef> join_rules();
std::span<const OpDef> kernel_backward_rules();
std::span<const OpDef> kernel_conv_rules();
std::span<const OpDef> kernel_histogram_rules();
std::span<const OpDef> kernel_misc_rules();
std::span<const OpDef> kernel_quantize_rules();
std::span<const OpDef> library_rules();
std::span<const OpDef> linear_solve_rules();
std::span<const OpDef> loss_backward_rules();
std::span<const OpDef> loss_rules();
std::span<const OpDef> margin_loss_rules();
std::span<const OpDef> matmul_rules();
std::span<const OpDef> matrix_norm_rules();
std::span<const OpDef> matrix_product_rules();
std::span<const OpDef> needs_data_rules();
std::span<const OpDef> no_kernel_rules();
std::span<const OpDef> norm_backward_rules();
std::span<const OpDef> norm_rules();
std::span<const OpDef> pad_rules();
std::span<const OpDef> pointwise_binary_rules();
std::span<const OpDef> pointwise_ternary_rules();
std::span<const OpDef> pointwise_unary_rules();
std::span<const OpDef> pool_backward_rules();
std::span<const OpDef> pool_rules();
std::span<const OpDef> prims_elementwise_rules();
std::span<const OpDef> prims_inductor_rules();
std::span<const OpDef> prims_rules();
std::span<const OpDef> prims_view_rules();
std::span<const OpDef> quantized_decomposed_rules();
std::span<const OpDef> quantized_matmul_rules();
std::span<const OpDef> query_rules();
std::span<const OpDef> random_rules();
std::span<const OpDef> rearrange_rules();
std::span<const OpDef> reduction_rules();
std::span<const OpDef> rnn_rules();
std::span<const OpDef> scaled_matmul_rules();
std::span<const OpDef> scan_sort_rules();
std::span<const OpDef> scatter_gather_rules();
std::span<const OpDef> sliding_blocks_rules();
std::span<const OpDef> softmax_rules();
std::span<const OpDef> sparse_convert_rules();
std::span<const OpDef> sparse_factory_rules();
std::span<const OpDef> sparse_inplace_rules();
std::span<const OpDef> sparse_matmul_rules();
std::span<const OpDef> sparse_validate_rules();
std::span<const OpDef> sparse_view_rules();
std::span<const OpDef> spectrogram_rules();
std::span<const OpDef> storage_rules();
std::span<const OpDef> symbolic_scalar_rules();
std::span<const OpDef> tensor_list_rules();
std::span<const OpDef> upsample_rules();
std::span<const OpDef> view_dtype_rules();
std::span<const OpDef> view_rules();
std::span<const OpDef> view_split_rules();
std::span<const OpDef> view_variant_rules();
std::span<const OpDef> weight_norm_rules();

}  // namespace faketensor
