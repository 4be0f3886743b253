#include "core/support/merge_sort.h"

#include <gtest/gtest.h>

namespace faketensor {
namespace {

TEST(MergeSort, SortsAndKeepsTheOrderOfEquals) {
  SmallVector<int, 8> values = {31, 12, 30, 11, 20, 32, 10};
  merge_sort(values, [](int a, int b) { return a / 10 < b / 10; });
  const SmallVector<int, 8> expected = {12, 11, 10, 20, 31, 30, 32};
  EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.begin(), expected.end()));
}

TEST(MergeSort, StaysInsideItsRangeWithoutAnOrder) {
  SmallVector<int, 4> values;
  for (int i = 0; i < 100; ++i) values.push_back(i);
  merge_sort(values, [](int, int) { return true; });
  std::sort(values.begin(), values.end());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(values[static_cast<size_t>(i)], i);
}

}  // namespace
}  // namespace faketensor
