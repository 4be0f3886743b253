// time, fits, diff, flops --all, and --target with a file.
#include <gtest/gtest.h>

#include "../test_files.h"
#include "core/formats/json_fields.h"
#include "core/formats/text.h"
#include "core/support/format.h"
#include "tests/unit/command/test_io.h"

namespace faketensor {
namespace {

constexpr std::string_view kGpu = R"(name: mine
pytorch: {sm: 80}
memory: {total: 1 KiB, bandwidth: 1 GB/s}
launch: 1 us
flops: {float32: {plain: 1 TFLOPS}}
)";

std::map<std::string, std::string> files(std::string gpu = std::string(kGpu)) {
  const std::string path = test_file("golden/files/blocks.json");
  std::string program = read_all(FileSource(path), {});
  // mylib::block(x, scale) becomes an operator that has a rule.
  const std::string custom = "torch.ops.mylib.block.default";
  for (size_t at = 0; (at = program.find(custom, at)) != std::string::npos;)
    program.replace(at, custom.size(), "torch.ops.aten.add.Tensor");
  const std::string name = "\"name\":\"scale\"";
  for (size_t at = 0; (at = program.find(name, at)) != std::string::npos;)
    program.replace(at, name.size(), "\"name\":\"other\"");
  const std::string self = "\"inputs\":[{\"name\":\"x\",\"arg\"";
  for (size_t at = 0; (at = program.find(self, at)) != std::string::npos;)
    program.replace(at, self.size(), "\"inputs\":[{\"name\":\"self\",\"arg\"");
  return {{"model.json", program}, {"gpu.yaml", std::move(gpu)}};
}

TEST(DeviceCommands, ATargetMayBeAFile) {
  const CommandRun outcome = run({"propagate", "model.json", "--target", "gpu.yaml"}, files());
  EXPECT_EQ(outcome.code, kExitFine) << outcome.error;
  EXPECT_NE(outcome.out.find("target 2.13.0, build cu130, gpu sm_80"), std::string::npos);
}

TEST(DeviceCommands, ATargetThatIsWrongExitsWithTwoAndSaysWhere) {
  std::string negative(kGpu);
  negative.replace(negative.find("1 GB/s"), 6, "-1 GB/s");
  for (const char* command : {"propagate", "memory", "flops", "time", "fits", "diff", "guards"}) {
    const CommandRun outcome =
        run({command, "model.json", "--target", "gpu.yaml"}, files(negative));
    EXPECT_EQ(outcome.code, kExitUsage) << command;
    EXPECT_EQ(outcome.error,
              "faketensor: gpu.yaml:3:35: memory.bandwidth: more than 0 expected, not '-1 GB/s'\n");
  }
  EXPECT_EQ(run({"time", "model.json", "--target", "gpu.yaml"}, files("a: b: c")).code, kExitUsage);
  EXPECT_EQ(run({"time", "model.json", "--target", "no.yaml"}, files()).error,
            "faketensor: no.yaml: cannot open: No such file or directory\n");
  EXPECT_EQ(run({"time", "model.json", "--target", "gtx"}, files()).code, kExitUsage);
  EXPECT_EQ(run({"time", "model.json", "--target", "cuda"}, files()).code, kExitUsage);
}

TEST(DeviceCommands, WhatATargetLacksAndADtypeThatThereIsNotAreNamedWithTheirPlace) {
  const auto refusal = [](std::string_view what, std::string_view by) {
    std::string gpu(kGpu);
    gpu.replace(gpu.find(what), what.size(), by);
    const CommandRun outcome = run({"fits", "model.json", "--target", "gpu.yaml"}, files(gpu));
    EXPECT_EQ(outcome.code, kExitUsage);
    return outcome.error;
  };
  EXPECT_EQ(refusal("float32", "float33"),
            "faketensor: gpu.yaml:5:9: unknown dtype 'float33'; those known are float64, float32, "
            "tf32, float16, bfloat16, float8, int8\n");
  EXPECT_EQ(refusal("total: 1 KiB, ", ""), "faketensor: gpu.yaml:3:9: 'memory.total' is missing\n");
  EXPECT_EQ(refusal("memory: {total: 1 KiB, bandwidth: 1 GB/s}\n", ""),
            "faketensor: gpu.yaml:1:1: 'memory' is missing\n");
}

TEST(DeviceCommands, SettingsThatPyTorchRefusesAreRefusedInItsWords) {
  const auto refusal = [](const char* option, const char* value) {
    const CommandRun outcome = run({"memory", "model.json", option, value}, files());
    EXPECT_EQ(outcome.code, kExitUsage) << value;
    return outcome.error;
  };
  EXPECT_EQ(refusal("--allocator", "max_split_size_mb:5"),
            "faketensor: --allocator max_split_size_mb:5: CachingAllocator option "
            "max_split_size_mb too small, must be >= 20\n");
  EXPECT_EQ(refusal("--allocator", "nonsense:1"),
            "faketensor: --allocator nonsense:1: Unrecognized key 'nonsense' in Accelerator "
            "allocator config.\n");
  EXPECT_EQ(refusal("--train", "lion"),
            "faketensor: --train is sgd, momentum, adam or adamw, not 'lion'\n");
  const CommandRun outcome =
      run({"memory", "model.json", "--train", "adam", "--checkpoint", "nowhere"}, files());
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_EQ(outcome.error, "faketensor: checkpoint: the program has no module 'nowhere'\n");
}

TEST(DeviceCommands, TimeSaysWhatBounds) {
  const CommandRun outcome =
      run({"time", "model.json", "--target", "gpu.yaml", "--format", "json"}, files());
  ASSERT_EQ(outcome.code, kExitFine) << outcome.error;
  const Json report = parse_json(outcome.out, "report");
  EXPECT_EQ(text_member(report, "target"), "mine");
  EXPECT_EQ(integer_member(report, "calls", 0), 7);
  EXPECT_DOUBLE_EQ(member(report, "seconds").get<double>(), 7e-6);
  EXPECT_EQ(text_member(list_member(report, "nodes")[0], "bound"), "launch");
  EXPECT_EQ(run({"time", "model.json", "--format", "json"}, files()).code, kExitUsage);
  EXPECT_EQ(run({"time", "model.json"}, files()).code, kExitFine);
}

// x of [batch, 3] float32 and five results of it are alive at most: 1 KiB holds 14 rows.
TEST(DeviceCommands, FitsFindsTheLargestBatch) {
  const CommandRun outcome =
      run({"fits", "model.json", "--target", "gpu.yaml", "--format", "json"}, files());
  ASSERT_EQ(outcome.code, kExitFine) << outcome.error;
  const Json row = list_member(parse_json(outcome.out, "report"), "targets")[0];
  const int64_t peak = integer_member(row, "peak", 0);
  EXPECT_EQ(peak % (4 * 12), 0);
  EXPECT_TRUE(bool_member(row, "fits", false));
  EXPECT_EQ(integer_member(row, "headroom", 0), 1024 - peak);
  EXPECT_EQ(integer_member(object_member(row, "largest"), "size", 0), 1024 / (peak / 4));
  for (const char* over : {"batch=0..4", "batch=4..2", "batch=4", "=1..2", "wings"})
    EXPECT_EQ(run({"fits", "model.json", "--over", over}, files()).code, kExitUsage) << over;
}

TEST(DeviceCommands, FitsFindsTheLargestBatchOfATrainingStep) {
  const auto largest = [](std::vector<std::string> options) {
    std::vector<std::string> words = {"fits",     "model.json", "--target",
                                      "gpu.yaml", "--format",   "json"};
    words.insert(words.end(), options.begin(), options.end());
    const CommandRun outcome = run(words, files());
    EXPECT_EQ(outcome.code, kExitFine) << outcome.error;
    const Json row = list_member(parse_json(outcome.out, "report"), "targets")[0];
    EXPECT_EQ(text_member(row, "phase", "").empty(), options.empty());
    return integer_member(object_member(row, "largest"), "size", 0);
  };
  EXPECT_GT(largest({"--train", "sgd"}), 0);
  EXPECT_LT(largest({"--train", "sgd"}), largest({}));
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--train", "rmsprop"},
                                                {"--train", "sgd", "--allocator", "default"},
                                                {"--train", "sgd", "--context"},
                                                {"--train", "sgd", "--checkpoint", "nowhere"},
                                                {"--master-weights"},
                                                {"--parallel", "dp"}}) {
    std::vector<std::string> words = {"fits", "model.json"};
    words.insert(words.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(run(words, files()).code, kExitUsage) << wrong.front() << wrong.back();
  }
}

