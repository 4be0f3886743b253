// The targets that have a name: those of targets/*.yaml, and "cuda".
//
//   for (const Preset& preset : device_presets()) ... preset.name, preset.hardware.memory
#pragma once

#include <span>

#include "core/devices/device_model.h"

namespace faketensor {

// A file of targets/ as it was when the engine was built.
struct Preset {
  std::string_view name;
  std::string_view also;  // another name, as "h100" for "h100-sxm"; empty for none
  std::string_view title;
  std::string_view source;
  Target target;
  Hardware hardware;
};

// By name, without "cuda".
std::span<const Preset> device_presets();

// Nothing for an unknown name. "cuda", the default of every command, is the PyTorch by which the
// conformance data was recorded, and has no hardware.
std::optional<DeviceModel> device_preset(std::string_view name);

// "a10, a100 (a100-80gb), ...": the names, for messages.
std::string preset_names();

}  // namespace faketensor
