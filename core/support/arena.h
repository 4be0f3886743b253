// Arena: memory that is handed out by moving a pointer and given back all at once.
//
// Graphs, interned metas and expression nodes live in one. Only trivially destructible types may be
// placed in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/support/memory_block.h"

namespace faketensor {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  // `bytes` of uninitialised memory, aligned to kBlockAlignment.
  void* allocate(size_t bytes) {
    bytes = (bytes + (kAlignment - 1)) & ~(kAlignment - 1);
    if (bytes > left_) [[unlikely]]
      grow(bytes);
    std::byte* at = next_;
    next_ += bytes;
    left_ -= bytes;
    return at;
  }

  template <typename T, typename... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kAlignment);
    return new (allocate(sizeof(T))) T(std::forward<Args>(args)...);
  }

  template <typename T>
  std::span<T> make_array(size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kAlignment);
    if (count == 0) return {};
    T* first = static_cast<T*>(allocate(count * sizeof(T)));
    for (size_t i = 0; i < count; ++i) new (first + i) T();
    return {first, count};
  }

  template <typename T>
  std::span<T> copy(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kAlignment);
    if (values.empty()) return {};
    T* first = static_cast<T*>(allocate(values.size_bytes()));
    std::memcpy(static_cast<void*>(first), values.data(), values.size_bytes());
    return {first, values.size()};
  }

  std::string_view copy(std::string_view text) {
    const std::span<const char> chars = copy(std::span<const char>(text.data(), text.size()));
    return {chars.data(), chars.size()};
  }

  // Bytes taken from the system so far.
  size_t capacity() const { return total_; }

 private:
  static constexpr size_t kAlignment = kBlockAlignment;
  static constexpr size_t kFirstBlock = size_t{1} << 13;
  static constexpr size_t kLargestBlock = size_t{1} << 20;

  // Out of line: it is rare, and every maker of a value would hold a copy.
  [[gnu::cold]] void grow(size_t bytes);

  std::vector<MemoryBlock> blocks_;
  std::byte* next_ = nullptr;
  size_t left_ = 0;
  size_t total_ = 0;
};

}  // namespace faketensor
