#include "core/analysis/memory_history.h"

#include <gtest/gtest.h>

#include "layer.h"

namespace faketensor {
namespace {

// A weight of 256 bytes and an x of 128: relu(mm(x, w)).
int64_t of(const MemoryPoint& point, MemoryKind kind) {
  return point.bytes[static_cast<size_t>(kind)];
}

TEST(MemoryHistory, APointIsTheHighestInsideOfANode) {
  const Layer layer;
  const ProgramCosts costs(layer.program, {});
  const MemoryHistory history(costs);
  ASSERT_EQ(history.points().size(), 3u);  // mm, relu, output
  for (const MemoryPoint& point : history.points()) {
    EXPECT_EQ(of(point, MemoryKind::kParameter), 256);
    EXPECT_EQ(of(point, MemoryKind::kInput), 128);
    EXPECT_EQ(point.total(), MemoryTimeline::hint(costs.memory().rows()[point.row].peak));
  }
  EXPECT_EQ(history.peak(), 1u);
  EXPECT_EQ(of(history.points()[1], MemoryKind::kActivation), 128);
  EXPECT_EQ(of(history.points()[1], MemoryKind::kOutput), 128);
  EXPECT_EQ(of(history.points()[2], MemoryKind::kActivation), 0);
}

TEST(MemoryHistory, OfATrainingStepItsPeakIsTheSteps) {
  const Layer layer;
  const TrainingStep step(layer.program, {}, {.optimizer = Optimizer::kAdam});
  const MemoryHistory history(step);
  const MemoryPoint& peak = history.points()[history.peak()];
  EXPECT_EQ(peak.total(), step.peak().as_int());
  const std::array<SymInt, kMemoryKinds> by_kind = step.by_kind(step.peak_index());
  for (size_t i = 0; i < kMemoryKinds; ++i) EXPECT_EQ(peak.bytes[i], by_kind[i].as_int()) << i;
  EXPECT_EQ(history.points().back().phase, TrainingPhase::kEnd);
}

}  // namespace
}  // namespace faketensor
