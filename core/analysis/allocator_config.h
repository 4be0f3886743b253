// AllocatorConfig: the settings of PyTorch's caching allocator, as PYTORCH_ALLOC_CONF gives them.
//
// "key:value,key:[value,value]". Mirrors c10/core/AllocatorConfig.h and c10/cuda/CUDAAllocatorConfig.h
// of 2.13, with their errors: a setting that is refused leaves those before it in force, as there.
//
//   AllocatorConfig config;
//   config.apply("max_split_size_mb:128,roundup_power2_divisions:[256:1,>:4]");
//   config.rounded(1200);          // 1536: bytes of the block that a request of 1200 takes
//   config.segment_size(3 << 20);  // 20971520: bytes asked of the device for that request
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace faketensor {

inline constexpr uint64_t kMiB = uint64_t{1} << 20;
inline constexpr uint64_t kMinBlock = 512;            // every block is a multiple of it
inline constexpr uint64_t kSmallRequest = kMiB;       // the largest that the small pool serves
inline constexpr uint64_t kSmallSegment = 2 * kMiB;   // what the small pool asks of the device
inline constexpr uint64_t kLargeRequest = 10 * kMiB;  // from here on a segment is made to measure
inline constexpr uint64_t kLargeMultiple = 2 * kMiB;  // ... up to a multiple of this
inline constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();
inline constexpr size_t kRoundupIntervals = 16;  // from 1 MiB to 64 GiB, a power of two each

struct AllocatorConfig {
  uint64_t max_split_size = kUnlimited;         // bytes; larger blocks are never split
  uint64_t large_segment_size = 20 * kMiB;      // bytes
  uint64_t max_non_split_rounding = 20 * kMiB;  // bytes that an unsplit block may be larger
  double garbage_collection_threshold = 0;      // of the memory allowed; 0: no collection
  bool expandable_segments = false;
  double memory_fraction = 1;                              // per_process_memory_fraction
  bool rejects_early = false;                              // throw_on_cudamalloc_oom
  std::array<uint64_t, kRoundupIntervals> divisions = {};  // roundup_power2_divisions
  std::string text;                                        // that was applied last

  // setAllocatorSettings. Raises ValueError, and RuntimeError for text that is no number or ends
  // where a value is due, in PyTorch's words. Settings that concern pinned memory, locks or graph
  // capture are checked and have no effect here.
  void apply(std::string_view settings);

  // Into how many parts the powers of two around `bytes` are divided; 0 and 1: multiples of 512.
  uint64_t divisions_of(uint64_t bytes) const;
  // Bytes of the block for a request of `bytes`.
  uint64_t rounded(uint64_t bytes) const;
  // Bytes asked of the device for a block of `rounded` bytes.
  uint64_t segment_size(uint64_t rounded) const;
};

}  // namespace faketensor
