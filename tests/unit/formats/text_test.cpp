#include "core/formats/text.h"

#include <gtest/gtest.h>

#include "tests/unit/formats/expect_error.h"
#include "tests/unit/formats/zip_builder.h"

namespace faketensor {
namespace {

TEST(Gzip, InflatesOneMemberAndSeveral) {
  const std::string bytes = gzipped("first, ") + gzipped("second");
  const MemorySource source(bytes);
  EXPECT_TRUE(is_gzip(source));
  EXPECT_EQ(read_text(source, {}), "first, second");
  const MemorySource plain("plain");
  EXPECT_EQ(read_text(plain, {}), "plain");
}

TEST(Gzip, TextThatShrinksAThousandfoldIsFine) {
  const std::string text(5'000'000, 'x');
  const std::string bytes = gzipped(text);
  EXPECT_GT(text.size() / bytes.size(), 900u);
  EXPECT_EQ(inflate_gzip(MemorySource(bytes), {}), text);
}

TEST(Gzip, MoreThanTheLimitIsNotInflated) {
  const std::string bytes = gzipped(std::string(1000, 'x'));
  ReadLimits limits;
  limits.max_text_bytes = 1000;
  EXPECT_EQ(inflate_gzip(MemorySource(bytes), limits).size(), 1000u);
  limits.max_text_bytes = 999;
  expect_limit([&] { inflate_gzip(MemorySource(bytes), limits); },
               {"more than the limit of 999 bytes"});
}

TEST(Gzip, CutOffOrDamagedIsAnError) {
  const std::string whole =
      gzipped("some text that is long enough to be compressed, compressed, compressed");
  for (size_t size = 2; size < whole.size(); ++size) {
    const std::string bytes = whole.substr(0, size);
    expect_unreadable([&] { inflate_gzip(MemorySource(bytes), {}); }, {"gzip file"});
  }
  std::string damaged = whole;
  damaged[damaged.size() - 6] ^= 1;  // its CRC
  expect_unreadable([&] { inflate_gzip(MemorySource(damaged), {}); }, {"damaged"});
  const std::string trailing = whole + "trailing";
  expect_unreadable([&] { inflate_gzip(MemorySource(trailing), {}); }, {"damaged"});
}

}  // namespace
}  // namespace faketensor
