// Tensor: identity, storage and metadata, kept apart.
//
// TensorMeta is everything that describes a tensor and nothing that identifies it: sizes, strides,
// offset, dtype, device, layout, flags. It is immutable and interned in a MetaTable: two equal
// metas of one table are one pointer, so comparing two metas is comparing two pointers, and a value
// recorded at a graph node stays what it was when the tensor is changed later. Storage is an id, a
// device and a size in bytes; tensors with one storage alias. Tensor is an id (the object's
// identity), a storage and a current meta. An operator that changes metadata in place (transpose_,
// resize_, set_) swaps the meta pointer and leaves everything recorded earlier untouched.
//
//   const TensorMeta* meta = table.intern(
//       {.sizes = sizes, .strides = contiguous_strides(sizes), .dtype = DType::kFloat32});
#pragma once

#include <cstdint>
#include <vector>

#include "core/support/arena.h"
#include "core/tensor/device.h"
#include "core/tensor/dims.h"
#include "core/tensor/dtype.h"

namespace faketensor {

// Flags of a meta. The first group is given. The second are facts about sizes and strides: computed
// when the meta is interned if all are plain numbers, else when first asked for, because deciding
// them may guard (as c10::SymbolicShapeMeta does). The last follow from the words in memory,
// without any decision.
enum MetaFlag : uint16_t {
  kConj = 1 << 0,
  kNeg = 1 << 1,
  kRequiresGrad = 1 << 2,
  kCoalesced = 1 << 3,   // sparse COO only
  kZeroTensor = 1 << 4,  // known to be zero (core/ops/zero_tensor.h)

  kContiguous = 1 << 8,
  kChannelsLastContiguous = 1 << 9,
  kChannelsLast3dContiguous = 1 << 10,
  kChannelsLastStrides = 1 << 11,
  kChannelsLast3dStrides = 1 << 12,
  kNonOverlappingAndDense = 1 << 13,

  kSymbolic = 1 << 14,  // a size, a stride or the offset is an expression
  kRowMajor = 1 << 15,  // sizes are numbers, and strides to the letter those of a new tensor
};
inline constexpr uint16_t kGivenFlags = 0x00FF;

// Sparse tensors have no strides and storage; they have these instead (absent on strided tensors).
struct SparseMeta {
  int32_t sparse_dim = 0;
  int32_t dense_dim = 0;
  SymInt nnz = 0;
  DType index_dtype = DType::kInt64;
  SymInt block_size[2] = {0, 0};
};

// What a meta is interned from. `strides` empty for a rank > 0 strided tensor means contiguous.
struct MetaSpec {
  Dims sizes = {};
  Dims strides = {};
  SymInt offset = 0;
  DType dtype = DType::kFloat32;
  Device device = {};
  Layout layout = Layout::kStrided;
  uint16_t flags = 0;
  const SparseMeta* sparse = nullptr;
};

class TensorMeta {
 public:
  Dims sizes() const { return {dims_, rank_}; }
  // As many as sizes; those of sparse and opaque layouts, which have none, are 0.
  Dims strides() const { return {dims_ + rank_, rank_}; }
  int64_t rank() const { return rank_; }
  SymInt offset() const { return offset_; }
  SymInt numel() const { return numel_; }
  DType dtype() const { return dtype_; }
  Device device() const { return device_; }
  Layout layout() const { return layout_; }
  // The given flags.
  uint16_t flags() const { return flags_ & kGivenFlags; }
  // Whether a flag is set or a fact holds; false where only data can tell.
  bool has(MetaFlag flag) const {
    return (flags_ & flag) != 0 || ((undecided_ & flag) != 0 && decide(flag));
  }
  // Whether a size, a stride or the offset is symbolic.
  bool has_symbols() const { return (flags_ & kSymbolic) != 0; }
  // Whether it is known already: asks nothing.
  bool knows(MetaFlag flag) const { return (flags_ & flag) != 0; }
  // A fact as a condition. One of a dense order that only data can tell counts as false.
  SymBool fact(MetaFlag flag) const;
  const SparseMeta* sparse() const { return sparse_; }
  uint64_t hash() const { return hash_; }

