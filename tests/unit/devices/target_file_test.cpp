#include "core/devices/target_file.h"

#include <gtest/gtest.h>

#include "../test_files.h"
#include "core/devices/presets.h"
#include "core/formats/text.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

constexpr std::string_view kMine = R"(name: mine
pytorch: {build: cuda, sm: 89, deterministic: true}
memory: {total: 24 GiB, reserved: 512 MiB, context: 256MiB, bandwidth: 1 TB/s}
link: {kind: PCIe, bandwidth: 64 GB/s}
launch: 4 us
flops:
  float32: {plain: 80 TFLOPS}
  bfloat16: {plain: 80e12, tensor: 160 TFLOPS}
)";

std::string refusal(std::string_view text) {
  try {
    read_target_file(text, "gpu.yaml");
  } catch (const Error& error) {
    return error.message();
  }
  return "read";
}

std::string replaced(std::string_view from, std::string_view to) {
  std::string text(kMine);
  return text.replace(text.find(from), from.size(), to);
}

TEST(TargetFile, QuantitiesHaveUnits) {
  const DeviceModel model = read_target_file(kMine, "gpu.yaml").model;
  EXPECT_EQ(model.name, "mine");
  EXPECT_EQ(model.title, "mine");
  EXPECT_EQ(model.target.sm, 89);
  EXPECT_TRUE(model.target.deterministic);
  EXPECT_TRUE(model.target.cudnn_enabled);
  const Hardware& hardware = *model.hardware;
  EXPECT_EQ(hardware.memory, int64_t{24} << 30);
  EXPECT_EQ(hardware.usable(), (int64_t{24} << 30) - (int64_t{768} << 20));
  EXPECT_DOUBLE_EQ(hardware.bandwidth, 1e12);
  EXPECT_DOUBLE_EQ(hardware.link_bandwidth, 64e9);
  EXPECT_DOUBLE_EQ(hardware.launch, 4e-6);
  EXPECT_DOUBLE_EQ(hardware.peak(Rate::kBFloat16).plain, 80e12);
  EXPECT_DOUBLE_EQ(hardware.peak(Rate::kBFloat16).tensor, 160e12);
  EXPECT_EQ(hardware.peak(Rate::kFloat16).tensor, 0);
}

TEST(TargetFile, WhatIsWrongIsRefusedWithItsPlace) {
  EXPECT_EQ(refusal(replaced("1 TB/s", "-1 TB/s")),
            "gpu.yaml:3:72: memory.bandwidth: more than 0 expected, not '-1 TB/s'");
  EXPECT_EQ(
      refusal(replaced("1 TB/s", "1 TB")),
      "gpu.yaml:3:72: memory.bandwidth: a number and a unit expected, as in '1 B/s', not '1 TB'");
  EXPECT_EQ(refusal(replaced("  bfloat16", "  bfloat17")),
            "gpu.yaml:8:3: unknown dtype 'bfloat17'; those known are float64, float32, tf32, "
            "float16, bfloat16, float8, int8");
  EXPECT_EQ(refusal(replaced("total: 24 GiB, ", "")), "gpu.yaml:3:9: 'memory.total' is missing");
  EXPECT_EQ(refusal(replaced("memory:", "memories:")), "gpu.yaml:3:1: unknown key 'memories'");
  EXPECT_EQ(refusal("name: x\nflops: {float32: {plain: 1}}\n"),
            "gpu.yaml:1:1: 'memory' is missing");
  EXPECT_EQ(refusal(replaced("total: 24 GiB", "total: 700 MiB")),
            "gpu.yaml:3:9: memory: nothing is left of total without reserved and context");
  EXPECT_EQ(refusal(replaced("sm: 89", "sm: 8.9")),
            "gpu.yaml:2:28: pytorch.sm: an integer expected");
  EXPECT_EQ(refusal(replaced("float32: {plain: 80 TFLOPS}", "float64: {plain: 1 TFLOPS}")),
            "gpu.yaml:7:3: 'flops.float32.plain' is missing");
  EXPECT_EQ(refusal(std::string(kMine) + "name: twice\n"), "gpu.yaml:9:1: 'name' is there twice");
  EXPECT_EQ(refusal(""), "gpu.yaml: target: a mapping expected");
}

TEST(Presets, NamesThatCommandsHadStay) {
  EXPECT_EQ(target_preset("cpu")->build, Target::Build::kCPU);
  EXPECT_EQ(target_preset("cpu")->cudnn, 0);
  EXPECT_FALSE(target_preset("cuda")->has_gpu());
  EXPECT_EQ(target_preset("t4")->sm, 75);
  EXPECT_EQ(target_preset("a100")->sm, 80);
  EXPECT_EQ(target_preset("rtx4090")->sm, 89);
  EXPECT_EQ(target_preset("h100")->sm, 90);
  EXPECT_FALSE(target_preset("a100000").has_value());
  EXPECT_FALSE(target_preset("").has_value());
  EXPECT_FALSE(device_preset("cuda")->hardware.has_value());
}

// A preset is what its file says, to the last figure: `--target h100` and its file cannot differ.
TEST(Presets, EachIsWhatItsFileSays) {
  for (const Preset& preset : device_presets()) {
    const std::string path = test_file(format("../targets/{}.yaml", preset.name));
    const TargetFile file = read_target_file(read_all(FileSource(path), {}), path);
    EXPECT_EQ(file.model.name, preset.name);
    EXPECT_EQ(file.also, preset.also);
    EXPECT_EQ(file.model.source, preset.source);
    EXPECT_TRUE(file.model.source.starts_with("https://"));
    const Hardware& read = *file.model.hardware;
    EXPECT_EQ(read.memory, preset.hardware.memory);
    EXPECT_EQ(read.usable(), preset.hardware.usable());
    EXPECT_EQ(read.bandwidth, preset.hardware.bandwidth);
    EXPECT_EQ(read.launch, preset.hardware.launch);
    for (size_t i = 0; i < kRates; ++i) {
      EXPECT_EQ(read.flops[i].plain, preset.hardware.flops[i].plain);
      EXPECT_EQ(read.flops[i].tensor, preset.hardware.flops[i].tensor);
    }
  }
}

}  // namespace
}  // namespace faketensor
