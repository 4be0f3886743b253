// Norms of matrices, and what is told from singular values: condition, rank, pseudo-inverse.
// All are compositions: aten/src/ATen/native/LinearAlgebra.cpp.
#include <cmath>
#include <cstdio>

#include "core/ops/derived.h"
#include "core/ops/families/arithmetic.h"
#include "core/ops/families/into.h"
#include "core/ops/families/linalg.h"
#include "core/ops/families/number.h"
#include "core/ops/families/reduction.h"
#include "core/ops/families/symbolic_sizes.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/promotion.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_matrix_norm {
namespace {

using OptionalDType = std::optional<DType>;

// A double as a C++ stream ("%g") or std::to_string ("%f") writes it.
std::string streamed(double value, const char* pattern = "%g") {
  char text[400];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

DimVector one(int64_t dim) { return {dim}; }

// --- linalg_matrix_norm ---

// Mirrors check_linalg_norm_dtype.
void check_norm_dtype(Call& c, DType self, OptionalDType dtype) {
  if (!dtype) return;
  const std::string_view kind = is_complex(self) ? "complex" : "real";
  const std::string_view given = info(*dtype).cpp_name;
  c.check(is_float_or_complex(*dtype),
          "linalg.matrix_norm: dtype should be floating point or complex, but got {}", given);
  c.check(is_complex(self) == is_complex(*dtype),
          "linalg.matrix_norm: dtype should be {} for {} inputs, but got {}", kind, kind, given);
  c.check(promote_types(self, *dtype) == *dtype,
          "linalg.matrix_norm: the dtype of the input ({}) should be convertible without narrowing "
          "to the specified dtype ({})",
          info(self).cpp_name, given);
}

struct TwoDims {
  int64_t first, second;
};

// Mirrors _linalg_matrix_norm_checks; the dimensions, wrapped.
TwoDims check_matrix_norm(Call& c, const Tensor& self, Dims dim, OptionalDType dtype,
                          Precision precision) {
  check_is_matrix(c, self, "linalg.matrix_norm");
  check_floating_or_complex_in_aten(c, self, "linalg.matrix_norm", precision);
  std::string given;
  for (const SymInt d : dim) given += (given.empty() ? "" : " ") + to_string(d);
  c.check(dim.size() == 2, "linalg.matrix_norm: dim must be a 2-tuple. Got {}", given);
  const TwoDims dims = {wrap_dim(guard_int(dim[0]), self.dim()),
                        wrap_dim(guard_int(dim[1]), self.dim())};
  c.check(dims.first != dims.second, "linalg.matrix_norm: dims must be different. Got ({}, {})",
          dims.first, dims.second);
  check_norm_dtype(c, self.dtype(), dtype);
  return dims;
}

// The singular values of the matrices in two dimensions; `reduce` them, and put the reduced
// dimensions back where they were.
template <typename Reduce>
Value of_singular_values(Call& c, const Tensor& self, TwoDims dims, bool keepdim,
                         OptionalDType dtype, Reduce reduce) {
  DimVector order;
  DimVector back(static_cast<size_t>(self.dim()));
  for (int64_t i = 0; i < self.dim(); ++i)
    if (i != dims.first && i != dims.second) order.push_back(i);
  order.push_back(dims.first);
  order.push_back(dims.second);
  for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i].as_int())] = i;
  const Value cast = dtype ? c.call<"aten::to.dtype">(self, *dtype) : Value(self);
  const Value values = c.call<"aten::linalg_svdvals">(c.call<"aten::permute">(cast, order));
  const Value result = reduce(values);
  if (!keepdim) return result;
  return c.call<"aten::permute">(c.call<"aten::unsqueeze">(result, -1), back);
}

// The largest of no norms is 0, a smallest there is none.
Value extremum(Call& c, const Value& values, double ord, int64_t dim, bool keepdim) {
  specialize_sizes(values.tensor());
  if (ord < 0) return c.call<"aten::amin">(values, one(dim), keepdim);
  return guard_or_false(values.tensor().size(dim) == 0)
             ? c.call<"aten::sum.dim_IntList">(values, one(dim), keepdim)
             : c.call<"aten::amax">(values, one(dim), keepdim);
}

