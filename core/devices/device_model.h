// DeviceModel: what a device is: its memory, its rates, and the PyTorch that runs on it.
//
// One is a YAML file; those of targets/ are compiled in and have a name (presets.h), any other is
// read when it is named (target_file.h). Figures are the maker's, whose source each file names:
// the highest that the device can do, not what programs reach (core/analysis/roofline.h has that).
//
//   const DeviceModel h100 = *device_preset("h100");
//   h100.hardware.usable(), h100.hardware.peak(Rate::kBFloat16).tensor
//
// Note [Targets are compiled in by our own reader]
// The presets are read while the engine is built, by scripts/generate_presets.cpp, which uses
// the very reader that a user's file goes through: a preset that it refuses stops the build, and what
// `--target h100` and `--target targets/h100-sxm.yaml` mean cannot differ. yaml-cpp would do for the
// generator too, but the product then could not be built where it is missing (it is a library of the
// tests only, and the wasm build would need it for the host). A test holds that yaml-cpp reads the
// same from each file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/devices/target.h"

namespace faketensor {

// A way to compute. TF32 is float32 whose products are rounded to 10 bits of mantissa.
enum class Rate : uint8_t { kFloat64, kFloat32, kTf32, kFloat16, kBFloat16, kFloat8, kInt8 };
inline constexpr size_t kRates = 7;
std::string_view name(Rate rate);  // "float64", ..., "tf32", as target files spell it
std::optional<Rate> parse_rate(std::string_view text);

// Operations a second, dense; 0: the device has none of that kind.
struct PeakFlops {
  double plain = 0;   // without tensor cores
  double tensor = 0;  // with them
};

struct Hardware {
  int64_t memory = 0;    // bytes, as the maker counts them
  int64_t reserved = 0;  // bytes of it that no program is offered: ECC, firmware, driver
  int64_t context = 0;   // bytes that a process holds before its first tensor (an estimate)
  double bandwidth = 0;  // of the memory, bytes a second
  double link_bandwidth =
      0;              // to the other devices, bytes a second, both directions; 0: none given
  double launch = 0;  // seconds from one operator's call to the next (an estimate)
  std::array<PeakFlops, kRates> flops = {};

  // Bytes that tensors can have.
  int64_t usable() const { return memory - reserved - context; }
  const PeakFlops& peak(Rate rate) const { return flops[static_cast<size_t>(rate)]; }
};

struct DeviceModel {
  std::string name;    // "h100-sxm"
  std::string title;   // "NVIDIA H100 SXM 80GB"
  std::string source;  // where its figures are from
  Target target;       // its name is "file" where the model is no preset
  // Memory is not 0; none for the target "cuda", which is a PyTorch without a GPU.
  std::optional<Hardware> hardware;
};

}  // namespace faketensor
