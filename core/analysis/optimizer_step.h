// OptimizerStep: the states that torch.optim keeps, and what a step of it makes on its way.
//
//   sgd       nothing
//   momentum  a buffer like each parameter (SGD(momentum=0.9))
//   adam      two averages like each parameter and a step of four bytes; Adam(foreach=True) makes a
//             root of all parameters of a dtype and device at once
//   adamw     the same states; AdamW(foreach=False) goes parameter by parameter, where the
//             denominator of the one before lives until that of the next is made
// With master weights the optimizer has float32 copies of parameters below float32, and at the step
// float32 copies of their gradients, all at once; its states are like those.
#pragma once

#include <vector>

#include "core/analysis/grad_graph.h"
#include "core/analysis/training_options.h"

namespace faketensor {

class OptimizerStep {
 public:
  OptimizerStep(const TrainingOptions& training, HeldCalls& calls)
      : training_(training), calls_(calls) {}

  // Holds what the optimizer has of a parameter after its first step.
  void add_state(const Tensor& parameter);
  // A step for the parameters that have a gradient.
  void run(std::span<GradNode* const> leaves);

 private:
  // A new storage of so many elements as the parameter has, in the dtype of its states.
  HeldTensor like(const Tensor& parameter);
  HeldTensor bytes(const Tensor& parameter, SymInt count);
  bool has_master(const Tensor& parameter) const;
  void adam_at_once(std::span<GradNode* const> leaves);
  void adam_one_by_one(std::span<GradNode* const> leaves);

  const TrainingOptions& training_;
  HeldCalls& calls_;
  std::vector<HeldTensor> states_;
};

}  // namespace faketensor
