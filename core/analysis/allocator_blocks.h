// The parts of a caching allocator: blocks, the pools that keep free ones, and segments that grow.
//
// A block is a piece of a segment: one of cudaMalloc, or a range of addresses that gets its memory
// page by page. Blocks of a segment are a list in the order of their addresses, without gaps; two
// free neighbours of the same kind are merged at once. A free block is in its pool: in `free` by
// size where it has memory, in `unmapped` by address where it has none.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "core/analysis/allocator_device.h"
#include "core/analysis/allocator_stats.h"

namespace faketensor {

class BlockPool;
class ExpandableSegment;

struct Block {
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t requested = 0;  // bytes of the last request that it served
  uint64_t stream = 0;
  BlockPool* pool = nullptr;
  ExpandableSegment* segment = nullptr;  // null for a piece of a cudaMalloc
  Block* previous = nullptr;             // neighbours in the segment
  Block* next = nullptr;
  bool allocated = false;
  bool mapped = true;               // has memory
  std::set<uint64_t> used_by = {};  // other streams that use it
  int pending_events = 0;           // of such streams, since it was freed
  int64_t searches_before = 0;      // of the pool, when it came there
  AllocationTag tag = kNoTag;
  AllocationTag segment_tag = kNoTag;  // of the first block of a segment

  bool is_split() const { return previous != nullptr || next != nullptr; }
  // Neither given out nor waiting for a stream.
  bool is_free() const { return !allocated && pending_events == 0 && used_by.empty(); }
  // Puts this between two neighbours, either of which may be missing.
  void link(Block* before, Block* after);
};

struct BySize {
  bool operator()(const Block* a, const Block* b) const;
};
struct ByAddress {
  bool operator()(const Block* a, const Block* b) const;
};

class BlockPool {
 public:
  explicit BlockPool(bool small) : is_small(small) {}

  const bool is_small;
  std::set<Block*, BySize> free;  // by stream, size, address
  std::set<Block*, ByAddress> unmapped;
  int64_t searches = 0;

  void put(Block* block) {
    block->searches_before = searches;
    free.insert(block);
  }
  int64_t age(const Block& block) const { return searches - block.searches_before; }
};

// Owns blocks, whose places are used again.
class BlockStore {
 public:
  Block* make(const Block& block);
  void drop(Block* block) { unused_.push_back(block); }

 private:
  std::deque<Block> blocks_;
  std::vector<Block*> unused_;
};

struct AddressRange {
  uint64_t address = 0;
  uint64_t size = 0;
};

// Addresses for 9/8 of the device's memory, of which pages get memory when it is needed and lose it
// when they are empty: "expandable_segments:True".
class ExpandableSegment {
 public:
  // `page` bytes are the unit in which memory comes and goes.
  ExpandableSegment(DeviceMemory& device, uint64_t page);
  ~ExpandableSegment();
  ExpandableSegment(const ExpandableSegment&) = delete;
  ExpandableSegment& operator=(const ExpandableSegment&) = delete;

  uint64_t address() const { return address_; }
  uint64_t size() const { return pages_ * page_; }
  uint64_t page() const { return page_; }

  // Gives memory to all pages that the range touches and returns these; a range of size 0 where the
  // device has not enough: then nothing changed, and `out_of_memory` was called when no more was left.
  // The range begins with a page.
  AddressRange map(AddressRange range, const std::function<void()>& out_of_memory);
  // Takes the memory of all pages that lie in the range whole and returns these.
  AddressRange unmap(AddressRange range);

 private:
  AddressRange pages(uint64_t begin, uint64_t end) const {
    return {address_ + begin * page_, (end - begin) * page_};
  }

  DeviceMemory& device_;
  uint64_t page_;
  uint64_t pages_;
  uint64_t address_;
  std::vector<bool> has_memory_;  // by page, up to the last that ever had
};

}  // namespace faketensor
