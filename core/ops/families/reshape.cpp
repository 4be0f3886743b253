// Which strides a view of another shape has, as FakeTensorMode's `view` decides it.
//
// Note [Reshape algorithm]
// PyTorch's reference builds the new dimensions from left to right: it flattens as many of the
// remaining dimensions as the next length needs, then splits the length off. The strides it leaves
// on dimensions of size 1 differ from those of at::detail::computeStride, which views of unbacked
// sizes use; so both are here. Each step of the reference is an operator of its own, which the
// dispatch cache guards on (core/ops/dispatch_cache.h).
// Mirrors _reshape_view_helper, torch/_refs/__init__.py, and _view_meta,
// torch/_subclasses/fake_impls.py.
#include <algorithm>

#include "core/ops/families/view.h"
#include "core/tensor/contiguity.h"
#include "core/tensor/strides.h"

namespace faketensor {

DimVector infer_view_shape(Call& call, Dims shape, SymInt elements) {
  DimVector result(shape);
  std::optional<size_t> inferred;
  SymInt known = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (guard_or_false(shape[i] == -1)) {
      call.check(!inferred.has_value(), "only one dimension can be inferred");
      inferred = i;
    } else {
      call.check(shape[i] >= 0,
                 "invalid shape dimension {}. If this was symbolic, it was assumed to not be "
                 "-1.If this was meant to be inferred, please explicitly pass in -1.",
                 shape[i]);
      known *= shape[i];
    }
  }
  constexpr std::string_view kInvalid = "shape '{}' is invalid for input of size {}";
  if (!inferred) {
    call.check(elements == known, kInvalid, shape, elements);
    return result;
  }
  if (!expect_true(known != 0)) {
    call.check(!guard_or_false(elements == 0),
               "cannot reshape tensor of 0 elements into shape {} because the unspecified "
               "dimension size -1 can be any value and is ambiguous",
               shape);
    call.check(false, kInvalid, shape, elements);
  }
  call.check(mod(elements, known) == 0, kInvalid, shape, elements);
  result[*inferred] = floor_div(elements, known);
  call.check(result[*inferred] >= 0, "");
  return result;
}

