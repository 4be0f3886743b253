// Whether a program fits a device, and up to which size of one dimension.
//
//   PeakBySize peaks(program, options, "batch");
//   peaks.at(64)->bytes
//   peaks.largest(hardware.usable(), {})     // {.size = 23, .stop = Largest::Stop::kMemory}
//
// Every peak is that of the program propagated at that size, so what is answered has been checked.
// Memory is nearly linear in a size, so a line through two peaks guesses the next size to try: four
// or five propagations answer for a device. With settings of the caching allocator a size fits where
// the allocator, given so many bytes, comes to the end without OutOfMemoryError. With a training step
// each peak is that of the step at that size (TrainingStep), worked out anew.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/analysis/allocation_sequence.h"
#include "core/analysis/training_step.h"

namespace faketensor {

// Sizes that are looked at.
struct SizeRange {
  static constexpr int64_t kMost = int64_t{1} << 24;
  int64_t lower = 1;
  int64_t upper = kMost;
};

struct Largest {
  enum class Stop : uint8_t {
    kMemory,   // the next size does not fit
    kProgram,  // the next size is one that the program does not take
    kRange,    // it is the upper end of the range
  };
  int64_t size = 0;  // 0: none fits
  Stop stop = Stop::kMemory;
};
std::string_view name(Largest::Stop stop);  // "memory", "program", "range"

// What is run, and what counts. A training step is counted by its storages: with one, no allocator is
// asked.
struct FitBasis {
  // Settings as run_allocator takes them; none: what counts are storages.
  std::optional<std::string> allocator = {};
  std::optional<TrainingOptions> training = {};
};

class PeakBySize {
 public:
  struct Peak {
    int64_t bytes = 0;                        // of storages, as MemoryTimeline has them
    Row row = kNoRow;                         // kNoRow in the loss and the optimizer
    std::optional<TrainingPhase> phase = {};  // of a training step
  };

  // `dim` as in PropagateOptions::dims, empty for none. The program must outlive this. Raises
  // UsageError for a dimension that there is not, and as TrainingStep does.
  PeakBySize(const Program& program, RetargetOptions options, std::string dim, FitBasis basis = {});

  // Of the options as they were given; none where the program has errors then.
  std::optional<Peak> given() const { return given_.peak; }
  // What the caching allocator reserves of so many bytes then; none where they are not enough, or
  // where none was asked for.
  std::optional<int64_t> reserved(int64_t bytes) const { return reserved(given_, bytes); }
  // Whether the program fits into so many bytes then.
  bool fits(int64_t bytes) const { return fits(given_, bytes); }
  // The size that the dimension has then; 0 where it is none of an input.
  int64_t given_size() const { return given_size_; }
  // None where the program has errors at that size. Each size is propagated once.
  std::optional<Peak> at(int64_t size) { return known(size).peak; }
  // The largest size of the range whose peak is at most `bytes`: all sizes below fit, those that the
  // program takes.
  Largest largest(int64_t bytes, SizeRange range);

 private:
  struct Known {
    std::optional<Peak> peak = {};
    std::shared_ptr<const AllocationSequence> sequence = {};  // where the allocator is asked
  };
  struct Bracket;
  // Of the program under options, propagated to `costs`.
  Known learn(const ProgramCosts& costs, const RetargetOptions& options) const;
  const Known& known(int64_t size);
  std::optional<int64_t> reserved(const Known& known, int64_t bytes) const;
  bool fits(const Known& known, int64_t bytes) const;
  bool fits_at(int64_t size, int64_t bytes) { return fits(known(size), bytes); }
  int64_t guess(const Bracket& bracket, int64_t bytes);

  const Program& program_;
  RetargetOptions options_;
  std::string dim_;
  FitBasis basis_;
  Known given_;
  int64_t given_size_ = 0;
  std::map<int64_t, Known> known_;
};

}  // namespace faketensor
