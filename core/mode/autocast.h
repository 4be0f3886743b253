// Autocast: which operators torch.autocast runs in another precision, and on what.
//
// Mirrors the kernels of the dispatch keys AutocastCPU and AutocastCUDA
// (aten/src/ATen/autocast_mode.{h,cpp}): products and convolutions run in the lower precision,
// losses, norms and factorizations in float32, joins in the widest dtype among their operands. The
// two devices have different lists. What such an operator calls is not cast again. Only
// floating-point tensors on the device other than float64 are cast.
//
//   const AutocastCall cast = autocast(context, op, args, {DeviceType::kCPU, DType::kBFloat16});
//   context.call(cast.op, cast.args.span());
//
//   AutocastRegions regions(context);
//   const ModeScope entered(context, regions);
//   // with torch.autocast("cpu", torch.bfloat16):
//   const auto inside = regions.enter({DeviceType::kCPU, DType::kBFloat16}, true);
#pragma once

#include <span>
#include <utility>

#include "core/ops/context.h"
#include "core/support/scoped_value.h"
#include "core/support/small_vector.h"

namespace faketensor {

// A device's autocast, and the lower precision there.
struct Autocast {
  DeviceType device = DeviceType::kCPU;
  DType lower = DType::kBFloat16;
};

AutocastPolicy autocast_policy(const OpEntry& op, DeviceType device = DeviceType::kCPU);

// The call that takes the operator's place inside the region; casts are calls in `context`.
struct AutocastCall {
  OpId op;
  SmallVector<Value, 16> args;
};
AutocastCall autocast(Context& context, const OpEntry& op, std::span<const Value> args,
                      Autocast autocast = {});

// The autocast state of a thread: on or off for each device, with its dtype.
class AutocastRegions final : public DispatchMode {
 public:
  explicit AutocastRegions(Context& context) : context_(context) {}

  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override;
  DispatchKey key() const override { return DispatchKey::kAutocast; }

  struct Region {
    bool enabled = false;
    DType lower = DType::kBFloat16;
  };
  // `with torch.autocast(device, dtype, enabled)` for as long as what it returns lives.
  [[nodiscard]] ScopedValue<Region> enter(Autocast autocast, bool enabled) {
    return {region(autocast.device), Region{enabled, autocast.lower}};
  }

  // The same where a node enters and another leaves: what was is given back.
  Region set(DeviceType device, Region wanted) { return std::exchange(region(device), wanted); }

 private:
  Region& region(DeviceType device) { return device == DeviceType::kCUDA ? cuda_ : cpu_; }

  Context& context_;
  Region cpu_;
  Region cuda_{false, DType::kFloat16};
};

}  // namespace faketensor