// Writes a norm: of the result's own dtype only, and devices are compared the other way round.
template <typename Compute>
Value norm_into(Call& c, const Tensor& self, std::string_view name, Compute compute) {
  const Tensor* out = output_of(c);
  if (out != nullptr) check_same_device(c, self, *out, name, "result");
  const Value result = compute();
  c.check(out == nullptr || out->dtype() == result.tensor().dtype(),
          "{} expected out tensor dtype {} but got: {}", name,
          info(result.tensor().dtype()).cpp_name,
          out == nullptr ? std::string_view() : info(out->dtype()).cpp_name);
  return copy_into(c, result);
}

Value matrix_norm_by_number(Call& c, const Tensor& self, const Value& ord_number, Dims dim,
                            bool keepdim, OptionalDType dtype) {
  c.check(!ord_number.is(Value::Tag::kComplex),
          "linalg.matrix_norm: Expected a non-complex scalar as the order of norm.");
  const double ord = as_real(ord_number);
  const double size = std::abs(ord);
  c.check(size == 1 || size == 2 || std::isinf(size), "linalg.matrix_norm: Order {} not supported.",
          streamed(ord));
  TwoDims dims =
      check_matrix_norm(c, self, dim, dtype, size == 2 ? Precision::kNotLow : Precision::kAny);
  if (size == 2) {
    return of_singular_values(c, self, dims, keepdim, dtype, [&](const Value& values) {
      return extremum(c, values, ord, -1, keepdim);
    });
  }
  if (std::isinf(size)) std::swap(dims.first, dims.second);
  const int64_t removed = !keepdim && dims.first < dims.second ? 1 : 0;
  const Value sums = c.call<"aten::linalg_vector_norm">(self, 1.0, one(dims.first), keepdim, dtype);
  return extremum(c, sums, ord, dims.second - removed, keepdim);
}

Value linalg_matrix_norm(Call& c, const Tensor& self, const Value& ord, Dims dim, bool keepdim,
                         OptionalDType dtype) {
  return norm_into(c, self, "linalg.matrix_norm",
                   [&] { return matrix_norm_by_number(c, self, ord, dim, keepdim, dtype); });
}

Value matrix_norm_by_name(Call& c, const Tensor& self, std::string_view ord, Dims dim, bool keepdim,
                          OptionalDType dtype) {
  c.check(ord == "fro" || ord == "nuc", "linalg.matrix_norm: Order {} not supported.", ord);
  const TwoDims dims =
      check_matrix_norm(c, self, dim, dtype, ord == "nuc" ? Precision::kNotLow : Precision::kAny);
  if (ord == "fro") {
    return c.call<"aten::linalg_vector_norm">(self, 2, DimVector{dims.first, dims.second}, keepdim,
                                              dtype);
  }
  return of_singular_values(c, self, dims, keepdim, dtype, [&](const Value& values) {
    return c.call<"aten::sum.dim_IntList">(values, one(-1), keepdim);
  });
}

Value linalg_matrix_norm_str(Call& c, const Tensor& self, std::string_view ord, Dims dim,
                             bool keepdim, OptionalDType dtype) {
  return norm_into(c, self, "linalg.matrix_norm",
                   [&] { return matrix_norm_by_name(c, self, ord, dim, keepdim, dtype); });
}

// --- linalg_norm ---

void check_norm_dims(Call& c, const Tensor& self, const Value& dim, bool has_ord) {
  if (!dim.is_none()) {
    c.check(dim.size() == 1 || dim.size() == 2,
            "linalg.norm: If dim is specified, it must be of length 1 or 2. Got {}", dim);
  } else if (has_ord) {
    c.check(self.dim() == 1 || self.dim() == 2,
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {}D.",
            self.dim());
  }
}
Value norm_dims(const Value& dim, DimVector& all) {
  all.push_back(0);
  all.push_back(1);
  return dim.is_none() ? Value::ints(all) : dim;
}

