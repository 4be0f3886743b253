// SmallVector<T, N>: a vector of trivially copyable elements whose first N live inside the object.
//
// Rules build sizes and strides in one; tensors of rank <= N then need no allocation. Converts to
// std::span.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>

namespace faketensor {

template <typename T, size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  using value_type = T;

  SmallVector() = default;
  explicit SmallVector(size_t count, const T& value = T()) { resize(count, value); }
  SmallVector(std::initializer_list<T> values) {
    append(std::span<const T>(values.begin(), values.size()));
  }
  explicit SmallVector(std::span<const T> values) { append(values); }
  SmallVector(const SmallVector& other) { append(other.span()); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) {
      size_ = 0;
      append(other.span());
    }
    return *this;
  }
  SmallVector& operator=(std::span<const T> values) {
    size_ = 0;
    append(values);
    return *this;
  }
  ~SmallVector() {
    if (data_ != inline_data()) [[unlikely]]
      release();
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void reserve(size_t capacity) {
    if (capacity > capacity_) [[unlikely]]
      grow(capacity);
  }
  void push_back(const T& value) {
    const T copy = value;
    if (size_ == capacity_) [[unlikely]]
      grow(2 * capacity_);
    data_[size_++] = copy;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void resize(size_t count, const T& value = T()) {
    const T copy = value;
    reserve(count);
    for (size_t i = size_; i < count; ++i) data_[i] = copy;
    size_ = count;
  }
  void append(std::span<const T> values) {
    reserve(size_ + values.size());
    // One by one: they are few, and a call of memmove costs more.
    T* to = data_ + size_;
    for (const T& value : values) *to++ = value;
    size_ += values.size();
  }
  void insert(size_t at, const T& value) {
    push_back(value);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }

  std::span<const T> span() const { return {data(), size_}; }

 private:
  struct alignas(T) Slot {
    unsigned char bytes[sizeof(T)];
  };

  T* inline_data() { return reinterpret_cast<T*>(inline_); }

  // Both are out of line: most vectors stay inside, and each rule has many of them.
  [[gnu::cold, gnu::noinline]] void grow(size_t capacity) {
    auto heap = std::make_unique<Slot[]>(capacity);
    std::memcpy(static_cast<void*>(heap.get()), data_, size_ * sizeof(T));
    if (data_ != inline_data()) release();
    data_ = reinterpret_cast<T*>(heap.release());
    capacity_ = capacity;
  }
  [[gnu::cold, gnu::noinline]] void release() { delete[] reinterpret_cast<Slot*>(data_); }

  T* data_ = inline_data();  // of inline_, or of the heap where that is too small
  size_t size_ = 0;
  size_t capacity_ = N;
  Slot inline_[N];
};

}  // namespace faketensor
