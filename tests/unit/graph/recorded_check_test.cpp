// What a file records against what is propagated, and the reasons for which they may differ.
#include "core/graph/recorded_check.h"

#include <gtest/gtest.h>

#include "core/support/format.h"
#include "core/symbolic/shape_env.h"
#include "program_builder.h"

namespace faketensor {
namespace {

// x[2, 3] by `version`; what `record` changes is of the nodes that a test adds.
struct Recorded {
  explicit Recorded(std::string version) {
    b.program.torch_version = std::move(version);
    x = b.input("x", {2, 3});
  }
  void record(Row node, std::initializer_list<int64_t> sizes, MetaSpec spec = {}) {
    DimVector dims;
    for (const int64_t size : sizes) dims.push_back(size);
    spec.sizes = dims;
    b.program.graph().meta(NodeId{node}).recorded = b.program.metas().intern(spec);
  }
  RecordedCheck check() {
    const auto run = propagate(b.program, {.assume_recorded = true});
    return check_recorded(run);
  }

  ProgramBuilder b;
  Row x;
};

TEST(RecordedCheck, OffsetsOfOldExportersAreNotCompared) {
  for (const auto& [version, differences] : {std::pair{"2.8.0", 0u}, std::pair{"2.5.1+cu124", 0u},
                                             std::pair{"2.9.1", 1u}, std::pair{"2.13.0", 1u}}) {
    Recorded r(version);
    const Row row = r.b.call("aten.select.int", {ref(r.x), 0, 1});
    r.record(row, {3});
    r.b.output({row});
    const RecordedCheck check = r.check();
    EXPECT_EQ(check.differences.size(), differences) << version;
    EXPECT_EQ(check.skipped.empty(), differences == 1) << version;
    if (differences == 0) {
      EXPECT_EQ(check.skipped[0],
                "1 storage offset is not compared: PyTorch before 2.9 recorded each as 0");
    }
  }
}

TEST(RecordedCheck, AKnownChangeExplainsADifferenceAndWhatFollowsFromIt) {
  Recorded r("2.7.1");
  const Row unique = r.b.call("aten._unique2.default", {ref(r.x), true, true, Value::unset()});
  const Row inverse = r.b.getitem(unique, 1);
  const Row doubled = r.b.call("aten.add.Tensor", {ref(inverse), ref(inverse), Value::unset()});
  r.record(inverse, {2, 3}, {.dtype = DType::kInt32});
  r.record(doubled, {2, 3}, {.dtype = DType::kInt32});
  r.b.output({doubled});
  RecordedCheck check = r.check();
  EXPECT_TRUE(check.differences.empty());
  ASSERT_EQ(check.explained.size(), 2u);
  EXPECT_TRUE(check.explained[0].message.starts_with("changed between 2.7 and 2.13: "))
      << check.explained[0].message;
  EXPECT_TRUE(check.explained[0].message.ends_with(
      "the file records i32[2, 3] strides [3, 1] offset 0 on cpu, propagation gives i64[2, 3] "
      "strides [3, 1] offset 0 on cpu"));
  EXPECT_TRUE(check.explained[1].message.starts_with(
      format("follows from '{}'; ", r.b.program.plan().name_of(inverse))));
  // The same difference in a file of the PyTorch that answers is one.
  r.b.program.torch_version = "2.13.0";
  check = r.check();
  EXPECT_EQ(check.differences.size(), 2u);
  EXPECT_TRUE(check.explained.empty());
}

// The row is about the dtype, not about sizes.
TEST(RecordedCheck, AChangeExplainsNothingElse) {
  Recorded r("2.7.1");
  const Row unique = r.b.call("aten._unique2.default", {ref(r.x), true, true, Value::unset()});
  const Row inverse = r.b.getitem(unique, 1);
  r.record(inverse, {3, 2}, {.dtype = DType::kInt32});
  r.b.output({inverse});
  EXPECT_EQ(r.check().differences.size(), 1u);
}

TEST(RecordedCheck, TheRecordStandsForOperatorsWithoutARule) {
  Recorded r("2.13.0");
  const Row two = r.b.call("mylib.two.default", {ref(r.x)});
  const Row first = r.b.getitem(two, 0);
  const Row one = r.b.call("mylib.one.default", {ref(first)});
  const Row sum = r.b.call("aten.add.Tensor", {ref(one), ref(first), Value::unset()});
  r.record(first, {5, 1});
  r.record(one, {5, 4});
  r.record(sum, {4, 5});
  r.b.output({sum});
  const RecordedCheck check = r.check();
  ASSERT_EQ(check.differences.size(), 1u);
  EXPECT_EQ(check.differences[0].node, sum);
  ASSERT_EQ(check.skipped.size(), 1u);
  EXPECT_EQ(check.skipped[0],
            "2 values are not compared: mylib.two and mylib.one are without a rule here, so that "
            "the file's record stands for the answer");
}

TEST(RecordedCheck, SymbolicNumbersAreCompared) {
  for (const bool is_wrong : {false, true}) {
    Recorded r("2.13.0");
    Program& p = r.b.program;
    p.shape_env = std::make_shared<ShapeEnv>();
    const SymInt s0 = p.shape_env->create_backed("s0", 4, ValueRange::ints(2, kIntInfinity));
    const SymInt sizes[] = {s0, 3};
    p.graph().meta(NodeId{r.x}).recorded = p.metas().intern({.sizes = sizes});
    const Row size = r.b.call("aten.sym_size.int", {ref(r.x), 0});
    p.graph().meta(NodeId{size}).val = is_wrong ? s0 + 1 : s0;
    r.b.output({size});
    EXPECT_EQ(r.check().differences.size(), is_wrong ? 1u : 0u);
  }
}

TEST(RecordedCheck, TheExportingVersionIsInTheFileOrItsSchema) {
  Program program;
  EXPECT_EQ(exporting_version(program), std::nullopt);
  program.schema_major = 5;
  program.schema_minor = 1;
  EXPECT_EQ(exporting_version(program), (TorchVersion{2, 3}));
  program.schema_minor = 3;
  EXPECT_EQ(exporting_version(program), (TorchVersion{2, 4}));
  program.torch_version = "2.12.1";
  EXPECT_EQ(exporting_version(program), (TorchVersion{2, 12}));
}

}  // namespace
}  // namespace faketensor
