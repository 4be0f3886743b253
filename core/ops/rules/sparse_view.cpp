// Views, shapes and parts of sparse tensors. None of them shares memory: a sparse tensor has no
// storage of its own that FakeTensorMode could tell aliases by.
#include <algorithm>

#include "core/ops/families/factory.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/families/reduction.h"
#include "core/ops/families/sparse.h"
#include "core/ops/rules/sparse_tables.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_sparse_view {
namespace {

// --- the parts ---

// Batch dimensions of a compressed tensor stand before its two sparse ones.
int64_t batch_dim(const Tensor& self) { return self.dim() - 2 - sparse_of(self).dense_dim; }

DimVector sparse_batch_sizes(const Tensor& self) {
  DimVector sizes;
  for (int64_t i = 0; i < batch_dim(self); ++i) sizes.push_back(self.size(i));
  return sizes;
}

Tensor* coo_indices(Call& c, const Tensor& self) {
  const SparseMeta& sparse = sparse_of(self);
  return c.empty({SymInt(int64_t{sparse.sparse_dim}), sparse.nnz}, DType::kInt64);
}

Tensor* element_values(Call& c, const Tensor& self) {
  const SparseMeta& sparse = sparse_of(self);
  DimVector sizes;
  if (is_compressed(self)) sizes = sparse_batch_sizes(self);
  sizes.push_back(sparse.nnz);
  if (is_block(self.layout())) {
    sizes.push_back(sparse.block_size[0]);
    sizes.push_back(sparse.block_size[1]);
  }
  for (int64_t i = self.dim() - sparse.dense_dim; i < self.dim(); ++i)
    sizes.push_back(self.size(i));
  return c.empty(sizes, self.dtype());
}

// One more than there are rows, columns or blocks of them.
Tensor* compressed_indices(Call& c, const Tensor& self) {
  const SparseMeta& sparse = sparse_of(self);
  const int axis = is_row_compressed(self.layout()) ? 0 : 1;
  SymInt count = self.size(batch_dim(self) + axis);
  if (is_block(self.layout())) count = floor_div(count, sparse.block_size[axis]);
  DimVector sizes = sparse_batch_sizes(self);
  sizes.push_back(count + 1);
  return c.empty(sizes, sparse.index_dtype);
}

Tensor* plain_indices(Call& c, const Tensor& self) {
  DimVector sizes = sparse_batch_sizes(self);
  sizes.push_back(sparse_of(self).nnz);
  return c.empty(sizes, sparse_of(self).index_dtype);
}

// The function that is asked is the one without "_copy".
std::string_view part_name(Call& c) {
  std::string_view name = c.op().packet();
  if (name.ends_with("_copy")) name.remove_suffix(5);
  return name;
}

void check_coordinate(Call& c, const Tensor& self) {
  c.check(is_coo(self), "{} expected sparse coordinate tensor layout but got {}", part_name(c),
          cpp_name(self.layout()));
}
void check_row_compressed(Call& c, const Tensor& self) {
  c.check(is_row_compressed(self.layout()),
          "{} expected sparse row compressed tensor layout but got {}", part_name(c),
          cpp_name(self.layout()));
}
void check_column_compressed(Call& c, const Tensor& self) {
  c.check(is_compressed(self) && !is_row_compressed(self.layout()),
          "{} expected sparse column compressed tensor layout but got {}", part_name(c),
          cpp_name(self.layout()));
}

Value indices(Call& c, const Tensor& self) {
  check_coordinate(c, self);
  c.check(self.meta->has(kCoalesced),
          "Cannot get indices on an uncoalesced tensor, please call .coalesce() first");
  return coo_indices(c, self);
}
Value values(Call& c, const Tensor& self) {
  c.check(self.layout() != Layout::kStrided, "values expected sparse tensor layout but got {}",
          cpp_name(self.layout()));
  c.check(!is_coo(self) || self.meta->has(kCoalesced),
          "Cannot get values on an uncoalesced tensor, please call .coalesce() first");
  return element_values(c, self);
}
// The copies have no kernel for COO.
Value indices_copy(Call& c, const Tensor& self) {
  if (is_coo(self)) throw_no_kernel(c.op(), "SparseCPU");
  return indices(c, self);
}
Value values_copy(Call& c, const Tensor& self) {
  if (is_coo(self)) throw_no_kernel(c.op(), "SparseCPU");
  return values(c, self);
}
Value raw_indices(Call& c, const Tensor& self) {
  require_coo(c, self);
  return coo_indices(c, self);
}
Value raw_values(Call& c, const Tensor& self) {
  require_coo(c, self);
  return element_values(c, self);
}
Value crow_indices(Call& c, const Tensor& self) {
  check_row_compressed(c, self);
  return compressed_indices(c, self);
}
Value ccol_indices(Call& c, const Tensor& self) {
  check_column_compressed(c, self);
  return compressed_indices(c, self);
}
Value col_indices(Call& c, const Tensor& self) {
  check_row_compressed(c, self);
  return plain_indices(c, self);
}
Value row_indices(Call& c, const Tensor& self) {
  check_column_compressed(c, self);
  return plain_indices(c, self);
}

Value nnz(Call& c, const Tensor& self) {
  if (self.meta->sparse() == nullptr) throw_no_kernel(c.op(), "CPU");
  return sparse_of(self).nnz;
}
Value raw_sparse_dim(Call& c, const Tensor& self) {
  require_coo(c, self);
  return int64_t{sparse_of(self).sparse_dim};
}
Value raw_dense_dim(Call& c, const Tensor& self) {
  require_coo(c, self);
  return int64_t{sparse_of(self).dense_dim};
}
Value is_coalesced(Call& c, const Tensor& self) {
  check_coordinate(c, self);
  return self.meta->has(kCoalesced);
}

Value raw_coalesce(Call& c, const Tensor& self) {
  require_coo(c, self);
  return sparse_zeros_like(c, self, self.dtype());
}
Value coalesce(Call& c, const Tensor& self) {
  check_coordinate(c, self);
  if (self.meta->has(kCoalesced)) return self;
  return c.call<"aten::_coalesce">(self);
}
// In place on a strided tensor there is nothing to do, and no kernel is looked for.
Value set_coalesced(Call& c, Tensor& self, bool coalesced) {
  if (self.layout() == Layout::kStrided) return self;
  require_coo(c, self);
  SparseShape shape = shape_of(self);
  shape.coalesced = coalesced;
  set_sparse(c, self, self.layout(), shape);
  return self;
}

// --- the same tensor again ---

Value same_object(Call&, const Tensor& self) { return self; }
Value detached(Call& c, const Tensor& self) { return c.context().make_tensor(self.meta, nullptr); }
Value detach_inplace(Call& c, Tensor& self) {
  set_sparse(c, self, self.layout(), shape_of(self));
  MetaSpec spec = self.meta->spec();
  spec.flags = static_cast<uint16_t>(spec.flags & ~kRequiresGrad);
  self.meta = c.context().metas().intern(spec);
  return self;
}

// A view is made of the storage, which COO has none of.
Value alias(Call& c, const Tensor& self) {
  if (is_compressed(self)) throw_has_no(self, "strides");
  c.fail(ErrorKind::kNotImplementedError, "Cannot access storage of SparseTensorImpl");
}

std::string_view format_name(MemoryFormat format) {
  constexpr std::string_view kNames[] = {"Contiguous", "Preserve", "ChannelsLast",
                                         "ChannelsLast3d"};
  return kNames[static_cast<size_t>(format)];
}

Value clone(Call& c, const Tensor& self, std::optional<MemoryFormat> format) {
  if (is_compressed(self)) {
    if (format)
      c.fail(ErrorKind::kRuntimeError,
             faketensor::format("unsupported memory format option {}", format_name(*format)));
    return sparse_like(c, self, self.dtype());
  }
  c.check(format.value_or(MemoryFormat::kPreserve) == MemoryFormat::kPreserve,
          "memory format option is only supported by strided tensors");
  return sparse_zeros_like(c, self, self.dtype());
}

Value lift_fresh_copy(Call& c, const Tensor& self) {
  c.check(!is_compressed(self), "unsupported memory format option Contiguous");
  refuse_sparse(c.op(), c.args());
}

Value contiguous(Call& c, const Tensor& self, std::optional<MemoryFormat> format) {
  if (is_compressed(self)) throw_has_no(self, "is_contiguous");
  c.check(format.value_or(MemoryFormat::kContiguous) != MemoryFormat::kPreserve,
          "preserve memory format is unsupported by the contiguous operator");
  c.fail(ErrorKind::kRuntimeError, "memory format option is only supported by strided tensors");
}

Value to_copy(Call& c, const Tensor& self, std::optional<DType> dtype, std::optional<Layout> layout,
              std::optional<Device> device) {
  c.check(!layout || *layout == self.layout(),
          "to(options) doesn't support converting to a different layout, but got self.layout being "
          "{} and options.layout set as {}",
          cpp_name(self.layout()), cpp_name(layout.value_or(Layout::kStrided)));
  SparseShape shape = shape_of(self);
  shape.meta.nnz = 0;
  shape.coalesced = true;
  return new_sparse(c, self.layout(), shape, dtype.value_or(self.dtype()),
                    device.value_or(self.device()));
}

// Mirrors copy_sparse_compressed_; a COO tensor takes whatever it is given.
Value copy_inplace(Call& c, Tensor& self, const Tensor& source) {
  if (!is_compressed(self) && !is_compressed(source)) return self;
  c.check(
      self.layout() == source.layout(),
      "torch.copy_: copy of sparse compressed tensors having different layouts is not supported. "
      "self layout is {} and src layout is {}",
      cpp_name(self.layout()), cpp_name(source.layout()));
  const SparseMeta &to = sparse_of(self), &from = sparse_of(source);
  c.check(
      to.nnz == from.nnz,
      "torch.copy_: only sparse compressed tensors with the same number of specified elements are "
      "supported.");
  c.check(!is_block(self.layout()) || (guard_bool(to.block_size[0] == from.block_size[0]) &&
                                       guard_bool(to.block_size[1] == from.block_size[1])),
          "torch.copy_: copy of sparse compressed tensors having different block sizes is not "
          "supported. self and src block sizes are {} and {}, respectively.",
          Dims(to.block_size), Dims(from.block_size));
  return self;
}

// --- other shapes ---

Value transpose(Call& c, const Tensor& self, int64_t dim0, int64_t dim1) {
  dim0 = wrap_dim(dim0, self.dim());
  dim1 = wrap_dim(dim1, self.dim());
  SparseShape shape = shape_of(self);
  DimVector sizes;
  for (const SymInt size : self.sizes()) sizes.push_back(size);
  std::swap(sizes[static_cast<size_t>(dim0)], sizes[static_cast<size_t>(dim1)]);
  shape.sizes = sizes;
  if (is_coo(self)) {
    const int64_t sparse = shape.meta.sparse_dim;
    c.check(
        dim0 == dim1 || (dim0 < sparse && dim1 < sparse),
        "sparse transpose: transposed dimensions must be sparse Got sparse_dim: {}, d0: {}, d1: "
        "{}",
        sparse, dim0, dim1);
    return new_sparse(c, self.layout(), empty_coo(sizes, sparse, shape.meta.dense_dim),
                      self.dtype(), self.device());
  }
  c.check(shape.meta.dense_dim == 0,
          "transpose(): hybrid sparse compressed tensors with dense dimensions are not supported");
  const int64_t batch = batch_dim(self);
  c.check((dim0 < batch) == (dim1 < batch),
          "transpose(): can only transpose dimensions of the same type (Batch, Sparse, Dense), got "
          "{} and {}",
          dim0 < batch ? "Batch" : "Sparse", dim1 < batch ? "Batch" : "Sparse");
  if (dim0 == dim1 || dim0 < batch)
    return new_sparse(c, self.layout(), shape, self.dtype(), self.device());
  constexpr Layout kFlipped[] = {Layout::kSparseCsc, Layout::kSparseCsr, Layout::kSparseBsc,
                                 Layout::kSparseBsr};
  std::swap(shape.meta.block_size[0], shape.meta.block_size[1]);
  const auto at = static_cast<size_t>(self.layout()) - static_cast<size_t>(Layout::kSparseCsr);
  return new_sparse(c, kFlipped[at], shape, self.dtype(), self.device());
}

Value t(Call& c, const Tensor& self) {
  if (is_coo(self)) {
    const SparseMeta& sparse = sparse_of(self);
    c.check(
        sparse.sparse_dim <= 2 && sparse.dense_dim == 0,
        "t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {} sparse and {} "
        "dense dimensions",
        sparse.sparse_dim, sparse.dense_dim);
  } else {
    c.check(self.dim() <= 2, "t() expects a tensor with <= 2 dimensions, but self is {}D",
            self.dim());
  }
  return transpose(c, self, 0, self.dim() < 2 ? 0 : 1);
}

// Mirrors permute_sparse_coo.
Value permute(Call& c, const Tensor& self, Dims dims) {
  require_coo(c, self);
  const int64_t rank = self.dim();
  c.check(
      static_cast<int64_t>(dims.size()) == rank,
      "permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
      "the desired ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
      rank, dims.size());
  const int64_t sparse = sparse_of(self).sparse_dim;
  DimVector sizes;
  DimSet seen;
  bool mixes = false, first_stays = true;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t dim = wrap_dim(guard_int(dims[i]), rank);
    c.check(seen.add(dim), "permute(): duplicate dims are not allowed.");
    mixes = mixes || (static_cast<int64_t>(i) < sparse) != (dim < sparse);
    if (i == 0) first_stays = dim == 0;
    sizes.push_back(self.size(dim));
  }
  c.check(!mixes,
          "permute(sparse_coo): transpositions between sparse and dense dimensions are not "
          "allowed.Only transpositions within sparse and dense dimensions are supported.");
  SparseShape shape = empty_coo(sizes, sparse, sparse_of(self).dense_dim);
  shape.coalesced = self.meta->has(kCoalesced) && first_stays;
  return new_sparse(c, self.layout(), shape, self.dtype(), self.device());
}

