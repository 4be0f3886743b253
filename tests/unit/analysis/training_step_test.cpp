// A training step's memory, and the formulas of derivatives that it is computed by.
#include "core/analysis/training_step.h"

#include <gtest/gtest.h>

#include "../graph/program_builder.h"
#include "core/analysis/formula.h"
#include "core/analysis/formula_functions.h"
#include "core/analysis/peak_report.h"
#include "core/analysis/program_costs.h"
#include "core/ops/derivative_formulas.h"
#include "core/support/format.h"
#include "layer.h"

namespace faketensor {
namespace {

// A weight of 256 bytes and an x of 128: mm(x, w).relu(), of which a view is returned.
int64_t peak(const Program& program, TrainingOptions options) {
  return TrainingStep(program, {}, std::move(options)).peak().as_int();
}
int64_t after(const Program& program, TrainingOptions options) {
  return TrainingStep(program, {}, std::move(options)).after().as_int();
}

TEST(TrainingStep, ThePeakIsWhereTheLossIsDifferentiated) {
  const ViewedLayer layer("m,first,Linear", "m,second,ReLU");
  const TrainingStep step(layer.program, {}, {});
  // Held are 384, relu's result (128), loss and its gradient (8). The square's derivative has the
  // gradient that comes in, the power, twice it, and their product: 4 * 128.
  EXPECT_EQ(step.peak().as_int(), 384 + 128 + 8 + 4 * 128);
  EXPECT_EQ(step.events()[step.peak_index()].phase, TrainingPhase::kBackward);
  EXPECT_EQ(step.events()[step.peak_index()].row, kNoRow);
  EXPECT_EQ(step.after().as_int(), 384);
  EXPECT_TRUE(step.approximated().empty());
}

TEST(TrainingStep, OptimizersHaveTheirStatesFromTheStepBefore) {
  const ViewedLayer layer("m,first,Linear", "m,second,ReLU");
  EXPECT_EQ(peak(layer.program, {.optimizer = Optimizer::kMomentum}), 1032 + 256);
  EXPECT_EQ(after(layer.program, {.optimizer = Optimizer::kMomentum}), 384 + 256);
  EXPECT_EQ(peak(layer.program, {.optimizer = Optimizer::kAdam}), 1032 + 516);
  EXPECT_EQ(after(layer.program, {.optimizer = Optimizer::kAdam}), 384 + 516);
  // A root and a denominator of the weight, beside its gradient and the loss.
  EXPECT_EQ(peak(layer.program, {.optimizer = Optimizer::kAdamW}), 384 + 516 + 256 + 4 + 2 * 256);
}

TEST(TrainingStep, GradientsOfEarlierBackwardsAreThere) {
  const ViewedLayer layer("m,first,Linear", "m,second,ReLU");
  EXPECT_EQ(peak(layer.program, {.grad_accumulation = 4}), 1032 + 256);
}

TEST(TrainingStep, MasterWeightsAreFloat32) {
  ProgramBuilder b;
  const Row weight = b.input("weight", {8, 8}, DType::kBFloat16, InputSpec::Kind::kParameter);
  const Row x = b.input("x", {4, 8}, DType::kBFloat16);
  b.output({b.call("aten.mm.default", {ref(x), ref(weight)})});
  EXPECT_EQ(after(b.program, {.optimizer = Optimizer::kMomentum}), 128 + 64 + 128);
  EXPECT_EQ(after(b.program, {.optimizer = Optimizer::kMomentum, .master_weights = true}),
            128 + 64 + 256 + 256);
}

TEST(TrainingStep, AParameterThatTheLossDoesNotReachIsNotTrained) {
  ProgramBuilder b;
  const Row used = b.input("used", {8}, DType::kFloat32, InputSpec::Kind::kParameter);
  b.input("unused", {4}, DType::kFloat32, InputSpec::Kind::kParameter);
  b.output({b.call("aten.neg.default", {ref(used)})});
  const TrainingStep step(b.program, {}, {.optimizer = Optimizer::kMomentum});
  EXPECT_EQ(step.after().as_int(), 32 + 16 + 32);
  ASSERT_EQ(step.untrained().size(), 1u);
  EXPECT_EQ(step.untrained()[0], 1u);
}

// Two names of one tensor, of which export reads the one of the head.
TEST(TrainingStep, AnUnreadNameOfATiedParameterHoldsNothing) {
  ProgramBuilder b;
  b.input("embedding", {16, 8}, DType::kFloat32, InputSpec::Kind::kParameter);
  const Row head = b.input("head", {16, 8}, DType::kFloat32, InputSpec::Kind::kParameter);
  b.program.inputs[0].target = b.program.strings().intern("embed.weight");
  b.program.inputs[1].target = b.program.strings().intern("head.weight");
  const Row ids = b.input("ids", {4}, DType::kInt64);
  const Row x = b.call("aten.embedding.default", {ref(head), ref(ids)}, "e,embed,Embedding");
  b.output({b.call("aten.linear.default", {ref(x), ref(head)}, "h,head,Linear")});
  EXPECT_EQ(after(b.program, {}), 16 * 8 * 4 + 32);
}

TEST(TrainingStep, AnInPlaceOperatorThatReadsWhatItOverwritesKeepsAClone) {
  const auto step_of = [](const char* activation) {
    ProgramBuilder b;
    const Row weight = b.input("weight", {64}, DType::kFloat32, InputSpec::Kind::kParameter);
    const Row sum = b.call("aten.add.Tensor", {ref(weight), ref(weight)});
    const Row active = b.call(activation, {ref(sum)});
    b.output({b.call("aten.neg.default", {ref(active)})});
    const TrainingStep step(b.program, {}, {});
    EXPECT_TRUE(step.approximated().empty());
    std::array<SymInt, kMemoryKinds> kinds = step.by_kind(step.peak_index());
    return kinds[static_cast<size_t>(MemoryKind::kActivation)].as_int();
  };
  // At the peak relu_ keeps its result, silu_ a clone of what it wrote over.
  EXPECT_EQ(step_of("aten.silu_.default"), step_of("aten.relu_.default"));
}

TEST(TrainingStep, ACheckpointedModuleKeepsItsInputsAlone) {
  ProgramBuilder b;
  Row x = b.input("x", {64, 8});
  const Row weight = b.input("weight", {8, 8}, DType::kFloat32, InputSpec::Kind::kParameter);
  x = b.call("aten.mm.default", {ref(x), ref(weight)}, "m,head,Linear");
  for (int i = 0; i < 8; ++i) x = b.call("aten.sigmoid.default", {ref(x)}, "m,middle,Sigmoids");
  x = b.call("aten.sum.dim_IntList", {ref(x), b.ints({0})});
  b.output({x});
  const int64_t all = peak(b.program, {});
  const int64_t less = peak(b.program, {.checkpoint = {"middle"}});
  // Backward of the module holds what it computes again, and no more than that.
  EXPECT_LE(less, all);
  EXPECT_THROW(peak(b.program, {.checkpoint = {"elsewhere"}}), Error);
}

TEST(TrainingStep, AJointGraphIsTakenAsItIs) {
  ProgramBuilder b;
  const Row weight = b.input("weight", {8, 8}, DType::kFloat32, InputSpec::Kind::kParameter);
  b.program.inputs[0].target = b.program.strings().intern("weight");
  const Row loss = b.call("aten.sum.default", {ref(weight)});
  const Row grad = b.call("aten.ones_like.default", {ref(weight)});
  b.output({loss, grad});
  b.program.outputs = {{OutputSpec::Kind::kLoss, 0},
                       {OutputSpec::Kind::kGradientToParameter, b.program.inputs[0].target}};
  const TrainingStep step(b.program, {}, {.optimizer = Optimizer::kAdam});
  EXPECT_EQ(step.loss_kind(), LossKind::kJoint);
  // The weight, two averages and a step, the gradient, and Adam's roots.
  EXPECT_EQ(step.peak().as_int(), 256 + 516 + 256 + 256);
  EXPECT_EQ(step.after().as_int(), 256 + 516);
}

TEST(TrainingStep, AProgramWithoutAFloatingPointOutputIsRefused) {
  ProgramBuilder b;
  const Row x = b.input("x", {4}, DType::kInt64);
  b.output({b.call("aten.neg.default", {ref(x)})});
  EXPECT_THROW(peak(b.program, {}), Error);
}

TEST(PeakReport, SaysWhoHoldsThePeakAndUntilWhen) {
  const ViewedLayer layer("m,first,Linear", "m,second,ReLU");
  const TrainingStep step(layer.program, {}, {});
  const PeakReport report(step);
  ASSERT_FALSE(report.alive().empty());
  EXPECT_EQ(report.alive()[0].kind, MemoryKind::kParameter);
  EXPECT_TRUE(report.alive()[0].stays);
  const auto relu = std::find_if(report.alive().begin(), report.alive().end(),
                                 [&](const AliveStorage& each) { return each.row == layer.relu; });
  ASSERT_NE(relu, report.alive().end());
  EXPECT_EQ(relu->until, layer.relu);
  EXPECT_EQ(relu->until_phase, TrainingPhase::kBackward);
  EXPECT_EQ(report.by_dtype()[0].own.as_int(), 1032);
  EXPECT_EQ(report.by_module()[0].with_below.as_int(), 1032);
}

// x is read again after the peak: without it there, the peak is lower by its bytes.
TEST(PeakReport, AValueThatWaitsIsRecomputed) {
  ProgramBuilder b;
  const Row x = b.input("x", {64});
  const Row kept = b.call("aten.neg.default", {ref(x)});
  const Row wide = b.call("aten.expand.default", {ref(x), b.ints({64, 64})});
  const Row large = b.call("aten.neg.default", {ref(wide)});
  const Row small = b.call("aten.sum.default", {ref(large)});
  b.output({b.call("aten.add.Tensor", {ref(kept), ref(small)})});
  const ProgramCosts costs(b.program, {});
  const PeakReport report(costs.run(), costs.memory());
  ASSERT_FALSE(report.savings().empty());
  EXPECT_EQ(report.savings()[0].kind, SavingKind::kRecompute);
  EXPECT_EQ(report.savings()[0].row, kept);
  EXPECT_EQ(report.savings()[0].bytes, 256);
}

TEST(Formula, NamesWhatItKeeps) {
  const Formula formula =
      parse_formula("self: grad * other / sizes(x); a, b: op.out(result1, [1, none])");
  ASSERT_EQ(formula.statements.size(), 2u);
  EXPECT_EQ(formula.statements[0].saved, std::vector<std::string_view>{"other"});
  EXPECT_EQ(formula.statements[1].targets, (std::vector<std::string_view>{"a", "b"}));
  EXPECT_EQ(formula.statements[1].saved, std::vector<std::string_view>{"result1"});
  EXPECT_THROW(parse_formula("self grad"), Error);
}

// --- the table ---

bool is_known_name(const OpEntry& op, std::string_view name) {
  if (name.starts_with("grad") || name.starts_with("result") || name == "needed") return true;
  return std::any_of(op.schema.arguments.begin(), op.schema.arguments.end(),
                     [&](const Argument& argument) { return argument.name == name; });
}

void check(const OpEntry& op, const Expression& expression) {
  if (expression.kind == Expression::Kind::kName) {
    EXPECT_TRUE(is_known_name(op, expression.text)) << op.name << ": " << expression.text;
  }
  if (expression.kind == Expression::Kind::kCall) {
    EXPECT_TRUE(formula_function(expression.text) != nullptr ||
                Registry::builtin().find("aten::" + std::string(expression.text)) != kNoOp)
        << op.name << " calls " << expression.text;
  }
  for (const Expression& argument : expression.arguments) check(op, argument);
}

TEST(DerivativeFormulas, NameOperatorsAndArgumentsThatThereAre) {
  for (const DerivativeFormula& row : derivative_formulas()) {
    const OpId id = Registry::builtin().find("aten::" + std::string(row.op));
    ASSERT_NE(id, kNoOp) << row.op;
    const OpEntry& op = Registry::builtin().entry(id);
    for (const Statement& statement : parse_formula(row.text).statements) {
      for (const std::string_view target : statement.targets)
        EXPECT_TRUE(is_known_name(op, target)) << row.op << ": " << target;
      check(op, statement.expression);
    }
  }
}

}  // namespace
}  // namespace faketensor
