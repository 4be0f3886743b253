#include "core/tensor/tensor.h"

#include <algorithm>

#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/tensor/strides.h"

namespace faketensor {

MetaSpec TensorMeta::spec() const {
  return {.sizes = sizes(),
          .strides = strides(),
          .offset = offset_,
          .dtype = dtype_,
          .device = device_,
          .layout = layout_,
          .flags = static_cast<uint16_t>(flags_ & kGivenFlags),
          .sparse = sparse_};
}

namespace {

uint64_t hash_of(const MetaSpec& spec, Dims strides) {
  const uint64_t small =
      static_cast<uint64_t>(spec.dtype) | static_cast<uint64_t>(spec.device.type) << 8 |
      static_cast<uint64_t>(static_cast<uint8_t>(spec.device.index)) << 16 |
      static_cast<uint64_t>(spec.layout) << 24 | static_cast<uint64_t>(spec.flags) << 32 |
      static_cast<uint64_t>(spec.sizes.size()) << 48;
  uint64_t hash = hash_word(static_cast<uint64_t>(spec.offset.word()), small);
  for (const SymInt size : spec.sizes) hash = hash_word(hash, static_cast<uint64_t>(size.word()));
  for (const SymInt stride : strides) hash = hash_word(hash, static_cast<uint64_t>(stride.word()));
  return hash_finish(hash);
}

bool same_dims(Dims a, Dims b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](SymInt x, SymInt y) { return same_expr(x, y); });
}

bool same_sparse(const SparseMeta* a, const SparseMeta* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->sparse_dim == b->sparse_dim && a->dense_dim == b->dense_dim &&
         same_expr(a->nnz, b->nnz) && a->index_dtype == b->index_dtype &&
         same_expr(a->block_size[0], b->block_size[0]) &&
         same_expr(a->block_size[1], b->block_size[1]);
}

bool equals(const TensorMeta& meta, const MetaSpec& spec, Dims strides) {
  return meta.dtype() == spec.dtype && meta.device() == spec.device &&
         meta.layout() == spec.layout && (meta.flags() & kGivenFlags) == spec.flags &&
         same_expr(meta.offset(), spec.offset) && same_dims(meta.sizes(), spec.sizes) &&
         same_dims(meta.strides(), strides) && same_sparse(meta.sparse(), spec.sparse);
}

uint16_t stride_facts(Dims sizes, Dims strides) {
  unsigned facts = 0;
  if (is_contiguous(sizes, strides)) facts |= kContiguous;
  if (sizes.size() == 4) {
    if (is_channels_last_contiguous(sizes, strides)) facts |= kChannelsLastContiguous;
    if (has_channels_last_strides(sizes, strides)) facts |= kChannelsLastStrides;
  } else if (sizes.size() == 5) {
    if (is_channels_last_3d_contiguous(sizes, strides)) facts |= kChannelsLast3dContiguous;
    if (has_channels_last_3d_strides(sizes, strides)) facts |= kChannelsLast3dStrides;
  }
  const bool any_format =
      (facts & (kContiguous | kChannelsLastContiguous | kChannelsLast3dContiguous)) != 0;
  if (any_format || is_non_overlapping_and_dense(sizes, strides)) facts |= kNonOverlappingAndDense;
  return static_cast<uint16_t>(facts);
}

}  // namespace

MetaTable::MetaTable() : slots_(256, nullptr) {}

const TensorMeta* MetaTable::intern(const MetaSpec& spec) {
  DimVector computed;
  Dims strides = spec.strides;
  if (spec.layout != Layout::kStrided) {
    computed = DimVector(spec.sizes.size(), SymInt(0));
    strides = computed;
  } else if (strides.empty() && !spec.sizes.empty()) {
    computed = contiguous_strides(spec.sizes);
    strides = computed;
  }
  const uint64_t hash = hash_of(spec, strides);
  for (size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
    const TensorMeta* meta = slots_[at];
    if (meta == nullptr) return add(spec, strides, hash);
    if (meta->hash_ == hash && equals(*meta, spec, strides)) return meta;
  }
}