// A COO tensor without elements whose dimension `dim` is replaced by `size`, or taken out (select).
Value resized_dim(Call& c, const Tensor& self, int64_t dim, std::optional<SymInt> size) {
  DimVector sizes;
  for (int64_t i = 0; i < self.dim(); ++i) {
    if (i != dim) sizes.push_back(self.size(i));
    if (i == dim && size) sizes.push_back(*size);
  }
  int64_t sparse = sparse_of(self).sparse_dim, dense = sparse_of(self).dense_dim;
  if (!size) --(dim < sparse ? sparse : dense);
  if (sparse == 0) return c.empty(sizes, self.dtype());
  return new_sparse(c, Layout::kSparseCoo, empty_coo(sizes, sparse, dense), self.dtype(),
                    self.device());
}

void check_index(Call& c, const Tensor& self, int64_t dim, SymInt index) {
  const SymInt size = self.size(dim);
  c.check_as(ErrorKind::kIndexError, guard_bool(index >= -size) && guard_bool(index < size),
             "{}(): index {} out of range for tensor of size {} at dimension {}", c.op().packet(),
             index, self.sizes(), dim);
}

// Mirrors select_sparse. What is compressed is asked for its strides by select,
// torch/_decomp/decompositions.py, which adds the rank to a negative dimension once.
Value select(Call& c, const Tensor& self, int64_t dim, SymInt index) {
  c.check_as(ErrorKind::kIndexError, self.dim() != 0,
             "select() cannot be applied to a 0-dim tensor.");
  if (is_compressed(self)) {
    if (dim < 0) dim += self.dim();
    check_index(c, self, wrap_dim(dim, self.dim()), index);
    throw_has_no(self, "strides");
  }
  dim = wrap_dim(dim, self.dim());
  check_index(c, self, dim, index);
  Tensor& selected = resized_dim(c, self, dim, std::nullopt).tensor();
  if (dim < sparse_of(self).sparse_dim) return selected;
  // A part of each element: those stay.
  SparseShape shape = shape_of(selected);
  shape.meta.nnz = sparse_of(self).nnz;
  shape.coalesced = false;
  set_sparse(c, selected, selected.layout(), shape);
  return selected;
}

