// What holds of a CachingAllocator after any sequence of requests, under any settings.
#include <random>

#include <gtest/gtest.h>

#include "core/analysis/allocator.h"

namespace faketensor {
namespace {

constexpr std::string_view kSettings[] = {
    "",
    "expandable_segments:True",
    "max_split_size_mb:20",
    "max_split_size_mb:30,expandable_segments:True",
    "garbage_collection_threshold:0.4",
    "garbage_collection_threshold:0.4,expandable_segments:True",
    "large_segment_size_mb:64,roundup_power2_divisions:[4:2,16:4,>:8]",
};

class Sequence {
 public:
  Sequence(std::string_view settings, uint32_t seed)
      : device_(300 * kMiB), allocator_(device_), random_(seed) {
    allocator_.config().apply(settings);
    if (seed % 2 == 1) allocator_.set_memory_fraction(0.8);
  }

  void step() {
    switch (random_() % 16) {
      case 0:
        return allocator_.empty_cache();
      case 1:
        return device_.hold_events(random_() % 2 == 0);
      case 2:
        return switch_expandable();
      case 3:
      case 4:
        if (!held_.empty()) allocator_.record_stream(held_[at()], 64 * (random_() % 4));
        return;
      case 5:
      case 6:
      case 7:
      case 8:
      case 9:
        return free();
      default:
        return malloc();
    }
  }

  void check() {
    const std::vector<SegmentInfo> segments = allocator_.snapshot();
    uint64_t end = 0;
    uint64_t reserved = 0;
    uint64_t allocated = 0;
    uint64_t active = 0;
    for (const SegmentInfo& segment : segments) {
      ASSERT_GE(segment.address, end);
      end = segment.address + segment.total_size;
      reserved += segment.total_size;
      allocated += segment.allocated_size;
      active += segment.active_size;
      check_blocks(segment);
    }
    const AllocatorStats& stats = allocator_.stats();
    ASSERT_EQ(reserved, static_cast<uint64_t>(stats.reserved_bytes.all.current));
    ASSERT_EQ(reserved, device_.total() - device_.free());
    ASSERT_EQ(allocated, static_cast<uint64_t>(stats.allocated_bytes.all.current));
    ASSERT_EQ(active, static_cast<uint64_t>(stats.active_bytes.all.current));
    ASSERT_EQ(held_.size(), static_cast<size_t>(stats.allocation.all.current));
    for (const PoolStatsRow& row : kPoolStats) {
      const PoolStats& pools = stats.*row.stats;
      ASSERT_EQ(pools.all.current, pools.small_pool.current + pools.large_pool.current) << row.name;
      ASSERT_EQ(pools.all.current, pools.all.allocated - pools.all.freed) << row.name;
      ASSERT_GE(pools.small_pool.current, 0) << row.name;
      ASSERT_GE(pools.large_pool.current, 0) << row.name;
    }
  }

  void free_all() {
    while (!held_.empty()) free();
    allocator_.empty_cache();
    check();
    ASSERT_EQ(device_.free(), device_.total());
  }

 private:
  size_t at() { return random_() % held_.size(); }

  void malloc() {
    const uint64_t bytes = 1 + random_() % (uint64_t{1} << random_() % 27);
    const AllocatorResult got = allocator_.malloc(bytes, random_() % 8 == 0 ? 64 : 0);
    ASSERT_NE(got.address == 0, got.out_of_memory.empty());
    if (got.address == 0) return;
    for (const uint64_t other : held_) ASSERT_NE(other, got.address);
    held_.push_back(got.address);
  }

  void free() {
    if (held_.empty()) return;
    const size_t place = at();
    allocator_.free(held_[place]);
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(place));
  }

  void switch_expandable() {
    AllocatorConfig& config = allocator_.config();
    if (random_() % 8 == 0) config.expandable_segments = !config.expandable_segments;
  }

  static void check_blocks(const SegmentInfo& segment) {
    uint64_t size = 0;
    bool before_is_free = false;
    for (const BlockInfo& block : segment.blocks) {
      ASSERT_EQ(block.size % kMinBlock, 0u);
      ASSERT_FALSE(before_is_free && !block.active) << "free neighbours are one block";
      before_is_free = !block.active;
      size += block.size;
    }
    ASSERT_EQ(size, segment.total_size);
  }

  DeviceMemory device_;
  CachingAllocator allocator_;
  std::mt19937 random_;
  std::vector<uint64_t> held_;
};

TEST(CachingAllocatorProperties, BlocksFillTheirSegmentsAndStatisticsCountThem) {
  for (const std::string_view settings : kSettings) {
    for (uint32_t seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE(std::string(settings) + " seed " + std::to_string(seed));
      Sequence sequence(settings, seed);
      for (int i = 0; i < 600 && !testing::Test::HasFatalFailure(); ++i) {
        sequence.step();
        if (i % 8 == 0) sequence.check();
      }
      sequence.free_all();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace faketensor
