// Views: operators whose result shares the storage of their input.
#include "core/ops/families/view.h"

#include <algorithm>

#include "core/ops/dispatch_cache.h"
#include "core/ops/families/expand.h"
#include "core/ops/families/reduction.h"
#include "core/ops/rules/tables.h"
#include "core/symbolic/cpp_comparison.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_view {
namespace {

Tensor* view_of(Call& c, const Tensor& self, const Geometry& geometry) {
  return c.view(self, geometry.sizes, geometry.strides);
}

Tensor* alias(Call& c, const Tensor& self) { return c.alias(self); }

// --- shape ---

Tensor* view(Call& c, const Tensor& self, Dims size) { return view_reshaped(c, self, size); }

// Mirrors reshape_symint, aten/src/ATen/native/TensorShape.cpp: a view where strides allow it.
Value reshape(Call& c, const Tensor& self, Dims shape) {
  if (self.is_contiguous()) return c.call<"aten::view">(self, shape);
  const DimVector sizes = infer_shape(shape, self.numel());
  if (view_strides(self.sizes(), self.strides(), sizes)) return c.call<"aten::view">(self, sizes);
  return c.call<"aten::_unsafe_view">(c.tensor<"aten::clone">(self, MemoryFormat::kContiguous),
                                      sizes);
}

Value reshape_as(Call& c, const Tensor& self, const Tensor& other) {
  return c.call<"aten::reshape">(self, other.sizes());
}

Value view_as(Call& c, const Tensor& self, const Tensor& other) {
  return c.call<"aten::view">(self, other.sizes());
}

Value ravel(Call& c, const Tensor& self) {
  return c.call<"aten::reshape">(c.tensor<"aten::contiguous">(self), DimVector{-1});
}

Value flatten(Call& c, const Tensor& self, int64_t start_dim, int64_t end_dim) {
  const auto start = static_cast<size_t>(wrap_dim(start_dim, self.dim()));
  const auto end = static_cast<size_t>(wrap_dim(end_dim, self.dim()));
  c.check(start <= end, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (self.dim() == 0) return c.call<"aten::reshape">(self, DimVector{1});
  if (start == end) return self;
  DimVector shape(self.sizes().first(start));
  shape.push_back(numel(self.sizes().subspan(start, end - start + 1)));
  shape.append(self.sizes().subspan(end + 1));
  return c.call<"aten::reshape">(self, shape);
}

Value unflatten(Call& c, const Tensor& self, int64_t dim, Dims sizes) {
  const auto at = static_cast<size_t>(wrap_dim(dim, self.dim()));
  c.check(!sizes.empty(), "unflatten: sizes must be non-empty");
  DimVector inferred;
  try {
    inferred = infer_shape(sizes, self.size(static_cast<int64_t>(at)));
  } catch (const Error& error) {
    if (error.message().find("is invalid for input of size") == std::string::npos) {
      c.fail(ErrorKind::kRuntimeError, format("unflatten got an unexpected error:\n{}: {}",
                                              error.class_name(), error.message()));
    }
    c.fail(ErrorKind::kRuntimeError,
           format("unflatten: Provided sizes {} don't multiply up to the size of dim {} ({}) in "
                  "the input tensor",
                  sizes, at, self.sizes()[at]));
  }
  DimVector shape(self.sizes().first(at));
  shape.append(inferred);
  shape.append(self.sizes().subspan(at + 1));
  return c.call<"aten::view">(self, shape);
}

// --- order of dimensions ---

Tensor* transpose(Call& c, const Tensor& self, int64_t dim0, int64_t dim1) {
  const int64_t a = wrap_dim(dim0, self.dim());
  const int64_t b = wrap_dim(dim1, self.dim());
  return a == b ? c.alias(self) : view_of(c, self, transposed(self, a, b));
}

Value swapped(Call& c, const Tensor& self, int64_t dim0, int64_t dim1) {
  return c.call<"aten::transpose.int">(self, dim0, dim1);
}

Value t(Call& c, const Tensor& self) {
  c.check(self.dim() <= 2, "t() expects a tensor with <= 2 dimensions, but self is {}D",
          self.dim());
  return c.call<"aten::transpose.int">(self, 0, self.dim() < 2 ? 0 : 1);
}

// x.T: all dimensions reversed.
Value numpy_transpose(Call& c, const Tensor& self) {
  DimVector order;
  for (int64_t i = self.dim(); i-- > 0;) order.push_back(i);
  return c.call<"aten::permute">(self, order);
}

// x.mT, x.mH, adjoint(): the last two dimensions exchanged; of a 0-dimensional tensor itself.
Value matrix_transpose(Call& c, const Tensor& self) {
  if (self.dim() == 0) return self;
  c.check(self.dim() >= 2,
          "tensor.mT is only supported on matrices or batches of matrices. Got {}-D tensor.",
          self.dim());
  return c.call<"aten::transpose.int">(self, -2, -1);
}
Value adjoint_named(Call& c, const Tensor& self, std::string_view name) {
  c.check(self.dim() != 1,
          "{} is only supported on matrices or batches of matrices. Got {}-D "
          "tensor.",
          name, self.dim());
  if (self.dim() == 0) return c.call<"aten::conj">(self);
  Tensor& swapped = c.tensor<"aten::transpose.int">(self, -2, -1);
  return is_complex(self.dtype()) ? c.call<"aten::conj">(swapped) : Value(swapped);
}
Value adjoint(Call& c, const Tensor& self) { return adjoint_named(c, self, "tensor.adjoint()"); }
Value m_h(Call& c, const Tensor& self) { return adjoint_named(c, self, "tensor.mH"); }

Value matrix_h(Call& c, const Tensor& self) {
  c.check(self.dim() == 0 || self.dim() == 2,
          "tensor.H is only supported on matrices (2-D tensors). Got {}-D tensor.{}", self.dim(),
          self.dim() > 2 ? " For batches of matrices, consider using tensor.mH" : "");
  return adjoint_named(c, self, "tensor.H");
}

// Mirrors permute, torch/_refs/__init__.py, and _transpose_meta, torch/_prims/__init__.py.
Tensor* permute_by_reference(Call& c, const Tensor& self, Dims dims) {
  DimVector order;
  for (const SymInt dim : dims) order.push_back(wrap_dim(guard_int(dim), self.dim()));
  c.check_as(ErrorKind::kValueError, static_cast<int64_t>(order.size()) == self.dim(),
             "Attempting to permute a tensor of rank {}, but received a permutation of length {}!",
             self.dim(), order.size());
  SmallVector<bool, 16> seen(order.size(), false);
  Geometry geometry;
  for (const SymInt dim : order) {
    const auto at = static_cast<size_t>(dim.as_int());
    c.check_as(ErrorKind::kValueError, !seen[at], "Received an invalid permutation, {}!",
               order.span());
    seen[at] = true;
    geometry.sizes.push_back(self.sizes()[at]);
    geometry.strides.push_back(self.strides()[at]);
  }
  return view_of(c, self, geometry);
}

// Mirrors permute, aten/src/ATen/native/TensorShape.cpp.
Tensor* permute(Call& c, const Tensor& self, Dims dims) {
  if (has_symbolic_sizes(self)) return permute_by_reference(c, self, dims);
  c.check(static_cast<int64_t>(dims.size()) == self.dim(),
          "permute(sparse_coo): number of dimensions in the tensor input does not match the length "
          "of the desired ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = "
          "{}",
          self.dim(), dims.size());
  SmallVector<bool, 16> seen(dims.size(), false);
  Geometry geometry;
  for (const SymInt dim : dims) {
    const auto at = static_cast<size_t>(wrap_dim(guard_int(dim), self.dim()));
    c.check(!seen[at], "permute(): duplicate dims are not allowed.");
    seen[at] = true;
    geometry.sizes.push_back(self.sizes()[at]);
    geometry.strides.push_back(self.strides()[at]);
  }
  return view_of(c, self, geometry);
}

// Mirrors movedim, aten/src/ATen/native/TensorShape.cpp.
Value movedim(Call& c, const Tensor& self, Dims source, Dims destination) {
  c.check(source.size() == destination.size(),
          "movedim: Invalid source or destination dims: source ({} dims) should contain the same "
          "number of dims as destination ({} dims)",
          source, destination);
  const auto rank = static_cast<size_t>(self.dim());
  SmallVector<int64_t, 8> from;
  SmallVector<int64_t, 8> to;
  SmallVector<bool, 16> moved(rank, false);
  DimVector order(rank, SymInt(-1));
  for (const SymInt dim : source) from.push_back(wrap_dim(guard_int(dim), self.dim()));
  for (const SymInt dim : destination) to.push_back(wrap_dim(guard_int(dim), self.dim()));
  const auto repeats = [](std::span<const int64_t> dims) {
    for (size_t i = 0; i < dims.size(); ++i) {
      if (std::find(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(i), dims[i]) !=
          dims.begin() + static_cast<std::ptrdiff_t>(i))
        return true;
    }
    return false;
  };
  c.check(!repeats(from.span()), "movedim: repeated dim in `source` ({})", source);
  c.check(!repeats(to.span()), "movedim: repeated dim in `destination` ({})", destination);
  if (self.dim() == 0) return c.call<"aten::alias">(self);
  for (size_t i = 0; i < from.size(); ++i) {
    order[static_cast<size_t>(to[i])] = from[i];
    moved[static_cast<size_t>(from[i])] = true;
  }
  size_t next = 0;
  for (SymInt& slot : order) {
    if (slot.as_int() >= 0) continue;
    while (moved[next]) ++next;
    slot = next++;
  }
  return c.call<"aten::permute">(self, order);
}
Value movedim_one(Call& c, const Tensor& self, int64_t source, int64_t destination) {
  return movedim(c, self, DimVector{source}, DimVector{destination});
}

// --- dimensions of size 1 ---

// Every squeeze is one of squeeze.dims, whose kernel has a bit for each dimension. The reference,
// which answers for symbolic sizes, and the kernels of squeeze_ and squeeze_copy have none.
void check_squeezable(Call& c, const Tensor& self) {
  if (!has_symbolic_sizes(self) && !c.context().in_kernel()) check_bitset_rank(c, self.dim());
}
Tensor* squeeze(Call& c, const Tensor& self) {
  check_squeezable(c, self);
  const SmallVector<bool, 16> all(self.sizes().size(), true);
  const Geometry view = squeezed(self, all.span());
  ask_format(self);
  return view_of(c, self, view);
}
Tensor* squeeze_dims(Call& c, const Tensor& self, Dims dims) {
  check_squeezable(c, self);
  const Geometry view = squeezed(self, dim_flags(c, dims, self.dim()).span());
  ask_format(self);
  return view_of(c, self, view);
}
Tensor* squeeze_dim(Call& c, const Tensor& self, int64_t dim) {
  return squeeze_dims(c, self, DimVector{dim});
}

// The reference (prims.expand_dims) broadcasts, and asks of each size whether it is 1
// (_broadcast_in_dim_meta, torch/_prims/__init__.py).
Tensor* unsqueeze(Call& c, const Tensor& self, int64_t dim) {
  if (has_symbolic_sizes(c))
    for (const SymInt size : self.sizes()) (void)guard_or_false(size == 1);
  return view_of(c, self, unsqueezed(self, wrap_dim(dim, self.dim() + 1)));
}

// --- broadcasting ---

// at::inferExpandGeometry, which the C++ kernel of expand uses.
Geometry expanded(Call& c, const Tensor& self, Dims size) {
  c.check(static_cast<int64_t>(size.size()) >= self.dim(),
          "expand(Meta{}Type{{}}, size={}): the number of sizes provided ({}) must be greater or "
          "equal to the number of dimensions in the tensor ({})",
          info(self.dtype()).cpp_name, self.sizes(), size, size.size(), self.dim());
  const size_t added = size.size() - self.sizes().size();
  Geometry view{DimVector(size), DimVector(size.size())};
  for (size_t i = size.size(); i-- > 0;) {
    SymInt own = 1;
    SymInt stride;
    if (i >= added) {
      own = self.sizes()[i - added];
      stride = self.strides()[i - added];
    } else if (self.dim() > 0) {
      stride = i + 1 < size.size() ? view.sizes[i + 1] * view.strides[i + 1] : SymInt(1);
    }
    if (guard_or_false(size[i] == -1)) {
      c.check(self.dim() > 0, "numel: integer multiplication overflow");
      c.check(i >= added,
              "The expanded size of the tensor ({}) isn't allowed in a leading, non-existing "
              "dimension {}",
              size[i], i);
      view.sizes[i] = own;
    } else if (!guard_or_false(own == size[i])) {
      c.check(sym_or(own == 1, own == size[i]),
              "The expanded size of the tensor ({}) must match the existing size ({}) at "
              "non-singleton dimension {}.  Target sizes: {}.  Tensor sizes: {}",
              size[i], own, i, size, self.sizes());
      if (guard_or_false(own == 1)) stride = 0;
      c.check(!guard_or_false(size[i] < 0), "numel: integer multiplication overflow");
    }
    view.strides[i] = stride;
  }
  return view;
}

Geometry expanded_in_refs(Call& c, const Tensor& self, Dims size) {
  const DimVector sizes = expanded_sizes(c, self, size);
  ask_format(self);
  return {sizes, broadcast_strides(c, self, sizes)};
}

Tensor* expand(Call& c, const Tensor& self, Dims size) {
  return view_of(c, self,
                 has_symbolic_sizes(c) ? expanded_in_refs(c, self, size) : expanded(c, self, size));
}

Value expand_as(Call& c, const Tensor& self, const Tensor& other) {
  return c.call<"aten::expand">(self, other.sizes());
}
Value broadcast_to(Call& c, const Tensor& self, Dims size) {
  return c.call<"aten::expand">(self, size);
}

// Mirrors expand_outplace, aten/src/ATen/ExpandUtils.h: tensors that fit are returned themselves.
Value broadcast_tensors(Call& c, TensorList tensors) {
  DimVector common;
  for (size_t i = 0; i < tensors.size(); ++i) {
    common = i == 0 ? DimVector(tensors[i].sizes()) : broadcast_shapes(common, tensors[i].sizes());
  }
  SmallVector<Value, 8> results;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Dims sizes = tensors[i].sizes();
    const bool fits = guard_equal(sizes, common);
    results.push_back(fits ? Value(tensors[i]) : c.call<"aten::expand">(tensors[i], common));
  }
  return c.list(results.span());
}

// --- parts ---

// Mirrors meta_select, torch/_subclasses/fake_impls.py.
Tensor* select(Call& c, const Tensor& self, int64_t dim, SymInt index) {
  c.check_as(ErrorKind::kIndexError, self.dim() != 0,
             "select() cannot be applied to a 0-dim tensor.");
  const int64_t wrapped = dim >= 0 ? dim : dim + self.dim();
  const SymInt size = self.size(wrapped);
  c.check_as(ErrorKind::kIndexError,
             !guard_or_false(index >= size) && !guard_or_false(index < -size),
             "select(): index {} out of range for tensor of size {} at dimension {}", index,
             self.sizes(), wrapped);
  const auto at = static_cast<size_t>(wrap_dim(wrapped, self.dim()));
  Geometry view{DimVector(self.sizes()), DimVector(self.strides())};
  SymInt offset;
  if (guard_or_false(index >= 0)) {
    offset = self.offset() + index * view.strides[at];
  } else if (guard_or_false(index < 0)) {
    offset = self.offset() + (index + size) * view.strides[at];
  } else {
    offset = c.unbacked_int(ErrorKind::kDataDependentOutput);
  }
  view.sizes.erase(at);
  view.strides.erase(at);
  return c.view(self, view.sizes, view.strides, offset);
}

Tensor* slice(Call& c, const Tensor& self, int64_t dim, std::optional<SymInt> start,
              std::optional<SymInt> end, SymInt step) {
  return sliced(c, self, dim, start, end, step);
}

// Mirrors narrow_symint, aten/src/ATen/native/TensorShape.cpp.
Value narrow(Call& c, const Tensor& self, int64_t dim, SymInt start, SymInt length) {
  c.check(self.dim() > 0, "narrow() cannot be applied to a 0-dim tensor.");
  c.check(length >= 0, "narrow(): length must be non-negative.");
  const SymInt size = self.size(dim);
  check_narrow_start(c, start, size);
  if (guard_or_false(start < 0)) start += size;
  c.check(cpp_compare(Comparison::kLe, start, size - length),
          "start ({}) + length ({}) exceeds dimension size ({}).", start, length, size);
  return c.call<"aten::slice.Tensor">(self, dim, start, start + length, 1);
}

Tensor* diagonal(Call& c, const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  const auto a = static_cast<size_t>(wrap_dim(dim1, self.dim()));
  const auto b = static_cast<size_t>(wrap_dim(dim2, self.dim()));
  c.check(a != b, "diagonal dimensions cannot be identical {}, {}", dim1, dim2);
  const SymInt length = offset >= 0
                            ? sym_max(sym_min(self.sizes()[a], self.sizes()[b] - offset), 0)
                            : sym_max(sym_min(self.sizes()[a] + offset, self.sizes()[b]), 0);
  // The C++ kernel leaves the offset of an empty diagonal alone, the reference does not.
  SymInt start = self.offset();
  if (has_symbolic_sizes(c) || !guard_or_false(length == 0)) {
    start += offset >= 0 ? self.strides()[b] * offset : self.strides()[a] * -offset;
  }
  Geometry view;
  for (size_t i = 0; i < self.sizes().size(); ++i) {
    if (i == a || i == b) continue;
    view.sizes.push_back(self.sizes()[i]);
    view.strides.push_back(self.strides()[i]);
  }
  view.sizes.push_back(length);
  view.strides.push_back(self.strides()[a] + self.strides()[b]);
  return c.view(self, view.sizes, view.strides, start);
}

// Mirrors unfold, aten/src/ATen/native/TensorShape.cpp.
Tensor* unfold(Call& c, const Tensor& self, int64_t dimension, int64_t size, int64_t step) {
  const auto dim = static_cast<size_t>(wrap_dim(dimension, self.dim()));
  const SymInt available = self.dim() == 0 ? SymInt(1) : self.sizes()[dim];
  c.check(size >= 0, "size is {} but must be >= 0", size);
  c.check(available >= size, "maximum size for tensor at dimension {} is {} but size is {}", dim,
          available, size);
  c.check(step > 0, "step is {} but must be > 0", step);
  Geometry view{DimVector(self.sizes()), DimVector(self.strides())};
  view.sizes.push_back(size);
  view.strides.push_back(self.dim() == 0 ? SymInt(1) : self.strides()[dim]);
  if (self.dim() > 0) {
    view.sizes[dim] = floor_div(available - size, step) + 1;
    view.strides[dim] *= step;
  }
  return view_of(c, self, view);
}

void check_strided(const Call& c, Dims size, Dims stride, SymInt offset) {
  c.check(size.size() == stride.size(), "mismatch in length of strides and shape");
  for (const SymInt length : size) {
    c.check(!guard_or_false(length < 0), "numel: integer multiplication overflow");
  }
  for (const SymInt step : stride) {
    c.check(!guard_or_false(step < 0),
            "as_strided: Negative strides are not supported at the moment, got strides: {}",
            stride);
  }
  c.check(!guard_or_false(offset < 0), "Tensor: invalid storage offset {}", offset);
}

Tensor* as_strided(Call& c, const Tensor& self, Dims size, Dims stride,
                   std::optional<SymInt> storage_offset) {
  const SymInt offset = storage_offset.value_or(self.offset());
  check_strided(c, size, stride, offset);
  Tensor* view = c.view(self, size, stride, offset);
  grow_storage(c.context(), *view);
  return view;
}

// clang-format off
constexpr OpDef kViewRules[] = {
    {"aten::_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)", rule<&view>(), kView | kByDecomp},
    {"aten::_unsafe_view(Tensor self, SymInt[] size) -> Tensor", rule<&view>(), kView | kByDecomp},
    {"aten::adjoint(Tensor(a) self) -> Tensor(a)", rule<&adjoint>(), kView | kComposite},
    {"aten::alias(Tensor(a) self) -> Tensor(a)", rule<&alias>(), kView | kByCompositeExplicit},
    {"aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)", rule<&as_strided>(), kView | kByMetaCpp},
    {"aten::broadcast_tensors(Tensor[] tensors) -> Tensor[]", rule<&broadcast_tensors>(), kView | kComposite},
    {"aten::broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)", rule<&broadcast_to>(), kView | kComposite},
    {"aten::detach(Tensor(a) self) -> Tensor(a)", rule<&alias>(), kView | kByCompositeExplicit | kDetaches},
    {"aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)", rule<&diagonal>(), kView | kByCompositeExplicit},
    {"aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)", rule<&expand>(), kView | kByCompositeExplicit},
    {"aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)", rule<&expand_as>(), kView | kComposite},
    {"aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)", rule<&flatten>(), kView | kComposite},
    {"aten::mH(Tensor(a) self) -> Tensor(a)", rule<&m_h>(), kView | kComposite},
    {"aten::mT(Tensor(a) self) -> Tensor(a)", rule<&matrix_transpose>(), kView | kComposite},
    {"aten::matrix_H(Tensor(a) self) -> Tensor(a)", rule<&matrix_h>(), kView | kComposite},
    {"aten::moveaxis.int(Tensor(a) self, int source, int destination) -> Tensor(a)", rule<&movedim_one>(), kView | kComposite},
    {"aten::moveaxis.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)", rule<&movedim>(), kView | kComposite},
    {"aten::movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)", rule<&movedim_one>(), kView | kComposite},
    {"aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)", rule<&movedim>(), kView | kComposite},
    {"aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)", rule<&narrow>(), kView | kComposite},
    {"aten::numpy_T(Tensor(a) self) -> Tensor(a)", rule<&numpy_transpose>(), kView | kComposite},
    {"aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)", rule<&permute>(), kView | kByCompositeExplicit},
    {"aten::ravel(Tensor(a) self) -> Tensor(a)", rule<&ravel>(), kView | kComposite},
    {"aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)", rule<&reshape>(), kView | kComposite},
    {"aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)", rule<&reshape_as>(), kView | kComposite},
    {"aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)", rule<&select>(), kView | kByFakeImpl},
    {"aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)", rule<&slice>(), kView | kByDecomp},
    {"aten::squeeze(Tensor(a) self) -> Tensor(a)", rule<&squeeze>(), kView | kByDecomp},
    {"aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)", rule<&squeeze_dim>(), kView | kByDecomp},
    {"aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)", rule<&squeeze_dims>(), kView | kByCompositeExplicit},
    {"aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)", rule<&swapped>(), kView | kComposite},
    {"aten::swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", rule<&swapped>(), kView | kComposite},
    {"aten::t(Tensor(a) self) -> Tensor(a)", rule<&t>(), kView | kByCompositeExplicit},
    {"aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", rule<&transpose>(), kView | kByCompositeExplicit},
    {"aten::unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)", rule<&unflatten>(), kView | kComposite},
    {"aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)", rule<&unfold>(), kView | kByMetaCpp},
    {"aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)", rule<&unsqueeze>(), kView | kByCompositeExplicit},
    {"aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)", rule<&view>(), kView | kByFakeImpl},
    {"aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)", rule<&view_as>(), kView | kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_view

std::span<const OpDef> view_rules() { return rules_of_view::kViewRules; }

}  // namespace faketensor
