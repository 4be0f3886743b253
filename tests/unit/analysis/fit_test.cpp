#include <gtest/gtest.h>

#include "../graph/program_builder.h"
#include "core/analysis/fit_devices.h"
#include "core/devices/presets.h"

namespace faketensor {
namespace {

RetargetOptions as_written() {
  RetargetOptions options;
  options.literal = true;
  return options;
}

// x of [batch, 8] float32, 32 bytes a row: exp(x) is alive beside it, then exp(exp(x)) too.
struct TwoSteps : ProgramBuilder {
  Row x = input("x", {2, 8});
  TwoSteps() {
    const Row exp = call("aten.exp.default", {ref(x)});
    output({call("aten.exp.default", {ref(exp)})});
  }
};

TEST(Fit, TheLargestSizeIsTheLastWhosePeakFits) {
  const TwoSteps model;
  PeakBySize peaks(model.program, {}, "batch");
  EXPECT_EQ(peaks.given_size(), 2);
  EXPECT_EQ(peaks.given()->bytes, 2 * 96);
  EXPECT_EQ(peaks.at(10)->bytes, 960);
  for (const int64_t bytes : {96, 191, 192, 193, 1000, 1'000'000, 123'456'789}) {
    const Largest largest = peaks.largest(bytes, {});
    EXPECT_EQ(largest.size, bytes / 96) << bytes;
    EXPECT_EQ(largest.stop, Largest::Stop::kMemory);
  }
}

TEST(Fit, NothingFitsAndAllOfARangeFits) {
  const TwoSteps model;
  PeakBySize peaks(model.program, {}, "batch");
  EXPECT_EQ(peaks.largest(95, {}).size, 0);
  EXPECT_EQ(peaks.largest(1 << 20, {.lower = 1, .upper = 64}).size, 64);
  EXPECT_EQ(peaks.largest(1 << 20, {.lower = 1, .upper = 64}).stop, Largest::Stop::kRange);
  EXPECT_EQ(peaks.largest(500, {.lower = 8, .upper = 64}).size, 0);
  EXPECT_EQ(peaks.largest(1000, {.lower = 8, .upper = 64}).size, 10);
}

TEST(Fit, ASizeThatTheProgramRefusesEndsTheSearch) {
  ProgramBuilder b;
  const Row x = b.input("x", {2, 8});
  const Row mask = b.input("mask", {1, 8});
  b.output({b.call("aten.mm.default", {ref(x), ref(x)}), b.call("aten.exp.default", {ref(mask)})});
  PeakBySize peaks(b.program, as_written(), "x.1");
  // [2, 8] times [2, 8] is none; times itself it needs two columns.
  EXPECT_FALSE(peaks.given().has_value());
  EXPECT_TRUE(peaks.at(2).has_value());
  EXPECT_FALSE(peaks.at(3).has_value());
}

// The allocator hands out segments of 2 MiB and more: what storages would need is not enough.
TEST(Fit, TheAllocatorDecidesWhereItIsAsked) {
  const TwoSteps model;
  PeakBySize peaks(model.program, {}, "batch", {.allocator = ""});
  constexpr int64_t kMiB = 1 << 20;
  EXPECT_FALSE(peaks.fits(kMiB));
  EXPECT_FALSE(peaks.reserved(kMiB).has_value());
  EXPECT_TRUE(peaks.fits(2 * kMiB));
  EXPECT_EQ(peaks.reserved(100 * kMiB), 2 * kMiB);
  PeakBySize by_storages(model.program, {}, "batch");
  EXPECT_TRUE(by_storages.fits(kMiB));
  const Largest largest = peaks.largest(100 * kMiB, {});
  EXPECT_GT(largest.size, 0);
  EXPECT_LT(largest.size, by_storages.largest(100 * kMiB, {}).size);
}

// w of [8, 8] is trained on x of [batch, 8].
struct Linear : ProgramBuilder {
  Row w = input("w", {8, 8}, DType::kFloat32, InputSpec::Kind::kParameter);
  Row x = input("x", {2, 8});
  Linear() { output({call("aten.mm.default", {ref(x), ref(w)})}); }
};

TEST(Fit, ATrainingStepIsWorkedOutAtTheSizesThatAreSaid) {
  const Linear model;
  const TrainingOptions adam{.optimizer = Optimizer::kAdam};
  PeakBySize peaks(model.program, {}, "batch", {.training = adam});
  const auto by_step = [&](int64_t size) {
    RetargetOptions options;
    options.dims["batch"] = size;
    const TrainingStep step(model.program, options, adam);
    const BranchScope env = step.run().shape_env();
    return MemoryTimeline::hint(step.peak());
  };
  EXPECT_EQ(peaks.given()->bytes, by_step(2));
  EXPECT_TRUE(peaks.given()->phase.has_value());
  const Largest largest = peaks.largest(100'000, {});
  EXPECT_EQ(largest.stop, Largest::Stop::kMemory);
  EXPECT_LE(by_step(largest.size), 100'000);
  EXPECT_GT(by_step(largest.size + 1), 100'000);
  PeakBySize of_run(model.program, {}, "batch");
  EXPECT_LT(largest.size, of_run.largest(100'000, {}).size);
}

TEST(Fit, EachDeviceIsAskedWithItsPyTorch) {
  const TwoSteps model;
  const std::vector<DeviceModel> devices = {*device_preset("t4"), *device_preset("cpu")};
  const FitAnswer answer = fit_devices(model.program, {.sizes = {4}}, devices);
  ASSERT_EQ(answer.rows.size(), 2u);
  EXPECT_EQ(answer.size, 2);
  EXPECT_TRUE(answer.rows[0].fits);
  EXPECT_EQ(answer.rows[0].largest->size, SizeRange::kMost);
  EXPECT_EQ(answer.rows[0].largest->stop, Largest::Stop::kRange);
  EXPECT_EQ(answer.peaks[0].second->bytes, 4 * 96);
  EXPECT_EQ(options_on({}, devices[0]).device->type, DeviceType::kCUDA);
  EXPECT_EQ(options_on({}, devices[1]).device->type, DeviceType::kCPU);
  EXPECT_FALSE(options_on(as_written(), devices[0]).device.has_value());
  EXPECT_TRUE(has_dim(model.program, "x.1"));
  EXPECT_FALSE(has_dim(model.program, "y.1"));
}

}  // namespace
}  // namespace faketensor
