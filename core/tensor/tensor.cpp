#include "core/tensor/tensor.h"

#include <algorithm>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/support/hash.h"
#include "core/tensor/contiguity.h"
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
  // Sizes and strides side by side: a multiplication waits for the one before.
  uint64_t of_sizes = small;
  uint64_t of_strides = static_cast<uint64_t>(spec.offset.word());
  for (size_t i = 0; i < spec.sizes.size(); ++i) {
    of_sizes = hash_word(of_sizes, static_cast<uint64_t>(spec.sizes[i].word()));
    of_strides = hash_word(of_strides, static_cast<uint64_t>(strides[i].word()));
  }
  return hash_finish(hash_word(of_sizes, of_strides));
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
         same_expr(meta.offset(), spec.offset) && same_exprs(meta.sizes(), spec.sizes) &&
         same_exprs(meta.strides(), strides) && same_sparse(meta.sparse(), spec.sparse);
}

// The facts that there are to know about a tensor of this rank.
constexpr uint16_t facts_of_rank(size_t rank) {
  unsigned facts = kContiguous | kNonOverlappingAndDense;
  if (rank == 4) facts |= kChannelsLastContiguous | kChannelsLastStrides;
  // A tensor that is dense as channels_last_3d is not channels_last: PyTorch decides the former on
  // the way to the latter.
  if (rank == 5) facts |= kChannelsLast3dContiguous | kChannelsLast3dStrides;
  return static_cast<uint16_t>(facts);
}

bool is_row_major(Dims sizes, Dims strides) {
  SymInt expected = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (!same_expr(strides[i], expected)) return false;
    if (i > 0) expected *= sym_max(sizes[i], 1);
  }
  return true;
}

}  // namespace

// Mirrors the compute_ functions of c10/core/SymbolicShapeMeta.cpp.
SymBool TensorMeta::find_out(MetaFlag flag) const {
  switch (flag) {
    case kContiguous:
      return contiguity(sizes(), strides());
    case kChannelsLastContiguous:
      return channels_last_contiguity(sizes(), strides());
    case kChannelsLast3dContiguous:
      return channels_last_3d_contiguity(sizes(), strides());
    case kChannelsLastStrides:
      return has_channels_last_strides(sizes(), strides());
    case kChannelsLast3dStrides:
      return has_channels_last_3d_strides(sizes(), strides());
    default:
      break;
  }
  if (has(kContiguous) || has(kChannelsLastContiguous) || has(kChannelsLast3dContiguous))
    return true;
  if (const std::optional<bool> dense = is_dense_in_some_order(sizes(), strides())) return *dense;
  return sym_or(fact(kContiguous),
                sym_or(fact(kChannelsLastContiguous), fact(kChannelsLast3dContiguous)));
}

SymBool TensorMeta::fact(MetaFlag flag) const {
  if ((undecided_ & flag) == 0) return (flags_ & flag) != 0;
  const SymBool found = find_out(flag);
  if (!found.is_symbolic()) {
    undecided_ = static_cast<uint16_t>(undecided_ & ~flag);
    if (found.as_bool()) flags_ = static_cast<uint16_t>(flags_ | flag);
  }
  return found;
}

bool TensorMeta::decide(MetaFlag flag) const { return guard_or_false(fact(flag)); }

MetaTable::MetaTable() : slots_(256, nullptr) {}

const TensorMeta* MetaTable::intern(const MetaSpec& spec) {
  const auto find = [&](Dims strides) {
    const uint64_t hash = hash_of(spec, strides);
    for (size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      const TensorMeta* meta = slots_[at];
      if (meta == nullptr) return static_cast<const TensorMeta*>(add(spec, strides, hash));
      if (meta->hash_ == hash && equals(*meta, spec, strides)) return meta;
    }
  };
  // Mirrors TensorImpl::set_sizes_and_strides: what reads strides by the number of sizes relies on
  // it.
  const bool has_strides = spec.layout == Layout::kStrided && !spec.strides.empty();
  if (has_strides && spec.strides.size() != spec.sizes.size()) [[unlikely]]
    throw_error(ErrorKind::kRuntimeError,
                format("dimensionality of sizes ({}) must match dimensionality of strides ({})",
                       spec.sizes.size(), spec.strides.size()));
  if (spec.layout != Layout::kStrided) return find(DimVector(spec.sizes.size(), SymInt(0)));
  if (spec.strides.empty() && !spec.sizes.empty()) return find(contiguous_strides(spec.sizes));
  return find(spec.strides);
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
  meta->flags_ = static_cast<uint16_t>(spec.flags & kGivenFlags);
  meta->undecided_ = spec.layout == Layout::kStrided ? facts_of_rank(rank) : uint16_t{0};
  const bool is_plain = all_plain(dims);
  if (!is_plain || spec.offset.is_symbolic()) meta->flags_ |= kSymbolic;
  if (is_plain && spec.layout == Layout::kStrided && is_row_major(spec.sizes, strides))
    meta->flags_ |= kRowMajor;
  if (is_plain) {
    for (unsigned facts = meta->undecided_; facts != 0; facts &= facts - 1)
      meta->fact(static_cast<MetaFlag>(facts & -facts));
  }
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

int64_t Tensor::wrapped(int64_t dim) const { return wrap_dim(dim, meta->rank(), false); }

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

SymBool Tensor::sym_is_contiguous(MemoryFormat format) const {
  switch (format) {
    case MemoryFormat::kChannelsLast:
      return meta->fact(kChannelsLastContiguous);
    case MemoryFormat::kChannelsLast3d:
      return meta->fact(kChannelsLast3dContiguous);
    default:
      return meta->fact(kContiguous);
  }
}

MemoryFormat tensor_memory_format(const Tensor& tensor, bool exact) {
  if (tensor.layout() != Layout::kStrided) return MemoryFormat::kContiguous;
  // A tensor of five dimensions is asked first whether it is dense (compute_channels_last_2d_dim5).
  const bool dense_3d = tensor.dim() == 5 && tensor.meta->has(kChannelsLast3dContiguous);
  if (tensor.meta->has(kChannelsLastStrides) &&
      (!exact || tensor.meta->has(kChannelsLastContiguous))) {
    return MemoryFormat::kChannelsLast;
  }
  if (tensor.meta->has(kChannelsLast3dStrides) && (!exact || dense_3d)) {
    return MemoryFormat::kChannelsLast3d;
  }
  return MemoryFormat::kContiguous;
}

MemoryFormat suggest_memory_format(const Tensor& tensor) {
  if (tensor.layout() != Layout::kStrided ||
      !are_strides_like_channels_last_or_false(tensor.sizes(), tensor.strides())) {
    return MemoryFormat::kContiguous;
  }
  return tensor.dim() == 4 ? MemoryFormat::kChannelsLast : MemoryFormat::kChannelsLast3d;
}

}  // namespace faketensor
