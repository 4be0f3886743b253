#include "core/formats/json_events.h"

#include <gtest/gtest.h>

#include "core/support/format.h"
#include "tests/unit/formats/expect_error.h"

namespace faketensor {
namespace {

// Writes the events of a document back as text; enters what the path says.
class Recorder : public JsonSink {
 public:
  explicit Recorder(int enter_depth) : enter_depth_(enter_depth) {}
  bool enter(std::string_view name, JsonKind kind, uint32_t) override {
    if (depth_ >= enter_depth_) return false;
    ++depth_;
    text += format("{}{} ", name, kind == JsonKind::kObject ? "{" : "[");
    return true;
  }
  void leave() override {
    --depth_;
    text += "< ";
  }
  void value(std::string_view name, JsonValue value) override {
    text += format("{}=", name);
    write(value);
    text += ' ';
  }
  void write(JsonValue value) {
    switch (value.kind()) {
      case JsonKind::kNull:
        text += "null";
        break;
      case JsonKind::kBool:
        append_text(text, value.boolean());
        break;
      case JsonKind::kInteger:
        append_text(text, value.integer());
        break;
      case JsonKind::kReal:
        append_text(text, value.number());
        break;
      case JsonKind::kString:
        text += value.string();
        break;
      case JsonKind::kArray:
        text += '[';
        for (const JsonValue item : value.items()) {
          write(item);
          text += ',';
        }
        text += ']';
        break;
      case JsonKind::kObject:
        text += '{';
        for (const JsonMember member : value.members()) {
          text += member.name;
          text += ':';
          write(member.value);
          text += ',';
        }
        text += '}';
        break;
    }
  }
  std::string text;

 private:
  int enter_depth_;
  int depth_ = 0;
};

std::string events(std::string text, int enter_depth) {
  Recorder recorder(enter_depth);
  read_json(text, recorder, {});
  return recorder.text;
}

JsonKind kind_of(const std::string& text) { return JsonDocument(text).root().kind(); }

TEST(JsonEvents, WhatIsNotEnteredComesAsOneValue) {
  const std::string text = R"({"a": [1, {"b": -2.5}], "c": {"d": null}, "e": true})";
  EXPECT_EQ(events(text, 0), "={a:[1,{b:-2.5,},],c:{d:null,},e:True,} ");
  EXPECT_EQ(events(text, 1), "{ a=[1,{b:-2.5,},] c={d:null,} e=True < ");
  EXPECT_EQ(events(text, 2), "{ a[ =1 ={b:-2.5,} < c{ d=null < e=True < ");
  EXPECT_EQ(events("[]", 1), "[ < ");
  EXPECT_EQ(events("7", 1), "=7 ");
}

TEST(JsonEvents, StringsAreUnescaped) {
  const JsonDocument document(R"(["a\"b\\\/\n\tA\u00e9\ud83d\ude00", "a\u0000b", "é"])");
  auto item = document.root().items().begin();
  EXPECT_EQ((*item).string(), "a\"b\\/\n\tA\xc3\xa9\xf0\x9f\x98\x80");
  ++item;
  EXPECT_EQ((*item).string(), std::string_view("a\0b", 3));
  ++item;
  EXPECT_EQ((*item).string(), "\xc3\xa9");
}

TEST(JsonEvents, NumbersAreExact) {
  const JsonDocument document(
      "[9223372036854775807, -9223372036854775808, -0, 0.1, 1e-320, 1.7976931348623157e308, "
      "123456789012345678e0]");
  std::string text;
  for (const JsonValue item : document.root().items()) {
    if (item.is(JsonKind::kInteger)) {
      append_text(text, item.integer());
    } else {
      append_text(text, item.number());
    }
    text += ' ';
  }
  EXPECT_EQ(text,
            "9223372036854775807 -9223372036854775808 0 0.1 1e-320 1.7976931348623157e+308 "
            "1.2345678901234568e+17 ");
}

TEST(JsonEvents, IntegersBeyond64BitsAreRefusedAndDoNotBecomeDoubles) {
  for (const std::string number :
       {"9223372036854775808", "-9223372036854775809", "18446744073709551616",
        "-99999999999999999999999999", "123456789012345678901234567890"}) {
    expect_unreadable([&] { JsonDocument("[1, " + number + "]"); },
                      {"byte 4", "does not fit 64 bits"});
  }
  EXPECT_EQ(kind_of("9223372036854775808.0"), JsonKind::kReal);
  EXPECT_EQ(kind_of("12345678901234567890e2"), JsonKind::kReal);
}

TEST(JsonEvents, WhatIsNotJsonIsRefusedWithItsPlace) {
  expect_unreadable([] { JsonDocument(""); }, {"empty"});
  expect_unreadable([] { JsonDocument("   "); }, {"not JSON"});
  expect_unreadable([] { JsonDocument("hello"); }, {"byte 0", "not JSON"});
  expect_unreadable([] { JsonDocument("{\"a\": }"); }, {"byte 6", "not JSON"});
  expect_unreadable([] { JsonDocument("[1, 2"); }, {"byte 5", "not JSON"});
  expect_unreadable([] { JsonDocument("[1, 2]]"); }, {"byte 6", "not JSON"});
  expect_unreadable([] { JsonDocument("[1, 2] 3"); }, {"byte 7", "not JSON"});
  expect_unreadable([] { JsonDocument("[1,]"); }, {"not JSON"});
  expect_unreadable([] { JsonDocument("{'a': 1}"); }, {"not JSON"});
  expect_unreadable([] { JsonDocument("\"open"); }, {"not JSON"});
  expect_unreadable([] { JsonDocument("[\xEF\xBB\xBF]"); }, {"byte 1", "not JSON"});
  expect_unreadable([] { JsonDocument("[\"a\nb\"]"); }, {"not JSON"});
  expect_unreadable([] { JsonDocument("[\"\\ud800\"]"); }, {"surrogate"});
  for (const char* number :
       {"Nan", "Inf", "-Inf", "-NaN", "nan", "1e400", "-1e400", "01", "+1", ".5", "1.", "0x10"}) {
    expect_unreadable([&] { JsonDocument(std::string("[") + number + "]"); }, {"not JSON"});
  }
}

TEST(JsonEvents, ANulByteIsNoEnd) {
  expect_unreadable([] { JsonDocument(std::string("[1]\0", 4)); }, {"byte 3", "NUL"});
  expect_unreadable([] { JsonDocument(std::string("[1\0]", 4)); }, {"byte 2", "not JSON"});
  expect_unreadable([] { JsonDocument(std::string("[\"\0\"]", 5)); }, {"not JSON"});
}

TEST(JsonEvents, InvalidUtf8IsRefusedWithItsPlace) {
  for (const char* bytes : {"\x80", "\xc3", "\xc3(", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                            "\xf4\x90\x80\x80", "\xff"}) {
    expect_unreadable([&] { JsonDocument(std::string("[\"0123456789") + bytes + "\"]"); },
                      {"byte 12", "UTF-8"});
  }
  EXPECT_EQ(kind_of("\"\xf4\x8f\xbf\xbf \xed\x9f\xbf \xe0\xa0\x80\""), JsonKind::kString);
}

TEST(JsonEvents, DepthIsLimited) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(kind_of(nested(256)), JsonKind::kArray);
  expect_limit([&] { JsonDocument(nested(257)); }, {"byte 256", "256"});
  expect_limit([&] { JsonDocument(std::string(1'000'000, '[')); }, {"byte 256"});
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  expect_limit([&] { JsonDocument document(objects); }, {"nested deeper"});
  Recorder recorder(1'000'000);
  std::string entered = nested(257);
  expect_limit([&] { read_json(entered, recorder, {}); }, {"nested deeper"});
}

