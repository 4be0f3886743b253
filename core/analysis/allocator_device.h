// DeviceMemory: a device that hands out addresses and has nothing behind them.
//
// It stands for cudaMalloc, cudaFree, the driver's calls that map pages, and events: an event is done
// at once, unless `hold_events` says otherwise. Addresses grow with every call and are used once.
//
//   DeviceMemory device(80 * 1024 * kMiB);
//   const std::optional<uint64_t> address = device.allocate(2 * kMiB);  // none: out of memory
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace faketensor {

// A call of the driver, by PyTorch's name of it.
struct DriverCall {
  std::string_view name;
  std::optional<uint64_t> bytes;
  bool out_of_memory = false;
};

class DeviceMemory {
 public:
  explicit DeviceMemory(uint64_t total) : total_(total) {}

  uint64_t total() const { return total_; }
  uint64_t free() const { return total_ - used_; }

  // cudaMalloc and cudaFree.
  std::optional<uint64_t> allocate(uint64_t bytes);
  void release(uint64_t bytes);
  // Addresses without memory, then memory for a page of them.
  uint64_t reserve_addresses(uint64_t bytes);
  void return_addresses(uint64_t bytes);
  bool create_page(uint64_t bytes);
  void release_page(uint64_t bytes);

  void record_event();
  void wait_for_event();
  // Events stay pending until they are waited for.
  void hold_events(bool hold) { holds_events_ = hold; }
  bool events_are_done() const { return !holds_events_; }

  // Notes calls from now on, or not.
  void log_calls(bool log) { logs_ = log; }
  // Calls since this was asked last.
  std::vector<DriverCall> take_calls() { return std::exchange(calls_, {}); }

 private:
  uint64_t next_address(uint64_t bytes);
  bool take(std::string_view name, uint64_t bytes);
  void note(std::string_view name, std::optional<uint64_t> bytes = {}, bool out_of_memory = false);

  uint64_t total_;
  uint64_t used_ = 0;
  uint64_t next_address_ = uint64_t{0x7f} << 40;
  bool holds_events_ = false;
  bool logs_ = false;
  std::vector<DriverCall> calls_;
};

}  // namespace faketensor
