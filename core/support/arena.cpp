#include "core/support/arena.h"

namespace faketensor {

void Arena::grow(size_t bytes) {
  size_t block = total_ < kFirstBlock     ? kFirstBlock
                 : total_ < kLargestBlock ? total_
                                          : kLargestBlock;
  if (block < bytes) block = bytes;
  blocks_.push_back(take_block(block));
  next_ = static_cast<std::byte*>(blocks_.back().get());
  left_ = block;
  total_ += block;
}

}  // namespace faketensor
