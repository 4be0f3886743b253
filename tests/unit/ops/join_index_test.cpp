#include "expect_call.h"

namespace faketensor {
namespace {

TEST(Join, PromotesAndKeepsTheCommonMemoryFormat) {
  const CallCase cases[] = {
      {"aten::cat", {"[f32[2,3],f64[1,3]]"}, "f64[3, 3]"},
      {"aten::cat", {"[f32[0],f32[2,3]]", "1"}, "f32[2, 3]"},
      {"aten::cat",
       {"[f32[1,2,3,4]{24,1,8,2},f32[1,2,3,4]{24,1,8,2}]", "1"},
       "f32[1, 4, 3, 4] channels_last"},
      {"aten::cat", {"[f32[1,2,3,4]{24,1,8,2},f32[1,2,3,4]]", "1"}, "f32[1, 4, 3, 4]"},
      {"aten::stack", {"[f32[2],f32[2]]", "1"}, "f32[2, 2]"},
      {"aten::hstack", {"[f32[2],f32[3]]"}, "f32[5]"},
      {"aten::vstack", {"[f32[2],f32[2]]"}, "f32[2, 2]"},
      {"aten::dstack", {"[f32[2],f32[2]]"}, "f32[1, 2, 2]"},
      {"aten::block_diag", {"[f32[2,3],f32[1,1]]"}, "f32[3, 4]"},
      {"aten::meshgrid.indexing",
       {"[f32[2],f32[3]]", "indexing=xy"},
       "(f32[3, 2] strides [0, 1], f32[3, 2] strides [1, 0])"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Rearrange, RepeatsAndTurns) {
  const CallCase cases[] = {
      {"aten::repeat", {"f32[2]", "[3,2]"}, "f32[3, 4]"},
      {"aten::tile", {"f32[2,3]", "[2]"}, "f32[2, 6]"},
      {"aten::repeat_interleave.self_int", {"f32[2,3]", "2", "1"}, "f32[2, 6]"},
      {"aten::repeat_interleave.self_int", {"f32[2,3]", "2", "1", "output_size=6"}, "f32[2, 6]"},
      {"aten::repeat_interleave.self_int",
       {"f32[2,3]", "2", "1", "output_size=5"},
       "RuntimeError: repeat_interleave: Invalid output_size, expected 6 but got 5"},
      {"aten::roll", {"f32[2,3]{1,2}", "[1]", "[0]"}, "f32[2, 3]"},
      {"aten::flip", {"f32[2,3]{1,2}", "[0]"}, "f32[2, 3] strides [1, 2]"},
      {"aten::rot90", {"f32[2,3]"}, "f32[3, 2] strides [1, 3]"},
      {"aten::tril", {"f32[2,3]{1,2}"}, "f32[2, 3]"},
      {"aten::diag_embed", {"f32[2,3]"}, "f32[2, 3, 3]"},
      {"aten::diag", {"f32[3,3]"}, "f32[3]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Pad, GrowsTheLastDimensions) {
  const CallCase cases[] = {
      {"aten::constant_pad_nd",
       {"f32[1,2,3,3]{18,1,6,2}", "[1,1]"},
       "f32[1, 2, 3, 5] channels_last"},
      {"aten::constant_pad_nd", {"f32[4]", "[-1,-1]"}, "f32[2]"},
      {"aten::pad", {"f32[1,3,4,4]", "[1,1,2,2]", "reflect"}, "f32[1, 3, 8, 6]"},
      {"aten::replication_pad1d", {"f32[2,3,4]", "[1,2]"}, "f32[2, 3, 7]"},
      {"aten::pad", {"f32[1,3,4]", "[1,1]", "circular"}, "f32[1, 3, 6]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Index, BroadcastsIndicesIntoTheirPlace) {
  const CallCase cases[] = {
      {"aten::index.Tensor", {"f32[2,3,4]", "[None,i64[5],i64[5]]"}, "f32[2, 5]"},
      {"aten::index.Tensor", {"f32[2,3,4]", "[i64[5],None,i64[6,1]]"}, "f32[6, 5, 3]"},
      {"aten::index.Tensor", {"f32[2,3]@cuda", "[i64[5]]"}, "f32[5, 3] cuda:0"},
      {"aten::index.Tensor", {"f32[2]", "[bool[2]]"}, "f32[u0]"},
      {"aten::index_select", {"f32[2,3]", "1", "i64[4]"}, "f32[2, 4]"},
      {"aten::index_put", {"f32[2,3]{1,2}", "[i64[4]]", "f32[]"}, "f32[2, 3] strides [1, 2]"},
      {"aten::index_add", {"f32[2,3]{1,2}", "0", "i64[4]", "f32[4,3]"}, "f32[2, 3]"},
      {"aten::index_copy_",
       {"f32[2,3]{1,2}", "0", "i64[4]", "f32[4,3]"},
       "f32[2, 3] strides [1, 2]"},
      {"aten::index_fill.int_Scalar",
       {"f32[2,3]{1,2}", "0", "i64[1]", "0"},
       "f32[2, 3] strides [1, 2]"},
      {"aten::gather", {"f32[2,3]", "1", "i64[2,5]"}, "f32[2, 5]"},
      {"aten::scatter.value", {"f32[2,3]{1,2}", "0", "i64[1,3]", "1"}, "f32[2, 3]"},
      {"aten::scatter_add_", {"f32[2,3]", "0", "i64[1,3]", "f32[1,3]"}, "f32[2, 3]"},
      {"aten::take", {"f32[2,3]", "i64[5]"}, "f32[5]"},
      {"aten::take_along_dim", {"f32[2,3]", "i64[2,1]", "1"}, "f32[2, 1]"},
      {"aten::one_hot", {"i64[2]", "3"}, "i64[2, 3]"},
      {"aten::slice_scatter",
       {"f32[2,3]{1,2}", "f32[1,3]", "0", "0", "1"},
       "f32[2, 3] strides [1, 2]"},
      {"aten::embedding", {"f16[10,3]", "i64[2,4]"}, "f16[2, 4, 3]"},
      {"aten::embedding_bag",
       {"f32[10,3]", "i64[4]", "i64[2]"},
       "(f32[2, 3], i64[0], i64[2], i64[2])"},
      {"aten::_embedding_bag",
       {"f32[10,3]@cuda", "i64[4]@cuda", "i64[2]@cuda"},
       "(f32[2, 3] cuda:0, i64[4] cuda:0, i64[2] cuda:0, i64[0] cuda:0)"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Index, Refuses) {
  const CallCase cases[] = {
      {"aten::cat", {"[]"}, "ValueError: cat expects at least one tensor, but received zero!"},
      {"aten::cat",
       {"[f32[2,3],f32[2,4]]"},
       "RuntimeError: Sizes of tensors must match except in dimension 0. Expected 3 in dimension 1 "
       "but got 4 for tensor number 1 in the list"},
      {"aten::index.Tensor",
       {"f32[2]", "[f32[2]]"},
       "RuntimeError: tensors used as indices must be long, int, byte or bool tensors"},
      {"aten::index_put",
       {"f32[2]@cuda", "[i64[1]@cuda]", "f32[1]"},
       "RuntimeError: Mismatching aten.index_put.default device between self (cuda:0) and values "
       "(cpu)"},
      {"aten::gather",
       {"f32[2,3]", "0", "i64[2]"},
       "RuntimeError: Index tensor must have the same number of dimensions as input tensor"},
      {"aten::scatter_reduce.two",
       {"f32[2]", "0", "i64[2]", "f32[2]", "x"},
       "RuntimeError: reduce argument must be either sum, prod, mean, amax or amin."},
      {"aten::embedding", {"f32[2]", "i64[2]"}, "AssertionError: 'weight' must be 2-D, got 1-D"},
      {"aten::reflection_pad1d",
       {"f32[1,2,2]", "[2,0]"},
       "RuntimeError: Argument #4: Padding size should be less than the corresponding input "
       "dimension, but got: padding (2, 0) at dimension 2 of input torch.Size([1, 2, 2])"},
      {"aten::repeat",
       {"f32[2]", "[-1]"},
       "RuntimeError: Repeats cannot be negative, found -1 at index 0"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

// Kernels of out= overloads that are others than the functional ones, and look at the source.
TEST(Scatter, OutOverloadsLookAtTheSource) {
  const CallCase cases[] = {
      {"aten::select_scatter.out", {"f32[2,3]", "f32[3]", "0", "1", "out=f32[0]"}, "f32[2, 3]"},
      {"aten::slice_scatter.out",
       {"i16[4,3]", "i16[2,3]", "0", "1", "3", "out=f32[0]"},
       "f32[4, 3]"},
      {"aten::slice_scatter.out",
       {"f32[4]", "f32[3]", "0", "0", "2", "out=f32[4]"},
       "RuntimeError: The expanded size of the tensor (2) must match the existing size (3) at "
       "non-singleton dimension 0.  Target sizes: [2].  Tensor sizes: [3]"},
      {"aten::diagonal_scatter.out",
       {"f32[2,3]", "f32[3]", "out=f32[0]"},
       "RuntimeError: expected src to have a size equal to the diagonal of the input.Got "
       "torch.Size([3]) for a diagonal of shape torch.Size([2])"},
      {"aten::index_select.out",
       {"f32[3]", "0", "f32[1]", "out=f32[0]"},
       "RuntimeError: tensors used as indices must be long, int, byte or bool tensors"},
      {"aten::index_reduce.out",
       {"f32[3]", "0", "i64[2]", "f32[3]", "prod", "out=f32[0]"},
       "RuntimeError: index_reduce_(): Number of indices (2) should be equal to source.size(dim): "
       "(3), for dim: 0"},
      {"aten::index_reduce.out",
       {"f32[3]", "0", "i64[2]", "f32[2]", "sum", "out=f32[0]"},
       "RuntimeError: index_reduce(): Expected reduce to be one of prod, mean, amax or amin but "
       "got sum."},
      {"aten::copy.out", {"f32[3]@cuda", "f32[3]", "out=f32[0]@cuda:1"}, "f32[3] cuda:1"},
      {"aten::quantile.out",
       {"f32[3]", "f32[]", "out=f64[]"},
       "RuntimeError: quantile() out tensor must be same dtype as the input tensor"},
      {"aten::split_copy.Tensor_out",
       {"f32[4]", "2", "out=[f32[2]]"},
       "RuntimeError: split_copy_Tensor_out() expected an out= argument of size 2, got size 1"},
      {"aten::softmax.int_out", {"f32[2]", "0", "out=f64[2]"}, "f64[2]"},
      {"aten::as_strided_scatter.out",
       {"f32[3]", "f32[2]", "[3]", "[1]", "out=f32[0]"},
       "RuntimeError: expected src to have a size equal to the slice of self. src size = "
       "torch.Size([2]), slice size = [3]"},
      {"aten::sort.values",
       {"f32[2,3]{1,2}", "values=f32[0]", "indices=i64[0]"},
       "(f32[2, 3] strides [1, 2], i64[2, 3] strides [1, 2])"},
      {"aten::nonzero.out",
       {"f32[2]", "out=i64[0]"},
       "DynamicOutputShapeException: aten.nonzero.out"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

}  // namespace
}  // namespace faketensor
