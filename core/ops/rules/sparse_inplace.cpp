// What changes a sparse tensor in place: its sizes, the order of its dimensions, its elements.
#include <algorithm>

#include "core/ops/families/factory.h"
#include "core/ops/families/sparse.h"
#include "core/ops/rules/sparse_tables.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_sparse_inplace {
namespace {

// --- sizes ---

constexpr std::string_view kInstead =
    "on a non-empty sparse tensor is not supported.\n"
    "You could try the following options:\n"
    "1. If you need an empty sparse tensor of this size, call `x = "
    "torch.sparse_coo_tensor(size)`.\n"
    "2. If you need to resize this tensor, you have the following options:\n"
    "    1. For both sparse and dense dimensions, keep the number of them constant and the size of "
    "them non-shrinking, and then try the same call again.\n"
    "    2. Or, create a new sparse tensor with the correct indices and values from this sparse "
    "tensor.";

void check_grows(Call& c, std::string_view kind, Dims from, Dims to) {
  const bool grows = std::equal(from.begin(), from.end(), to.begin(), to.end(),
                                [](SymInt a, SymInt b) { return guard_bool(b >= a); });
  c.check(grows, "shrinking the size of {} dimensions (from {} to {}) {}", kind, from, to,
          kInstead);
}

// SparseTensorImpl::resize_: a tensor with elements keeps its number of dimensions, and none of
// them shrinks.
void check_kept_elements(Call& c, const Tensor& self, Dims sizes, int64_t sparse, int64_t dense) {
  const SparseMeta& now = sparse_of(self);
  if (guard_bool(now.nnz == 0)) return;
  constexpr std::string_view kChanging = "changing the number of {} dimensions (from {} to {}) {}";
  c.check(sparse == now.sparse_dim, kChanging, "sparse", now.sparse_dim, sparse, kInstead);
  c.check(dense == now.dense_dim, kChanging, "dense", now.dense_dim, dense, kInstead);
  const auto count = static_cast<size_t>(sparse);
  check_grows(c, "sparse", self.sizes().first(count), sizes.first(count));
  check_grows(c, "dense", self.sizes().subspan(count), sizes.subspan(count));
}

// Mirrors TensorImpl::compute_numel, c10/core/TensorImpl.h, which takes sizes for numbers without a
// sign: [-2, 0] has no elements, [-2, 3] too many.
void check_element_count(const Call& c, Dims sizes) {
  uint64_t count = 1;
  bool overflows = false;
  for (const SymInt size : sizes) {
    if (size.is_symbolic()) return;
    overflows |= __builtin_mul_overflow(count, static_cast<uint64_t>(size.as_int()), &count);
  }
  overflows |= count > static_cast<uint64_t>(INT64_MAX);
  c.check(!overflows, "numel: integer multiplication overflow");
}

Value resize_sparse(Call& c, Tensor& self, Dims sizes, int64_t sparse, int64_t dense, bool clear) {
  if (self.layout() == Layout::kStrided) return self;
  require_coo(c, self);
  check_sparse_dims(c, sizes, sparse, dense);
  if (!clear) check_kept_elements(c, self, sizes, sparse, dense);
  check_element_count(c, sizes);
  SparseShape shape = empty_coo(sizes, sparse, dense);
  if (!clear) {
    shape.meta.nnz = sparse_of(self).nnz;
    shape.coalesced = self.meta->has(kCoalesced);
  }
  set_sparse(c, self, self.layout(), shape);
  return self;
}
Value sparse_resize(Call& c, Tensor& self, Dims sizes, int64_t sparse, int64_t dense) {
  return resize_sparse(c, self, sizes, sparse, dense, false);
}
Value sparse_resize_and_clear(Call& c, Tensor& self, Dims sizes, int64_t sparse, int64_t dense) {
  return resize_sparse(c, self, sizes, sparse, dense, true);
}

// Mirrors resize_sparse_csr_.
Value resize_inplace(Call& c, Tensor& self, Dims sizes) {
  if (is_coo(self)) refuse_sparse(c.op(), c.args());
  check_sizes(c, sizes);
  c.check(sizes.size() >= 2,
          "torch.resize_: Only batched sparse CSR matrices are supported, but got size {}", sizes);
  const SymInt columns = sizes[sizes.size() - 1];
  c.check(
      self.size(-1) <= columns,
      "torch.resize_: Resizing columns of sparse CSR tensors to a smaller value is not supported. "
      "The original number of columns is {} while the requested new number of columns is {}.",
      self.size(-1), columns);
  SparseShape shape = shape_of(self);
  shape.sizes = sizes;
  shape.meta.dense_dim = 0;
  set_sparse(c, self, self.layout(), shape);
  return self;
}

// Mirrors resize_as_sparse_ and is_same_size_as_sparse_.
Value resize_coo_as(Call& c, Tensor& self, const Tensor& other) {
  const SparseMeta &now = sparse_of(self), &wanted = sparse_of(other);
  const bool is_same = now.sparse_dim == wanted.sparse_dim && now.dense_dim == wanted.dense_dim &&
                       guard_equal(self.sizes(), other.sizes());
  if (is_same) return self;
  return c.call<"aten::sparse_resize_">(self, other.sizes(), int64_t{wanted.sparse_dim},
                                        int64_t{wanted.dense_dim});
}

// Mirrors resize_as_, aten/src/ATen/native/Resize.cpp.
Value resize_as(Call& c, Tensor& self, const Tensor& other,
                std::optional<MemoryFormat> memory_format) {
  if (is_coo(self) && is_coo(other)) {
    c.check(!memory_format, "Unsupported memory format for sparse tensor resize_as_ :{}",
            memory_format.value_or(MemoryFormat::kContiguous));
    return resize_coo_as(c, self, other);
  }
  return c.call<"aten::resize_">(self, other.sizes(), nullptr);
}

// Mirrors resize_as_sparse_compressed_. That of COO tensors runs on zeros: the tensor itself stays.
Value resize_as_sparse(Call& c, Tensor& self, const Tensor& other) {
  if (first_compressed(c.args()) == nullptr) {
    c.check(is_coo(self), "self.is_sparse() INTERNAL ASSERT FAILED");
    return self;
  }
  constexpr std::string_view kNeither =
      "resize_as_sparse_compressed_: {}  expected sparse compressed tensor layout but got {}";
  c.check(is_compressed(self), kNeither, "self", cpp_name(self.layout()));
  c.check(is_compressed(other), kNeither, "src", cpp_name(other.layout()));
  c.check(self.layout() == other.layout(),
          "resize_as_sparse_compressed_tensor_: self and src must have the same layout, but got: "
          "self ({}) and source ({})",
          cpp_name(self.layout()), cpp_name(other.layout()));
  SparseShape shape = shape_of(other);
  shape.meta.index_dtype = sparse_of(self).index_dtype;
  set_sparse(c, self, self.layout(), shape);
  return self;
}

Value is_same_size(Call&, const Tensor& self, const Tensor& other) {
  return guard_equal(self.sizes(), other.sizes());
}

// --- factories that write to a sparse output ---

Tensor& output(const Call& c) { return c.args().back().tensor(); }

// Mirrors empty_out and zeros_out, aten/src/ATen/native/TensorFactories.cpp.
Value resized_out(Call& c, Dims sizes) {
  Tensor& out = output(c);
  if (!is_coo(out)) return c.call<"aten::resize_">(out, sizes, nullptr);
  return c.call<"aten::sparse_resize_and_clear_">(out, sizes, static_cast<int64_t>(sizes.size()),
                                                  0);
}
Value empty_out(Call& c, Dims sizes) {
  check_sizes(c, sizes);
  return resized_out(c, sizes);
}
Value zeros_out(Call& c, Dims sizes) {
  const Value out = resized_out(c, sizes);
  // Resized blocks are elements of no dimensions, whose sizes zero_ looks for.
  c.check(!is_block(out.tensor().layout()), "ArrayRef: invalid slice, N = 1; M = 2; size = 1");
  return is_coo(out.tensor()) ? out : c.call<"aten::zero_">(out);
}
Value full_out(Call& c, Dims sizes) {
  c.check(!is_coo(output(c)), "full(...) is not implemented for sparse layout");
  return resized_out(c, sizes);
}

// --- the order of dimensions ---

// Mirrors transpose_ and sparse_transpose_, aten/src/ATen/native/TensorShape.cpp.
Value transpose_inplace(Call& c, Tensor& self, int64_t dim0, int64_t dim1) {
  c.check(!is_compressed(self),
          "torch.transpose_: in-place transposition is not supported for {} layout",
          cpp_name(self.layout()));
  dim0 = wrap_dim(dim0, self.dim());
  dim1 = wrap_dim(dim1, self.dim());
  if (dim0 == dim1) return self;
  SparseShape shape = shape_of(self);
  const int64_t sparse = shape.meta.sparse_dim;
  c.check(dim0 < sparse && dim1 < sparse,
          "sparse transpose: transposed dimensions must be sparse Got sparse_dim: {}, d0: {}, d1: "
          "{}",
          sparse, dim0, dim1);
  DimVector sizes(self.sizes());
  std::swap(sizes[static_cast<size_t>(dim0)], sizes[static_cast<size_t>(dim1)]);
  shape.sizes = sizes;
  if (guard_bool(shape.meta.nnz != 0)) shape.coalesced = false;
  set_sparse(c, self, self.layout(), shape);
  return self;
}

Value t_inplace(Call& c, Tensor& self) {
  const SparseMeta& sparse = sparse_of(self);
  if (is_coo(self)) {
    c.check(sparse.sparse_dim <= 2 && sparse.dense_dim == 0,
            "t_() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {} sparse and "
            "{} dense dimensions",
            sparse.sparse_dim, sparse.dense_dim);
  } else {
    c.check(self.dim() <= 2, "t_() expects a tensor with <= 2 dimensions, but self is {}D",
            self.dim());
  }
  return c.call<"aten::transpose_">(self, 0, self.dim() < 2 ? 0 : 1);
}

// --- the elements ---

Value copy_sparse(Call& c, Tensor& self, const Tensor& source) {
  require_coo(c, self);
  require_coo(c, source);
  if (&self == &source) return self;
  const SparseMeta& from = sparse_of(source);
  check_kept_elements(c, self, source.sizes(), from.sparse_dim, from.dense_dim);
  set_sparse(c, self, self.layout(), shape_of(source));
  return self;
}

// clang-format off
constexpr OpDef kOwnRules[] = {
    {"aten::sparse_resize_(Tensor(a!) self, int[] size, int sparse_dim, int dense_dim) -> Tensor(a!)", rule<&sparse_resize>(), kAnyLayout | kByMetaCpp},
    {"aten::sparse_resize_and_clear_(Tensor(a!) self, int[] size, int sparse_dim, int dense_dim) -> Tensor(a!)", rule<&sparse_resize_and_clear>(), kAnyLayout | kByMetaCpp},
};

constexpr SparseDef kRows[] = {
    {"aten::copy_sparse_to_sparse_", rule<&copy_sparse>()},
    {"aten::empty.out", rule<&empty_out>()},
    {"aten::full.out", rule<&full_out>()},
    {"aten::is_same_size", rule<&is_same_size>()},
    {"aten::ones.out", rule<&full_out>()},
    {"aten::resize_", rule<&resize_inplace>()},
    {"aten::resize_as_", rule<&resize_as>()},
    {"aten::resize_as_sparse_", rule<&resize_as_sparse>()},
    {"aten::t_", rule<&t_inplace>()},
    {"aten::transpose_", rule<&transpose_inplace>()},
    {"aten::zeros.out", rule<&zeros_out>()},
};
// clang-format on

}  // namespace
}  // namespace rules_of_sparse_inplace

std::span<const OpDef> sparse_inplace_rules() { return rules_of_sparse_inplace::kOwnRules; }
std::span<const SparseDef> sparse_inplace_rows() { return rules_of_sparse_inplace::kRows; }

}  // namespace faketensor
