#include "core/analysis/allocator_config.h"

#include <gtest/gtest.h>

#include "../formats/expect_error.h"

namespace faketensor {
namespace {

AllocatorConfig with(std::string_view settings) {
  AllocatorConfig config;
  config.apply(settings);
  return config;
}

TEST(AllocatorConfig, SettingsAreKeysAndValuesWithSpaceAnywhere) {
  const AllocatorConfig config = with(" max_split_size_mb : 100 ,expandable_segments:True,");
  EXPECT_EQ(config.max_split_size, 100 * kMiB);
  EXPECT_TRUE(config.expandable_segments);
}

TEST(AllocatorConfig, TheLargeSegmentIsReadFirstAndTheLeastOfTheOthers) {
  EXPECT_EQ(with("large_segment_size_mb:64").max_non_split_rounding, 64 * kMiB);
  expect_error([] { with("max_split_size_mb:50,large_segment_size_mb:64"); },
               ErrorKind::kValueError,
               {"CachingAllocator option max_split_size_mb too small, must be >= 64"});
}

TEST(AllocatorConfig, WhatIsRefusedIsSaidInPyTorchsWords) {
  const auto refuses = [](std::string_view settings, ErrorKind kind, std::string_view message) {
    expect_error([&] { with(settings); }, kind, {message});
  };
  refuses("unknown", ErrorKind::kValueError,
          "Unrecognized key 'unknown' in Accelerator allocator config.");
  refuses("expandable_segments:1", ErrorKind::kValueError,
          "Expected 'True' or 'False' at index 2 in ConfigTokenizer but got '1'");
  refuses("garbage_collection_threshold:1", ErrorKind::kValueError,
          "garbage_collect_threshold is invalid, set it in (0.0, 1.0)");
  refuses("max_split_size_mb:abc", ErrorKind::kRuntimeError, "stoull");
  refuses("per_process_memory_fraction:2", ErrorKind::kValueError,
          "per_process_memory_fraction is invalid, set it in [0.0, 1.0]");
  refuses(
      "max_split_size_mb:", ErrorKind::kRuntimeError,
      "i < config_.size() INTERNAL ASSERT FAILED at \"/pytorch/c10/core/AllocatorConfig.h\":125, "
      "please report a bug to PyTorch. Index out of bounds in ConfigTokenizer");
}

TEST(AllocatorConfig, WhatStandsBeforeAnErrorIsInForce) {
  AllocatorConfig config;
  EXPECT_THROW(config.apply("max_split_size_mb:30,unknown:1"), Error);
  EXPECT_EQ(config.max_split_size, 30 * kMiB);
}

TEST(AllocatorConfig, RequestsAreRoundedTo512OrToPartsOfPowersOfTwo) {
  EXPECT_EQ(with("").rounded(1), 512u);
  EXPECT_EQ(with("").rounded(1025), 1536u);
  EXPECT_EQ(with("roundup_power2_divisions:4").rounded(2050), 2560u);
  EXPECT_EQ(with("roundup_power2_divisions:4").rounded(5'000'000), 5 * kMiB);
  const AllocatorConfig config = with("roundup_power2_divisions:[4:1,8:2,>:16]");
  EXPECT_EQ(config.divisions_of(kMiB), 1u);
  EXPECT_EQ(config.divisions_of(8 * kMiB), 2u);
  EXPECT_EQ(config.divisions_of(1000 * kMiB), 16u);
}

TEST(AllocatorConfig, SegmentsAreOfTwoOrTwentyMebibytesOrMadeToMeasure) {
  EXPECT_EQ(with("").segment_size(512), 2 * kMiB);
  EXPECT_EQ(with("").segment_size(2 * kMiB), 20 * kMiB);
  EXPECT_EQ(with("").segment_size(10 * kMiB + 512), 12 * kMiB);
}

}  // namespace
}  // namespace faketensor
