// Target: which PyTorch answers.
//
// PyTorch's answer depends on its version, on how it was built, on the GPU that is present and on
// flags. A rule that depends on any of these asks the Target, never a global. The recorded
// conformance data is the preset "cuda": 2.13.0, built with CUDA 13.0, no GPU present.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace faketensor {

struct Target {
  enum class Build : uint8_t { kCPU, kCUDA };

  std::string_view name = "cuda";
  std::string_view torch = "2.13.0";
  Build build = Build::kCUDA;
  // cuDNN's version as torch.backends.cudnn.version() gives it (91002), 0 where it is not compiled
  // in.
  int cudnn = 91002;
  // Compute capability of the GPU times ten (80: sm_80); 0: no GPU is present.
  int sm = 0;
  bool deterministic = false;
  bool cudnn_enabled = true;
  bool mkldnn_enabled = true;

  bool has_gpu() const { return sm != 0; }
};

// By preset name: "cpu", "cuda", "a100", "h100", "rtx4090", "t4"; nothing for an unknown name.
std::optional<Target> target_preset(std::string_view name);

// "2.13.0, build cu130, gpu none"
void append_text(std::string& out, const Target& target);

}  // namespace faketensor
