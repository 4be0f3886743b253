#include <vector>

#include <gtest/gtest.h>

#include "core/support/small_vector.h"
#include "core/support/stable_vector.h"

namespace faketensor {
namespace {

using Numbers = SmallVector<int64_t, 4>;

std::vector<int64_t> as_vector(const Numbers& numbers) { return {numbers.begin(), numbers.end()}; }

TEST(SmallVector, GrowsBeyondWhatLiesInIt) {
  Numbers numbers;
  for (int64_t i = 0; i < 9; ++i) numbers.push_back(i);
  EXPECT_EQ(as_vector(numbers), std::vector<int64_t>({0, 1, 2, 3, 4, 5, 6, 7, 8}));
  numbers.erase(0);
  numbers.insert(1, 77);
  numbers.resize(4);
  EXPECT_EQ(as_vector(numbers), std::vector<int64_t>({1, 77, 2, 3}));
}

TEST(SmallVector, CopiesAreIndependent) {
  for (const size_t count : {3u, 9u}) {
    Numbers first(count, 5);
    Numbers second = first;
    second[0] = 6;
    Numbers third = {1};
    third = first;
    third.push_back(7);
    EXPECT_EQ(as_vector(first), std::vector<int64_t>(count, 5));
    EXPECT_EQ(second[0], 6);
    EXPECT_EQ(third.size(), count + 1);
  }
}

TEST(SmallVector, TakesItsOwnElements) {
  Numbers numbers = {1, 2, 3, 4};
  numbers.push_back(numbers[0]);
  numbers.resize(20, numbers[1]);
  EXPECT_EQ(numbers[4], 1);
  EXPECT_EQ(numbers[19], 2);
}

TEST(StableVector, ElementsStayWhereTheyAre) {
  StableVector<int64_t> numbers;
  int64_t& first = numbers.emplace_back();
  first = 1;
  for (int64_t i = 1; i < 1000; ++i) numbers.emplace_back() = i + 1;
  EXPECT_EQ(&first, &numbers[0]);
  EXPECT_EQ(numbers.size(), 1000u);
  for (size_t i = 0; i < 1000; ++i) EXPECT_EQ(numbers[i], static_cast<int64_t>(i) + 1);
}

TEST(StableVector, GivesBackWhatIsNotKept) {
  StableVector<int64_t> numbers;
  const auto append = [&](int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      numbers.emplace_back() = static_cast<int64_t>(numbers.size());  // the right side comes first
  };
  append(1000);
  const int64_t* kept = &numbers[500];
  EXPECT_TRUE(numbers.keep(500));
  EXPECT_FALSE(numbers.keep(500));
  numbers.drop_others();
  EXPECT_EQ(numbers.find(500), kept);
  EXPECT_EQ(*kept, 500);
  EXPECT_EQ(numbers.find(100), nullptr);
  EXPECT_EQ(numbers.find(2000), nullptr);
  append(100);  // the last block goes on where it was
  EXPECT_EQ(numbers.size(), 1100u);
  EXPECT_EQ(numbers[1099], 1099);
  EXPECT_FALSE(numbers.is_kept(500));
  numbers.drop_others();
  EXPECT_LE(numbers.capacity(), 64u);
  append(64);
  EXPECT_EQ(numbers[1163], 1163);
}

}  // namespace
}  // namespace faketensor
