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

bool has_symbolic_sizes(const Call& call) {
  return std::any_of(call.args().begin(), call.args().end(), is_symbolic_argument);
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

// An end of Python's sys.maxsize (2^63 - 1) is "to the end"; no symbol is known to be that.
bool is_open_end(std::optional<SymInt> end) {
  return !end || end->maybe_as_int() == std::numeric_limits<int64_t>::max();
}

}  // namespace

Value gate_parts(Call& call, const Value& gates, int64_t count) {
  const Value parts = call.call<"aten::unsafe_chunk">(gates, count, 1);
  call.check(static_cast<int64_t>(parts.size()) == count,
             "expected gates of a size divisible into {}, but got {} parts", count, parts.size());
  return parts;
}

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

void check_narrow_start(const Call& call, SymInt start, SymInt size) {
  if (expect_true(sym_and(-size <= start, start <= size))) return;
  call.fail(ErrorKind::kIndexError,
            format("start out of range (expected to be in range of [{}, {}], but got {})", -size,
                   size, start));
}

Value copies_of_views(Call& call, OpId view) {
  const KernelScope scope(call.context());
  const auto contiguous = [&](Tensor& tensor) {
    return call.call<"aten::clone">(tensor, MemoryFormat::kContiguous);
  };
  // as_strided would make a short storage grow; this view is only a step.
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