// Mirrors select_sparse_csr_worker: one row, column, batch or part of each element.
Value compressed_part(Call& c, const Tensor& self, int64_t dim) {
  const int64_t batch = batch_dim(self);
  if (dim >= batch && dim < batch + 2) {
    // A row of a compressed matrix is made COO.
    const SparseShape matrix = empty_coo(self.sizes(), 2, sparse_of(self).dense_dim);
    const Tensor& coo = *new_sparse(c, Layout::kSparseCoo, matrix, self.dtype(), self.device());
    return resized_dim(c, coo, dim, std::nullopt);
  }
  SparseShape shape = shape_of(self);
  DimVector sizes;
  for (int64_t k = 0; k < self.dim(); ++k)
    if (k != dim) sizes.push_back(self.size(k));
  shape.sizes = sizes;
  if (dim >= batch) --shape.meta.dense_dim;
  return new_sparse(c, self.layout(), shape, self.dtype(), self.device());
}

Value select_copy(Call& c, const Tensor& self, int64_t dim, SymInt index) {
  if (!is_compressed(self)) refuse_sparse(c.op(), c.args());
  dim = wrap_dim(dim, self.dim());
  check_index(c, self, dim, index);
  const int64_t batch = batch_dim(self);
  c.check(batch == 0 || dim < batch || dim >= batch + 2,
          "select_copy(): selecting sparse dimensions is not supported for batched sparse "
          "compressed tensors.");
  return compressed_part(c, self, dim);
}

