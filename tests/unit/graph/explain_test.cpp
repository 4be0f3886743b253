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
  NodeId x, w, product, relu;

  Specialising() {
    b.program.shape_env = std::make_shared<ShapeEnv>();
    ShapeEnv& env = *b.program.shape_env;
    x = b.input("x", {1, 1});
    const SymInt sizes[] = {env.create_backed("s0", 4, ValueRange::ints(2, kIntInfinity)),
                            env.create_backed("s1", 768, ValueRange::ints(2, kIntInfinity))};
    b.program.graph().nodes()[x].recorded = b.program.metas().intern({.sizes = sizes});
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

}  // namespace
}  // namespace faketensor
