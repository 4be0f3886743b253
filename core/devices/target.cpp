#include "core/devices/target.h"

#include "core/support/format.h"

namespace faketensor {

std::optional<Target> target_preset(std::string_view name) {
  static constexpr Target kPresets[] = {
      {.name = "cpu", .build = Target::Build::kCPU, .cudnn = 0},
      {.name = "cuda"},
      {.name = "t4", .sm = 75},
      {.name = "a100", .sm = 80},
      {.name = "rtx4090", .sm = 89},
      {.name = "h100", .sm = 90},
  };
  for (const Target& preset : kPresets) {
    if (preset.name == name) return preset;
  }
  return std::nullopt;
}

void append_text(std::string& out, const Target& target) {
  out += format("{}, build {}, gpu ", target.torch,
                target.build == Target::Build::kCPU ? "cpu" : "cu130");
  out += target.has_gpu() ? format("sm_{}", target.sm) : "none";
}

}  // namespace faketensor
