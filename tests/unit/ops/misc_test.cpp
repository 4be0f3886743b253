// Quantization, collectives, lists of tensors, operators that need data.
#include "expect_call.h"

namespace faketensor {
namespace {

class MiscCall : public ::testing::TestWithParam<CallCase> {};
TEST_P(MiscCall, AnswersAsPyTorch) {
  expect_call(GetParam().op, GetParam().args, GetParam().answer);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Quantization, MiscCall, ::testing::Values(
    CallCase{"quantized_decomposed::quantize_per_tensor", {"f16[2,3]", "0.5", "0", "-128", "127", "int8"}, "i8[2, 3]"},
    CallCase{"quantized_decomposed::quantize_per_tensor", {"f64[2]", "0.5", "0", "-128", "127", "int8"}, "AssertionError: Expecting input to have dtype torch.float32, but got dtype: torch.float64"},
    CallCase{"quantized_decomposed::dequantize_per_channel", {"i8[2,3]", "f32[2]", "i64[2]", "0", "-128", "127", "int8"}, "f32[2, 3]"},
    CallCase{"quantized_decomposed::quantize_per_token", {"f32[2,3]", "f32[2,1]", "i32[2,1]", "0", "300", "uint8"}, "AssertionError: quant_max out of bounds for dtype, quant_max_upper_bound: 255 quant_max: 300"},
    CallCase{"quantized_decomposed::dequantize_per_channel_group", {"i8[2,8]", "f32[2,2]", "i32[2,2]", "-8", "7", "int8", "4", "float16"}, "f16[2, 8]"},
    CallCase{"aten::quantize_per_tensor", {"f32[2]", "0.1", "0", "quint8"}, "f32[2]"}));

INSTANTIATE_TEST_SUITE_P(Collectives, MiscCall, ::testing::Values(
    CallCase{"_c10d_functional::all_gather_into_tensor", {"f32[2,3]", "4", "0"}, "f32[8, 3]"},
    CallCase{"_c10d_functional::reduce_scatter_tensor", {"f32[8,3]", "sum", "4", "0"}, "f32[2, 3]"},
    CallCase{"_c10d_functional::all_to_all_single", {"f32[8,3]", "[1,2]", "[8]", "0"}, "f32[3, 3]"},
    CallCase{"_c10d_functional::all_reduce", {"f32[2,3]{1,2}", "sum", "0"}, "f32[2, 3]"}));

INSTANTIATE_TEST_SUITE_P(Lists, MiscCall, ::testing::Values(
    CallCase{"aten::flatten_dense_tensors", {"[f32[2,3], f32[4]]"}, "f32[10]"},
    CallCase{"aten::_chunk_cat", {"[f32[5,2], f32[3,2]]", "0", "2"}, "f32[2, 10]"},
    CallCase{"aten::_chunk_cat", {"[f32[5,2]]", "0", "0"}, "RuntimeError: _chunk_cat expects positive num_chunks"},
    CallCase{"aten::_stack", {"[f32[2], f32[3]]", "0"}, "RuntimeError: stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1"},
    CallCase{"aten::segment_reduce", {"f32[5,2]", "sum"}, "RuntimeError: segment_reduce(): Either lengths or offsets must be defined."},
    CallCase{"aten::segment_reduce", {"f32[5,2]", "sum", "lengths=i64[3]"}, "f32[3, 2]"}));

INSTANTIATE_TEST_SUITE_P(Distances, MiscCall, ::testing::Values(
    CallCase{"aten::pdist", {"f32[4,3]"}, "f32[6]"},
    CallCase{"aten::pdist", {"f32[4]"}, "RuntimeError: pdist only supports 2D tensors, got: 1D"},
    CallCase{"aten::_euclidean_dist", {"f32[4,3]", "f32[5,3]"}, "f32[4, 5]"},
    CallCase{"aten::cross", {"f32[2]", "f32[2]"}, "RuntimeError: no dimension of size 3 in input"},
    CallCase{"aten::vander", {"i8[3]", "2"}, "i64[3, 2]"}));

INSTANTIATE_TEST_SUITE_P(SparseMembers, MiscCall, ::testing::Values(
    CallCase{"aten::_validate_sparse_csr_tensor_args", {"i64[3]", "i64[4]", "f32[4]", "[2,3]"}, "RuntimeError: `crow_indices[..., -1] == nnz` is not satisfied."},
    CallCase{"aten::_validate_sparse_csc_tensor_args", {"i64[3]", "i64[4]", "f32[4]", "[2,3]"}, "RuntimeError: ccol_indices.shape[-1] must be equal to the number of columns + 1 (=4), but got 3"},
    CallCase{"aten::_validate_sparse_bsr_tensor_args", {"i64[3]", "i64[4]", "f32[4,2,2]", "[5,6]"}, "RuntimeError: tensor shape[0] (=5) must be divisible with blocksize[0] (=2) as defined by values shape"},
    CallCase{"aten::sparse_csr_tensor.crow_col_value", {"i64[3]", "i64[]", "f32[4]"}, "RuntimeError: crow_indices and col_indices dimensionalities must be equal but got 1 and 0, respectively"},
    CallCase{"aten::sparse_coo_tensor.indices", {"i32[2,0]", "f32[0]"}, "RuntimeError: indices must be an int64 tensor"},
    CallCase{"aten::_spdiags", {"f32[2,3]", "i32[2]", "[3,3]"}, "RuntimeError: Offset Tensor must have dtype Long but got torch.int32"}));

INSTANTIATE_TEST_SUITE_P(Others, MiscCall, ::testing::Values(
    CallCase{"aten::_reshape_from_tensor", {"f32[2]", "f32[1]"}, "RuntimeError: expected scalar type Long but found Float"},
    CallCase{"aten::_rowwise_prune", {"f32[2]", "b8[2]", "int64"}, "RuntimeError: 'weights' should have 2 dimensions."},
    CallCase{"aten::_philox_key_split", {"f32[2]", "3"}, "RuntimeError: _philox_key_split: key must have dtype uint64, got torch.float32"},
    CallCase{"aten::hann_window", {"4", "int8"}, "i8[4]"},
    CallCase{"aten::hash_tensor", {"f32[2,3]", "[1]"}, "u64[2]"},
    CallCase{"aten::_cast_Long", {"f32[2]"}, "i64[2]"},
    CallCase{"inductor::_reinterpret_tensor", {"f32[6]", "[2,2]", "[3,1]", "1"}, "f32[2, 2] strides [3, 1] offset 1"}));
// clang-format on

}  // namespace
}  // namespace faketensor
