// AllocationSequence: the requests that a program makes of an allocator while it runs node by node.
//
// Placeholders are there first, in their order. Then a node's operators bring their storages one after
// the other; what a composite operator brings on its way goes when it was read last, a value when the
// node that uses it last has run. What the program returns stays. All storages go to one GPU: those on
// CUDA where there are any, else all, as if the program had been moved there.
//
//   const AllocationSequence sequence(costs);
//   const AllocatorReport report = run_allocator(sequence, "expandable_segments:True");
//   report.reserved   // bytes
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/allocator.h"
#include "core/analysis/program_costs.h"

namespace faketensor {

class AllocationSequence {
 public:
  struct Piece {
    uint64_t bytes = 0;
    Row row = kNoRow;  // that brings it
  };
  struct Step {
    uint32_t piece = 0;  // place in pieces()
    bool is_free = false;
    Row row = kNoRow;  // during which it happens
  };

  // Sizes that depend on symbols are those of the example; what depends on data is not asked for.
  explicit AllocationSequence(const ProgramCosts& costs);

  const std::vector<Piece>& pieces() const { return pieces_; }
  // In order; a piece is not freed where it stays to the end.
  const std::vector<Step>& steps() const { return steps_; }
  // How many storages are left out, since their size is data.
  size_t unknown() const { return unknown_; }
  // Of the program: as many as its rows.
  size_t row_count() const { return row_count_; }

 private:
  void add_row(const ProgramCosts& costs, Row row);
  void bring(const Storage* storage, SymInt bytes, Row row);
  void drop(const Storage* storage, Row row);

  std::vector<Piece> pieces_;
  std::vector<Step> steps_;
  std::vector<uint32_t> piece_of_;  // + 1, by the storage's id
  std::vector<std::vector<const StorageLife*>> beginning_;
  std::vector<std::vector<const StorageLife*>> ending_;
  bool only_cuda_ = false;
  size_t unknown_ = 0;
  size_t row_count_ = 0;
};

// What the allocator holds when a row has run: bytes.
struct RowAllocation {
  uint64_t allocated = 0;
  uint64_t reserved = 0;
};

struct AllocatorReport {
  std::string settings;    // "" are PyTorch's own
  uint64_t reserved = 0;   // the most that was asked of the device: bytes
  uint64_t allocated = 0;  // the most in blocks that are in use
  uint64_t requested = 0;  // the most before rounding
  AllocatorStats stats = {};
  std::vector<RowAllocation> rows = {};  // up to the one that failed
  // Where the device had not enough: PyTorch's words, and the row.
  std::string out_of_memory = {};
  Row failed_row = kNoRow;

  // Of what is reserved at most, the part that is never in use.
  double unused() const {
    return reserved == 0 ? 0 : 1 - static_cast<double>(allocated) / static_cast<double>(reserved);
  }
};

// A device that has more memory than any program asks for.
inline constexpr uint64_t kEndlessDevice = uint64_t{1} << 50;
// What the process itself takes of a GPU, beside the allocator: the context with its kernels. It differs
// by GPU and libraries; on those of 2020 and later it is 300 to 600 MiB, and this is what is assumed.
inline constexpr uint64_t kContextBytes = 500 * kMiB;

// What a snapshot shows: the segments when the program has run, and all that happened, with rows as
// tags.
struct AllocatorRecord {
  std::vector<SegmentInfo> segments;
  std::vector<AllocatorEvent> history;
};

// The configuration of settings. Raises ValueError or RuntimeError for what PyTorch refuses, in its
// words, and UsageError for another allocator than its own ("backend:cudaMallocAsync").
AllocatorConfig allocator_config(std::string_view settings);

// Raises as that does. Fills `record` where it is given.
AllocatorReport run_allocator(const AllocationSequence& sequence, std::string_view settings,
                              uint64_t device_bytes = kEndlessDevice,
                              AllocatorRecord* record = nullptr);

// Settings that are worth comparing: PyTorch's own first.
inline constexpr std::string_view kComparedSettings[] = {
    "",
    "expandable_segments:True",
    "max_split_size_mb:128",
    "roundup_power2_divisions:4",
    "large_segment_size_mb:64",
};

}  // namespace faketensor
