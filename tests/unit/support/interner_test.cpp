#include "core/support/interner.h"

#include <gtest/gtest.h>

namespace faketensor {
namespace {

TEST(Interner, EachTextHasOneNumberInOrderOfAppearance) {
  Interner interner;
  EXPECT_EQ(interner.intern(""), 0u);
  EXPECT_EQ(interner.intern("a"), 1u);
  EXPECT_EQ(interner.intern(std::string_view("a\0b", 3)), 2u);
  EXPECT_EQ(interner.intern("a"), 1u);
  EXPECT_EQ(interner.text(2), std::string_view("a\0b", 3));
  EXPECT_EQ(interner.find("a", 99), 1u);
  EXPECT_EQ(interner.find("b", 99), 99u);
  EXPECT_EQ(interner.size(), 3u);
}

TEST(Interner, KeepsItsTextsWhileItGrows) {
  Interner interner;
  for (uint32_t i = 1; i < 50'000; ++i) EXPECT_EQ(interner.intern("name_" + std::to_string(i)), i);
  for (uint32_t i = 1; i < 50'000; ++i) {
    const std::string text = "name_" + std::to_string(i);
    EXPECT_EQ(interner.find(text, 0), i);
    EXPECT_EQ(interner.text(i), text);
  }
}

}  // namespace
}  // namespace faketensor
