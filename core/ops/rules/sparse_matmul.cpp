// Products with sparse matrices (Note [Two ways to a sparse answer]): real kernels run on matrices
// without elements.
#include "core/ops/families/kernel.h"
#include "core/ops/families/reduction.h"
#include "core/ops/families/sparse.h"
#include "core/ops/rules/sparse_tables.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/cpp_type_name.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_sparse_matmul {
namespace {

Tensor* csr_zeros(Call& c, SymInt rows, SymInt columns, DType dtype) {
  const SymInt sizes[] = {rows, columns};
  return new_sparse(c, Layout::kSparseCsr, {Dims(sizes), {.sparse_dim = 2}}, dtype, c.device());
}

Tensor* coo_zeros(Call& c, SymInt rows, SymInt columns, int64_t sparse_dim, DType dtype) {
  const SymInt sizes[] = {rows, columns};
  return new_sparse(c, Layout::kSparseCoo, empty_coo(Dims(sizes), sparse_dim, 2 - sparse_dim),
                    dtype, c.device());
}

void check_matrix(Call& c, const Tensor& tensor, std::string_view name) {
  c.check(tensor.dim() == 2, "{} must be a matrix, got {}-D tensor", name, tensor.dim());
}

// Mirrors sparse_sparse_matmul_cpu.
Tensor* coo_coo(Call& c, const Tensor& a, const Tensor& b) {
  constexpr std::string_view kExpected =
      "Expected {} == {} to be true, but got false.  (Could this error message be improved?  If "
      "so, "
      "please report an enhancement request to PyTorch.)";
  c.check(a.dim() == 2, kExpected, "mat1_.dim()", 2);
  c.check(b.dim() == 2, kExpected, "mat2_.dim()", 2);
  for (const Tensor* matrix : {&a, &b}) {
    c.check(sparse_of(*matrix).dense_dim == 0,
            "sparse_sparse_matmul_cpu: scalar values expected, got {}D values",
            sparse_of(*matrix).dense_dim);
  }
  c.check(a.size(1) == b.size(0), "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})",
          a.size(0), a.size(1), b.size(0), b.size(1));
  c.check(a.dtype() == b.dtype(), "mat1 dtype {} does not match mat2 dtype {}",
          info(a.dtype()).cpp_name, info(b.dtype()).cpp_name);
  const bool known =
      is_float_or_complex(a.dtype()) && itemsize(a.dtype()) >= 4 && a.dtype() != DType::kComplex32;
  c.check_as(ErrorKind::kNotImplementedError, known, "\"sparse_matmul\" not implemented for '{}'",
             info(a.dtype()).cpp_name);
  return coo_zeros(c, a.size(0), b.size(1), 2, a.dtype());
}

// A COO matrix and a dense one: what s_addmm_out_sparse_dense_cpu checks.
void check_coo_dense(Call& c, const Tensor& sparse, const Tensor& dense) {
  c.check(sparse_of(sparse).sparse_dim == 2, "addmm: matrices expected, got {}D tensor",
          sparse_of(sparse).sparse_dim);
  c.check(sparse_of(sparse).dense_dim == 0, "addmm: scalar values expected, got {}D values",
          sparse_of(sparse).dense_dim);
  c.check(dense.dim() == 2, "addmm: matrices expected, got {}D tensor", dense.dim());
  c.check(sparse.size(1) == dense.size(0),
          "addmm: Argument #3 (dense): Expected dim 0 size {}, got {}", sparse.size(1),
          dense.size(0));
}

// Where both are compressed the result is CSR, and cannot be of blocks.
Tensor* compressed_product(Call& c, const Tensor& a, const Tensor& b, DType dtype) {
  if (is_compressed(a) && is_compressed(b)) {
    if (is_block(a.layout()) || is_block(b.layout())) {
      const Layout layout = is_block(a.layout()) ? a.layout() : b.layout();
      empty_with_layout(c, layout, {}, dtype, c.device(), "zeros_sparse_compressed");
    }
    check_matrix(c, a, "mat1");
    check_matrix(c, b, "mat2");
    return csr_zeros(c, a.size(0), b.size(1), promote_types(a.dtype(), b.dtype()));
  }
  check_matrix(c, a, "mat1");
  check_matrix(c, b, "mat2");
  c.check(a.size(1) == b.size(0), "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})",
          a.size(0), a.size(1), b.size(0), b.size(1));
  return c.empty({a.size(0), b.size(1)}, dtype);
}

// Mirrors _sparse_mm: the dense result has the second matrix' options.
Tensor* sparse_mm(Call& c, const Tensor& a, const Tensor& b) {
  if (is_coo(a) && is_coo(b)) return coo_coo(c, a, b);
  if (first_compressed(c.args()) != nullptr) return compressed_product(c, a, b, b.dtype());
  const Tensor& sparse = is_coo(a) ? a : b;
  const Tensor& dense = is_coo(a) ? b : a;
  const SymInt rows = a.size(-2), columns = b.size(-1);
  if (is_coo(a)) {
    // The zeros that the product is added to are expanded to the first matrix' rows.
    c.check(
        guard_bool(rows == a.size(0)) || guard_bool(rows == 1),
        "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton "
        "dimension 0.  Target sizes: {}.  Tensor sizes: {}",
        a.size(0), rows, DimVector{a.size(0), columns}.span(), DimVector{rows, columns}.span());
  }
  check_coo_dense(c, sparse, dense);
  return c.empty({rows, columns}, dense.dtype());
}

Value mm(Call& c, const Tensor& a, const Tensor& b) {
  if (is_compressed(a) && b.layout() == Layout::kStrided)
    return compressed_product(c, a, b, a.dtype());
  return sparse_mm(c, a, b);
}

Value addmm(Call& c, const Tensor& self, const Tensor& a, const Tensor& b) {
  if (first_compressed(c.args()) != nullptr) {
    check_matrix(c, a, "mat1");
    check_matrix(c, b, "mat2");
    c.check(!is_bool(self.dtype()),
            "result type Long can't be cast to the desired output type Bool");
  } else {
    c.check(self.layout() == Layout::kStrided,
            "addmm_sparse_dense: expected strided result tensor, got tensor with layout {}",
            cpp_name(self.layout()));
    check_coo_dense(c, a, b);
  }
  const SymInt rows = a.size(0), columns = b.size(1);
  if (is_coo(self)) return coo_zeros(c, rows, columns, sparse_of(self).sparse_dim, self.dtype());
  if (is_compressed(self)) return csr_zeros(c, rows, columns, self.dtype());
  return c.empty({rows, columns}, self.dtype());
}

Value mv(Call& c, const Tensor& matrix, const Tensor& vector) {
  if (is_compressed(matrix)) {
    c.check(matrix.dim() == 2 && vector.dim() == 1,
            "vector + matrix @ vector expected, got {}, {}, {}", 1, matrix.dim(), vector.dim());
    c.check(matrix.dtype() == vector.dtype(),
            "addmv input tensors must have the same dtype, but got {}, {}, and {}",
            info(vector.dtype()).cpp_name, info(matrix.dtype()).cpp_name,
            info(vector.dtype()).cpp_name);
    c.check(matrix.layout() != Layout::kSparseBsc,
            "torch.addmv: operation not supported for mat with SparseBsc layout");
  } else {
    c.check(matrix.dim() == 2 && vector.dim() == 1,
            "mv: two tensor dim should be 2 and 1, but got SparseTensor Dim: {}Tensor Dim: {}",
            matrix.dim(), vector.dim());
    c.check(sparse_of(matrix).sparse_dim == 2, "addmm: matrices expected, got {}D tensor",
            sparse_of(matrix).sparse_dim);
  }
  return c.empty({matrix.size(0)}, vector.dtype());
}

// Mirrors bmm_sparse_cpu; compressed tensors meet the checks of the dense operator.
Value bmm(Call& c, const Tensor& a, const Tensor& b) {
  if (!is_coo(a)) return c.op().rule.function(c, c.op().rule.params);
  const SparseMeta& sparse = sparse_of(a);
  c.check(sparse.dense_dim == 0, "bmm_sparse: Tensor 'self' must have 0 dense dims, but has {}",
          sparse.dense_dim);
  c.check(sparse.sparse_dim == 3, "bmm_sparse: Tensor 'self' must have 3 sparse dims, but has {}",
          sparse.sparse_dim);
  c.check(b.dim() == 3, "bmm_sparse: Tensor 'mat2' must have 3 dims, but has {}", b.dim());
  return c.empty({a.size(0), a.size(1), b.size(2)}, b.dtype());
}

Value as_dense(Call& c) { return c.op().rule.function(c, c.op().rule.params); }

// The real kernel's words.
Value baddbmm(Call& c, const Tensor& self, const Tensor& a, const Tensor& b) {
  c.call<"aten::expand">(self, DimVector{a.size(0), a.size(1), b.size(2)}.span(), false);
  c.check(self.dtype() == a.dtype() && self.dtype() == b.dtype(),
          "Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}",
          cpp_type_name(self.dtype()), cpp_type_name(a.dtype()), cpp_type_name(b.dtype()));
  return as_dense(c);
}

// Batches that would be folded into rows have no strides to tell by.
Value matmul(Call& c, const Tensor& a, const Tensor& b) {
  const Tensor& larger = a.dim() >= b.dim() ? a : b;
  const Tensor& smaller = a.dim() >= b.dim() ? b : a;
  const bool folds = larger.dim() >= 3 && smaller.dim() <= 2;
  if (folds && is_compressed(larger)) throw_has_no(larger, "strides");
  if (folds && is_coo(larger)) return c.call<"aten::reshape">(larger, larger.sizes());
  return as_dense(c);
}

// Mirrors s_addmm_out_sparse... of sspaddmm: the result is resized only where there are elements.
void check_sspaddmm(Call& c, const Tensor& self, const Tensor& a, const Tensor& b) {
  if (!is_coo(a) && is_coo(self)) require_coo(c, a);
  c.check(b.layout() == Layout::kStrided,
          "sspaddmm: expected 'mat2' to have strided layout, got 'mat2' with layout {}",
          cpp_name(b.layout()));
  c.check(sparse_of(a).sparse_dim == 2, "sspaddmm: Argument #2: matrices expected, got {}D tensor",
          sparse_of(a).sparse_dim);
  c.check(sparse_of(a).dense_dim == 0,
          "sspaddmm: Argument #2: scalar values expected, got {}D values", sparse_of(a).dense_dim);
  c.check(b.dim() == 2, "sspaddmm: Argument #2: matrices expected, got {}D tensor", b.dim());
}

Value sspaddmm(Call& c, const Tensor& self, const Tensor& a, const Tensor& b) {
  c.check(first_sparse(c.args()) != nullptr,
          "tensor.sspaddmm(...) can only be called on sparse tensors");
  check_sspaddmm(c, self, a, b);
  require_data_type(c, a.dtype(), b);
  const SymInt sizes[] = {0};
  return new_sparse(c, Layout::kSparseCoo, empty_coo(Dims(sizes), 1, 0), self.dtype(), c.device());
}

// sspaddmm onto an empty tensor of one dimension, whose size is then found wrong.
Value smm(Call& c, const Tensor& self, const Tensor& mat2) {
  const SymInt sizes[] = {0};
  if (self.layout() == Layout::kStrided) throw_no_kernel(c.op(), "CPU");
  c.check(is_coo(self),
          "torch.empty: Only batched sparse compressed (non-block) tensors are supported, but got "
          "size {}",
          Dims(sizes));
  const Tensor* start = empty_with_layout(c, self.layout(), Dims(sizes), self.dtype(), c.device());
  check_sspaddmm(c, *start, self, mat2);
  c.fail(ErrorKind::kRuntimeError,
         format("sspaddmm: Argument #1: Expected dim 0 size {}, got {}", self.size(0), 0));
}

// Mirrors hspmm_out_sparse_cpu: rows are sparse, columns dense.
Value hspmm(Call& c, const Tensor& a, const Tensor& b) {
  require_coo(c, a);
  c.check(sparse_of(a).sparse_dim == 2, "hspmm: Argument #2: matrices expected, got {}D tensor",
          sparse_of(a).sparse_dim);
  c.check(sparse_of(a).dense_dim == 0, "hspmm: Argument #2: scalar values expected, got {}D values",
          sparse_of(a).dense_dim);
  c.check(b.dim() == 2, "hspmm: Argument #3: matrices expected, got {}D tensor", b.dim());
  return coo_zeros(c, a.size(0), b.size(1), 1, a.dtype());
}

// --- softmax and sums over dimensions ---

Value sparse_softmax(Call& c, const Tensor& self, int64_t dim, std::optional<DType> dtype) {
  const DType type = dtype.value_or(self.dtype());
  require_coo(c, self);
  wrap_dim(dim, self.dim());
  c.check_as(ErrorKind::kNotImplementedError, is_floating(type) && itemsize(type) >= 4,
             "\"softmax\" not implemented for '{}'", info(type).cpp_name);
  return sparse_zeros_like(c, self, type);
}

Value sparse_softmax_kernel(Call& c, const Tensor& self, int64_t dim) {
  return sparse_softmax(c, self, dim, std::nullopt);
}

Value softmax(Call& c, const Tensor& self, int64_t dim) {
  wrap_dim(dim, self.dim());
  if (is_coo(self)) refuse_sparse(c.op(), c.args());
  empty_with_layout(c, self.layout(), self.sizes(), self.dtype(), self.device());
  throw_has_no(self, "strides");
}

// Mirrors _sparse_sum: ATen/native/sparse/SparseTensorMath.cpp.
Value sparse_sum_all(Call& c, const Tensor& self) {
  c.check(is_coo(self), "coalesce expected sparse coordinate tensor layout but got {}",
          cpp_name(self.layout()));
  return c.call<"aten::sum">(self, nullptr);
}
Value sparse_sum_dtype(Call& c, const Tensor& self, DType dtype) {
  return sparse_sum_all(c, c.tensor<"aten::to.dtype">(self, dtype));
}
Value sparse_sum(Call& c, const Tensor& self, Dims dims) {
  dim_list_to_bitset(c, dims, self.dim());
  require_coo(c, self);
  if (dims.empty()) return sparse_zeros_like(c, self, self.dtype());
  return c.call<"aten::sum.dim_IntList">(self, dims, false, nullptr);
}
Value sparse_sum_dim_dtype(Call& c, const Tensor& self, Dims dims, DType dtype) {
  return sparse_sum(c, c.tensor<"aten::to.dtype">(self, dtype), dims);
}

// clang-format off
constexpr OpDef kOwnRules[] = {
    {"aten::_sparse_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", rule<&sparse_softmax_kernel>(), kAnyLayout | kByFallback | kRealDerivative},
    {"aten::_sparse_log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", rule<&sparse_softmax>(), kAnyLayout | kByComposite | kRealDerivative},
    {"aten::_sparse_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", rule<&sparse_softmax_kernel>(), kAnyLayout | kByFallback | kRealDerivative},
    {"aten::_sparse_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", rule<&sparse_softmax>(), kAnyLayout | kByComposite | kRealDerivative},
    {"aten::_sparse_sum(Tensor self) -> Tensor", rule<&sparse_sum_all>(), kComposite | kAnyLayout | kRealDerivative},
    {"aten::_sparse_sum.dim(Tensor self, int[1] dim) -> Tensor", rule<&sparse_sum>(), kAnyLayout | kByCompositeExplicit | kRealDerivative},
    {"aten::_sparse_sum.dim_dtype(Tensor self, int[1] dim, *, ScalarType dtype) -> Tensor", rule<&sparse_sum_dim_dtype>(), kComposite | kAnyLayout | kRealDerivative},
    {"aten::_sparse_sum.dtype(Tensor self, *, ScalarType dtype) -> Tensor", rule<&sparse_sum_dtype>(), kComposite | kAnyLayout | kRealDerivative},
    {"aten::hspmm(Tensor mat1, Tensor mat2) -> Tensor", rule<&hspmm>(), kAnyLayout | kByFallback},
    {"aten::smm(Tensor self, Tensor mat2) -> Tensor", rule<&smm>(), kAnyLayout | kByComposite},
    {"aten::sspaddmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", rule<&sspaddmm>(), kAnyLayout | kByComposite},
};

constexpr SparseDef kRows[] = {
    {"aten::_sparse_mm", rule<&sparse_mm>()},
    {"aten::addmm", rule<&addmm>()},
    {"aten::baddbmm", rule<&baddbmm>()},
    {"aten::bmm", rule<&bmm>()},
    {"aten::matmul", rule<&matmul>()},
    {"aten::mm", rule<&mm>()},
    {"aten::mv", rule<&mv>()},
    {"aten::softmax.int", rule<&softmax>()},
};
// clang-format on

}  // namespace
}  // namespace rules_of_sparse_matmul

std::span<const OpDef> sparse_matmul_rules() { return rules_of_sparse_matmul::kOwnRules; }
std::span<const SparseDef> sparse_matmul_rows() { return rules_of_sparse_matmul::kRows; }

}  // namespace faketensor
