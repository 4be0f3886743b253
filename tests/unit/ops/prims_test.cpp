// Prims: they check what references have made sure of, and neither promote nor broadcast.
#include "expect_call.h"

namespace faketensor {
namespace {

class PrimCall : public ::testing::TestWithParam<CallCase> {};
TEST_P(PrimCall, AnswersAsPyTorch) {
  expect_call(GetParam().op, GetParam().args, GetParam().answer);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Elementwise, PrimCall, ::testing::Values(
    CallCase{"prims::sin", {"i32[2,3]"}, "i32[2, 3]"},
    CallCase{"prims::abs", {"c64[2]"}, "f32[2]"},
    CallCase{"prims::eq", {"f32[2]", "f32[2]"}, "b8[2]"},
    CallCase{"prims::add", {"f32[2]", "f32[]"}, "f32[2]"},
    CallCase{"prims::add", {"f32[2]", "f64[2]"}, "RuntimeError: Tensor with dtype torch.float64 is not the expected dtype of torch.float32!"},
    CallCase{"prims::add", {"f32[2]", "f32[1]"}, "RuntimeError: Shape torch.Size([1]) is not the expected shape torch.Size([2])!"},
    CallCase{"prims::add", {"f32[2]", "f32[2]@cuda"}, "RuntimeError: Tensor on device cuda:0 is not on the expected device cpu!"},
    CallCase{"prims::real", {"f32[2]"}, "RuntimeError: Only complex dtype is supported"},
    CallCase{"prims::where", {"b8[2]", "f32[2]", "f32[2]"}, "f32[2]"}));

INSTANTIATE_TEST_SUITE_P(Shape, PrimCall, ::testing::Values(
    CallCase{"prims::broadcast_in_dim", {"f32[3,1]", "[2,3,4]", "[1,2]"}, "f32[2, 3, 4] strides [0, 1, 0]"},
    CallCase{"prims::broadcast_in_dim", {"f32[3]", "[2]", "[0]"}, "RuntimeError: 3 must be broadcastable to 2"},
    CallCase{"prims::collapse", {"f32[2,3,4]", "0", "1"}, "f32[6, 4]"},
    CallCase{"prims::collapse_view", {"f32[2,3,4]", "1", "2"}, "f32[2, 12]"},
    CallCase{"prims::collapse_view", {"f32[2,3]", "1", "0"}, "ValueError: Attempting to collapse but end, 0, is less than start, 1!"},
    CallCase{"prims::split_dim", {"f32[6]", "0", "2"}, "f32[2, 3]"},
    CallCase{"prims::split_dim", {"f32[6]", "0", "4"}, "ValueError: Attempting to split dimension of length 6, but outer length of 4 divides it with a remainder!"},
    CallCase{"prims::squeeze", {"f32[2,1]", "[0]"}, "AssertionError: Cannot squeeze dimension 0 with size 2 (must be 1)"},
    CallCase{"prims::transpose", {"f32[2,3]", "[1,1]"}, "ValueError: Received an invalid permutation, [1, 1]!"},
    CallCase{"prims::reshape", {"f32[2,3]", "[7]"}, "ValueError: Attempting to reshape a tensor with 6 elements to a shape with 7 elements!"},
    CallCase{"prims::cat", {"[f32[2,3], f32[4,3]]", "0"}, "f32[6, 3]"},
    CallCase{"prims::as_strided", {"f32[4]", "[2]", "[3]", "1"}, "ValueError: Can't view a storage of size 4 with an offset of 1, shape of [2], and strides of [3], which requires a storage of size 5"}));

INSTANTIATE_TEST_SUITE_P(Values, PrimCall, ::testing::Values(
    CallCase{"prims::convert_element_type", {"f32[2,3]", "int64"}, "i64[2, 3]"},
    CallCase{"prims::device_put", {"f32[2]", "cuda"}, "f32[2] cuda:0"},
    CallCase{"prims::sum", {"f32[2,3]", "[0]"}, "f32[3]"},
    CallCase{"prims::sum", {"f32[2,3]", "[2]"}, "AssertionError: idx 2 is out of bounds for rank 2"},
    CallCase{"prims::fft_r2c", {"f32[4,6]", "[1]", "True"}, "c64[4, 4]"},
    CallCase{"prims::fft_c2r", {"c64[4,4]", "[1]", "6"}, "f32[4, 6]"},
    CallCase{"prims::iota", {"5", "0", "1", "float32", "cpu", "False"}, "RuntimeError: prims.iota only supports integer dtypes"},
    CallCase{"prims::svd", {"i32[2,2]", "False"}, "RuntimeError: linalg.svd: Expected a floating point or complex tensor as input. Got torch.int32"},
    CallCase{"prims::maximum_value", {"float32"}, "RuntimeError: Cannot cast FakeTensor(..., size=()) to number"},
    CallCase{"prims::inductor_lookup_seed", {"i64[3]", "5"}, "IndexError: index 5 is out of bounds for dimension 0 with size 3"},
    CallCase{"prims::fma", {"f32[2,1]", "f32[3]", "f32[]"}, "f32[2, 3]"}));

INSTANTIATE_TEST_SUITE_P(Storage, PrimCall, ::testing::Values(
    CallCase{"aten::resize_", {"f32[2]", "[2,3]"}, "f32[2, 3]"},
    CallCase{"aten::resize_", {"f32[2]", "[2]", "preserve_format"}, "RuntimeError: Unsupported memory formatPreserve"},
    CallCase{"aten::resize_as", {"f32[2]", "f32[2,3,4,5]", "channels_last"}, "f32[2, 3, 4, 5] channels_last"},
    CallCase{"aten::set_", {"f32[2]"}, "f32[0]"},
    CallCase{"aten::set_.source_Tensor", {"f32[2]", "f32[3]"}, "f32[3]"},
    CallCase{"aten::set_.source_Tensor_storage_offset", {"f32[2]", "f32[3]", "1", "[2]", "[1]"}, "f32[2] offset 1"}));

INSTANTIATE_TEST_SUITE_P(Queries, PrimCall, ::testing::Values(
    CallCase{"aten::size.int", {"f32[]", "0"}, "IndexError: Dimension specified as 0 but tensor has no dimensions"},
    CallCase{"aten::stride", {"f32[2,3]"}, "[3, 1]"},
    CallCase{"aten::is_coalesced", {"f32[2]"}, "RuntimeError: is_coalesced expected sparse coordinate tensor layout but got Strided"},
    CallCase{"aten::result_type.Tensor", {"i32[2]", "f32[]"}, "6"},
    CallCase{"aten::can_cast", {"float32", "int32"}, "False"},
    CallCase{"aten::is_same_size", {"f32[2]", "f32[3]"}, "False"}));
// clang-format on

}  // namespace
}  // namespace faketensor
