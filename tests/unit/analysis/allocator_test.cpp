#include "core/analysis/allocator.h"

#include <gtest/gtest.h>

namespace faketensor {
namespace {

// An allocator over a device of its own.
struct OnDevice {
  DeviceMemory device;
  CachingAllocator allocator{device};
  explicit OnDevice(std::string_view settings = "", uint64_t total = 1024 * kMiB) : device(total) {
    allocator.config().apply(settings);
  }
  uint64_t malloc(uint64_t bytes, uint64_t stream = 0) {
    const AllocatorResult got = allocator.malloc(bytes, stream);
    EXPECT_EQ(got.out_of_memory, "");
    return got.address;
  }
  uint64_t reserved() const {
    return static_cast<uint64_t>(allocator.stats().reserved_bytes.all.current);
  }
};

TEST(CachingAllocator, SmallRequestsShareASegmentAndLargeOnesHaveTheirs) {
  OnDevice on;
  const uint64_t first = on.malloc(100);
  EXPECT_EQ(on.malloc(1000), first + 512);
  EXPECT_EQ(on.reserved(), 2 * kMiB);
  on.malloc(3 * kMiB);
  EXPECT_EQ(on.reserved(), 22 * kMiB);
  on.malloc(11 * kMiB);  // in what is left of the 20 MiB
  EXPECT_EQ(on.reserved(), 22 * kMiB);
  on.malloc(11 * kMiB);
  EXPECT_EQ(on.reserved(), 34 * kMiB);
}

TEST(CachingAllocator, WhatIsFreedIsKeptAndGivenOutAgainOnItsStream) {
  OnDevice on;
  const uint64_t first = on.malloc(11 * kMiB);
  on.allocator.free(first);
  EXPECT_EQ(on.reserved(), 12 * kMiB);
  EXPECT_NE(on.malloc(11 * kMiB, 64), first);
  EXPECT_EQ(on.malloc(11 * kMiB), first);
  on.allocator.free(first);
  on.allocator.empty_cache();
  EXPECT_EQ(on.reserved(), 12 * kMiB);
}

TEST(CachingAllocator, FreeNeighboursBecomeOneBlock) {
  OnDevice on;
  const uint64_t a = on.malloc(4 * kMiB);
  const uint64_t b = on.malloc(4 * kMiB);
  on.malloc(4 * kMiB);
  on.allocator.free(a);
  on.allocator.free(b);
  EXPECT_EQ(on.malloc(8 * kMiB), a);
  EXPECT_EQ(on.allocator.stats().inactive_split.all.current, 1);
}

TEST(CachingAllocator, ABlockThatAnotherStreamUsesComesBackWhenItsEventIsDone) {
  OnDevice on;
  on.device.hold_events(true);
  const uint64_t a = on.malloc(1000);
  on.allocator.record_stream(a, 64);
  on.allocator.free(a);
  EXPECT_NE(on.malloc(1000), a);
  EXPECT_EQ(on.allocator.stats().active.all.current, 2);
  on.device.hold_events(false);
  EXPECT_EQ(on.malloc(1000), a);
}

TEST(CachingAllocator, BlocksOfTheSplitSizeAreNotSplit) {
  OnDevice on("max_split_size_mb:30");
  const uint64_t large = on.malloc(40 * kMiB);
  on.allocator.free(large);
  EXPECT_NE(on.malloc(12 * kMiB), large);
  EXPECT_EQ(on.malloc(32 * kMiB), large);  // within max_non_split_rounding_mb
  EXPECT_EQ(on.allocator.stats().oversize_allocations.current, 1);
}

TEST(CachingAllocator, ExpandableSegmentsGrowByPagesAndLoseThemWhenTheyAreEmpty) {
  OnDevice on("expandable_segments:True");
  const uint64_t a = on.malloc(15 * kMiB);
  const uint64_t b = on.malloc(30 * kMiB);
  EXPECT_EQ(b, a + 15 * kMiB);
  EXPECT_EQ(on.reserved(), 60 * kMiB);
  on.allocator.free(b);
  on.allocator.empty_cache();
  EXPECT_EQ(on.reserved(), 20 * kMiB);
  on.allocator.free(a);
  on.allocator.empty_cache();
  EXPECT_EQ(on.reserved(), 0u);
  EXPECT_TRUE(on.allocator.snapshot().empty());
}

TEST(CachingAllocator, WhatIsKeptIsGivenBackBeforeMemoryIsOut) {
  OnDevice on("", 80 * kMiB);
  on.allocator.free(on.malloc(50 * kMiB));
  EXPECT_NE(on.malloc(60 * kMiB), 0u);
  EXPECT_EQ(on.allocator.stats().num_device_free, 1);
  const AllocatorResult none = on.allocator.malloc(30 * kMiB);
  EXPECT_TRUE(none.out_of_memory.starts_with(
      "CUDA out of memory. Tried to allocate 30.00 MiB. GPU 0 has a total capacity of 80.00 MiB of "
      "which 20.00 MiB is free. Of the allocated memory 60.00 MiB is allocated by PyTorch"))
      << none.out_of_memory;
  EXPECT_EQ(on.allocator.stats().num_ooms, 1);
}

TEST(CachingAllocator, TheCollectionGivesBackWhatIsOlderThanTheOthers) {
  OnDevice on("garbage_collection_threshold:0.5", 200 * kMiB);
  on.allocator.set_memory_fraction(1);
  on.allocator.free(on.malloc(50 * kMiB));
  const uint64_t young = on.malloc(40 * kMiB, 64);
  on.malloc(60 * kMiB);
  on.allocator.free(young);
  on.malloc(70 * kMiB);  // 150 are reserved, 50 too many: the first block goes
  EXPECT_EQ(on.reserved(), 170 * kMiB);
  EXPECT_EQ(on.malloc(40 * kMiB, 64), young);
}

TEST(CachingAllocator, TheHistoryTellsWhatEveryRequestMade) {
  OnDevice on;
  on.allocator.record_history();
  on.allocator.free(on.allocator.malloc(100, 0, 7).address);
  std::string actions;
  for (const AllocatorEvent& event : on.allocator.history())
    actions += std::string(name(event.action)) + " ";
  EXPECT_EQ(actions, "segment_alloc alloc free_requested free_completed ");
  EXPECT_EQ(on.allocator.history()[1].tag, 7u);
}

}  // namespace
}  // namespace faketensor
