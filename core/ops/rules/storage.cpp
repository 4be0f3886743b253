// Operators that give a tensor another size or another storage.
#include <algorithm>
#include <limits>

#include "core/ops/families/copy.h"
#include "core/ops/families/factory.h"
#include "core/ops/families/symbolic_sizes.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_storage {
namespace {

using Format = std::optional<MemoryFormat>;

// Other sizes and strides on the same storage.
void set_geometry(Call& c, Tensor& self, Dims sizes, Dims strides, SymInt offset) {
  MetaSpec spec = self.meta->spec();
  spec.sizes = sizes;
  spec.strides = strides;
  spec.offset = offset;
  self.meta = c.context().metas().intern(spec);
}

// The storage grows where the tensor reaches beyond it; it never shrinks
// (at::native::maybe_resize_storage_meta).
void grow_storage(Tensor& self, SymInt needed) {
  if (guard_bool(self.numel() == 0)) return;
  if (guard_bool(needed > self.storage->nbytes)) self.storage->nbytes = needed;
}

// TensorImpl::empty_tensor_restride.
void restride(Call& c, Tensor& self, MemoryFormat format) {
  set_geometry(c, self, self.sizes(), strides_for(self.sizes(), format), self.offset());
}

void resize_to(Call& c, Tensor& self, Dims sizes) {
  if (guard_equal(sizes, self.sizes())) return;
  for (const SymInt size : sizes) {
    if (!guard_or_false(size < 0)) continue;
    // TensorImpl::set_sizes_contiguous has set the sizes when it finds that their product does not
    // exist; strides are as they were.
    DimVector strides(self.strides());
    strides.resize(sizes.size(), 0);
    set_geometry(c, self, sizes, strides, self.offset());
    c.fail(ErrorKind::kRuntimeError, "numel: integer multiplication overflow");
  }
  set_geometry(c, self, sizes, contiguous_strides(sizes), self.offset());
  // By elements (at::detail::computeStorageNbytesContiguous).
  grow_storage(self, (self.offset() + self.numel()) * itemsize(self.dtype()));
}

// Mirrors resize__symint, aten/src/ATen/native/Resize.cpp.
Value resize_in_place(Call& c, Tensor& self, Dims size, Format format) {
  const bool to_numbers =
      std::none_of(size.begin(), size.end(), [](SymInt length) { return length.is_symbolic(); });
  const bool is_customized = has_symbolic_sizes(self) && to_numbers;
  c.check(!is_customized || guard_equal(size, self.sizes()),
          "tried to directly modify sizes for customized tensor");
  resize_to(c, self, size);
  if (!format) return self;
  c.check(*format != MemoryFormat::kPreserve, "Unsupported memory formatPreserve");
  restride(c, self, *format);
  return self;
}

// Mirrors resize_as_, aten/src/ATen/native/Resize.cpp.
Value resize_as_in_place(Call& c, Tensor& self, const Tensor& other, Format format) {
  specialize_sizes(other);
  specialize_sizes(self);
  resize_to(c, self, other.sizes());
  if (format) {
    const bool preserves = *format == MemoryFormat::kPreserve;
    restride(c, self, preserves ? tensor_memory_format(other, true) : *format);
  }
  return self;
}

// Mirrors resize_as, torch/_decomp/decompositions.py.
Value resize_as(Call& c, const Tensor& self, const Tensor& other, Format format) {
  MemoryFormat wanted = format.value_or(MemoryFormat::kContiguous);
  if (wanted == MemoryFormat::kPreserve) wanted = tensor_memory_format(other);
  return c.call<"aten::resize">(self, other.sizes(), wanted);
}

// An operator that only its in-place form implements: the same on a clone of the first argument.
template <FixedString in_place>
Value on_clone(Call& c, uint64_t) {
  SmallVector<Value, 8> args(c.args());
  args[0] = c.call<"aten::clone">(args[0]);
  return c.forward<in_place>(args.span());
}

// A sparse operator that leaves strided tensors as they are.
Value unchanged(Call& c, Tensor& self) { return written(c, self); }

// Mirrors set_storage_meta__symint, aten/src/ATen/native/TensorShape.cpp.
Value set_storage(Call& c, Tensor& self, Storage* storage, SymInt offset, Dims size, Dims stride) {
  c.check(stride.empty() || size.size() == stride.size(),
          "unequal size length ({}) and stride length ({})", size.size(), stride.size());
  c.check(!guard_or_false(offset < 0), "Tensor: invalid storage offset {}", offset);
  for (const SymInt length : size) {
    c.check(!guard_or_false(length < 0), "numel: integer multiplication overflow");
  }
  self.storage = storage;
  set_geometry(c, self, size, stride.empty() ? contiguous_strides(size) : DimVector(stride),
               offset);
  grow_storage(self, storage_bytes(self.sizes(), self.strides(), self.offset(), self.dtype()));
  return self;
}

// Mirrors set_meta_: an empty storage of its own.
Value set_empty(Call& c, Tensor& self) {
  return set_storage(c, self, c.context().make_storage(self.device(), 0), 0, DimVector{0}, {});
}
// Mirrors set_tensor_.
Value set_tensor(Call& c, Tensor& self, const Tensor& source) {
  if (self.id != source.id) {
    set_storage(c, self, source.storage, source.offset(), source.sizes(), source.strides());
  }
  return written(c, self);
}
// Mirrors set__symint, which counts the offset from that of `source`.
Value set_tensor_part(Call& c, Tensor& self, const Tensor& source, SymInt storage_offset, Dims size,
                      Dims stride) {
  c.check(source.is_contiguous(), "passed in tensor to be used as storage must be contiguous");
  return set_storage(c, self, source.storage, storage_offset + source.offset(), size, stride);
}

// Mirrors VariableHooks::set_data, torch/csrc/autograd/variable.cpp: everything but whether it
// requires grad becomes that of the other.
void set_data(Call& c, Tensor& self, const Tensor& new_data) {
  const bool is_compatible =
      c.call<"aten::_has_compatible_shallow_copy_type">(self, new_data).to_bool();
  c.check(is_compatible,
          "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have "
          "incompatible tensor type.");
  MetaSpec spec = new_data.meta->spec();
  spec.flags =
      static_cast<uint16_t>((spec.flags & ~kRequiresGrad) | (self.meta->flags() & kRequiresGrad));
  self.meta = c.context().metas().intern(spec);
  self.storage = new_data.storage;
}

// Mirrors _lazy_clone, aten/src/ATen/native/TensorFactories.cpp: another storage of the same size.
Tensor* lazy_clone(Call& c, const Tensor& self) {
  return c.context().make_tensor(self.meta,
                                 c.context().make_storage(self.device(), self.storage->nbytes));
}

// Mirrors _new_zeros_with_same_feature_meta, aten/src/ATen/native/TensorFactories.cpp: the geometry
// of `other` behind the first dimensions of `self`, on a storage as large as that of `other`.
Value zeros_with_feature_meta(Call& c, const Tensor& self, const Tensor& other,
                              int64_t batch_dims) {
  const uint64_t rank = static_cast<uint64_t>(batch_dims) + other.sizes().size();
  c.check_as(ErrorKind::kValueError, rank <= std::numeric_limits<uint32_t>::max(),
             "SmallVector unable to grow. Requested capacity ({}) is larger than maximum value for "
             "size type (4294967295)",
             rank);
  check_rank(c, static_cast<int64_t>(rank));
  c.check(batch_dims >= 0, "mismatch in length of strides and shape");
  SymInt elements = floor_div(other.storage->nbytes, itemsize(other.dtype()));
  DimVector sizes(
      self.sizes().first(std::min<size_t>(static_cast<size_t>(batch_dims), self.sizes().size())));
  while (sizes.size() < static_cast<size_t>(batch_dims)) sizes.push_back(0);
  DimVector strides(sizes.size(), SymInt(0));
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = elements;
    elements *= sizes[i];
  }
  sizes.append(other.sizes());
  strides.append(other.strides());
  Tensor* zeros = c.empty({elements}, other.dtype());
  return c.call<"aten::as_strided">(*zeros, sizes, strides, other.offset());
}

