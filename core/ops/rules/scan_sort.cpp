// Scans along a dimension, sorting, searching, sampling.
#include "core/ops/derived.h"
#include "core/ops/families/into.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/families/reduction.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/symbolic/cpp_comparison.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_scan_sort {
namespace {

using OptionalDType = std::optional<DType>;

// Mirrors _cumsumprod_common, torch/_refs/__init__.py: each place's own sum or product of what is
// masked behind it.
template <typename Reduce>
Value cumulative(Call& c, const Tensor& self, int64_t dim, OptionalDType dtype,
                 const Reduce& reduce) {
  dim = wrap_dim(dim, self.dim());
  check_reducible_rank(c, self.dim() + 1);
  // A reduction of a new dimension: contiguous, where there is nothing to be asked.
  if (!has_symbolic_sizes(self)) return c.empty(self.sizes(), sum_dtype(self, dtype));
  if (self.dim() == 0) return reduce(c.call<"aten::unsqueeze">(self, 0), 0);
  const Value ahead = c.call<"aten::unsqueeze">(self, dim + 1);
  const Value range =
      c.call<"aten::arange">(self.size(dim), nullptr, nullptr, self.device(), nullptr);
  Value mask = c.call<"aten::le.Tensor">(c.call<"aten::unsqueeze">(range, 1), range);
  for (int64_t i = dim + 1; i < self.dim(); ++i) mask = c.call<"aten::unsqueeze">(mask, -1);
  const Value masked = c.call<"aten::where.ScalarOther">(mask, ahead, 0);
  return reduce(masked, dim);
}
Value cumsum(Call& c, const Tensor& self, int64_t dim, OptionalDType dtype) {
  return cumulative(c, self, dim, dtype, [&](const Value& masked, int64_t at) {
    return c.call<"aten::sum.dim_IntList">(masked, DimVector{at}, false, dtype);
  });
}
Value cumprod(Call& c, const Tensor& self, int64_t dim, OptionalDType dtype) {
  return cumulative(c, self, dim, dtype, [&](const Value& masked, int64_t at) {
    return c.call<"aten::prod.dim_int">(masked, at, false, dtype);
  });
}

// The in-place form: the result dtype is that of `self`.
Tensor* cumsum_inplace(Call& c, Tensor& self, int64_t dim, OptionalDType dtype) {
  wrap_dim(dim, self.dim());
  c.check(!dtype || *dtype == self.dtype(), "dtype argument and out dtype must match in reduction");
  return &self;
}

// Mirrors cummaxmin, torch/_meta_registrations.py.
Value cummax(Call& c, const Tensor& self, int64_t dim) {
  if (guard_bool(self.numel() != 0) && self.dim() != 0) wrap_dim(dim, self.dim());
  return c.tuple({c.empty(self.sizes(), self.dtype()), c.empty(self.sizes(), DType::kInt64)});
}

// Mirrors logcumsumexp, torch/_meta_registrations.py.
Tensor* logcumsumexp(Call& c, const Tensor& self, int64_t dim) {
  wrap_dim(dim, self.dim());
  return c.empty(self.sizes(), self.dtype());
}

// Mirrors diff, aten/src/ATen/native/ReduceOps.cpp: n times the difference of two slices.
Value diff(Call& c, const Tensor& self, int64_t n, int64_t dim, Tensor* prepend, Tensor* append) {
  c.check(self.dim() >= 1, "diff expects input to be at least one-dimensional");
  if (n == 0 && output_of(c) == nullptr) return c.call<"aten::zeros_like">(self);
  const int64_t at = wrap_dim(dim, self.dim());
  for (const Tensor* extra : {prepend, append}) {
    if (extra == nullptr) continue;
    c.check(extra->dim() == self.dim(),
            "diff expects prepend or append to be the same dimension as input");
    for (int64_t i = 0; i < self.dim(); ++i) {
      c.check(i == at ? SymBool(true) : extra->size(i) == self.size(i),
              "diff expects the shape of tensor to prepend or append to match that of input except "
              "along the differencing dimension; input.size({}) = {}, but got tensor.size({}) = {}",
              i, self.size(i), i, extra->size(i));
    }
  }
  c.check(n >= 0, "order must be non-negative but got {}", n);
  if (Tensor* out = output_of(c); n == 0) {
    resize_output(c.context(), *out, self.sizes());
    c.check(out->dtype() == self.dtype(), "expected scalar_type {} but found {}",
            info(self.dtype()).cpp_name, info(out->dtype()).cpp_name);
    return c.call<"aten::copy_">(*out, self);
  }
  SmallVector<Value, 3> parts;
  if (prepend != nullptr) parts.push_back(*prepend);
  parts.push_back(self);
  if (append != nullptr) parts.push_back(*append);
  Value result = parts.size() == 1 ? Value(self) : c.call<"aten::cat">(c.list(parts.span()), at);
  SymInt size = result.tensor().size(at);
  if (guard_bool(SymInt(n) > size)) n = guard_int(size);
  for (; n > 0; --n) {
    size = result.tensor().size(at);
    const Value upper = c.call<"aten::narrow">(result, at, 1, size - 1);
    const Value lower = c.call<"aten::narrow">(result, at, 0, size - 1);
    Tensor* out = n == 1 ? output_of(c) : nullptr;
    if (is_bool(self.dtype())) {
      result = out == nullptr ? c.call<"aten::logical_xor">(upper, lower)
                              : c.call<"aten::logical_xor.out">(upper, lower, *out);
    } else {
      result = out == nullptr ? c.call<"aten::sub.Tensor">(upper, lower)
                              : c.call<"aten::sub.out">(upper, lower, Value::unset(), *out);
    }
  }
  return result;
}

// --- sorting ---

// Mirrors meta_sort, torch/_meta_registrations.py: values and indices that are given get the
// strides that they would have been made with.
Value sort(Call& c, const Tensor& self) {
  if (c.op().output_count == 0)
    return c.tuple({c.empty_like(self), c.empty_like(self, DType::kInt64)});
  const std::span<const Value> outs = c.args().last(2);
  const DType dtypes[] = {self.dtype(), DType::kInt64};
  for (const Value& out : outs) resize_output(c.context(), out.tensor(), self.sizes());
  const DimVector sizes(self.sizes());
  for (size_t i = 0; i < 2; ++i) {
    const Tensor& made = *c.empty_like(self, dtypes[i]);
    c.call<"aten::as_strided_">(outs[i], sizes, made.strides());
    write_result(c, outs[i].tensor(), made);
  }
  return c.list(outs);
}
// Mirrors argsort and msort, aten/src/ATen/native/Sorting.cpp.
Value argsort(Call& c, const Tensor& self, int64_t dim, bool descending) {
  return c.call<"aten::sort">(self, dim, descending)[1];
}
Value argsort_stable(Call& c, const Tensor& self, bool stable, int64_t dim, bool descending) {
  if (Tensor* out = output_of(c)) {
    const Tensor* values = c.empty_on(self.device(), DimVector{0}, self.dtype());
    return c.call<"aten::sort.values_stable">(self, stable, dim, descending, *values, *out)[1];
  }
  return c.call<"aten::sort.stable">(self, stable, dim, descending)[1];
}
Value msort(Call& c, const Tensor& self) {
  if (Tensor* out = output_of(c)) {
    const Tensor* indices = c.empty_on(self.device(), DimVector{0}, DType::kInt64);
    return c.call<"aten::sort.values">(self, 0, false, *out, *indices)[0];
  }
  return c.call<"aten::sort">(self, 0, false)[0];
}

// Mirrors topk_meta, torch/_meta_registrations.py.
Value topk(Call& c, const Tensor& self, SymInt k, int64_t dim) {
  const int64_t at = wrap_dim(dim, self.dim());
  const SymInt size = self.dim() == 0 ? SymInt(1) : self.size(at);
  c.check(k >= 0,
          "Expected cond to be True, but got False. (Could this error message be improved? "
          "If so, please report an enhancement request to PyTorch.)");
  c.check(k <= size, "k not in range for dimension");
  DimVector sizes(self.sizes());
  if (!sizes.empty()) sizes[static_cast<size_t>(at)] = k;
  return c.tuple({c.empty(sizes, self.dtype()), c.empty(sizes, DType::kInt64)});
}

// --- searching ---

DType index_dtype(bool out_int32) { return out_int32 ? DType::kInt32 : DType::kInt64; }

// Mirrors meta_searchsorted, torch/_meta_registrations.py.
Tensor* searchsorted(Call& c, const Tensor& sorted_sequence, const Value& self, bool out_int32,
                     bool right, std::optional<std::string_view> side, Tensor* sorter) {
  const Dims bounds = sorted_sequence.sizes();
  if (bounds.size() > 1) {
    const Dims values = self.is_tensor() ? self.tensor().sizes() : Dims();
    c.check(!values.empty() &&
                guard_equal(bounds.first(bounds.size() - 1), values.first(values.size() - 1)),
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
            "dimensions of boundaries tensor and input value tensor must match, but we got "
            "boundaries tensor {} and input value tensor {}",
            bounds, values);
  }
  c.check(sorter == nullptr || guard_equal(bounds, sorter->sizes()),
          "torch.searchsorted(): boundary and sorter must have the same size, but got boundary "
          "tensor {} and got sorter tensor {}",
          bounds, sorter == nullptr ? Dims() : sorter->sizes());
  c.check(side != "left" || !right,
          "torch.searchsorted(): side and right can't be set to opposites, got side of left while "
          "right was True");
  return c.empty(self.is_tensor() ? self.tensor().sizes() : Dims(), index_dtype(out_int32));
}

// Mirrors meta_bucketize and meta_bucketize_scalar, torch/_meta_registrations.py.
Tensor* bucketize(Call& c, const Value& self, const Tensor&, bool out_int32) {
  return c.empty(self.is_tensor() ? self.tensor().sizes() : Dims(), index_dtype(out_int32));
}

// Mirrors meta_multinomial, torch/_meta_registrations.py.
Tensor* multinomial(Call& c, const Tensor& self, SymInt num_samples) {
  c.check(self.dim() == 1 || self.dim() == 2,
          "The probability distributions dimensions must be 1 or 2, but got {}", self.dim());
  if (self.dim() == 1) return c.empty({num_samples}, DType::kInt64);
  return c.empty({self.size(0), num_samples}, DType::kInt64);
}

// --- pairs ---

// Mirrors meta_cdist_forward, torch/_meta_registrations.py.
Tensor* cdist_forward(Call& c, const Tensor& x1, const Tensor& x2, double p,
                      std::optional<int64_t> compute_mode) {
  c.check(x1.dim() >= 2, "cdist only supports at least 2D tensors, X1 got: {}D", x1.dim());
  c.check(x2.dim() >= 2, "cdist only supports at least 2D tensors, X2 got: {}D", x2.dim());
  c.check(x1.size(-1) == x2.size(-1),
          "X1 and X2 must have the same number of columns. X1: {} X2: {}", x1.size(-1),
          x2.size(-1));
  c.check(is_floating(x1.dtype()), "cdist only supports floating-point dtypes, X1 got: {}",
          x1.dtype());
  c.check(is_floating(x2.dtype()), "cdist only supports floating-point dtypes, X2 got: {}",
          x2.dtype());
  c.check(p >= 0, "cdist only supports non-negative p values");
  c.check(!compute_mode || (*compute_mode >= 0 && *compute_mode <= 2),
          "possible modes: None, 0, 1, 2, but was: {}", compute_mode.value_or(0));
  const Dims batches[] = {x1.sizes().first(x1.sizes().size() - 2),
                          x2.sizes().first(x2.sizes().size() - 2)};
  DimVector sizes = broadcast_sizes(c, batches);
  sizes.push_back(x1.size(-2));
  sizes.push_back(x2.size(-2));
  return c.empty(sizes, x1.dtype());
}
// Mirrors cdist_impl, aten/src/ATen/native/Distance.cpp, where it makes a product of matrices: of
// one batch, which the batches of both are expanded and flattened to.
Value cdist_by_product(Call& c, const Tensor& x1, const Tensor& x2) {
  const auto batch = [](const Tensor& x) { return x.sizes().first(x.sizes().size() - 2); };
  const DimVector batches = broadcast_shapes(batch(x1), batch(x2));
  const SymInt count = numel(batches);
  const auto flat = [&](const Tensor& x) {
    DimVector sizes(batches);
    sizes.push_back(x.size(-2));
    sizes.push_back(x.size(-1));
    const Value dense = c.call<"aten::contiguous">(c.call<"aten::expand">(x, sizes));
    return c.call<"aten::view">(dense, DimVector{count, x.size(-2), x.size(-1)});
  };
  const Value first = flat(x1);
  const Value second = flat(x2);
  DimVector sizes(batches);
  sizes.push_back(x1.size(-2));
  sizes.push_back(x2.size(-2));
  if (cpp_eq(x1.size(-2), 0) || cpp_eq(x2.size(-2), 0) || cpp_eq(count, 0) ||
      cpp_eq(x1.size(-1), 0)) {
    return c.empty(sizes, x1.dtype());
  }
  const Value distances = cpp_eq(count, 1) ? c.call<"aten::_euclidean_dist">(x1, x2)
                                           : c.call<"aten::_euclidean_dist">(first, second);
  return c.call<"aten::view">(distances, sizes);
}

// Mirrors cdist, aten/src/ATen/native/Distance.cpp.
Value cdist(Call& c, const Tensor& x1, const Tensor& x2, double p,
            std::optional<int64_t> compute_mode) {
  c.check(x1.dim() >= 2, "cdist only supports at least 2D tensors, X1 got: {}D", x1.dim());
  c.check(x2.dim() >= 2, "cdist only supports at least 2D tensors, X2 got: {}D", x2.dim());
  c.check(cpp_eq(x1.size(-1), x2.size(-1)),
          "X1 and X2 must have the same number of columns. X1: {} X2: {}", x1.size(-1),
          x2.size(-1));
  if (!cpp_eq(x1.numel(), 0) && !cpp_eq(x2.numel(), 0) && p == 2.0) {
    const int64_t mode = compute_mode.value_or(0);
    const auto is_large = [](const Tensor& x) { return guard_bool(x.size(-2) > 25); };
    if (mode == 1 || (mode == 0 && (is_large(x1) || is_large(x2))))
      return cdist_by_product(c, x1, x2);
  }
  return c.call<"aten::_cdist_forward">(x1, x2, p, compute_mode);
}

// Mirrors linalg_cross, torch/_meta_registrations.py.
Tensor* linalg_cross(Call& c, const Tensor& self, const Tensor& other, int64_t dim) {
  c.check(self.dim() == other.dim(),
          "linalg.cross: inputs must have the same number of dimensions.");
  c.check(guard_bool(self.size(dim) == 3) ? other.size(dim) == 3 : SymBool(false),
          "linalg.cross: inputs dimension {} must have length 3. Got {} and {}", dim,
          self.size(dim), other.size(dim));
  return c.empty(broadcast_operands(c, c.args().first(2)), self.dtype());
}

// clang-format off
constexpr OpDef kScanSort[] = {
    {"aten::_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor", rule<&cdist_forward>(), kRealDerivative},
    {"aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor", rule<&argsort>(), kComposite},
    {"aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor", rule<&argsort_stable>(), kComposite},
    {"aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor", rule<&bucketize>()},
    {"aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor", rule<&bucketize>()},
    {"aten::cdist(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> Tensor", rule<&cdist>(), kComposite},
    {"aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)", rule<&cummax>(), kRealDerivative},
    {"aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)", rule<&cummax>(), kRealDerivative},
    {"aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", rule<&cumprod>(), kByRef | kIntegerHistory},
    {"aten::cumprod_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)", rule<&cumsum_inplace>(), kByRef | kIntegerHistory},
    {"aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", rule<&cumsum>(), kByRef | kIntegerHistory},
    {"aten::cumsum_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)", rule<&cumsum_inplace>(), kByRef | kIntegerHistory},
    {"aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor", rule<&diff>(), kComposite},
    {"aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor", rule<&linalg_cross>()},
    {"aten::logcumsumexp(Tensor self, int dim) -> Tensor", rule<&logcumsumexp>()},
    {"aten::msort(Tensor self) -> Tensor", rule<&msort>(), kComposite},
    {"aten::multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor", rule<&multinomial>(), kRandom | kNoDerivative},
    {"aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor", rule<&searchsorted>()},
    {"aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor", rule<&searchsorted>()},
    {"aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", rule<&sort>(), kRealDerivative},
    {"aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", rule<&sort>(), kRealDerivative},
    {"aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)", rule<&topk>(), kRealDerivative},
};
// clang-format on
}  // namespace
}  // namespace rules_of_scan_sort

std::span<const OpDef> scan_sort_rules() { return rules_of_scan_sort::kScanSort; }

}  // namespace faketensor
