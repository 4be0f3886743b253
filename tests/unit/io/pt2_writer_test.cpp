#include "core/io/pt2_writer.h"

#include <gtest/gtest.h>

#include "../test_files.h"
#include "core/formats/zip_writer.h"
#include "core/io/edited_program.h"
#include "core/io/open.h"

namespace faketensor {
namespace {

class TextSink final : public ByteSink {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  void finish() override { is_finished = true; }

  std::string text;
  bool is_finished = false;
};

std::string archive_path(const std::string& name) {
  return test_file("conformance/data/models/archives/") + name + ".pt2";
}

TEST(Pt2Writer, EveryEntryIsThereAndTheProgramIsTheSame) {
  for (const char* name : {"mlp", "conv_dynamic", "unbacked"}) {
    const FileSource source(archive_path(name));
    TextSink sink;
    write_pt2(source, ChangedRun{}, {}, sink);
    ASSERT_TRUE(sink.is_finished);
    const MemorySource written_source(sink.text);
    const ZipArchive before(source, {});
    const ZipArchive written(written_source, {});
    ASSERT_EQ(written.entries().size(), before.entries().size());
    for (const ZipEntry& entry : before.entries()) {
      const ZipEntry* copy = written.find(entry.name);
      ASSERT_NE(copy, nullptr) << entry.name;
      if (!entry.name.ends_with("models/model.json")) {
        EXPECT_EQ(written.read(*copy), before.read(entry)) << entry.name;
      }
    }
    EXPECT_EQ(open_program(written_source, name).plan().size(),
              open_program(source, name).plan().size());
  }
}

TEST(Pt2Writer, DataAreAlignedAsPyTorchWantsThem) {
  TextSink sink;
  ZipWriter zip(sink);
  zip.store("a", "first");
  zip.store("folder/b", "second");
  zip.finish();
  EXPECT_EQ(sink.text.find("first") % 64, 0u);
  EXPECT_EQ(sink.text.find("second") % 64, 0u);
}

TEST(Pt2Writer, AWhatIfIsWrittenWhereTheWeightsStayWhatTheyAre) {
  const FileSource source(archive_path("mlp"));
  const Program program = open_program(source, "mlp.pt2");
  ArgumentChanges changes;
  RetargetOptions options;
  options.changes = &changes;
  options.dynamic["batch"] = {};
  const RetargetedRun answer = propagate_retargeted(program, options);
  TextSink sink;
  write_pt2(source, {&answer.run, &changes}, {}, sink);
  const Program written = open_program(MemorySource(sink.text), "written");
  EXPECT_EQ(written.symbols.size(), 1u);
  EXPECT_TRUE(written.node(written.find("x")).recorded->has_symbols());

  RetargetOptions bfloat16;
  bfloat16.changes = &changes;
  bfloat16.dtype = DType::kBFloat16;
  const RetargetedRun other = propagate_retargeted(program, bfloat16);
  EXPECT_THROW(write_pt2(source, {&other.run, &changes}, {}, sink), Error);
}

TEST(Pt2Writer, JsonThatIsNoProgramIsRefused) {
  TextSink sink;
  EXPECT_THROW(write_pt2(MemorySource("{}"), ChangedRun{}, {}, sink), Error);
}

TEST(Pt2Writer, AProgramWithoutWeightsGetsAnArchiveOfItsOwn) {
  const std::string text =
      "def forward(self, x: \"f32[s0, 3]\"):\n"
      "    return torch.ops.aten.relu.default(x)\n";
  const std::string program = program_json(MemorySource(text), "typed.py");
  TextSink sink;
  write_pt2(MemorySource(text), program, {}, sink);
  ASSERT_TRUE(sink.is_finished);
  const MemorySource written(sink.text);
  const ZipArchive archive(written, {});
  EXPECT_EQ(archive.read(*archive.find("model/models/model.json")), program);
  EXPECT_EQ(archive.read(*archive.find("model/archive_format")), "pt2");
  EXPECT_EQ(open_program(written, "written").plan().size(), 3u);
}

TEST(Pt2Writer, OnlyAnArchiveHasTheBytesOfWeights) {
  const std::string text =
      "def forward(self, p_weight: \"f32[3, 3]\", x: \"f32[2, 3]\"):\n"
      "    return torch.ops.aten.mm.default(x, p_weight)\n";
  const std::string program = program_json(MemorySource(text), "typed.py");
  TextSink sink;
  try {
    write_pt2(MemorySource(text), program, {}, sink);
    ADD_FAILURE() << "nothing was raised";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_TRUE(error.message().starts_with("p_weight is a weight")) << error.message();
  }
}

}  // namespace
}  // namespace faketensor
