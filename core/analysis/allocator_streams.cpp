// Blocks of a CachingAllocator that other streams use, and what is seen of all blocks.
#include <bit>
#include <map>
#include <utility>

#include "core/analysis/allocator.h"

namespace faketensor {

void CachingAllocator::record_stream(uint64_t address, uint64_t stream) {
  const auto found = given_out_.find(address);
  if (found == given_out_.end() || found->second->stream == stream) return;
  found->second->used_by.insert(stream);
}

namespace {

// Where a stream of the first CUDA device stands in PyTorch's table of them, which multiplies its hash
// by 2^64 over the golden ratio and takes the highest bits.
uint64_t slot_of(uint64_t stream, int slots) {
  constexpr uint64_t kCuda = uint64_t{1} << 56;  // the type of the device, in a stream's hash
  return (kCuda | stream) * 11400714819323198485u >> (65 - std::bit_width(unsigned(slots)));
}

}  // namespace

// Streams are visited as they stand in PyTorch's table, which is seen where blocks of several streams
// come back at once. It doubles when it would be more than half full, and never shrinks.
std::deque<Block*>& CachingAllocator::queue_of(uint64_t stream) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const StreamQueue& queue) { return queue.stream == stream; });
  if (found != waiting_.end()) return found->blocks;
  waiting_.push_back({.stream = stream});
  if (2 * waiting_.size() > static_cast<size_t>(stream_slots_)) stream_slots_ *= 2;
  std::stable_sort(waiting_.begin(), waiting_.end(), [&](const auto& a, const auto& b) {
    return slot_of(a.stream, stream_slots_) < slot_of(b.stream, stream_slots_);
  });
  return queue_of(stream);
}

// A freed block stays active until each stream that uses it has come to an event of now.
void CachingAllocator::wait_for_streams(Block* block) {
  for (const uint64_t stream : block->used_by) {
    device_.record_event();
    ++block->pending_events;
    queue_of(stream).push_back(block);
  }
  block->used_by.clear();
}

void CachingAllocator::take_back_done() {
  if (!device_.events_are_done()) return;
  for (const auto& [stream, blocks] : std::exchange(waiting_, {})) {
    for (Block* block : blocks) {
      if (--block->pending_events == 0) take_back(block);
    }
  }
}

void CachingAllocator::take_back_all() {
  ++stats_.num_sync_all_streams;
  for (const auto& [stream, blocks] : std::exchange(waiting_, {})) {
    for (Block* block : blocks) {
      device_.wait_for_event();
      if (--block->pending_events == 0) take_back(block);
    }
  }
}

std::vector<SegmentInfo> CachingAllocator::snapshot() {
  std::map<uint64_t, const Block*> blocks;  // that have memory, by address
  for (const BlockPool* pool : {&small_, &large_}) {
    for (const Block* block : pool->free) blocks.emplace(block->address, block);
  }
  for (const Block* block : active_) blocks.emplace(block->address, block);
  std::vector<SegmentInfo> segments;
  uint64_t active = 0;
  for (const auto& [address, block] : blocks) {
    if (block->previous == nullptr || !block->previous->mapped)
      segments.push_back({.address = address,
                          .stream = block->stream,
                          .is_large = !block->pool->is_small,
                          .is_expandable = block->segment != nullptr,
                          .tag = block->segment_tag});
    SegmentInfo& segment = segments.back();
    const bool is_active = !block->is_free();
    segment.blocks.push_back(
        {block->size, block->requested, block->allocated, is_active, block->tag});
    segment.total_size += block->size;
    if (block->allocated) segment.allocated_size += block->size;
    if (!is_active) continue;
    segment.active_size += block->size;
    segment.requested_size += block->requested;
    active += block->size;
  }
  note(AllocatorAction::kSnapshot, 0, active, 0);
  return segments;
}

}  // namespace faketensor
