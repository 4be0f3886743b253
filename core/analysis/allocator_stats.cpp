#include "core/analysis/allocator_stats.h"

namespace faketensor {

namespace {

template <typename Apply>
void for_each_stat(AllocatorStats& stats, Apply&& apply) {
  for (const PoolStatsRow& row : kPoolStats) {
    PoolStats& pools = stats.*row.stats;
    apply(pools.all);
    apply(pools.small_pool);
    apply(pools.large_pool);
  }
  apply(stats.oversize_allocations);
  apply(stats.oversize_segments);
}

}  // namespace

void AllocatorStats::reset_peaks() {
  for_each_stat(*this, [](AllocatorStat& stat) { stat.peak = stat.current; });
}

void AllocatorStats::reset_accumulated() {
  for_each_stat(*this, [](AllocatorStat& stat) { stat.allocated = stat.freed = 0; });
  for (const AllocatorCounter& counter : kAllocatorCounters) this->*counter.count = 0;
}

std::string_view name(AllocatorAction action) {
  constexpr std::string_view kNames[] = {"alloc",         "free_requested", "free_completed",
                                         "segment_alloc", "segment_free",   "segment_map",
                                         "segment_unmap", "snapshot",       "oom"};
  return kNames[static_cast<size_t>(action)];
}

}  // namespace faketensor
