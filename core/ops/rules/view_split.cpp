// Views that are lists: split, chunk, unbind and their kin.
#include "core/ops/families/symbolic_sizes.h"
#include "core/ops/families/unallocated.h"
#include "core/ops/families/view.h"
#include "core/ops/limits.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_view_split {
namespace {

using Parts = SmallVector<Value, 16>;

Value slice_of(Call& c, const Tensor& self, int64_t dim, SymInt start, SymInt end) {
  return c.call<"aten::slice.Tensor">(self, dim, start, end, 1);
}

// More parts than an operator may make are refused before their sizes are written down.
void check_part_count(const Call& c, int64_t parts) {
  c.check_as(ErrorKind::kLimitExceeded, parts <= static_cast<int64_t>(kMaxTensorsPerCall),
             "a split into {} parts, which need more than {} bytes", parts, kMaxBytesPerCall);
}

// Mirrors split_with_sizes, torch/_refs/__init__.py, which answers for symbolic sizes.
void check_split_in_refs(Call& c, const Tensor& self, Dims split_sizes, int64_t dim) {
  SymInt total = 0;
  for (const SymInt length : split_sizes) {
    c.check(length >= 0, "split_with_sizes expects split_sizes have only non-negative entries");
    total += length;
  }
  c.check_as(ErrorKind::kIndexError, dim >= -self.dim() && dim < self.dim(),
             "tuple index out of range");
  const SymInt size = self.size(dim);
  if (!expect_true(total == size)) {
    c.fail(ErrorKind::kValueError,
           format("Split sizes add up to {} but got the tensor's size of {}", total, size));
  }
}

// Mirrors split_with_sizes, aten/src/ATen/native/TensorShape.cpp.
void check_split(Call& c, const Tensor& self, Dims split_sizes, int64_t dim) {
  c.check(self.dim() != 0, "split expects at least a 1-dimensional tensor");
  const SymInt size = self.sizes()[static_cast<size_t>(wrap_dim(dim, self.dim()))];
  SymInt total = 0;
  for (const SymInt length : split_sizes) {
    c.check(length >= 0,
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            "split_sizes={}",
            split_sizes);
    total += length;
  }
  c.check(total == size,
          "split_with_sizes expects split_sizes to sum exactly to {} (input tensor's size at "
          "dimension {}), but got split_sizes={}",
          size, dim, split_sizes);
}

// In the reference each part is an operator of its own, which the dispatch cache asks about.
Value split_with_sizes(Call& c, const Tensor& self, Dims split_sizes, int64_t dim) {
  const bool in_refs = has_symbolic_sizes(c);
  in_refs ? check_split_in_refs(c, self, split_sizes, dim) : check_split(c, self, split_sizes, dim);
  const auto at = static_cast<size_t>(wrap_dim(dim, self.dim()));
  Parts parts;
  DimVector sizes(self.sizes());
  SymInt offset = self.offset();
  for (const SymInt length : split_sizes) {
    sizes[at] = length;
    parts.push_back(in_refs ? c.call<"aten::as_strided">(self, sizes, self.strides(), offset)
                            : Value(c.view(self, sizes, self.strides(), offset)));
    offset += self.strides()[at] * length;
  }
  return c.list(parts.span());
}

// Mirrors split, torch/_decomp/decompositions.py.
Value split(Call& c, const Tensor& self, SymInt split_size, int64_t dim) {
  const SymInt size = self.size(dim);
  c.check(split_size >= 0, "split expects split_size be non-negative, but got split_size={}",
          split_size);
  if (guard_bool(size == 0)) return c.tuple({c.call<"aten::detach">(self)});
  c.check(split_size > 0,
          "split_size can only be 0 if dimension size is 0, but got dimension size of {}", size);
  const int64_t chunks = guard_int(ceil_div(size, split_size));
  // resize_ leaves a negative size where it fails: the reference fills an empty list then.
  c.check_as(ErrorKind::kIndexError, chunks > 0, "list assignment index out of range");
  check_part_count(c, chunks);
  DimVector sizes(static_cast<size_t>(chunks), split_size);
  sizes.back() = split_size - (split_size * chunks - size);
  return c.call<"aten::split_with_sizes">(self, sizes, dim);
}

Value split_sizes(Call& c, const Tensor& self, Dims sizes, int64_t dim) {
  return c.call<"aten::split_with_sizes">(self, sizes, dim);
}

// Mirrors chunk, aten/src/ATen/native/TensorShape.cpp.
Value chunk(Call& c, const Tensor& self, int64_t chunks, int64_t dim) {
  c.check(self.dim() > 0, "chunk expects at least a 1-dimensional tensor");
  c.check(chunks > 0, "chunk expects `chunks` to be greater than 0, got: {}", chunks);
  const SymInt size = self.size(dim);
  const SymInt split_size = ceil_div(size, chunks);
  if (guard_or_false(split_size == 0) && guard_or_false(size == 0)) {
    check_part_count(c, chunks);
    return c.call<"aten::split_with_sizes">(self, DimVector(static_cast<size_t>(chunks), SymInt(0)),
                                            dim);
  }
  return c.call<"aten::split.Tensor">(self, split_size, dim);
}

Value unbind(Call& c, const Tensor& self, int64_t dim) {
  const int64_t at = wrap_dim(dim, self.dim());
  const int64_t count = guard_int(self.size(at));
  check_part_count(c, count);
  Parts parts;
  for (int64_t i = 0; i < count; ++i) parts.push_back(c.call<"aten::select.int">(self, at, i));
  return c.list(parts.span());
}

// Mirrors tensor_split, aten/src/ATen/native/TensorShape.cpp: the first parts are one longer.
Value tensor_split_sections(Call& c, const Tensor& self, int64_t sections, int64_t dim) {
  c.check(self.dim() > 0,
          "tensor_split expected at least a 1-dimensional tensor, but got a tensor with {} dims",
          self.dim());
  const int64_t at = wrap_dim(dim, self.dim());
  c.check(sections > 0, "number of sections must be larger than 0, got {}", sections);
  check_part_count(c, sections);
  const SymInt size = self.size(at);
  const SymInt shorter = floor_div(size, sections);
  const SymInt longer_parts = mod(size, sections);
  Parts parts;
  SymInt start = 0;
  for (int64_t i = 0; i < sections; ++i) {
    const SymInt length = guard_bool(longer_parts > i) ? shorter + 1 : shorter;
    parts.push_back(slice_of(c, self, at, start, start + length));
    start += length;
  }
  return c.list(parts.span());
}

Value tensor_split_indices(Call& c, const Tensor& self, Dims indices, int64_t dim) {
  c.check(self.dim() > 0,
          "tensor_split expected at least a 1-dimensional tensor, but got a tensor with {} dims",
          self.dim());
  const int64_t at = wrap_dim(dim, self.dim());
  Parts parts;
  SymInt start = 0;
  for (const SymInt end : indices) {
    parts.push_back(slice_of(c, self, at, start, end));
    start = end;
  }
  parts.push_back(slice_of(c, self, at, start, self.size(at)));
  return c.list(parts.span());
}

// Where to split is data: only what needs no data is answered.
Value tensor_split_tensor(Call& c, const Tensor& self, const Tensor& where, int64_t dim) {
  c.check(self.dim() > 0,
          "tensor_split expected at least a 1-dimensional tensor, but got a tensor with {} dims",
          self.dim());
  c.check(where.device().is_cpu(),
          "tensor_split expected tensor_indices_or_sections to be on cpu, but it's on {}",
          where.device());
  c.check(where.dtype() == DType::kInt64,
          "tensor_split expected tensor_indices_or_sections to have dtype of long, but got {}",
          info(where.dtype()).cpp_name);
  c.check(where.dim() <= 1,
          "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
          "one-dimensional tensor, but got a tensor with {} dims",
          where.dim());
  if (where.dim() == 0) {
    return c.call<"aten::tensor_split.sections">(self, c.call<"aten::item">(where), dim);
  }
  DimVector indices;
  const int64_t count = guard_int(where.size(0));
  // The C++ kernel reads the numbers; only the Python decomposition asks for them.
  if (!c.context().python_dispatcher && count > 0) fail_unallocated(c);
  for (int64_t i = 0; i < count; ++i) {
    const Value index = c.call<"aten::item">(c.tensor<"aten::select.int">(where, 0, i));
    indices.push_back(index.as_sym_int());
  }
  return c.call<"aten::tensor_split.indices">(self, indices, dim);
}

// hsplit, vsplit, dsplit: tensor_split along a dimension that the name tells.
struct SplitAxis {
  char letter;
  int64_t least_rank;
  int64_t dim;
};

int64_t split_dim(Call& c, const Tensor& self, const SplitAxis& axis) {
  c.check(self.dim() >= axis.least_rank,
          "torch.{}split requires a tensor with at least {} dimension, but got a tensor with {} "
          "dimensions!",
          axis.letter, axis.least_rank, self.dim());
  return self.dim() == 1 ? 0 : axis.dim;
}

Value split_evenly(Call& c, const Tensor& self, int64_t sections, const SplitAxis& axis) {
  const int64_t dim = split_dim(c, self, axis);
  if (sections == 0 || !guard_bool(mod(self.size(dim), sections) == 0)) {
    // The message asks sizes(), which makes a number of each.
    specialize_sizes(self);
    c.check(false,
            "torch.{}split attempted to split along dimension {}, but the size of the dimension {} "
            "is not divisible by the split_size {}!",
            axis.letter, dim, self.size(dim), sections);
  }
  return c.call<"aten::tensor_split.sections">(self, sections, dim);
}

constexpr SplitAxis kHorizontal{'h', 1, 1};
constexpr SplitAxis kVertical{'v', 2, 0};
constexpr SplitAxis kDepth{'d', 3, 2};

template <const SplitAxis& axis>
Value split_int(Call& c, const Tensor& self, int64_t sections) {
  return split_evenly(c, self, sections, axis);
}
template <const SplitAxis& axis>
Value split_array(Call& c, const Tensor& self, Dims indices) {
  return c.call<"aten::tensor_split.indices">(self, indices, split_dim(c, self, axis));
}

// clang-format off
constexpr OpDef kViewSplitRules[] = {
    {"aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]", rule<&chunk>(), kView | kComposite},
    {"aten::dsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", rule<&split_array<kDepth>>(), kView | kComposite},
    {"aten::dsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", rule<&split_int<kDepth>>(), kView | kComposite},
    {"aten::hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", rule<&split_array<kHorizontal>>(), kView | kComposite},
    {"aten::hsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", rule<&split_int<kHorizontal>>(), kView | kComposite},
    {"aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]", rule<&split>(), kView | kByDecomp},
    {"aten::split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]", rule<&split_sizes>(), kView | kComposite},
    {"aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]", rule<&split_with_sizes>(), kView | kByCompositeExplicit},
    {"aten::tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int dim=0) -> Tensor(a)[]", rule<&tensor_split_indices>(), kView | kComposite},
    {"aten::tensor_split.sections(Tensor(a -> *) self, SymInt sections, int dim=0) -> Tensor(a)[]", rule<&tensor_split_sections>(), kView | kComposite},
    {"aten::tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor(a)[]", rule<&tensor_split_tensor>(), kView | kComposite},
    {"aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]", rule<&unbind>(), kView | kByCompositeExplicit},
    {"aten::unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]", rule<&chunk>(), kView | kComposite | kSpecializes},
    {"aten::unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", rule<&split>(), kView | kByDecomp},
    {"aten::unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]", rule<&split_sizes>(), kView | kByDecomp | kRealDerivative},
    {"aten::vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", rule<&split_array<kVertical>>(), kView | kComposite},
    {"aten::vsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", rule<&split_int<kVertical>>(), kView | kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_view_split

std::span<const OpDef> view_split_rules() { return rules_of_view_split::kViewSplitRules; }

}  // namespace faketensor
