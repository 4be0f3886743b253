#include "core/formats/pickle_writer.h"

#include <gtest/gtest.h>

namespace faketensor {
namespace {

// What `write` makes, without the protocol before it and the stop after it.
template <typename Write>
std::string pickled(Write write) {
  std::string text;
  PickleWriter pickle(text);
  write(pickle);
  pickle.finish();
  EXPECT_EQ(text.substr(0, 2), "\x80\x02");
  EXPECT_EQ(text.back(), '.');
  return text.substr(2, text.size() - 3);
}

TEST(PickleWriter, NumbersTakeFourBytesOrAsManyAsTheyNeed) {
  EXPECT_EQ(pickled([](PickleWriter& p) { p.value(-2); }), std::string("J\xFE\xFF\xFF\xFF"));
  EXPECT_EQ(pickled([](PickleWriter& p) { p.value(int64_t{1} << 40); }),
            std::string("\x8a\x08\0\0\0\0\0\x01\0\0", 10));
  EXPECT_EQ(pickled([](PickleWriter& p) { p.value(UINT64_MAX); }),
            std::string("\x8a\x09\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0", 11));
}

TEST(PickleWriter, ATextThatComesAgainIsTheSameObject) {
  const std::string text = pickled([](PickleWriter& p) {
    const auto list = p.list();
    p.value("ab");
    p.value("ab");
  });
  EXPECT_EQ(text, std::string("](X\x02\0\0\0abr\0\0\0\0j\0\0\0\0e", 20));
}

TEST(PickleWriter, DictsAndTuplesEndWithTheirScope) {
  const std::string text = pickled([](PickleWriter& p) {
    const auto dict = p.dict();
    p.field("a", true);
    const auto tuple = p.tuple("b");
    p.value(1);
  });
  EXPECT_EQ(text,
            std::string("}(X\x01\0\0\0ar\0\0\0\0\x88X\x01\0\0\0br\x01\0\0\0(J\x01\0\0\0tu", 33));
}

}  // namespace
}  // namespace faketensor
