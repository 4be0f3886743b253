// python_sort: the order and the comparisons of Python's list.sort.
//
// Comparing symbolic sizes may record guards, and an ambiguous order depends on who is compared
// with whom; so where PyTorch sorts in Python, we compare the same pairs in the same order. This is
// CPython's sort for the short lists that dimensions are (fewer than 64 elements: the run at the
// beginning, then binary insertion); longer lists are sorted the same way, in quadratic moves.
//
//   python_sort(order, [&](int a, int b) { return guard_or_false(strides[a] < strides[b]); });
#pragma once

#include <algorithm>
#include <cstddef>

namespace faketensor {

template <typename List, typename Less>
void python_sort(List& list, Less is_less) {
  const size_t count = list.size();
  if (count < 2) return;
  size_t sorted = 2;
  const bool descending = is_less(list[1], list[0]);
  while (sorted < count && is_less(list[sorted], list[sorted - 1]) == descending) ++sorted;
  if (descending) std::reverse(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(sorted));
  for (; sorted < count; ++sorted) {
    const auto pivot = list[sorted];
    size_t low = 0;
    size_t high = sorted;
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (is_less(pivot, list[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    for (size_t i = sorted; i > low; --i) list[i] = list[i - 1];
    list[low] = pivot;
  }
}

}  // namespace faketensor
