#include "core/formats/json_writer.h"

#include <limits>
#include <map>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "core/formats/json_fields.h"

namespace faketensor {
namespace {

struct Point {
  int x = 0;
};
void write_json(JsonWriter& json, const Point& point) {
  const auto object = json.object();
  json.field("x", point.x);
}

template <typename Body>
std::string written(Body body) {
  std::string text;
  JsonWriter json(text);
  body(json);
  return text;
}

TEST(JsonWriter, CommasStandBetweenMembersAndElements) {
  EXPECT_EQ(written([](JsonWriter& json) {
              const auto reply = json.object();
              json.field("ok", true);
              {
                const auto list = json.array("list");
                json.value(1);
                { const auto empty = json.object(); }
                const auto inner = json.array();
                json.value(nullptr);
                json.value("a");
              }
              json.field("last", uint64_t{18446744073709551615u});
            }),
            R"({"ok":true,"list":[1,{},[null,"a"]],"last":18446744073709551615})");
}

TEST(JsonWriter, TextIsEscaped) {
  EXPECT_EQ(written([](JsonWriter& json) { json.value("a\"b\\c\n\r\t\x01\x1f\x7f\xC3\xA9"); }),
            "\"a\\\"b\\\\c\\n\\r\\t\\u0001\\u001f\x7f\xC3\xA9\"");
  EXPECT_EQ(written([](JsonWriter& json) {
              const auto object = json.object();
              json.field("\"", "");
            }),
            R"({"\"":""})");
}

TEST(JsonWriter, WhatThereIsNothingToSayOfIsLeftOut) {
  EXPECT_EQ(written([](JsonWriter& json) {
              const auto object = json.object();
              json.field_if_any("source", "");
              json.field_if_any("hint", std::optional<int>());
              json.field_if_any("dim", std::optional<int>(0));
              json.flag_if("conj", false);
              json.flag_if("neg", true);
            }),
            R"({"dim":0,"neg":true})");
}

TEST(JsonWriter, ListsOptionalsAndOwnTypesAreValues) {
  EXPECT_EQ(written([](JsonWriter& json) {
              const auto object = json.object();
              json.field("points", std::vector<Point>{{1}, {2}});
              json.field("none", std::optional<Point>());
              json.field("nested", std::vector<std::vector<double>>{{1.0}, {}});
              json.field("map", std::map<std::string, int>{{"b", 2}, {"a", 1}});
              json.field_if_any("empty", std::vector<int>());
            }),
            R"({"points":[{"x":1},{"x":2}],"none":null,"nested":[[1.0],[]],"map":{"a":1,"b":2}})");
}

TEST(JsonWriter, AFloatReadsBackAsItself) {
  const double kFloats[] = {0.1,
                            1e300,
                            -0.0,
                            2,
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity()};
  for (const double number : kFloats) {
    const std::string text = written([&](JsonWriter& json) { json.value(number); });
    EXPECT_EQ(float_of(parse_json(text, "a float")), number) << text;
  }
  EXPECT_EQ(written([](JsonWriter& json) { json.value(std::numeric_limits<double>::quiet_NaN()); }),
            R"({"f":"nan"})");
  EXPECT_EQ(float_of(parse_json(R"({"f": "0"})", "a float")), std::nullopt);
  EXPECT_EQ(float_of(parse_json(R"("inf")", "a float")), std::nullopt);
}

TEST(JsonWriter, AnErrorIsItsClassAndMessage) {
  EXPECT_EQ(written([](JsonWriter& json) {
              const auto object = json.object();
              write_error_members(json, Error(ErrorKind::kValueError, "no"));
            }),
            R"({"raises":"ValueError","message":"no"})");
}

}  // namespace
}  // namespace faketensor
