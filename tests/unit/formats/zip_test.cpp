#include "core/formats/zip.h"

#include <gtest/gtest.h>

#include "tests/unit/formats/expect_error.h"
#include "tests/unit/formats/zip_builder.h"

namespace faketensor {
namespace {

constexpr std::string_view kModel = "{\"graph_module\": {}}";

std::string read_entry(const std::string& bytes, std::string_view name) {
  const MemorySource source(bytes);
  const ZipArchive archive(source, {});
  const ZipEntry* entry = archive.find(name);
  if (entry == nullptr) return "(missing)";
  return archive.read(*entry);
}

ZipBuilder two_entries() {
  return ZipBuilder().stored("m/models/model.json", kModel).deflate("m/archive_format", "pt2");
}

TEST(Zip, ReadsStoredAndDeflatedEntries) {
  const std::string bytes = two_entries().build();
  EXPECT_EQ(read_entry(bytes, "m/models/model.json"), kModel);
  EXPECT_EQ(read_entry(bytes, "m/archive_format"), "pt2");
  EXPECT_EQ(read_entry(bytes, "m/other"), "(missing)");
}

TEST(Zip, AnArchiveWithoutEntriesIsOne) {
  const std::string bytes = ZipBuilder().build();
  const MemorySource source(bytes);
  EXPECT_TRUE(is_zip(source));
  EXPECT_TRUE(ZipArchive(source, {}).entries().empty());
}

TEST(Zip, ReadsZip64) {
  const std::string bytes =
      two_entries().but([](ZipFields& entry) { entry.zip64 = true; }).zip64_end().build();
  EXPECT_EQ(read_entry(bytes, "m/archive_format"), "pt2");
  EXPECT_EQ(read_entry(bytes, "m/models/model.json"), kModel);
}

TEST(Zip, MoreThan65535EntriesNeedZip64) {
  ZipBuilder builder;
  for (int i = 0; i < 70000; ++i) builder.stored("e" + std::to_string(i), "");
  const std::string bytes = builder.zip64_end().build();
  const MemorySource source(bytes);
  EXPECT_EQ(ZipArchive(source, {}).entries().size(), 70000u);
}

TEST(Zip, CutOffAtAnyByteIsAnError) {
  const std::string whole = two_entries().comment("a comment").build();
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string bytes = whole.substr(0, size);
    expect_unreadable([&] { read_entry(bytes, "m/models/model.json"); }, {"zip: "});
  }
}

TEST(Zip, Zip64CutOffAtAnyByteIsAnError) {
  const std::string whole = two_entries().zip64_end().build();
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string bytes = whole.substr(0, size);
    expect_unreadable([&] { read_entry(bytes, "m/models/model.json"); }, {"zip: "});
  }
}

TEST(Zip, NoChangedByteIsReadAsIfNothingHadHappened) {
  const std::string whole = two_entries().build();
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {1, 0x80, 0xff}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      try {
        for (const std::string_view name : {"m/models/model.json", "m/archive_format"}) {
          const std::string content = read_entry(bytes, name);
          EXPECT_TRUE(content == kModel || content == "pt2" || content == "(missing)")
              << "byte " << at;
        }
      } catch (const Error& error) {
        EXPECT_TRUE(error.kind() == ErrorKind::kUnreadable ||
                    error.kind() == ErrorKind::kLimitExceeded);
      }
    }
  }
}

TEST(Zip, AWrongChecksumIsNamed) {
  const std::string bytes =
      ZipBuilder().stored("model.json", kModel).but([](ZipFields& e) { ++e.crc; }).build();
  expect_unreadable([&] { read_entry(bytes, "model.json"); }, {"'model.json'", "CRC-32"});
}

TEST(Zip, TheLocalHeaderMustAgree) {
  const auto with = [](auto change) { return ZipBuilder().stored("a", "abc").but(change).build(); };
  const std::string name = with([](ZipFields& e) { e.local_name = "b"; });
  expect_unreadable([&] { read_entry(name, "a"); }, {"'a'", "names 'b'"});
  const std::string method = with([](ZipFields& e) { e.local_method = 8; });
  expect_unreadable([&] { read_entry(method, "a"); }, {"'a'", "method"});
  std::string crc = with([](ZipFields&) {});
  crc[14] = static_cast<char>(crc[14] ^ 1);
  expect_unreadable([&] { read_entry(crc, "a"); }, {"'a'", "differ in size or checksum"});
}

TEST(Zip, EncryptedAndUnknownMethodsAreRefused) {
  const std::string encrypted =
      ZipBuilder().stored("a", "abc").but([](ZipFields& e) { e.flags = 1; }).build();
  expect_unreadable([&] { read_entry(encrypted, "a"); }, {"'a'", "encrypted"});
  const std::string zstd = ZipBuilder()
                               .stored("a", "abc")
                               .but([](ZipFields& e) { e.method = e.local_method = 93; })
                               .build();
  expect_unreadable([&] { read_entry(zstd, "a"); }, {"'a'", "compression method 93"});
}