Value unbind(Call& c, const Tensor& self, int64_t dim) {
  dim = wrap_dim(dim, self.dim());
  const int64_t batch = is_compressed(self) ? batch_dim(self) : 0;
  const bool is_batch = is_compressed(self) && dim < batch;
  c.check(!is_compressed(self) || is_batch || batch == 0 || dim >= batch + 2,
          "select(): selecting sparse dimensions is not supported for batched sparse compressed "
          "tensors.");
  const int64_t count = guard_int(self.size(dim));
  SmallVector<Value, 8> parts;
  for (int64_t i = 0; i < count; ++i) {
    parts.push_back(is_compressed(self) ? compressed_part(c, self, dim)
                                        : resized_dim(c, self, dim, std::nullopt));
  }
  return c.list(parts.span());
}

Value unsqueeze(Call& c, const Tensor& self, int64_t dim) {
  dim = wrap_dim(dim, self.dim() + 1);
  if (is_compressed(self)) throw_has_no(self, "strides");
  DimVector sizes;
  for (int64_t i = 0; i <= self.dim(); ++i) {
    if (i == dim) sizes.push_back(1);
    if (i < self.dim()) sizes.push_back(self.size(i));
  }
  int64_t sparse = sparse_of(self).sparse_dim, dense = sparse_of(self).dense_dim;
  ++(dim <= sparse ? sparse : dense);
  return new_sparse(c, self.layout(), empty_coo(sizes, sparse, dense), self.dtype(), self.device());
}