namespace {

// A step's argument and its result pass through the dispatch cache.
void step_done(const Geometry& view) {
  are_strides_like_channels_last_or_false(view.sizes, view.strides);
}

SymBool are_nested(const Geometry& view, size_t i) {
  return sym_or(sym_or(view.sizes[i] == 1, view.sizes[i + 1] == 1),
                view.strides[i] == view.strides[i + 1] * view.sizes[i + 1]);
}

// Dimensions start..end as one, or nothing if no stride describes them together. Mirrors
// _collapse_view_helper, torch/_prims/__init__.py.
bool collapse(Geometry& view, size_t start, size_t end) {
  const SymInt elements = numel(view.sizes);
  SymBool fits = true;
  if (guard_or_false(elements != 0)) {
    for (size_t i = end; i-- > start;) fits = sym_and(fits, are_nested(view, i));
  }
  if (!guard_or_false(sym_or(fits, elements == 0))) return false;
  step_done(view);
  SymInt stride = view.strides[end];
  for (size_t i = end; i-- > start;) {
    if (guard_bool(view.sizes[i] != 1) && guard_bool(view.strides[i] < stride))
      stride = view.strides[i];
  }
  SymInt length = view.sizes[end];
  if (guard_or_true(length != 0)) {
    for (size_t i = end; i-- > start;) {
      if (guard_or_false(view.sizes[i] == 0)) {
        length = 0;
        break;
      }
      length *= view.sizes[i];
    }
  }
  for (size_t i = end; i > start; --i) {
    view.sizes.erase(i);
    view.strides.erase(i);
  }
  view.sizes[start] = length;
  view.strides[start] = stride;
  step_done(view);
  return true;
}

void split(Call& call, Geometry& view, size_t dim, SymInt outer) {
  step_done(view);
  call.check(outer >= 0, "");
  const SymInt length = view.sizes[dim];
  const SymInt inner = floor_div(length, outer);
  call.check_as(ErrorKind::kValueError, !guard_bool(mod(length, outer) != 0),
                "Attempting to split dimension of length {}, but outer length of {} divides it "
                "with a remainder!",
                length, outer);
  const SymInt stride = view.strides[dim];
  view.sizes[dim] = outer;
  view.strides[dim] = stride * inner;
  view.sizes.insert(dim + 1, inner);
  view.strides.insert(dim + 1, stride);
  step_done(view);
}

void squeeze_tail(Call& call, Geometry& view, size_t from) {
  while (from < view.sizes.size()) {
    call.check(view.sizes[from] == 1, "a.size({}) expected to be 1 but got {}", from,
               view.sizes[from]);
    if (!guard_or_false(view.sizes[from] == 1)) return;
    view.sizes.erase(from);
    view.strides.erase(from);
    step_done(view);
  }
}

// The general case: both shapes have dimensions and equally many elements. False: needs a copy.
bool reshape_left_to_right(Call& call, Geometry& view, Dims shape) {
  size_t at = 0;
  for (const SymInt length : shape) {
    if (at >= view.sizes.size()) {
      call.check_as(ErrorKind::kAssertionError, guard_bool(length == 1),
                    "Cannot unsqueeze dimension with length {}, expected 1", length);
      const size_t last = view.sizes.size() - 1;
      split(call, view, last, view.sizes[last]);
      ++at;
      continue;
    }
    if (guard_bool(length == view.sizes[at])) {
      ++at;
      continue;
    }
    SymInt accumulated = view.sizes[at];
    size_t end = at;
    while (guard_bool(mod(accumulated, length) != 0)) {
      if (++end >= view.sizes.size()) {
        call.fail(ErrorKind::kIndexError, "tuple index out of range");
      }
      accumulated *= view.sizes[end];
    }
    if (end != at && !collapse(view, at, end)) return false;
    if (guard_bool(accumulated != length)) split(call, view, at, length);
    ++at;
  }
  squeeze_tail(call, view, at);
  return true;
}

void check_same_numel(Call& call, const Tensor& self, Dims shape) {
  call.check(expect_true(self.numel() == numel(shape)),
             "Could not reshape a tensor with shape torch.Size({}) as a tensor with shape {}!",
             self.sizes(), tuple_text(shape));
}

void check_all_ones(Call& call, Dims lengths) {
  for (const SymInt length : lengths) {
    call.check_as(ErrorKind::kAssertionError, guard_bool(length == 1),
                  "Cannot reshape to 0-dim tensor: shape dimension must be 1, got {}", length);
  }
}

std::optional<Geometry> reshape_backed(Call& call, const Tensor& self, Dims shape) {
  Geometry view{DimVector(shape), {}};
  if (guard_bool(self.numel() == 0)) {
    view.strides = contiguous_strides(shape);
    return view;
  }
  if (self.dim() == 0 || shape.empty()) {
    check_all_ones(call, self.dim() == 0 ? shape : self.sizes());
    view.strides = DimVector(shape.size(), SymInt(1));
    return view;
  }
  if (is_contiguous_or_false(self.sizes(), self.strides(), self.numel())) {
    if (shape.size() == 1 && self.dim() > 1) return Geometry{{self.numel()}, {1}};
    if (shape.size() == 2 && self.dim() == 1) {
      view.strides = DimVector{shape[1], 1};
      return view;
    }
  }
  check_same_numel(call, self, shape);
  view = {DimVector(self.sizes()), DimVector(self.strides())};
  if (!reshape_left_to_right(call, view, shape)) return std::nullopt;
  return view;
}

// How the strides of a view of unbacked sizes ask: first so that what only data can tell counts as
// against the view, then insisting on an answer.
struct Asking {
  bool insists;
  bool or_false(SymBool condition) const {
    return insists ? guard_bool(condition) : guard_or_false(condition);
  }
  bool or_true(SymBool condition) const {
    return insists ? guard_bool(condition) : guard_or_true(condition);
  }
};

// Mirrors _compute_stride, torch/_subclasses/fake_impls.py.
std::optional<DimVector> unbacked_strides(const Tensor& self, Dims shape, Asking ask) {
  const Dims sizes = self.sizes();
  const Dims strides = self.strides();
  if (ask.or_false(self.numel() == 0)) {
    if (ask.or_false(sym_eq(sizes, shape))) return DimVector(strides);
    return contiguous_strides(shape);
  }
  DimVector result(shape.size());
  size_t left = shape.size();  // dimensions of the view that are not placed yet
  SymInt base = strides.back();
  SymInt chunk = 1;
  SymInt viewed = 1;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    chunk *= sizes[dim];
    if (dim > 0 &&
        !(ask.or_true(sizes[dim - 1] != 1) && ask.or_true(strides[dim - 1] != chunk * base)))
      continue;
    while (left > 0 && (ask.or_true(viewed < chunk) || ask.or_false(shape[left - 1] == 1))) {
      --left;
      result[left] = viewed * base;
      viewed *= shape[left];
    }
    if (ask.or_true(viewed != chunk)) return std::nullopt;
    if (dim > 0) {
      base = strides[dim - 1];
      chunk = 1;
      viewed = 1;
    }
  }
  return left == 0 ? std::optional(result) : std::nullopt;
}

