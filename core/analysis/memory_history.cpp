#include "core/analysis/memory_history.h"

#include <algorithm>
#include <numeric>

namespace faketensor {

int64_t MemoryPoint::total() const {
  return std::accumulate(bytes.begin(), bytes.end(), int64_t{0});
}

MemoryHistory::MemoryHistory(const ProgramCosts& costs) {
  const BranchScope env = costs.run().shape_env();
  const MemoryTimeline& memory = costs.memory();
  const size_t inputs = costs.run().program().inputs.size();
  std::vector<std::vector<const StorageLife*>> ending(memory.rows().size());
  std::array<int64_t, kMemoryKinds> alive = {};
  const auto change = [&](const StorageLife& life, int64_t sign) {
    alive[static_cast<size_t>(life.kind)] += sign * MemoryTimeline::hint(life.bytes);
  };
  // Lives are in the order of the rows that begin them; what placeholders hold is there all the time.
  auto next = memory.lives().begin();
  for (; next != memory.lives().end() && next->first < inputs; ++next) change(*next, 1);
  for (Row row = static_cast<Row>(inputs); row < memory.rows().size(); ++row) {
    for (; next != memory.lives().end() && next->first == row; ++next) {
      change(*next, 1);
      if (next->last != kNoRow) ending[next->last].push_back(&*next);
    }
    MemoryPoint& point = points_.emplace_back();
    point.row = row;
    point.bytes = alive;
    const int64_t inside = MemoryTimeline::hint(memory.rows()[row].peak) - point.total();
    point.bytes[static_cast<size_t>(MemoryKind::kTemporary)] += std::max<int64_t>(inside, 0);
    for (const StorageLife* life : ending[row]) change(*life, -1);
  }
}

MemoryHistory::MemoryHistory(const TrainingStep& step) {
  const BranchScope env = step.run().shape_env();
  std::array<int64_t, kMemoryKinds> alive = {};
  const size_t inputs = step.run().program().inputs.size();
  std::vector<MemoryKind> kinds;  // by the storage's id
  for (const MemoryEvent& event : step.events()) {
    const int64_t bytes = MemoryTimeline::hint(event.bytes);
    if (event.storage >= kinds.size()) kinds.resize(event.storage + 1, MemoryKind::kActivation);
    MemoryKind& kind = kinds[event.storage];
    if (event.what != MemoryEvent::What::kBring) alive[static_cast<size_t>(kind)] -= bytes;
    kind = event.kind;
    if (event.what != MemoryEvent::What::kFree) alive[static_cast<size_t>(kind)] += bytes;
    if (event.phase == TrainingPhase::kForward && event.row < inputs) continue;
    const MemoryPoint point{event.row, event.phase, alive};
    const bool is_next =
        points_.empty() || points_.back().row != event.row || points_.back().phase != event.phase;
    if (is_next) {
      points_.push_back(point);
    } else if (point.total() > points_.back().total()) {
      points_.back() = point;
    }
  }
}

size_t MemoryHistory::peak() const {
  size_t highest = 0;
  for (size_t i = 1; i < points_.size(); ++i) {
    if (points_[i].total() > points_[highest].total()) highest = i;
  }
  return highest;
}

}  // namespace faketensor