Value index_select(Call& c, const Tensor& self, int64_t dim, const Tensor& index) {
  if (!is_coo(self)) refuse_sparse(c.op(), c.args());
  return resized_dim(c, self, wrap_dim(dim, self.dim()), index.numel());
}

// Mirrors narrow_copy_sparse, aten/src/ATen/native/TensorShape.cpp.
Value narrow_copy(Call& c, const Tensor& self, int64_t dim, SymInt start, SymInt length) {
  c.check(length >= 0, "narrow(): length must be non-negative.");
  if (is_compressed(self)) {
    wrap_dim(dim, self.dim());
    throw_has_no(self, "strides");
  }
  c.check(dim >= 0 && dim < self.dim(), "Dimension {} out of range. Expecting 0 <= dim < {}.", dim,
          self.dim());
  c.check(guard_bool(start >= 0) && guard_bool(start + length <= self.size(dim)),
          "Invalid range to narrow. range(start, start+length) must be a subset of range(0, {}).",
          self.size(dim));
  Tensor& result = resized_dim(c, self, dim, length).tensor();
  SparseShape shape = shape_of(result);
  shape.coalesced = self.meta->has(kCoalesced);
  set_sparse(c, result, result.layout(), shape);
  return result;
}

// Mirrors cat_sparse. `axis` is where the tensors are joined, `stacked` whether along a new
// dimension.
Value join(Call& c, TensorList tensors, int64_t dim, bool stacked) {
  const Tensor& first = tensors[0];
  const Tensor* compressed = first_compressed(c.args());
  if (compressed != nullptr)
    throw_has_no(*compressed, is_compressed(first) ? "is_contiguous" : "strides");
  const int64_t at = wrap_dim(dim, first.dim() + (stacked ? 1 : 0));
  const Tensor* sparse = first_sparse(c.args());
  SymInt total = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = tensors[i];
    c.check(is_coo(tensor),
            "Concatenating sparse tensors, but a dense tensor was found at position {}.", i);
    const SparseMeta &a = sparse_of(*sparse), &b = sparse_of(tensor);
    c.check(
        a.sparse_dim == b.sparse_dim && a.dense_dim == b.dense_dim,
        "All tensors must have the same sparse_dim and dense_dim: {}, {}, but tensor at position "
        "{} has {}, {}.",
        a.sparse_dim, a.dense_dim, i, b.sparse_dim, b.dense_dim);
    total = total + (stacked ? SymInt(1) : tensor.size(at));
  }
  DimVector sizes;
  for (int64_t i = 0; i < first.dim(); ++i) {
    if (i == at) sizes.push_back(total);
    if (i != at || stacked) sizes.push_back(first.size(i));
  }
  if (at == first.dim()) sizes.push_back(total);
  int64_t sparse_dims = sparse_of(first).sparse_dim, dense = sparse_of(first).dense_dim;
  if (stacked) ++(at <= sparse_dims ? sparse_dims : dense);
  const DType dtype = result_type(c, tensors.values());
  return new_sparse(c, Layout::kSparseCoo, empty_coo(sizes, sparse_dims, dense), dtype, c.device());
}
Value cat(Call& c, TensorList tensors, int64_t dim) { return join(c, tensors, dim, false); }
Value stack(Call& c, TensorList tensors, int64_t dim) { return join(c, tensors, dim, true); }

