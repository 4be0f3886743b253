#include "expect_call.h"

namespace faketensor {
namespace {

TEST(Reduction, RemovesOrKeepsDimensions) {
  const CallCase cases[] = {
      {"aten::sum", {"i32[2,3]"}, "i64[]"},
      {"aten::sum.dim_IntList", {"bool[2,3]", "[1]"}, "i64[2]"},
      {"aten::sum.dim_IntList", {"f16[2,3,4]{1,2,6}", "[0,-1]", "True"}, "f16[1, 3, 1]"},
      {"aten::sum.dim_IntList", {"f32[2,3]", "[]"}, "f32[]"},
      {"aten::prod.dim_int", {"i8[2,3]", "0"}, "i64[3]"},
      {"aten::mean", {"f16[2,3]"}, "f16[]"},
      {"aten::mean.dim", {"f32[2,3]", "[1]", "dtype=float64"}, "f64[2]"},
      {"aten::nansum", {"f32[2,3]", "[0]"}, "f32[3]"},
      {"aten::nanmean", {"f32[2,3]", "[0]"}, "f32[3]"},
      {"aten::count_nonzero", {"f32[2,3]"}, "i64[]"},
      {"aten::any", {"u8[2,3]"}, "u8[]"},
      {"aten::any.dim", {"f32[2,3]", "1"}, "b8[2]"},
      {"aten::any.dims", {"f32[2,3]", "[]"}, "b8[2, 3]"},
      {"aten::all.dim", {"f32[2,3]", "1", "True"}, "b8[2, 1]"},
      {"aten::all.dims", {"f32[2,3]{1,2}", "[]"}, "b8[2, 3] strides [1, 2]"},
      {"aten::amax", {"f32[2,3]", "[1]"}, "f32[2]"},
      {"aten::aminmax", {"f32[2,3]", "dim=0"}, "(f32[3], f32[3])"},
      {"aten::max", {"i64[2,3]"}, "i64[]"},
      {"aten::max.dim", {"f32[2,3]", "1"}, "(f32[2], i64[2])"},
      {"aten::median", {"f32[2,3]"}, "f32[]"},
      {"aten::median.dim", {"f32[2,3]", "1", "True"}, "(f32[2, 1], i64[2, 1])"},
      {"aten::mode", {"f32[2,3]"}, "(f32[2], i64[2])"},
      {"aten::argmax", {"f32[2,3]"}, "i64[]"},
      {"aten::argmin", {"f32[2,3]", "0", "True"}, "i64[1, 3]"},
      {"aten::kthvalue", {"f32[2,3]", "2"}, "(f32[2], i64[2])"},
      {"aten::var", {"c64[2,3]"}, "f32[]"},
      {"aten::var.dim", {"f32[2,3]", "[0]", "False"}, "f32[3]"},
      {"aten::std.correction", {"f32[2,3]", "[0]", "correction=0"}, "f32[3]"},
      {"aten::var_mean.correction", {"f32[2,3]", "[0]"}, "(f32[3], f32[3])"},
      {"aten::std_mean.dim", {"f32[2,3]", "[0]"}, "(f32[3], f32[3])"},
      {"aten::linalg_vector_norm", {"c64[2,3]", "2"}, "f32[]"},
      {"aten::norm.ScalarOpt_dim", {"f32[2,3]", "2", "[0]"}, "f32[3]"},
      {"aten::norm.ScalarOpt_dtype", {"f16[2,3]", "2", "dtype=float32"}, "f32[]"},
      {"aten::frobenius_norm.dim", {"f32[2,3]", "[0]"}, "f32[3]"},
      {"aten::dist", {"f32[2,3]", "f32[3]"}, "f32[]"},
      {"aten::logsumexp", {"i64[2,3]", "[1]"}, "f32[2]"},
      {"aten::histc", {"f32[10]", "4"}, "f32[4]"},
      {"aten::sum_to_size", {"f32[2,3]", "[3]"}, "f32[3]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Reduction, NormsMayEndInEightBitFloats) {
  expect_call("aten::linalg_vector_norm", {"f32[5,2]", "2", "None", "True", "dtype=float8_e4m3fn"},
              "f8e4m3fn[1, 1]");
  expect_call(
      "aten::linalg_vector_norm", {"f8e4m3fn[5,2]", "2", "None", "True", "dtype=float32"},
      "RuntimeError: linalg.vector_norm: the dtype of the input (torch.float8_e4m3fn) should "
      "be convertible without narrowing to the specified dtype (torch.float32)");
}

TEST(Reduction, NormsOverOneElementTakeADimensionTwice) {
  expect_call("aten::linalg_vector_norm", {"f32[1,3]", "2", "[0,0]"}, "f32[3]");
  expect_call("aten::linalg_vector_norm", {"f32[2,3]", "2", "[0,0]"},
              "RuntimeError: duplicate value in the list of dims");
}

TEST(Reduction, Refuses) {
  const CallCase cases[] = {
      {"aten::mean",
       {"i64[2,3]"},
       "RuntimeError: mean(): could not infer output dtype. Input dtype must be either a floating "
       "point or complex dtype. Got: torch.int64"},
      {"aten::mean.dim",
       {"f32[2,3]", "[0]", "dtype=int64"},
       "RuntimeError: mean(): could not infer output dtype. Optional dtype must be either a "
       "floating point or complex dtype. Got: torch.int64"},
      {"aten::sum.dim_IntList",
       {"f32[2,3]", "[0,0]"},
       "RuntimeError: duplicate value in the list of dims"},
      {"aten::sum.dim_IntList",
       {"f32[2,3]", "[2]"},
       "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
      {"aten::amax",
       {"f32[0,3]", "[0]"},
       "RuntimeError: reducing over zero-size dimension for reduction operation without identity"},
      {"aten::argmax",
       {"f32[0]"},
       "RuntimeError: argmax: Expected reduction dim to be specified for input.numel() == 0."},
      {"aten::argmax",
       {"f32[0,3]", "0"},
       "IndexError: argmax: Expected reduction dim 0 to have non-zero size."},
      {"aten::kthvalue",
       {"f32[2,3]", "4"},
       "RuntimeError: kthvalue(): selected number k out of range for dimension 1"},
      {"aten::linalg_vector_norm",
       {"i64[2]"},
       "RuntimeError: linalg.vector_norm: Expected a floating point or complex tensor as input. "
       "Got torch.int64"},
      {"aten::linalg_vector_norm",
       {"f32[2]", "dtype=complex64"},
       "RuntimeError: linalg.vector_norm: dtype should be real for real inputs. Got "
       "torch.complex64"},
      {"aten::linalg_vector_norm",
       {"f32[0]", "-1"},
       "RuntimeError: linalg.vector_norm cannot compute the -1 norm on an empty tensor because the "
       "operation does not have an identity"},
      {"aten::histc",
       {"i64[10]"},
       "RuntimeError: \"histogram_cpu\" not implemented for 'torch.int64'"},
      {"aten::histc", {"f32[10]", "0"}, "RuntimeError: histc(): bins must be > 0, but got 0"},
      {"aten::nanmean",
       {"i64[2]"},
       "RuntimeError: nanmean(): expected input to have floating point or complex dtype but got "
       "Long"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Softmax, IsContiguous) {
  const CallCase cases[] = {
      {"aten::softmax.int", {"f32[2,3]{1,2}", "1"}, "f32[2, 3]"},
      {"aten::softmax.int", {"i64[2,3]", "1", "float32"}, "f32[2, 3]"},
      {"aten::log_softmax.int", {"f16[2,3]", "0"}, "f16[2, 3]"},
      {"aten::_softmax", {"f16[2,3]", "1", "True"}, "f32[2, 3]"},
      {"aten::_log_softmax",
       {"f32[2,3]", "1", "True"},
       "AssertionError: half_to_float is True but x.dtype is torch.float32, expected torch.half"},
      {"aten::_safe_softmax", {"f32[2,3]", "1"}, "f32[2, 3]"},
      {"aten::log_softmax.int",
       {"f32[2,3]", "2"},
       "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(ScanSort, Answers) {
  const CallCase cases[] = {
      {"aten::cumsum", {"i32[2,3]{1,2}", "1"}, "i64[2, 3]"},
      {"aten::cumprod", {"f32[2,3]", "0", "dtype=float64"}, "f64[2, 3]"},
      {"aten::cumsum_", {"f32[2,3]{1,2}", "1"}, "f32[2, 3] strides [1, 2]"},
      {"aten::cummax", {"f32[2,3]{1,2}", "1"}, "(f32[2, 3], i64[2, 3])"},
      {"aten::logcumsumexp", {"f32[2,3]", "1"}, "f32[2, 3]"},
      {"aten::diff", {"f32[2,5]"}, "f32[2, 4]"},
      {"aten::diff", {"bool[5]", "2"}, "b8[3]"},
      {"aten::diff", {"f32[2,5]", "1", "-1", "f32[2,1]"}, "f32[2, 5]"},
      {"aten::sort", {"f32[2,3]{1,2}"}, "(f32[2, 3] strides [1, 2], i64[2, 3] strides [1, 2])"},
      {"aten::argsort", {"f32[2,3]"}, "i64[2, 3]"},
      {"aten::msort", {"f32[2,3]"}, "f32[2, 3]"},
      {"aten::topk", {"f32[2,10]{1,2}", "3"}, "(f32[2, 3], i64[2, 3])"},
      {"aten::searchsorted.Tensor", {"f32[5]", "f32[2,3]"}, "i64[2, 3]"},
      {"aten::searchsorted.Scalar", {"f32[5]", "1", "out_int32=True"}, "i32[]"},
      {"aten::bucketize.Tensor", {"f32[2,3]{1,2}", "f32[5]"}, "i64[2, 3]"},
      {"aten::multinomial", {"f32[4,10]", "3"}, "i64[4, 3]"},
      {"aten::cdist", {"f32[2,5,3]", "f32[7,3]"}, "f32[2, 5, 7]"},
      {"aten::linalg_cross",
       {"f32[2,3]", "f32[3]"},
       "RuntimeError: linalg.cross: inputs must have the same number of dimensions."},
      {"aten::linalg_cross", {"f32[2,3]", "f32[1,3]"}, "f32[2, 3]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(ScanSort, Refuses) {
  const CallCase cases[] = {
      {"aten::cumsum",
       {"f32[2]", "1"},
       "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)"},
      {"aten::cumsum_",
       {"f32[2]", "0", "dtype=float64"},
       "RuntimeError: dtype argument and out dtype must match in reduction"},
      {"aten::diff", {"f32[]"}, "RuntimeError: diff expects input to be at least one-dimensional"},
      {"aten::diff",
       {"f32[2,3]", "1", "1", "f32[3,1]"},
       "RuntimeError: diff expects the shape of tensor to prepend or append to match that of input "
       "except along the differencing dimension; input.size(0) = 2, but got tensor.size(0) = 3"},
      {"aten::topk", {"f32[2]", "3"}, "RuntimeError: k not in range for dimension"},
      {"aten::searchsorted.Tensor",
       {"f32[2,5]", "f32[3,4]"},
       "RuntimeError: torch.searchsorted(): boundaries tensor should be 1 dimension or the first "
       "N-1 dimensions of boundaries tensor and input value tensor must match, but we got "
       "boundaries tensor [2, 5] and input value tensor [3, 4]"},
      {"aten::searchsorted.Tensor",
       {"f32[5]", "f32[2]", "right=True", "side=left"},
       "RuntimeError: torch.searchsorted(): side and right can't be set to opposites, got side of "
       "left while right was True"},
      {"aten::multinomial",
       {"f32[2,2,2]", "1"},
       "RuntimeError: The probability distributions dimensions must be 1 or 2, but got 3"},
      {"aten::cdist",
       {"f32[3]", "f32[2,3]"},
       "RuntimeError: cdist only supports at least 2D tensors, X1 got: 1D"},
      {"aten::linalg_cross",
       {"f32[2,4]", "f32[2,4]"},
       "RuntimeError: linalg.cross: inputs dimension -1 must have length 3. Got 4 and 4"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

}  // namespace
}  // namespace faketensor
