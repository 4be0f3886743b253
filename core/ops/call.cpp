#include "core/ops/call.h"

#include <algorithm>

#include "core/symbolic/shape_env.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

// FakeTensor._find_common_device, one tensor after the other.
class DeviceMerge {
 public:
  explicit DeviceMerge(const OpEntry& op) : op_(op) {}

  void add(const Tensor& tensor) {
    const bool is_cpu_scalar = tensor.device().is_cpu() && tensor.dim() == 0;
    if (tensor.is_wrapped_number) return;
    if (!common_) {
      common_ = tensor.device();
      common_is_cpu_scalar_ = is_cpu_scalar;
    } else if (tensor.device() == *common_) {
      common_is_cpu_scalar_ = common_is_cpu_scalar_ && is_cpu_scalar;
    } else if (is_cpu_scalar && !is_strict()) {
      // A CPU scalar takes the device of the others.
    } else if (common_is_cpu_scalar_ && !is_strict()) {
      common_ = tensor.device();
      common_is_cpu_scalar_ = false;
    } else if (!takes_meta() || (!common_->is_meta() && !tensor.device().is_meta())) {
      throw_error(ErrorKind::kDeviceMismatch,
                  format("Expected all tensors to be on the same device, but found at least two "
                         "devices, {} and {}!",
                         *common_, tensor.device()));
    }
  }
  void add(const Value& value) {
    if (value.is_tensor()) return add(value.tensor());
    if (!value.is(Value::Tag::kList)) return;
    for (const Value& element : value.values()) {
      if (element.is_tensor()) add(element.tensor());
    }
  }
  Device result() const { return common_.value_or(Device{}); }

 private:
  bool is_strict() const { return op_.facts.has(kRefusesCpuScalars); }
  bool takes_meta() const { return op_.facts.has(kTakesMetaTensors); }

  const OpEntry& op_;
  std::optional<Device> common_;
  bool common_is_cpu_scalar_ = false;
};

}  // namespace

namespace {
// The device of the tensors among `args` where there is one and it is the same for all.
std::optional<Device> single_device(std::span<const Value> args) {
  std::optional<Device> device;
  for (const Value& arg : args) {
    if (arg.is(Value::Tag::kList)) return std::nullopt;
    if (!arg.is_tensor() || arg.tensor().is_wrapped_number) continue;
    if (device && arg.tensor().device() != *device) return std::nullopt;
    device = arg.tensor().device();
  }
  return device;
}
}  // namespace

Device Call::device() {
  if (!device_) device_ = single_device(args_);
  if (!device_) {
    DeviceMerge merge(op_);
    for (const Value& arg : args_) merge.add(arg);
    device_ = merge.result();
  }
  return *device_;
}

SymInt Call::unbacked_int(ErrorKind refusal) {
  ShapeEnv* env = context_.shape_env();
  const bool allowed = refusal == ErrorKind::kDynamicOutputShape ? context_.allow_dynamic_shapes
                                                                 : context_.allow_scalar_outputs;
  if (env == nullptr || !allowed) fail(refusal, op_.python_name());
  return env->create_unbacked_int();
}

Tensor* Call::empty_like(const Tensor& self, std::optional<DType> dtype, MemoryFormat format) {
  const DimVector strides = format == MemoryFormat::kPreserve
                                ? dense_strides_like(self.sizes(), self.strides())
                                : strides_for(self.sizes(), format);
  return context_.empty_restrided(self.sizes(), strides, dtype.value_or(self.dtype()),
                                  self.device());
}

namespace {
// Whether the bytes of a dense tensor are another number when they are counted by strides: they may
// be where a size may be 0.
bool may_be_empty(const TensorMeta& meta) {
  return meta.has_symbols() &&
         std::any_of(meta.sizes().begin(), meta.sizes().end(), [](SymInt size) {
           return size.is_symbolic() && !statically_known_true(size >= 1);
         });
}
}  // namespace

Tensor* Call::empty_permuted(Dims sizes, Dims strides, DType dtype, Device on) {
  Tensor* tensor = context_.empty_restrided(sizes, strides, dtype, on);
  if (tensor->meta->has_symbols() && context_.cache().is_permuted_again(*tensor->meta) &&
      may_be_empty(*tensor->meta)) {
    tensor->storage->nbytes = storage_bytes(sizes, strides, 0, dtype);
  }
  return tensor;
}

Tensor* Call::view_as(const Tensor& self, Dims sizes, Dims strides, SymInt offset, DType dtype) {
  return view_as(self, sizes, strides, offset, dtype,
                 static_cast<uint16_t>(self.meta->flags() & kGivenFlags));
}

Tensor* Call::view_as(const Tensor& self, Dims sizes, Dims strides, SymInt offset, DType dtype,
                      uint16_t flags) {
  const TensorMeta* meta = context_.metas().intern({.sizes = sizes,
                                                    .strides = strides,
                                                    .offset = offset,
                                                    .dtype = dtype,
                                                    .device = self.device(),
                                                    .layout = self.layout(),
                                                    .flags = flags});
  return context_.make_tensor(meta, self.storage, const_cast<Tensor*>(&self));
}

Value Call::call_named(NamedOp& op, std::span<const Value> arguments) {
  OpId id = op.id.load(std::memory_order_relaxed);
  if (id == kNoOp) [[unlikely]] {
    id = Registry::builtin().find(op.name);
    if (id == kNoOp) throw_error(ErrorKind::kUnsupportedOperator, std::string(op.name));
    op.id.store(id, std::memory_order_relaxed);
  }
  return context_.call(id, arguments);
}

void Call::refuse_parts(ErrorKind kind, std::string_view pattern, const FormatPart* parts,
                        size_t count) {
  throw_error(kind, format_parts(pattern, {parts, count}));
}

}  // namespace faketensor
