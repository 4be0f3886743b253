// The tensors among the arguments of a call.
#pragma once

#include <span>

#include "core/ops/value.h"

namespace faketensor {

// The first tensor, in lists too, for which `wanted` holds.
template <typename Wanted>
const Tensor* find_tensor(std::span<const Value> args, const Wanted& wanted) {
  for (const Value& arg : args) {
    if (arg.is_tensor() && wanted(arg.tensor())) return &arg.tensor();
    if (!arg.is(Value::Tag::kList)) continue;
    if (const Tensor* found = find_tensor(arg.values(), wanted)) return found;
  }
  return nullptr;
}

// Calls `visit` with each tensor, those in lists too; not with the numbers that serve as tensors.
template <typename Visit>
void for_each_tensor(std::span<const Value> args, const Visit& visit) {
  find_tensor(args, [&](const Tensor& tensor) {
    if (!tensor.is_wrapped_number) visit(tensor);
    return false;
  });
}

}  // namespace faketensor
