#include "core/analysis/allocation_sequence.h"

#include <algorithm>
#include <map>

#include "core/graph/explain.h"
#include "core/support/error.h"

namespace faketensor {

AllocationSequence::AllocationSequence(const ProgramCosts& costs)
    : row_count_(costs.run().plan().size()) {
  const BranchScope env = costs.run().shape_env();
  const MemoryTimeline& memory = costs.memory();
  beginning_.resize(row_count_);
  ending_.resize(row_count_);
  for (const StorageLife& life : memory.lives()) {
    only_cuda_ = only_cuda_ || life.storage->device.type == DeviceType::kCUDA;
    beginning_[life.first].push_back(&life);
    const bool is_held = life.first < costs.run().program().inputs.size();
    if (life.last != kNoRow && !is_held) ending_[life.last].push_back(&life);
  }
  for (Row row = 0; row < row_count_; ++row) add_row(costs, row);
}

void AllocationSequence::bring(const Storage* storage, SymInt bytes, Row row) {
  if (only_cuda_ && storage->device.type != DeviceType::kCUDA) return;
  if (storage->id >= piece_of_.size()) piece_of_.resize(storage->id + 1);
  uint32_t& piece = piece_of_[storage->id];
  if (piece != 0) return;
  const std::optional<int64_t> known = MemoryTimeline::known(bytes);
  if (!known) ++unknown_;
  pieces_.push_back({static_cast<uint64_t>(known.value_or(0)), row});
  piece = static_cast<uint32_t>(pieces_.size());
  steps_.push_back({piece - 1, false, row});
}

void AllocationSequence::drop(const Storage* storage, Row row) {
  if (storage->id >= piece_of_.size() || piece_of_[storage->id] == 0) return;
  steps_.push_back({piece_of_[storage->id] - 1, true, row});
  piece_of_[storage->id] = 0;
}

void AllocationSequence::add_row(const ProgramCosts& costs, Row row) {
  const std::span<const LoggedCall> calls = costs.log().calls(row);
  // Those that no value has, in the order in which they were made: the last call before they die.
  std::map<size_t, std::pair<const Storage*, size_t>> temporaries;
  costs.log().visit_lasts(row, [&](const Storage* storage, size_t call) {
    if (costs.memory().life_of(storage) != nullptr) return;
    auto& [of, last] = temporaries[storage->id];
    of = storage;
    last = std::max(last, call);
  });
  std::vector<std::vector<const Storage*>> dying(calls.size());
  for (const auto& [id, temporary] : temporaries)
    dying[temporary.second].push_back(temporary.first);
  for (size_t i = 0; i < calls.size(); ++i) {
    for (const Storage* storage : calls[i].brought) {
      const StorageLife* life = costs.memory().life_of(storage);
      if (life == nullptr || life->first == row) bring(storage, current(storage->nbytes), row);
    }
    for (const Storage* storage : dying[i]) drop(storage, row);
  }
  for (const StorageLife* life : beginning_[row]) bring(life->storage, life->bytes, row);
  for (const StorageLife* life : ending_[row]) drop(life->storage, row);
}

AllocatorConfig allocator_config(std::string_view settings) {
  if (settings.find("backend:cudaMallocAsync") != std::string_view::npos)
    throw_error(ErrorKind::kUsage,
                "backend:cudaMallocAsync is the allocator of CUDA's driver, which is not modelled");
  AllocatorConfig config;
  config.apply(settings);
  return config;
}

AllocatorReport run_allocator(const AllocationSequence& sequence, std::string_view settings,
                              uint64_t device_bytes, AllocatorRecord* record) {
  DeviceMemory device(device_bytes);
  CachingAllocator allocator(device, allocator_config(settings));
  if (record != nullptr) allocator.record_history();
  AllocatorReport report{.settings = std::string(settings)};
  std::vector<uint64_t> addresses(sequence.pieces().size());
  const auto note_rows_before = [&](Row row) {
    const RowAllocation now{static_cast<uint64_t>(allocator.stats().allocated_bytes.all.current),
                            static_cast<uint64_t>(allocator.stats().reserved_bytes.all.current)};
    report.rows.resize(row, now);
  };
  for (const AllocationSequence::Step& step : sequence.steps()) {
    if (step.row > report.rows.size()) note_rows_before(step.row);
    if (step.is_free) {
      allocator.free(addresses[step.piece]);
      continue;
    }
    AllocatorResult got = allocator.malloc(sequence.pieces()[step.piece].bytes, 0, step.row);
    addresses[step.piece] = got.address;
    if (got.out_of_memory.empty()) continue;
    report.out_of_memory = std::move(got.out_of_memory);
    report.failed_row = step.row;
    break;
  }
  if (report.failed_row == kNoRow) note_rows_before(static_cast<Row>(sequence.row_count()));
  report.stats = allocator.stats();
  report.reserved = static_cast<uint64_t>(report.stats.reserved_bytes.all.peak);
  report.allocated = static_cast<uint64_t>(report.stats.allocated_bytes.all.peak);
  report.requested = static_cast<uint64_t>(report.stats.requested_bytes.all.peak);
  if (record != nullptr) *record = {allocator.snapshot(), allocator.history()};
  return report;
}

}  // namespace faketensor