// Mirrors _hinted_eq: equal by the hints, which becomes a check.
bool equal_by_hints(SymInt a, SymInt b) {
  if (guard_or_false(a == b)) return true;
  const std::optional<int64_t> left = hint(a);
  if (!left || left != hint(b)) return false;
  return expect_true(a == b);
}

// Mirrors _is_contiguous_with_hinted_checks.
bool is_contiguous_by_hints(const Tensor& self) {
  if (guard_or_false(self.numel() < 2)) return true;
  const std::optional<int64_t> elements = hint(self.numel());
  if (!elements) return false;
  if (*elements < 2) return expect_true(self.numel() < 2);
  SymInt expected = 1;
  SymInt expected_max = 1;
  for (size_t i = self.sizes().size(); i-- > 0;) {
    const SymInt size = self.sizes()[i];
    if (guard_or_false(size == 1)) continue;
    if (hint(size) == 1) {
      expect_true(size == 1);
      continue;
    }
    const SymInt stride = self.strides()[i];
    if (!equal_by_hints(stride, expected) && !equal_by_hints(stride, expected_max)) return false;
    expected_max *= sym_max(size, 1);
    expected *= size;
  }
  return true;
}

bool is_contiguous_insisting(const Tensor& self) {
  if (guard_bool(self.numel() < 2)) return true;
  SymInt expected = 1;
  SymInt expected_max = 1;
  for (size_t i = self.sizes().size(); i-- > 0;) {
    const SymInt size = self.sizes()[i];
    if (guard_bool(size == 1)) continue;
    const SymInt stride = self.strides()[i];
    if (guard_bool(stride != expected) && guard_bool(stride != expected_max)) return false;
    expected_max *= sym_max(size, 1);
    expected *= size;
  }
  return true;
}

// Mirrors _view_unbacked_meta, torch/_subclasses/fake_impls.py.
std::optional<Geometry> reshape_unbacked(Call& call, const Tensor& self, Dims shape) {
  Geometry view{DimVector(shape), {}};
  if (self.dim() == 0 || shape.empty()) {
    for (const SymInt length : self.dim() == 0 ? shape : self.sizes()) call.check(length == 1, "");
    view.strides = DimVector(shape.size(), SymInt(1));
    return view;
  }
  check_same_numel(call, self, shape);
  if (guard_or_false(sym_eq(shape, self.sizes())))
    return Geometry{DimVector(self.sizes()), DimVector(self.strides())};
  view.strides = contiguous_strides(shape);
  if (is_contiguous_or_false(self.sizes(), self.strides(), self.numel())) return view;
  if (const auto strides = unbacked_strides(self, shape, {.insists = false}))
    return Geometry{DimVector(shape), *strides};
  if (is_contiguous_by_hints(self) || is_contiguous_insisting(self)) return view;
  if (const auto strides = unbacked_strides(self, shape, {.insists = true}))
    return Geometry{DimVector(shape), *strides};
  return std::nullopt;
}

bool any_unbacked(Dims values) {
  return std::any_of(values.begin(), values.end(),
                     [](SymInt value) { return value.is_symbolic() && !hint(value).has_value(); });
}

bool are_above_one(Dims values) {
  return std::all_of(values.begin(), values.end(),
                     [](SymInt value) { return !value.is_symbolic() && value.as_int() > 1; });
}

}  // namespace

Tensor* try_view_reshaped(Call& call, const Tensor& self, Dims shape) {
  const bool unbacked =
      (self.meta->has_symbols() && (any_unbacked(self.sizes()) || any_unbacked(self.strides()))) ||
      any_unbacked(shape);
  const DimVector sizes = infer_view_shape(call, shape, self.numel());
  // Only dimensions of size 1 may have several strides.
  if (self.meta->has(kRowMajor) && are_above_one(self.sizes()) && are_above_one(sizes))
    return call.view(self, sizes, contiguous_strides(sizes));
  const auto view =
      unbacked ? reshape_unbacked(call, self, sizes) : reshape_backed(call, self, sizes);
  return view ? call.view(self, view->sizes, view->strides) : nullptr;
}

Tensor* view_reshaped(Call& call, const Tensor& self, Dims shape) {
  if (Tensor* view = try_view_reshaped(call, self, shape)) return view;
  call.fail(ErrorKind::kValueError,
            format("Cannot view a tensor with shape torch.Size({}) and strides {} as a tensor with "
                   "shape {}!",
                   self.sizes(), tuple_text(self.strides()),
                   tuple_text(infer_view_shape(call, shape, self.numel()))));
}

}  // namespace faketensor
