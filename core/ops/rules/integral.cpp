// Functions along a dimension that PyTorch composes of others: integrals by trapezoids, gradients
// by differences, quantiles.
#include <algorithm>
#include <cmath>

#include "core/ops/families/into.h"
#include "core/ops/families/reduction.h"
#include "core/ops/families/symbolic_sizes.h"
#include "core/ops/rules/tables.h"
#include "core/symbolic/cpp_comparison.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_integral {
namespace {

// self[..., start:end, ...]
Value part(Call& c, const Value& self, int64_t dim, const Value& start, const Value& end) {
  return c.call<"aten::slice.Tensor">(self, dim, start, end, 1);
}
Value plus(Call& c, const Value& a, const Value& b) { return c.call<"aten::add.Tensor">(a, b); }
Value minus(Call& c, const Value& a, const Value& b) { return c.call<"aten::sub.Tensor">(a, b); }
Value times(Call& c, const Value& a, const Value& b) { return c.call<"aten::mul.Tensor">(a, b); }
Value over(Call& c, const Value& a, const Value& b) { return c.call<"aten::div.Tensor">(a, b); }

// --- integrals: aten/src/ATen/native/Integration.cpp ---

// The widths between sample points, shaped to go with `y`.
Value widths(Call& c, std::string_view name, const Tensor& y, const Tensor& x, int64_t dim) {
  c.check(!is_bool(y.dtype()) && !is_bool(x.dtype()),
          "{}: received a bool input for `x` or `y`, but bool is not supported", name);
  Value shaped = x;
  if (x.dim() == 1) {
    c.check(cpp_eq(x.size(0), y.size(dim)), "{}: There must be one `x` value for each sample point",
            name);
    DimVector sizes(y.sizes().size(), SymInt(1));
    if (!sizes.empty()) sizes[static_cast<size_t>(dim)] = x.size(0);
    shaped = c.call<"aten::view">(x, sizes);
  } else if (x.dim() < y.dim()) {
    DimVector sizes(y.sizes().size() - x.sizes().size(), SymInt(1));
    sizes.append(x.sizes());
    shaped = c.call<"aten::view">(x, sizes);
  }
  const Value left = part(c, shaped, dim, 0, -1);
  return minus(c, part(c, shaped, dim, 1, Value()), left);
}

void check_width(Call& c, std::string_view name, const Tensor& y, const Value& dx) {
  c.check(!is_bool(y.dtype()), "{}: received a bool input for `y`, but bool is not supported",
          name);
  c.check(!dx.is(Value::Tag::kComplex) && !dx.is(Value::Tag::kBool),
          "{}: Currently, we only support dx as a real number.", name);
}

// What an integral over no samples is.
Value zeros_without(Call& c, const Tensor& y, int64_t dim) {
  DimVector sizes;
  for (size_t i = 0; i < y.sizes().size(); ++i) {
    if (static_cast<int64_t>(i) != dim) sizes.push_back(y.sizes()[i]);
  }
  return c.call<"aten::new_zeros">(y, sizes);
}

Value sum_along(Call& c, const Value& self, int64_t dim) {
  return c.call<"aten::sum.dim_IntList">(self, DimVector{SymInt(dim)});
}

Value trapezoid(Call& c, const Tensor& y, const Tensor& x, int64_t dim) {
  const int64_t at = wrap_dim(dim, y.dim());
  if (guard_bool(y.size(at) == 0)) return zeros_without(c, y, at);
  const Value dx = widths(c, "trapezoid", y, x, at);
  const Value left = part(c, y, at, 0, -1);
  const Value heights = plus(c, left, part(c, y, at, 1, Value()));
  return over(c, sum_along(c, times(c, heights, dx), at), 2.0);
}
Value trapezoid_even(Call& c, const Tensor& y, const Value& dx, int64_t dim) {
  const bool is_empty = guard_bool(y.size(dim) == 0);
  const int64_t at = wrap_dim(dim, y.dim());
  if (is_empty) return zeros_without(c, y, at);
  check_width(c, "trapezoid", y, dx);
  const Value total = sum_along(c, y, at);
  const Value first = c.call<"aten::select.int">(y, at, 0);
  const Value ends = plus(c, first, c.call<"aten::select.int">(y, at, -1));
  return times(c, minus(c, total, times(c, ends, 0.5)), 1.0);
}

Value cumulative(Call& c, const Tensor& y, const Value& dx, int64_t dim) {
  const Value left = part(c, y, dim, 0, -1);
  const Value right = part(c, y, dim, 1, Value());
  const Value half = dx.is_tensor() ? over(c, dx, 2.0) : Value(0.5);
  const Value areas = times(c, plus(c, left, right), half);
  return c.call<"aten::cumsum">(areas, dim);
}
Value cumulative_trapezoid(Call& c, const Tensor& y, const Tensor& x, int64_t dim) {
  const int64_t at = wrap_dim(dim, y.dim());
  return cumulative(c, y, widths(c, "cumulative_trapezoid", y, x, at), at);
}
Value cumulative_trapezoid_even(Call& c, const Tensor& y, const Value& dx, int64_t dim) {
  const int64_t at = wrap_dim(dim, y.dim());
  check_width(c, "cumulative_trapezoid", y, dx);
  return cumulative(c, y, dx, at);
}

// --- gradients: aten/src/ATen/native/ReduceOps.cpp ---

// Mirrors pre_check_gradient. `dims` is null where the argument was not given.
void check_gradient(Call& c, const Tensor& self, std::optional<size_t> spacings, const Dims* dims,
                    int64_t edge_order) {
  c.check(self.dtype() != DType::kUInt8, "torch.gradient does not support uint8 input.");
  if (spacings && dims == nullptr) {
    c.check(*spacings == self.sizes().size(),
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length "
            "equal to 'self.dim() = {}', since dim argument was not given, but got a list of "
            "length {}",
            self.dim(), *spacings);
  }
  if (spacings && dims != nullptr) {
    c.check(*spacings == dims->size(),
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim "
            "arguments to have the same length, but got a spacing argument of length {} and a dim "
            "argument of length {}.",
            *spacings, dims->size());
  }
  c.check(edge_order == 1 || edge_order == 2,
          "torch.gradient only supports edge_order=1 and edge_order=2.");
  dim_list_to_bitset(c, dims == nullptr ? Dims() : Dims(*dims), self.dim());
  specialize_sizes(self);
  const auto check_size = [&](SymInt size) {
    c.check(size >= edge_order + 1,
            "torch.gradient expected each dimension size to be at least edge_order+1");
  };
  if (dims == nullptr) {
    for (const SymInt size : self.sizes()) check_size(size);
  } else {
    for (const SymInt dim : *dims) check_size(self.size(guard_int(dim)));
  }
}

Value joined(Call& c, const Value& first, const Value& middle, const Value& last, int64_t dim) {
  return c.call<"aten::cat">(c.tuple({first, middle, last}), dim);
}

// a * self[dim][at] + b * self[dim][at + 1] + c * self[dim][at + 2], counted from the end if below
// 0.
Value weighted(Call& c, const Tensor& self, int64_t dim, int64_t at, const Value (&weights)[3]) {
  Value sum;
  for (int64_t i = 0; i < 3; ++i) {
    const Value end = at + i == -1 ? Value() : Value(at + i + 1);
    const Value term = times(c, weights[i], part(c, self, dim, at + i, end));
    sum = i == 0 ? term : plus(c, sum, term);
  }
  return sum;
}

Value difference(Call& c, const Tensor& self, int64_t dim, int64_t at) {
  const Value next = part(c, self, dim, at + 1, at + 1 == -1 ? Value() : Value(at + 2));
  return minus(c, next, part(c, self, dim, at, at + 1));
}

// Mirrors gradient_helper_float: evenly spaced samples.
Value even_gradient(Call& c, const Tensor& self, const Value& spacing, int64_t dim,
                    int64_t edge_order) {
  const Value above = part(c, self, dim, 2, Value());
  const Value center = over(c, minus(c, above, part(c, self, dim, 0, -2)), spacing);
  Value first;
  Value last;
  if (edge_order == 1) {
    first = over(c, difference(c, self, dim, 0), spacing);
    last = over(c, difference(c, self, dim, -2), spacing);
  } else {
    first = over(c, weighted(c, self, dim, 0, {-1.5, 2, 0.5}), spacing);
    last = over(c, weighted(c, self, dim, -3, {0.5, 2, 1.5}), spacing);
  }
  return joined(c, first, over(c, center, 2), last, dim);
}

// Mirrors gradient_helper: samples at given coordinates.
Value uneven_gradient(Call& c, const Tensor& self, const Value& coordinate, int64_t dim,
                      int64_t edge_order) {
  DimVector shape(self.sizes().size(), SymInt(1));
  shape[static_cast<size_t>(dim)] = -1;
  const Value steps = c.call<"aten::diff">(coordinate, 1, 0);
  const Value before = part(c, steps, 0, 0, -1);
  const Value after = part(c, steps, 0, 1, Value());
  const auto shaped = [&](const Value& weight) { return c.call<"aten::reshape">(weight, shape); };
  const Value both = plus(c, before, after);
  const Value left_area = times(c, before, both);  // divisors first, as PyTorch's compiler has them
  const Value a = shaped(over(c, c.call<"aten::neg">(after), left_area));
  const Value center_area = times(c, before, after);
  const Value b = shaped(over(c, minus(c, after, before), center_area));
  const Value d = shaped(over(c, before, times(c, after, both)));
  const Value own = times(c, b, part(c, self, dim, 1, -1));
  const Value outer = plus(c, times(c, a, part(c, self, dim, 0, -2)), own);
  const Value center = plus(c, outer, times(c, d, part(c, self, dim, 2, Value())));
  const auto step = [&](int64_t at) { return c.call<"aten::select.int">(steps, 0, at); };
  if (edge_order == 1) {
    const Value first_step = step(0);
    const Value first = over(c, difference(c, self, dim, 0), first_step);
    const Value last_step = step(-1);
    return joined(c, first, center, over(c, difference(c, self, dim, -2), last_step), dim);
  }
  const auto edge = [&](int64_t near, int64_t far, int64_t at) {
    const Value outer_step = step(far);  // first, as PyTorch's compiler orders them
    const Value inner_step = step(near);
    const Value sum = plus(c, inner_step, outer_step);
    const Value weight = over(c, sum, times(c, inner_step, sum));
    return weighted(c, self, dim, at, {weight, weight, weight});
  };
  const Value first = edge(0, 1, 0);
  return joined(c, first, center, edge(-1, -2, -3), dim);
}

template <typename Along>
Value gradients(Call& c, const Tensor& self, const Dims* dims, const Along& along) {
  const size_t count = dims == nullptr ? self.sizes().size() : dims->size();
  std::vector<Value> results;
  for (size_t i = 0; i < count; ++i) {
    const SymInt dim = dims == nullptr ? SymInt(static_cast<int64_t>(i)) : (*dims)[i];
    results.push_back(along(i, wrap_dim(guard_int(dim), self.dim())));
  }
  return c.list(results);
}

// `spacings` counts the spacings that were given, or what one number or none stands for.
Value even(Call& c, const Tensor& self, const Value& spacing, std::optional<size_t> spacings,
           const Dims* dims, int64_t edge_order) {
  check_gradient(c, self, spacings, dims, edge_order);
  return gradients(c, self, dims, [&](size_t i, int64_t dim) {
    const Value width = spacing.is_list() ? spacing[i] : spacing;
    return even_gradient(c, self, width.is_none() ? Value(1) : width, dim, edge_order);
  });
}
Value uneven(Call& c, const Tensor& self, TensorList coordinates, const Dims* dims,
             int64_t edge_order) {
  check_gradient(c, self, coordinates.size(), dims, edge_order);
  for (size_t i = 0; i < coordinates.size(); ++i) {
    c.check(coordinates[i].device() == self.device(),
            "torch.gradient expected each tensor to be on the same device, but got devices {} and "
            "{}!",
            self.device(), coordinates[i].device());
  }
  return gradients(c, self, dims, [&](size_t i, int64_t dim) {
    const Tensor& coordinate = coordinates[std::min(i, coordinates.size() - 1)];
    c.check(coordinate.dim() == 1,
            "torch.gradient expected each element of spacing to have one dimension, but got an "
            "element with {} dimensions!",
            coordinate.dim());
    return uneven_gradient(c, self, coordinate, dim, edge_order);
  });
}

// A `dim` of one number, or none.
struct OneDim {
  SymInt dim = 0;
  Dims dims;
  const Dims* given = nullptr;
  explicit OneDim(const std::optional<SymInt>& value) {
    if (!value) return;
    dim = *value;
    dims = Dims(&dim, 1);
    given = &dims;
  }
  OneDim(const OneDim&) = delete;
  OneDim& operator=(const OneDim&) = delete;
};

Value gradient_array(Call& c, const Tensor& self, Dims dims, int64_t edge_order) {
  return even(c, self, Value(), dims.size(), &dims, edge_order);
}
Value gradient_scalararray(Call& c, const Tensor& self, const Value& spacing, Dims dims,
                           int64_t edge_order) {
  return even(c, self, spacing, dims.size(), &dims, edge_order);
}
Value gradient_scalarint(Call& c, const Tensor& self, const Value& spacing,
                         std::optional<SymInt> dim, int64_t edge_order) {
  const OneDim one(dim);
  std::optional<size_t> spacings;
  if (!spacing.is_none()) spacings = dim ? 1 : self.sizes().size();
  return even(c, self, spacing, spacings, one.given, edge_order);
}
Value gradient_scalarrayarray(Call& c, const Tensor& self, const Value& spacing, Dims dims,
                              int64_t edge_order) {
  return even(c, self, spacing, spacing.size(), &dims, edge_order);
}
Value gradient_scalarrayint(Call& c, const Tensor& self, const Value& spacing,
                            std::optional<SymInt> dim, int64_t edge_order) {
  const OneDim one(dim);
  return even(c, self, spacing, spacing.size(), one.given, edge_order);
}
Value gradient_tensorarray(Call& c, const Tensor& self, TensorList coordinates, Dims dims,
                           int64_t edge_order) {
  return uneven(c, self, coordinates, &dims, edge_order);
}
Value gradient_tensorarrayint(Call& c, const Tensor& self, TensorList coordinates,
                              std::optional<SymInt> dim, int64_t edge_order) {
  const OneDim one(dim);
  return uneven(c, self, coordinates, one.given, edge_order);
}

// --- quantiles: aten/src/ATen/native/Sorting.cpp ---

enum class Interpolation : uint8_t { kExact, kBetween };

Interpolation interpolation(Call& c, std::string_view name) {
  const bool is_between = name == "linear" || name == "midpoint";
  c.check(is_between || name == "lower" || name == "higher" || name == "nearest",
          "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but "
          "got {}",
          name);
  return is_between ? Interpolation::kBetween : Interpolation::kExact;
}

void check_quantile(Call& c, const Tensor& self, const Tensor& q) {
  c.check(self.numel() > 0, "quantile() input tensor must be non-empty");
  c.check(q.dim() <= 1, "quantile() q must be a scalar or 1D tensor");
  c.check(self.dtype() == DType::kFloat32 || self.dtype() == DType::kFloat64,
          "quantile() input tensor must be either float or double dtype");
  c.check(self.dtype() == q.dtype(), "quantile() q tensor must be same dtype as the input tensor");
  c.check(self.device() == q.device(),
          "quantile() q tensor must be on the same device as the input tensor");
}

// Mirrors quantile_output_shape, without the dimension of q.
DimVector quantile_shape(const Tensor& self, bool has_dim, bool keepdim, int64_t at) {
  if (!has_dim || self.dim() == 0)
    return keepdim ? DimVector(self.sizes().size(), SymInt(1)) : DimVector();
  DimVector sizes;
  for (size_t i = 0; i < self.sizes().size(); ++i) {
    const bool is_reduced = static_cast<int64_t>(i) == at;
    if (!is_reduced || keepdim) sizes.push_back(is_reduced ? SymInt(1) : self.sizes()[i]);
  }
  return sizes;
}

// The elements in order along the last dimension, in which they are to be picked.
Value sorted(Call& c, const Tensor& self, bool has_dim, int64_t at) {
  Value values = self;
  if (!has_dim) {
    values = c.call<"aten::flatten.using_ints">(self);
  } else if (at != self.dim() - 1) {
    values = c.call<"aten::transpose.int">(c.call<"aten::unsqueeze">(self, -1), at, -1);
  }
  return c.call<"aten::sort">(values)[0];
}

// Mirrors quantile_compute: ranks, and the values there, one row for each of q.
Value quantile_of(Call& c, const Value& values, const Value& q, bool ignores_nan,
                  Interpolation between) {
  // Ranks are floats, which count no further.
  c.check(values.tensor().size(-1) <= int64_t{1} << 24, "quantile() input tensor is too large");
  Value ranks;
  const Value is_nan = c.call<"aten::isnan">(values);
  if (ignores_nan) {
    const Value counts = c.call<"aten::sum.dim_IntList">(c.call<"aten::logical_not">(is_nan),
                                                         DimVector{SymInt(-1)}, true);
    ranks = times(c, q, minus(c, counts, 1));
  } else {
    const Value found = c.call<"aten::any.dim">(is_nan, -1, true);
    const Value both = c.call<"aten::broadcast_tensors">(c.tuple({times(c, q, 1), found}));
    ranks = c.call<"aten::masked_fill.Scalar">(both[0], both[1], 1);
  }
  const Value below = c.call<"aten::to.dtype">(ranks, DType::kInt64);
  const Value result = c.call<"aten::gather">(values, -1, below);
  if (between == Interpolation::kExact) return result;
  return c.call<"aten::lerp.Tensor">(result, result, ranks);
}

Value quantile_along(Call& c, const Tensor& self, const Tensor& q, std::optional<int64_t> dim,
                     bool keepdim, Interpolation between, bool ignores_nan) {
  check_quantile(c, self, q);
  if (const Tensor* out = output_of(c)) {
    c.check(out->dtype() == self.dtype(),
            "quantile() out tensor must be same dtype as the input tensor");
    c.check(out->device() == self.device(),
            "quantile() out tensor must be on the same device as the input tensor");
  }
  const int64_t at = wrap_dim(dim.value_or(0), self.dim());
  const Value values = sorted(c, self, dim.has_value(), at);
  // One row per result: the kept dimensions, the last of which gives way to the elements.
  DimVector rows = quantile_shape(self, dim.has_value(), keepdim, at);
  rows.push_back(values.tensor().size(-1));
  const Value table = c.call<"aten::view">(values, rows);
  const Value results = quantile_of(c, table, q, ignores_nan, between);
  if (q.dim() == 0) return copy_into(c, c.call<"aten::squeeze.dim">(results, -1));
  const Value front = c.call<"aten::unsqueeze">(results, 0);
  return copy_into(c, c.call<"aten::squeeze.dim">(c.call<"aten::transpose.int">(front, 0, -1), -1));
}

template <bool ignores_nan>
Value quantile(Call& c, const Tensor& self, const Tensor& q, std::optional<int64_t> dim,
               bool keepdim, std::string_view mode) {
  return quantile_along(c, self, q, dim, keepdim, interpolation(c, mode), ignores_nan);
}
// A double as C++ streams print it: 2 for 2.0.
Value plain(double number) {
  const bool is_whole =
      std::isfinite(number) && std::floor(number) >= number && std::abs(number) < 1e6;
  return is_whole ? Value(static_cast<int64_t>(number)) : Value(number);
}
template <bool ignores_nan>
Value quantile_scalar(Call& c, const Tensor& self, const Value& q, std::optional<int64_t> dim,
                      bool keepdim, std::string_view mode) {
  const double number = detail::ArgReader<double>::read(q);
  c.check(number >= 0 && number <= 1, "quantile() q must be in the range [0, 1] but got {}",
          plain(number));
  const Tensor& tensor = *c.context().empty({}, self.dtype(), self.device());
  return quantile_along(c, self, tensor, dim, keepdim, interpolation(c, mode), ignores_nan);
}

// clang-format off
constexpr OpDef kIntegral[] = {
    {"aten::cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", rule<&cumulative_trapezoid_even>(), kComposite},
    {"aten::cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", rule<&cumulative_trapezoid>(), kComposite},
    {"aten::gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]", rule<&gradient_array>(), kComposite},
    {"aten::gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]", rule<&gradient_scalararray>(), kComposite},
    {"aten::gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]", rule<&gradient_scalarint>(), kComposite},
    {"aten::gradient.scalarrayarray(Tensor self, *, Scalar[] spacing, int[] dim, int edge_order=1) -> Tensor[]", rule<&gradient_scalarrayarray>(), kComposite},
    {"aten::gradient.scalarrayint(Tensor self, *, Scalar[] spacing, int? dim=None, int edge_order=1) -> Tensor[]", rule<&gradient_scalarrayint>(), kComposite},
    {"aten::gradient.tensorarray(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor[]", rule<&gradient_tensorarray>(), kComposite},
    {"aten::gradient.tensorarrayint(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor[]", rule<&gradient_tensorarrayint>(), kComposite},
    {"aten::nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor", rule<&quantile<true>>(), kComposite},
    {"aten::nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor", rule<&quantile_scalar<true>>(), kComposite},
    {"aten::quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor", rule<&quantile<false>>(), kComposite},
    {"aten::quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor", rule<&quantile_scalar<false>>(), kComposite},
    {"aten::trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", rule<&trapezoid_even>(), kComposite},
    {"aten::trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", rule<&trapezoid>(), kComposite},
    {"aten::trapz.dx(Tensor y, *, float dx=1., int dim=-1) -> Tensor", rule<&trapezoid_even>(), kComposite},
    {"aten::trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", rule<&trapezoid>(), kComposite},
};
// clang-format on

}  // namespace
}  // namespace rules_of_integral

std::span<const OpDef> integral_rules() { return rules_of_integral::kIntegral; }

}  // namespace faketensor
