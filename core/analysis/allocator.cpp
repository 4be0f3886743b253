#include "core/analysis/allocator.h"

#include <cstdio>
#include <utility>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

std::string allocator_size_text(uint64_t bytes) {
  if (bytes <= 1024) return format("{} bytes", bytes);
  constexpr std::string_view kUnits[] = {"KiB", "MiB", "GiB"};
  size_t unit = 0;
  double size = static_cast<double>(bytes) / 1024;
  for (; size > 1024 && unit + 1 < std::size(kUnits); ++unit) size /= 1024;
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.2f", size);
  return format("{} {}", std::string_view(digits), kUnits[unit]);
}

CachingAllocator::CachingAllocator(DeviceMemory& device, AllocatorConfig config)
    : device_(device), config_(std::move(config)) {
  stats_.max_split_size = static_cast<int64_t>(config_.max_split_size);
  if (config_.memory_fraction < 1) set_memory_fraction(config_.memory_fraction);
}

AllocatorResult CachingAllocator::malloc(uint64_t bytes, uint64_t stream, AllocationTag tag) {
  constexpr uint64_t kTooMuch = uint64_t{1} << 60;
  if (bytes >= kTooMuch)
    return {.out_of_memory = "CUDA out of memory. Tried to allocate more than 1EB memory."};
  if (bytes == 0) return {};
  take_back_done();
  const uint64_t size = config_.rounded(bytes);
  const Request request{bytes, size, config_.segment_size(size), stream, &pool_for(size), tag};
  Block* block = find_free(request);
  if (block == nullptr) {
    if (is_rejected_early(request))
      return {.out_of_memory =
                  format("CUDA out of memory. Allocation was preemptively rejected because "
                         "it would exceed per_process_memory_fraction limit. "
                         "Requested size: {}",
                         allocator_size_text(bytes))};
    block = new_block(request);
  }
  if (block == nullptr) return {.out_of_memory = out_of_memory(request)};
  const bool was_split = block->is_split();
  const bool is_counted = block->segment == nullptr;  // expandable ones have no inactive splits
  const bool small = request.pool->is_small;
  if (should_split(*block, size)) {
    Block* rest = split(block, size);
    if (is_counted && was_split) stats_.inactive_split_bytes.decrease(small, size);
    if (is_counted && !was_split) {
      stats_.inactive_split_bytes.increase(small, rest->size);
      stats_.inactive_split.increase(small, 1);
    }
  } else if (is_counted && was_split) {
    stats_.inactive_split_bytes.decrease(small, block->size);
    stats_.inactive_split.decrease(small, 1);
  }
  give_out(block, request);
  return {.address = block->address};
}

void CachingAllocator::give_out(Block* block, const Request& request) {
  block->allocated = true;
  block->requested = request.bytes;
  block->tag = request.tag;
  note(AllocatorAction::kAlloc, block->address, request.bytes, block->stream, block->tag);
  given_out_[block->address] = block;
  active_.insert(block);
  const bool small = request.pool->is_small;
  stats_.allocation.increase(small, 1);
  stats_.allocated_bytes.increase(small, block->size);
  stats_.active.increase(small, 1);
  stats_.active_bytes.increase(small, block->size);
  stats_.requested_bytes.increase(small, block->requested);
  if (block->size >= config_.max_split_size) stats_.oversize_allocations.increase(1);
}

void CachingAllocator::free(uint64_t address) {
  const auto found = given_out_.find(address);
  if (found == given_out_.end()) return;
  Block* block = found->second;
  given_out_.erase(found);
  block->allocated = false;
  const bool small = block->pool->is_small;
  stats_.allocation.decrease(small, 1);
  stats_.allocated_bytes.decrease(small, block->size);
  note(AllocatorAction::kFreeRequested, block->address, block->requested, block->stream,
       block->tag);
  if (block->size >= config_.max_split_size) stats_.oversize_allocations.decrease(1);
  if (block->used_by.empty()) return take_back(block);
  wait_for_streams(block);
}

// A block that nothing uses any more goes to its pool, one with its free neighbours.
void CachingAllocator::take_back(Block* block) {
  const bool small = block->pool->is_small;
  note(AllocatorAction::kFreeCompleted, block->address, block->requested, block->stream,
       block->tag);
  active_.erase(block);
  block->tag = kNoTag;
  const uint64_t size = block->size;
  const uint64_t requested = block->requested;
  int64_t splits = 0;
  int64_t split_bytes = 0;
  for (Block* neighbour : {block->previous, block->next}) {
    const uint64_t merged = merge(block, neighbour);
    if (merged == 0) continue;
    --splits;
    split_bytes -= static_cast<int64_t>(merged);
  }
  block->pool->put(block);
  if (block->is_split()) {
    ++splits;
    split_bytes += static_cast<int64_t>(block->size);
  }
  if (block->segment == nullptr) {
    stats_.inactive_split.change(small, splits);
    stats_.inactive_split_bytes.change(small, split_bytes);
  }
  stats_.active.decrease(small, 1);
  stats_.active_bytes.decrease(small, size);
  stats_.requested_bytes.decrease(small, requested);
}

// Takes a free neighbour into a block that is in no pool; returns its bytes, 0 where it stays.
uint64_t CachingAllocator::merge(Block* block, Block* neighbour) {
  if (neighbour == nullptr || !neighbour->is_free() || neighbour->mapped != block->mapped) return 0;
  BlockPool& pool = *block->pool;
  if (neighbour->mapped) {
    pool.free.erase(neighbour);
  } else {
    pool.unmapped.erase(neighbour);
  }
  if (block->previous == neighbour) {
    block->address = neighbour->address;
    block->segment_tag = neighbour->segment_tag;
    block->link(neighbour->previous, block->next);
  } else {
    block->link(block->previous, neighbour->next);
  }
  block->size += neighbour->size;
  const uint64_t size = neighbour->size;
  blocks_.drop(neighbour);
  return size;
}

