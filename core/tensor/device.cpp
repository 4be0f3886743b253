#include "core/tensor/device.h"

#include <array>
#include <span>

#include "core/support/format.h"

namespace faketensor {

namespace {
constexpr std::array<std::string_view, kDeviceTypeCount> kDeviceNames = {
    "cpu", "cuda", "meta", "xpu", "mps", "hpu", "xla", "vulkan", "mtia", "privateuseone"};
constexpr std::array<std::string_view, kLayoutCount> kLayoutNames = {
    "strided",    "sparse_coo", "sparse_csr", "sparse_csc",
    "sparse_bsr", "sparse_bsc", "_mkldnn",    "jagged"};
constexpr std::array<std::string_view, kLayoutCount> kLayoutCppNames = {
    "Strided", "Sparse", "SparseCsr", "SparseCsc", "SparseBsr", "SparseBsc", "Mkldnn", "Jagged"};
constexpr std::array<std::string_view, kMemoryFormatCount> kFormatNames = {
    "contiguous_format", "preserve_format", "channels_last", "channels_last_3d"};

template <typename T>
std::optional<T> find(std::span<const std::string_view> names, std::string_view text) {
  if (text.starts_with("torch.")) text.remove_prefix(6);
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<T>(i);
  }
  return std::nullopt;
}
}  // namespace

Device Device::normalized() const {
  if (type == DeviceType::kCPU || type == DeviceType::kMeta) return *this;
  return {type, index < 0 ? int8_t{0} : index};
}

std::string_view name(DeviceType type) { return kDeviceNames[static_cast<size_t>(type)]; }
std::string_view name(Layout layout) { return kLayoutNames[static_cast<size_t>(layout)]; }
std::string_view cpp_name(Layout layout) { return kLayoutCppNames[static_cast<size_t>(layout)]; }
std::string_view name(MemoryFormat format) { return kFormatNames[static_cast<size_t>(format)]; }

std::optional<Device> parse_device(std::string_view text) {
  const size_t colon = text.find(':');
  const auto type = find<DeviceType>(kDeviceNames, text.substr(0, colon));
  if (!type) return std::nullopt;
  if (colon == std::string_view::npos) return Device{*type, -1};
  const std::string_view digits = text.substr(colon + 1);
  if (digits.empty() || digits.size() > 2 ||
      digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  int index = 0;
  for (const char digit : digits) index = 10 * index + (digit - '0');
  return Device{*type, static_cast<int8_t>(index)};
}

std::optional<Layout> parse_layout(std::string_view text) {
  return find<Layout>(kLayoutNames, text);
}
std::optional<MemoryFormat> parse_memory_format(std::string_view text) {
  return find<MemoryFormat>(kFormatNames, text);
}

void append_text(std::string& out, Device device) {
  out += name(device.type);
  if (device.index >= 0) out.append(":").append(std::to_string(device.index));
}
void append_text(std::string& out, Layout layout) { out.append("torch.").append(name(layout)); }
void append_text(std::string& out, MemoryFormat format) {
  out.append("torch.").append(name(format));
}

}  // namespace faketensor