// Names of files and nodes are a stranger's.
TEST(DeviceCommands, TheReportOfMemoryIsOneFileWithoutScripts) {
  std::map<std::string, std::string> given = files();
  const std::string name = "<script>alert(1)</script>.json";
  given[name] = given["model.json"];
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--train", "adam"}}) {
    std::vector<std::string> words = {"memory", name, "--set", "batch=8", "--html", "out.html"};
    words.insert(words.end(), more.begin(), more.end());
    const CommandRun outcome = run(words, given);
    ASSERT_EQ(outcome.code, kExitFine) << outcome.error;
    const std::string& html = outcome.written.at("out.html");
    EXPECT_EQ(html.find("<script"), std::string::npos);
    EXPECT_EQ(html.find("http:"), std::string::npos);
    EXPECT_EQ(html.find("https:"), std::string::npos);
    EXPECT_NE(html.find("&lt;script&gt;alert(1)"), std::string::npos);
    for (const char* part :
         {"<svg", "Who holds the peak", "By kind", "By dtype", "By module",
          "What would lower the peak", "What the numbers rest on", "--set batch=8"})
      EXPECT_NE(html.find(part), std::string::npos) << part;
    EXPECT_EQ(html.find("caching allocator") != std::string::npos, more.empty());
  }
  const CommandRun to_standard = run({"memory", "model.json", "--html", "-"}, files());
  EXPECT_TRUE(to_standard.out.starts_with("<!doctype html>"));
}

TEST(DeviceCommands, DiffTakesTwoFilesOrTwoSettings) {
  EXPECT_NE(run({"diff", "model.json", "model.json"}, files()).out.find("no node differs"),
            std::string::npos);
  const CommandRun outcome = run({"diff", "model.json", "--set", "batch=5", "--b-set", "batch=8",
                                  "--b-dtype", "float64", "--json"},
                                 files());
  ASSERT_EQ(outcome.code, kExitFine) << outcome.error;
  const Json report = parse_json(outcome.out, "report");
  const int64_t a = integer_member(object_member(report, "a"), "peak", 0);
  EXPECT_EQ(integer_member(object_member(report, "b"), "peak", 0) * 5, a * 8 * 2);
  EXPECT_EQ(run({"diff"}, files()).code, kExitUsage);
  EXPECT_EQ(run({"diff", "model.json", "--b-wings", "1"}, files()).code, kExitUsage);
}

TEST(DeviceCommands, FlopsCountsTheRestWhenAsked) {
  EXPECT_EQ(run({"flops", "model.json"}, files()).out, "0 FLOP in all\n");
  const CommandRun outcome = run({"flops", "model.json", "--all", "--format", "jsonl"}, files());
  EXPECT_NE(outcome.out.find("{\"total\":84,\"counted\":0,\"read\":"), std::string::npos)
      << outcome.out;
}

}  // namespace
}  // namespace faketensor