bool CachingAllocator::should_split(const Block& block, uint64_t size) const {
  const uint64_t rest = block.size - size;
  if (block.pool->is_small || config_.expandable_segments) return rest >= kMinBlock;
  return size < config_.max_split_size && rest > kSmallRequest;
}

// Cuts a block after `size` bytes; what follows is free and is returned.
Block* CachingAllocator::split(Block* block, uint64_t size) {
  Block* rest = blocks_.make({.address = block->address + size,
                              .size = block->size - size,
                              .requested = block->requested,
                              .stream = block->stream,
                              .pool = block->pool,
                              .segment = block->segment});
  rest->link(block, block->next);
  block->size = size;
  block->pool->put(rest);
  return rest;
}

// The smallest free block of the stream that fits, taken out of its pool.
Block* CachingAllocator::find_free(const Request& request) {
  BlockPool& pool = *request.pool;
  // Ages count for the garbage collection only.
  if (allowed_ && config_.garbage_collection_threshold > 0) ++pool.searches;
  Block key{.size = request.size, .stream = request.stream};
  auto it = pool.free.lower_bound(&key);
  const auto is_candidate = [&](auto at) {
    return at != pool.free.end() && (*at)->stream == request.stream;
  };
  if (!is_candidate(it)) return nullptr;
  if ((*it)->segment != nullptr && config_.expandable_segments) {
    // A block at the end of its segment counts with what it can grow by, so that others come first.
    const auto reach = [](const Block* block) {
      const Block* next = block->next;
      return block->size + (next != nullptr && !next->mapped ? next->size : 0);
    };
    for (auto next = std::next(it);
         (*it)->segment != nullptr && is_candidate(next) && reach(*next) < reach(*it); ++next)
      it = next;
  } else if ((*it)->segment != nullptr) {
    // Expandable segments were turned off: theirs are not given out, for they cannot be shared.
    do {
      ++it;
    } while (is_candidate(it) && (*it)->segment != nullptr);
    if (!is_candidate(it)) return nullptr;
  }
  Block* block = *it;
  const bool is_large = request.size >= config_.max_split_size;
  if (!is_large && block->size >= config_.max_split_size) return nullptr;
  if (is_large && block->size >= request.size + config_.max_non_split_rounding) return nullptr;
  pool.free.erase(it);
  return block;
}

// From the device; where that has not enough, what is kept is given back to it before.
Block* CachingAllocator::new_block(const Request& request) {
  if (allowed_ && config_.garbage_collection_threshold > 0) collect_garbage();
  if (Block* block = new_segment(request, false)) return block;
  if (release_oversize(request)) {
    if (Block* block = new_segment(request, false)) return block;
  }
  release_cached();
  return new_segment(request, true);
}

bool CachingAllocator::is_rejected_early(const Request& request) {
  if (!config_.rejects_early) return false;
  const auto limit =
      static_cast<uint64_t>(config_.memory_fraction * static_cast<double>(device_.total()));
  if (reserved_ + request.segment_size <= limit) return false;
  ++stats_.num_oom_rejections;
  char percent[32];
  std::snprintf(percent, sizeof percent, "%g", 100 * config_.memory_fraction);
  warnings_.push_back(format(
      "Preemptively rejecting allocation: requested {} but total_allocated_memory ({}) + "
      "requested size would exceed memory limit ({} = {}% of {}). Set "
      "throw_on_cudamalloc_oom:false to disable.",
      allocator_size_text(request.segment_size), allocator_size_text(reserved_),
      allocator_size_text(limit), std::string_view(percent), allocator_size_text(device_.total())));
  return true;
}

std::string CachingAllocator::out_of_memory(const Request& request) {
  note(AllocatorAction::kOutOfMemory, device_.free(), request.size, request.stream, request.tag);
  ++stats_.num_ooms;
  const auto allocated = static_cast<uint64_t>(stats_.allocated_bytes.all.current);
  const auto reserved = static_cast<uint64_t>(stats_.reserved_bytes.all.current);
  const std::string allowed =
      allowed_ ? format("{} allowed; ", allocator_size_text(*allowed_)) : std::string();
  return format(
      "CUDA out of memory. Tried to allocate {}. GPU 0 has a total capacity of {} of which {} is "
      "free. {}Of the allocated memory {} is allocated by PyTorch, and {} is reserved by PyTorch "
      "but "
      "unallocated. If reserved but unallocated memory is large try setting "
      "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation "
      "for Memory Management  (https://docs.pytorch.org/docs/stable/notes/cuda.html"
      "#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)",
      allocator_size_text(request.segment_size), allocator_size_text(device_.total()),
      allocator_size_text(device_.free()), allowed, allocator_size_text(allocated),
      allocator_size_text(reserved - allocated));
}

void CachingAllocator::set_memory_fraction(double fraction) {
  if (!(fraction >= 0 && fraction <= 1))
    throw_error(ErrorKind::kRuntimeError,
                format("invalid fraction:{}. Please set within (0, 1).", fraction));
  allowed_ = static_cast<uint64_t>(fraction * static_cast<double>(device_.total()));
}

uint64_t CachingAllocator::largest_free() const {
  uint64_t largest = device_.free();
  for (const BlockPool* pool : {&large_, &small_}) {
    for (const Block* block : pool->free) largest = std::max(largest, block->size);
  }
  return largest;
}

void CachingAllocator::note(AllocatorAction action, uint64_t address, uint64_t size,
                            uint64_t stream, AllocationTag tag) {
  if (records_) history_.push_back({action, address, size, stream, tag});
}

}  // namespace faketensor
