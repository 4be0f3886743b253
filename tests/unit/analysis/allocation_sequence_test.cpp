#include "core/analysis/allocation_sequence.h"

#include <gtest/gtest.h>

#include "../graph/program_builder.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

std::string steps(const AllocationSequence& sequence) {
  std::string text;
  for (const AllocationSequence::Step& step : sequence.steps()) {
    text +=
        format("{}{}@{} ", step.is_free ? "-" : "+", sequence.pieces()[step.piece].bytes, step.row);
  }
  return text;
}

TEST(AllocationSequence, ValuesComeWithTheirNodeAndGoAfterTheLastThatReadsThem) {
  ProgramBuilder b;
  const Row weight = b.input("weight", {8, 8}, DType::kFloat32, InputSpec::Kind::kParameter);
  const Row x = b.input("x", {4, 8});
  const Row product = b.call("aten.mm.default", {ref(x), ref(weight)});
  const Row relu = b.call("aten.relu.default", {ref(product)});
  const Row view = b.call("aten.view.default", {ref(relu), b.ints({32})});
  b.output({view});
  const ProgramCosts costs(b.program, {});
  // The view holds what relu brought, which is returned and stays.
  EXPECT_EQ(steps(AllocationSequence(costs)), "+256@0 +128@1 +128@2 +128@3 -128@3 ");
}

TEST(AllocationSequence, TemporariesOfACompositeComeAndGoInsideOfItsNode) {
  ProgramBuilder b;
  const Row x = b.input("x", {4, 8});
  // A mean of the squares of differences, by elements and then in one.
  const Row loss = b.call("aten.cosine_similarity.default", {ref(x), ref(x)});
  b.output({loss});
  const AllocationSequence sequence((ProgramCosts(b.program, {})));
  ASSERT_GT(sequence.pieces().size(), 3u);
  size_t alive = 0;
  for (const AllocationSequence::Step& step : sequence.steps()) step.is_free ? --alive : ++alive;
  EXPECT_EQ(alive, 2u);
}

TEST(RunAllocator, TellsWhatIsReservedUnderEachOfTheSettings) {
  ProgramBuilder b;
  const Row x = b.input("x", {1 << 20});  // 4 MiB
  const Row relu = b.call("aten.relu.default", {ref(x)});
  b.output({relu});
  const AllocationSequence sequence((ProgramCosts(b.program, {})));
  const AllocatorReport own = run_allocator(sequence, "");
  EXPECT_EQ(own.reserved, 20 * kMiB);
  EXPECT_EQ(own.allocated, 8 * kMiB);
  EXPECT_EQ(own.rows.back().allocated, 8 * kMiB);
  EXPECT_EQ(run_allocator(sequence, "large_segment_size_mb:32").reserved, 32 * kMiB);
  EXPECT_THROW(run_allocator(sequence, "unknown:1"), Error);
}

TEST(RunAllocator, SaysAtWhichNodeMemoryIsOut) {
  ProgramBuilder b;
  const Row x = b.input("x", {4 << 20});  // 16 MiB
  const Row relu = b.call("aten.relu.default", {ref(x)});
  b.output({relu});
  AllocatorRecord record;
  const AllocatorReport report =
      run_allocator(AllocationSequence(ProgramCosts(b.program, {})), "", 24 * kMiB, &record);
  EXPECT_EQ(report.failed_row, relu);
  EXPECT_TRUE(report.out_of_memory.starts_with(
      "CUDA out of memory. Tried to allocate 16.00 MiB. GPU 0 has a total capacity of 24.00 MiB"));
  EXPECT_EQ(record.segments.size(), 1u);
  EXPECT_EQ(record.segments[0].blocks[0].tag, x);
}

}  // namespace
}  // namespace faketensor
