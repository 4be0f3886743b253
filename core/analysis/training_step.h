// TrainingStep: the memory of one step of training, of a program that computes a model's forward.
//
// The step is lived through by storages: the forward run with what autograd keeps of it, the loss,
// backward in autograd's order, the optimizer. All floating-point parameters are trained. The loss
// is the program's own, or the mean of the squares of its first floating-point output, computed in
// float32; outputs are dropped when it is computed, gradients are set to None after the step. It is
// not the first step: the optimizer has its states. A program that holds its backward already (its
// outputs are gradients of parameters) is taken as it is, and ends with the optimizer.
//
//   const TrainingStep step(program, options, {.optimizer = Optimizer::kAdam});
//   step.peak(), step.after(), step.by_kind(step.peak_index())
//
// Note [What a training step leaves out]
// Bytes are those of storages: no allocator's rounding, no workspaces. Gradients of a value with
// several readers are added out of place, as PyTorch does for fakes and under modes; a run without
// them adds in place where it can, and holds one gradient less at that moment.
//
// Note [Unknown derivatives]
// An operator without a row in core/ops/derivative_formulas.cpp is taken to keep all floating-point
// tensors of its call, and to make a new gradient for each that has one. It is named in
// approximated(), and so is a formula whose operators raise.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/autograd_tape.h"
#include "core/analysis/storage_ledger.h"
#include "core/analysis/training_options.h"

namespace faketensor {

// Where the loss comes from.
enum class LossKind : uint8_t { kMeanSquare, kOwn, kJoint };

class TrainingStep {
 public:
  // The program must outlive this. Raises UsageError for an unknown module in `checkpoint`, a
  // program without a floating-point output, and as `propagate_retargeted` does.
  TrainingStep(const Program& program, RetargetOptions options, TrainingOptions training);

  const Run& run() const { return answer_.run; }
  const TrainingOptions& options() const { return training_; }
  // All that was brought and freed, what was there before the step first.
  std::span<const MemoryEvent> events() const { return ledger_->events(); }
  SymInt peak() const { return ledger_->peak(); }
  size_t peak_index() const { return ledger_->peak_event(); }  // of an event
  // Bytes alive when the step is over.
  SymInt after() const { return ledger_->live(); }
  // Bytes by kind after an event.
  std::array<SymInt, kMemoryKinds> by_kind(size_t event) const;
  LossKind loss_kind() const { return loss_kind_; }
  // The output that the loss is computed of, or is; kNoRow for a joint graph.
  Row loss_row() const { return loss_row_; }
  // Floating-point parameters that the loss does not reach: they get no gradient and no state.
  std::span<const Row> untrained() const { return untrained_; }
  // Operators whose derivative is not known (Note [Unknown derivatives]), each once.
  const std::vector<std::string>& approximated() const { return approximated_; }

 private:
  class Simulation;
  void find_loss();
  void compute_loss(const Tensor& output);
  std::vector<ModuleId> checkpointed() const;

  TrainingOptions training_;
  std::unique_ptr<AutogradTape> tape_;
  RetargetedRun answer_;
  std::unique_ptr<StorageLedger> ledger_;
  std::vector<std::string> approximated_;
  std::vector<Row> untrained_;
  LossKind loss_kind_ = LossKind::kMeanSquare;
  Row loss_row_ = kNoRow;
  const Tensor* loss_ = nullptr;
};

}  // namespace faketensor
