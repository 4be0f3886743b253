#include "core/ops/context.h"

#include <algorithm>

#include "core/ops/call.h"
#include "core/support/error.h"
#include "core/tensor/promotion.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {
constexpr int kMaxDepth =
    64;  // composites call composites; none of PyTorch's nests deeper than a dozen
}

Context::Context(const Target& target) : target_(target) {}

Tensor* Context::empty(Dims sizes, DType dtype, Device device, Dims strides) {
  const TensorMeta* meta =
      metas_.intern({.sizes = sizes, .strides = strides, .dtype = dtype, .device = device});
  return make_tensor(meta, nullptr);
}

Tensor* Context::make_tensor(const TensorMeta* meta, Storage* storage, Tensor* base) {
  if (storage == nullptr && meta->layout() == Layout::kStrided) {
    // Dense tensors need numel elements; only gaps and overlaps need the longer way.
    const SymInt bytes =
        meta->has(kNonOverlappingAndDense) && !meta->offset().is_symbolic() &&
                meta->offset().as_int() == 0
            ? meta->numel() * itemsize(meta->dtype())
            : storage_bytes(meta->sizes(), meta->strides(), meta->offset(), meta->dtype());
    storage = make_storage(meta->device(), bytes);
  }
  Tensor& tensor = tensors_.emplace_back();
  tensor.id = static_cast<uint32_t>(tensors_.size() - 1);
  tensor.meta = meta;
  tensor.storage = storage;
  tensor.base = base != nullptr && base->base != nullptr ? base->base : base;
  return &tensor;
}

Storage* Context::make_storage(Device device, SymInt nbytes) {
  Storage& storage = storages_.emplace_back();
  storage.id = static_cast<uint32_t>(storages_.size() - 1);
  storage.device = device;
  storage.nbytes = nbytes;
  return &storage;
}

Tensor* Context::wrap_number(const Value& number) {
  // scalar_to_tensor (ATen/ScalarOps.h): doubles and int64, whatever the default dtype.
  Tensor* tensor = empty({}, number_dtype(number, DType::kFloat64), Device{});
  tensor->is_wrapped_number = true;
  return tensor;
}

namespace {

// Arguments complete in schema order: defaults filled, numbers for tensors wrapped, a single int
// for an int[n] repeated.
std::span<const Value> complete(Context& context, const OpEntry& op, std::span<const Value> args,
                                SmallVector<Value, 16>& room) {
  const std::span<const Argument> arguments = op.schema.arguments;
  bool as_given = args.size() == arguments.size();
  for (size_t i = 0; as_given && i < args.size(); ++i) {
    as_given = !args[i].is_unset() &&
               (!args[i].is_number() ||
                !(arguments[i].type.kind == ArgKind::kTensor || arguments[i].type.is_list));
  }
  if (as_given) return args;
  if (args.size() > arguments.size()) {
    throw_error(ErrorKind::kRuntimeError,
                format("{}() expected at most {} argument(s) but received {} argument(s).",
                       op.schema.name, arguments.size(), args.size()));
  }
  room.resize(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    Value value = i < args.size() ? args[i] : Value::unset();
    if (value.is_unset()) {
      if (!argument.has_default) {
        throw_error(ErrorKind::kRuntimeError,
                    format("{}() is missing value for argument '{}'. Declaration: {}",
                           op.schema.name, argument.name, op.schema.text));
      }
      value = argument.default_value;
    } else if (value.is_number() && argument.type.is_list && argument.type.kind == ArgKind::kInt) {
      const auto count =
          static_cast<size_t>(argument.type.list_size < 1 ? 1 : argument.type.list_size);
      value = context.make_ints(DimVector(count, value.as_sym_int()));
    } else if (value.is_number() && argument.type.kind == ArgKind::kTensor &&
               !argument.type.is_list) {
      value = context.wrap_number(value);
    }
    room[i] = value;
  }
  return room;
}

struct DepthGuard {
  int& depth;
  explicit DepthGuard(int& counter) : depth(++counter) {
    if (depth > kMaxDepth) {
      --depth;
      throw_error(ErrorKind::kLimitExceeded,
                  format("operators call each other more than {} deep", kMaxDepth));
    }
  }
  ~DepthGuard() { --depth; }
};

// self.op_(...): the functional answer must fit self, which keeps its metadata.
Value run_inplace(Call& call) {
  Tensor& self = call.arg(0).tensor();
  const Value result = call.op().rule.function(call, call.op().rule.params);
  const Tensor& out = result.tensor();
  call.check(out.meta->rank() == self.meta->rank() &&
                 std::equal(out.sizes().begin(), out.sizes().end(), self.sizes().begin(),
                            [](SymInt a, SymInt b) { return guard_bool(a == b); }),
             "output with shape {} doesn't match the broadcast shape {}", self.sizes(),
             out.sizes());
  call.check(can_cast(out.dtype(), self.dtype()),
             "result type {} can't be cast to the desired output type {}", out.dtype(),
             self.dtype());
  return Value(self);
}

}  // namespace

Value Context::call(OpId id, std::span<const Value> args) {
  const OpEntry& op = Registry::builtin().entry(id);
  try {
    return dispatch(op, args);
  } catch (Error& error) {
    if (error.op().empty()) error.set_op(op.name);
    throw;
  }
}

Value Context::dispatch(const OpEntry& op, std::span<const Value> args) {
  const DepthGuard guard(depth_);
  SmallVector<Value, 16> room;
  Call call(*this, op, complete(*this, op, args, room));
  return op.derived == OpEntry::Derived::kInplace ? run_inplace(call)
                                                  : op.rule.function(call, op.rule.params);
}

}  // namespace faketensor
