// Reductions: sums, extrema, moments, norms, quantifiers.
#include "core/ops/families/reduction.h"

#include <cmath>
#include <limits>

#include "core/ops/derived.h"
#include "core/ops/families/arithmetic.h"
#include "core/ops/families/into.h"
#include "core/ops/families/number.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/families/symbolic_sizes.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/ops/steps/steps.h"
#include "core/symbolic/cpp_comparison.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_reduction {
namespace {

using OptionalDType = std::optional<DType>;

// --- sums and products ---

// What a reference casts before it reduces (_reduction, torch/_refs/__init__.py).
const Tensor& cast_for_reduction(Call& c, const Tensor& self, DType dtype) {
  const bool casts = has_symbolic_sizes(self) && self.dtype() != dtype;
  return casts ? c.tensor<"prims::convert_element_type">(self, dtype) : self;
}

// Mirrors sum and prod, torch/_refs/__init__.py.
Tensor* sum_dim(Call& c, const Tensor& self, const Value& dim, bool keepdim, OptionalDType dtype) {
  const DimSet dims = reduction_dims_or_all(c, self, dim);
  const DType result = sum_dtype(self, dtype);
  const Tensor& summed = cast_for_reduction(c, self, computation_dtype(result));
  return reduce_by_reference(c, summed, dims, keepdim, result);
}
Value sum(Call& c, const Tensor& self, OptionalDType dtype) {
  if (Tensor* out = output_of(c); out != nullptr)
    return c.call<"aten::sum.IntList_out">(self, DimVector{}, false, dtype, *out);
  return sum_dim(c, self, Value(), false, dtype);
}

// Mirrors meta_nansum, torch/_meta_registrations.py.
Tensor* nansum(Call& c, const Tensor& self, const Value& dim, bool keepdim, OptionalDType dtype) {
  return reduce(c, self, named_dims(c, self, dim), keepdim, sum_dtype(self, dtype));
}

// Mirrors mean, torch/_refs/__init__.py.
Tensor* mean_dim(Call& c, const Tensor& self, const Value& dim, bool keepdim, OptionalDType dtype) {
  const DimSet dims = reduction_dims_or_all(c, self, dim);
  const DType result = dtype.value_or(self.dtype());
  c.check(is_float_or_complex(result),
          "mean(): could not infer output dtype. {} dtype must be either a floating point or "
          "complex dtype. Got: {}",
          dtype ? "Optional" : "Input", result);
  if (!has_symbolic_sizes(self)) return reduce(c, self, dims, keepdim, result);
  // Divided as summed, in a type that may be wider than the result's.
  const DType computation = computation_dtype(result);
  const Tensor& summed = cast_for_reduction(c, self, computation);
  const Value sum_and_count[] = {reduce_by_reference(c, summed, dims, keepdim, computation), 1.0};
  const ReferenceSteps division(c, sum_and_count, Promotion::kDefault);
  Tensor& quotient = division.of(sum_and_count[0], sum_and_count[1]).tensor();
  if (quotient.dtype() == result) return &quotient;
  return &c.tensor<"prims::convert_element_type">(quotient, result);
}
Tensor* mean(Call& c, const Tensor& self, OptionalDType dtype) {
  return mean_dim(c, self, Value(), false, dtype);
}

// Mirrors nanmean, aten/src/ATen/native/ReduceOps.cpp.
Value nanmean(Call& c, const Tensor& self, const Value& dim, bool keepdim, OptionalDType dtype) {
  c.check(is_float_or_complex(self.dtype()),
          "nanmean(): expected input to have floating point or complex dtype but got {}",
          info(self.dtype()).cpp_name);
  c.check(is_float_or_complex(dtype.value_or(self.dtype())),
          "nanmean(): could not infer output dtype. Optional dtype must be either a floating point "
          "or complex dtype. Got: {}",
          info(dtype.value_or(self.dtype())).cpp_name);
  const Value present =
      c.call<"aten::logical_not">(c.call<"aten::isnan">(c.call<"aten::detach">(self)));
  const Value count = c.call<"aten::sum.dim_IntList">(present, dim, keepdim);
  if (Tensor* out = output_of(c)) {
    return c.call<"aten::div_.Tensor">(c.call<"aten::nansum.out">(self, dim, keepdim, dtype, *out),
                                       count);
  }
  return c.call<"aten::div.Tensor">(c.call<"aten::nansum">(self, dim, keepdim, dtype), count);
}

// Mirrors count_nonzero, torch/_refs/__init__.py.
Tensor* count_nonzero(Call& c, const Tensor& self, const Value& dim) {
  const DimSet dims = reduction_dims_or_all(c, self, dim);
  if (!has_symbolic_sizes(self)) return reduce(c, self, dims, false, DType::kInt64);
  return &run_steps(c.context(), c.op(), c.args()).tensor();
}

// --- quantifiers ---

DType any_dtype(const Tensor& self) {
  return self.dtype() == DType::kUInt8 ? DType::kUInt8 : DType::kBool;
}

// Mirrors any, torch/_refs/__init__.py: an empty list of dimensions reduces nothing.
Value any_dims(Call& c, const Tensor& self, const Value& dim, bool keepdim) {
  if (dim.is_list() && dim.size() == 0) {
    const Value copy = c.call<"aten::clone">(c.call<"aten::to.dtype">(self, DType::kBool));
    return c.call<"aten::to.dtype">(copy, any_dtype(self));
  }
  const DimSet dims = reduction_dims(c, self, dim);
  if (!has_symbolic_sizes(self)) return reduce(c, self, dims, keepdim, any_dtype(self));
  const Tensor& truths = cast_for_reduction(c, self, DType::kBool);
  const Tensor& counted = cast_for_reduction(c, truths, DType::kInt64);
  const Value count = *reduce_by_reference(c, counted, dims, keepdim, DType::kInt64);
  return *cast_to(c, c.tensor<"aten::ne.Scalar">(count, false), any_dtype(self));
}
Value any(Call& c, const Tensor& self) { return any_dims(c, self, Value(), false); }
// Mirrors all, torch/_refs/__init__.py.
Value all_dims(Call& c, const Tensor& self, const Value& dim, bool keepdim) {
  if (dim.is_list() && dim.size() == 0)
    return elementwise(c, c.args().first(1), self.dtype(), any_dtype(self));
  if (has_symbolic_sizes(self)) {
    const Tensor& falsehoods = c.tensor<"aten::logical_not">(self);
    const Value any_false = any_dims(c, falsehoods, dim, keepdim);
    return *cast_to(c, c.tensor<"aten::logical_not">(any_false), any_dtype(self));
  }
  return any_dims(c, self, dim, keepdim);
}

// --- extrema ---

// Mirrors amax and amin, torch/_refs/__init__.py.
Tensor* extremum(Call& c, const Tensor& self, const Value& dim, bool keepdim) {
  const DimSet dims = reduction_dims_or_all(c, self, dim);
  check_reduction_not_empty(c, self, dims);
  return reduce_by_reference(c, self, dims, keepdim, self.dtype());
}
// Mirrors aminmax, torch/_decomp/decompositions.py.
Value aminmax(Call& c, const Tensor& self, const Value& dim, bool keepdim) {
  return c.tuple({extremum(c, self, dim, keepdim), extremum(c, self, dim, keepdim)});
}

// Mirrors meta_max and meta_min, torch/_meta_registrations.py.
Tensor* extremum_of_all(Call& c, const Tensor& self) { return c.empty({}, self.dtype()); }
// Mirrors meta_median, torch/_meta_registrations.py.
Tensor* median(Call& c, const Tensor& self) { return c.empty({}, self.dtype()); }

// Mirrors meta_max_dim, meta_min_dim and meta_median_mode_dim, torch/_meta_registrations.py.
// Structured kernels (aten/src/ATen/native/ReduceOps.cpp) refuse more than their meta functions.
void check_ordered(const Call& c, std::string_view name, const Tensor& self) {
  c.check(!is_complex(self.dtype()), "{}(): does not support complex input", name);
}
Value values_and_indices_into(Call& c, const Tensor& self, int64_t dim, bool keepdim) {
  const std::string_view name = c.op().packet();
  check_ordered(c, name, self);
  const int64_t at = wrap_dim(dim, self.dim());
  c.check_as(ErrorKind::kIndexError, self.dim() == 0 || guard_bool(self.size(at) != 0),
             "{}(): Expected reduction dim {} to have non-zero size.", name, at);
  const bool is_max = name == "max";
  return write_structured(c, [&] {
    return is_max ? c.call<"aten::max.dim">(self, dim, keepdim)
                  : c.call<"aten::min.dim">(self, dim, keepdim);
  });
}
Value values_and_indices(Call& c, const Tensor& self, int64_t dim, bool keepdim) {
  if (c.op().output_count != 0) return values_and_indices_into(c, self, dim, keepdim);
  const DimSet dims = named_dims(c, self, dim);
  return c.tuple({reduce(c, self, dims, keepdim, self.dtype()),
                  reduce(c, self, dims, keepdim, DType::kInt64)});
}

// Mirrors argmax_argmin_meta, torch/_meta_registrations.py (both say "argmax").
Value arg_extremum(Call& c, const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  if (c.op().output_count != 0) {
    const bool is_max = c.op().schema.name == "aten::argmax";
    check_ordered(c, is_max ? "argmax" : "argmin", self);
    return write_structured(c, [&] {
      return is_max ? c.call<"aten::argmax">(self, dim, keepdim)
                    : c.call<"aten::argmin">(self, dim, keepdim);
    });
  }
  if (!dim) {
    c.check(self.numel() != 0,
            "argmax: Expected reduction dim to be specified for input.numel() == 0.");
    return reduce(c, self, named_dims(c, self, Value()), keepdim, DType::kInt64);
  }
  const int64_t at = wrap_dim(*dim, self.dim());
  if (self.dim() > 0) {
    c.check_as(ErrorKind::kIndexError, expect_true(self.size(at) != 0),
               "argmax: Expected reduction dim {} to have non-zero size.", at);
  }
  return reduce(c, self, DimSet::of(at), keepdim, DType::kInt64);
}

// Mirrors kthvalue_meta, torch/_meta_registrations.py.
Value kthvalue(Call& c, const Tensor& self, SymInt k, int64_t dim, bool keepdim) {
  const int64_t at = wrap_dim(dim, self.dim());
  const SymInt size = self.dim() > 0 ? self.size(at) : SymInt(1);
  c.check(sym_and(k >= 1, k <= size), "kthvalue(): selected number k out of range for dimension {}",
          at);
  return values_and_indices(c, self, at, keepdim);
}

// --- moments ---

void check_correction(Call& c, const Value& correction) {
  c.check_as(ErrorKind::kValueError, !correction.is(Value::Tag::kComplex),
             "correction argument should be integer or float");
}
// Mirrors var, torch/_refs/__init__.py.
Tensor* var_correction(Call& c, const Tensor& self, const Value& dim, const Value& correction,
                       bool keepdim) {
  check_correction(c, correction);
  return reduce_by_reference(c, self, reduction_dims_or_all(c, self, dim), keepdim,
                             to_real(self.dtype()));
}
// Mirrors std, torch/_refs/__init__.py: the square root makes integers floating, which are cast
// back.
Tensor* std_correction(Call& c, const Tensor& self, const Value& dim, const Value& correction,
                       bool keepdim) {
  check_correction(c, correction);
  const DType real = to_real(self.dtype());
  const DimSet dims = reduction_dims_or_all(c, self, dim);
  if (!has_symbolic_sizes(self)) return reduce(c, self, dims, keepdim, real);
  const Value variance = reduce_by_reference(c, self, dims, keepdim, real);
  return elementwise(c, {&variance, 1}, real, real);
}
// Mirrors var_mean and std_mean, torch/_refs/__init__.py.
template <Tensor* (*spread)(Call&, const Tensor&, const Value&, const Value&, bool)>
Value with_mean(Call& c, const Tensor& self, const Value& dim, const Value& correction,
                bool keepdim) {
  Tensor* first = spread(c, self, dim, correction, keepdim);
  return c.tuple({first, mean_dim(c, self, dim, keepdim, std::nullopt)});
}

// The overloads with `unbiased`, aten/src/ATen/native/ReduceOps.cpp: unbiased is correction 1.
template <FixedString name>
Value of_unbiased(Call& c, const Tensor& self, bool unbiased) {
  return c.call<name>(self, nullptr, int{unbiased});
}
template <FixedString name, FixedString out>
Value of_unbiased_dim(Call& c, const Tensor& self, const Value& dim, bool unbiased, bool keepdim) {
  return call_into<name, out>(c, self, dim, int{unbiased}, keepdim);
}

// --- norms ---

// The order of a norm: what Python asks of it, which for a symbol is a guard.
class NormOrder {
 public:
  explicit NormOrder(const Value& ord) {
    if (ord.is(Value::Tag::kComplex))
      throw_error(ErrorKind::kTypeError, "must be real number, not complex");
    order_ = number_of(ord);
  }
  bool is(double value) const { return holds(PythonBinary::kEq, SymFloat(value)); }
  bool is_negative() const { return holds(PythonBinary::kLt, SymFloat(0.0)); }
  // What is made of symbols is real, and so sympy knows it to be finite.
  bool is_infinite() const { return !order_.is_symbolic() && (is(kInfinity) || is(-kInfinity)); }
  bool is_even() const {
    const PythonNumber two = order_.is_float() ? PythonNumber(SymFloat(2.0)) : SymInt(2);
    const PythonNumber zero = order_.is_float() ? PythonNumber(SymFloat(0.0)) : SymInt(0);
    const PythonNumber rest = apply(PythonBinary::kMod, order_, two);
    return guard_bool(apply(PythonBinary::kEq, rest, zero).as_bool());
  }
  Value inverse() const { return value_of(apply(PythonBinary::kTrueDiv, SymFloat(1.0), order_)); }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  bool holds(PythonBinary op, const PythonNumber& value) const {
    return guard_bool(apply(op, order_, value).as_bool());
  }

