// Genuine archives of PyTorch 2.13 (tests/conformance/data): the reader makes the nodes that
// torch.export.load makes.
#include <gtest/gtest.h>

#include "../test_files.h"
#include "core/formats/json_events.h"
#include "core/formats/text.h"
#include "core/io/open.h"
#include "tests/unit/formats/expect_error.h"

namespace faketensor {
namespace {

class Archives : public testing::TestWithParam<const char*> {
 protected:
  static std::string path(std::string_view extension) {
    return test_file("conformance/data/models/archives/") + GetParam() + std::string(extension);
  }
};

// The names of the nodes in the recorded answers, in order.
std::vector<std::string> recorded_names(const std::string& path) {
  const std::string lines = read_text(FileSource(path), {});
  std::vector<std::string> names;
  size_t begin = 0;
  while (begin < lines.size()) {
    const size_t end = std::min(lines.find('\n', begin), lines.size());
    const JsonDocument line(lines.substr(begin, end - begin));
    const JsonValue name = JsonFields(line.root()).optional("name");
    if (!name.is_null()) names.emplace_back(name.string());
    begin = end + 1;
  }
  return names;
}

TEST_P(Archives, HaveTheNodesThatPyTorchRecorded) {
  const Program program = open_program(FileSource(path(".pt2")), GetParam());
  std::vector<std::string> names;
  const Plan& plan = program.plan();
  for (Row row = 0; row < plan.size(); ++row) names.emplace_back(plan.name_of(row));
  EXPECT_EQ(names, recorded_names(path(".base.answers.jsonl.gz")));
  EXPECT_EQ(program.inputs.size(), program.plan().input_count());
}

TEST_P(Archives, CutOffAnywhereAreRefused) {
  const std::string whole = read_all(FileSource(path(".pt2")), {});
  for (size_t size = 0; size < whole.size(); size += 7) {
    const std::string bytes = whole.substr(0, size);
    expect_unreadable([&] { open_program(MemorySource(bytes), "cut"); }, {"cut: "});
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, Archives,
                         testing::Values("mlp", "conv_dynamic", "cond", "mutated_buffers",
                                         "unbacked", "custom_op", "nested_io"),
                         [](const testing::TestParamInfo<const char*>& one) {
                           return std::string(one.param);
                         });

}  // namespace
}  // namespace faketensor
