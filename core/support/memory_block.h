// MemoryBlock: memory that arenas and stable vectors are made of.
//
// Note [Memory between contexts]
// A context takes some hundred kilobytes, gives all of it back when it ends, and the next one takes
// as much again. The C library gives the end of its heap back to the system each time, and each page
// of it is then brought in and zeroed anew, which costs as much as the calls do. So a thread keeps
// the small blocks that it gives back, up to a bound, for whoever asks next. Nothing of what was in
// them is read again.
#pragma once

#include <cstddef>
#include <memory>

namespace faketensor {

// Of every block. It is what malloc gives in WebAssembly, and no type of ours asks for more.
inline constexpr size_t kBlockAlignment = 8;

struct BlockRelease {
  size_t bytes = 0;
  void operator()(void* memory) const;
};
using MemoryBlock = std::unique_ptr<void, BlockRelease>;
// Aligned to kBlockAlignment, not initialised.
MemoryBlock take_block(size_t bytes);

}  // namespace faketensor
