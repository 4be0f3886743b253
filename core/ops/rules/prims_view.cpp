// Prims that view, reshape or join: the result is a matter of geometry alone.
#include <algorithm>
#include <numeric>

#include "core/ops/families/prims.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_prims_view {
namespace {
constexpr auto kAssertion = ErrorKind::kAssertionError;

bool holds(Dims values, SymInt value) {
  return std::any_of(values.begin(), values.end(),
                     [&](SymInt other) { return same_expr(other, value); });
}

// a.shape[dim] of a dimension that validate_idx let pass: it allows 0 in a tensor without any.
SymInt size_at(const Call& c, const Tensor& a, int64_t dim) {
  c.check_as(ErrorKind::kIndexError, dim < a.dim(), "tuple index out of range");
  return a.sizes()[static_cast<size_t>(dim)];
}

Value as_viewed(Call& c, const Tensor& a, const Geometry& view) {
  return c.call<"aten::as_strided">(a, view.sizes, view.strides, a.offset());
}

// reduce(operator.mul, shape), which Python refuses for an empty shape.
SymInt product(const Call& c, Dims sizes) {
  c.check_as(ErrorKind::kTypeError, !sizes.empty(),
             "reduce() of empty iterable with no initial value");
  return std::accumulate(sizes.begin(), sizes.end(), SymInt(1),
                         [](SymInt a, SymInt b) { return a * b; });
}

// Mirrors _as_strided_meta.
Value as_strided(Call& c, const Tensor& a, Dims size, Dims stride, SymInt storage_offset) {
  c.check_as(kAssertion, size.size() == stride.size(), "len(size)={} != len(stride)={}",
             size.size(), stride.size());
  c.check_as(kAssertion, !guard_bool(storage_offset < 0), "storage_offset must be >= 0, got {}",
             storage_offset);
  check_strides(c, stride);
  check_shape(c, size);
  if (guard_bool(product(c, size) != 0)) {
    const SymInt held = floor_div(a.storage->nbytes, itemsize(a.dtype()));
    const SymInt needed = storage_elements(size, stride, storage_offset);
    c.check_as(ErrorKind::kValueError, !guard_bool(held < needed),
               "Can't view a storage of size {} with an offset of {}, shape of {}, and strides of "
               "{}, which requires a storage of size {}",
               held, storage_offset, size, stride, needed);
  }
  return c.call<"aten::as_strided">(a, size, stride, storage_offset);
}

// Each dimension of `a` has its place in the broadcast shape, and fits it.
void check_broadcast(const Call& c, const Tensor& a, Dims shape, Dims dims) {
  c.check_as(kAssertion, a.sizes().size() == dims.size(),
             "a.ndim ({}) != len(broadcast_dimensions) ({})", a.dim(), dims.size());
  c.check_as(kAssertion, shape.size() >= dims.size(), "len(shape) ({}) must be >= a.ndim ({})",
             shape.size(), a.dim());
  int64_t last = -1;
  for (const SymInt place : dims) {
    const int64_t dim = guard_int(place);
    c.check_as(kAssertion, dim > last, "broadcast_dimensions must be strictly ascending: {} <= {}",
               dim, last);
    c.check_as(kAssertion, dim < static_cast<int64_t>(shape.size()),
               "broadcast_dimension {} out of bounds for shape of length {}", dim, shape.size());
    last = dim;
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    const SymInt target = shape[static_cast<size_t>(dims[i].as_int())];
    c.check(sym_or(a.sizes()[i] == 1, target == a.sizes()[i]), "{} must be broadcastable to {}",
            a.sizes()[i], target);
  }
}

// Mirrors _broadcast_in_dim_meta.
Value broadcast_in_dim(Call& c, const Tensor& a, Dims shape, Dims dims) {
  check_broadcast(c, a, shape, dims);
  Geometry view{DimVector(shape), {}};
  size_t at = 0;  // the next dimension of `a`
  for (size_t i = 0; i < shape.size(); ++i) {
    if (holds(dims, static_cast<int64_t>(i))) {
      const SymInt size = a.sizes()[at];
      const SymInt stride = a.strides()[at++];
      const bool is_one = guard_or_false(size == 1);
      c.check(is_one ? SymBool(true) : size == shape[i],
              "non-broadcasting semantics require {} == {}", size, shape[i]);
      const bool expands = is_one && !guard_or_false(size == shape[i]);
      view.strides.push_back(expands ? SymInt(0) : stride);
    } else if (guard_or_true(shape[i] != 1)) {
      view.strides.push_back(0);
    } else {
      const bool is_last = at == a.sizes().size();
      view.strides.push_back(is_last ? SymInt(1) : a.strides()[at] * a.sizes()[at]);
    }
  }
  return as_viewed(c, a, view);
}

// Mirrors _validate_collapse_args.
void check_collapse(const Call& c, const Tensor& a, int64_t start, int64_t end) {
  const int64_t rank = std::max<int64_t>(1, a.dim());
  check_index(c, rank, start);
  check_index(c, rank, end);
  c.check_as(ErrorKind::kValueError, end >= start,
             "Attempting to collapse but end, {}, is less than start, {}!", end, start);
}

// Sizes and strides, those of a tensor with one element where there are no dimensions.
Geometry with_dimension(const Tensor& a) {
  if (a.dim() == 0) return {DimVector{1}, DimVector{1}};
  return {DimVector(a.sizes()), DimVector(a.strides())};
}

// Dimensions [start, end] replaced by one entry.
DimVector with_merged(Dims values, size_t start, size_t end, SymInt merged) {
  DimVector result(values.first(start));
  result.push_back(merged);
  result.append(values.subspan(end + 1));
  return result;
}

// Mirrors _collapse_meta.
Tensor* collapse(Call& c, const Tensor& a, int64_t start, int64_t end) {
  check_collapse(c, a, start, end);
  const Geometry given = with_dimension(a);
  SymInt length = 1;
  for (int64_t i = start; i <= end; ++i) length *= given.sizes[static_cast<size_t>(i)];
  const DimVector sizes =
      with_merged(given.sizes, static_cast<size_t>(start), static_cast<size_t>(end), length);
  return c.context().empty(sizes, a.dtype(), a.device());
}

// Whether the dimensions [first, last] lie in memory as one.
SymBool is_nested(const Geometry& given, size_t first, size_t last) {
  SymBool nested = true;
  for (size_t i = last; i-- > first;) {
    nested = sym_and(nested, sym_or(sym_or(given.sizes[i] == 1, given.sizes[i + 1] == 1),
                                    given.strides[i] == given.strides[i + 1] * given.sizes[i + 1]));
  }
  return nested;
}

// Mirrors _collapse_view_meta and _collapse_view_helper.
Value collapse_view(Call& c, const Tensor& a, int64_t start, int64_t end) {
  check_collapse(c, a, start, end);
  const Geometry given = with_dimension(a);
  if (a.dim() == 0 || start == end) return as_viewed(c, a, given);
  const auto first = static_cast<size_t>(start);
  const auto last = static_cast<size_t>(end);
  const bool has_elements = guard_or_false(a.numel() != 0);
  const SymBool nested = has_elements ? is_nested(given, first, last) : SymBool(true);
  c.check(sym_or(nested, a.numel() == 0),
          "Attempting to view a collapsed tensor, but no such view exists!");
  SymInt stride = given.strides[last];
  SymInt length = given.sizes[last];
  for (size_t i = last; i-- > first;) {
    if (guard_bool(given.sizes[i] != 1)) stride = sym_min(stride, given.strides[i]);
    length *= given.sizes[i];
  }
  if (guard_or_false(length == 0)) stride = 0;
  Geometry view{with_merged(given.sizes, first, last, length),
                with_merged(given.strides, first, last, stride)};
  if (guard_or_false(a.numel() == 0)) view.strides = contiguous_strides(view.sizes);
  return as_viewed(c, a, view);
}

// Mirrors _conj_meta.
Value conj(Call& c, const Tensor& a) {
  c.check(is_complex(a.dtype()), "Expected complex dtype in prims.conj");
  return c.call<"aten::_conj">(a);
}

// Mirrors _split_dim_meta.
Value split_dim(Call& c, const Tensor& a, int64_t dim, SymInt outer_length) {
  check_index(c, a.dim(), dim);
  check_shape(c, {&outer_length, 1});
  const SymInt length = size_at(c, a, dim);
  c.check_as(ErrorKind::kZeroDivisionError, !guard_or_false(outer_length == 0),
             "integer division or modulo by zero");
  const SymInt inner_length = floor_div(length, outer_length);
  c.check_as(ErrorKind::kValueError, !guard_bool(mod(length, outer_length) != 0),
             "Attempting to split dimension of length {}, but outer length of {} divides it with a "
             "remainder!",
             length, outer_length);
  const auto at = static_cast<size_t>(dim);
  Geometry view{with_merged(a.sizes(), at, at, outer_length),
                with_merged(a.strides(), at, at, a.strides()[at] * inner_length)};
  view.sizes.insert(at + 1, inner_length);
  view.strides.insert(at + 1, a.strides()[at]);
  return as_viewed(c, a, view);
}

// Mirrors _squeeze_meta.
Value squeeze(Call& c, const Tensor& a, Dims dimensions) {
  for (const SymInt dim : dimensions) {
    check_index(c, a.dim(), guard_int(dim));
    const SymInt size = size_at(c, a, dim.as_int());
    c.check_as(kAssertion, !guard_bool(size != 1),
               "Cannot squeeze dimension {} with size {} (must be 1)", dim, size);
  }
  Geometry view;
  for (size_t i = 0; i < a.sizes().size(); ++i) {
    if (holds(dimensions, static_cast<int64_t>(i))) continue;
    view.sizes.push_back(a.sizes()[i]);
    view.strides.push_back(a.strides()[i]);
  }
  return as_viewed(c, a, view);
}

// Mirrors _transpose_meta.
Value transpose(Call& c, const Tensor& a, Dims permutation) {
  c.check_as(ErrorKind::kValueError, a.sizes().size() == permutation.size(),
             "Attempting to permute a tensor of rank {}, but received a permutation of length {}!",
             a.dim(), permutation.size());
  Geometry view;
  SmallVector<bool, 16> seen(permutation.size(), false);
  for (const SymInt place : permutation) {
    const int64_t dim = guard_int(place);
    const bool is_new = dim >= 0 && dim < a.dim() && !seen[static_cast<size_t>(dim)];
    c.check_as(ErrorKind::kValueError, is_new, "Received an invalid permutation, {}!", permutation);
    seen[static_cast<size_t>(dim)] = true;
    view.sizes.push_back(a.sizes()[static_cast<size_t>(dim)]);
    view.strides.push_back(a.strides()[static_cast<size_t>(dim)]);
  }
  return as_viewed(c, a, view);
}

Value view_of(Call& c, const Tensor& a) {
  return c.call<"aten::as_strided">(a, a.sizes(), a.strides(), a.offset());
}

// Mirrors compute_required_storage_length, torch/_prims_common/__init__.py, which pairs sizes with
// strides as far as there are both.
SymInt required_elements(Dims size, Dims stride, SymInt storage_offset) {
  for (const SymInt extent : size) {
    if (guard_or_false(extent == 0)) return 0;
  }
  const size_t pairs = std::min(size.size(), stride.size());
  return storage_elements(size.first(pairs), stride.first(pairs), storage_offset);
}

// Mirrors _as_strided_scatter_meta.
Tensor* as_strided_scatter(Call& c, const Tensor& self, const Tensor& src, Dims size, Dims stride,
                           SymInt storage_offset) {
  check_shape(c, size);
  check_strides(c, stride);
  const int64_t bytes = itemsize(self.dtype());
  const SymInt needed = required_elements(size, stride, storage_offset);
  c.check(self.numel() >= needed,
          "as_strided_scatter: sizes {}, strides {}, storage offset {}  and itemsize {} requiring "
          "a storage size of {} are out of bounds for storage of size {}",
          size, stride, storage_offset, bytes, needed * bytes, self.numel() * bytes);
  const bool fits = guard_equal(size, src.sizes());
  c.check(fits,
          "expected src to have a size equal to the slice of self. src size = torch.Size({}), "
          "slice size = {}",
          src.sizes(), size);
  // torch._prims_common.clone_preserve_strides: as much of the storage as the tensor reaches.
  const SymInt reached = storage_elements(self.sizes(), self.strides(), self.offset());
  MetaSpec spec = self.meta->spec();
  spec.flags = 0;
  return c.context().make_tensor(c.context().metas().intern(spec),
                                 c.context().make_storage(self.device(), reached * bytes));
}

// Mirrors _cat_meta.
Tensor* cat(Call& c, TensorList tensors, int64_t dim) {
  c.check_as(kAssertion, dim >= 0, "dim must be non-negative, got {}", dim);
  c.check_as(ErrorKind::kIndexError, !tensors.empty(), "list index out of range");
  DimVector sizes(tensors[0].sizes());
  SymInt total = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Dims given = tensors[i].sizes();
    c.check_as(kAssertion, given.size() == sizes.size(),
               "All tensors must have the same number of dimensions. Expected {} but tensor {} has "
               "{}",
               sizes.size(), i, given.size());
    for (size_t j = 0; j < given.size(); ++j) {
      if (static_cast<int64_t>(j) == dim) {
        total += given[j];
        continue;
      }
      c.check(given[j] == sizes[j],
              "Sizes of tensors must match except in dimension {}. Expected {} in dimension {} but "
              "got {} for tensor number {} in the list",
              dim, sizes[j], j, given[j], i);
    }
  }
  c.check_as(ErrorKind::kIndexError, dim < static_cast<int64_t>(sizes.size()),
             "list assignment index out of range");
  sizes[static_cast<size_t>(dim)] = total;
  return c.context().empty(sizes, tensors[0].dtype(), tensors[0].device());
}

