#include "core/devices/presets.h"

#include "core/support/format.h"

namespace faketensor {

namespace {

// Rows of the generated file: generate_presets.cpp writes them of targets/*.yaml.
constexpr Preset kPresets[] = {
#include "core/devices/device_presets.inc"
};

}  // namespace

std::span<const Preset> device_presets() { return kPresets; }

std::optional<DeviceModel> device_preset(std::string_view name) {
  if (name == Target{}.name)
    return DeviceModel{std::string(name), "PyTorch 2.13 for CUDA, no GPU", "", Target{}, {}};
  for (const Preset& preset : kPresets) {
    if (name != preset.name && (name.empty() || name != preset.also)) continue;
    return DeviceModel{std::string(preset.name), std::string(preset.title),
                       std::string(preset.source), preset.target, preset.hardware};
  }
  return std::nullopt;
}

std::string preset_names() {
  std::string names(Target{}.name);
  for (const Preset& preset : kPresets) {
    names += format(", {}", preset.name);
    if (!preset.also.empty()) names += format(" ({})", preset.also);
  }
  return names;
}

std::optional<Target> target_preset(std::string_view name) {
  const std::optional<DeviceModel> model = device_preset(name);
  if (!model) return std::nullopt;
  return model->target;
}

}  // namespace faketensor
