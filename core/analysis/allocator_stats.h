// AllocatorStats: what torch.cuda.memory_stats() counts, and the history that a snapshot shows.
//
// Mirrors DeviceStats, SegmentInfo and TraceEntry of c10/core/CachingDeviceAllocator.h. Bytes
// throughout, except where a member's comment says that it counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace faketensor {

struct AllocatorStat {
  int64_t current = 0;
  int64_t peak = 0;
  int64_t allocated = 0;  // all that was ever added
  int64_t freed = 0;      // all that was ever taken away

  void increase(uint64_t amount) {
    current += static_cast<int64_t>(amount);
    allocated += static_cast<int64_t>(amount);
    peak = std::max(peak, current);
  }
  void decrease(uint64_t amount) {
    current -= static_cast<int64_t>(amount);
    freed += static_cast<int64_t>(amount);
  }
  // By a net change of either sign.
  void change(int64_t amount) {
    if (amount > 0) increase(static_cast<uint64_t>(amount));
    if (amount < 0) decrease(static_cast<uint64_t>(-amount));
  }
};

// One statistic of each pool and of both together.
struct PoolStats {
  AllocatorStat all, small_pool, large_pool;

  AllocatorStat& of(bool is_small) { return is_small ? small_pool : large_pool; }
  void increase(bool is_small, uint64_t amount) {
    all.increase(amount);
    of(is_small).increase(amount);
  }
  void decrease(bool is_small, uint64_t amount) {
    all.decrease(amount);
    of(is_small).decrease(amount);
  }
  void change(bool is_small, int64_t amount) {
    all.change(amount);
    of(is_small).change(amount);
  }
};

struct AllocatorStats {
  PoolStats allocation;      // count: requests that are alive
  PoolStats segment;         // count: of cudaMalloc; expandable ones are not counted
  PoolStats active;          // count: blocks allocated, or waiting for a stream
  PoolStats inactive_split;  // count: free parts of segments that are used otherwise
  PoolStats allocated_bytes;
  PoolStats reserved_bytes;  // of the device
  PoolStats active_bytes;
  PoolStats inactive_split_bytes;
  PoolStats requested_bytes;           // before rounding, of active blocks
  int64_t num_alloc_retries = 0;       // count: after the cache was emptied
  int64_t num_ooms = 0;                // count
  int64_t num_sync_all_streams = 0;    // count
  int64_t num_device_alloc = 0;        // count: cudaMalloc, and mappings of expandable segments
  int64_t num_device_free = 0;         // count
  int64_t num_oom_rejections = 0;      // count: by throw_on_cudamalloc_oom
  AllocatorStat oversize_allocations;  // count: blocks of at least max_split_size
  AllocatorStat oversize_segments;     // count
  int64_t max_split_size = -1;         // when the allocator was made; -1 is unlimited

  void reset_peaks();
  // Of what was ever added and taken away, and of events.
  void reset_accumulated();
};

// The statistics by pool, in PyTorch's order.
struct PoolStatsRow {
  std::string_view name;
  PoolStats AllocatorStats::*stats;
};
inline constexpr PoolStatsRow kPoolStats[] = {
    {"allocation", &AllocatorStats::allocation},
    {"segment", &AllocatorStats::segment},
    {"active", &AllocatorStats::active},
    {"inactive_split", &AllocatorStats::inactive_split},
    {"allocated_bytes", &AllocatorStats::allocated_bytes},
    {"reserved_bytes", &AllocatorStats::reserved_bytes},
    {"active_bytes", &AllocatorStats::active_bytes},
    {"inactive_split_bytes", &AllocatorStats::inactive_split_bytes},
    {"requested_bytes", &AllocatorStats::requested_bytes},
};

struct AllocatorCounter {
  std::string_view name;
  int64_t AllocatorStats::*count;
};
inline constexpr AllocatorCounter kAllocatorCounters[] = {
    {"num_alloc_retries", &AllocatorStats::num_alloc_retries},
    {"num_ooms", &AllocatorStats::num_ooms},
    {"num_sync_all_streams", &AllocatorStats::num_sync_all_streams},
    {"num_device_alloc", &AllocatorStats::num_device_alloc},
    {"num_device_free", &AllocatorStats::num_device_free},
    {"num_oom_rejections", &AllocatorStats::num_oom_rejections},
};

// What an allocation is for, as its caller says: a row of a program.
using AllocationTag = uint32_t;
inline constexpr AllocationTag kNoTag = std::numeric_limits<AllocationTag>::max();

struct BlockInfo {
  uint64_t size = 0;
  uint64_t requested = 0;  // of its last request
  bool allocated = false;
  bool active = false;  // allocated, or waiting for a stream that uses it
  AllocationTag tag = kNoTag;
};

// Memory of the device that is one piece: of one cudaMalloc, or pages that follow each other.
struct SegmentInfo {
  uint64_t address = 0;
  uint64_t total_size = 0;
  uint64_t requested_size = 0;  // of active blocks
  uint64_t allocated_size = 0;
  uint64_t active_size = 0;
  uint64_t stream = 0;
  bool is_large = false;
  bool is_expandable = false;
  AllocationTag tag = kNoTag;  // of the request for which it was asked of the device
  std::vector<BlockInfo> blocks = {};
};

enum class AllocatorAction : uint8_t {
  kAlloc,
  kFreeRequested,
  kFreeCompleted,
  kSegmentAlloc,
  kSegmentFree,
  kSegmentMap,
  kSegmentUnmap,
  kSnapshot,
  kOutOfMemory,
};
// "alloc", "free_requested", ...
std::string_view name(AllocatorAction action);

struct AllocatorEvent {
  AllocatorAction action;
  uint64_t address = 0;  // of kOutOfMemory: bytes that the device has free
  uint64_t size = 0;
  uint64_t stream = 0;
  AllocationTag tag = kNoTag;
};

}  // namespace faketensor
