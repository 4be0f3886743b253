// Autocast: which operators torch.autocast("cpu", dtype) runs in another precision, and on what.
//
// Mirrors the kernels of the dispatch key AutocastCPU (aten/src/ATen/autocast_mode.cpp): products
// and convolutions run in the lower precision, losses, norms and factorizations in float32, joins
// in the widest dtype among their operands. What such an operator calls is not cast again. Only
// floating-point tensors on the CPU other than float64 are cast.
//
//   const auto cast = autocast(context, op, args, DType::kBFloat16);
//   context.call(id, cast.span());
#pragma once

#include <span>

#include "core/ops/context.h"
#include "core/support/small_vector.h"

namespace faketensor {

enum class AutocastPolicy : uint8_t { kNone, kLowerPrecision, kSinglePrecision, kWidest };

AutocastPolicy autocast_policy(const OpEntry& op);

// The arguments as the operator gets them inside the region; casts are calls in `context`.
SmallVector<Value, 16> autocast(Context& context, const OpEntry& op, std::span<const Value> args,
                                DType lower);

}  // namespace faketensor
