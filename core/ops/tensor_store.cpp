#include "core/ops/tensor_store.h"

#include "core/ops/constant.h"
#include "core/ops/dispatch_cache.h"
#include "core/ops/limits.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/sym_float.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

// Mirrors computeStorageNbytes, aten/src/ATen/EmptyTensor.cpp.
[[noreturn, gnu::cold]] void throw_too_large(Dims sizes, Dims strides) {
  std::string message = format("Storage size calculation overflowed with sizes={}", sizes);
  if (!strides.empty()) message += format(" and strides={}", strides);
  throw_error(ErrorKind::kRuntimeError, std::move(message));
}

// `sizes` by value: empty() keeps its own in registers, since nothing asks for their address.
[[noreturn, gnu::cold]] void throw_negative(SymInt size, Dims sizes) {
  throw_error(ErrorKind::kRuntimeError,
              format("Trying to create tensor with negative dimension {}: {}", size, sizes));
}

// SymNodeImpl::expect_size, c10/core/SymNodeImpl.h: a size is not negative. It does not make an
// unbacked symbol size-like.
bool expect_size(SymInt size) {
  return size.is_symbolic() ? expect_true(size >= 0) : size.as_int() >= 0;
}

}  // namespace

Value TensorStore::make_list(std::span<const Value> values) {
  return Value::list(arena_.copy(values));
}

Value TensorStore::make_ints(Dims values) { return Value::ints(arena_.copy(values)); }

Tensor* TensorStore::empty(Dims sizes, DType dtype, Device device, Dims strides) {
  for (const SymInt size : sizes) {
    if (size.is_symbolic()) (void)replaced(size);  // SymNode.maybe_as_int
    if (!expect_size(size)) [[unlikely]]
      throw_negative(size, sizes);
  }
  try {
    const TensorMeta* meta =
        metas_.intern({.sizes = sizes, .strides = strides, .dtype = dtype, .device = device});
    // A new contiguous tensor needs its elements, whatever its sizes are.
    Storage* storage =
        strides.empty() ? make_storage(device, meta->numel() * itemsize(dtype)) : nullptr;
    return make_tensor(meta, storage);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kOverflowError) throw;
    throw_too_large(sizes, strides);
  }
}

Tensor* TensorStore::empty_restrided(Dims sizes, Dims strides, DType dtype, Device device) {
  Tensor* tensor = empty(sizes, dtype, device);
  set_strides(*tensor, strides);
  return tensor;
}

void TensorStore::set_strides(Tensor& tensor, Dims strides) {
  MetaSpec spec = tensor.meta->spec();
  spec.strides = strides;
  tensor.meta = metas_.intern(spec);
}

Tensor* TensorStore::make_tensor(const TensorMeta* meta, Storage* storage, Tensor* base) {
  if (storage == nullptr && meta->layout() == Layout::kStrided) {
    // Dense tensors need numel elements; only gaps and overlaps need the longer way. The two count
    // symbolic sizes differently.
    const SymInt bytes =
        meta->knows(kNonOverlappingAndDense) && !meta->numel().is_symbolic() &&
                !meta->offset().is_symbolic() && meta->offset().as_int() == 0
            ? meta->numel() * itemsize(meta->dtype())
            : storage_bytes(meta->sizes(), meta->strides(), meta->offset(), meta->dtype());
    storage = make_storage(meta->device(), bytes);
  }
  if (tensors_.size() >= tensor_limit_) [[unlikely]] {
    throw_error(ErrorKind::kLimitExceeded,
                format("an operator makes more than {} tensors, which need more than {} bytes",
                       kMaxTensorsPerCall, kMaxBytesPerCall));
  }
  Tensor& tensor = tensors_.emplace_back();
  tensor.id = static_cast<uint32_t>(tensors_.size() - 1);
  tensor.meta = meta;
  tensor.storage = storage;
  tensor.base = base != nullptr && base->base != nullptr ? base->base : base;
  return &tensor;
}

Storage* TensorStore::make_storage(Device device, SymInt nbytes) {
  Storage& storage = storages_.emplace_back();
  storage.id = static_cast<uint32_t>(storages_.size() - 1);
  storage.device = device;
  storage.nbytes = nbytes;
  return &storage;
}

// A tensor, with what it leads to, is used; the number that it stands for is moved to `arena`.
void TensorStore::keep(Tensor* tensor, Arena& arena) {
  for (; tensor != nullptr && tensors_.keep(tensor->id); tensor = tensor->base) {
    if (tensor->storage != nullptr) storages_.keep(tensor->storage->id);
    if (tensor->constant == nullptr) continue;
    Constant constant = *tensor->constant;
    if (constant.number().is(Value::Tag::kComplex)) {
      const std::span<const double> parts(constant.number().as_complex(), 2);
      constant = Constant(Value::complex(arena.copy(parts).data()));
    }
    tensor->constant = arena.make<Constant>(constant);
  }
}

void TensorStore::free_all_but(std::span<Tensor* const> kept) {
  Arena arena;
  for (Tensor* tensor : kept) keep(tensor, arena);
  tensors_.drop_others();
  storages_.drop_others();
  arena_ = std::move(arena);
}

Tensor* TensorStore::wrap_number(const Value& number) {
  // scalar_to_tensor (ATen/ScalarOps.h): doubles and int64, whatever the default dtype.
  Tensor* tensor = empty({}, number_dtype(number, DType::kFloat64), Device{});
  tensor->is_wrapped_number = true;
  tensor->constant = arena_.make<Constant>(number);
  return tensor;
}

}  // namespace faketensor
