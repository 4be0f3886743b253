// From dense to sparse tensors, between sparse layouts, and back.
//
// The real kernels run on zeros: what is made of a dense tensor has no elements.
#include "core/ops/families/sparse.h"
#include "core/ops/rules/sparse_tables.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_sparse_convert {
namespace {

struct Conversion {
  Layout to = Layout::kSparseCoo;
  Dims blocksize = {};
  bool has_blocksize = false;
  std::optional<int64_t> dense_dim;
};

// "dense_to_sparse_csr": what PyTorch's messages call the conversion.
std::string_view function_of(Layout layout) {
  switch (layout) {
    case Layout::kSparseCsr:
      return "to_sparse_csr";
    case Layout::kSparseCsc:
      return "to_sparse_csc";
    case Layout::kSparseBsr:
      return "to_sparse_bsr";
    case Layout::kSparseBsc:
      return "to_sparse_bsc";
    default:
      return "to_sparse";
  }
}

// Mirrors _to_sparse_check_arguments, ATen/native/TensorConversions.cpp.
void check_arguments(Call& c, const Tensor& self, const Conversion& given,
                     std::string_view function) {
  const auto fits = [](SymInt size, SymInt block) { return guard_bool(mod(size, block) == 0); };
  if (given.has_blocksize) {
    c.check(given.blocksize.size() == 2, "{}: blocksize needs to be a tuple of size 2, but got {}",
            function, given.blocksize.size());
    c.check(is_block(given.to),
            "{}: conversion from {} to {} with blocksize argument given is not supported", function,
            cpp_name(self.layout()), cpp_name(given.to));
    const SymInt rows = given.blocksize[0], columns = given.blocksize[1];
    c.check(guard_bool(rows > 0) && guard_bool(columns > 0),
            "{}: blocksize needs to be positive, but got {}", function, given.blocksize);
    const int64_t dense = given.dense_dim.value_or(0);
    const int64_t row_dim = wrap_dim((SymInt(-2) - dense).as_int(), self.dim(), false);
    const int64_t column_dim = wrap_dim((SymInt(-1) - dense).as_int(), self.dim(), false);
    c.check(fits(self.size(row_dim), rows) && fits(self.size(column_dim), columns),
            "{}: tensor sparse size ({},{}) must be divisible by given blocksize ({},{})", function,
            self.size(row_dim), self.size(column_dim), rows, columns);
  } else {
    c.check(!is_block(given.to),
            "{}: conversion from {} to {} without blocksize argument given is not supported",
            function, cpp_name(self.layout()), cpp_name(given.to));
  }
  if (!given.dense_dim) return;
  const int64_t most = given.to == Layout::kSparseCoo ? self.dim() : self.dim() - 2;
  c.check(*given.dense_dim >= 0 && *given.dense_dim <= most,
          "{}: dense_dim argument must be in [0,{}] range, but {} is given", function, most,
          *given.dense_dim);
  c.check(given.to != Layout::kSparseCoo || self.dim() == 0 || *given.dense_dim != self.dim(),
          "{}: dense_dim argument must be !=self.dim() when self.dim()>0", function);
}

Tensor* dense_to_coo(Call& c, const Tensor& self, int64_t sparse_dim) {
  const DType dtype = self.dtype();
  const bool counted = dtype != DType::kUInt16 && dtype != DType::kUInt32 &&
                       dtype != DType::kUInt64 && !is_float8(dtype);
  c.check_as(ErrorKind::kNotImplementedError, counted,
             "\"nonzero_count_cpu\" not implemented for '{}'", info(dtype).cpp_name);
  return new_sparse(c, Layout::kSparseCoo,
                    empty_coo(self.sizes(), sparse_dim, self.dim() - sparse_dim), dtype,
                    self.device());
}

Tensor* dense_to_compressed(Call& c, const Tensor& self, const Conversion& given) {
  const int64_t dense = given.dense_dim.value_or(0);
  const int64_t rank = self.dim();
  if (rank < 2 && (given.to == Layout::kSparseCsc || given.to == Layout::kSparseBsc))
    wrap_dim(1, 1);
  if (rank < 2) {  // a mask of one dimension has no column among its nonzero positions
    c.fail(ErrorKind::kIndexError,
           format("select(): index {} out of range for tensor of size [0, {}] at dimension 1",
                  rank == 0 ? 0 : 1, rank));
  }
  SymInt batches = 1;
  for (int64_t i = 0; i < rank - 2 - dense; ++i) batches = batches * self.size(i);
  c.check(guard_bool(batches != 0), "{}: Expected product of batch dimensions to be non-zero.",
          function_of(given.to));
  SparseShape shape{self.sizes(), {.sparse_dim = 2, .dense_dim = static_cast<int32_t>(dense)}};
  for (size_t i = 0; i < given.blocksize.size(); ++i) shape.meta.block_size[i] = given.blocksize[i];
  return new_sparse(c, given.to, shape, self.dtype(), self.device());
}

// A COO matrix made compressed by the real kernel.
Tensor* coo_to_compressed(Call& c, const Tensor& self, const Conversion& given) {
  c.check(sparse_of(self).sparse_dim == 2,
          "coo_{}: conversion from Sparse to {} for input tensors with sparse_dim()!=2 is not "
          "supported",
          function_of(given.to), cpp_name(given.to));
  SparseShape shape{self.sizes(), {.sparse_dim = 2, .dense_dim = sparse_of(self).dense_dim}};
  for (size_t i = 0; i < given.blocksize.size(); ++i) shape.meta.block_size[i] = given.blocksize[i];
  return new_sparse(c, given.to, shape, self.dtype(), self.device());
}

// Batches become sparse dimensions; only rows come out in order.
Tensor* compressed_to_coo(Call& c, const Tensor& self) {
  SparseShape shape = shape_of(self);
  shape.meta.sparse_dim = static_cast<int32_t>(self.dim() - shape.meta.dense_dim);
  // The elements of all batches and blocks, one by one.
  for (int64_t i = 0; i < shape.meta.sparse_dim - 2; ++i) shape.meta.nnz *= self.size(i);
  if (is_block(self.layout()))
    shape.meta.nnz *= shape.meta.block_size[0] * shape.meta.block_size[1];
  shape.meta.index_dtype = DType::kInt64;
  shape.meta.block_size[0] = shape.meta.block_size[1] = 0;
  shape.coalesced = self.layout() == Layout::kSparseCsr;
  return new_sparse(c, Layout::kSparseCoo, shape, self.dtype(), self.device());
}

Tensor* compressed_to_compressed(Call& c, const Tensor& self, const Conversion& given) {
  c.check(is_block(given.to) || !is_block(self.layout()),
          "sparse_compressed_{}: expected SparseCsr or SparseCsc layout but got {}",
          function_of(given.to), cpp_name(self.layout()));
  SparseShape shape = shape_of(self);
  for (size_t i = 0; i < given.blocksize.size(); ++i) shape.meta.block_size[i] = given.blocksize[i];
  return new_sparse(c, given.to, shape, self.dtype(), self.device());
}

Value convert(Call& c, const Tensor& self, const Conversion& given, std::string_view function) {
  const bool is_raw = c.op().schema.name.starts_with("aten::_");
  c.check(!is_raw || self.layout() != given.to,
          "self.layout() != layout_to INTERNAL ASSERT FAILED");
  if (self.layout() == given.to && !given.has_blocksize) {
    c.check(!given.dense_dim || !is_coo(self),
            "to_sparse: conversion from Sparse to Sparse with dense_dim argument given is not "
            "supported");
    return self;
  }
  const bool is_dense = self.layout() == Layout::kStrided;
  c.check(!is_coo(self) || !given.dense_dim,
          "sparse_coo_to_sparse: conversion from Sparse to {} with dense_dim argument given is not "
          "supported",
          cpp_name(given.to));
  check_arguments(c, self, given,
                  format("{}_{}",
                         is_dense       ? "dense"
                         : is_coo(self) ? "coo"
                                        : "sparse_compressed",
                         function));
  if (given.to == Layout::kStrided) return c.call<"aten::_to_dense">(self, nullptr, nullptr);
  if (given.to == Layout::kSparseCoo) {
    return is_dense ? dense_to_coo(c, self, self.dim() - given.dense_dim.value_or(0))
                    : compressed_to_coo(c, self);
  }
  if (is_dense) return dense_to_compressed(c, self, given);
  return is_coo(self) ? coo_to_compressed(c, self, given)
                      : compressed_to_compressed(c, self, given);
}

Value to_sparse(Call& c, const Tensor& self, std::optional<Layout> layout, const Value& blocksize,
                std::optional<int64_t> dense_dim) {
  return convert(c, self,
                 {.to = layout.value_or(Layout::kSparseCoo),
                  .blocksize = blocksize.ints(),
                  .has_blocksize = !blocksize.is_none(),
                  .dense_dim = dense_dim},
                 "to_sparse");
}

Value to_sparse_dim(Call& c, const Tensor& self, int64_t sparse_dim) {
  if (is_coo(self)) {
    c.check(!c.op().schema.name.starts_with("aten::_") || sparse_dim != sparse_of(self).sparse_dim,
            "sparse_coo_to_sparse: Sparse to Sparse conversion not supported");
    c.check(sparse_dim == sparse_of(self).sparse_dim,
            "to_sparse: conversion from Sparse to Sparse with sparse_dim argument "
            "!=self.sparse_dim() is not supported");
    return self;
  }
  if (is_compressed(self)) {
    c.check(
        sparse_dim == 2,
        "sparse_compressed_to_sparse: conversion from {} to Sparse with sparse_dim argument !={} "
        "is not supported",
        cpp_name(self.layout()), 2);
    return compressed_to_coo(c, self);
  }
  c.check(sparse_dim >= 0 && sparse_dim <= self.dim(),
          "dense_to_sparse: sparse_dim argument must be in [0,{}] range, but {} is given",
          self.dim(), sparse_dim);
  c.check(self.dim() == 0 || sparse_dim > 0,
          "dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0");
  return dense_to_coo(c, self, sparse_dim);
}

template <Layout layout>
Value to_compressed(Call& c, const Tensor& self, std::optional<int64_t> dense_dim) {
  return convert(c, self, {.to = layout, .dense_dim = dense_dim}, function_of(layout));
}
template <Layout layout>
Value to_blocks(Call& c, const Tensor& self, Dims blocksize, std::optional<int64_t> dense_dim) {
  return convert(
      c, self,
      {.to = layout, .blocksize = blocksize, .has_blocksize = true, .dense_dim = dense_dim},
      function_of(layout));
}

// --- back ---

// Mirrors sparse_to_dense and sparse_compressed_to_dense.
Value raw_to_dense(Call& c, const Tensor& self, std::optional<DType> dtype) {
  if (self.layout() == Layout::kStrided) throw_no_kernel(c.op(), "CPU");
  c.check(!dtype || *dtype == self.dtype(), "dtype argument is not supported by {}_to_dense",
          is_coo(self) ? "sparse" : "sparse_csr");
  return c.empty(self.sizes(), dtype.value_or(self.dtype()));
}
Value to_dense(Call& c, const Tensor& self, std::optional<DType> dtype) {
  if (self.layout() != Layout::kStrided) return c.call<"aten::_to_dense">(self, dtype, nullptr);
  if (dtype && *dtype != self.dtype()) return c.call<"aten::to.dtype">(self, *dtype);
  return self;
}

// --- masks ---

// Mirrors sparse_mask and sparse_mask_sparse_compressed.
Value sparse_mask(Call& c, const Tensor& self, const Tensor& mask) {
  if (mask.layout() == Layout::kStrided) throw_no_kernel(c.op(), "CPU");
  const Dims a = self.sizes(), b = mask.sizes();
  c.check(guard_equal(a, b),
          "sparse_mask(): operands have incompatible sizes; self has size {} but mask has size {}",
          a, b);
  SparseShape shape = shape_of(mask);
  shape.meta.nnz = 0;
  return new_sparse(c, mask.layout(), shape, self.dtype(), c.device());
}

// clang-format off
constexpr OpDef kOwnRules[] = {
    {"aten::_to_dense(Tensor self, ScalarType? dtype=None, bool? masked_grad=None) -> Tensor", rule<&raw_to_dense>(), kAnyLayout | kByFakeImpl},
    {"aten::_to_sparse(Tensor self, *, Layout? layout=None, int[2]? blocksize=None, int? dense_dim=None) -> Tensor", rule<&to_sparse>(), kAnyLayout | kRealKernel | kRealDerivative},
    {"aten::_to_sparse.sparse_dim(Tensor self, int sparse_dim) -> Tensor", rule<&to_sparse_dim>(), kAnyLayout | kRealKernel | kRealDerivative},
    {"aten::_to_sparse_bsc(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor", rule<&to_blocks<Layout::kSparseBsc>>(), kAnyLayout | kRealKernel | kRealDerivative},
    {"aten::_to_sparse_bsr(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor", rule<&to_blocks<Layout::kSparseBsr>>(), kAnyLayout | kRealKernel | kRealDerivative},
    {"aten::_to_sparse_csc(Tensor self, int? dense_dim=None) -> Tensor", rule<&to_compressed<Layout::kSparseCsc>>(), kAnyLayout | kRealKernel | kRealDerivative},
    {"aten::_to_sparse_csr(Tensor self, int? dense_dim=None) -> Tensor", rule<&to_compressed<Layout::kSparseCsr>>(), kAnyLayout | kRealKernel | kRealDerivative},
    {"aten::sparse_mask(Tensor self, Tensor mask) -> Tensor", rule<&sparse_mask>(), kAnyLayout | kByFallback},
    {"aten::to_dense(Tensor self, ScalarType? dtype=None, *, bool? masked_grad=None) -> Tensor", rule<&to_dense>(), kAnyLayout | kComposite},
    {"aten::to_sparse(Tensor self, *, Layout? layout=None, int[2]? blocksize=None, int? dense_dim=None) -> Tensor", rule<&to_sparse>(), kAnyLayout | kComposite | kRealKernel},
    {"aten::to_sparse.sparse_dim(Tensor self, int sparse_dim) -> Tensor", rule<&to_sparse_dim>(), kAnyLayout | kComposite | kRealKernel},
    {"aten::to_sparse_bsc(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor", rule<&to_blocks<Layout::kSparseBsc>>(), kAnyLayout | kComposite | kRealKernel},
    {"aten::to_sparse_bsr(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor", rule<&to_blocks<Layout::kSparseBsr>>(), kAnyLayout | kComposite | kRealKernel},
    {"aten::to_sparse_csc(Tensor self, int? dense_dim=None) -> Tensor", rule<&to_compressed<Layout::kSparseCsc>>(), kAnyLayout | kComposite | kRealKernel},
    {"aten::to_sparse_csr(Tensor self, int? dense_dim=None) -> Tensor", rule<&to_compressed<Layout::kSparseCsr>>(), kAnyLayout | kComposite | kRealKernel},
};
// clang-format on

}  // namespace
}  // namespace rules_of_sparse_convert

std::span<const OpDef> sparse_convert_rules() { return rules_of_sparse_convert::kOwnRules; }

}  // namespace faketensor