  PythonNumber order_;
};

void check_norm_dtype(Call& c, DType input, OptionalDType dtype) {
  c.check(is_float_or_complex(input),
          "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}",
          input);
  if (!dtype) return;
  c.check(is_float_or_complex(*dtype),
          "linalg.vector_norm: dtype should be floating point or complex. Got {}", *dtype);
  c.check(is_complex(*dtype) == is_complex(input),
          "linalg.vector_norm: dtype should be {} for {} inputs. Got {}",
          is_complex(input) ? "complex" : "real", is_complex(input) ? "complex" : "real", *dtype);
  c.check(higher_dtype(c, *dtype, input) == *dtype,
          "linalg.vector_norm: the dtype of the input ({}) should be convertible without narrowing "
          "to the specified dtype ({})",
          input, *dtype);
}

void check_norm_not_empty(Call& c, const Tensor& self, const Value& ord, const Value& dim) {
  const bool whole = dim.is_none() || dim.size() == 0;
  c.check(sym_or(self.numel() != 0, !whole),
          "linalg.vector_norm cannot compute the {} norm on an empty tensor because the operation "
          "does not have an identity",
          ord);
  if (whole) return;
  for (const SymInt index : dim.ints()) {
    const int64_t d = guard_int(index);
    const SymBool has_elements = d >= 0 && d < self.dim() ? self.size(d) != 0 : SymBool(false);
    c.check(sym_or(self.numel() != 0, has_elements),
            "linalg.vector_norm cannot compute the {} norm on the dimension {} because this "
            "dimension is empty and the operation does not have an identity",
            ord, d);
  }
}

bool spans_one_element(const Tensor& self, const DimSet& dims) {
  for (size_t i = 0; i < self.sizes().size(); ++i) {
    if (contains(dims, i) && !guard_or_false(self.sizes()[i] == 1)) return false;
  }
  return self.dim() > 0;
}
// Norms along dimensions of size 1, whose strides are the tensor's.
Tensor* magnitudes(Call& c, const Tensor& self, const DimSet& dims, bool keepdim, DType result) {
  const Value operand = self;
  const Tensor& absolute = *elementwise(c, {&operand, 1}, computation_dtype(self.dtype()), result);
  if (keepdim) return &c.tensor<"aten::contiguous">(absolute);
  const DimVector sizes = reduced_sizes(self.sizes(), dims, false);
  return &c.tensor<"aten::contiguous">(c.call<"aten::view">(absolute, sizes));
}

// The steps of one that is no extremum: pow(sum(pow(abs(self), ord)), 1 / ord).
Tensor* norm_by_reference(Call& c, const Tensor& self, const Value& ord, bool is_even,
                          const DimSet& dims, bool keepdim, DType result) {
  Value powers = *cast_to(c, self, computation_dtype(self.dtype()));
  if (!is_even || is_complex(self.dtype())) powers = c.call<"aten::abs">(powers);
  powers = c.call<"aten::pow.Tensor_Scalar">(powers, ord);
  const Tensor& base = powers.tensor();
  const Value sum = *reduce_by_reference(c, base, dims, keepdim, base.dtype());
  const Value root = c.call<"aten::pow.Tensor_Scalar">(sum, NormOrder(ord).inverse());
  return cast_to(c, root.tensor(), result);
}

// Mirrors vector_norm, torch/_refs/linalg/__init__.py.
Tensor* linalg_vector_norm(Call& c, const Tensor& self, const Value& ord, const Value& dim,
                           bool keepdim, OptionalDType dtype) {
  check_norm_dtype(c, self.dtype(), dtype);
  const NormOrder order(ord);
  const bool is_negative = order.is_negative();
  const bool is_extremum = order.is_infinite();
  if (is_negative || is_extremum) check_norm_not_empty(c, self, ord, dim);
  const bool is_zero = order.is(0.0);
  const bool is_even = !is_zero && !is_extremum && order.is_even();
  if (!is_zero && !is_extremum) {
    const DimSet dims = reduction_dims_or_all(c, self, dim, /*allow_repeated=*/true);
    if (spans_one_element(self, dims))
      return magnitudes(c, self, dims, keepdim, to_real(dtype.value_or(self.dtype())));
  }
  const DimSet dims = reduction_dims_or_all(c, self, dim);
  if (is_extremum) check_reduction_not_empty(c, self, dims);
  const DType result = to_real(dtype.value_or(self.dtype()));
  if (is_zero || is_extremum) return reduce_by_reference(c, self, dims, keepdim, result);
  // The power by 1 of the sum is a copy of it, with its strides.
  if (has_symbolic_sizes(self) || order.is(1.0))
    return norm_by_reference(c, self, ord, is_even, dims, keepdim, result);
  return reduce(c, self, dims, keepdim, result);
}

// Mirrors norm, torch/_refs/__init__.py.
Value norm(Call& c, const Tensor& self, const Value& p) {
  return c.call<"aten::linalg_vector_norm">(self, p);
}
Value norm_dtype(Call& c, const Tensor& self, const Value& p, DType dtype) {
  return c.call<"aten::linalg_vector_norm">(self, p.is_none() ? Value(2) : p, nullptr, false,
                                            dtype);
}
Value norm_dim(Call& c, const Tensor& self, const Value& p, const Value& dim, bool keepdim) {
  return c.call<"aten::linalg_vector_norm">(self, p.is_none() ? Value(2) : p, dim, keepdim);
}
Value norm_dim_dtype(Call& c, const Tensor& self, const Value& p, const Value& dim, bool keepdim,
                     DType dtype) {
  return c.call<"aten::linalg_vector_norm">(self, p.is_none() ? Value(2) : p, dim, keepdim, dtype);
}
// Mirrors frobenius_norm, aten/src/ATen/native/LinearAlgebra.cpp.
Value frobenius_norm(Call& c, const Tensor& self, const Value& dim, bool keepdim) {
  if (Tensor* out = output_of(c)) return c.call<"aten::norm.out">(self, 2.0, dim, keepdim, *out);
  return c.call<"aten::linalg_vector_norm">(self, 2.0, dim, keepdim);
}
// Mirrors dist, torch/_decomp/decompositions.py.
Value dist(Call& c, const Tensor& self, const Tensor& other, const Value& p) {
  return c.call<"aten::norm.Scalar">(c.call<"aten::sub.Tensor">(self, other), p);
}

Tensor* logsumexp_by_steps(Call& c, const Tensor& self, const Value& dim, bool keepdim) {
  Value maxima = c.call<"aten::amax">(self, dim, true);
  const Value infinite = c.call<"aten::eq.Scalar">(c.call<"aten::abs">(maxima), HUGE_VAL);
  maxima = c.call<"aten::masked_fill.Scalar">(maxima, infinite, 0);
  const Value added = keepdim ? maxima : c.call<"aten::squeeze.dims">(maxima, dim);
  const Value below = c.call<"aten::exp">(c.call<"aten::sub.Tensor">(self, maxima));
  const Value sum = c.call<"aten::sum.dim_IntList">(below, dim, keepdim);
  return &c.tensor<"aten::add.Tensor">(c.call<"aten::log">(sum), added);
}

// Mirrors logsumexp, torch/_refs/__init__.py: maxima, and a sum of what is below them.
Tensor* logsumexp(Call& c, const Tensor& self, const Value& dim, bool keepdim) {
  const DimSet dims = reduction_dims_or_all(c, self, dim);
  const bool has_elements = !guard_bool(self.numel() == 0);
  if (has_elements) check_reduction_not_empty(c, self, dims);
  const DType dtype = is_float_or_complex(self.dtype()) ? self.dtype() : c.context().default_dtype;
  if (has_elements && has_symbolic_sizes(self)) return logsumexp_by_steps(c, self, dim, keepdim);
  // No dimension is squeezed from the maxima of an empty list, which are added last.
  const bool keeps_maxima = dim.size() == 0 && has_elements;
  return reduce(c, self, dims, keepdim || keeps_maxima, dtype);
}

// Mirrors meta_histc, torch/_meta_registrations.py.
Tensor* histc(Call& c, const Tensor& self, int64_t bins, const Value& min, const Value& max) {
  c.check(!self.device().is_cpu() || is_floating(self.dtype()),
          "\"histogram_cpu\" not implemented for '{}'", self.dtype());
  c.check(bins > 0, "histc(): bins must be > 0, but got {}", bins);
  c.check(apply(PythonBinary::kGe, number_of(max), number_of(min)).as_bool(),
          "histc(): max must be larger than min");
  return c.empty({bins}, self.dtype());
}

// Mirrors sum_to_size, aten/src/ATen/native/TensorFactories.cpp (sum_to, ATen/ExpandUtils.h).
Value sum_to_size(Call& c, const Tensor& self, Dims size) {
  const size_t rank = self.sizes().size();
  bool expandable = size.size() <= rank;
  const size_t leading = expandable ? rank - size.size() : 0;
  for (size_t i = size.size(); expandable && i-- > 0;)
    expandable = !cpp_ne(size[i], self.sizes()[leading + i]) || !cpp_ne(size[i], 1);
  if (!expandable) specialize_sizes(self);  // for the text
  if (!expandable) {  // braces stand around these lists, so the text is put together
    c.fail(ErrorKind::kRuntimeError, "size {" + format("{}", size) +
                                         "} is not expandable to size {" +
                                         format("{}", self.sizes()) + "}.");
  }
  if (size.empty()) return c.call<"aten::sum">(self);
  DimVector dims;
  for (size_t i = 0; i < rank; ++i) {
    const bool is_summed = i < leading || (guard_or_false(size[i - leading] == 1) &&
                                           guard_or_true(self.sizes()[i] != 1));
    if (is_summed) dims.push_back(i);
  }
  const Value result =
      dims.empty() ? Value(self) : c.call<"aten::sum.dim_IntList">(self, dims, true);
  return leading > 0 ? c.call<"aten::view">(result, size) : result;
}

// Mirrors the meta function of hash_tensor, aten/src/ATen/native/ReduceOps.cpp.
Value hash_tensor(Call& c, const Tensor& self, Dims dim, bool keepdim, const Value& mode) {
  if (c.op().output_count != 0) {
    for (const SymInt index : dim) {
      const int64_t at = wrap_dim(guard_int(index), self.dim());
      c.check_as(ErrorKind::kIndexError, self.dim() == 0 || guard_bool(self.size(at) != 0),
                 "hash_tensor: Expected reduction dim {} to have non-zero size.", at);
    }
    return write_structured(c,
                            [&] { return c.call<"aten::hash_tensor">(self, dim, keepdim, mode); });
  }
  (void)cpp_eq(self.numel(), 0);  // before the dimensions are looked at
  specialize_sizes(self);
  // Ranges are looked at before the number of dimensions is.
  for (const SymInt index : dim) wrap_dim(guard_int(index), self.dim());
  const DimSet dims =
      dim.empty() ? named_dims(c, self, Value()) : dim_list_to_bitset(c, dim, self.dim());
  return reduce(c, self, dims, keepdim, DType::kUInt64);
}

// clang-format off
constexpr OpDef kReduction[] = {
    {"aten::all(Tensor self) -> Tensor", rule<&any>(), kByRef | kNoDerivative},
    {"aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", rule<&all_dims>(), kByRef | kNoDerivative},
    {"aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", rule<&all_dims>(), kByRef | kNoDerivative},
    {"aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", rule<&extremum>(), kByRef | kRealDerivative},
    {"aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", rule<&extremum>(), kByRef | kRealDerivative},
    {"aten::aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)", rule<&aminmax>(), kByDecomp | kRealDerivative},
    {"aten::any(Tensor self) -> Tensor", rule<&any>(), kByRef | kNoDerivative},
    {"aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", rule<&any_dims>(), kByRef | kNoDerivative},
    {"aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", rule<&any_dims>(), kByRef | kNoDerivative},
    {"aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", rule<&arg_extremum>()},
    {"aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", rule<&arg_extremum>()},
    {"aten::count_nonzero(Tensor self, int? dim=None) -> Tensor", rule<&count_nonzero>(), kByRef},
    {"aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor", rule<&count_nonzero>(), kByRef},
    {"aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor", rule<&dist>(), kByDecomp | kRealDerivative},
    {"aten::frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", rule<&frobenius_norm>(), kComposite},
    {"aten::hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor", rule<&hash_tensor>(), kByStructured},
    {"aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor", rule<&histc>(), kDeviceHint | kNoDerivative},
    {"aten::kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", rule<&kthvalue>(), kRealDerivative},
    {"aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", rule<&linalg_vector_norm>(), kByRef},
    {"aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", rule<&logsumexp>(), kByRef},
    {"aten::max(Tensor self) -> Tensor", rule<&extremum_of_all>(), kRealDerivative},
    {"aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", rule<&values_and_indices>(), kRealDerivative},
    {"aten::max.other(Tensor self, Tensor other) -> Tensor", same_as<"aten::maximum">(), kComposite | kRealDerivative},
    {"aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor", rule<&mean>(), kByRef},
    {"aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", rule<&mean_dim>(), kByRef},
    {"aten::median(Tensor self) -> Tensor", rule<&median>(), kRealDerivative},
    {"aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", rule<&values_and_indices>(), kDeviceHint | kRealDerivative},
    {"aten::min(Tensor self) -> Tensor", rule<&extremum_of_all>(), kRealDerivative},
    {"aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", rule<&values_and_indices>(), kRealDerivative},
    {"aten::min.other(Tensor self, Tensor other) -> Tensor", same_as<"aten::minimum">(), kComposite | kRealDerivative},
    {"aten::mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", rule<&values_and_indices>(), kRealDerivative},
    {"aten::nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", rule<&nanmean>(), kComposite},
    {"aten::nanmedian(Tensor self) -> Tensor", rule<&median>(), kRealDerivative},
    {"aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", rule<&values_and_indices>(), kDeviceHint | kRealDerivative},
    {"aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", rule<&nansum>(), kIntegerHistory},
    {"aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor", rule<&norm>(), kByRef | kRealDerivative},
    {"aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor", rule<&norm_dim>(), kByRef | kRealDerivative},
    {"aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor", rule<&norm_dim_dtype>(), kByRef | kRealDerivative},
    {"aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor", rule<&norm_dtype>(), kByRef | kRealDerivative},
    {"aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor", rule<&sum>(), kByRef | kIntegerHistory},
    {"aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", rule<&sum_dim>(), kByRef | kIntegerHistory},
    {"aten::special_logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", same_as<"aten::logsumexp">(), kComposite},
    {"aten::std(Tensor self, bool unbiased=True) -> Tensor", rule<&of_unbiased<"aten::std.correction">>(), kComposite | kRealDerivative},
    {"aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor", rule<&std_correction>(), kByRef | kRealDerivative},
    {"aten::std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", rule<&of_unbiased_dim<"aten::std.correction", "aten::std.correction_out">>(), kComposite | kRealDerivative},
    {"aten::std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)", rule<&of_unbiased<"aten::std_mean.correction">>(), kComposite},
    {"aten::std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)", rule<&with_mean<&std_correction>>(), kByRef},
    {"aten::std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)", rule<&of_unbiased_dim<"aten::std_mean.correction", "aten::std_mean.correction_out">>(), kComposite},
    {"aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", rule<&sum>(), kByDecomp | kIntegerHistory},
    {"aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", rule<&sum_dim>(), kByRef | kIntegerHistory},
    {"aten::sum_to_size(Tensor self, SymInt[] size) -> Tensor", rule<&sum_to_size>(), kComposite},
    {"aten::var(Tensor self, bool unbiased=True) -> Tensor", rule<&of_unbiased<"aten::var.correction">>(), kComposite | kRealDerivative},
    {"aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor", rule<&var_correction>(), kByRef | kRealDerivative},
    {"aten::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", rule<&of_unbiased_dim<"aten::var.correction", "aten::var.correction_out">>(), kComposite | kRealDerivative},
    {"aten::var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)", rule<&of_unbiased<"aten::var_mean.correction">>(), kComposite},
    {"aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)", rule<&with_mean<&var_correction>>(), kByRef},
    {"aten::var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)", rule<&of_unbiased_dim<"aten::var_mean.correction", "aten::var_mean.correction_out">>(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_reduction

std::span<const OpDef> reduction_rules() { return rules_of_reduction::kReduction; }

}  // namespace faketensor