Value index(Call& c, const Tensor& self) {
  if (!is_compressed(self)) refuse_sparse(c.op(), c.args());
  empty_with_layout(c, self.layout(), self.sizes(), self.dtype(), self.device());
  throw_has_no(self, "strides");
}

Value expand(Call& c, const Tensor& self, Dims sizes) {
  const auto count = static_cast<int64_t>(sizes.size());
  c.check(count >= self.dim(),
          "expand({}Meta{}Type{{}}, size={}): the number of sizes provided ({}) must be greater or "
          "equal to the number of dimensions in the tensor ({})",
          is_coo(self) ? "Sparse" : "SparseCsr", info(self.dtype()).cpp_name, self.sizes(), sizes,
          count, self.dim());
  c.fail(ErrorKind::kRuntimeError,
         format("expand is unsupported for {} tensors", cpp_name(self.layout())));
}
Value expand_as(Call& c, const Tensor& self, const Tensor& other) {
  return expand(c, self, other.sizes());
}

Value reshape(Call& c, const Tensor& self) {
  if (is_compressed(self)) throw_has_no(self, "is_contiguous");
  c.fail(ErrorKind::kRuntimeError, "reshape is not implemented for sparse tensors");
}

// --- what others ask ---

Value no_strides(Call&, const Tensor& self) {
  if (is_compressed(self)) throw_has_no(self, "strides");
  return Value();
}
Value strides(Call& c, const Tensor& self) {
  no_strides(c, self);
  return c.context().make_ints(DimVector(static_cast<size_t>(self.dim()), SymInt(0)));
}
Value stride(Call& c, const Tensor& self, int64_t dim) {
  no_strides(c, self);
  wrap_dim(dim, self.dim(), false);
  return 0;
}
Value is_contiguous(Call&, const Tensor& self) {
  if (is_compressed(self)) throw_has_no(self, "is_contiguous");
  return false;
}

