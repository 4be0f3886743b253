#include "core/graph/explain.h"

#include <gtest/gtest.h>

#include "core/support/error.h"
#include "core/symbolic/shape_env.h"
#include "program_builder.h"

namespace faketensor {
namespace {

// x [s0, s1] times w [768, 8]: the product makes s1 768.
struct Specialising {
  ProgramBuilder b;
  Row x, w, product, relu;

  Specialising() {
    b.program.shape_env = std::make_shared<ShapeEnv>();
    ShapeEnv& env = *b.program.shape_env;
    x = b.input("x", {1, 1});
    const SymInt sizes[] = {env.create_backed("s0", 4, ValueRange::ints(2, kIntInfinity)),
                            env.create_backed("s1", 768, ValueRange::ints(2, kIntInfinity))};
    b.program.graph().meta(NodeId{x}).recorded = b.program.metas().intern({.sizes = sizes});
    w = b.input("w", {768, 8}, DType::kFloat32, InputSpec::Kind::kParameter);
    product = b.call("aten.mm.default", {ref(x), ref(w)});
    relu = b.call("aten.relu.default", {ref(x)});
    b.output({product, relu});
  }
};

TEST(GuardReport, KnowsTheNodeBehindEachDecision) {
  const Specialising program;
  const auto run = propagate(program.b.program);
  const std::vector<GuardEntry> report = guard_report(run);
  ASSERT_EQ(report.size(), 2u);
  EXPECT_EQ(report[0].text, "Eq(s1, 768)");
  EXPECT_EQ(report[0].node, program.product);
  EXPECT_EQ(report[1].kind, GuardEntry::Kind::kSpecialisation);
  EXPECT_EQ(report[1].text, "s1 = 768");
  EXPECT_EQ(report[1].node, program.product);
  EXPECT_EQ(call_text(run, program.product), "aten.mm(x [s0, s1], w [768, 8])");
}

TEST(WhyDimension, GoesBackToWhatMadeASymbolANumber) {
  const Specialising program;
  const auto run = propagate(program.b.program);
  const std::vector<WhyStep> steps = why_dimension(run, program.relu, 1);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].size, "768");
  EXPECT_EQ(steps[0].reason, "as dimension 1 of x, by aten.relu(x [s0, s1])");
  EXPECT_EQ(steps[1].node, program.x);
  EXPECT_EQ(steps[1].reason,
            "an input (user) of size s1, which is 768 since aten.mm(x [s0, s1], w [768, 8])");
  EXPECT_THROW(why_dimension(run, program.relu, 2), Error);
}

TEST(WhatIf, ValuesFollowWhereNoGuardForbidsThem) {
  const Specialising program;
  const auto run = propagate(program.b.program);
  const SymbolSetting batch[] = {{"s0", 64, 64}};
  const WhatIf allowed(run, batch);
  EXPECT_TRUE(allowed.broken().empty());
  EXPECT_EQ(to_string(allowed.value(run.record(program.product).tensors[0].meta->sizes()[0])),
            "64");
  const SymbolSetting width[] = {{"s1", 512, 512}};
  const WhatIf forbidden(run, width);
  ASSERT_FALSE(forbidden.broken().empty());
  EXPECT_EQ(forbidden.broken()[0].first.node, program.product);
  EXPECT_EQ(forbidden.broken()[0].second, WhatIf::Verdict::kViolated);
  const SymbolSetting some[] = {{"s1", 512, 1024}};
  EXPECT_EQ(WhatIf(run, some).broken()[0].second, WhatIf::Verdict::kDepends);
  const SymbolSetting unknown[] = {{"s9", 1, 1}};
  EXPECT_THROW(WhatIf(run, unknown), Error);
}

TEST(SymbolReport, SaysWhereASymbolStandsAndWhatItBecame) {
  const Specialising program;
  const auto run = propagate(program.b.program);
  const std::vector<SymbolEntry> report = symbol_report(run);
  ASSERT_EQ(report.size(), 2u);
  EXPECT_EQ(report[0].name, "s0");
  EXPECT_EQ(report[0].node, program.x);
  EXPECT_EQ(report[0].dim, 0u);
  EXPECT_EQ(report[0].hint, 4);
  EXPECT_EQ(report[0].became, "");
  EXPECT_EQ(report[1].became, "768");
}

