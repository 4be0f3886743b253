#include "core/formats/byte_source.h"

#include <cstdio>

#include <gtest/gtest.h>

#include "tests/unit/formats/expect_error.h"

namespace faketensor {
namespace {

TEST(ByteSource, ReadsSlicesAndRefusesWhatLiesOutside) {
  const MemorySource source("hello");
  std::string slice(3, '\0');
  source.read(2, slice);
  EXPECT_EQ(slice, "llo");
  expect_unreadable([&] { source.read(3, slice); }, {"cut off", "byte 3"});
  expect_unreadable([&] { source.read(~uint64_t{0}, slice); }, {"cut off"});
}

TEST(ByteSource, AFileIsReadByPosition) {
  const std::string path = testing::TempDir() + "byte_source_test.bin";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  std::fputs("0123456789", file);
  std::fclose(file);
  const FileSource source(path);
  EXPECT_EQ(source.size(), 10u);
  std::string slice(4, '\0');
  source.read(5, slice);
  EXPECT_EQ(slice, "5678");
  std::remove(path.c_str());
}

TEST(ByteSource, AMissingFileIsNamed) {
  expect_unreadable([] { FileSource("/no/such/file"); }, {"/no/such/file", "cannot open"});
  expect_unreadable([] { FileSource("/"); }, {"/: cannot read"});
}

}  // namespace
}  // namespace faketensor
