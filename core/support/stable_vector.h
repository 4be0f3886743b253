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
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace faketensor {

template <typename T>
class StableVector {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  // How many were ever appended: the position of the next.
  size_t size() const { return size_; }
  // Of the blocks that are there.
  size_t capacity() const { return blocks_.size() * kBlock; }

  // Null where there is none, or where its block was freed.
  const T* find(size_t position) const {
    const Block* block = position < size_ ? block_of(position) : nullptr;
    return block == nullptr ? nullptr : &block->elements[position % kBlock];
  }
  // One that is there.
  T& operator[](size_t position) { return const_cast<T&>(*find(position)); }

  T& emplace_back() {
    if (size_ % kBlock == 0) [[unlikely]]
      blocks_.push_back({size_ / kBlock, std::make_unique<T[]>(kBlock), 0});
    return blocks_.back().elements[size_++ % kBlock];
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
    std::unique_ptr<T[]> elements;
    uint64_t kept;
  };

  const Block* block_of(size_t position) const {
    const size_t number = position / kBlock;
    if (number < blocks_.size() && blocks_[number].number == number) return &blocks_[number];
    const auto found = std::lower_bound(blocks_.begin(), blocks_.end(), number,
                                        [](const Block& b, size_t n) { return b.number < n; });
    return found != blocks_.end() && found->number == number ? &*found : nullptr;
  }

  std::vector<Block> blocks_;  // by number
  size_t size_ = 0;
};

}  // namespace faketensor
