// Linear systems: solvers by each decomposition.
#include "core/ops/derived.h"
#include "core/ops/families/into.h"
#include "core/ops/families/linalg.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/symbolic/cpp_comparison.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_linear_solve {
namespace {

Tensor* matrices_on_side(Call& c, Dims sizes, DType dtype, bool left) {
  return left ? column_major(c, sizes, dtype) : c.empty(sizes, dtype);
}

// Mirrors linearSolveCheckInputs, torch/_meta_registrations.py. (It compares devices too, but all
// tensors are on the meta device there.)
void check_linear_solve(Call& c, const Tensor& b, const Tensor& a, std::string_view name) {
  c.check(b.dtype() == a.dtype(),
          "Expected b and A to have the same dtype, but found b of type {} and A of type {} "
          "instead.",
          b.dtype(), a.dtype());
  c.check(a.size(-1) == a.size(-2),
          "A must be batches of square matrices, but they are {} by {} matrices", a.size(-2),
          a.size(-1));
  const SymInt rows = b.size(-2);  // before what a message shows
  c.check(a.size(-1) == rows,
          "Incompatible matrix sizes for {}: each A matrix is {} by {} but each b matrix is {} by "
          "{}",
          name, a.size(-1), a.size(-1), rows, b.size(-1));
}

// Mirrors checkInputsSolver.
void check_solver(Call& c, const Tensor& a, const Tensor& b, bool left, std::string_view name) {
  check_square(c, a, name);
  check_is_matrix(c, b, name);
  const int64_t side = left ? -2 : -1;
  c.check(a.size(side) == b.size(side),
          "{}: Incompatible shapes of A and B for the equation {} ({}x{} and {}x{})", name,
          left ? "AX = B" : "XA = B", a.size(-2), a.size(-1), b.size(-2), b.size(-1));
}

// Mirrors cholesky_solve: b with the common batch, copied column by column.
Value cholesky_solve(Call& c, const Tensor& b, const Tensor& a) {
  c.check(b.dim() >= 2, "b should have at least 2 dimensions, but has {} dimensions instead",
          b.dim());
  c.check(a.dim() >= 2, "u should have at least 2 dimensions, but has {} dimensions instead",
          a.dim());
  check_linear_solve(c, b, a, "cholesky_solve");
  return column_major(c, with_common_batch(c, b, a), b.dtype());
}
Value cholesky_solve_helper(Call& c, const Tensor& b) {
  c.check(b.dim() >= 2,
          "tensor.mT is only supported on matrices or batches of matrices. Got {}-D tensor.",
          b.dim());
  return column_major(c, b.sizes(), b.dtype());
}

// Mirrors linalg_ldl_solve_meta.
Value linalg_ldl_solve(Call& c, const Tensor& ld, const Tensor& pivots, const Tensor& b) {
  constexpr std::string_view kName = "torch.linalg.ldl_solve";
  check_square(c, ld, kName);
  check_floating_or_complex(c, ld, kName);
  check_linear_solve(c, b, ld, kName);
  c.check(b.dim() >= 2,
          "{}: Expected B to have at least 2 dimensions, but it has {} dimensions instead", kName,
          b.dim());
  c.check(guard_equal(without_last(ld.sizes(), 1), pivots.sizes()),
          "{}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
          "torch.Size({}) instead",
          kName, pivots.sizes());
  c.check(is_integral(pivots.dtype()) || is_bool(pivots.dtype()),
          "{}: Expected pivots to be integers. Got {}", kName, pivots.dtype());
  return strided_column_major(c, with_common_batch(c, b, ld), b.dtype());
}

// Mirrors linalg_lu_solve_meta.
Value linalg_lu_solve(Call& c, const Tensor& lu, const Tensor& pivots, const Tensor& b, bool left) {
  check_floating_or_complex(c, lu, "torch.linalg.lu_solve");
  c.check(lu.dtype() == b.dtype(),
          "linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type {} and "
          "B of type {} instead",
          lu.dtype(), b.dtype());
  c.check(pivots.dtype() == DType::kInt32,
          "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32");
  check_square(c, lu, "torch.linalg.lu_solve");
  check_solver(c, lu, b, left, "linalg.lu_solve");
  c.check(lu.size(-1) == pivots.size(-1),
          "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the "
          "matrix");
  c.check(guard_equal(without_last(lu.sizes(), 1), pivots.sizes()),
          "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots "
          "with shape torch.Size({}) instead",
          pivots.sizes());
  const Tensor& result = *matrices_on_side(c, with_common_batch(c, b, lu), b.dtype(), left);
  const bool is_conjugated = guard_bool(result.numel() != 0) && !left;
  return is_conjugated ? c.call<"aten::conj">(result) : Value(result);
}
Value lu_solve(Call& c, const Tensor& self, const Tensor& data, const Tensor& pivots) {
  Tensor* out = output_of(c);
  if (out == nullptr) return c.call<"aten::linalg_lu_solve">(data, pivots, self);
  return c.call<"aten::linalg_lu_solve.out">(data, pivots, self, true, false, *out);
}

// b.unsqueeze(-1) below the dispatcher, where nothing is asked.
Tensor& as_column(Call& c, const Tensor& b) {
  const Geometry column = unsqueezed(b, b.dim());
  return *c.view(b, column.sizes, column.strides);
}

// Mirrors _linalg_solve_ex.
Value linalg_solve_ex_impl(Call& c, const Tensor& a, const Tensor& b, bool left) {
  check_floating_or_complex(c, a, "linalg.solve");
  c.check(a.dtype() == b.dtype(),
          "linalg.solve: Expected A and B to have the same dtype, but found A of type {} and B of "
          "type {} instead",
          a.dtype(), b.dtype());
  const bool is_vector = b.dim() == 1 || (a.dim() - 1 == b.dim() &&
                                          guard_equal(b.sizes(), without_last(a.sizes(), 1)));
  const Tensor& right = is_vector ? as_column(c, b) : b;
  check_solver(c, a, right, left, "linalg.solve");
  DimVector sizes = with_common_batch(c, right, a);
  c.check(left || !is_vector,
          "linalg.solve: Vector broadcasting of the left hand side is not supported for "
          "left=False. In this case linalg.solve is equivalent to B / A.squeeze(-1)");
  if (is_vector) sizes.pop_back();
  return c.tuple(
      {matrices_on_side(c, sizes, b.dtype(), left), column_major(c, a.sizes(), a.dtype()),
       c.empty(without_last(a.sizes(), 1), DType::kInt32), c.empty(batch_sizes(a), DType::kInt32)});
}
Value linalg_solve_ex(Call& c, const Tensor& a, const Tensor& b, bool left, bool check_errors) {
  if (output_of(c) != nullptr) {
    const Value lu = unwanted(c, b);
    const Value written =
        c.call<"aten::_linalg_solve_ex.result">(a, b, left, check_errors, nth_output(c, 0), lu,
                                                unwanted(c, b, DType::kInt32), nth_output(c, 1));
    return c.tuple({written[0], written[3]});
  }
  const Value all = c.call<"aten::_linalg_solve_ex">(a, b, left);
  return c.tuple({all[0], all[3]});
}
Value linalg_solve(Call& c, const Tensor& a, const Tensor& b, bool left) {
  if (Tensor* out = output_of(c)) {
    return c.call<"aten::linalg_solve_ex.out">(a, b, left, false, *out,
                                               unwanted(c, b, DType::kInt32))[0];
  }
  return c.call<"aten::_linalg_solve_ex">(a, b, left)[0];
}

// Mirrors linalg_solve_triangular_meta: the result is made of nothing and resized, its transpose
// where the coefficients can not be used as they lie.
Value linalg_solve_triangular(Call& c, const Tensor& a, const Tensor& b, bool, bool left) {
  check_solver(c, a, b, left, "linalg.solve_triangular");
  const DimVector sizes = with_common_batch(c, b, a);
  const Tensor& coefficients = c.tensor<"aten::expand">(a, with_common_batch(c, a, b));
  const bool is_usable =
      coefficients.is_conj() && c.tensor<"aten::mT">(coefficients).is_contiguous();
  Tensor* out = output_of(c);
  if (out == nullptr)
    return is_usable ? c.empty(sizes, a.dtype()) : column_major(c, sizes, a.dtype());
  resize_output(c.context(), *out, sizes,
                is_usable ? contiguous_strides(sizes) : column_major_strides(sizes));
  return *out;
}

// Mirrors triangular_solve_meta.
Value triangular_solve(Call& c, const Tensor& self, const Tensor& a) {
  c.check(self.dim() >= 2,
          "torch.triangular_solve: Expected b to have at least 2 dimensions, but it has {} "
          "dimensions instead",
          self.dim());
  c.check(a.dim() >= 2,
          "torch.triangular_solve: Expected A to have at least 2 dimensions, but it has {} "
          "dimensions instead",
          a.dim());
  check_linear_solve(c, self, a, "triangular_solve");
  const Value solution = strided_column_major(c, with_common_batch(c, self, a), self.dtype());
  return c.tuple({solution, strided_column_major(c, with_common_batch(c, a, self), a.dtype())});
}

void check_ormqr_batch(Call& c, const Tensor& input, std::string_view name, Dims batch) {
  c.check(guard_equal(batch, batch_sizes(input)),
          "torch.ormqr: Expected batch dimensions of {} to be equal to input.shape[:-2], but got "
          "torch.Size({})",
          name, batch);
}
void check_ormqr_dtype(Call& c, const Tensor& input, std::string_view name, const Tensor& given) {
  c.check(given.dtype() == input.dtype(),
          "torch.ormqr: Expected input and {} to have the same dtype, but input has dtype {} and "
          "{} has dtype {}",
          name, input.dtype(), name, given.dtype());
}
// Mirrors ormqr.
Value ormqr(Call& c, const Tensor& input, const Tensor& tau, const Tensor& other, bool left) {
  c.check(input.dim() >= 2, "torch.ormqr: input must have at least 2 dimensions.");
  c.check(other.dim() >= 2, "torch.ormqr: other must have at least 2 dimensions.");
  const int64_t side = left ? -2 : -1;
  c.check(other.size(side) >= tau.size(-1),
          "torch.ormqr: other.shape[{}] must be greater than or equal to tau.shape[-1]", side);
  c.check(other.size(side) == input.size(-2),
          "torch.ormqr: other.shape[{}] must be equal to input.shape[-2]", side);
  c.check(tau.size(-1) <= input.size(-1),
          "torch.ormqr: tau.shape[-1] must be less than or equal to input.shape[-1]");
  c.check(input.dim() - tau.dim() == 1,
          "torch.ormqr: Expected tau to have one dimension less than input, but got tau.ndim equal "
          "to {} and input.ndim is equal to {}",
          tau.dim(), input.dim());
  c.check(input.dim() == other.dim(),
          "torch.ormqr: Expected other to have the same number of dimensions as input, but got "
          "other.ndim equal to {} and input.ndim is equal to {}",
          other.dim(), input.dim());
  check_ormqr_batch(c, input, "tau", without_last(tau.sizes(), 1));
  check_ormqr_batch(c, input, "other", batch_sizes(other));
  check_ormqr_dtype(c, input, "tau", tau);
  check_ormqr_dtype(c, input, "other", other);
  return strided_column_major(c, other.sizes(), other.dtype());
}

// --- systems of more dimensions: aten/src/ATen/native/LinearAlgebra.cpp ---

// Mirrors linalg_tensorinv.
Value linalg_tensorinv(Call& c, const Tensor& self, int64_t ind) {
  if (const Tensor* out = output_of(c)) check_output(c, *out, self, self.dtype(), "tensorinv");
  c.check(ind > 0, "Expected a strictly positive integer for 'ind', but got {}", ind);
  c.check(ind <= self.dim(), "ArrayRef: invalid slice, N = {}; size = {}", ind, self.dim());
  const Dims first = self.sizes().first(static_cast<size_t>(ind));
  const Dims rest = self.sizes().subspan(static_cast<size_t>(ind));
  const SymInt rows = numel(rest);
  c.check(cpp_eq(rows, numel(first)),
          "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
          "prod(self.shape[:ind]), but got {} != {}",
          rows, numel(first));
  const Value flat = c.call<"aten::reshape">(self, DimVector{rows, rows});
  DimVector sizes(rest);
  sizes.append(first);
  return copy_into(c, c.call<"aten::reshape">(c.call<"aten::linalg_inv_ex">(flat)[0], sizes));
}

// Mirrors linalg_tensorsolve.
Value linalg_tensorsolve(Call& c, const Tensor& self, const Tensor& other, const Value& dims) {
  if (const Tensor* out = output_of(c)) check_output(c, *out, self, self.dtype(), "tensorsolve");
  const int64_t rank = self.dim();
  Value a = self;
  if (!dims.is_none()) {
    const auto count = static_cast<int64_t>(dims.size());
    DimVector last;
    for (int64_t i = 0; i < count; ++i) last.push_back(rank - count + i);
    a = c.call<"aten::movedim.intlist">(self, dims, last);
  }
  c.check_as(ErrorKind::kValueError, rank >= other.dim(),
             "cannot create std::vector larger than max_size()");
  const DimVector sizes(a.tensor().sizes().subspan(static_cast<size_t>(other.dim())));
  const SymInt rows = numel(sizes);
  c.check(cpp_eq(rows, other.numel()),
          "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
          "prod(self.shape[:other.ndim]), but got {} != {}",
          rows, other.numel());
  const Value flat = c.call<"aten::reshape">(a, DimVector{rows, rows});
  const Value x = c.call<"aten::linalg_solve">(flat, c.call<"aten::flatten.using_ints">(other));
  return copy_into(c, c.call<"aten::reshape">(x, sizes));
}

// clang-format off
constexpr OpDef kLinearSolveRules[] = {
    {"aten::_cholesky_solve_helper(Tensor self, Tensor A, bool upper) -> Tensor", rule<&cholesky_solve_helper>()},
    {"aten::_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor LU, Tensor pivots, Tensor info)", rule<&linalg_solve_ex_impl>(), 0, derivative<Derivative{.differentiable_results = 0b1}>},
    {"aten::cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor", rule<&cholesky_solve>()},
    {"aten::linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor", rule<&linalg_ldl_solve>()},
    {"aten::linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor", rule<&linalg_lu_solve>(), 0, derivative<Derivative{.without_formula = "pivots"}>},
    {"aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor", rule<&linalg_solve>(), kComposite},
    {"aten::linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor info)", rule<&linalg_solve_ex>(), kComposite},
    {"aten::linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor", rule<&linalg_solve_triangular>()},
    {"aten::linalg_tensorinv(Tensor self, int ind=2) -> Tensor", rule<&linalg_tensorinv>(), kComposite},
    {"aten::linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor", rule<&linalg_tensorsolve>(), kComposite},
    {"aten::lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor", rule<&lu_solve>(), kComposite},
    {"aten::ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor", rule<&ormqr>()},
    {"aten::triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)", rule<&triangular_solve>()},
};
// clang-format on
}  // namespace
}  // namespace rules_of_linear_solve

std::span<const OpDef> linear_solve_rules() { return rules_of_linear_solve::kLinearSolveRules; }

}  // namespace faketensor
