#include "expect_call.h"

namespace faketensor {
namespace {

TEST(Decomposition, Answers) {
  const CallCase cases[] = {
      {"aten::linalg_eigh", {"f32[2,3,3]"}, "(f32[2, 3], f32[2, 3, 3] strides [9, 1, 3])"},
      {"aten::_linalg_eigh", {"f32[3,3]", "L", "false"}, "(f32[3], f32[0])"},
      {"aten::linalg_eigvalsh", {"c64[3,3]"}, "f32[3]"},
      {"aten::linalg_eig", {"f32[2,3,3]"}, "(c64[2, 3], c64[2, 3, 3] strides [9, 1, 3])"},
      {"aten::linalg_eigvals", {"f64[3,3]"}, "c128[3]"},
      {"aten::_linalg_eigvals", {"f32[3,3]"}, "c64[3]"},
      {"aten::linalg_det", {"f32[2,3,3]"}, "f32[2]"},
      {"aten::linalg_slogdet", {"c64[2,3,3]"}, "(c64[2], f32[2])"},
      {"aten::logdet", {"f32[3,3]"}, "f32[]"},
      {"aten::cholesky", {"f32[2,3,3]"}, "f32[2, 3, 3] strides [9, 1, 3]"},
      {"aten::cholesky", {"f32[0,3]"}, "f32[0, 3]"},
      {"aten::linalg_cholesky", {"f32[2,3,3]"}, "f32[2, 3, 3] strides [9, 1, 3]"},
      {"aten::linalg_cholesky_ex", {"f32[2,3,3]"}, "(f32[2, 3, 3] strides [9, 1, 3], i32[2])"},
      {"aten::linalg_inv", {"f32[2,3,3]"}, "f32[2, 3, 3] strides [9, 1, 3]"},
      {"aten::linalg_ldl_factor", {"f32[3,3]"}, "(f32[3, 3] strides [1, 3], i32[3])"},
      {"aten::linalg_ldl_factor_ex",
       {"f32[2,3,3]"},
       "(f32[2, 3, 3] strides [9, 1, 3], i32[2, 3], i32[2])"},
      {"aten::linalg_lu", {"f32[2,3,5]"}, "(f32[2, 3, 3], f32[2, 3, 3], f32[2, 3, 5])"},
      {"aten::linalg_lu", {"f32[3,5]", "pivot=false"}, "(f32[0], f32[3, 3], f32[3, 5])"},
      {"aten::linalg_lu_factor", {"f32[2,3,5]"}, "(f32[2, 3, 5] strides [15, 1, 3], i32[2, 3])"},
      {"aten::linalg_lu_factor_ex",
       {"f32[2,3,5]"},
       "(f32[2, 3, 5] strides [15, 1, 3], i32[2, 3], i32[2])"},
      {"aten::_lu_with_info", {"f32[3,3]"}, "(f32[3, 3] strides [1, 3], i32[3], i32[])"},
      {"aten::lu_unpack", {"f32[2,3,5]", "i32[2,3]"}, "(f32[2, 3, 3], f32[2, 3, 3], f32[2, 3, 5])"},
      {"aten::lu_unpack",
       {"f32[2,3,5]", "i32[2,3]", "false", "true"},
       "(f32[2, 3, 3], f32[0], f32[0])"},
      {"aten::linalg_qr",
       {"f32[2,5,3]"},
       "(f32[2, 5, 3] strides [15, 1, 5], f32[2, 3, 3] strides [9, 1, 3])"},
      {"aten::linalg_qr",
       {"f32[5,3]", "complete"},
       "(f32[5, 5] strides [1, 5], f32[5, 3] strides [1, 5])"},
      {"aten::linalg_qr", {"f32[5,3]", "r"}, "(f32[0], f32[3, 3] strides [1, 3])"},
      {"aten::qr", {"f32[5,3]", "false"}, "(f32[5, 5] strides [1, 5], f32[5, 3] strides [1, 5])"},
      {"aten::linalg_svd",
       {"f32[2,5,3]"},
       "(f32[2, 5, 5] strides [25, 1, 5], f32[2, 3], f32[2, 3, 3] strides [9, 1, 3])"},
      {"aten::_linalg_svd",
       {"f32[5,3]"},
       "(f32[5, 3] strides [1, 5], f32[3], f32[3, 3] strides [1, 3])"},
      {"aten::linalg_svd",
       {"c64[5,3]@cuda"},
       "(c64[5, 5] strides [1, 5] cuda:0, f32[3] cuda:0, c64[3, 3] cuda:0)"},
      {"aten::linalg_svdvals", {"f32[2,5,3]"}, "f32[2, 3]"},
      {"aten::svd", {"f32[5,3]"}, "(f32[5, 3] strides [1, 5], f32[3], f32[3, 3])"},
      {"aten::svd", {"f32[5,3]", "true", "false"}, "(f32[5, 5], f32[3], f32[3, 3] strides [1, 3])"},
      {"aten::linalg_householder_product",
       {"f32[2,5,3]", "f32[2,3]"},
       "f32[2, 5, 3] strides [15, 1, 5]"},
      {"aten::orgqr", {"f32[5,3]", "f32[2]"}, "f32[5, 3] strides [1, 5]"},
      {"aten::linalg_matrix_exp", {"f32[3,3]{1,3}"}, "f32[3, 3]"},
      {"aten::_linalg_check_errors", {"i32[]", "inv", "is_matrix=true"}, "None"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Decomposition, Refuses) {
  const CallCase cases[] = {
      {"aten::_linalg_eigh",
       {"f32[2,3,3]", "X"},
       "RuntimeError: Expected UPLO argument to be 'L' or 'U', but got X"},
      {"aten::_linalg_det",
       {"i64[3,3]"},
       "RuntimeError: linalg.det: Expected a floating point or complex tensor as input. Got "
       "torch.int64"},
      {"aten::_linalg_det",
       {"f32[3]"},
       "AssertionError: linalg.det: The input tensor must have at least 2 dimensions, got 1"},
      {"aten::_linalg_slogdet",
       {"f16[3,3]"},
       "RuntimeError: linalg.slogdet: Low precision dtypes not supported. Got torch.float16"},
      {"aten::logdet",
       {"f16[3,3]"},
       "RuntimeError: logdet: Low precision dtypes not supported. Got Half"},
      {"aten::logdet",
       {"f32[3]"},
       "RuntimeError: logdet: The input tensor A must have at least 2 dimensions."},
      {"aten::cholesky_inverse",
       {"f32[3,4]"},
       "RuntimeError: cholesky_inverse: A must be batches of square matrices, but they are 3 by 4 "
       "matrices"},
      {"aten::inverse",
       {"bf16[3,3]"},
       "RuntimeError: linalg.inv_ex: Low precision dtypes not supported. Got torch.bfloat16"},
      {"aten::linalg_inv_ex",
       {"f32[2,3]"},
       "RuntimeError: linalg.inv_ex: A must be batches of square matrices, but they are 2 by 3 "
       "matrices"},
      {"aten::linalg_lu",
       {"f32[3]"},
       "RuntimeError: linalg.lu: Expected tensor with 2 or more dimensions. Got size: "
       "torch.Size([3]) instead"},
      {"aten::lu_unpack",
       {"f32[2,3,5]", "i64[2,3]"},
       "RuntimeError: torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of "
       "torch.int32 dtype.\nNote: this function is intended to be used with the output produced by "
       "torch.linalg.lu_factor"},
      {"aten::linalg_qr",
       {"f32[5,3]", "R"},
       "RuntimeError: qr received unrecognized mode 'R' but expected one of 'reduced' (default), "
       "'r', or 'complete'"},
      {"aten::svd",
       {"f32[3]"},
       "RuntimeError: linalg.svd: input should have at least 2 dimensions, but has 1 dimensions "
       "instead"},
      {"aten::linalg_householder_product",
       {"f32[3,5]", "f32[3]"},
       "RuntimeError: torch.linalg.householder_product: input.shape[-2] must be greater than or "
       "equal to input.shape[-1]"},
      {"aten::matrix_exp",
       {"i64[3,3]"},
       "RuntimeError: linalg.matrix_exp: Expected a floating point or complex tensor as input. Got "
       "torch.int64"},
      {"aten::linalg_lstsq",
       {"f32[3,3]", "f32[3,1]"},
       "DynamicOutputShapeException: aten.linalg_lstsq.default"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(LinearSolve, Answers) {
  const CallCase cases[] = {
      {"aten::cholesky_solve", {"f32[4,3,2]", "f32[3,3]"}, "f32[4, 3, 2] strides [6, 1, 3]"},
      {"aten::_cholesky_solve_helper",
       {"f32[3,2]", "f32[3,3]", "false"},
       "f32[3, 2] strides [1, 3]"},
      {"aten::linalg_ldl_solve", {"f32[3,3]", "i32[3]", "f32[3,2]"}, "f32[3, 2] strides [1, 3]"},
      {"aten::linalg_lu_solve", {"f32[3,3]", "i32[3]", "f32[3,2]"}, "f32[3, 2] strides [1, 3]"},
      {"aten::linalg_lu_solve", {"c64[3,3]", "i32[3]", "c64[2,3]", "left=false"}, "c64[2, 3] conj"},
      {"aten::lu_solve", {"f32[3,2]", "f32[3,3]", "i32[3]"}, "f32[3, 2] strides [1, 3]"},
      {"aten::linalg_solve", {"f32[4,3,3]", "f32[4,3]"}, "f32[4, 3] strides [1, 4]"},
      {"aten::linalg_solve", {"f32[4,3,3]", "f32[3,2]"}, "f32[4, 3, 2] strides [6, 1, 3]"},
      {"aten::linalg_solve_ex", {"f32[3,3]", "f32[3,2]"}, "(f32[3, 2] strides [1, 3], i32[])"},
      {"aten::_linalg_solve_ex",
       {"f32[3,3]", "f32[2,3]", "left=false"},
       "(f32[2, 3], f32[3, 3] strides [1, 3], i32[3], i32[])"},
      {"aten::linalg_solve_triangular",
       {"f32[3,3]", "f32[4,3,2]", "upper=true"},
       "f32[4, 3, 2] strides [6, 1, 3]"},
      {"aten::triangular_solve",
       {"f32[4,3,2]", "f32[3,3]"},
       "(f32[4, 3, 2] strides [6, 1, 3], f32[4, 3, 3] strides [9, 1, 3])"},
      {"aten::ormqr", {"f32[5,3]", "f32[3]", "f32[5,2]"}, "f32[5, 2] strides [1, 5]"},
      {"aten::linalg_tensorinv", {"f32[4,6,8,3]"}, "f32[8, 3, 4, 6] strides [3, 1, 144, 24]"},
      {"aten::linalg_tensorsolve", {"f32[2,3,6]", "f32[2,3]"}, "f32[6]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(LinearSolve, Refuses) {
  const CallCase cases[] = {
      {"aten::cholesky_solve",
       {"f32[3,2]", "f32[4,4]"},
       "RuntimeError: Incompatible matrix sizes for cholesky_solve: each A matrix is 4 by 4 but "
       "each b matrix is 3 by 2"},
      {"aten::cholesky_solve",
       {"f32[3]", "f32[3,3]"},
       "RuntimeError: b should have at least 2 dimensions, but has 1 dimensions instead"},
      {"aten::linalg_ldl_solve",
       {"f32[3,3]", "f32[3]", "f32[3,2]"},
       "RuntimeError: torch.linalg.ldl_solve: Expected pivots to be integers. Got torch.float32"},
      {"aten::linalg_lu_solve",
       {"f32[3,3]", "i64[3]", "f32[3,2]"},
       "RuntimeError: linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32"},
      {"aten::linalg_solve",
       {"f32[3,3]", "f32[3]", "left=false"},
       "RuntimeError: linalg.solve: Incompatible shapes of A and B for the equation XA = B (3x3 "
       "and 3x1)"},
      {"aten::linalg_solve",
       {"f32[3,3]", "f64[3]"},
       "RuntimeError: linalg.solve: Expected A and B to have the same dtype, but found A of type "
       "torch.float32 and B of type torch.float64 instead"},
      {"aten::linalg_solve_triangular",
       {"f32[3,3]", "f32[4,2]", "upper=true"},
       "RuntimeError: linalg.solve_triangular: Incompatible shapes of A and B for the equation AX "
       "= B (3x3 and 4x2)"},
      {"aten::triangular_solve",
       {"f32[3]", "f32[3,3]"},
       "RuntimeError: torch.triangular_solve: Expected b to have at least 2 dimensions, but it has "
       "1 dimensions instead"},
      {"aten::ormqr",
       {"f32[5,3]", "f32[3]", "f32[4,2]"},
       "RuntimeError: torch.ormqr: other.shape[-2] must be equal to input.shape[-2]"},
      {"aten::linalg_tensorinv",
       {"f32[4,6]", "3"},
       "RuntimeError: ArrayRef: invalid slice, N = 3; size = 2"},
      {"aten::linalg_tensorinv",
       {"f32[4,6]", "0"},
       "RuntimeError: Expected a strictly positive integer for 'ind', but got 0"},
      {"aten::linalg_tensorsolve",
       {"f32[2,3,4]", "f32[2,3]"},
       "RuntimeError: Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
       "prod(self.shape[:other.ndim]), but got 4 != 6"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(MatrixNorm, Answers) {
  const CallCase cases[] = {
      {"aten::linalg_matrix_norm", {"f32[2,3,4]", "1"}, "f32[2]"},
      {"aten::linalg_matrix_norm", {"f32[2,3,4]", "2", "[0,1]", "true"}, "f32[1, 1, 4]"},
      {"aten::linalg_matrix_norm", {"f32[0,3]", "2"}, "f32[]"},
      {"aten::linalg_matrix_norm.str_ord", {"c64[2,3,4]"}, "f32[2]"},
      {"aten::linalg_matrix_norm.str_ord", {"f32[2,3,4]", "nuc", "[0,2]", "true"}, "f32[1, 3, 1]"},
      {"aten::linalg_norm", {"f32[3,4]"}, "f32[]"},
      {"aten::linalg_norm.ord_str", {"f32[3,4]", "fro"}, "f32[]"},
      {"aten::linalg_cond", {"f32[2,3,4]"}, "f32[2]"},
      {"aten::linalg_cond", {"f32[2,3,3]", "1"}, "f32[2]"},
      {"aten::linalg_cond.p_str", {"f32[2,3,3]", "fro"}, "f32[2]"},
      {"aten::linalg_matrix_rank", {"f32[2,3,4]", "0.1"}, "i64[2]"},
      {"aten::linalg_matrix_rank.tol_tensor", {"f32[2,3,4]", "f32[2]"}, "i64[2]"},
      {"aten::linalg_pinv", {"f32[2,3,4]", "0.1"}, "f32[2, 4, 3]"},
      {"aten::linalg_pinv.atol_rtol_tensor", {"f32[2,3,4]", "atol=f32[2]"}, "f32[2, 4, 3]"},
      {"aten::pinverse", {"f32[0,4]"}, "f32[4, 0]"},
      {"aten::renorm", {"f16[2,3]", "2", "0", "1"}, "f16[2, 3]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(MatrixNorm, Refuses) {
  const CallCase cases[] = {
      {"aten::linalg_matrix_norm",
       {"f32[3,4]", "3"},
       "RuntimeError: linalg.matrix_norm: Order 3 not supported."},
      {"aten::linalg_matrix_norm",
       {"f32[3,4]", "2", "[0]"},
       "RuntimeError: linalg.matrix_norm: dim must be a 2-tuple. Got 0"},
      {"aten::linalg_matrix_norm",
       {"f32[3,4]", "2", "[0,-2]"},
       "RuntimeError: linalg.matrix_norm: dims must be different. Got (0, 0)"},
      {"aten::linalg_matrix_norm",
       {"f16[3,4]", "2"},
       "RuntimeError: linalg.matrix_norm: Low precision dtypes not supported. Got Half"},
      {"aten::linalg_matrix_norm.str_ord",
       {"f32[3,4]", "one"},
       "RuntimeError: linalg.matrix_norm: Order one not supported."},
      {"aten::linalg_norm",
       {"f32[2,3,4]", "2"},
       "RuntimeError: linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. "
       "Got 3D."},
      {"aten::linalg_cond",
       {"f32[3,4]", "1.0"},
       "RuntimeError: linalg.cond(ord=1.000000): A must be batches of square matrices, but they "
       "are 3 by 4 matrices"},
      {"aten::linalg_cond.p_str",
       {"f32[3,3]", "two"},
       "RuntimeError: linalg.cond got an invalid norm type: two"},
      {"aten::linalg_matrix_rank",
       {"f32[3]", "0.1"},
       "RuntimeError: torch.linalg.matrix_rank: The input tensor input must have at least 2 "
       "dimensions."},
      {"aten::linalg_matrix_rank.atol_rtol_float",
       {"f16[3,4]"},
       "RuntimeError: This function doesn't handle types other than float and double"},
      {"aten::linalg_pinv",
       {"f16[3,4]", "0.1"},
       "RuntimeError: linalg.pinv(Half{[3, 4]}): expected a tensor with 2 or more dimensions of "
       "float, double, cfloat or cdouble types"},
      {"aten::linalg_pinv.rcond_tensor",
       {"f32[3,4]", "c64[]"},
       "RuntimeError: torch.linalg.pinv: rcond tensor of complex type is not supported. Got "
       "ComplexFloat"},
      {"aten::renorm",
       {"f32[2,3]", "0", "0", "1"},
       "RuntimeError: renorm: non-positive norm not supported"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(MatrixProduct, Answers) {
  const CallCase cases[] = {
      {"aten::linalg_multi_dot", {"[f32[2,3],f32[3,4],f32[4]]"}, "f32[2]"},
      {"aten::chain_matmul", {"[f32[2,3]]"}, "f32[2, 3]"},
      {"aten::linalg_matrix_power", {"f32[3,3]", "5"}, "f32[3, 3]"},
      {"aten::linalg_matrix_power", {"f32[3,3]", "-1"}, "f32[3, 3] strides [1, 3]"},
      {"aten::kron", {"f32[2,3]", "f32[4]"}, "f32[2, 12]"},
      {"aten::vdot", {"c64[3]", "c64[3]"}, "c64[]"},
      {"aten::linalg_vecdot", {"f32[2,3]", "f32[2,3]"}, "f32[2]"},
      {"aten::linalg_vander", {"f32[2,3]", "N=5"}, "f32[2, 3, 5]"},
      {"aten::addr", {"f32[2,3]", "f32[2]", "f32[3]"}, "f32[2, 3]"},
      {"aten::trace", {"i32[3,3]"}, "i64[]"},
      {"aten::_trilinear",
       {"f32[4,2]", "f32[5,2,3]", "f32[4,3]", "[1,3]", "[0]", "[1,2]", "[2,3]"},
       "f32[4, 5]"},
      {"aten::linalg_diagonal", {"f32[2,3]"}, "f32[2] strides [4]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(MatrixProduct, Refuses) {
  const CallCase cases[] = {
      {"aten::linalg_multi_dot",
       {"[f32[2,3]]"},
       "RuntimeError: multi_dot(): expected at least 2 tensors but got 1"},
      {"aten::linalg_multi_dot",
       {"[f32[2,3],f32[4,5]]"},
       "RuntimeError: multi_dot(): tensors 0 and 1 with shapes [2, 3] and [4, 5] cannot be "
       "multiplied"},
      {"aten::linalg_multi_dot",
       {"[f32[2,3],f64[3,5]]"},
       "RuntimeError: multi_dot(): all tensors must have be the same dtype but tensor 0 is float "
       "and tensor 1 double"},
      {"aten::chain_matmul",
       {"[f32[3]]"},
       "RuntimeError: Tensor dimension is 1, expected 2 instead."},
      {"aten::linalg_matrix_power",
       {"f32[3,4]", "2"},
       "RuntimeError: linalg.matrix_power: A must be batches of square matrices, but they are 3 by "
       "4 matrices"},
      {"aten::vdot",
       {"f32[3]", "f32[4]"},
       "RuntimeError: inconsistent tensor size, expected tensor [3] and src [4] to have thesame "
       "number of elements, but got 3 and 4 elements respectively"},
      {"aten::linalg_vecdot",
       {"i64[3]", "i64[3]"},
       "RuntimeError: linalg.vecdot: Expected a floating point or complex tensor as input. Got "
       "Long"},
      {"aten::linalg_vander", {"f32[3]", "N=1"}, "RuntimeError: N must be greater than 1."},
      {"aten::addr",
       {"i64[2,3]", "i64[2]", "i64[3]", "beta=0.5"},
       "RuntimeError: cannot safely convert <class 'float'> to torch.int64"},
      {"aten::trace", {"f32[3]"}, "RuntimeError: expected a matrix, but got tensor with dim 1"},
      {"aten::cov", {"f32[2,3]"}, "DataDependentOutputException: aten.equal.default"},
      {"aten::cov", {"b8[2,3]"}, "RuntimeError: cov(): bool dtype is not supported for input"},
      {"aten::corrcoef",
       {"f32[2,2,2]"},
       "RuntimeError: corrcoef(): expected input to have two or fewer dimensions but got an input "
       "with 3 dimensions"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

}  // namespace
}  // namespace faketensor
