#include "core/command/value_text.h"

#include <gtest/gtest.h>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

class ValueTextTest : public ::testing::Test {
 protected:
  Value parse(std::string_view text, ArgKind kind, bool is_list) {
    ArgType type;
    type.kind = kind;
    type.is_list = is_list;
    return parse_value(mode, text, type);
  }
  // What is wrong with a text; empty for a value.
  std::string refusal(std::string_view text, ArgKind kind = ArgKind::kInt, bool is_list = true) {
    try {
      parse(text, kind, is_list);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.message();
    }
    return {};
  }
  FakeTensorMode mode;
};

TEST_F(ValueTextTest, ListsAreReadToTheirEnd) {
  EXPECT_EQ(format("{}", parse("[1, 2]", ArgKind::kInt, true)), "[1, 2]");
  EXPECT_EQ(format("{}", parse("[]", ArgKind::kInt, true)), "[]");
  for (const char* text : {"[12", "[1", "[", "[1}", "[1]]", "[[1]", "[1]2]", "]"})
    EXPECT_NE(refusal(text), "") << text;
  EXPECT_EQ(refusal("[12"), "cannot read '[12' as a list");
}

TEST_F(ValueTextTest, TensorsAreReadToTheirEnd) {
  EXPECT_EQ(parse("f32[2,3]{1,2}@cuda", ArgKind::kTensor, false).tensor().dim(), 2);
  for (const char* text : {"f32[2", "f32]2[", "f32", "f32[-1]", "f32[2,3]{1}", "f32[2]{-1}",
                           "f32[2]{1", "f32[2]@", "f32[2]x", "f32[2]{1]", "f32[2}]"})
    EXPECT_NE(refusal(text, ArgKind::kTensor, false), "") << text;
}

TEST_F(ValueTextTest, NumbersFit64Bits) {
  EXPECT_NE(refusal("[9223372036854775808]"), "");
  EXPECT_NE(refusal("[1.5.5]"), "");
}

}  // namespace
}  // namespace faketensor
