// Views: torch/_refs/__init__.py, torch/_decomp/decompositions.py and
// torch/_subclasses/fake_impls.py.
#include <algorithm>

#include "core/ops/families/view.h"
#include "core/ops/limits.h"
#include "core/ops/steps/reference.h"
#include "core/ops/steps/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace steps_of_views {
namespace {

using Taken = StepsDef::Taken;

// That a view in so many parts does not take more than a call may.
void check_count(const Call& c, int64_t count) {
  c.check_as(ErrorKind::kLimitExceeded,
             count >= 0 && count <= static_cast<int64_t>(kMaxTensorsPerCall),
             "an operator makes more than {} tensors", kMaxTensorsPerCall);
}

DimVector range(int64_t begin, int64_t end) {
  DimVector dims;
  for (int64_t dim = begin; dim < end; ++dim) dims.push_back(dim);
  return dims;
}

// Tensor.as_strided with the geometry that the operator's rule finds.
Value strided(Call& c, uint64_t) {
  const OpEntry& op = c.op();
  const Value found = op.rule.function(c, op.rule.params);
  const auto view = [&](const Tensor& tensor) {
    return c.call<"aten::as_strided">(c.arg(0), tensor.sizes(), tensor.strides(), tensor.offset());
  };
  if (found.is_tensor()) return view(found.tensor());
  SmallVector<Value, 8> views;
  for (const Value& each : found.values()) views.push_back(view(each.tensor()));
  return c.list(views.span());
}

Value expand_dims(Call& c, const Tensor& a, int64_t dim) {
  DimVector sizes(a.sizes());
  sizes.insert(static_cast<size_t>(dim), 1);
  DimVector kept = range(0, a.dim() + 1);
  kept.erase(static_cast<size_t>(dim));
  return c.call<"prims::broadcast_in_dim">(a, sizes, kept);
}

Value expand(Call& c, const Tensor& a, Dims shape) {
  const auto added = static_cast<int64_t>(shape.size()) - a.dim();
  c.check(added >= 0, "expand: the requested shape has too few dimensions!");
  DimVector sizes(shape);
  for (int64_t dim = 0; dim < a.dim(); ++dim) {
    SymInt& size = sizes[static_cast<size_t>(dim + added)];
    if (guard_or_false(size == -1)) size = a.size(dim);
  }
  return c.call<"prims::broadcast_in_dim">(a, sizes, range(added, added + a.dim()));
}

Value unsqueeze(Call& c, const Tensor& a, int64_t dim) {
  return expand_dims(c, a, wrap_dim(dim, a.dim() + 1));
}

Value permute(Call& c, const Tensor& a, Dims dims) {
  DimVector permutation;
  for (const SymInt dim : dims) permutation.push_back(wrap_dim(guard_int(dim), a.dim()));
  return c.call<"prims::transpose">(a, permutation);
}

Value transpose(Call& c, const Tensor& a, int64_t dim0, int64_t dim1) {
  if (a.dim() <= 1 || dim0 == dim1) return c.call<"aten::alias">(a);
  DimVector dims = range(0, a.dim());
  std::swap(dims[static_cast<size_t>(wrap_dim(dim0, a.dim()))],
            dims[static_cast<size_t>(wrap_dim(dim1, a.dim()))]);
  return c.call<"aten::permute">(a, dims);
}

Value t(Call& c, const Tensor& a) {
  return c.call<"aten::transpose.int">(a, 0, a.dim() < 2 ? 0 : 1);
}

Value alias(Call& c, const Tensor& a) { return c.call<"prims::view_of">(a); }

// --- rearranged ---

Value flip(Call& c, const Tensor& a, Dims dims) {
  if (a.dim() == 0) return c.call<"aten::clone">(a);
  DimVector places;
  for (const SymInt dim : dims) places.push_back(wrap_dim(guard_int(dim), a.dim()));
  return c.call<"prims::rev">(a, places);
}

Value roll(Call& c, const Tensor& a, Dims shifts, Dims dims) {
  if (guard_or_false(a.numel() == 0)) return c.call<"aten::clone">(a);
  c.check(!shifts.empty(), "`shifts` required");
  if (dims.empty() && shifts.size() == 1) {
    const Value flat = c.call<"aten::flatten.using_ints">(a);
    const Value rolled = c.call<"aten::roll">(flat, shifts, DimVector{0});
    return c.call<"aten::view">(rolled, a.sizes());
  }
  c.check(shifts.size() == dims.size(), "shifts and dimensions must align.");
  if (shifts.size() > 1) {
    const Value first = c.call<"aten::roll">(a, shifts.first(1), dims.first(1));
    return c.call<"aten::roll">(first, shifts.subspan(1), dims.subspan(1));
  }
  const int64_t dim = wrap_dim(guard_int(dims[0]), a.dim());
  const SymInt size = a.size(dim);
  const Value range = c.call<"aten::arange">(size, nullptr, nullptr, a.device(), false);
  const Value moved = c.call<"aten::add.Tensor">(range, mod(size - shifts[0], size));
  return c.call<"aten::index_select">(a, dim, c.call<"aten::fmod.Scalar">(moved, size));
}

// The entries on one side of a diagonal: a mask of two ranges, and a choice (mask_tensor).
template <FixedString compare>
Value triangle(Call& c, const Tensor& a, SymInt diagonal) {
  c.check(a.dim() >= 2, "input tensor must have at least 2 dimensions");
  const auto range = [&](int64_t dim) {
    return c.call<"aten::arange">(a.size(dim), nullptr, nullptr, a.device(), false);
  };
  const Value columns = c.call<"aten::unsqueeze">(range(-1), -2);
  const Value rows = c.call<"aten::unsqueeze">(range(-2), -1);
  const Value mask = c.call<compare>(c.call<"aten::sub.Tensor">(columns, rows), diagonal);
  const Value kept = is_bool(a.dtype()) ? c.call<"aten::logical_and">(mask, a)
                                        : c.call<"aten::where.ScalarOther">(mask, a, 0);
  return kept.tensor().is_contiguous() ? kept : c.call<"aten::contiguous">(kept);
}

// --- dimensions of size 1, parts ---

Value squeeze_all(Call& c, const Tensor& a) {
  return c.call<"aten::squeeze.dims">(a, range(0, a.dim()));
}
Value squeeze_dim(Call& c, const Tensor& a, int64_t dim) {
  return c.call<"aten::squeeze.dims">(a, DimVector{dim});
}
Value squeeze_dims(Call& c, const Tensor& a, Dims dims) {
  DimVector ones;
  for (const SymInt given : dims) {
    const int64_t dim = wrap_dim(guard_int(given), a.dim());
    if (a.dim() > 0 && guard_or_false(a.size(dim) == 1)) ones.push_back(dim);
  }
  if (ones.empty()) return c.call<"prims::view_of">(a);
  std::sort(ones.begin(), ones.end(), [](SymInt x, SymInt y) { return x.as_int() > y.as_int(); });
  Value result(a);
  for (const SymInt dim : ones) result = c.call<"prims::squeeze">(result, DimVector{dim});
  return result;
}

Value split(Call& c, const Tensor& self, SymInt split_size, int64_t dim) {
  const SymInt size = self.size(dim);
  if (guard_bool(size == 0)) return c.tuple({c.call<"aten::detach">(self)});
  const int64_t chunks = guard_int(floor_div(size + split_size - 1, split_size));
  check_count(c, chunks);
  DimVector sizes(static_cast<size_t>(chunks), split_size);
  if (chunks > 0) sizes.back() = split_size - (split_size * chunks - size);
  return c.call<"aten::split_with_sizes">(self, sizes, dim);
}

Value unbind(Call& c, const Tensor& self, int64_t dim) {
  const int64_t count = guard_int(self.size(dim));
  if (count == 0) return c.tuple({});
  check_count(c, count);
  const Value parts = c.call<"aten::tensor_split.sections">(self, count, dim);
  SmallVector<Value, 8> results;
  for (const Value& part : parts.values())
    results.push_back(c.call<"aten::squeeze.dim">(part, wrap_dim(dim, self.dim())));
  return c.list(results.span());
}

// Dimensions are merged and split from the left until each is of the length asked for.
// Mirrors _reshape_view_helper_core_alg.
Value reshape_by_dims(Call& c, const Tensor& a, Dims shape) {
  Value view(a);
  const auto size = [&](int64_t dim) { return view.tensor().size(dim); };
  int64_t at = 0;
  for (const SymInt length : shape) {
    const int64_t rank = view.tensor().dim();
    if (at >= rank) {
      view = c.call<"prims::split_dim">(view, rank - 1, size(rank - 1));
    } else if (!guard_bool(length == size(at))) {
      SymInt merged = size(at);
      int64_t end = at;
      while (guard_bool(mod(merged, length) != 0) && end + 1 < rank) merged = merged * size(++end);
      if (end != at) view = c.call<"prims::collapse_view">(view, at, end);
      if (guard_bool(merged != length)) view = c.call<"prims::split_dim">(view, at, length);
    }
    ++at;
  }
  while (at < view.tensor().dim()) view = c.call<"prims::squeeze">(view, DimVector{at});
  return &view.tensor() == &a ? c.call<"prims::view_of">(a) : view;
}

// Mirrors _reshape_view_helper.
Value view(Call& c, const Tensor& a, Dims given) {
  // The sizes are those of the answer: one may be given as -1.
  const OpEntry& op = c.op();
  const DimVector shape(op.rule.function(c, op.rule.params).tensor().sizes());
  (void)given;
  if (guard_or_false(a.numel() == 0))
    return c.call<"prims::as_strided">(a, shape, contiguous_strides(shape), a.offset());
  Value result(a);
  if (a.dim() == 0 && !shape.empty()) {
    for (size_t i = 0; i < shape.size(); ++i)
      result = expand_dims(c, result.tensor(), result.tensor().dim());
    return result;
  }
  if (shape.empty() && a.dim() > 0) {
    for (int64_t dim = a.dim(); dim-- > 0;)
      result = c.call<"prims::squeeze">(result, DimVector{dim});
    return result;
  }
  if (a.is_contiguous()) {
    if (shape.size() == 1 && a.dim() > 1)
      return c.call<"aten::as_strided">(a, DimVector{a.numel()}, DimVector{1});
    if (shape.size() == 2 && a.dim() == 1)
      return c.call<"aten::as_strided">(a, shape, DimVector{shape[1], 1});
  }
  return reshape_by_dims(c, a, shape);
}

Value reshape_alias(Call& c, const Tensor& self, Dims size) {
  return c.call<"aten::view">(self, size);
}
Value unsafe_view(Call& c, const Tensor& self, Dims size) {
  return has_symbolic_sizes(c) ? view(c, self, size) : c.call<"aten::view">(self, size);
}

Value lift_fresh(Call& c, const Tensor& self) { return c.call<"aten::alias">(self); }

// clang-format off
constexpr StepsDef kViewSteps[] = {
    {"aten::_reshape_alias", rule<&reshape_alias>()},
    {"aten::_unsafe_view", rule<&unsafe_view>()},
    {"aten::alias", rule<&alias>(), Taken::kSymbols},
    {"aten::detach", same_as<"aten::alias">(), Taken::kNobody},
    {"aten::diagonal", {&strided}, Taken::kSymbols},
    {"aten::expand", rule<&expand>(), Taken::kSymbols},
    {"aten::flip", rule<&flip>()},
    {"aten::lift", rule<&lift_fresh>()},
    {"aten::lift_fresh", rule<&lift_fresh>()},
    {"aten::permute", rule<&permute>(), Taken::kSymbols},
    {"aten::roll", rule<&roll>()},
    {"aten::select.int", {&strided}, Taken::kAll},
    {"aten::slice.Tensor", {&strided}, Taken::kAll},
    {"aten::split.Tensor", rule<&split>()},
    {"aten::split_with_sizes", {}, Taken::kSymbols, true},
    {"aten::squeeze", rule<&squeeze_all>()},
    {"aten::squeeze.dim", rule<&squeeze_dim>()},
    {"aten::squeeze.dims", rule<&squeeze_dims>(), Taken::kSymbols},
    {"aten::t", rule<&t>(), Taken::kSymbols},
    {"aten::t_", {}, Taken::kNobody},
    {"aten::transpose.int", rule<&transpose>(), Taken::kSymbols},
    {"aten::tril", rule<&triangle<"aten::le.Scalar">>()},
    {"aten::triu", rule<&triangle<"aten::ge.Scalar">>()},
    {"aten::unbind.int", rule<&unbind>(), Taken::kSymbols},
    {"aten::unfold", {&strided}, Taken::kSymbols},
    {"aten::unsafe_split.Tensor", same_as<"aten::split.Tensor">()},
    {"aten::unsafe_split_with_sizes", same_as<"aten::split_with_sizes">()},
    {"aten::unsqueeze", rule<&unsqueeze>(), Taken::kSymbols},
    {"aten::view", rule<&view>(), Taken::kAll},
};
// clang-format on

}  // namespace
}  // namespace steps_of_views

std::span<const StepsDef> view_steps() { return steps_of_views::kViewSteps; }

}  // namespace faketensor
