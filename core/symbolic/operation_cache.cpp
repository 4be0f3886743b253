#include "core/symbolic/operation_cache.h"

namespace faketensor {

void OperationCache::remember(const Operation& operation) {
  constexpr size_t kMost = size_t{1} << 16;
  // Where one displaces another that still holds, over and over, there are too few places.
  const bool displaces =
      operations_[place_of(operation.asked, operation.a, operation.b)].asked >> 8 ==
      operation.asked >> 8;
  displaced_ += displaces ? 1 : 0;
  if (displaced_ > operations_.size() / 4 && operations_.size() < kMost) {
    operations_.assign(4 * operations_.size(), Operation());
    displaced_ = 0;
  }
  operations_[place_of(operation.asked, operation.a, operation.b)] = operation;
}

}  // namespace faketensor
