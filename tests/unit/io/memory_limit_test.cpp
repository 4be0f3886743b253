// A small file does not become gigabytes: Note [Memory of reading] in core/formats/read_limits.h.

#include <gtest/gtest.h>

#include "core/io/open.h"
#include "core/support/format.h"
#include "sample_program.h"
#include "tests/unit/formats/expect_error.h"
#include "tests/unit/formats/zip_builder.h"

namespace faketensor {
namespace {

ReadLimits with_memory(uint64_t bytes) {
  ReadLimits limits;
  limits.max_memory_bytes = bytes;
  return limits;
}

std::string archive_of(std::string_view model) {
  return ZipBuilder().deflate("m/models/model.json", model).build();
}

std::string repeated(std::string_view text, size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

// Texts that become much: spaces, small values taken whole, nodes, names, expressions.
std::vector<std::string> bombs() {
  constexpr size_t kMany = 150'000;
  const std::string sample = sample_program();
  const std::string nodes =
      repeated(R"({"target":"a","inputs":[],"outputs":[],"metadata":{}},)", kMany / 10);
  std::string names;
  std::string sizes;
  for (size_t i = 0; i < kMany / 10; ++i) {
    names += format("{\"target\":\"t{}\",\"inputs\":[],\"outputs\":[],\"metadata\":{}},", i);
    sizes += format(
        "\"v{}\":{\"dtype\":7,\"sizes\":[{\"as_expr\":{\"expr_str\":\"s{}+s{}*s{}\"}}],"
        "\"requires_grad\":false,\"device\":{\"type\":\"cpu\"},\"strides\":[{\"as_int\":1}],"
        "\"storage_offset\":{\"as_int\":0},\"layout\":7},",
        i, i, i + 1, i + 2);
  }
  return {
      sample + std::string(30 * kMany, ' '),
      "[" + repeated("0,", 10 * kMany) + "0]",
      "{\"graph_module\":{\"graph\":{\"inputs\":[" + repeated("[],", 5 * kMany) + "[]]}}}",
      changed(sample, "\"nodes\": [", "\"nodes\": [" + nodes),
      changed(sample, "\"nodes\": [", "\"nodes\": [" + names),
      changed(sample, "\"tensor_values\": {", "\"tensor_values\": {" + sizes),
  };
}

TEST(MemoryLimit, BombsAreRefusedWhateverTheyHold) {
  constexpr uint64_t kLimit = 3'000'000;
  for (const std::string& bomb : bombs()) {
    for (const std::string& bytes : {gzipped(bomb), archive_of(bomb), gzipped(archive_of(bomb))}) {
      expect_limit([&] { open_program(MemorySource(bytes), "bomb", with_memory(kLimit)); },
                   {"bomb: ", "the memory limit of 3000000 bytes", "--memory-limit"});
    }
  }
}

TEST(MemoryLimit, IsTwoHundredAndFiftySixMegabytesAndTwentyTimesTheFile) {
  EXPECT_EQ(ReadLimits{}.for_file(1000).max_memory_bytes, 256'020'000u);
  EXPECT_EQ(ReadLimits{}.for_file(~uint64_t{0}).max_memory_bytes, ~uint64_t{0});
  EXPECT_EQ(with_memory(5).for_file(1000).max_memory_bytes, 5u);
  const std::string bytes = ZipBuilder()
                                .deflate("m/models/model.json", "{}")
                                .but([](ZipFields& entry) { entry.size = 250'000'000; })
                                .build();
  expect_limit([&] { open_program(MemorySource(bytes), "bomb"); },
               {"the memory limit of ", "256 MB and 20 times the file"});
}

TEST(MemoryLimit, AProgramThatFitsIsRead) {
  const std::string sample = sample_program();
  EXPECT_EQ(open_program(MemorySource(gzipped(sample)), "m", with_memory(1'000'000)).graph().size(),
            9u);
  // What is stated to be small and is not.
  const std::string lying =
      ZipBuilder()
          .deflate("m/models/model.json", sample + std::string(1'000'000, ' '))
          .but([](ZipFields& entry) { entry.size = 1000; })
          .build();
  expect_limit([&] { open_program(MemorySource(lying), "m"); },
               {"inflates to more than the limit of 1000"});
}

// Several members: none of them states the size of all.
TEST(MemoryLimit, GrowingTextsCountTwice) {
  std::string members = gzipped(sample_program());
  for (int i = 0; i < 8; ++i) members += gzipped(std::string(1'000'000, ' '));
  EXPECT_EQ(open_program(MemorySource(members), "m", with_memory(40'000'000)).graph().size(), 9u);
  expect_limit([&] { open_program(MemorySource(members), "m", with_memory(9'000'000)); },
               {"inflates to more than the memory limit"});
}

TEST(MemoryLimit, TheDirectoryOfAnArchiveCounts) {
  ZipBuilder many;
  for (int i = 0; i < 20'000; ++i) many.stored(format("m/data/weights/weight_{}", i), "");
  const std::string bytes = many.stored("m/models/model.json", sample_program()).build();
  EXPECT_EQ(open_program(MemorySource(bytes), "m").graph().size(), 9u);
  expect_limit([&] { open_program(MemorySource(bytes), "m", with_memory(1'000'000)); },
               {"zip: its directory needs more than the memory limit of 1000000 bytes"});
}

}  // namespace
}  // namespace faketensor