TEST(Zip, AnEntryThatIsNotAskedForMayUseAnything) {
  const std::string bytes = ZipBuilder()
                                .stored("weights", "abc")
                                .but([](ZipFields& e) { e.method = 93; })
                                .stored("model", "m")
                                .build();
  EXPECT_EQ(read_entry(bytes, "model"), "m");
}

TEST(Zip, DuplicateNamesAreRefused) {
  const std::string bytes = ZipBuilder().stored("a", "1").stored("a", "2").build();
  expect_unreadable([&] { read_entry(bytes, "a"); }, {"two entries", "'a'"});
}

TEST(Zip, OverlappingEntriesAreRefused) {
  const std::string bytes = ZipBuilder()
                                .stored("a", "abc")
                                .stored("b", "abc")
                                .but([](ZipFields& e) { e.offset = 2; })
                                .build();
  expect_unreadable([&] { read_entry(bytes, "a"); }, {"overlaps"});
  const std::string long_data = ZipBuilder()
                                    .stored("a", "abc")
                                    .but([](ZipFields& e) { e.compressed_size = e.size = 1000; })
                                    .build();
  expect_unreadable([&] { read_entry(long_data, "a"); }, {"overlaps"});
}

TEST(Zip, ALieAboutTheNumberOfEntriesIsRefused) {
  for (const uint64_t count : {0u, 1u, 3u, 60000u}) {
    const std::string bytes = two_entries().stated_entries(count).build();
    expect_unreadable([&] { read_entry(bytes, "m/models/model.json"); }, {"entries"});
  }
  const std::string huge = two_entries().zip64_end().stated_entries(uint64_t{1} << 62).build();
  expect_limit([&] { read_entry(huge, "m/models/model.json"); }, {"entries", "limit"});
}

TEST(Zip, AnEndRecordInTheCommentIsNotTheEndRecord) {
  const std::string decoy = ZipBuilder().stored("decoy", "x").build();
  const std::string bytes = two_entries().comment(decoy.substr(decoy.size() - 22)).build();
  EXPECT_EQ(read_entry(bytes, "m/archive_format"), "pt2");
}

TEST(Zip, TwoReadingsOfOneFileAreRefused) {
  // An end record in the comment that states an empty directory right before itself holds as well
  // as the real one.
  const size_t before = two_entries().build().size();
  std::string decoy;
  put32(decoy, 0x06054b50);
  put32(decoy, 0);
  put32(decoy, 0);
  put32(decoy, 0);
  put32(decoy, before);
  put16(decoy, 0);
  const std::string bytes = two_entries().comment(decoy).build();
  expect_unreadable([&] { read_entry(bytes, "m/archive_format"); }, {"ambiguous"});
}

TEST(Zip, SizesThatLieAreRefused) {
  const std::string more =
      ZipBuilder().deflate("a", "abcdef").but([](ZipFields& e) { e.size = 7; }).build();
  expect_unreadable([&] { read_entry(more, "a"); }, {"inflates to 6 bytes", "7"});
  const std::string less =
      ZipBuilder().deflate("a", "abcdef").but([](ZipFields& e) { e.size = 5; }).build();
  expect_limit([&] { read_entry(less, "a"); }, {"more than the limit of 5 bytes"});
  const std::string stored =
      ZipBuilder().stored("a", "abcdef").but([](ZipFields& e) { e.size = 7; }).build();
  expect_unreadable([&] { read_entry(stored, "a"); }, {"two sizes differ"});
  const std::string bomb = ZipBuilder()
                               .deflate("a", "x")
                               .but([](ZipFields& e) {
                                 e.zip64 = true;
                                 e.size = uint64_t{1} << 62;
                               })
                               .build();
  expect_limit([&] { read_entry(bomb, "a"); }, {"limit"});
}

TEST(Zip, BadNamesAreRefused) {
  const std::string nul = ZipBuilder().stored(std::string_view("a\0b", 3), "x").build();
  expect_unreadable([&] { read_entry(nul, "a"); }, {"NUL"});
  const std::string longest = ZipBuilder().stored(std::string(60000, 'n'), "x").build();
  expect_limit([&] { read_entry(longest, "a"); }, {"name of 60000 bytes"});
}

TEST(Zip, BytesBeforeTheFirstEntryAreRefused) {
  const std::string bytes = "#!/bin/sh\n" + two_entries().build();
  expect_unreadable([&] { read_entry(bytes, "m/archive_format"); },
                    {"bytes before its first entry"});
}

}  // namespace
}  // namespace faketensor
