#include "core/support/arena.h"

namespace faketensor {

void Arena::grow(size_t bytes) {
  size_t block = total_ < kFirstBlock     ? kFirstBlock
                 : total_ < kLargestBlock ? total_
                                          : kLargestBlock;
  if (block < bytes) block = bytes;
  blocks_.emplace_back(new Chunk[block / kAlignment + 1]);  // make_unique would zero it
  next_ = reinterpret_cast<std::byte*>(blocks_.back().get());
  left_ = block;
  total_ += block;
}

}  // namespace faketensor
