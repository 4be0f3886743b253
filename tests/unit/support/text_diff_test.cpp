#include "core/support/text_diff.h"

#include <gtest/gtest.h>

namespace faketensor {
namespace {

TEST(TextDiff, TellsWhatCameAndWhatWent) {
  EXPECT_EQ(text_diff("a\nb\nc\n", "a\nd\nc\n"), " a\n-b\n+d\n c\n");
  EXPECT_EQ(text_diff("a\n", "a\n"), " a\n");
  EXPECT_EQ(text_diff("", "a\nb\n"), "+a\n+b\n");
  EXPECT_EQ(text_diff("a\nb\n", ""), "-a\n-b\n");
}

TEST(TextDiff, CountsLinesThatAreThereSeveralTimes) {
  EXPECT_EQ(text_diff("a\na\nb\n", "a\nb\na\n"), " a\n+b\n a\n-b\n");
  EXPECT_EQ(text_diff("a\na\na\n", "a\n"), " a\n-a\n-a\n");
}

}  // namespace
}  // namespace faketensor
