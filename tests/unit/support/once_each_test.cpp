#include "core/support/once_each.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace faketensor {
namespace {

TEST(OnceEach, MakesAValueWhenItIsAskedForAndOnce) {
  OnceEach made(3);
  int calls = 0;
  EXPECT_FALSE(made.is_made(1));
  for (int i = 0; i < 2; ++i) made.once(1, [&] { ++calls; });
  EXPECT_TRUE(made.is_made(1));
  EXPECT_FALSE(made.is_made(0));
  EXPECT_FALSE(made.is_made(2));
  EXPECT_EQ(calls, 1);
}

TEST(OnceEach, MakingAValueMayAskForAnother) {
  OnceEach made(2);
  std::vector<int> order;
  made.once(1, [&] {
    made.once(0, [&] { order.push_back(0); });
    order.push_back(1);
  });
  EXPECT_EQ(order, (std::vector{0, 1}));
  EXPECT_TRUE(made.is_made(0));
}

TEST(OnceEach, AnExceptionLeavesTheValueToBeMade) {
  OnceEach made(1);
  EXPECT_THROW(made.once(0, [] { throw 1; }), int);
  EXPECT_FALSE(made.is_made(0));
  made.once(0, [] {});
  EXPECT_TRUE(made.is_made(0));
}

#ifndef __EMSCRIPTEN__  // has no threads
TEST(OnceEach, ThreadsSeeWhatTheFirstOfThemMade) {
  constexpr size_t kCount = 1000;
  OnceEach made(kCount);
  std::vector<size_t> values(kCount);
  std::vector<int> calls(kCount);
  const auto ask = [&] {
    for (size_t i = 0; i < kCount; ++i) {
      made.once(i, [&] {
        values[i] = i + 1;
        ++calls[i];
      });
      EXPECT_EQ(values[i], i + 1);
    }
  };
  std::thread first(ask), second(ask);
  first.join();
  second.join();
  EXPECT_EQ(calls, std::vector(kCount, 1));
}
#endif

}  // namespace
}  // namespace faketensor