const TensorMeta* MetaTable::add(const MetaSpec& spec, Dims strides, uint64_t hash) {
  auto* meta = arena_.make<TensorMeta>();
  const size_t rank = spec.sizes.size();
  const std::span<SymInt> dims = arena_.make_array<SymInt>(rank + strides.size());
  std::copy(spec.sizes.begin(), spec.sizes.end(), dims.begin());
  std::copy(strides.begin(), strides.end(), dims.begin() + static_cast<std::ptrdiff_t>(rank));
  meta->dims_ = dims.data();
  meta->rank_ = static_cast<uint32_t>(rank);
  meta->dtype_ = spec.dtype;
  meta->layout_ = spec.layout;
  meta->device_ = spec.device;
  meta->offset_ = spec.offset;
  meta->numel_ = numel(spec.sizes);
  if (spec.sparse != nullptr) meta->sparse_ = arena_.make<SparseMeta>(*spec.sparse);
  const uint16_t facts =
      spec.layout == Layout::kStrided ? stride_facts(meta->sizes(), meta->strides()) : uint16_t{0};
  meta->flags_ = static_cast<uint16_t>((spec.flags & kGivenFlags) | facts);
  meta->hash_ = hash;
  if (2 * ++count_ > slots_.size()) grow();
  size_t at = hash & (slots_.size() - 1);
  while (slots_[at] != nullptr) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = meta;
  return meta;
}

void MetaTable::grow() {
  std::vector<const TensorMeta*> old(2 * slots_.size(), nullptr);
  old.swap(slots_);
  for (const TensorMeta* meta : old) {
    if (meta == nullptr) continue;
    size_t at = meta->hash_ & (slots_.size() - 1);
    while (slots_[at] != nullptr) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = meta;
  }
}

SymInt Tensor::size(int64_t dim) const {
  return sizes()[static_cast<size_t>(wrap_dim(dim, meta->rank(), false))];
}

namespace {
// What the implementations of tensors without strides say: "Sparse CSR tensors do not have
// strides".
[[noreturn, gnu::cold]] void throw_no_strides(Layout layout) {
  std::string_view name = cpp_name(layout);
  if (!name.starts_with("Sparse"))
    throw_error(ErrorKind::kRuntimeError, "opaque tensors do not have strides");
  name.remove_prefix(std::string_view("Sparse").size());
  std::string message = "Sparse ";
  for (const char letter : name)
    message += letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  throw_error(ErrorKind::kRuntimeError, message + " tensors do not have strides");
}
}  // namespace

SymInt Tensor::stride(int64_t dim) const {
  if (layout() != Layout::kStrided) [[unlikely]] {
    // Those of COO tensors count as 0, as SparseTensorImpl leaves them.
    if (layout() != Layout::kSparseCoo) throw_no_strides(layout());
    wrap_dim(dim, meta->rank(), false);
    return 0;
  }
  return strides()[static_cast<size_t>(wrap_dim(dim, meta->rank(), false))];
}

bool Tensor::is_contiguous(MemoryFormat format) const {
  switch (format) {
    case MemoryFormat::kChannelsLast:
      return meta->has(kChannelsLastContiguous);
    case MemoryFormat::kChannelsLast3d:
      return meta->has(kChannelsLast3dContiguous);
    default:
      return meta->has(kContiguous);
  }
}

MemoryFormat suggest_memory_format(const Tensor& tensor, bool exact) {
  if (tensor.layout() != Layout::kStrided) return MemoryFormat::kContiguous;
  if (tensor.meta->has(kChannelsLastStrides) &&
      (!exact || tensor.meta->has(kChannelsLastContiguous))) {
    return MemoryFormat::kChannelsLast;
  }
  if (tensor.meta->has(kChannelsLast3dStrides) &&
      (!exact || tensor.meta->has(kChannelsLast3dContiguous))) {
    return MemoryFormat::kChannelsLast3d;
  }
  return MemoryFormat::kContiguous;
}

}  // namespace faketensor