Value norm_by_number(Call& c, const Tensor& self, const Value& ord, const Value& dim, bool keepdim,
                     OptionalDType dtype) {
  check_norm_dims(c, self, dim, !ord.is_none());
  const bool is_matrix = dim.is_none() ? self.dim() == 2 : dim.size() == 2;
  if (ord.is_none() || !is_matrix) {
    return c.call<"aten::linalg_vector_norm">(self, ord.is_none() ? Value(2.0) : ord, dim, keepdim,
                                              dtype);
  }
  DimVector all;
  return c.call<"aten::linalg_matrix_norm">(self, ord, norm_dims(dim, all), keepdim, dtype);
}
Value linalg_norm(Call& c, const Tensor& self, const Value& ord, const Value& dim, bool keepdim,
                  OptionalDType dtype) {
  return norm_into(c, self, "linalg.norm",
                   [&] { return norm_by_number(c, self, ord, dim, keepdim, dtype); });
}
Value norm_by_name(Call& c, const Tensor& self, std::string_view ord, const Value& dim,
                   bool keepdim, OptionalDType dtype) {
  check_norm_dims(c, self, dim, true);
  DimVector all;
  return c.call<"aten::linalg_matrix_norm.str_ord">(self, ord, norm_dims(dim, all), keepdim, dtype);
}

Value nuclear_norm(Call& c, const Tensor& self, bool keepdim) {
  return call_into<"aten::linalg_matrix_norm.str_ord", "aten::linalg_matrix_norm.str_ord_out">(
      c, self, "nuc", DimVector{-2, -1}, keepdim, nullptr);
}
Value nuclear_norm_dim(Call& c, const Tensor& self, Dims dim, bool keepdim) {
  return call_into<"aten::linalg_matrix_norm.str_ord", "aten::linalg_matrix_norm.str_ord_out">(
      c, self, "nuc", dim, keepdim, nullptr);
}

Value linalg_norm_str(Call& c, const Tensor& self, std::string_view ord, const Value& dim,
                      bool keepdim, OptionalDType dtype) {
  return norm_into(c, self, "linalg.norm",
                   [&] { return norm_by_name(c, self, ord, dim, keepdim, dtype); });
}

// Mirrors linalg__powsum: the sum that a norm is a root of. Kept dimensions are put back one by
// one.
Value linalg_powsum(Call& c, const Tensor& self, const Value& ord, const Value& dim, bool keepdim,
                    OptionalDType dtype) {
  Value x = dtype ? c.call<"aten::to.dtype">(self, *dtype) : Value(self);
  if (!is_bool(x.tensor().dtype())) x = c.call<"aten::abs">(x);
  const Tensor& powers = c.tensor<"aten::pow.Tensor_Scalar">(x, ord);
  const DimSet dims = reduction_dims_or_all(c, powers, dim);
  Value sum = reduce(c, powers, dims, false, sum_dtype(powers, {}));
  for (int64_t i = 0; keepdim && i < powers.dim(); ++i) {
    if (contains(dims, static_cast<size_t>(i))) sum = c.call<"aten::unsqueeze">(sum, i);
  }
  return sum;
}

// Mirrors renorm, torch/_refs/__init__.py.
Value renorm(Call& c, const Tensor& self, const Value& p, int64_t dim, const Value& maxnorm) {
  c.check(!p.is(Value::Tag::kComplex), "renorm: p must be real-valued");
  const auto compare = [](PythonBinary op, const Value& number) {
    return apply(op, number_of(number), SymInt(0)).as_bool();
  };
  c.check(compare(PythonBinary::kGt, p), "renorm: non-positive norm not supported");
  c.check(!maxnorm.is(Value::Tag::kComplex), "renorm: maxnorm must be real-valued");
  c.check(compare(PythonBinary::kGe, maxnorm), "renorm: expected maxnorm to be >= 0 but got {}",
          maxnorm);
  c.check(self.dim() > 1, "renorm: input needs at least 2 dimensions, got {} dimensions",
          self.dim());
  const int64_t kept = wrap_dim(dim, self.dim());
  DimVector reduced;
  for (int64_t i = 0; i < self.dim(); ++i)
    if (i != kept) reduced.push_back(i);
  const DType computation = computation_dtype(self.dtype());
  const bool is_cast = computation != self.dtype();
  const Value norm = c.call<"aten::linalg_vector_norm">(self, p, reduced, true,
                                                        is_cast ? Value(computation) : Value());
  const Value factor = *cast_to(c, norm.tensor(), is_cast ? self.dtype() : norm.tensor().dtype());
  return c.call<"aten::contiguous">(*arithmetic(c, self, factor));
}

