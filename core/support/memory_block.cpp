#include "core/support/memory_block.h"

#include <new>
#include <utility>

#include "core/support/address_sanitizer.h"

// The heap of WebAssembly does not shrink, and a sanitizer is to see what is used after it is freed.
#if defined(__EMSCRIPTEN__) || FAKETENSOR_ADDRESS_SANITIZER
#define FAKETENSOR_KEEPS_BLOCKS 0
#else
#define FAKETENSOR_KEEPS_BLOCKS 1
#endif

namespace faketensor {

#if FAKETENSOR_KEEPS_BLOCKS

namespace {

constexpr size_t kUnit = 512;                  // sizes are multiples of it
constexpr size_t kLargest = 128 * kUnit;       // of those that are kept
constexpr size_t kMostKept = size_t{2} << 20;  // bytes that a thread keeps

constexpr size_t units_of(size_t bytes) { return (bytes + kUnit - 1) / kUnit; }

// The blocks that a thread keeps. It needs no construction, and it can be asked after the thread's
// destructors have run.
struct KeptBlocks {
  struct Kept {
    Kept* next;
  };
  Kept* of_units[kLargest / kUnit + 1];
  size_t bytes;
  bool is_closed;
};
constinit thread_local KeptBlocks kept_blocks{};

// Frees them when the thread ends.
struct KeptUntilThreadEnds {
  ~KeptUntilThreadEnds() {
    kept_blocks.is_closed = true;
    for (KeptBlocks::Kept*& list : kept_blocks.of_units) {
      while (list != nullptr) ::operator delete(std::exchange(list, list->next));
    }
  }
};

}  // namespace

MemoryBlock take_block(size_t bytes) {
  if (bytes > kLargest) return MemoryBlock(::operator new(bytes), {bytes});
  const size_t units = units_of(bytes);
  KeptBlocks& kept = kept_blocks;
  KeptBlocks::Kept*& list = kept.of_units[units];
  if (list == nullptr) return MemoryBlock(::operator new(units* kUnit), {bytes});
  kept.bytes -= units * kUnit;
  return MemoryBlock(std::exchange(list, list->next), {bytes});
}

void BlockRelease::operator()(void* memory) const {
  KeptBlocks& kept = kept_blocks;
  const size_t units = units_of(bytes);
  if (bytes > kLargest || kept.is_closed || kept.bytes + units * kUnit > kMostKept)
    return ::operator delete(memory);
  static thread_local const KeptUntilThreadEnds until_thread_ends;
  kept.of_units[units] = new (memory) KeptBlocks::Kept{kept.of_units[units]};
  kept.bytes += units * kUnit;
}

#else

MemoryBlock take_block(size_t bytes) { return MemoryBlock(::operator new(bytes), {bytes}); }
void BlockRelease::operator()(void* memory) const { ::operator delete(memory); }

#endif

}  // namespace faketensor
