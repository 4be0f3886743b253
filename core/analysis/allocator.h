// CachingAllocator: what PyTorch's CUDACachingAllocator makes of a sequence of requests.
//
// Requests up to 1 MiB come from segments of 2 MiB, larger ones from segments of their own or of
// 20 MiB; what is freed is kept and given out again on the same stream, the smallest block that fits
// first, the rest of it split off. Mirrors c10/cuda/CUDACachingAllocator.cpp of 2.13 with all its
// settings (allocator_config.h), over a device that only hands out addresses (allocator_device.h). Pools
// of CUDA graphs and sharing between processes are not modelled.
//
//   DeviceMemory device(80 * 1024 * kMiB);
//   CachingAllocator allocator(device);
//   const AllocatorResult got = allocator.malloc(3'000'000);
//   allocator.free(got.address);
//   allocator.stats().reserved_bytes.all.peak   // 20971520
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/analysis/allocator_blocks.h"
#include "core/analysis/allocator_config.h"
#include "core/analysis/allocator_stats.h"

namespace faketensor {

struct AllocatorResult {
  uint64_t address = 0;  // 0 for a request of no bytes
  std::string out_of_memory =
      {};  // PyTorch's text of OutOfMemoryError, empty where there was enough
};

class CachingAllocator {
 public:
  // The device must outlive this.
  explicit CachingAllocator(DeviceMemory& device, AllocatorConfig config = {});

  // May be changed at any time: what is there stays as it is.
  AllocatorConfig& config() { return config_; }

  AllocatorResult malloc(uint64_t bytes, uint64_t stream = 0, AllocationTag tag = kNoTag);
  // Of an address that `malloc` gave and that was not freed; 0 is no request.
  void free(uint64_t address);
  // The block is not given out again before what `stream` does with it until its free is done.
  void record_stream(uint64_t address, uint64_t stream);
  void empty_cache();
  // set_per_process_memory_fraction, of the device's memory. Raises RuntimeError outside of [0, 1].
  void set_memory_fraction(double fraction);

  const AllocatorStats& stats() const { return stats_; }
  AllocatorStats& stats() { return stats_; }
  // The largest free block; at least what the device has free.
  uint64_t largest_free() const;
  // All segments by address; noted in the history.
  std::vector<SegmentInfo> snapshot();
  // What happens from now on is kept.
  void record_history() { records_ = true; }
  const std::vector<AllocatorEvent>& history() const { return history_; }
  // What PyTorch would have logged.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Request {
    uint64_t bytes = 0;  // as asked
    uint64_t size = 0;   // rounded
    uint64_t segment_size = 0;
    uint64_t stream = 0;
    BlockPool* pool = nullptr;
    AllocationTag tag = kNoTag;
  };

  // allocator.cpp: giving out and taking back.
  Block* find_free(const Request& request);
  Block* new_block(const Request& request);
  bool is_rejected_early(const Request& request);
  std::string out_of_memory(const Request& request);
  bool should_split(const Block& block, uint64_t size) const;
  Block* split(Block* block, uint64_t size);
  void give_out(Block* block, const Request& request);
  void take_back(Block* block);
  uint64_t merge(Block* block, Block* neighbour);
  void count_oversize(const Block& block, AllocatorStat& stat, bool more);

  // allocator_segments.cpp: asking the device and giving back to it.
  Block* new_segment(const Request& request, bool is_retry);
  Block* grow_segment(const Request& request);
  Block* find_growable(const Request& request);
  bool map_block(Block* block, uint64_t size, AllocationTag tag);
  void unmap_block(Block* block);
  void release_segment(Block* block);
  bool release_oversize(const Request& request);
  void release_cached();
  void release_free(BlockPool& pool);
  void collect_garbage();
  void warn_no_memory(std::string_view what, std::string_view doing, uint64_t bytes);

  // allocator_streams.cpp: blocks that other streams use.
  // In the order of their events.
  struct StreamQueue {
    uint64_t stream = 0;
    std::deque<Block*> blocks = {};
  };
  std::deque<Block*>& queue_of(uint64_t stream);
  void wait_for_streams(Block* block);
  void take_back_done();
  void take_back_all();

  void note(AllocatorAction action, uint64_t address, uint64_t size, uint64_t stream,
            AllocationTag tag = kNoTag);
  BlockPool& pool_for(uint64_t size) { return size <= kSmallRequest ? small_ : large_; }

  DeviceMemory& device_;
  AllocatorConfig config_;
  BlockStore blocks_;
  BlockPool small_{true};
  BlockPool large_{false};
  std::vector<std::unique_ptr<ExpandableSegment>> expandable_;
  std::unordered_map<uint64_t, Block*> given_out_;  // by address
  std::set<Block*, ByAddress> active_;              // given out, or waiting for a stream
  std::vector<StreamQueue> waiting_;                // in PyTorch's order of streams
  int stream_slots_ = 4;                            // of its table of them
  uint64_t reserved_ = 0;                           // bytes of the device
  std::optional<uint64_t> allowed_;                 // by set_memory_fraction
  AllocatorStats stats_;
  bool records_ = false;
  std::vector<AllocatorEvent> history_;
  std::vector<std::string> warnings_;
};

// "58.00 MiB", "0 bytes": a size as PyTorch's allocator writes it.
std::string allocator_size_text(uint64_t bytes);

}  // namespace faketensor
