// Reductions, and what is made of them: torch/_refs/__init__.py, torch/_refs/linalg/__init__.py.
#include "core/ops/families/reduction.h"

#include <algorithm>
#include <cmath>

#include "core/ops/families/view.h"
#include "core/ops/steps/reference.h"
#include "core/ops/steps/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace steps_of_reduction {
namespace {

using enum Promotion;
using Taken = StepsDef::Taken;

// torch._prims_common.reduction_dims: all dimensions where none are named.
DimVector reduction_dims(const Tensor& a, const Value& given) {
  DimVector dims;
  if (given.is(Value::Tag::kInt)) {
    dims.push_back(guard_int(given.as_sym_int()));
  } else if (given.is(Value::Tag::kIntList)) {
    dims = DimVector(given.ints());
  }
  if (dims.empty()) {
    for (int64_t dim = 0; dim < a.dim(); ++dim) dims.push_back(dim);
  }
  for (SymInt& dim : dims) {
    dim = SymInt(wrap_dim(guard_int(dim), a.dim()));
  }
  if (a.dim() == 0) dims.clear();
  return dims;
}

DimSet set_of(Dims dims) {
  DimSet set;
  for (const SymInt dim : dims) set.add(dim.as_int());
  return set;
}

// The reduced tensor with its dimensions kept as ones.
Value keep_dims(Call& c, const Tensor& a, Dims dims, const Value& reduced) {
  DimVector sizes(a.sizes());
  DimVector kept;
  const DimSet reduced_dims = set_of(dims);
  for (int64_t dim = 0; dim < a.dim(); ++dim) {
    if (reduced_dims.contains(static_cast<size_t>(dim))) {
      sizes[static_cast<size_t>(dim)] = 1;
    } else {
      kept.push_back(dim);
    }
  }
  return c.call<"prims::broadcast_in_dim">(reduced, sizes, kept);
}

// torch._refs._reduction around a prim.
template <FixedString prim, typename... Rest>
Value reduce(Call& c, const Tensor& a, const Value& given, bool keepdim, DType computation,
             const Rest&... rest) {
  const DimVector dims = reduction_dims(a, given);
  const Value cast = cast_to(c, Value(a), computation);
  const Value reduced = c.call<prim>(cast, dims, rest...);
  return keepdim && a.dim() > 0 ? keep_dims(c, a, dims, reduced) : reduced;
}
Value converted(Call& c, const Value& value, DType dtype) {
  return value.tensor().dtype() == dtype ? value
                                         : c.call<"prims::convert_element_type">(value, dtype);
}

template <FixedString prim>
Value sum_like(Call& c, const Tensor& a, const Value& dims, bool keepdim,
               std::optional<DType> dtype) {
  const DType result = dtype.value_or(is_integral_or_bool(a.dtype()) ? DType::kInt64 : a.dtype());
  return converted(c, reduce<prim>(c, a, dims, keepdim, computation_dtype(result)), result);
}

Value sum(Call& c, const Tensor& a, std::optional<DType> dtype) {
  return c.call<"aten::sum.dim_IntList">(a, DimVector(), false, dtype);
}
Value sum_out(Call& c, const Tensor& a, std::optional<DType> dtype, const Tensor& out) {
  return c.call<"aten::sum.IntList_out">(a, DimVector(), false, dtype, out);
}
Value prod(Call& c, const Tensor& a, std::optional<DType> dtype) {
  return sum_like<"prims::prod">(c, a, Value(), false, dtype);
}

template <FixedString prim>
Value extremum(Call& c, const Tensor& a, const Value& dims, bool keepdim) {
  return reduce<prim>(c, a, dims, keepdim, a.dtype());
}

Value mean_of(Call& c, const Tensor& a, const Value& dims, bool keepdim,
              std::optional<DType> given) {
  const DType dtype = given.value_or(a.dtype());
  const Value total = reduce<"prims::sum">(c, a, dims, keepdim, computation_dtype(dtype));
  c.check(is_float_or_complex(dtype), "mean(): could not infer output dtype.");
  SymInt count = 1;
  for (const SymInt dim : reduction_dims(a, dims)) count = count * a.size(dim.as_int());
  const Value quotient = c.call<"prims::div">(total, number_of(sym_float(count)));
  return cast_to(c, quotient, dtype);
}
Value mean(Call& c, const Tensor& a, std::optional<DType> dtype) {
  return mean_of(c, a, Value(), false, dtype);
}

Value variance(Call& c, const Tensor& a, const Value& dims, bool keepdim, const Value& correction) {
  const double subtracted = correction.is_none() ? 1.0 : correction.to_double();
  const Value found =
      reduce<"prims::var">(c, a, dims, keepdim, computation_dtype(a.dtype()), subtracted);
  return converted(c, found, to_real(a.dtype()));
}
Value var_correction(Call& c, const Tensor& a, const Value& dims, const Value& correction,
                     bool keepdim) {
  return variance(c, a, dims, keepdim, correction);
}
Value var_mean_correction(Call& c, const Tensor& a, const Value& dims, const Value& correction,
                          bool keepdim) {
  const Value found = variance(c, a, dims, keepdim, correction);
  return c.tuple({found, mean_of(c, a, dims, keepdim, {})});
}
// A composite, whose reference is taken where sizes are symbolic.
Value var_mean_dim(Call& c, const Tensor& a, const Value& dims, bool unbiased, bool keepdim) {
  if (!takes_references(c)) return c.op().rule.function(c, c.op().rule.params);
  return var_mean_correction(c, a, dims, Value(unbiased ? 1 : 0), keepdim);
}

Value std_correction(Call& c, const Tensor& a, const Value& dims, const Value& correction,
                     bool keepdim) {
  const Value cast = cast_to(c, Value(a), computation_dtype(a.dtype()));
  const Value found = c.call<"aten::var.correction">(cast, dims, correction, keepdim);
  return cast_to(c, c.call<"aten::sqrt">(found), to_real(a.dtype()));
}
Value std_mean_correction(Call& c, const Tensor& a, const Value& dims, const Value& correction,
                          bool keepdim) {
  const Value cast = cast_to(c, Value(a), computation_dtype(a.dtype()));
  const Value found = c.call<"aten::var_mean.correction">(cast, dims, correction, keepdim);
  const Value root = c.call<"aten::sqrt">(found.values()[0]);
  const Value deviation = cast_to(c, root, to_real(a.dtype()));
  return c.tuple({deviation, cast_to(c, found.values()[1], a.dtype())});
}

Value any_of(Call& c, const Tensor& a, const Value& dims, bool keepdim) {
  const Value truth = cast_to(c, Value(a), DType::kBool);
  Value result;
  if (dims.is(Value::Tag::kIntList) && dims.ints().empty()) {
    result = c.call<"aten::clone">(truth);
  } else {
    const DimVector given = dims.is_none() ? DimVector() : reduction_dims(a, dims);
    const Value count = dims.is_none() ? c.call<"aten::sum.dim_IntList">(truth, nullptr, keepdim)
                                       : c.call<"aten::sum.dim_IntList">(truth, given, keepdim);
    result = c.call<"aten::ne.Scalar">(count, false);
  }
  return a.dtype() == DType::kUInt8 ? converted(c, result, DType::kUInt8) : result;
}
Value any(Call& c, const Tensor& a) { return any_of(c, a, Value(), false); }

// Not any of the negated: each overload calls that of any with its own dimensions.
template <FixedString any, typename... Rest>
Value all_by(Call& c, const Tensor& a, const Rest&... rest) {
  const Value found = c.call<any>(c.call<"aten::logical_not">(a), rest...);
  const Value result = c.call<"aten::logical_not">(found);
  return a.dtype() == DType::kUInt8 ? cast_to(c, result, DType::kUInt8) : result;
}
Value all(Call& c, const Tensor& a) { return all_by<"aten::any.dims">(c, a); }
Value all_dim(Call& c, const Tensor& a, const Value& dim, bool keepdim) {
  return all_by<"aten::any.dim">(c, a, dim, keepdim);
}
Value all_dims(Call& c, const Tensor& a, const Value& dims, bool keepdim) {
  return all_by<"aten::any.dims">(c, a, dims, keepdim);
}

Value count_nonzero(Call& c, const Tensor& a, const Value& dims) {
  const Value nonzero = c.call<"aten::ne.Scalar">(a, 0);
  return c.call<"aten::sum.dim_IntList">(nonzero, dims.is_none() ? Value() : dims);
}

Value aminmax(Call& c, const Tensor& self, const Value& dim, bool keepdim) {
  const DimVector dims = dim.is_none() ? DimVector() : DimVector{dim.as_sym_int()};
  const Value least = c.call<"aten::amin">(self, dims, keepdim);
  return c.tuple({least, c.call<"aten::amax">(self, dims, keepdim)});
}

Value dot(Call& c, const Tensor& self, const Tensor& other) {
  const Promoted types(c, {self, other}, kDefault);
  const Value a = types.cast(self);
  const Value product = c.call<"aten::mul.Tensor">(a, types.cast(other));
  return types.back(c.call<"aten::sum">(product));
}
Value vdot(Call& c, const Tensor& self, const Tensor& other) {
  if (!is_complex(self.dtype())) return c.call<"aten::dot">(self, other);
  const Promoted types(c, {self, other}, kDefault);
  const Value conjugate = c.call<"aten::conj_physical">(types.cast(self));
  const Value product = c.call<"aten::mul.Tensor">(conjugate, types.cast(other));
  return types.back(c.call<"aten::sum">(product));
}

// Mirrors vector_norm, torch/_refs/linalg/__init__.py.
Value vector_norm(Call& c, const Tensor& x, const Value& order, const Value& dims, bool keepdim,
                  std::optional<DType> dtype) {
  const double ord = order.to_double();
  const DType result = to_real(dtype.value_or(x.dtype()));
  const DType computation = computation_dtype(dtype.value_or(x.dtype()));
  Value self(x);
  if (ord == 0.0)
    return c.call<"aten::sum.dim_IntList">(c.call<"aten::ne.Scalar">(self, 0.0), dims, keepdim,
                                           result);
  if (std::isinf(ord)) {
    const Value size = c.call<"aten::abs">(self);
    const DimVector over = dims.is_none() ? DimVector() : DimVector(dims.ints());
    return cast_to(c,
                   ord > 0 ? c.call<"aten::amax">(size, over, keepdim)
                           : c.call<"aten::amin">(size, over, keepdim),
                   result);
  }
  self = cast_to(c, self, computation);
  const DimVector over = reduction_dims(x, dims);
  const bool is_single = std::all_of(over.begin(), over.end(), [&](SymInt dim) {
    return guard_or_false(x.size(dim.as_int()) == 1);
  });
  if (is_single && x.dim() > 0) {
    const Value size = cast_to(c, c.call<"aten::abs">(self), result);
    if (keepdim) return size;
    const DimSet reduced_dims = set_of(over);
    DimVector left;
    for (int64_t dim = 0; dim < x.dim(); ++dim) {
      if (!reduced_dims.contains(static_cast<size_t>(dim))) left.push_back(x.size(dim));
    }
    return c.call<"aten::view">(size, left);
  }
  const bool is_even = std::fmod(ord, 2.0) == 0.0;
  if (!(is_even && is_floating(self.tensor().dtype()))) self = c.call<"aten::abs">(self);
  const auto total = [&](const Value& value) {
    return c.call<"aten::sum.dim_IntList">(value, dims, keepdim);
  };
  if (ord == 1.0) return cast_to(c, total(self), result);
  const Value power = total(c.call<"aten::pow.Tensor_Scalar">(self, ord));
  return cast_to(c, c.call<"aten::pow.Tensor_Scalar">(power, 1.0 / ord), result);
}

// Mirrors logsumexp.
Value logsumexp(Call& c, const Tensor& given, const Value& dims, bool keepdim) {
  const Promoted types(c, {Value(given)}, kIntToFloat);
  const Value self = types.cast(Value(given));
  const auto total = [&](const Value& value) {
    return c.call<"aten::sum.dim_IntList">(c.call<"aten::exp">(value), dims, keepdim);
  };
  if (guard_or_false(self.tensor().numel() == 0))
    return types.back(c.call<"aten::log">(total(self)));
  Value most = c.call<"aten::amax">(c.call<"aten::real">(self), dims, true);
  const Value infinite = c.call<"aten::eq.Scalar">(c.call<"aten::abs">(most), HUGE_VAL);
  most = c.call<"aten::masked_fill.Scalar">(most, infinite, 0);
  const Value beside = keepdim ? most : c.call<"aten::squeeze.dims">(most, dims);
  const Value sums = total(c.call<"aten::sub.Tensor">(self, most));
  return types.back(c.call<"aten::add.Tensor">(c.call<"aten::log">(sums), beside));
}

// torch._refs._cumsumprod_common: a triangular mask of ranges, reduced by the prim.
template <FixedString prim>
Value cumulative(Call& c, const Tensor& a, int64_t dim, std::optional<DType> dtype) {
  const int64_t at = wrap_dim(dim, a.dim());
  if (a.dim() == 0) {
    const Value line = c.call<"aten::unsqueeze">(a, 0);
    return sum_like<prim>(c, line.tensor(), Value(SymInt(0)), false, dtype);
  }
  const Value wide = c.call<"aten::unsqueeze">(a, at + 1);
  const Value range = c.call<"aten::arange">(a.size(at), nullptr, nullptr, a.device(), false);
  Value mask = c.call<"aten::le.Tensor">(c.call<"aten::unsqueeze">(range, 1), range);
  for (int64_t i = at + 1; i < a.dim(); ++i) mask = c.call<"aten::unsqueeze">(mask, -1);
  const int neutral = prim.view() == "prims::sum" ? 0 : 1;
  const Value masked = c.call<"aten::where.ScalarOther">(mask, wide, neutral);
  return sum_like<prim>(c, masked.tensor(), Value(SymInt(at)), false, dtype);
}

Value norm_to_vector(Call& c, const Value& self, const Value& p, const Value& dims, bool keepdim,
                     std::optional<DType> dtype) {
  return c.call<"aten::linalg_vector_norm">(self, p.is_none() ? Value(2) : p, dims, keepdim, dtype);
}
Value norm(Call& c, const Value& self, const Value& p) {
  return norm_to_vector(c, self, p, Value(), false, {});
}
Value norm_dtype(Call& c, const Value& self, const Value& p, DType dtype) {
  return norm_to_vector(c, self, p, Value(), false, dtype);
}
Value norm_dim(Call& c, const Value& self, const Value& p, const Value& dims, bool keepdim) {
  return norm_to_vector(c, self, p, dims, keepdim, {});
}
Value norm_dim_dtype(Call& c, const Value& self, const Value& p, const Value& dims, bool keepdim,
                     DType dtype) {
  return norm_to_vector(c, self, p, dims, keepdim, dtype);
}

// clang-format off
constexpr StepsDef kReductionSteps[] = {
    {"aten::all", rule<&all>()},
    {"aten::all.dim", rule<&all_dim>()},
    {"aten::all.dims", rule<&all_dims>()},
    {"aten::amax", rule<&extremum<"prims::amax">>()},
    {"aten::amin", rule<&extremum<"prims::amin">>()},
    {"aten::aminmax", rule<&aminmax>()},
    {"aten::any", rule<&any>()},
    {"aten::any.dim", rule<&any_of>()},
    {"aten::any.dims", rule<&any_of>()},
    {"aten::count_nonzero", rule<&count_nonzero>()},
    {"aten::count_nonzero.dim_IntList", rule<&count_nonzero>()},
    {"aten::cumprod", rule<&cumulative<"prims::prod">>()},
    {"aten::cumprod_", copied_steps_of<"aten::cumprod">()},
    {"aten::cumsum", rule<&cumulative<"prims::sum">>()},
    {"aten::cumsum_", copied_steps_of<"aten::cumsum">()},
    {"aten::dot", rule<&dot>()},
    {"aten::linalg_vector_norm", rule<&vector_norm>()},
    {"aten::logsumexp", rule<&logsumexp>()},
    {"aten::mean", rule<&mean>()},
    {"aten::mean.dim", rule<&mean_of>()},
    {"aten::norm.Scalar", rule<&norm>()},
    {"aten::norm.ScalarOpt_dim", rule<&norm_dim>()},
    {"aten::norm.ScalarOpt_dim_dtype", rule<&norm_dim_dtype>()},
    {"aten::norm.ScalarOpt_dtype", rule<&norm_dtype>()},
    {"aten::prod", rule<&prod>()},
    {"aten::prod.dim_int", rule<&sum_like<"prims::prod">>()},
    {"aten::std.correction", rule<&std_correction>()},
    {"aten::std_mean.correction", rule<&std_mean_correction>()},
    {"aten::sum", rule<&sum>()},
    {"aten::sum.dim_IntList", rule<&sum_like<"prims::sum">>()},
    {"aten::sum.out", rule<&sum_out>(), Taken::kAll},
    {"aten::var.correction", rule<&var_correction>()},
    {"aten::var_mean.correction", rule<&var_mean_correction>()},
    {"aten::var_mean.dim", rule<&var_mean_dim>()},
    {"aten::vdot", rule<&vdot>()},
};
// clang-format on

}  // namespace
}  // namespace steps_of_reduction

std::span<const StepsDef> reduction_steps() { return steps_of_reduction::kReductionSteps; }

}  // namespace faketensor
