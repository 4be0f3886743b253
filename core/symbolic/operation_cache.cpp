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
    std::vector<Operation> before(4 * operations_.size());
    before.swap(operations_);
    for (const Operation& kept : before)
      if (kept.asked != 0) operations_[place_of(kept.asked, kept.a, kept.b)] = kept;
    displaced_ = 0;
  }
  operations_[place_of(operation.asked, operation.a, operation.b)] = operation;
}

}  // namespace faketensor
