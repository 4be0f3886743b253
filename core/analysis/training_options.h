// What is asked of a training step (training_step.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faketensor {

// SGD(), SGD(momentum=0.9), Adam(foreach=True), AdamW(foreach=False).
enum class Optimizer : uint8_t { kSgd, kMomentum, kAdam, kAdamW };
inline constexpr std::string_view kOptimizers[] = {"sgd", "momentum", "adam", "adamw"};
// Nothing for a word that is none of them.
std::optional<Optimizer> optimizer_named(std::string_view name);

struct TrainingOptions {
  Optimizer optimizer = Optimizer::kSgd;
  // Backward runs this often before the optimizer does; told is the last time, which finds the
  // gradients of those before.
  int64_t grad_accumulation = 1;
  // Parameters below float32 are copied in float32 for the optimizer, whose states and gradients
  // are float32 then.
  bool master_weights = false;
  // Modules whose forward is computed again when backward comes to them (torch.utils.checkpoint).
  std::vector<std::string> checkpoint = {};
};

}  // namespace faketensor