TEST(WhyDimension, CountsDimensionsFromTheEnd) {
  const Specialising program;
  const auto run = propagate(program.b.program);
  EXPECT_EQ(why_dimension(run, program.relu, -1)[0].size, "768");
  EXPECT_THROW(why_dimension(run, program.relu, -3), Error);
}

// x [s0, 3] as one dimension of 3*s0.
struct Flattening {
  ProgramBuilder b;
  Row x, flat, ones;

  Flattening() {
    b.program.shape_env = std::make_shared<ShapeEnv>();
    ShapeEnv& env = *b.program.shape_env;
    x = b.input("x", {1, 3});
    const SymInt sizes[] = {env.create_backed("s0", 4, ValueRange::ints(2, kIntInfinity)), 3};
    b.program.graph().meta(NodeId{x}).recorded = b.program.metas().intern({.sizes = sizes});
    flat = b.call("aten.flatten.using_ints", {ref(x)});
    const Row size = b.call("aten.sym_size.int", {ref(flat), Value(int64_t{0})});
    const Value sizes_of_ones[] = {ref(size)};
    const Value list = Value::list(b.program.arena().copy(std::span<const Value>(sizes_of_ones)));
    ones = b.call("aten.ones.default", {list});
    b.output({ones});
  }
};

TEST(WhyDimension, FollowsTheSymbolsOfAComputedSizeAlsoThroughNumbers) {
  const Flattening program;
  const auto run = propagate(program.b.program);
  const std::vector<WhyStep> steps = why_dimension(run, program.ones, 0);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].node, program.ones);
  EXPECT_EQ(steps[1].reason,
            "computed by aten.flatten.using_ints(x [s0, 3]) from dimension 0 of x");
  EXPECT_EQ(steps[2].size, "s0");
}

TEST(WhatIf, BoundsSizesByTheRangesThatAreSet) {
  const Flattening program;
  const auto run = propagate(program.b.program);
  const SymbolSetting some[] = {{"s0", 2, 64}};
  const WhatIf what_if(run, some);
  EXPECT_TRUE(what_if.broken().empty());
  const SymInt size = run.record(program.flat).tensors[0].meta->sizes()[0];
  EXPECT_EQ(to_string(what_if.value(size)), "3*s0");
  EXPECT_EQ(to_string(what_if.bounds(size)), "[6, 192]");
}

// x [s0] + y [s1]: s1 becomes s0.
TEST(WhatIf, WhatBecameAnotherSymbolFollowsIt) {
  ProgramBuilder b;
  b.program.shape_env = std::make_shared<ShapeEnv>();
  ShapeEnv& env = *b.program.shape_env;
  const auto input = [&](const char* name, const char* symbol) {
    const Row node = b.input(name, {1});
    const SymInt sizes[] = {env.create_backed(symbol, 4, ValueRange::ints(2, kIntInfinity))};
    b.program.graph().meta(NodeId{node}).recorded = b.program.metas().intern({.sizes = sizes});
    return node;
  };
  const Row x = input("x", "s0");
  const Row y = input("y", "s1");
  const Row sum = b.call("aten.add.Tensor", {ref(x), ref(y)});
  b.output({sum});
  const auto run = propagate(b.program);
  const BranchScope known = run.shape_env();
  ASSERT_EQ(known->replaced_symbols().size(), 1u);
  const ExprNode* followed = known->replace(known->replaced_symbols()[0]);
  const SymbolSetting both[] = {{to_string(followed), 8, 8}};
  const WhatIf what_if(run, both);
  EXPECT_TRUE(what_if.broken().empty());
  for (const Row node : {x, y, sum})
    EXPECT_EQ(to_string(what_if.value(run.record(node).tensors[0].meta->sizes()[0])), "8");
}