// --- linalg_cond ---

// Mirrors _linalg_cond_helper.
template <FixedString norm, typename Order>
Value cond_by_inverse(Call& c, const Tensor& self, const Order& ord) {
  const Value both = c.call<"aten::linalg_inv_ex">(self);
  const Value info = c.call<"aten::unsqueeze_">(c.call<"aten::unsqueeze_">(both[1], -1), -1);
  c.call<"aten::masked_fill_.Scalar">(both[0], c.call<"aten::gt.Scalar">(info, 0), HUGE_VAL);
  const Value product =
      c.call<"aten::mul.Tensor">(c.call<norm>(self, ord), c.call<norm>(both[0], ord));
  return c.call<"aten::nan_to_num_">(product, HUGE_VAL, HUGE_VAL, -HUGE_VAL);
}

Value condition_by_number(Call& c, const Tensor& self, const Value& p) {
  c.check(self.dim() >= 2, "linalg.cond: The input tensor must have at least 2 dimensions.");
  const Value order = p.is_none() ? Value(2) : p;
  const double ord = as_real(order);
  const double size = std::abs(ord);
  c.check(size == 1 || size == 2 || std::isinf(size), "linalg.cond got an invalid norm type: {}",
          streamed(ord));
  if (guard_bool(self.numel() == 0)) {
    return c.call<"aten::new_zeros">(self, DimVector(batch_sizes(self)), to_real(self.dtype()));
  }
  if (size == 2) {
    const Value values = c.call<"aten::linalg_svdvals">(self);
    const Value largest = c.call<"aten::narrow">(values, -1, 0, 1);
    const Value smallest = c.call<"aten::narrow">(values, -1, -1, 1);
    const Value ratio = ord < 0 ? c.call<"aten::div.Tensor">(smallest, largest)
                                : c.call<"aten::div.Tensor">(largest, smallest);
    return c.call<"aten::squeeze.dim">(ratio, -1);
  }
  const std::string text =
      order.is(Value::Tag::kFloat) ? streamed(ord, "%f") : streamed(ord, "%.0f");
  check_square_in_aten(c, self, "linalg.cond(ord=" + text + ")");
  return cond_by_inverse<"aten::linalg_matrix_norm">(c, self, order);
}

Value condition_by_name(Call& c, const Tensor& self, std::string_view p) {
  check_square_in_aten(c, self, "linalg.cond(ord=" + std::string(p) + ")");
  c.check(p == "fro" || p == "nuc", "linalg.cond got an invalid norm type: {}", p);
  if (guard_bool(self.numel() == 0)) {
    return c.call<"aten::new_zeros">(self, DimVector(batch_sizes(self)), to_real(self.dtype()));
  }
  if (p == "fro") return cond_by_inverse<"aten::linalg_matrix_norm.str_ord">(c, self, p);
  const Value values = c.call<"aten::linalg_svdvals">(self);
  const Value inverted = c.call<"aten::reciprocal">(values);
  const Value inverted_sum = c.call<"aten::sum.dim_IntList">(inverted, one(-1));
  return c.call<"aten::mul.Tensor">(c.call<"aten::sum.dim_IntList">(values, one(-1)), inverted_sum);
}

