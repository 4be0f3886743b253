#include "core/analysis/optimizer_step.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace faketensor {

namespace {

constexpr int64_t kStepBytes = 4;     // a float32 of its own for each parameter
constexpr int64_t kFloat32Bytes = 4;  // of a master weight

}  // namespace

std::optional<Optimizer> optimizer_named(std::string_view name) {
  const auto at = std::find(std::begin(kOptimizers), std::end(kOptimizers), name);
  if (at == std::end(kOptimizers)) return std::nullopt;
  return static_cast<Optimizer>(at - std::begin(kOptimizers));
}

bool OptimizerStep::has_master(const Tensor& parameter) const {
  return training_.master_weights && itemsize(parameter.dtype()) < kFloat32Bytes;
}

HeldTensor OptimizerStep::bytes(const Tensor& parameter, SymInt count) {
  Context& context = calls_.context();
  Storage* storage = context.make_storage(parameter.device(), count);
  return calls_.hold(*context.make_tensor(parameter.meta, storage));
}

HeldTensor OptimizerStep::like(const Tensor& parameter) {
  const int64_t item = has_master(parameter) ? kFloat32Bytes : itemsize(parameter.dtype());
  return bytes(parameter, parameter.numel() * item);
}

void OptimizerStep::add_state(const Tensor& parameter) {
  calls_.set_kind(MemoryKind::kOptimizer);
  if (has_master(parameter)) states_.push_back(like(parameter));
  if (training_.optimizer == Optimizer::kSgd) return;
  states_.push_back(like(parameter));
  if (training_.optimizer == Optimizer::kMomentum) return;
  states_.push_back(like(parameter));
  states_.push_back(bytes(parameter, kStepBytes));
}

void OptimizerStep::run(std::span<GradNode* const> leaves) {
  calls_.ledger().begin(TrainingPhase::kOptimizer, kNoRow);
  calls_.set_kind(MemoryKind::kOptimizer);
  std::vector<GradNode*> stepped;
  std::copy_if(leaves.begin(), leaves.end(), std::back_inserter(stepped),
               [](const GradNode* leaf) { return leaf->grad != nullptr; });
  std::vector<HeldTensor> wide;
  for (const GradNode* leaf : stepped) {
    calls_.ledger().begin(TrainingPhase::kOptimizer, leaf->call.row);
    if (has_master(*leaf->leaf)) wide.push_back(like(*leaf->leaf));
  }
  if (training_.optimizer == Optimizer::kAdam) adam_at_once(stepped);
  if (training_.optimizer == Optimizer::kAdamW) adam_one_by_one(stepped);
}

// The roots of one group live until those of the next are there.
void OptimizerStep::adam_at_once(std::span<GradNode* const> leaves) {
  std::map<std::pair<DType, DeviceType>, std::vector<const GradNode*>> groups;
  for (const GradNode* leaf : leaves)
    groups[{leaf->leaf->dtype(), leaf->leaf->device().type}].push_back(leaf);
  std::vector<HeldTensor> roots;
  for (const auto& [key, parameters] : groups) {
    std::vector<HeldTensor> next;
    for (const GradNode* parameter : parameters) {
      calls_.ledger().begin(TrainingPhase::kOptimizer, parameter->call.row);
      next.push_back(like(*parameter->leaf));
    }
    roots = std::move(next);
  }
}

void OptimizerStep::adam_one_by_one(std::span<GradNode* const> leaves) {
  HeldTensor denominator;
  for (const GradNode* leaf : leaves) {
    calls_.ledger().begin(TrainingPhase::kOptimizer, leaf->call.row);
    const HeldTensor root = like(*leaf->leaf);
    denominator = like(*leaf->leaf);  // the one before lives until here
  }
}

}  // namespace faketensor