// What one run finds out about the program's symbols is no other run's business.
TEST(GuardReport, IsOfItsOwnRunAlone) {
  const Specialising program;
  const auto free = propagate(program.b.program);
  const auto set = propagate(program.b.program, {.dims = {{"s1", 768}}});
  EXPECT_TRUE(guard_report(set).empty());
  EXPECT_EQ(symbol_report(set).size(), 1u);
  EXPECT_EQ(guard_report(free).size(), 2u);
  EXPECT_EQ(symbol_report(free)[1].became, "768");
  EXPECT_EQ(guard_report(propagate(program.b.program)).size(), 2u);
  EXPECT_EQ(why_dimension(free, program.relu, 1)[0].size, "768");
}

// A callback of one that asks about another: each goes on learning for itself.
TEST(GuardReport, IsOfItsOwnRunAloneWhenACallbackAsksAboutAnother) {
  const Specialising program;
  const auto free = propagate(program.b.program);
  const auto set = propagate(program.b.program, {.dims = {{"s1", 768}}});
  const auto during = propagate(
      program.b.program, {.progress = [&](size_t, size_t) { return guard_report(set).empty(); }});
  EXPECT_FALSE(during.was_cancelled());
  EXPECT_TRUE(guard_report(set).empty());
  EXPECT_EQ(guard_report(during).size(), 2u);
  EXPECT_EQ(guard_report(free).size(), 2u);
}

// The same in the middle of a node: the fake of an operator that asks about another run, and decides
// then.
TEST(GuardReport, IsOfItsOwnRunAloneWhenAFakeAsksAboutAnother) {
  const Specialising program;
  const auto set = propagate(program.b.program, {.dims = {{"s1", 768}}});
  const FakeImpl fake = [&](FakeCall& call) -> Value {
    EXPECT_TRUE(guard_report(set).empty());
    const auto inner = propagate(program.b.program);
    EXPECT_EQ(guard_report(inner).size(), 2u);
    const Tensor& x = call.arg(0).tensor();
    EXPECT_EQ(to_string(x.size(1)), "s1");  // not what the inner run made of it
    EXPECT_TRUE(guard_bool(x.size(1) == 768));
    return call.context().empty(DimVector{x.size(0), 8}, x.dtype(), x.device());
  };
  const auto during =
      propagate(program.b.program, {.prepare = [&](const Program&, FakeTensorMode& mode) {
                  mode.library().register_fake("aten::mm", fake);
                }});
  EXPECT_TRUE(during.problems().empty());
  EXPECT_TRUE(guard_report(set).empty());
  const std::vector<GuardEntry> report = guard_report(during);
  ASSERT_EQ(report.size(), 2u);
  EXPECT_EQ(report[0].text, "Eq(s1, 768)");
  EXPECT_EQ(report[0].node, program.product);
}

// Two runs asked in turn, one inside a scope of the other, and the environment outside of both.
TEST(RunShapeEnv, GoesByItsRunWhileTheScopeLives) {
  const Specialising program;
  const auto free = propagate(program.b.program);
  const auto set = propagate(program.b.program, {.dims = {{"s0", 64}, {"s1", 768}}});
  const SymInt width = free.record(program.x).tensors[0].meta->sizes()[1];
  EXPECT_EQ(to_string(width), "s1");
  {
    const BranchScope env = free.shape_env();
    EXPECT_EQ(to_string(width), "768");
    EXPECT_EQ(set.shape_env()->guards().size(), 0u);
    EXPECT_EQ(to_string(width), "768");
    const BranchScope other = set.shape_env();
    EXPECT_EQ(to_string(width), "s1");
    const BranchScope again = free.shape_env();
    EXPECT_EQ(to_string(width), "768");
    EXPECT_EQ(again->guards().size(), 1u);
  }
  EXPECT_EQ(to_string(width), "s1");
  EXPECT_EQ(program.b.program.shape_env->guards().size(), 0u);
}

}  // namespace
}  // namespace faketensor