void check_cond_output(Call& c, const Tensor& self) {
  if (const Tensor* out = output_of(c))
    check_output(c, *out, self, to_real(self.dtype()), "linalg.cond");
}
Value linalg_cond(Call& c, const Tensor& self, const Value& p) {
  check_cond_output(c, self);
  return copy_into(c, condition_by_number(c, self, p));
}
Value linalg_cond_str(Call& c, const Tensor& self, std::string_view p) {
  check_cond_output(c, self);
  return copy_into(c, condition_by_name(c, self, p));
}

// --- tolerances ---

struct Tolerances {
  Value absolute, relative;
};

Value scalar_like(Call& c, const Tensor& self, DType dtype) {
  return c.call<"aten::new_zeros">(self, DimVector{}, dtype);
}

// at::_get_epsilon knows two types; it is asked where no relative tolerance is given.
void check_has_epsilon(Call& c, const Tensor& self) {
  const DType real = to_real(self.dtype());
  c.check(real == DType::kFloat32 || real == DType::kFloat64,
          "This function doesn't handle types other than float and double");
  self.size(-2);
}

// Mirrors get_atol_rtol.
Tolerances tolerances(Call& c, const Tensor& self, Tensor* atol, Tensor* rtol,
                      std::string_view name) {
  const auto check_real = [&](Tensor* tolerance, std::string_view which) {
    c.check(tolerance == nullptr || !is_complex(tolerance->dtype()),
            "{}: {} tensor of complex type is not supported. Got {}", name, which,
            tolerance == nullptr ? std::string_view() : info(tolerance->dtype()).cpp_name);
  };
  const Value zero = scalar_like(c, self, DType::kFloat64);
  check_real(atol, "atol");
  check_real(rtol, "rtol");
  const Value absolute = atol == nullptr ? zero : Value(atol);
  if (rtol != nullptr) return {absolute, rtol};
  const SymInt rows = self.size(-2);
  guard_bool(self.size(-1) < rows);  // the larger one makes the default
  check_has_epsilon(c, self);
  if (atol == nullptr) return {absolute, zero};
  return {absolute, c.call<"aten::where.self">(c.call<"aten::gt.Scalar">(*atol, 0), zero, zero)};
}
Tolerances tolerances(Call& c, const Tensor& self, bool has_rtol) {
  if (!has_rtol) check_has_epsilon(c, self);
  const Value zero = scalar_like(c, self, DType::kFloat64);
  return {zero, zero};
}

// max(atol, rtol * largest): what singular values must exceed.
Value threshold(Call& c, const Tolerances& given, const Value& largest) {
  const Value relative =
      c.call<"aten::mul.Tensor">(c.call<"aten::unsqueeze">(given.relative, -1), largest);
  return c.call<"aten::maximum">(c.call<"aten::unsqueeze">(given.absolute, -1), relative);
}

// --- linalg_matrix_rank ---

// An output is resized before anything is computed.
void check_rank_input(Call& c, const Tensor& self) {
  check_is_matrix(c, self, "torch.linalg.matrix_rank", "input");
  if (Tensor* out = output_of(c)) resize_output(c.context(), *out, batch_sizes(self));
}

// Mirrors matrix_rank_impl, which for a tensor subclass like a fake tensor returns a tensor of its
// own instead of the output.
Value matrix_rank(Call& c, const Tensor& self, const Tolerances& given, bool hermitian) {
  constexpr std::string_view kName = "torch.linalg.matrix_rank";
  Tensor* out = output_of(c);
  if (out != nullptr) check_same_device(c, *out, self, kName, "result");
  check_same_device(c, given.absolute.tensor(), self, kName, "atol");
  check_same_device(c, given.relative.tensor(), self, kName, "rtol");
  if (out != nullptr) check_output(c, *out, self, DType::kInt64, kName);
  if (guard_bool(self.numel() == 0))
    return out != nullptr
               ? Value(out)
               : c.call<"aten::new_zeros">(self, DimVector(batch_sizes(self)), DType::kInt64);
  Value values, largest;
  if (hermitian) {
    values = c.call<"aten::abs">(c.call<"aten::linalg_eigvalsh">(self));
    largest = c.call<"aten::amax">(values, one(-1), true);
  } else {
    values = c.call<"aten::linalg_svdvals">(self);
    largest = c.call<"aten::narrow">(values, -1, 0, 1);
  }
  const Value counted = c.call<"aten::gt.Tensor">(values, threshold(c, given, largest));
  return c.call<"aten::sum.dim_IntList">(counted, one(-1));
}

