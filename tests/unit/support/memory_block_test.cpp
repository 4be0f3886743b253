#include "core/support/memory_block.h"

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/support/arena.h"
#include "core/support/stable_vector.h"

namespace faketensor {
namespace {

// Takes blocks of many sizes at once, writes all of each, and gives them back.
void take_many() {
  std::vector<MemoryBlock> blocks;
  std::set<void*> places;
  for (const size_t bytes : {1u, 511u, 512u, 513u, 2560u, 8192u, 65536u, 65537u, 1u << 20}) {
    for (int i = 0; i < 8; ++i) {
      blocks.push_back(take_block(bytes));
      std::memset(blocks.back().get(), i, bytes);
      places.insert(blocks.back().get());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(blocks.back().get()) % kBlockAlignment, 0u);
    }
  }
  EXPECT_EQ(places.size(), blocks.size());
}

TEST(MemoryBlock, NoTwoAreTheSame) {
  for (int i = 0; i < 3; ++i) take_many();
}

#ifndef __EMSCRIPTEN__  // which has no threads here
TEST(MemoryBlock, IsGivenBackByAnotherThreadOrByNone) {
  std::vector<MemoryBlock> blocks;
  std::thread([&] {
    take_many();
    for (int i = 0; i < 100; ++i) blocks.push_back(take_block(4096));
  }).join();
  std::thread([&] { blocks.clear(); }).join();
  take_many();
}
#endif

TEST(MemoryBlock, MoreThanAThreadKeeps) {
  for (int round = 0; round < 2; ++round) {
    std::vector<MemoryBlock> blocks;
    for (int i = 0; i < 100; ++i) blocks.push_back(take_block(65536));
  }
  take_many();
}

struct Numbered {
  uint64_t id = 7;
  uint64_t rest[4] = {};
};

TEST(MemoryBlock, ElementsBeginAnewInMemoryThatWasUsed) {
  for (int round = 0; round < 3; ++round) {
    StableVector<Numbered> numbers;
    Arena arena;
    for (uint64_t i = 0; i < 1000; ++i) {
      Numbered& number = numbers.emplace_back();
      EXPECT_EQ(number.id, 7u);
      EXPECT_EQ(number.rest[3], 0u);
      number = {.id = i, .rest = {~i, ~i, ~i, ~i}};
      const std::span<uint64_t> array = arena.make_array<uint64_t>(5);
      for (uint64_t& each : array) EXPECT_EQ(std::exchange(each, ~i), 0u);
    }
    for (uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(numbers[i].id, i);
  }
}

}  // namespace
}  // namespace faketensor
