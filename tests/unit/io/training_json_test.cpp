// Options of a training step, and that every operator of the recorded architectures has a derivative.
#include "core/io/training_json.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "../test_files.h"
#include "core/io/open.h"

namespace faketensor {
namespace {

TrainingOptions read(const char* text) {
  return read_training_options(parse_json(text, "options"));
}

TEST(TrainingOptions, AreReadAndNothingElseIs) {
  const TrainingOptions options = read(
      R"({"optimizer": "adamw", "gradAccumulation": 4, "masterWeights": true, "checkpoint": ["a.b"]})");
  EXPECT_EQ(options.optimizer, Optimizer::kAdamW);
  EXPECT_EQ(options.grad_accumulation, 4);
  EXPECT_TRUE(options.master_weights);
  EXPECT_EQ(options.checkpoint, std::vector<std::string>{"a.b"});
  for (const char* wrong :
       {"{}", "[]", R"({"optimizer": "lion"})", R"({"optimizer": "sgd", "gradAccumulation": 0})",
        R"({"optimizer": "sgd", "gradAccumulation": 1.5})", R"({"optimizer": "sgd", "lr": 1})",
        R"({"optimizer": "sgd", "checkpoint": "a"})"})
    EXPECT_THROW(read(wrong), Error) << wrong;
}

// Every operator that the recorded architectures differentiate has a formula, and all can be computed.
TEST(DerivativeFormulas, CoverTheArchitectures) {
  const std::filesystem::path models = test_file("conformance/data/models");
  size_t count = 0;
  for (const auto& folder : std::filesystem::directory_iterator(models)) {
    const std::filesystem::path file = folder.path() / "static.json.gz";
    if (!std::filesystem::exists(file)) continue;
    const Program program = open_program(FileSource(file.string()), file.string());
    try {
      const TrainingStep step(program, {}, {});
      for (const std::string& op : step.approximated()) {
        // What torch.compile alone makes has no formula of its own.
        EXPECT_EQ(op, "grouped_mm_fallback.default") << file;
      }
      ++count;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage) << file << error.message();  // no loss
    }
  }
  EXPECT_GT(count, 20u);
}

}  // namespace
}  // namespace faketensor
