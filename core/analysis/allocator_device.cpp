#include "core/analysis/allocator_device.h"

namespace faketensor {

void DeviceMemory::note(std::string_view name, std::optional<uint64_t> bytes, bool out_of_memory) {
  if (logs_) calls_.push_back({name, bytes, out_of_memory});
}

bool DeviceMemory::take(std::string_view name, uint64_t bytes) {
  const bool fits = bytes <= free();
  if (fits) used_ += bytes;
  note(name, bytes, !fits);
  return fits;
}

uint64_t DeviceMemory::next_address(uint64_t bytes) {
  constexpr uint64_t kAlignment = uint64_t{2} << 20;  // of the device's pages
  const uint64_t address = next_address_;
  next_address_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  return address;
}

std::optional<uint64_t> DeviceMemory::allocate(uint64_t bytes) {
  if (!take("cudaMalloc", bytes)) return std::nullopt;
  return next_address(bytes);
}

void DeviceMemory::release(uint64_t bytes) {
  note("cudaFree", bytes);
  used_ -= bytes;
}

uint64_t DeviceMemory::reserve_addresses(uint64_t bytes) {
  note("cuMemAddressReserve", bytes);
  return next_address(bytes);
}

void DeviceMemory::return_addresses(uint64_t bytes) { note("cuMemAddressFree", bytes); }

bool DeviceMemory::create_page(uint64_t bytes) { return take("cuMemCreate", bytes); }

void DeviceMemory::release_page(uint64_t bytes) {
  note("cuMemRelease", bytes);
  used_ -= bytes;
}

void DeviceMemory::record_event() { note("cudaEventRecord"); }
void DeviceMemory::wait_for_event() { note("cudaEventSynchronize"); }

}  // namespace faketensor