// Mirrors _reshape_meta.
Tensor* reshape(Call& c, const Tensor& a, Dims shape) {
  check_shape(c, shape);
  const SymInt elements = product(c, shape);
  c.check_as(ErrorKind::kValueError, !guard_bool(elements != a.numel()),
             "Attempting to reshape a tensor with {} elements to a shape with {} elements!",
             a.numel(), elements);
  return c.context().empty(shape, a.dtype(), a.device());
}

// Mirrors _rev_meta.
Tensor* rev(Call& c, const Tensor& a, Dims dims) {
  for (const SymInt dim : dims) check_index(c, a.dim(), guard_int(dim));
  return c.empty_like(a);
}

// clang-format off
constexpr OpDef kPrimsViewRules[] = {
    {"prims::as_strided(Tensor(a!) a, SymInt[] size, SymInt[] stride, SymInt storage_offset) -> Tensor(a!)", rule<&as_strided>(), kView},
    {"prims::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt storage_offset) -> Tensor", rule<&as_strided_scatter>()},
    {"prims::broadcast_in_dim(Tensor(a) a, SymInt[] shape, int[] broadcast_dimensions) -> Tensor(a)", rule<&broadcast_in_dim>(), kView},
    {"prims::cat(Tensor[] tensors, int dim) -> Tensor", rule<&cat>()},
    {"prims::collapse(Tensor a, int start, int end) -> Tensor", rule<&collapse>()},
    {"prims::collapse_view(Tensor(a) a, int start, int end) -> Tensor(a)", rule<&collapse_view>(), kView},
    {"prims::conj(Tensor(a) a) -> Tensor(a)", rule<&conj>(), kView},
    {"prims::reshape(Tensor a, SymInt[] shape) -> Tensor", rule<&reshape>()},
    {"prims::rev(Tensor a, int[] dims) -> Tensor", rule<&rev>()},
    {"prims::split_dim(Tensor(a) a, int dim, SymInt outer_length) -> Tensor(a)", rule<&split_dim>(), kView},
    {"prims::squeeze(Tensor(a) a, int[] dimensions) -> Tensor(a)", rule<&squeeze>(), kView},
    {"prims::transpose(Tensor(a) a, int[] permutation) -> Tensor(a)", rule<&transpose>(), kView},
    {"prims::view_of(Tensor(a) a) -> Tensor(a)", rule<&view_of>(), kView},
    {"prims::view_of_dtype(Tensor(a) a, ScalarType dtype) -> Tensor(a)", same_as<"aten::view.dtype">(), kView},
};
// clang-format on
}  // namespace
}  // namespace rules_of_prims_view

std::span<const OpDef> prims_view_rules() { return rules_of_prims_view::kPrimsViewRules; }

}  // namespace faketensor
