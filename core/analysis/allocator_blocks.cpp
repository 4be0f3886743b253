#include "core/analysis/allocator_blocks.h"

#include <tuple>

namespace faketensor {

void Block::link(Block* before, Block* after) {
  previous = before;
  next = after;
  if (before != nullptr) before->next = this;
  if (after != nullptr) after->previous = this;
}

bool BySize::operator()(const Block* a, const Block* b) const {
  return std::tie(a->stream, a->size, a->address) < std::tie(b->stream, b->size, b->address);
}

bool ByAddress::operator()(const Block* a, const Block* b) const {
  return std::tie(a->stream, a->address) < std::tie(b->stream, b->address);
}

Block* BlockStore::make(const Block& block) {
  if (unused_.empty()) return &blocks_.emplace_back(block);
  Block* place = unused_.back();
  unused_.pop_back();
  *place = block;
  return place;
}

namespace {

uint64_t pages_for(uint64_t bytes, uint64_t page) { return (bytes + page - 1) / page; }

}  // namespace

ExpandableSegment::ExpandableSegment(DeviceMemory& device, uint64_t page)
    : device_(device),
      page_(page),
      // More than there is memory, so that pages can be given to the end while others before are empty.
      pages_(pages_for(device.total() + device.total() / 8, page)),
      address_(device.reserve_addresses(pages_ * page)) {}

ExpandableSegment::~ExpandableSegment() {
  for (const bool has : has_memory_) {
    if (has) device_.release_page(page_);
  }
  device_.return_addresses(size());
}

AddressRange ExpandableSegment::map(AddressRange range,
                                    const std::function<void()>& out_of_memory) {
  const uint64_t begin = (range.address - address_) / page_;
  const uint64_t end = pages_for(range.address - address_ + range.size, page_);
  for (uint64_t i = begin; i < end; ++i) {
    if (device_.create_page(page_)) continue;
    out_of_memory();
    for (uint64_t made = begin; made < i; ++made) device_.release_page(page_);
    return {range.address, 0};
  }
  if (has_memory_.size() < end) has_memory_.resize(end);
  for (uint64_t i = begin; i < end; ++i) has_memory_[i] = true;
  return pages(begin, end);
}

AddressRange ExpandableSegment::unmap(AddressRange range) {
  const uint64_t begin = pages_for(range.address - address_, page_);
  const uint64_t end = (range.address - address_ + range.size) / page_;
  if (begin >= end) return {range.address, 0};
  for (uint64_t i = begin; i < end; ++i) {
    has_memory_[i] = false;
    device_.release_page(page_);
  }
  return pages(begin, end);
}

}  // namespace faketensor