  // The meta as a spec, to intern a changed one from.
  MetaSpec spec() const;

 private:
  friend class MetaTable;
  [[gnu::cold]] bool decide(MetaFlag flag) const;
  SymBool find_out(MetaFlag flag) const;

  const SymInt* dims_ = nullptr;  // sizes, then strides
  uint32_t rank_ = 0;
  DType dtype_ = DType::kFloat32;
  Layout layout_ = Layout::kStrided;
  mutable uint16_t flags_ = 0;
  mutable uint16_t undecided_ = 0;  // facts that were not asked for yet
  Device device_;
  SymInt offset_ = 0;
  SymInt numel_ = 0;
  const SparseMeta* sparse_ = nullptr;
  uint64_t hash_ = 0;
};

// The metas of one mode or program, each once.
class MetaTable {
 public:
  MetaTable();
  MetaTable(const MetaTable&) = delete;
  MetaTable& operator=(const MetaTable&) = delete;

  const TensorMeta* intern(const MetaSpec& spec);
  size_t size() const { return count_; }

 private:
  const TensorMeta* add(const MetaSpec& spec, Dims strides, uint64_t hash);
  void grow();

  Arena arena_;
  std::vector<const TensorMeta*> slots_;  // open addressing, a power of two, at most half full
  size_t count_ = 0;
};

// A memory block without data. `nbytes` may change (resize_).
struct Storage {
  uint32_t id = 0;
  Device device;
  SymInt nbytes = 0;
  uint32_t version = 0;  // counts the operators that wrote to it (Tensor._version)
};

// What is known of a small tensor's data (core/ops/constant.h).
class Constant;

// One tensor object. Made by a Context (core/ops), which owns it; handled by pointer or reference.
class Tensor {
 public:
  uint32_t id = 0;
  // A Python number standing where the schema asks for a tensor: a 0-dimensional CPU tensor that
  // promotes as a number does.
  bool is_wrapped_number = false;
  const TensorMeta* meta = nullptr;
  Storage* storage = nullptr;          // none for sparse tensors
  Tensor* base = nullptr;              // what this is a view of
  const Constant* constant = nullptr;  // its values, while known

  Dims sizes() const { return meta->sizes(); }
  Dims strides() const { return meta->strides(); }
  int64_t dim() const { return meta->rank(); }
  SymInt numel() const { return meta->numel(); }
  SymInt offset() const { return meta->offset(); }
  DType dtype() const { return meta->dtype(); }
  Device device() const { return meta->device(); }
  Layout layout() const { return meta->layout(); }
  // Size or stride of a dimension, which may be counted from the end. Raises IndexError like
  // PyTorch.
  SymInt size(int64_t dim) const {
    const bool is_plain = dim >= 0 && dim < meta->rank();
    return sizes()[static_cast<size_t>(is_plain ? dim : wrapped(dim))];
  }
  SymInt stride(int64_t dim) const;

  // As at::Tensor's, but false where only data can tell (is_contiguous_or_false).
  bool is_contiguous() const { return meta->has(kContiguous); }
  bool is_contiguous(MemoryFormat format) const;
  SymBool sym_is_contiguous(MemoryFormat format = MemoryFormat::kContiguous) const;
  bool is_non_overlapping_and_dense() const { return meta->has(kNonOverlappingAndDense); }
  bool is_conj() const { return meta->has(kConj); }
  bool is_neg() const { return meta->has(kNeg); }

 private:
  [[gnu::cold]] int64_t wrapped(int64_t dim) const;
};

// contiguous, channels_last or channels_last_3d by the look of the strides, as the Python rules ask
// (torch._prims_common.suggest_memory_format): contiguous where only data can tell.
MemoryFormat suggest_memory_format(const Tensor& tensor);
// The same as the C++ rules ask (at::Tensor::suggest_memory_format): raises
// GuardOnDataDependentSymNode where only data can tell. With `exact`, strides that only look so are
// contiguous.
MemoryFormat tensor_memory_format(const Tensor& tensor, bool exact = false);

}  // namespace faketensor
