#include "core/support/python_sort.h"

#include <vector>

#include <gtest/gtest.h>

namespace faketensor {
namespace {

TEST(PythonSort, SortsAndKeepsTheOrderOfEquals) {
  std::vector<int> values = {31, 12, 30, 11, 20, 32, 10};
  python_sort(values, [](int a, int b) { return a / 10 < b / 10; });
  EXPECT_EQ(values, (std::vector<int>{12, 11, 10, 20, 31, 30, 32}));
}

TEST(PythonSort, ComparesThePairsThatPythonCompares) {
  // sorted([3, 2, 1, 5, 4], key=...) of CPython 3.11, each __lt__ printed.
  std::vector<int> values = {3, 2, 1, 5, 4};
  std::vector<int> asked;
  python_sort(values, [&](int a, int b) {
    asked.push_back(10 * a + b);
    return a < b;
  });
  EXPECT_EQ(values, (std::vector<int>{1, 2, 3, 4, 5}));
  EXPECT_EQ(asked, (std::vector<int>{23, 12, 51, 52, 53, 43, 45}));
}

TEST(PythonSort, StaysInsideItsRangeWithoutAnOrder) {
  std::vector<int> values;
  for (int i = 0; i < 100; ++i) values.push_back(i);
  python_sort(values, [](int, int) { return true; });
  std::sort(values.begin(), values.end());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(values[static_cast<size_t>(i)], i);
}

}  // namespace
}  // namespace faketensor
