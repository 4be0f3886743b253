#include "core/io/open.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/io/pt2.h"
#include "sample_program.h"
#include "tests/unit/formats/expect_error.h"
#include "tests/unit/formats/zip_builder.h"

namespace faketensor {
namespace {

std::string archive_of(const std::string& model) {
  return ZipBuilder()
      .stored("m/data/weights/weight_0", std::string(100, 'w'))
      .stored("m/archive_format", "pt2")
      .stored("m/archive_version", "0\n")
      .deflate("m/models/model.json", model)
      .build();
}

Program open_bytes(const std::string& bytes, std::string_view model = {}) {
  return open_program(MemorySource(bytes), "file", {}, model);
}

// A source that counts what is read of it.
class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(std::string_view bytes) : bytes_(bytes) {}
  uint64_t size() const override { return bytes_.size(); }
  mutable uint64_t bytes_read = 0;

 private:
  void read_at(uint64_t offset, std::span<char> into) const override {
    bytes_read += into.size();
    std::copy_n(bytes_.data() + offset, into.size(), into.data());
  }
  std::string_view bytes_;
};

TEST(Open, TellsTheKindByTheContent) {
  const std::string program = sample_program();
  EXPECT_EQ(open_bytes(program).kind, "json");
  EXPECT_EQ(open_bytes(" \n" + program).kind, "json");
  EXPECT_EQ(open_bytes(gzipped(program)).kind, "json");
  EXPECT_EQ(open_bytes(archive_of(program)).kind, "pt2");
  EXPECT_EQ(open_bytes(gzipped(archive_of(program))).kind, "pt2");
  EXPECT_EQ(open_bytes(archive_of(program)).graph().size(), 9u);
  EXPECT_EQ(open_bytes(program).name, "file");
}

TEST(Open, WeightsAreNotRead) {
  const std::string program = sample_program();
  const std::string bytes = ZipBuilder()
                                .stored("m/models/model.json", program)
                                .stored("m/data/weights/weight_0", std::string(5'000'000, 'w'))
                                .build();
  const CountingSource source(bytes);
  EXPECT_EQ(open_program(source, "file").graph().size(), 9u);
  EXPECT_LT(source.bytes_read,
            program.size() + 80'000);  // the model, and the tail with the directory
}

TEST(Open, TheFileIsNamedInEveryError) {
  expect_unreadable([] { open_bytes(""); }, {"file: the file is empty"});
  expect_unreadable([] { open_bytes("x = 1"); }, {"file: neither a .pt2 archive nor"});
  expect_unreadable([] { open_bytes("def forward(self, x):"); },
                    {"file:1:21: a function ends with its return"});
  expect_unreadable([] { open_bytes("\x1f\x8b"); }, {"file: gzip file"});
  expect_unreadable([] { open_bytes("{\"a\": "); }, {"file: byte 6", "not JSON"});
  expect_unreadable([] { open_bytes(gzipped("")); }, {"file: neither"});
  expect_unreadable([] { open_bytes("PK\x03\x04"); }, {"file: zip: the file has 4 bytes"});
}

TEST(Open, ACutOffArchiveIsAnErrorAtAnyByte) {
  const std::string whole = archive_of(sample_program());
  for (size_t size = 0; size < whole.size(); ++size) {
    expect_unreadable([&] { open_bytes(whole.substr(0, size)); }, {"file: "});
  }
}

TEST(Open, ADamagedModelIsAnErrorAtAnyByte) {
  const std::string whole = ZipBuilder().stored("m/models/model.json", sample_program()).build();
  const size_t first = whole.find("{\"graph_module\"");
  for (size_t at = first; at < first + sample_program().size(); ++at) {
    std::string bytes = whole;
    bytes[at] ^= 4;
    expect_unreadable([&] { open_bytes(bytes); },
                      {"file: zip: entry 'm/models/model.json'", "CRC-32"});
  }
}

TEST(Pt2, AnArchiveWithoutAModelSaysWhatItIs) {
  const std::string other = ZipBuilder().stored("m/readme.txt", "hello").build();
  expect_unreadable([&] { open_bytes(other); }, {"no exported program", "no entry models/*.json"});
  const std::string checkpoint =
      ZipBuilder().stored("m/data.pkl", "x").stored("m/data/0", "x").build();
  expect_unreadable([&] { open_bytes(checkpoint); }, {"checkpoint of torch.save"});
  const std::string script =
      ZipBuilder().stored("m/data.pkl", "x").stored("m/constants.pkl", "x").build();
  expect_unreadable([&] { open_bytes(script); }, {"TorchScript"});
  expect_unreadable([&] { open_bytes(ZipBuilder().build()); },
                    {"no exported program among 0 entries"});
}

TEST(Pt2, FormatAndVersionAreChecked) {
  const std::string program = sample_program();
  const std::string format =
      ZipBuilder().stored("m/archive_format", "pt3").stored("m/models/model.json", program).build();
  expect_unreadable([&] { open_bytes(format); },
                    {"'m/archive_format' says \"pt3\", expected \"pt2\""});
  const std::string version =
      ZipBuilder().stored("m/archive_version", "1").stored("m/models/model.json", program).build();
  expect_unreadable([&] { open_bytes(version); },
                    {"'m/archive_version' says \"1\", expected \"0\""});
}

TEST(Pt2, OneOfSeveralModelsIsChosenByName) {
  const std::string program = sample_program();
  const std::string bytes = ZipBuilder()
                                .stored("m/models/draft.json", changed(program, "2.13.0", "draft"))
                                .stored("m/models/model.json", changed(program, "2.13.0", "main"))
                                .stored("m/models/deep/model.json", "no model")
                                .build();
  EXPECT_EQ(open_bytes(bytes).torch_version, "main");
  EXPECT_EQ(open_bytes(bytes, "draft").torch_version, "draft");
  expect_error([&] { open_bytes(bytes, "other"); }, ErrorKind::kUsage,
               {"no model 'other'", "'model', 'draft'"});
  const std::string no_main =
      ZipBuilder().stored("m/models/a.json", program).stored("m/models/b.json", "{}").build();
  EXPECT_EQ(open_bytes(no_main).graph().size(), 9u);
}

TEST(Pt2, ArchivesFromBeforePyTorch27AreRead) {
  const std::string bytes = ZipBuilder()
                                .stored("serialized_exported_program.json", sample_program())
                                .stored("version", "8.2")
                                .build();
  EXPECT_EQ(open_bytes(bytes).graph().size(), 9u);
}

}  // namespace
}  // namespace faketensor