// clang-format off
constexpr OpDef kOwnRules[] = {
    {"aten::_coalesce(Tensor self) -> Tensor", rule<&raw_coalesce>(), kAnyLayout | kByFallback},
    {"aten::_coalesced_(Tensor(a!) self, bool coalesced) -> Tensor(a!)", rule<&set_coalesced>(), kAnyLayout | kByMetaCpp},
    {"aten::_dimI(Tensor self) -> int", rule<&raw_sparse_dim>(), kAnyLayout | kByFallback},
    {"aten::_dimV(Tensor self) -> int", rule<&raw_dense_dim>(), kAnyLayout | kByFallback},
    {"aten::_indices(Tensor(a) self) -> Tensor(a)", rule<&raw_indices>(), kAnyLayout | kByFallback},
    {"aten::_nnz(Tensor self) -> int", rule<&nnz>(), kAnyLayout | kByFallback},
    {"aten::_values(Tensor(a) self) -> Tensor(a)", rule<&raw_values>(), kAnyLayout | kByFallback | kNoDerivative},
    {"aten::ccol_indices(Tensor(a) self) -> Tensor(a)", rule<&ccol_indices>(), kAnyLayout | kByCompositeExplicit},
    {"aten::ccol_indices_copy(Tensor self) -> Tensor", rule<&ccol_indices>(), kAnyLayout | kByCompositeExplicit},
    {"aten::coalesce(Tensor(a) self) -> Tensor(a)", rule<&coalesce>(), kAnyLayout | kComposite},
    {"aten::col_indices(Tensor(a) self) -> Tensor(a)", rule<&col_indices>(), kAnyLayout | kByCompositeExplicit},
    {"aten::col_indices_copy(Tensor self) -> Tensor", rule<&col_indices>(), kAnyLayout | kByCompositeExplicit},
    {"aten::crow_indices(Tensor(a) self) -> Tensor(a)", rule<&crow_indices>(), kAnyLayout | kByCompositeExplicit},
    {"aten::crow_indices_copy(Tensor self) -> Tensor", rule<&crow_indices>(), kAnyLayout | kByCompositeExplicit},
    {"aten::indices(Tensor(a) self) -> Tensor(a)", rule<&indices>(), kAnyLayout | kByCompositeExplicit},
    {"aten::indices_copy(Tensor self) -> Tensor", rule<&indices_copy>(), kAnyLayout | kByCompositeExplicit},
    {"aten::row_indices(Tensor(a) self) -> Tensor(a)", rule<&row_indices>(), kAnyLayout | kByCompositeExplicit},
    {"aten::row_indices_copy(Tensor self) -> Tensor", rule<&row_indices>(), kAnyLayout | kByCompositeExplicit},
    {"aten::values(Tensor(a) self) -> Tensor(a)", rule<&values>(), kAnyLayout | kByCompositeExplicit},
    {"aten::values_copy(Tensor self) -> Tensor", rule<&values_copy>(), kAnyLayout | kByCompositeExplicit | kRealDerivative},
};

constexpr SparseDef kRows[] = {
    {"aten::_conj", rule<&alias>()},
    {"aten::_neg_view", rule<&alias>()},
    {"aten::_to_copy", rule<&to_copy>()},
    {"aten::alias", rule<&alias>()},
    {"aten::cat", rule<&cat>()},
    {"aten::chunk", lacks(Lacking::kStrides, 2)},
    {"aten::clone", rule<&clone>()},
    {"aten::contiguous", rule<&contiguous>()},
    {"aten::copy_", rule<&copy_inplace>()},
    {"aten::data", rule<&detached>()},
    {"aten::detach", rule<&detached>()},
    {"aten::detach_", rule<&detach_inplace>()},
    {"aten::diagonal", lacks(Lacking::kStrides, 3)},
    {"aten::expand", rule<&expand>()},
    {"aten::expand_as", rule<&expand_as>()},
    {"aten::index.Tensor", rule<&index>()},
    {"aten::index_select", rule<&index_select>()},
    {"aten::is_coalesced", rule<&is_coalesced>()},
    {"aten::is_contiguous", rule<&is_contiguous>()},
    {"aten::lift", rule<&same_object>()},
    {"aten::lift_fresh", rule<&same_object>()},
    {"aten::lift_fresh_copy", rule<&lift_fresh_copy>()},
    {"aten::narrow_copy", rule<&narrow_copy>()},
    {"aten::permute", rule<&permute>()},
    {"aten::reshape", rule<&reshape>()},
    {"aten::select.int", rule<&select>()},
    {"aten::select_copy.int", rule<&select_copy>()},
    {"aten::slice.Tensor", lacks(Lacking::kStrides, 1)},
    {"aten::split.Tensor", lacks(Lacking::kStrides, 2)},
    {"aten::squeeze", lacks(Lacking::kStrides)},
    {"aten::squeeze.dim", lacks(Lacking::kStrides, 1)},
    {"aten::stack", rule<&stack>()},
    {"aten::stride", rule<&strides>()},
    {"aten::stride.int", rule<&stride>()},
    {"aten::t", rule<&t>()},
    {"aten::transpose.int", rule<&transpose>()},
    {"aten::tril", lacks(Lacking::kResult)},
    {"aten::triu", lacks(Lacking::kResult)},
    {"aten::unbind.int", rule<&unbind>()},
    {"aten::unsqueeze", rule<&unsqueeze>()},
    {"aten::view", lacks(Lacking::kStrides)},
};
// clang-format on

}  // namespace
}  // namespace rules_of_sparse_view

std::span<const OpDef> sparse_view_rules() { return rules_of_sparse_view::kOwnRules; }
std::span<const SparseDef> sparse_view_rows() { return rules_of_sparse_view::kRows; }

}  // namespace faketensor