Value matrix_rank_floats(Call& c, const Tensor& self, const Value&, const Value& rtol,
                         bool hermitian) {
  check_rank_input(c, self);
  return matrix_rank(c, self, tolerances(c, self, !rtol.is_none()), hermitian);
}
Value matrix_rank_tensors(Call& c, const Tensor& self, Tensor* atol, Tensor* rtol, bool hermitian) {
  check_rank_input(c, self);
  return matrix_rank(c, self, tolerances(c, self, atol, rtol, "torch.linalg.matrix_rank"),
                     hermitian);
}
// These overloads call another one's, whose answer is taken for the output.
Value as_output(Call& c, const Value& result) {
  return output_of(c) == nullptr ? result : Value(*output_of(c));
}
Value matrix_rank_tol(Call& c, const Tensor& self, const Value&, bool hermitian) {
  check_rank_input(c, self);
  return as_output(c, matrix_rank(c, self, tolerances(c, self, true), hermitian));
}
Value matrix_rank_tol_tensor(Call& c, const Tensor& self, const Tensor& tol, bool hermitian) {
  check_rank_input(c, self);
  Tensor& rtol = scalar_like(c, tol, tol.dtype()).tensor();
  Tensor* atol = const_cast<Tensor*>(&tol);
  return as_output(
      c, matrix_rank(c, self, tolerances(c, self, atol, &rtol, "torch.linalg.matrix_rank"),
                     hermitian));
}

// --- linalg_pinv ---

// A tolerance as the kernel of linalg_pinv sees it: everything is on one device there.
Tensor* on_common_device(Call& c, Tensor* tolerance) {
  return tolerance == nullptr ? nullptr : c.empty(tolerance->sizes(), tolerance->dtype());
}

void check_pinv_output(Call& c, const Tensor& self) {
  if (const Tensor* out = output_of(c)) check_output(c, *out, self, self.dtype(), "linalg.pinv");
}

Value linalg_pinv_tensors(Call& c, const Tensor& self, Tensor* atol, Tensor* rtol, bool hermitian) {
  check_pinv_output(c, self);
  const DType dtype = self.dtype();
  std::string sizes = format("{}", self.sizes());
  c.check((dtype == DType::kFloat32 || dtype == DType::kFloat64 || dtype == DType::kComplex64 ||
           dtype == DType::kComplex128) &&
              self.dim() >= 2,
          "{}",
          "linalg.pinv(" + std::string(info(dtype).cpp_name) + "{" + sizes +
              "}): expected a tensor with 2 or more dimensions of float, double, cfloat or "
              "cdouble types");
  Tensor* absolute = on_common_device(c, atol);
  Tensor* relative = on_common_device(c, rtol);
  const Tolerances given = tolerances(c, self, absolute, relative, "torch.linalg.pinv");
  Value u, s, v;
  if (hermitian && guard_bool(self.numel() != 0)) {
    const Value both = c.call<"aten::linalg_eigh">(self);
    s = both[0];
    u = v = both[1];
  } else {
    const Value all = c.call<"aten::svd">(self);
    u = all[0], s = all[1], v = all[2];
  }
  Value inverted = c.call<"aten::reciprocal">(s);
  if (guard_bool(self.numel() != 0)) {
    const Value size = hermitian ? c.call<"aten::abs">(s) : s;
    const Value largest = hermitian ? c.call<"aten::amax">(size, one(-1), true)
                                    : c.call<"aten::narrow">(size, -1, 0, 1);
    const Value kept = c.call<"aten::gt.Tensor">(size, threshold(c, given, largest));
    const Value zero = scalar_like(c, s.tensor(), s.tensor().dtype());
    inverted = c.call<"aten::to.dtype">(c.call<"aten::where.self">(kept, inverted, zero), dtype);
  }
  const Value scaled = c.call<"aten::mul.Tensor">(v, c.call<"aten::unsqueeze">(inverted, -2));
  return copy_into(c, c.call<"aten::matmul">(scaled, c.call<"aten::mH">(u)));
}
Value linalg_pinv_floats(Call& c, const Tensor& self, const Value&, const Value& rtol,
                         bool hermitian) {
  check_pinv_output(c, self);
  const Tolerances given = tolerances(c, self, !rtol.is_none());
  return copy_into(c, c.call<"aten::linalg_pinv.atol_rtol_tensor">(self, given.absolute,
                                                                   given.relative, hermitian));
}
Value linalg_pinv_rcond_tensor(Call& c, const Tensor& self, const Tensor& rcond, bool hermitian) {
  check_pinv_output(c, self);
  c.check(!is_complex(rcond.dtype()),
          "torch.linalg.pinv: rcond tensor of complex type is not supported. Got {}",
          info(rcond.dtype()).cpp_name);
  const Value zero = scalar_like(c, self, DType::kFloat64);
  return copy_into(c, c.call<"aten::linalg_pinv.atol_rtol_tensor">(self, zero, rcond, hermitian));
}
Value linalg_pinv_rcond(Call& c, const Tensor& self, double rcond, bool hermitian) {
  check_pinv_output(c, self);
  return copy_into(c, c.call<"aten::linalg_pinv.atol_rtol_float">(self, 0.0, rcond, hermitian));
}
Value pinverse(Call& c, const Tensor& self, double rcond) {
  return c.call<"aten::linalg_pinv">(self, rcond, false);
}