TEST(JsonEvents, RepeatedNamesAreRefused) {
  expect_unreadable([] { JsonDocument(R"({"a": 1, "b": 2, "a": 3})"); },
                    {"second member", "\"a\""});
  std::string many = "{";
  for (int i = 0; i < 1000; ++i) many += format("\"m{}\": {}, ", i, i);
  EXPECT_EQ(JsonDocument(many + "\"last\": 0}").root().size(), 1001u);
  expect_unreadable([&] { JsonDocument(many + "\"m17\": 0}"); }, {"second member", "\"m17\""});
  EXPECT_EQ(kind_of(R"({"__proto__": 1, "constructor": 2})"), JsonKind::kObject);
}

TEST(JsonEvents, TheTextIsLimited) {
  ReadLimits limits;
  limits.max_text_bytes = 3;
  expect_limit([&] { JsonDocument("[12]", limits); }, {"limit of 3"});
}

TEST(JsonEvents, ValuesOfAnotherKindAreRefusedWithTheirPlace) {
  const JsonDocument document(R"({"a": 1, "b": "text", "c": null, "d": [true]})");
  JsonFields fields(document.root());
  expect_unreadable([&] { fields.required("a").string(); },
                    {"byte 6", "expected a string, found an integer"});
  expect_unreadable([&] { fields.required("b").integer(); },
                    {"byte 14", "expected an integer, found a string"});
  expect_unreadable([&] { fields.required("c").members(); },
                    {"byte 27", "expected an object, found null"});
  expect_unreadable([&] { fields.required("d").boolean(); },
                    {"expected a boolean, found an array"});
  expect_unreadable([&] { fields.required("e"); }, {"byte 0", "lacks its member \"e\""});
  expect_unreadable([&] { document.root().items(); }, {"expected an array, found an object"});
  expect_unreadable([&] { (*fields.required("d").items().begin()).number(); },
                    {"byte 39", "expected a number, found a boolean"});
}

TEST(JsonFields, FindsMembersInAnyOrder) {
  const JsonDocument document(R"({"a": 1, "b": 2, "c": 3, "n": null})");
  JsonFields fields(document.root());
  EXPECT_EQ(fields.required("c").integer(), 3);
  EXPECT_EQ(fields.required("a").integer(), 1);
  EXPECT_EQ(fields.required("a").integer(), 1);
  EXPECT_EQ(fields.optional("b").integer(), 2);
  EXPECT_TRUE(fields.optional("n").is_null());
  EXPECT_TRUE(fields.optional("x").is_null());
}

}  // namespace
}  // namespace faketensor
