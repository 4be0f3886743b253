#include "core/ops/families/view.h"

#include <algorithm>
#include <limits>

#include "core/tensor/strides.h"

namespace faketensor {

namespace {

bool any_symbolic(Dims values) {
  return std::any_of(values.begin(), values.end(),
                     [](SymInt value) { return value.is_symbolic(); });
}

bool is_symbolic_argument(const Value& value) {
  switch (value.tag()) {
    case Value::Tag::kTensor:
      return has_symbolic_sizes(value.tensor());
    case Value::Tag::kInt:
      return value.as_sym_int().is_symbolic();
    case Value::Tag::kIntList:
      return any_symbolic(value.ints());
    case Value::Tag::kList:
      return std::any_of(value.values().begin(), value.values().end(), [](const Value& element) {
        return (element.is_tensor() && has_symbolic_sizes(element.tensor())) ||
               (element.is(Value::Tag::kInt) && element.as_sym_int().is_symbolic());
      });
    default:
      return false;
  }
}

}  // namespace

bool has_symbolic_sizes(const Tensor& tensor) {
  return tensor.offset().is_symbolic() || any_symbolic(tensor.sizes()) ||
         any_symbolic(tensor.strides());
}

bool has_symbolic_sizes(const Call& call) {
  return std::any_of(call.args().begin(), call.args().end(), is_symbolic_argument);
}

std::string tuple_text(Dims values) {
  std::string text = format("{}", values);
  text.front() = '(';
  text.back() = ')';
  if (values.size() == 1) text.insert(text.size() - 1, ",");
  return text;
}

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
  return result;
}

