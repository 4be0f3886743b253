// Device, Layout and MemoryFormat: small values that every tensor carries or an operator is given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace faketensor {

enum class DeviceType : uint8_t {
  kCPU,
  kCUDA,
  kMeta,
  kXPU,
  kMPS,
  kHPU,
  kXLA,
  kVulkan,
  kMTIA,
  kPrivateUse1
};
inline constexpr int kDeviceTypeCount = 10;

// A device as PyTorch names it. An index of -1 means "no index": always so for cpu and meta
// tensors; accelerators get index 0 when a tensor is made on them (`normalized`).
struct Device {
  DeviceType type = DeviceType::kCPU;
  int8_t index = -1;

  friend bool operator==(const Device&, const Device&) = default;
  bool is_cpu() const { return type == DeviceType::kCPU; }
  bool is_cuda() const { return type == DeviceType::kCUDA; }
  bool is_meta() const { return type == DeviceType::kMeta; }
  // "cuda" -> "cuda:0", as FakeTensor does; cpu and meta stay as they were given.
  Device normalized() const;
};

std::string_view name(DeviceType type);
std::optional<Device> parse_device(std::string_view text);
// "cuda:0", "cpu"
void append_text(std::string& out, Device device);

enum class Layout : uint8_t {
  kStrided,
  kSparseCoo,
  kSparseCsr,
  kSparseCsc,
  kSparseBsr,
  kSparseBsc,
  kMkldnn,
  kJagged
};
inline constexpr int kLayoutCount = 8;
std::string_view name(Layout layout);      // "strided", "sparse_coo", "_mkldnn", ...
std::string_view cpp_name(Layout layout);  // c10's, used in messages: "Strided", "Sparse", ...
std::optional<Layout> parse_layout(std::string_view text);
// "torch.strided"
void append_text(std::string& out, Layout layout);

enum class MemoryFormat : uint8_t {
  kContiguous,
  kPreserve,
  kChannelsLast,
  kChannelsLast3d
};  // c10's values
inline constexpr int kMemoryFormatCount = 4;
std::string_view name(MemoryFormat format);  // "contiguous_format", ...
std::optional<MemoryFormat> parse_memory_format(std::string_view text);
// "torch.channels_last"
void append_text(std::string& out, MemoryFormat format);

}  // namespace faketensor