// clang-format off
constexpr OpDef kMatrixNormRules[] = {
    {"aten::linalg__powsum(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", rule<&linalg_powsum>(), kByCompositeExplicit},
    {"aten::linalg_cond(Tensor self, Scalar? p=None) -> Tensor", rule<&linalg_cond>(), kComposite},
    {"aten::linalg_cond.p_str(Tensor self, str p) -> Tensor", rule<&linalg_cond_str>(), kComposite},
    {"aten::linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", rule<&linalg_matrix_norm>(), kComposite},
    {"aten::linalg_matrix_norm.str_ord(Tensor self, str ord=\"fro\", int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", rule<&linalg_matrix_norm_str>(), kComposite},
    {"aten::linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor", rule<&matrix_rank_tol>(), kComposite},
    {"aten::linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor", rule<&matrix_rank_floats>(), kComposite},
    {"aten::linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor", rule<&matrix_rank_tensors>(), kComposite},
    {"aten::linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor", rule<&matrix_rank_tol_tensor>(), kComposite},
    {"aten::linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", rule<&linalg_norm>(), kComposite},
    {"aten::linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", rule<&linalg_norm_str>(), kComposite},
    {"aten::linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor", rule<&linalg_pinv_rcond>(), kComposite},
    {"aten::linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor", rule<&linalg_pinv_floats>(), kComposite},
    {"aten::linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor", rule<&linalg_pinv_tensors>(), kByCompositeExplicit, derivative<Derivative{.without_formula = "atol,rtol"}>},
    {"aten::linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor", rule<&linalg_pinv_rcond_tensor>(), kComposite},
    {"aten::nuclear_norm(Tensor self, bool keepdim=False) -> Tensor", rule<&nuclear_norm>(), kComposite},
    {"aten::nuclear_norm.dim(Tensor self, int[2] dim, bool keepdim=False) -> Tensor", rule<&nuclear_norm_dim>(), kComposite},
    {"aten::pinverse(Tensor self, float rcond=1.0000000000000001e-15) -> Tensor", rule<&pinverse>(), kComposite},
    {"aten::renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor", rule<&renorm>(), kInplaceCopies | kByRef},
};
// clang-format on
}  // namespace
}  // namespace rules_of_matrix_norm

std::span<const OpDef> matrix_norm_rules() { return rules_of_matrix_norm::kMatrixNormRules; }

}  // namespace faketensor
