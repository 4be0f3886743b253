#include "core/ops/rules/tables.h"

namespace faketensor {

std::span<const std::span<const OpDef>> rule_tables() {
  // clang-format off
  static const std::span<const OpDef> kTables[] = {
      activation_backward_rules(),
      activation_rules(),
      attention_rules(),
      comparison_rules(),
      convolution_rules(),
      copy_rules(),
      data_dependent_rules(),
      decomposition_rules(),
      einsum_rules(),
      embedding_rules(),
      factory_rules(),
      fft_rules(),
      image_rules(),
      indexing_rules(),
      join_rules(),
      library_rules(),
      linear_solve_rules(),
      loss_backward_rules(),
      loss_rules(),
      margin_loss_rules(),
      matmul_rules(),
      matrix_norm_rules(),
      matrix_product_rules(),
      norm_backward_rules(),
      norm_rules(),
      pad_rules(),
      pointwise_binary_rules(),
      pointwise_ternary_rules(),
      pointwise_unary_rules(),
      pool_backward_rules(),
      pool_rules(),
      prims_elementwise_rules(),
      prims_inductor_rules(),
      prims_rules(),
      prims_view_rules(),
      quantized_matmul_rules(),
      query_rules(),
      random_rules(),
      rearrange_rules(),
      reduction_rules(),
      rnn_rules(),
      scaled_matmul_rules(),
      scan_sort_rules(),
      scatter_gather_rules(),
      sliding_blocks_rules(),
      softmax_rules(),
      storage_rules(),
      symbolic_scalar_rules(),
      upsample_rules(),
      view_dtype_rules(),
      view_rules(),
      view_split_rules(),
      view_variant_rules(),
      weight_norm_rules(),
  };
  // clang-format on
  return kTables;
}

}  // namespace faketensor
