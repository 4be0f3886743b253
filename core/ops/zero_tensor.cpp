#include "core/ops/zero_tensor.h"

#include <algorithm>

#include "core/support/error.h"

namespace faketensor {

namespace {

bool holds_zeros(const Value& value) { return value.is_tensor() && is_zero_tensor(value.tensor()); }

// zeros({}, options).expand(sizes)
Tensor* materialized(Context& context, const Tensor& zero) {
  Tensor* element = context.empty({}, zero.dtype(), zero.device());
  const DimVector strides(zero.sizes().size(), SymInt(0));
  MetaSpec spec = element->meta->spec();
  spec.sizes = zero.sizes();
  spec.strides = strides;
  return context.make_tensor(context.metas().intern(spec), element->storage, element);
}

}  // namespace

bool has_zero_tensor(std::span<const Value> args) {
  return std::any_of(args.begin(), args.end(), [](const Value& arg) {
    if (!arg.is(Value::Tag::kList)) return holds_zeros(arg);
    return std::any_of(arg.values().begin(), arg.values().end(), holds_zeros);
  });
}

std::span<const Value> without_zero_tensors(Context& context, const OpEntry& op,
                                            std::span<const Value> args, ArgumentRoom& room) {
  if (op.facts.zero_tensors == ZeroTensors::kTaken) return args;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!op.schema.arguments[i].is_written() || !holds_zeros(args[i])) continue;
    throw_error(ErrorKind::kRuntimeError,
                "ZeroTensors are immutable. Please use the materialized zero tensor obtained using "
                ".clone() if you want a mutable tensor.");
  }
  const auto seen = [&](const Value& value) {
    return holds_zeros(value) ? Value(materialized(context, value.tensor())) : value;
  };
  SmallVector<Value, 16> values;
  for (const Value& arg : args) {
    if (!arg.is(Value::Tag::kList)) {
      values.push_back(seen(arg));
      continue;
    }
    SmallVector<Value, 8> elements;
    for (const Value& element : arg.values()) elements.push_back(seen(element));
    values.push_back(context.make_list(elements.span()));
  }
  room = values;
  return room;
}

// Mirrors mul_zerotensor, div_zerotensor and add_zerotensor, aten/src/ATen/native/BinaryOps.cpp.
bool gives_zero_tensor(const OpEntry& op, std::span<const Value> args) {
  switch (op.facts.zero_tensors) {
    case ZeroTensors::kZeroIfAny:
      return true;
    case ZeroTensors::kZeroIfFirst:
      return holds_zeros(args[0]);
    case ZeroTensors::kZeroIfBoth:
      return holds_zeros(args[0]) && holds_zeros(args[1]);
    case ZeroTensors::kMaterialized:
    case ZeroTensors::kTaken:
      break;
  }
  return false;
}

Tensor* new_zero_tensor(Context& context, Dims sizes, DType dtype, Device device) {
  zero_tensors_were_made.store(true, std::memory_order_relaxed);
  Tensor* made = context.empty(sizes, dtype, device);
  MetaSpec spec = made->meta->spec();
  spec.flags = static_cast<uint16_t>(spec.flags | kZeroTensor);
  made->meta = context.metas().intern(spec);
  return made;
}

}  // namespace faketensor
