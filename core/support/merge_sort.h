// merge_sort: a stable sort that stays inside its range whatever `before` answers.
//
// std::sort and std::stable_sort read past the range where a comparison is no strict weak order, as
// comparisons of symbolic sizes are not: guard_or_false(a < b) and guard_or_false(b < c) may hold
// where guard_or_false(a < c) does not. Merging asks about elements of two bounded runs only.
//
//   merge_sort(order, [&](int a, int b) { return guard_or_false(strides[a] < strides[b]); });
#pragma once

#include <algorithm>

#include "core/support/small_vector.h"

namespace faketensor {

template <typename T, size_t N, typename Before>
void merge_sort(SmallVector<T, N>& values, Before before) {
  const size_t count = values.size();
  SmallVector<T, N> merged(values);
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t first = 0; first < count; first += 2 * run) {
      const T* middle = values.begin() + std::min(first + run, count);
      const T* end = values.begin() + std::min(first + 2 * run, count);
      std::merge(static_cast<const T*>(values.begin() + first), middle, middle, end,
                 merged.begin() + first, before);
    }
    std::copy(merged.begin(), merged.end(), values.begin());
  }
}

}  // namespace faketensor
