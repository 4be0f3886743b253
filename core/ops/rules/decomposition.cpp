// Decompositions of matrices: LU, QR, Cholesky, LDL, eigenvalues, singular values, determinants,
// inverses, and the operators composed of them.
#include "core/ops/derived.h"
#include "core/ops/families/into.h"
#include "core/ops/families/linalg.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_decomposition {
namespace {

Tensor* info_of(Call& c, const Tensor& a) { return c.empty(batch_sizes(a), DType::kInt32); }
Tensor* pivots_of(Call& c, const Tensor& a) {
  return c.empty(without_last(a.sizes(), 1), DType::kInt32);
}
Tensor* nothing(Call& c, const Tensor& a) { return c.empty({0}, a.dtype()); }

// The batch of `a` with matrices of other sides.
DimVector matrices(const Tensor& a, SymInt rows, SymInt columns) {
  DimVector sizes(batch_sizes(a));
  sizes.push_back(rows);
  sizes.push_back(columns);
  return sizes;
}

Value element(const Value& tuple, size_t i) { return tuple[i]; }

bool writes(const Call& c) { return output_of(c) != nullptr; }
Tensor& unwanted_int(Call& c, const Tensor& a) { return unwanted(c, a, DType::kInt32); }

// --- eigenvalues ---

// Mirrors meta__linalg_eigh, torch/_meta_registrations.py.
Value linalg_eigh_impl(Call& c, const Tensor& a, std::string_view uplo, bool compute_v) {
  check_square(c, a, "linalg.eigh");
  c.check(uplo == "U" || uplo == "L" || uplo == "u" || uplo == "l",
          "Expected UPLO argument to be 'L' or 'U', but got {}", uplo);
  Tensor* vectors = compute_v ? column_major(c, a.sizes(), a.dtype()) : nothing(c, a);
  return c.tuple({c.empty(without_last(a.sizes(), 1), to_real(a.dtype())), vectors});
}
Value linalg_eigh(Call& c, const Tensor& self, std::string_view uplo) {
  if (writes(c)) {
    return c.call<"aten::_linalg_eigh.eigenvalues">(self, uplo, true, nth_output(c, 0),
                                                    nth_output(c, 1));
  }
  return c.call<"aten::_linalg_eigh">(self, uplo, true);
}
Value linalg_eigvalsh(Call& c, const Tensor& self, std::string_view uplo) {
  if (writes(c)) {
    return c.call<"aten::_linalg_eigh.eigenvalues">(self, uplo, false, nth_output(c, 0),
                                                    unwanted(c, self))[0];
  }
  return element(c.call<"aten::_linalg_eigh">(self, uplo, true), 0);
}

// Mirrors meta__linalg_eigvals.
Tensor* linalg_eigvals_impl(Call& c, const Tensor& self) {
  check_square(c, self, "linalg.eigvals");
  return c.empty(without_last(self.sizes(), 1), to_complex(self.dtype()));
}
// Mirrors meta_linalg_eig: CUDA gives the vectors row by row.
Value linalg_eig(Call& c, const Tensor& self) {
  check_square(c, self, "linalg.eig");
  const DType dtype = to_complex(self.dtype());
  Tensor* values = c.empty(without_last(self.sizes(), 1), dtype);
  return c.tuple({values, self.device().is_cuda() ? c.empty(self.sizes(), dtype)
                                                  : column_major(c, self.sizes(), dtype)});
}
// Mirrors linalg_eigvals, aten/src/ATen/native/BatchLinearAlgebra.cpp, which takes fake tensors for
// ones that autograd may ask for a gradient.
Value linalg_eigvals(Call& c, const Tensor& self) {
  return element(c.call<"aten::linalg_eig">(self), 0);
}

// --- determinants ---

// Mirrors _linalg_det_meta.
Value linalg_det_impl(Call& c, const Tensor& a) {
  check_square(c, a, "linalg.det");
  check_floating_or_complex(c, a, "linalg.det");
  return c.tuple(
      {c.empty(batch_sizes(a), a.dtype()), column_major(c, a.sizes(), a.dtype()), pivots_of(c, a)});
}
Value linalg_det(Call& c, const Tensor& a) {
  if (writes(c)) {
    const Value lu = unwanted(c, a);
    return c.call<"aten::_linalg_det.result">(a, nth_output(c, 0), lu, unwanted_int(c, a))[0];
  }
  return element(c.call<"aten::_linalg_det">(a), 0);
}

// Mirrors _linalg_slogdet.
Value linalg_slogdet_impl(Call& c, const Tensor& a) {
  check_square(c, a, "linalg.slogdet");
  check_floating_or_complex(c, a, "linalg.slogdet", Precision::kNotLow);
  return c.tuple({c.empty(batch_sizes(a), a.dtype()), c.empty(batch_sizes(a), to_real(a.dtype())),
                  column_major(c, a.sizes(), a.dtype()), pivots_of(c, a)});
}
Value linalg_slogdet(Call& c, const Tensor& a) {
  if (writes(c)) {
    const Value lu = unwanted(c, a);
    const Value both = c.call<"aten::_linalg_slogdet.sign">(a, nth_output(c, 0), nth_output(c, 1),
                                                            lu, unwanted_int(c, a));
    return c.tuple({both[0], both[1]});
  }
  const Value all = c.call<"aten::_linalg_slogdet">(a);
  return c.tuple({all[0], all[1]});
}
// Mirrors logdet, aten/src/ATen/native/LinearAlgebra.cpp.
Value logdet(Call& c, const Tensor& self) {
  check_square_in_aten(c, self, "logdet");
  check_floating_or_complex_in_aten(c, self, "logdet", Precision::kNotLow);
  const Value both = c.call<"aten::linalg_slogdet">(self);
  if (is_complex(self.dtype()))
    return c.call<"aten::add.Tensor">(c.call<"aten::log">(both[0]), both[1]);
  const Value is_negative = c.call<"aten::eq.Scalar">(both[0], -1.0);
  return c.call<"aten::where.ScalarSelf">(is_negative, 0.0, both[1]);
}

// --- Cholesky, LDL, inverses ---

// A column-major copy, made of a transposed one (cloneBatchedColumnMajor).
Value column_major_clone(Call& c, const Tensor& self) {
  return c.call<"aten::mT">(
      c.call<"aten::clone">(c.call<"aten::mT">(self), MemoryFormat::kContiguous));
}
// Mirrors cholesky, torch/_meta_registrations.py.
Value cholesky(Call& c, const Tensor& self) {
  if (guard_bool(self.numel() == 0)) return c.empty(self.sizes(), self.dtype());
  check_square(c, self, "cholesky");
  return column_major_clone(c, self);
}
// Mirrors cholesky_inverse.
Value cholesky_inverse(Call& c, const Tensor& self) {
  check_square(c, self, "cholesky_inverse");
  return column_major_clone(c, self);
}
// Mirrors linalg_cholesky_ex.
Value linalg_cholesky_ex(Call& c, const Tensor& self, bool upper) {
  if (c.op().output_count != 0) {
    check_is_matrix(c, self, "linalg.cholesky");
    return write_structured(c, [&] { return c.call<"aten::linalg_cholesky_ex">(self, upper); });
  }
  check_square(c, self, "linalg.cholesky");
  check_floating_or_complex(c, self, "linalg.cholesky");
  return c.tuple({column_major(c, self.sizes(), self.dtype()), info_of(c, self)});
}
Value linalg_cholesky(Call& c, const Tensor& self, bool upper) {
  if (writes(c)) {
    return c.call<"aten::linalg_cholesky_ex.L">(self, upper, false, nth_output(c, 0),
                                                unwanted_int(c, self))[0];
  }
  return element(c.call<"aten::linalg_cholesky_ex">(self, upper), 0);
}

// Mirrors linalg_inv_ex_meta.
Value linalg_inv_ex(Call& c, const Tensor& a) {
  if (c.op().output_count != 0) {
    check_is_matrix(c, a, "linalg.inv");
    return write_structured(c, [&] { return c.call<"aten::linalg_inv_ex">(a); });
  }
  check_square(c, a, "linalg.inv_ex");
  check_floating_or_complex(c, a, "linalg.inv_ex", Precision::kNotLow);
  return c.tuple({column_major(c, a.sizes(), a.dtype()), info_of(c, a)});
}
Value linalg_inv(Call& c, const Tensor& a) {
  if (writes(c)) {
    return c.call<"aten::linalg_inv_ex.inverse">(a, false, nth_output(c, 0), unwanted_int(c, a))[0];
  }
  return element(c.call<"aten::linalg_inv_ex">(a), 0);
}

// Mirrors linalg_ldl_factor_ex_meta.
Value linalg_ldl_factor_ex(Call& c, const Tensor& self) {
  check_square(c, self, "torch.linalg.ldl_factor_ex");
  check_floating_or_complex(c, self, "torch.linalg.ldl_factor_ex");
  return c.tuple(
      {strided_column_major(c, self.sizes(), self.dtype()), pivots_of(c, self), info_of(c, self)});
}
Value linalg_ldl_factor(Call& c, const Tensor& self, bool hermitian) {
  if (writes(c)) {
    const Value written = c.call<"aten::linalg_ldl_factor_ex.out">(
        self, hermitian, false, nth_output(c, 0), nth_output(c, 1), unwanted_int(c, self));
    return c.tuple({written[0], written[1]});
  }
  const Value all = c.call<"aten::linalg_ldl_factor_ex">(self, hermitian);
  return c.tuple({all[0], all[1]});
}

// --- LU ---

void check_lu_rank(Call& c, const Tensor& a, std::string_view name) {
  c.check(a.dim() >= 2,
          "{}: Expected tensor with 2 or more dimensions. Got size: torch.Size({}) instead", name,
          a.sizes());
}
SymInt shorter_side(const Tensor& a) { return sym_min(a.size(-2), a.size(-1)); }

// Mirrors linalg_lu_meta.
Value linalg_lu(Call& c, const Tensor& a, bool pivot) {
  check_lu_rank(c, a, "linalg.lu");
  const SymInt rows = a.size(-2);
  const SymInt k = shorter_side(a);
  Tensor* p = pivot ? c.empty(matrices(a, rows, rows), a.dtype()) : nothing(c, a);
  return c.tuple({p, c.empty(matrices(a, rows, k), a.dtype()),
                  c.empty(matrices(a, k, a.size(-1)), a.dtype())});
}
// Mirrors linalg_lu_factor_ex_meta.
Value linalg_lu_factor_ex(Call& c, const Tensor& a) {
  check_lu_rank(c, a, "torch.lu_factor");
  DimVector pivots(batch_sizes(a));
  pivots.push_back(shorter_side(a));
  return c.tuple({strided_column_major(c, a.sizes(), a.dtype()), c.empty(pivots, DType::kInt32),
                  info_of(c, a)});
}
Value linalg_lu_factor(Call& c, const Tensor& a, bool pivot) {
  if (writes(c)) {
    const Value written = c.call<"aten::linalg_lu_factor_ex.out">(
        a, pivot, false, nth_output(c, 0), nth_output(c, 1), unwanted_int(c, a));
    return c.tuple({written[0], written[1]});
  }
  const Value all = c.call<"aten::linalg_lu_factor_ex">(a, pivot);
  return c.tuple({all[0], all[1]});
}
Value lu_with_info(Call& c, const Tensor& self, bool pivot) {
  return c.call<"aten::linalg_lu_factor_ex">(self, pivot);
}
// Mirrors lu_unpack_meta.
Value lu_unpack(Call& c, const Tensor& data, const Tensor& pivots, bool unpack_data,
                bool unpack_pivots) {
  check_lu_rank(c, data, "torch.lu_unpack");
  c.check(!unpack_pivots || pivots.dtype() == DType::kInt32,
          "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 "
          "dtype.\nNote: this function is intended to be used with the output produced by "
          "torch.linalg.lu_factor");
  const SymInt rows = data.size(-2);
  const SymInt k = shorter_side(data);
  const DType dtype = data.dtype();
  Tensor* p = unpack_pivots ? c.empty(matrices(data, rows, rows), dtype) : nothing(c, data);
  if (!unpack_data) return c.tuple({p, nothing(c, data), nothing(c, data)});
  return c.tuple({p, c.empty(matrices(data, rows, k), dtype),
                  c.empty(matrices(data, k, data.size(-1)), dtype)});
}

// --- QR and singular values ---

// Mirrors linalg_qr_meta.
Value linalg_qr(Call& c, const Tensor& a, std::string_view mode) {
  check_is_matrix(c, a, "linalg.qr");
  check_floating_or_complex(c, a, "linalg.qr");
  c.check(mode == "reduced" || mode == "complete" || mode == "r",
          "qr received unrecognized mode '{}' but expected one of 'reduced' (default), 'r', or "
          "'complete'",
          mode);
  const SymInt rows = a.size(-2);
  const SymInt k = mode == "complete" ? rows : shorter_side(a);
  Tensor* q = mode == "r" ? nothing(c, a) : column_major(c, matrices(a, rows, k), a.dtype());
  return c.tuple({q, column_major(c, matrices(a, k, a.size(-1)), a.dtype())});
}
Value qr(Call& c, const Tensor& self, bool some) {
  const std::string_view mode = some ? "reduced" : "complete";
  if (writes(c))
    return c.call<"aten::linalg_qr.out">(self, mode, nth_output(c, 0), nth_output(c, 1));
  return c.call<"aten::linalg_qr">(self, mode);
}

// Mirrors _linalg_svd_meta: cuSOLVER gives V row by row.
Value linalg_svd_impl(Call& c, const Tensor& a, bool full_matrices, bool compute_uv) {
  check_is_matrix(c, a, "linalg.svd");
  check_floating_or_complex(c, a, "linalg.svd");
  const SymInt rows = a.size(-2);
  const SymInt columns = a.size(-1);
  const SymInt k = shorter_side(a);
  DimVector values(batch_sizes(a));
  values.push_back(k);
  Tensor* s = c.empty(values, to_real(a.dtype()));
  if (!compute_uv) return c.tuple({nothing(c, a), s, nothing(c, a)});
  const Tensor* u = column_major(c, matrices(a, rows, full_matrices ? rows : k), a.dtype());
  const DimVector v = matrices(a, full_matrices ? columns : k, columns);
  const Tensor* vh = a.device().is_cuda() ? c.empty(v, a.dtype()) : column_major(c, v, a.dtype());
  return c.tuple({*u, s, *vh});
}
Value linalg_svd(Call& c, const Tensor& a, bool full_matrices, const Value& driver) {
  if (writes(c)) {
    return c.call<"aten::_linalg_svd.U">(a, full_matrices, true, driver, nth_output(c, 0),
                                         nth_output(c, 1), nth_output(c, 2));
  }
  return c.call<"aten::_linalg_svd">(a, full_matrices, true, driver);
}
Value linalg_svdvals(Call& c, const Tensor& a, const Value& driver) {
  if (writes(c)) {
    const Value u = unwanted(c, a);
    return c.call<"aten::_linalg_svd.U">(a, false, false, driver, u, nth_output(c, 0),
                                         unwanted(c, a))[1];
  }
  return element(c.call<"aten::_linalg_svd">(a, false, true, driver), 1);
}
// Mirrors svd_out, aten/src/ATen/native/BatchLinearAlgebra.cpp: V is written as its transpose.
Value svd_into(Call& c, const Tensor& self, bool some, bool compute_uv) {
  Tensor& u = nth_output(c, 0);
  Tensor& s = nth_output(c, 1);
  Tensor& v = nth_output(c, 2);
  if (compute_uv) {
    if (v.dim() >= 2) c.call<"aten::transpose_">(v, -2, -1);
    c.call<"aten::linalg_svd.U">(self, !some, Value::unset(), u, s, v);
    c.call<"aten::transpose_">(v, -2, -1);
  } else {
    resize_output(c.context(), u, matrices(self, self.size(-2), self.size(-2)));
    resize_output(c.context(), v, matrices(self, self.size(-1), self.size(-1)));
    c.call<"aten::linalg_svdvals.out">(self, Value::unset(), s);
  }
  return c.tuple({u, s, v});
}
// Mirrors svd, aten/src/ATen/native/BatchLinearAlgebra.cpp: without vectors, matrices of zeros.
Value svd(Call& c, const Tensor& self, bool some, bool compute_uv) {
  if (writes(c)) return svd_into(c, self, some, compute_uv);
  c.check(self.dim() >= 2,
          "linalg.svd: input should have at least 2 dimensions, but has {} dimensions instead",
          self.dim());
  if (compute_uv) {
    const Value all = c.call<"aten::linalg_svd">(self, !some);
    return c.tuple({all[0], all[1], c.call<"aten::mH">(all[2])});
  }
  const Value s = c.call<"aten::linalg_svdvals">(self);
  const Value u = c.call<"aten::new_zeros">(self, matrices(self, self.size(-2), self.size(-2)));
  const Value v = c.call<"aten::new_zeros">(self, matrices(self, self.size(-1), self.size(-1)));
  return c.tuple({u, s, c.call<"aten::mH">(v)});
}

// --- others ---

// Mirrors linalg_householder_product.
Value linalg_householder_product(Call& c, const Tensor& input, const Tensor& tau) {
  constexpr std::string_view kName = "torch.linalg.householder_product";
  c.check(input.dim() >= 2, "{}: input must have at least 2 dimensions.", kName);
  c.check(input.size(-2) >= input.size(-1),
          "{}: input.shape[-2] must be greater than or equal to input.shape[-1]", kName);
  c.check(input.size(-1) >= tau.size(-1),
          "{}: input.shape[-1] must be greater than or equal to tau.shape[-1]", kName);
  c.check(input.dim() - tau.dim() == 1,
          "{}: Expected tau to have one dimension less than input, but got tau.ndim equal to {} "
          "and input.ndim is equal to {}",
          kName, tau.dim(), input.dim());
  const Dims tau_batch = without_last(tau.sizes(), 1);
  c.check(input.dim() == 2 || guard_equal(tau_batch, batch_sizes(input)),
          "{}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
          "torch.Size({})",
          kName, tau_batch);
  c.check(tau.dtype() == input.dtype(), "{}: tau dtype {} does not match input dtype {}", kName,
          tau.dtype(), input.dtype());
  return strided_column_major(c, input.sizes(), input.dtype());
}

// Mirrors linalg_matrix_exp.
Value linalg_matrix_exp(Call& c, const Tensor& self) {
  check_square(c, self, "linalg.matrix_exp");
  check_floating_or_complex(c, self, "linalg.matrix_exp");
  return c.empty(self.sizes(), self.dtype());
}

// Mirrors _linalg_check_errors: there are no errors to find in a fake tensor.
void linalg_check_errors(Call&, const Tensor&) {}

// clang-format off
constexpr OpDef kDecompositionRules[] = {
    {"aten::_linalg_check_errors(Tensor info, str api_name, *, bool is_matrix) -> ()", rule<&linalg_check_errors>(), kByCompositeExplicit},
    {"aten::_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)", rule<&linalg_det_impl>(), 0, derivative<Derivative{.differentiable_results = 0b1}>},
    {"aten::_linalg_eigh(Tensor A, str UPLO=\"L\", bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)", rule<&linalg_eigh_impl>()},
    {"aten::_linalg_eigvals(Tensor self) -> Tensor", rule<&linalg_eigvals_impl>()},
    {"aten::_linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)", rule<&linalg_slogdet_impl>(), 0, derivative<Derivative{.differentiable_results = 0b11}>},
    {"aten::_linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)", rule<&linalg_svd_impl>()},
    {"aten::_lu_with_info(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU, Tensor pivots, Tensor info)", rule<&lu_with_info>(), kComposite},
    {"aten::cholesky(Tensor self, bool upper=False) -> Tensor", rule<&cholesky>()},
    {"aten::cholesky_inverse(Tensor self, bool upper=False) -> Tensor", rule<&cholesky_inverse>()},
    {"aten::det(Tensor self) -> Tensor", same_as<"aten::linalg_det">(), kComposite},
    {"aten::inverse(Tensor self) -> Tensor", same_as<"aten::linalg_inv">(), kComposite},
    {"aten::linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor", rule<&linalg_cholesky>(), kComposite},
    {"aten::linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)", rule<&linalg_cholesky_ex>()},
    {"aten::linalg_det(Tensor A) -> Tensor", rule<&linalg_det>(), kComposite},
    {"aten::linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)", rule<&linalg_eig>(), kDeviceHint},
    {"aten::linalg_eigh(Tensor self, str UPLO=\"L\") -> (Tensor eigenvalues, Tensor eigenvectors)", rule<&linalg_eigh>(), kComposite},
    {"aten::linalg_eigvals(Tensor self) -> Tensor", rule<&linalg_eigvals>(), kComposite},
    {"aten::linalg_eigvalsh(Tensor self, str UPLO=\"L\") -> Tensor", rule<&linalg_eigvalsh>(), kComposite},
    {"aten::linalg_householder_product(Tensor input, Tensor tau) -> Tensor", rule<&linalg_householder_product>()},
    {"aten::linalg_inv(Tensor A) -> Tensor", rule<&linalg_inv>(), kComposite},
    {"aten::linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)", rule<&linalg_inv_ex>()},
    {"aten::linalg_ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)", rule<&linalg_ldl_factor>(), kComposite},
    {"aten::linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info)", rule<&linalg_ldl_factor_ex>()},
    {"aten::linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)", rule<&linalg_lu>(), 0, derivative<Derivative{.differentiable_results = 0b110}>},
    {"aten::linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)", rule<&linalg_lu_factor>(), kComposite},
    {"aten::linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)", rule<&linalg_lu_factor_ex>()},
    {"aten::linalg_matrix_exp(Tensor self) -> Tensor", rule<&linalg_matrix_exp>()},
    {"aten::linalg_qr(Tensor A, str mode=\"reduced\") -> (Tensor Q, Tensor R)", rule<&linalg_qr>()},
    {"aten::linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)", rule<&linalg_slogdet>(), kComposite},
    {"aten::linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)", rule<&linalg_svd>(), kComposite},
    {"aten::linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor", rule<&linalg_svdvals>(), kComposite},
    {"aten::logdet(Tensor self) -> Tensor", rule<&logdet>(), kComposite},
    {"aten::lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor P, Tensor L, Tensor U)", rule<&lu_unpack>(), 0, derivative<Derivative{.differentiable_results = 0b110}>},
    {"aten::matrix_exp(Tensor self) -> Tensor", same_as<"aten::linalg_matrix_exp">(), kComposite},
    {"aten::orgqr(Tensor self, Tensor input2) -> Tensor", same_as<"aten::linalg_householder_product">(), kComposite},
    {"aten::qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R)", rule<&qr>(), kComposite},
    {"aten::slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)", same_as<"aten::linalg_slogdet">(), kComposite},
    {"aten::svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)", rule<&svd>(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_decomposition

std::span<const OpDef> decomposition_rules() { return rules_of_decomposition::kDecompositionRules; }

}  // namespace faketensor
