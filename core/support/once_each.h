// OnceEach: which of many values are made, where each is made when it is first asked for, once, by whichever
// thread asks first.
//
//   const Row& row(size_t i) const {
//     made_.once(i, [&] { rows_[i] = read(i); });   // may ask for another value of the same table
//     return rows_[i];
//   }
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

namespace faketensor {

class OnceEach {
 public:
  explicit OnceEach(size_t count) : made_(new std::atomic<bool>[count]()) {}

  bool is_made(size_t i) const { return made_[i].load(std::memory_order_acquire); }
  template <typename Make>
  void once(size_t i, const Make& make) {
    if (is_made(i)) [[likely]]
      return;
    const std::lock_guard lock(mutex_);
    if (is_made(i)) return;
    make();
    made_[i].store(true, std::memory_order_release);
  }

 private:
  std::unique_ptr<std::atomic<bool>[]> made_;
  std::recursive_mutex mutex_;
};

}  // namespace faketensor
