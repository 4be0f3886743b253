// MemoryHistory: the bytes alive by kind as time passes, to draw.
//
// A point is the highest inside of a node of the run, or of what a training step does at one node
// in one phase. Placeholders are none: what they hold is there from the first point on. Sizes that
// are symbols are those of the example; what depends on data counts nothing.
//
//   const MemoryHistory history(costs);
//   history.points()[history.peak()].total()
#pragma once

#include <vector>

#include "core/analysis/program_costs.h"
#include "core/analysis/training_step.h"

namespace faketensor {

struct MemoryPoint {
  Row row = kNoRow;  // kNoRow in the loss and the optimizer
  TrainingPhase phase = TrainingPhase::kForward;
  std::array<int64_t, kMemoryKinds> bytes = {};

  int64_t total() const;
};

class MemoryHistory {
 public:
  explicit MemoryHistory(const ProgramCosts& costs);
  explicit MemoryHistory(const TrainingStep& step);

  const std::vector<MemoryPoint>& points() const { return points_; }
  // The first of the highest points; 0 where there is none.
  size_t peak() const;

 private:
  std::vector<MemoryPoint> points_;
};

}  // namespace faketensor
