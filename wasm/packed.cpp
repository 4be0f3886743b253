#include "wasm/packed.h"

#include <cstring>
#include <limits>

#include "core/support/error.h"

namespace faketensor::wasm {
namespace {

constexpr uint32_t kMagic = 0x4b505446;  // "FTPK"
constexpr size_t kAlignment = 8;

uint32_t narrow(size_t value) {
  if (value > std::numeric_limits<uint32_t>::max())
    throw_error(ErrorKind::kLimitExceeded, "a packed buffer is limited to 4 GiB");
  return static_cast<uint32_t>(value);
}

}  // namespace

void PackedBuffer::append(const void* data, size_t bytes) {
  if (bytes == 0) return;
  const size_t end = data_.size();
  data_.resize(end + bytes);
  std::memcpy(data_.data() + end, data, bytes);
}

void PackedBuffer::add_bytes(uint32_t id, ElementType type, const void* data, size_t count,
                             size_t bytes) {
  data_.resize((data_.size() + kAlignment - 1) / kAlignment * kAlignment);
  entries_.push_back({id, static_cast<uint32_t>(type), narrow(data_.size()), narrow(count)});
  append(data, bytes);
}

void PackedBuffer::add_strings(uint32_t id, std::span<const std::string_view> strings) {
  std::vector<uint32_t> offsets;
  offsets.reserve(strings.size() + 1);
  size_t end = 0;
  offsets.push_back(0);
  for (const std::string_view text : strings) offsets.push_back(narrow(end += text.size()));
  add_bytes(id, ElementType::kStrings, offsets.data(), strings.size(),
            offsets.size() * sizeof(uint32_t));
  data_.reserve(data_.size() + end);
  for (const std::string_view text : strings) append(text.data(), text.size());
}

std::vector<uint8_t> PackedBuffer::finish() {
  const size_t head = 4 * sizeof(uint32_t) +
                      entries_.size() * sizeof(Entry);  // a multiple of 16, so alignment is kept
  for (Entry& entry : entries_) entry.offset = narrow(entry.offset + head);
  std::vector<uint8_t> result;
  result.reserve(head + data_.size());
  const auto append_to = [&result](const void* data, size_t bytes) {
    const auto* begin = static_cast<const uint8_t*>(data);
    result.insert(result.end(), begin, begin + bytes);
  };
  const uint32_t words[] = {kMagic, kPackedVersion, static_cast<uint32_t>(kind_),
                            narrow(entries_.size())};
  append_to(words, sizeof words);
  append_to(entries_.data(), entries_.size() * sizeof(Entry));
  append_to(data_.data(), data_.size());
  entries_.clear();
  data_ = {};
  return result;
}

}  // namespace faketensor::wasm