// Note [Reshape algorithm]
// PyTorch's reference builds the new dimensions from left to right: it flattens as many of the
// remaining dimensions as the next length needs, then splits the length off. The strides it leaves
// on dimensions of size 1 differ from those of at::detail::computeStride, which views of unbacked
// sizes use; so both are here. Mirrors _reshape_view_helper, torch/_refs/__init__.py.
namespace {

// Dimensions start..end as one, or nothing if no stride describes them together. Mirrors
// _collapse_view_helper, torch/_prims/__init__.py; the tensor has elements.
bool collapse(Geometry& view, size_t start, size_t end) {
  for (size_t i = end; i-- > start;) {
    const SymBool fits = sym_or(sym_or(view.sizes[i] == 1, view.sizes[i + 1] == 1),
                                view.strides[i] == view.strides[i + 1] * view.sizes[i + 1]);
    if (!guard_or_false(fits)) return false;
  }
  SymInt length = view.sizes[end];
  SymInt stride = view.strides[end];
  for (size_t i = end; i-- > start;) {
    if (guard_bool(view.sizes[i] != 1) && guard_bool(view.strides[i] < stride)) {
      stride = view.strides[i];
    }
    length *= view.sizes[i];
  }
  for (size_t i = end; i > start; --i) {
    view.sizes.erase(i);
    view.strides.erase(i);
  }
  view.sizes[start] = length;
  view.strides[start] = stride;
  return true;
}

void split(Geometry& view, size_t dim, SymInt outer) {
  const SymInt inner = floor_div(view.sizes[dim], outer);
  const SymInt stride = view.strides[dim];
  view.sizes[dim] = outer;
  view.strides[dim] = stride * inner;
  view.sizes.insert(dim + 1, inner);
  view.strides.insert(dim + 1, stride);
}

// The general case: both shapes have dimensions and equally many elements. False: needs a copy.
bool reshape_left_to_right(Call& call, Geometry& view, Dims shape) {
  size_t at = 0;
  for (const SymInt length : shape) {
    if (at >= view.sizes.size()) {
      call.check_as(ErrorKind::kAssertionError, guard_bool(length == 1),
                    "Cannot unsqueeze dimension with length {}, expected 1", length);
      const size_t last = view.sizes.size() - 1;
      split(view, last, view.sizes[last]);
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
    if (guard_bool(accumulated != length)) split(view, at, length);
    ++at;
  }
  while (at < view.sizes.size()) {
    call.check(view.sizes[at] == 1, "a.size({}) expected to be 1 but got {}", at, view.sizes[at]);
    view.sizes.erase(at);
    view.strides.erase(at);
  }
  return true;
}

std::optional<Geometry> reshape_backed(Call& call, const Tensor& self, Dims shape) {
  Geometry view{DimVector(shape), {}};
  if (guard_bool(self.numel() == 0)) {
    view.strides = contiguous_strides(shape);
    return view;
  }
  if (self.dim() == 0 || shape.empty()) {
    view.strides = DimVector(shape.size(), SymInt(1));
    return view;
  }
  if (self.is_contiguous() &&
      ((shape.size() == 1 && self.dim() > 1) || (shape.size() == 2 && self.dim() == 1))) {
    view.strides = contiguous_strides(shape);
    if (shape.size() == 2) view.strides[0] = shape[1];
    return view;
  }
  view = {DimVector(self.sizes()), DimVector(self.strides())};
  if (!reshape_left_to_right(call, view, shape)) return std::nullopt;
  return view;
}

// Mirrors _view_unbacked_meta, torch/_subclasses/fake_impls.py.
std::optional<Geometry> reshape_unbacked(Call& call, const Tensor& self, Dims shape) {
  Geometry view{DimVector(shape), {}};
  if (self.dim() == 0 || shape.empty()) {
    for (const SymInt length : self.dim() == 0 ? shape : self.sizes()) call.check(length == 1, "");
    view.strides = DimVector(shape.size(), SymInt(1));
    return view;
  }
  call.check(self.numel() == numel(shape),
             "Could not reshape a tensor with shape torch.Size({}) as a tensor with shape {}!",
             self.sizes(), tuple_text(shape));
  const bool same = self.sizes().size() == shape.size() &&
                    std::equal(shape.begin(), shape.end(), self.sizes().begin(),
                               [](SymInt a, SymInt b) { return guard_or_false(a == b); });
  if (same) {
    view.strides = self.strides();
    return view;
  }
  if (self.is_contiguous()) {
    view.strides = contiguous_strides(shape);
    return view;
  }
  if (const auto strides = view_strides(self.sizes(), self.strides(), shape)) {
    view.strides = *strides;
    return view;
  }
  // Nothing decided it without data: ask again for contiguity, insisting on an answer.
  SymInt expected = 1;
  for (size_t i = self.sizes().size(); i-- > 0;) {
    if (guard_bool(self.sizes()[i] == 1)) continue;
    if (!guard_bool(self.strides()[i] == expected)) return std::nullopt;
    expected *= self.sizes()[i];
  }
  view.strides = contiguous_strides(shape);
  return view;
}

bool any_unbacked(Dims values) {
  return std::any_of(values.begin(), values.end(),
                     [](SymInt value) { return !hint(value).has_value(); });
}

}  // namespace

Tensor* try_view_reshaped(Call& call, const Tensor& self, Dims shape) {
  const DimVector sizes = infer_view_shape(call, shape, self.numel());
  const bool unbacked =
      any_unbacked(self.sizes()) || any_unbacked(self.strides()) || any_unbacked(sizes);
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

Geometry squeezed(const Tensor& self, std::span<const bool> dims) {
  Geometry view;
  for (size_t i = 0; i < self.sizes().size(); ++i) {
    if (dims[i] && guard_or_false(self.sizes()[i] == 1)) continue;
    view.sizes.push_back(self.sizes()[i]);
    view.strides.push_back(self.strides()[i]);
  }
  return view;
}

Geometry unsqueezed(const Tensor& self, int64_t dim) {
  Geometry view{DimVector(self.sizes()), DimVector(self.strides())};
  const auto at = static_cast<size_t>(dim);
  const SymInt stride = at < view.sizes.size() ? view.sizes[at] * view.strides[at] : SymInt(1);
  view.sizes.insert(at, SymInt(1));
  view.strides.insert(at, stride);
  return view;
}

Geometry transposed(const Tensor& self, int64_t dim0, int64_t dim1) {
  Geometry view{DimVector(self.sizes()), DimVector(self.strides())};
  std::swap(view.sizes[static_cast<size_t>(dim0)], view.sizes[static_cast<size_t>(dim1)]);
  std::swap(view.strides[static_cast<size_t>(dim0)], view.strides[static_cast<size_t>(dim1)]);
  return view;
}

namespace {

// Where an index of a slice lies in [0, size], or nothing if that depends on data.
std::optional<SymInt> slice_position(SymInt size, SymInt index) {
  if (guard_or_false(sym_and(index >= 0, index <= size))) return index;
  if (guard_or_false(sym_and(index < 0, index >= -size))) return index + size;
  if (guard_or_false(index < -size)) return SymInt(0);
  if (guard_or_false(index > size)) return size;
  if (guard_or_false(index >= 0)) return sym_min(index, size);
  if (guard_or_false(index < 0)) return sym_max(index + size, 0);
  return std::nullopt;
}

// An end of Python's sys.maxsize (2^63 - 1) is "to the end".
bool is_open_end(std::optional<SymInt> end) {
  return !end || statically_known_true(*end == SymInt(std::numeric_limits<int64_t>::max()));
}

}  // namespace

Tensor* sliced(Call& call, const Tensor& self, int64_t dim, std::optional<SymInt> start,
               std::optional<SymInt> end, SymInt step) {
  call.check(self.dim() != 0, "slice() cannot be applied to a 0-dim tensor.");
  const auto at = static_cast<size_t>(wrap_dim(dim, self.dim()));
  call.check(!guard_bool(step <= 0), "slice step must be positive");
  DimVector sizes(self.sizes());
  DimVector strides(self.strides());
  const SymInt size = sizes[at];
  const auto first = start ? slice_position(size, *start) : SymInt(0);
  const auto last = is_open_end(end) ? size : slice_position(size, *end);
  std::optional<SymInt> length;
  if (first && last) {
    if (guard_or_false(*last >= *first)) {
      length = floor_div(*last - *first + step - 1, step);
    } else if (guard_or_false(*first >= *last)) {
      length = SymInt(0);
    } else {
      length = floor_div(sym_max(*last - *first, 0) + step - 1, step);
    }
  } else {
    length = call.unbacked_int(ErrorKind::kDataDependentOutput);
    call.check(*length >= 0, "");
    call.check(*length <= size, "");
  }
  SymInt offset;
  if (first) {
    offset = self.offset() + *first * strides[at];
  } else {
    offset = call.unbacked_int(ErrorKind::kDataDependentOutput);
    call.check(offset >= 0, "");
  }
  sizes[at] = *length;
  strides[at] *= step;
  return call.view(self, sizes, strides, offset);
}

Value copies_of_views(Call& call, OpId view) {
  const auto contiguous = [&](Tensor& tensor) {
    return call.call<"aten::clone">(tensor, MemoryFormat::kContiguous);
  };
  // as_strided makes a short storage grow; here the view is only passing.
  Storage* storage = call.arg(0).tensor().storage;
  const SymInt held = storage->nbytes;
  const Value views = call.context().call(view, call.args());
  storage->nbytes = held;
  if (views.is_tensor()) return contiguous(views.tensor());
  SmallVector<Value, 8> copies;
  for (const Value& element : views.values()) copies.push_back(contiguous(element.tensor()));
  return call.list(copies.span());
}

Value view_in_place(Call& call, OpId view) {
  Tensor& self = call.arg(0).tensor();
  self.meta = call.context().call(view, call.args()).tensor().meta;
  return self;
}

SmallVector<bool, 16> dim_flags(Call& call, Dims dims, int64_t rank, bool allow_repeated) {
  SmallVector<bool, 16> flags(static_cast<size_t>(std::max<int64_t>(rank, 1)), false);
  for (const SymInt dim : dims) {
    const auto at = static_cast<size_t>(wrap_dim(guard_int(dim), rank));
    call.check(allow_repeated || !flags[at], "dim {} appears multiple times in the list of dims",
               at);
    flags[at] = true;
  }
  return flags;
}

}  // namespace faketensor
