#include "core/formats/json_fields.h"

#include "tests/unit/formats/expect_error.h"

namespace faketensor {
namespace {

TEST(ParseJson, TextThatIsNoJsonIsRefusedWithItsPlace) {
  EXPECT_EQ(parse_json("[1, 2]", "x").size(), 2u);
  expect_unreadable([] { parse_json("[1, ", "line 3"); }, {"line 3: not JSON at byte"});
  expect_unreadable([] { parse_json("", "line 3"); }, {"line 3"});
  expect_unreadable([] { parse_json("[1e999]", "x"); }, {"x: a number out of range"});
}

TEST(ParseJson, NestingIsBoundedBeforeAnythingIsBuilt) {
  const std::string deep = std::string(300'000, '[') + std::string(300'000, ']');
  expect_limit([&] { parse_json(deep, "x.json"); }, {"x.json: JSON nested more than 256 deep"});
  EXPECT_NO_THROW(parse_json(std::string(256, '[') + std::string(256, ']'), "x"));
  EXPECT_NO_THROW(parse_json("\"" + std::string(1000, '[') + "\"", "x"));
}

TEST(JsonFields, AMemberOfAnotherTypeIsNamedAndShown) {
  const Json object = parse_json(R"({"name": 5, "size": 2.7, "flag": 1, "list": {}})", "x");
  expect_unreadable([&] { text_member(object, "name"); }, {"'name' must be text, not 5"});
  expect_unreadable([&] { integer_member(object, "size", 0); },
                    {"'size' must be an integer, not 2.7"});
  expect_unreadable([&] { bool_member(object, "flag", false); },
                    {"'flag' must be true or false, not 1"});
  expect_unreadable([&] { list_member(object, "list"); }, {"'list' must be a list, not {}"});
  expect_unreadable([&] { member(object, "other"); }, {"'other' is missing in {"});
  EXPECT_EQ(integer_member(object, "other", 3), 3);
  EXPECT_EQ(find_member(Json(5), "name"), nullptr);
}

TEST(JsonFields, NoDigitIsLost) {
  EXPECT_EQ(integer_of(parse_json("9007199254740993", "x"), "x"), 9007199254740993);
  EXPECT_EQ(integer_of(parse_json("-9223372036854775808", "x"), "x"), INT64_MIN);
  for (const char* text : {"9223372036854775808", "18446744073709551615", "1e3", "3.0", "1e30"})
    expect_unreadable([&] { integer_of(parse_json(text, "x"), "n"); }, {"'n' must be an integer"});
}

TEST(JsonFields, ALongValueIsCutInMessages) {
  EXPECT_EQ(excerpt(Json(std::string(500, 'a'))).size(), 83u);
  expect_unreadable([] { element(Json::array({1}), 1, "args"); },
                    {"'args' must have more than 1 elements: [1]"});
}

}  // namespace
}  // namespace faketensor
