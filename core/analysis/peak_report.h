// PeakReport: what is alive at the peak, why, and what would lower it most.
//
// Of a run (MemoryTimeline) or a training step. Shares are by kind, module (its own, and with what is
// below it), dtype and source line. Savings are estimates on the timeline, each for itself: the peak
// with that one change, everything else as it is.
//
//   const PeakReport report(run, memory);
//   for (const AliveStorage& each : report.alive()) ...
//   report.savings()[0].bytes
//
// Note [How the peak could be lower]
//   recompute     a value that nothing reads at the peak is dropped after its last read before it, and
//                 made again for the next. In training: the module is checkpointed, and keeps nothing
//                 of its activations until backward comes to it; at most that much.
//   in place      the node of the peak writes its result over an argument that dies there.
//   earlier use   the last reader of a value needs nothing that is made later: it could run before the
//                 peak, and its result is held instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/memory_timeline.h"
#include "core/analysis/training_step.h"

namespace faketensor {

struct AliveStorage {
  MemoryKind kind = MemoryKind::kActivation;
  Row row = kNoRow;  // whose call, or whose parameter, brought it; kNoRow for the loss
  DType dtype = DType::kFloat32;
  SymInt bytes = 0;
  bool stays = true;  // it is held to the end
  // Else what reads it last, and when; kNoRow where that is no row's doing.
  Row until = kNoRow;
  TrainingPhase until_phase = TrainingPhase::kForward;
};

// A part of what is alive.
struct MemoryShare {
  std::string name;  // of a kind, module, dtype or line
  SymInt own = 0;
  SymInt with_below = 0;  // of modules; else the same
};

enum class SavingKind : uint8_t { kRecompute, kCheckpoint, kInPlace, kEarlierUse };
std::string_view name(SavingKind kind);

struct Saving {
  SavingKind kind = SavingKind::kRecompute;
  Row row = kNoRow;         // the value; of kInPlace the node
  std::string_view module;  // of kCheckpoint
  Row other = kNoRow;       // the argument written over, the reader that could run earlier
  int64_t bytes = 0;        // by which the peak is lower; symbols by their hints
};

class PeakReport {
 public:
  PeakReport(const Run& run, const MemoryTimeline& memory);
  explicit PeakReport(const TrainingStep& step);

  // The most bytes first.
  std::span<const AliveStorage> alive() const { return alive_; }
  // The largest first.
  std::vector<MemoryShare> by_kind() const;
  std::vector<MemoryShare> by_module() const;
  std::vector<MemoryShare> by_dtype() const;
  // Lines of the user's code, of what nodes with one brought.
  std::vector<MemoryShare> by_source() const;
  // At most ten.
  std::span<const Saving> savings() const { return savings_; }

 private:
  void sort_alive();
  std::string_view module_of(const AliveStorage& storage) const;
  void find_savings(const MemoryTimeline& memory);
  void find_checkpoints();
  void keep_largest_savings();

  const Run& run_;
  std::vector<AliveStorage> alive_;
  std::vector<Saving> savings_;
};

}  // namespace faketensor