void retain_grad(Call& c, const Tensor& self) {
  c.check(self.meta->has(kRequiresGrad),
          "can't retain_grad on Tensor that has requires_grad=False");
}

void not_implemented(Call& c) {
  c.fail(ErrorKind::kAssertionError, format("NYI: {}", c.op().python_name()));
}

// clang-format off
constexpr OpDef kStorageRules[] = {
    {"aten::_coalesced(Tensor self, bool coalesced) -> Tensor", {&on_clone<"aten::_coalesced_">}, kAnyLayout | kByCompositeExplicit},
    {"aten::_lazy_clone(Tensor self) -> Tensor", rule<&lazy_clone>(), kByCompositeExplicit | kRealDerivative},
    {"aten::_mkldnn_transpose_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)", rule<&unchanged>(), kByMetaCpp},
    {"aten::_new_zeros_with_same_feature_meta(Tensor self, Tensor other, *, int self_num_batch_dims=0) -> Tensor", rule<&zeros_with_feature_meta>(), kByCompositeExplicit | kNoDerivative},
    {"aten::_resize_output(Tensor self, SymInt[] size, Device device) -> Tensor", rule<&not_implemented>(), kByFakeImpl},
    {"aten::_resize_output_(Tensor(a!) self, SymInt[] size, Device device) -> Tensor(a!)", rule<&not_implemented>(), kByFakeImpl},
    {"aten::copy_sparse_to_sparse(Tensor self, Tensor src, bool non_blocking=False) -> Tensor", {&on_clone<"aten::copy_sparse_to_sparse_">}, kByCompositeExplicit},
    {"aten::copy_sparse_to_sparse_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)", rule<&unchanged>(), kByMetaCpp},
    {"aten::resize(Tensor self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor", {&on_clone<"aten::resize_">}, kByCompositeExplicit},
    {"aten::resize_(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)", rule<&resize_in_place>(), kInplaceView | kByMetaCpp | kNoDerivative},
    {"aten::resize_as(Tensor self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor", rule<&resize_as>(), kByDecomp},
    {"aten::resize_as_(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor(a!)", rule<&resize_as_in_place>(), kInplaceView | kByFakeImpl},
    {"aten::resize_as_sparse(Tensor self, Tensor the_template) -> Tensor", {&on_clone<"aten::resize_as_sparse_">}, kByCompositeExplicit},
    {"aten::resize_as_sparse_(Tensor(a!) self, Tensor the_template) -> Tensor(a!)", rule<&unchanged>(), kByMetaCpp},
    {"aten::retain_grad(Tensor(a!) self) -> ()", rule<&retain_grad>(), kComposite},
    {"aten::set(Tensor self) -> Tensor", {&on_clone<"aten::set_">}, kByCompositeExplicit},
    {"aten::set.source_Tensor(Tensor self, Tensor source) -> Tensor", {&on_clone<"aten::set_.source_Tensor">}, kByCompositeExplicit},
    {"aten::set_(Tensor(a!) self) -> Tensor(a!)", rule<&set_empty>(), kInplaceView | kByMetaCpp | kNoDerivative},
    {"aten::set_.source_Tensor(Tensor(a!) self, Tensor source) -> Tensor(a!)", rule<&set_tensor>(), kInplaceView | kByMetaCpp | kNoDerivative},
    {"aten::set_.source_Tensor_storage_offset(Tensor(a!) self, Tensor source, SymInt storage_offset, SymInt[] size, SymInt[] stride=[]) -> Tensor(a!)", rule<&set_tensor_part>(), kComposite | kInplaceView | kNoDerivative},
    {"aten::set_data(Tensor(a!) self, Tensor new_data) -> ()", rule<&set_data>(), kComposite},
    {"aten::sparse_resize(Tensor self, int[] size, int sparse_dim, int dense_dim) -> Tensor", {&on_clone<"aten::sparse_resize_">}, kAnyLayout | kByCompositeExplicit},
    {"aten::sparse_resize_and_clear(Tensor self, int[] size, int sparse_dim, int dense_dim) -> Tensor", {&on_clone<"aten::sparse_resize_and_clear_">}, kAnyLayout | kByCompositeExplicit},
};
// clang-format on
}  // namespace
}  // namespace rules_of_storage

std::span<const OpDef> storage_rules() { return rules_of_storage::kStorageRules; }

}  // namespace faketensor
