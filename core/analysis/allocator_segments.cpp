// How a CachingAllocator asks the device for memory and gives it back.
#include "core/analysis/allocator.h"
#include "core/support/format.h"

namespace faketensor {

void CachingAllocator::warn_no_memory(std::string_view what, std::string_view doing,
                                      uint64_t bytes) {
  warnings_.push_back(
      format("{} failed with OOM on device 0 while trying to {} {} bytes (free: {}, total: {}).",
             what, doing, bytes, device_.free(), device_.total()));
}

Block* CachingAllocator::new_segment(const Request& request, bool is_retry) {
  if (is_retry) ++stats_.num_alloc_retries;
  const uint64_t size = request.segment_size;
  if (allowed_ && reserved_ + size > *allowed_) return nullptr;
  if (config_.expandable_segments) return grow_segment(request);
  const std::optional<uint64_t> address = device_.allocate(size);
  if (!address) {
    warn_no_memory("memory allocation", "allocate", size);
    return nullptr;
  }
  reserved_ += size;
  const bool small = request.pool->is_small;
  stats_.segment.increase(small, 1);
  stats_.reserved_bytes.increase(small, size);
  if (size >= config_.max_split_size) stats_.oversize_segments.increase(1);
  ++stats_.num_device_alloc;
  note(AllocatorAction::kSegmentAlloc, *address, size, request.stream, request.tag);
  return blocks_.make({.address = *address,
                       .size = size,
                       .stream = request.stream,
                       .pool = request.pool,
                       .segment_tag = request.tag});
}

// Where a request fits into free blocks and addresses without memory: the lowest address, else a new
// segment. The first block of what is found.
Block* CachingAllocator::find_growable(const Request& request) {
  BlockPool& pool = *request.pool;
  const auto has_room = [&](const Block* block) {
    uint64_t bytes = 0;
    for (; bytes < request.size && block != nullptr && block->is_free(); block = block->next)
      bytes += block->size;
    return bytes >= request.size;
  };
  Block key{.stream = request.stream};
  for (auto it = pool.unmapped.lower_bound(&key);
       it != pool.unmapped.end() && (*it)->stream == request.stream; ++it) {
    Block* block = *it;
    if (block->previous != nullptr && block->previous->is_free()) block = block->previous;
    if (has_room(block)) return block;
  }
  const uint64_t page = pool.is_small ? kSmallSegment : config_.large_segment_size;
  expandable_.push_back(std::make_unique<ExpandableSegment>(device_, page));
  ExpandableSegment* segment = expandable_.back().get();
  Block* block = blocks_.make({.address = segment->address(),
                               .size = segment->size(),
                               .stream = request.stream,
                               .pool = &pool,
                               .segment = segment,
                               .mapped = false});
  pool.unmapped.insert(block);
  return block;
}

Block* CachingAllocator::grow_segment(const Request& request) {
  Block* block = find_growable(request);
  if (!block->mapped && !map_block(block, std::min(block->size, request.size), request.tag))
    return nullptr;
  while (block->size < request.size) {
    Block* next = block->next;  // without memory: mapped, it takes the block before it in
    if (!map_block(next, std::min(request.size - block->size, next->size), request.tag))
      return nullptr;
    block = next;
  }
  request.pool->free.erase(block);
  return block;
}

// Gives memory to the first `size` bytes of a block that has none; false where the device has not
// enough.
bool CachingAllocator::map_block(Block* block, uint64_t size, AllocationTag tag) {
  BlockPool& pool = *block->pool;
  const AddressRange range = block->segment->map({block->address, size}, [&] {
    warn_no_memory("expandable_segments: memory mapping", "map", block->segment->page());
  });
  if (range.size == 0) return false;
  pool.unmapped.erase(block);
  block->mapped = true;
  if (range.size < block->size) {
    Block* rest = blocks_.make({.address = block->address + range.size,
                                .size = block->size - range.size,
                                .stream = block->stream,
                                .pool = &pool,
                                .segment = block->segment,
                                .mapped = false});
    rest->link(block, block->next);
    pool.unmapped.insert(rest);
    block->size = range.size;
  }
  merge(block, block->previous);
  merge(block, block->next);
  pool.put(block);
  reserved_ += range.size;
  stats_.reserved_bytes.increase(pool.is_small, range.size);
  ++stats_.num_device_alloc;
  note(AllocatorAction::kSegmentMap, range.address, range.size, block->stream, tag);
  if (block->previous == nullptr && block->segment_tag == kNoTag) block->segment_tag = tag;
  return true;
}

// Takes the memory of the pages that a free block has to itself; what it has of others stays free.
void CachingAllocator::unmap_block(Block* block) {
  BlockPool& pool = *block->pool;
  const AddressRange range = block->segment->unmap({block->address, block->size});
  if (range.size == 0) return;
  pool.free.erase(block);
  const auto keep = [&](uint64_t address, uint64_t size, Block* before, Block* after) {
    if (size == 0) return;
    Block* kept = blocks_.make({.address = address,
                                .size = size,
                                .stream = block->stream,
                                .pool = &pool,
                                .segment = block->segment});
    kept->link(before, after);
    pool.put(kept);
  };
  const uint64_t before = range.address - block->address;
  const uint64_t after = block->size - before - range.size;
  keep(block->address, before, block->previous, block);
  keep(range.address + range.size, after, block, block->next);
  block->address = range.address;
  block->size = range.size;
  block->mapped = false;
  merge(block, block->previous);
  merge(block, block->next);
  pool.unmapped.insert(block);
  reserved_ -= range.size;
  stats_.reserved_bytes.decrease(pool.is_small, range.size);
  ++stats_.num_device_free;
  note(AllocatorAction::kSegmentUnmap, range.address, range.size, block->stream,
       block->segment_tag);
}

// Gives a free block that is a whole cudaMalloc back.
void CachingAllocator::release_segment(Block* block) {
  BlockPool& pool = *block->pool;
  ++stats_.num_device_free;
  note(AllocatorAction::kSegmentFree, block->address, block->size, block->stream,
       block->segment_tag);
  device_.release(block->size);
  reserved_ -= block->size;
  stats_.segment.decrease(pool.is_small, 1);
  stats_.reserved_bytes.decrease(pool.is_small, block->size);
  if (block->size >= config_.max_split_size) stats_.oversize_segments.decrease(1);
  pool.free.erase(block);
  blocks_.drop(block);
}

// Where blocks above some size are not split: one of these that is as large as the request, or so
// many of the largest that they are together. Whether that was enough.
bool CachingAllocator::release_oversize(const Request& request) {
  if (config_.max_split_size == kUnlimited) return false;
  BlockPool& pool = *request.pool;
  const uint64_t wanted = std::max(request.size, config_.max_split_size);
  Block key{.size = wanted, .stream = request.stream};
  auto it = pool.free.lower_bound(&key);
  if (it != pool.free.end() && (*it)->stream == request.stream && (*it)->segment == nullptr) {
    release_segment(*it);
    return true;
  }
  uint64_t released = 0;
  while (released < wanted && it != pool.free.begin()) {
    Block* block = *--it;
    if (block->size < config_.max_split_size || block->stream != request.stream) break;
    if (block->segment != nullptr) continue;
    ++it;  // stays where it is when the block goes
    released += block->size;
    release_segment(block);
  }
  return released >= wanted;
}

void CachingAllocator::empty_cache() { release_cached(); }

// Gives all that is kept and free back.
void CachingAllocator::release_cached() {
  take_back_all();
  release_free(large_);
  release_free(small_);
}

void CachingAllocator::release_free(BlockPool& pool) {
  std::vector<Block*> expandable;  // unmapping changes the pool
  for (auto it = pool.free.begin(); it != pool.free.end();) {
    Block* block = *it++;
    if (block->segment != nullptr) {
      expandable.push_back(block);
    } else if (!block->is_split()) {
      release_segment(block);
    }
  }
  for (Block* block : expandable) {
    unmap_block(block);
    if (block->is_split() || block->mapped) continue;
    pool.unmapped.erase(block);
    std::erase_if(expandable_,
                  [&](const auto& segment) { return segment.get() == block->segment; });
    blocks_.drop(block);
  }
}

// Gives back what was not used for longest, until what is reserved is below the threshold; more at
// once than is needed, so that it does not have to be done often.
void CachingAllocator::collect_garbage() {
  const auto threshold =
      static_cast<uint64_t>(config_.garbage_collection_threshold * static_cast<double>(*allowed_));
  if (reserved_ <= threshold) return;
  const uint64_t target = reserved_ - threshold;
  std::vector<Block*> whole;
  int64_t total_age = 0;
  for (Block* block : large_.free) {
    if (block->is_split() || block->segment != nullptr) continue;
    whole.push_back(block);
    total_age += large_.age(*block);
  }
  uint64_t released = 0;
  for (bool goes_on = true; goes_on && released < target && !whole.empty();) {
    const double average = static_cast<double>(total_age) / static_cast<double>(whole.size());
    goes_on = false;
    std::vector<Block*> younger;
    for (Block* block : whole) {
      if (static_cast<double>(large_.age(*block)) < average) {
        younger.push_back(block);
        continue;
      }
      goes_on = true;
      released += block->size;
      total_age -= large_.age(*block);
      release_segment(block);
    }
    whole = std::move(younger);
  }
}

}  // namespace faketensor
