// StableVector<T>: a vector whose elements stay where they are while it grows.
//
// Elements live in blocks of a fixed number, so that what points to one stays good, appending costs
// no copy, and finding one by its number is a shift and a mask. They are not destroyed one by one:
// only trivially destructible types may be in it.
//
//   StableVector<Tensor> tensors;
//   Tensor& first = tensors.emplace_back();
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace faketensor {

template <typename T>
class StableVector {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  size_t size() const { return size_; }
  T& operator[](size_t i) { return blocks_[i / kBlock][i % kBlock]; }
  const T& operator[](size_t i) const { return blocks_[i / kBlock][i % kBlock]; }

  T& emplace_back() {
    if (size_ % kBlock == 0) [[unlikely]]
      blocks_.push_back(std::make_unique<T[]>(kBlock));
    return (*this)[size_++];
  }

 private:
  static constexpr size_t kBlock = 64;

  std::vector<std::unique_ptr<T[]>> blocks_;
  size_t size_ = 0;
};

}  // namespace faketensor
