// StableVector<T>: a vector whose elements stay where they are while it grows.
//
// Elements live in blocks of a fixed number, so that what points to one stays good, and appending
// costs no copy. They are not destroyed one by one: only trivially destructible types may be in it.
// A long-lived one gives memory back a block at a time: keep() marks what is still used, and
// drop_others() frees the blocks in which nothing is. Positions are never used again.
//
//   StableVector<Tensor> tensors;
//   Tensor& first = tensors.emplace_back();
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/support/memory_block.h"

namespace faketensor {

template <typename T>
class StableVector {
  static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kBlockAlignment);

 public:
  // How many were ever appended: the position of the next.
  size_t size() const { return size_; }
  // Of the blocks that are there.
  size_t capacity() const { return blocks_.size() * kBlock; }

  // Null where there is none, or where its block was freed.
  const T* find(size_t position) const {
    const Block* block = position < size_ ? block_of(position) : nullptr;
    return block == nullptr ? nullptr : elements(*block) + position % kBlock;
  }
  // One that is there.
  T& operator[](size_t position) { return const_cast<T&>(*find(position)); }

  T& emplace_back() {
    if (size_ % kBlock == 0) [[unlikely]]
      add_block();
    return *new (open_ + size_++ % kBlock) T();
  }

  // Until drop_others(): the element of that position is used. False where it was marked before.
  bool keep(size_t position) {
    uint64_t& kept = const_cast<Block*>(block_of(position))->kept;
    const uint64_t bit = uint64_t{1} << position % kBlock;
    return (std::exchange(kept, kept | bit) & bit) == 0;
  }
  bool is_kept(size_t position) const {
    const Block* block = block_of(position);
    return block != nullptr && (block->kept >> position % kBlock & 1) != 0;
  }
  // Frees the blocks without a marked element, and forgets the marks.
  void drop_others() {
    const bool has_open = size_ % kBlock != 0;  // whose rest is still to be filled
    std::erase_if(blocks_, [&](const Block& block) {
      return block.kept == 0 && !(has_open && block.number == size_ / kBlock);
    });
    for (Block& block : blocks_) block.kept = 0;
  }

 private:
  static constexpr size_t kBlock = 64;

  struct Block {
    size_t number;
    MemoryBlock memory;
    uint64_t kept;
  };
  static T* elements(const Block& block) { return static_cast<T*>(block.memory.get()); }

  // Out of line: it is rare, and every maker of an element would hold a copy.
  [[gnu::cold, gnu::noinline]] void add_block() {
    blocks_.push_back({size_ / kBlock, take_block(kBlock * sizeof(T)), 0});
    open_ = elements(blocks_.back());
  }

  const Block* block_of(size_t position) const {
    const size_t number = position / kBlock;
    if (number < blocks_.size() && blocks_[number].number == number) return &blocks_[number];
    const auto found = std::lower_bound(blocks_.begin(), blocks_.end(), number,
                                        [](const Block& b, size_t n) { return b.number < n; });
    return found != blocks_.end() && found->number == number ? &*found : nullptr;
  }

  std::vector<Block> blocks_;  // by number
  T* open_ = nullptr;          // the last block's elements
  size_t size_ = 0;
};

}  // namespace faketensor
