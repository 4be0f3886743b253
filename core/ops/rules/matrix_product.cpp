// Products of more than two matrices, powers, products of vectors, and statistics made of them.
#include "core/ops/autograd.h"
#include "core/ops/derived.h"
#include "core/ops/families/arithmetic.h"
#include "core/ops/families/into.h"
#include "core/ops/families/linalg.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/families/reduction.h"
#include "core/ops/families/symbolic_sizes.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/cpp_type_name.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_matrix_product {
namespace {

// --- chains and powers: aten/src/ATen/native/LinearAlgebra.cpp ---

void check_chain_ranks(Call& c, const TensorList& tensors) {
  const size_t n = tensors.size();
  c.check(n >= 2, "multi_dot(): expected at least 2 tensors but got {}", n);
  const auto check_end = [&](const Tensor& tensor, std::string_view which) {
    c.check(tensor.dim() == 1 || tensor.dim() == 2,
            "multi_dot(): the {} tensor must be 1D or 2D but got {}D", which, tensor.dim());
  };
  check_end(tensors[0], "first");
  check_end(tensors[n - 1], "last");
  for (size_t i = 1; i + 1 < n; ++i) {
    c.check(tensors[i].dim() == 2, "multi_dot(): tensor {} must be 2D but got {}D", i,
            tensors[i].dim());
  }
}

// The ends that are matrices give the sizes of the result, before the links are looked at.
void specialize_chain(const TensorList& tensors) {
  const Tensor& last = tensors[tensors.size() - 1];
  if (tensors[0].dim() == 2) specialize_sizes(tensors[0]);
  if (last.dim() == 2) specialize_sizes(last);
  for (size_t i = 0; i < tensors.size(); ++i) specialize_sizes(tensors[i]);
}

void check_chain_links(Call& c, const TensorList& tensors) {
  const Tensor& first = tensors[0];
  for (size_t i = 1; i < tensors.size(); ++i) {
    const Tensor& left = tensors[i - 1];
    const Tensor& right = tensors[i];
    c.check(right.dtype() == first.dtype(),
            "multi_dot(): all tensors must have be the same dtype but tensor 0 is {} and tensor {} "
            "{}",
            cpp_type_name(first.dtype()), i, cpp_type_name(right.dtype()));
    c.check(right.device() == first.device(),
            "multi_dot(): all tensors must be on the same device but tensor 0 is on {} and tensor "
            "{} on {}",
            first.device(), i, right.device());
    c.check(left.size(-1) == right.size(0),
            "multi_dot(): tensors {} and {} with shapes {} and {} cannot be multiplied", i - 1, i,
            left.sizes(), right.sizes());
  }
}

// Mirrors multi_dot_impl. In whatever order matrices are multiplied, the last product is the same;
// a vector at an end is a matrix of one row or column.
Value linalg_multi_dot(Call& c, TensorList tensors) {
  check_chain_ranks(c, tensors);
  specialize_chain(tensors);
  check_chain_links(c, tensors);
  const Tensor& first = tensors[0];
  const Tensor& last = tensors[tensors.size() - 1];
  DimVector sizes;
  if (first.dim() == 2) sizes.push_back(first.size(0));
  if (last.dim() == 2) sizes.push_back(last.size(1));
  Tensor* out = output_of(c);
  if (out != nullptr) {
    c.check(first.dtype() == out->dtype(),
            "multi_dot(): expected out tensor to have dtype {} but got {}",
            cpp_type_name(first.dtype()), cpp_type_name(out->dtype()));
    c.check(first.device() == out->device(),
            "multi_dot(): expected out tensor to be on device {} but got {}", first.device(),
            out->device());
    resize_output(c.context(), *out, sizes);
    // The last product is mm.out.
    for (size_t i = 0; i < tensors.size(); ++i) {
      c.check(!needs_grad(c.context(), tensors[i]),
              "mm(): functions with out=... arguments don't support automatic differentiation, but "
              "one of the arguments requires grad.");
    }
  }
  const DimVector product = {first.dim() == 2 ? first.size(0) : SymInt(1),
                             last.dim() == 2 ? last.size(1) : SymInt(1)};
  if (out == nullptr) return c.call<"aten::view">(*c.empty(product, first.dtype()), sizes);
  const Value matrix = c.call<"aten::view">(*out, product);
  if (tensors.size() == 2) {
    const DimVector left = {product[0], first.size(-1)};
    const DimVector right = {last.size(0), product[1]};
    const Value last_matrix = c.call<"aten::reshape">(last, right);
    c.call<"aten::mm.out">(c.call<"aten::reshape">(first, left), last_matrix, matrix);
  }
  return *out;
}

// Mirrors chain_matmul.
Value chain_matmul(Call& c, TensorList matrices) {
  for (const Value& matrix : matrices.values()) {
    c.check(matrix.tensor().dim() == 2, "Tensor dimension is {}, expected 2 instead.",
            matrix.tensor().dim());
  }
  c.check(!matrices.empty(), "chain_matmul(): Expected one or more matrices");
  if (matrices.size() == 1) {
    if (output_of(c) != nullptr) return copy_into(c, matrices[0]);
    return c.call<"aten::clone">(matrices[0]);
  }
  return linalg_multi_dot(c, matrices);
}

// Mirrors linalg_matrix_power_impl; from the square on, a product of two matrices of one shape.
Value linalg_matrix_power(Call& c, const Tensor& self, int64_t n) {
  check_square_in_aten(c, self, "linalg.matrix_power");
  if (Tensor* out = output_of(c)) {
    check_output(c, *out, self, self.dtype(), "matrix_power");
    resize_output(c.context(), *out, self.sizes());
    if (n == 0 || n == 1) return c.call<"aten::copy_">(*out, self);
    if (n == -1) return c.call<"aten::linalg_inv.out">(self, *out);
    const Value base = n < 0 ? c.call<"aten::linalg_inv">(self) : Value(self);
    const uint64_t size = n < 0 ? uint64_t{0} - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
    // The last product of a power of two is squared before it is copied.
    const bool is_copied = size > 2 && (size & (size - 1)) == 0;
    if (!is_copied) return c.call<"aten::matmul.out">(base, base, *out);
    return c.call<"aten::copy_">(*out, c.call<"aten::matmul">(base, base));
  }
  if (n == 0 || n == 1) return c.call<"aten::clone">(self, MemoryFormat::kContiguous);
  const Value base = n < 0 ? c.call<"aten::linalg_inv">(self) : Value(self);
  return n == -1 ? base : c.call<"aten::matmul">(base, base);
}

// Mirrors KronImpl.
Value kron(Call& c, const Tensor& self, const Tensor& other) {
  specialize_sizes(self);
  specialize_sizes(other);
  const auto rank = static_cast<size_t>(std::max(self.dim(), other.dim()));
  DimVector left(2 * rank, SymInt(1));
  DimVector right(2 * rank, SymInt(1));
  DimVector sizes(rank);
  const auto padded = [&](const Tensor& tensor, size_t i) {
    const size_t missing = rank - tensor.sizes().size();
    return i < missing ? SymInt(1) : tensor.sizes()[i - missing];
  };
  for (size_t i = 0; i < rank; ++i) {
    left[2 * i] = padded(self, i);
    right[2 * i + 1] = padded(other, i);
    sizes[i] = left[2 * i] * right[2 * i + 1];
  }
  const Value a = c.call<"aten::_unsafe_view">(self, left);
  const Value b = c.call<"aten::_unsafe_view">(other, right);
  if (Tensor* out = output_of(c)) {
    DimVector product(2 * rank);
    for (size_t i = 0; i < 2 * rank; ++i) product[i] = left[i] * right[i];
    resize_output(c.context(), *out, sizes);
    c.call<"aten::mul.out">(a, b, c.call<"aten::_unsafe_view">(*out, product));
    return *out;
  }
  return c.call<"aten::_unsafe_view">(c.call<"aten::mul.Tensor">(a, b), sizes);
}

// --- vectors ---

// Mirrors vdot, torch/_refs/__init__.py.
Value vdot(Call& c, const Tensor& self, const Tensor& other) {
  check_dot(c, self, other);
  if (has_symbolic_sizes(c)) (void)arithmetic(c, self, other);
  Tensor* result = c.empty(Dims(), self.dtype());
  const bool is_conjugated = is_complex(self.dtype()) && !self.is_conj() && other.is_conj();
  return is_conjugated ? c.call<"aten::conj">(*result) : Value(result);
}

// Mirrors linalg_vecdot.
Value linalg_vecdot(Call& c, const Tensor& x, const Tensor& y, int64_t dim) {
  check_floating_or_complex_in_aten(c, x, "linalg.vecdot");
  c.check(x.dtype() == y.dtype(),
          "linalg.vecdot: Expected x and y to have the same dtype, but found x of type {} and y of "
          "type {} instead",
          info(x.dtype()).cpp_name, info(y.dtype()).cpp_name);
  if (const Tensor* out = output_of(c)) {
    c.check(out->dtype() == x.dtype(), "linalg.vecdot: Expected out of dtype{} but found {}",
            info(x.dtype()).cpp_name, info(out->dtype()).cpp_name);
    check_same_device(c, x, *out, "linalg.vecdot", "result");
  }
  if (x.dim() == 1 && y.dim() == 1) return call_into<"aten::vdot", "aten::vdot.out">(c, x, y);
  const Value products = c.call<"aten::mul.Tensor">(c.call<"aten::conj">(x), y);
  return call_into<"aten::sum.dim_IntList", "aten::sum.IntList_out">(c, products, DimVector{dim},
                                                                     false, nullptr);
}

// Mirrors linalg_vander: cumulative products of x repeated n - 1 times, after a column of ones.
Value linalg_vander(Call& c, const Tensor& x, std::optional<SymInt> n) {
  const DType dtype = x.dtype();
  const bool is_supported = dtype == DType::kFloat32 || dtype == DType::kFloat64 ||
                            dtype == DType::kComplex64 || dtype == DType::kComplex128 ||
                            is_integral(dtype);
  c.check(is_supported,
          "linalg.vander supports floating point, complex, and integer tensors, but got {}",
          info(dtype).cpp_name);
  const Value row = x.dim() == 0 ? c.call<"aten::unsqueeze">(x, -1) : Value(x);
  DimVector sizes(row.tensor().sizes());
  const SymInt count = n.value_or(sizes.back());
  c.check(count > 1, "N must be greater than 1.");
  sizes.push_back(count - 1);
  const Value repeated = c.call<"aten::expand">(c.call<"aten::unsqueeze">(row, -1), sizes);
  const Value powers = c.call<"aten::cumprod">(repeated, -1);
  sizes.back() = 1;
  const Value columns[] = {c.call<"aten::new_ones">(powers, sizes), powers};
  return c.call<"aten::cat">(Value::list(columns), -1);
}

// A Python number's type against a dtype's, for addr's words.
void check_addr_number(Call& c, const Value& number, std::string_view name, DType dtype) {
  const DType given = number_dtype(number);
  if (is_bool(dtype)) {
    c.check(category(given) <= DTypeCategory::kIntegral, "expected bool/int {} but got {}", name,
            python_type(given));
  } else {
    c.check(category(given) <= category(dtype), "cannot safely convert {} to {}",
            python_type(given), dtype);
  }
}

Value scaled(Call& c, const Value& number, const Value& tensor) {
  return arithmetic(c, number, tensor);
}

// Mirrors addr, torch/_refs/__init__.py, whose three tensors are promoted first.
Value addr(Call& c, const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Value& beta,
           const Value& alpha) {
  const DType common = promoted_dtype(c, c.args().first(3));
  const DType dtype = elementwise_types(common, Promotion::kDefault).computation;
  c.check(vec1.dim() == 1, "addr: Expected 1-D argument vec1, but got {}-D", vec1.dim());
  c.check(vec2.dim() == 1, "addr: Expected 1-D argument vec2, but got {}-D", vec2.dim());
  c.check(is_bool(dtype) || !alpha.is(Value::Tag::kBool),
          "Boolean alpha only supported for Boolean results.");
  c.check(is_bool(dtype) || !beta.is(Value::Tag::kBool),
          "Boolean beta only supported for Boolean results.");
  const Value expanded =
      c.call<"aten::expand">(*cast_to(c, self, dtype), DimVector{vec1.size(0), vec2.size(0)});
  check_addr_number(c, beta, "beta", dtype);
  check_addr_number(c, alpha, "alpha", dtype);
  const Value addend = is_bool(dtype) || is_zero(beta) ? Value() : scaled(c, beta, expanded);
  const DimVector column_sizes = {vec1.size(0), 1};
  const Value column = c.call<"aten::reshape">(*cast_to(c, vec1, dtype), column_sizes);
  Value result = arithmetic(c, column, *cast_to(c, vec2, dtype));
  if (is_bool(dtype)) {
    if (is_zero(alpha)) result = c.empty_like(expanded.tensor());
    return is_zero(beta) ? result : Value(arithmetic(c, expanded, result));
  }
  result = scaled(c, alpha, result);
  if (!addend.is_none()) result = arithmetic(c, addend, result);
  return cast_to(c, result.tensor(), common);
}

// Mirrors trace_cpu, aten/src/ATen/native/ReduceOps.cpp, which asks for numbers.
Value trace(Call& c, const Tensor& self) {
  c.check(self.dim() == 2, "expected a matrix, but got tensor with dim {}", self.dim());
  c.check(!self.meta->has_symbols(),
          "Cannot call storage_offset() on tensor with symbolic sizes/strides");
  return c.empty(Dims(), sum_dtype(self, {}));
}

// --- _trilinear ---

// Mirrors _trilinear, aten/src/ATen/native/Linear.cpp: products are summed into a tensor of zeros,
// so that they show only in the errors of the batched products they are made of.
Value trilinear(Call& c, const Tensor& i1, const Tensor& i2, const Tensor& i3, const Value& expand1,
                const Value& expand2, const Value& expand3, const Value& summed,
                int64_t unroll_dim) {
  const int64_t rank = i1.dim() + static_cast<int64_t>(expand1.size());
  c.check(unroll_dim >= 0 && unroll_dim < rank, "unroll_dim must be in [0,{}]", rank - 1);
  check_bitset_rank(c, rank);
  const SmallVector<bool, 16> added[] = {dim_flags(c, expand1.ints(), rank),
                                         dim_flags(c, expand2.ints(), rank),
                                         dim_flags(c, expand3.ints(), rank)};
  const SmallVector<bool, 16> sums = dim_flags(c, summed.ints(), rank);
  Value factors[] = {i1, i2, i3};
  DimVector sizes;
  bool sums_first = false;
  bool sums_second = false;
  for (int64_t i = 0; i < rank; ++i) {
    const auto at = static_cast<size_t>(i);
    SymInt size = 0;
    for (size_t k = 0; k < 3; ++k) {
      if (added[k][at]) {
        factors[k] = c.call<"aten::unsqueeze">(factors[k], i);
      } else {
        size = factors[k].tensor().size(i);
      }
    }
    const bool is_summed = sums[at] && i != unroll_dim;
    if (i == unroll_dim) size = guard_int(size);
    sums_first = sums_first || (is_summed && added[2][at]);
    sums_second = sums_second || (is_summed && !added[2][at]);
    if (!sums[at]) sizes.push_back(size);
  }
  const bool has_elements =
      guard_bool(i1.numel() != 0) && guard_bool(i2.numel() != 0) && guard_bool(i3.numel() != 0);
  const auto check_product = [&](const Tensor& left, const Tensor& right) {
    c.check(left.dtype() == right.dtype(), "expected scalar type {} but found {}", left.dtype(),
            right.dtype());
  };
  if (has_elements && sums_first) check_product(i1, i2);
  if (has_elements && sums_second) check_product(i1, i3);
  return c.empty(sizes, i1.dtype());
}

// --- statistics: aten/src/ATen/native/Correlation.cpp ---

void check_weights(Call& c, const Tensor& weights, std::string_view name, bool is_integer,
                   SymInt observations) {
  c.check(weights.dim() <= 1,
          "cov(): expected {} to have one or fewer dimensions but got {} with {} dimensions", name,
          name, weights.dim());
  const DType dtype = weights.dtype();
  c.check(is_integer ? is_integral(dtype) : is_floating(dtype),
          "cov(): expected {} to have {} dtype but got {} with {} dtype", name,
          is_integer ? "integral" : "floating point", name, info(dtype).cpp_name);
  c.check(weights.numel() == observations,
          "cov(): expected {} to have the same numel as there are observations in the input but "
          "got {} != {}",
          name, weights.numel(), observations);
}

// Mirrors cov: whether weights are negative, or their sum is zero, is data; it is asked before
// there is a result.
Value cov(Call& c, const Tensor& self, int64_t, Tensor* fweights, Tensor* aweights) {
  c.check(self.dim() <= 2,
          "cov(): expected input to have two or fewer dimensions but got an input with {} "
          "dimensions",
          self.dim());
  c.check(!is_bool(self.dtype()), "cov(): bool dtype is not supported for input");
  const SymInt observations = self.dim() == 2 ? self.size(1) : self.numel();
  const bool asks = guard_bool(observations != 0);
  if (fweights != nullptr) {
    check_weights(c, *fweights, "fweights", true, observations);
    if (asks) return c.call<"aten::equal">(*fweights, *fweights);
  }
  if (aweights != nullptr) check_weights(c, *aweights, "aweights", false, observations);
  return c.call<"aten::equal">(self, self);
}
Value corrcoef(Call& c, const Tensor& self) {
  c.check(self.dim() <= 2,
          "corrcoef(): expected input to have two or fewer dimensions but got an input with {} "
          "dimensions",
          self.dim());
  return c.call<"aten::cov">(self);
}

// clang-format off
constexpr OpDef kMatrixProductRules[] = {
    {"aten::_trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] sumdim, int unroll_dim=1) -> Tensor", rule<&trilinear>(), kByCompositeExplicit | kRealDerivative},
    {"aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", rule<&addr>(), kInplace | kByRef},
    {"aten::chain_matmul(Tensor[] matrices) -> Tensor", rule<&chain_matmul>(), kComposite},
    {"aten::corrcoef(Tensor self) -> Tensor", rule<&corrcoef>(), kComposite | kDataDependent},
    {"aten::cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor", rule<&cov>(), kComposite | kDataDependent},
    {"aten::kron(Tensor self, Tensor other) -> Tensor", rule<&kron>(), kComposite},
    {"aten::linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)", same_as<"aten::diagonal">(), kView | kComposite},
    {"aten::linalg_matrix_power(Tensor self, int n) -> Tensor", rule<&linalg_matrix_power>(), kComposite},
    {"aten::linalg_multi_dot(Tensor[] tensors) -> Tensor", rule<&linalg_multi_dot>(), kComposite},
    {"aten::linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor", rule<&linalg_vander>(), kComposite},
    {"aten::linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor", rule<&linalg_vecdot>(), kComposite},
    {"aten::matrix_power(Tensor self, int n) -> Tensor", same_as<"aten::linalg_matrix_power">(), kComposite},
    {"aten::trace(Tensor self) -> Tensor", rule<&trace>(), kByRef},
    {"aten::vdot(Tensor self, Tensor other) -> Tensor", rule<&vdot>(), kByRef},
};
// clang-format on
}  // namespace
}  // namespace rules_of_matrix_product

std::span<const OpDef> matrix_product_rules() {
  return rules_of_matrix_product::kMatrixProductRules;
}

}  // namespace faketensor
