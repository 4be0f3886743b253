#include "core/passes/retargeted_run.h"

#include <gtest/gtest.h>

#include "../graph/program_builder.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

// A program of which every value is recorded, as an exporter leaves it.
class Example : public ProgramBuilder {
 public:
  // The call with the line of code that it comes from.
  Row line(const std::string& code, const std::string& target, std::vector<Value> args) {
    const Row row = call(target, std::move(args));
    program.graph().meta(NodeId{row}).stack_trace =
        program.strings().intern("File \"model.py\", line 7, in forward\n    " + code + "\n");
    return row;
  }
  void export_with(std::vector<Row> results) {
    output(std::move(results));
    const Run run = propagate(program);
    ASSERT_TRUE(run.problems().empty()) << run.problems()[0].message;
    for (Row row = 0; row < program.plan().size(); ++row) {
      const Value& value = run.record(row).value;
      if (value.is_tensor())
        program.graph().meta(NodeId{row}).recorded =
            program.metas().intern(value.tensor().meta->spec());
    }
  }
};

std::string shown(const RetargetedRun& answer, Row row) {
  const NodeRecord& record = answer.run.record(row);
  if (record.status != NodeStatus::kOk) {
    for (const Problem& problem : answer.run.problems())
      if (problem.node == row) return problem.message;
    return "not reached";
  }
  const TensorMeta& meta = *record.value.tensor().meta;
  return format("{} {} {}", meta.sizes(), meta.dtype(), meta.device());
}

RetargetOptions batch(int64_t size) {
  RetargetOptions options;
  options.dims["batch"] = size;
  return options;
}

// What was assumed of a site: "2 -> 7", "2 -> 7?" for a guess; empty for nothing.
std::string assumed(const RetargetedRun& answer, std::string_view site) {
  for (const Assumption& assumption : answer.assumptions) {
    if (assumption.site == site)
      return format("{} -> {}{}", assumption.from, assumption.to, assumption.is_guess ? "?" : "");
  }
  return {};
}

// softmax(x.view(2, 16, 4, 8).transpose(1, 2)), with the batch written into the view.
struct Heads : Example {
  Row x = input("x", {2, 16, 32});
  Row view = call("aten.view.default", {ref(x), ints({2, 16, 4, 8})});
  Row heads = call("aten.transpose.int", {ref(view), 1, 2});
  Row back = call("aten.reshape.default", {ref(heads), ints({8, 16, 8})});
  Heads() { export_with({back}); }
};

TEST(Retargeted, TheBatchOfAViewFollowsItsInput) {
  const Heads program;
  const RetargetedRun answer = propagate_retargeted(program.program, batch(7));
  EXPECT_EQ(shown(answer, program.back), "[28, 16, 8] torch.float32 cpu");
  EXPECT_EQ(answer.runs, 1);
  EXPECT_EQ(answer.guesses(), 0u);
}

TEST(Retargeted, LiteralAnswersAsFakeTensorPropDoes) {
  const Heads program;
  RetargetOptions options = batch(7);
  options.literal = true;
  const RetargetedRun answer = propagate_retargeted(program.program, options);
  EXPECT_EQ(shown(answer, program.view), "shape '[2, 16, 4, 8]' is invalid for input of size 3584");
  EXPECT_TRUE(answer.assumptions.empty());
}

TEST(Retargeted, ExactInputsAreTakenLiterally) {
  const Heads program;
  RetargetOptions options;
  options.inputs["x"].sizes = std::vector<SymInt>{7, 16, 32};
  EXPECT_EQ(propagate_retargeted(program.program, options).run.problems().size(), 1u);
}

// A class token that is joined with a batch of one.
struct Token : Example {
  Row token = input("token", {1, 1, 8}, DType::kFloat32, InputSpec::Kind::kParameter);
  Row x = input("x", {1, 4, 8});
  Row expand = call("aten.expand.default", {ref(token), ints({1, -1, -1})});
  Row cat = call("aten.cat.default", {list_of(program, {ref(expand), ref(x)}), 1});
  Token() { export_with({cat}); }
};

TEST(Retargeted, ABatchOfOneThatIsJoinedGrows) {
  const Token program;
  const RetargetedRun answer = propagate_retargeted(program.program, batch(3));
  EXPECT_EQ(shown(answer, program.cat), "[3, 5, 8] torch.float32 cpu");
  EXPECT_EQ(answer.runs, 2);
}

// Positions and a table: arange(4) is the length, arange(2) the table's own.
struct Positions : Example {
  Row table = input("table", {2, 8}, DType::kFloat32, InputSpec::Kind::kParameter);
  Row x = input("x", {2, 4, 8});
  Row length = call("aten.arange.default", {4});
  Row kinds = call("aten.arange.default", {2});
  Row column = call("aten.unsqueeze.default", {ref(kinds), 1});
  Row sum = call("aten.mul.Tensor", {ref(table), ref(column)});
  Positions() { export_with({length, sum}); }
};

TEST(Retargeted, ANumberThatIsNoBatchIsGivenBack) {
  const Positions program;
  const RetargetedRun answer = propagate_retargeted(program.program, batch(5));
  EXPECT_EQ(shown(answer, program.sum), "[2, 8] torch.float32 cpu");
  EXPECT_EQ(shown(answer, program.length), "[4] torch.int64 cpu");
  EXPECT_EQ(answer.guesses(), 0u);
}

TEST(Retargeted, ALengthFollowsAsAGuess) {
  const Positions program;
  RetargetOptions options;
  options.dims["x.1"] = 6;
  const RetargetedRun answer = propagate_retargeted(program.program, options);
  EXPECT_EQ(shown(answer, program.length), "[6] torch.int64 cpu");
  EXPECT_EQ(assumed(answer, "aten.arange.default_2.end"), "4 -> 6?");
}

// Half of four is the batch of two, by chance.
TEST(Retargeted, HalfOfADimensionIsNoBatch) {
  struct Rotary : Example {
    Row x = input("x", {2, 3});
    Row table = input("table", {3, 4});
    Row half =
        line("c = table[..., : table.shape[-1] // 2]", "aten.slice.Tensor", {ref(table), 1, 0, 2});
    Row other = line("s = table[..., table.shape[-1] // 2 :]", "aten.slice.Tensor",
                     {ref(table), 1, 2, INT64_MAX});
    Row first = line("c = table[..., :n]", "aten.slice.Tensor", {ref(table), 1, 0, 2});
    Rotary() { export_with({half, other, first}); }
  };
  const Rotary program;
  RetargetOptions options;
  options.dims["x.0"] = 4;
  const RetargetedRun answer = propagate_retargeted(program.program, options);
  EXPECT_EQ(shown(answer, program.half), "[3, 2] torch.float32 cpu");
  EXPECT_EQ(shown(answer, program.other), "[3, 2] torch.float32 cpu");
  EXPECT_EQ(shown(answer, program.first), "[3, 4] torch.float32 cpu");
}

// bias[:, start:], of a table of eight: as far from its end as the input is long.
TEST(Retargeted, ASliceFromAnExpressionBeginsAsFarFromTheEnd) {
  struct Bias : Example {
    Row x = input("x", {2, 3});
    Row table = input("table", {1, 8});
    Row end = line("b = table[:, start:]", "aten.slice.Tensor", {ref(table), 1, 5, INT64_MAX});
    Row one = line("b = table[:, 5:]", "aten.slice.Tensor", {ref(table), 1, 5, INT64_MAX});
    Row sum = call("aten.add.Tensor", {ref(x), ref(end)});
    Bias() { export_with({sum, one}); }
  };
  const Bias program;
  RetargetOptions options;
  options.dims["x.1"] = 6;
  const RetargetedRun answer = propagate_retargeted(program.program, options);
  EXPECT_EQ(shown(answer, program.sum), "[2, 6] torch.float32 cpu");
  EXPECT_EQ(shown(answer, program.one), "[1, 3] torch.float32 cpu");
}

// The first of the two casts is to float32, the second back.
TEST(Retargeted, CastsOfOneLineAreTakenInTheirOrder) {
  struct Softmax : Example {
    const std::string code = "w = softmax((s + 0).float(), -1).to(v.dtype)";
    Row x = input("x", {2, 3});
    Row up = line(code, "aten.to.dtype", {ref(x), DType::kFloat32});
    Row softmax = line(code, "aten.softmax.int", {ref(up), -1});
    Row back = line(code, "aten.to.dtype", {ref(softmax), DType::kFloat32});
    Softmax() { export_with({back}); }
  };
  const Softmax program;
  RetargetOptions options;
  options.dtype = DType::kBFloat16;
  const RetargetedRun answer = propagate_retargeted(program.program, options);
  EXPECT_EQ(shown(answer, program.softmax), "[2, 3] torch.float32 cpu");
  EXPECT_EQ(shown(answer, program.back), "[2, 3] torch.bfloat16 cpu");
}

// inverse[order] = torch.arange(order.size(0)), of a merged dimension: 2 x 6 numbers.
TEST(Retargeted, AnArangeThatIsPutSomewhereIsAsLongAsThePlaces) {
  struct Inverse : Example {
    Row x = input("x", {2, 6});
    Row flat = call("aten.view.default", {ref(x), ints({12})});
    Row order = call("aten.argsort.default", {ref(flat)});
    Row inverse = call("aten.empty_like.default", {ref(order)});
    Row numbers = call("aten.arange.default", {12});
    Row put = call("aten.index_put_.default",
                   {ref(inverse), list_of(program, {ref(order)}), ref(numbers)});
    Inverse() { export_with({put}); }
  };
  const Inverse program;
  const RetargetedRun answer = propagate_retargeted(program.program, batch(5));
  EXPECT_EQ(shown(answer, program.numbers), "[30] torch.int64 cpu");
  EXPECT_EQ(assumed(answer, "aten.arange.default_4.end"), "12 -> 30");
}

TEST(Retargeted, WhatIsAssumedCanBeDecided) {
  const Positions program;
  RetargetOptions options;
  options.dims["x.1"] = 6;
  options.assume["aten.arange.default_2.end"] = "literal";
  const RetargetedRun answer = propagate_retargeted(program.program, options);
  EXPECT_EQ(shown(answer, program.length), "[4] torch.int64 cpu");
  options.assume["aten.arange.default_2.end"] = "9";
  EXPECT_EQ(shown(propagate_retargeted(program.program, options), program.length),
            "[9] torch.int64 cpu");
  options.assume["aten.arange.default_2.end"] = "perhaps";
  EXPECT_THROW(propagate_retargeted(program.program, options), Error);
  // Neither of no node, nor of a tensor, whatever else is asked.
  for (const char* name : {"nobody.1", "aten.mul.Tensor_5.self", "x.0"}) {
    RetargetOptions wrong;
    wrong.assume = {{name, "literal"}};
    EXPECT_THROW(propagate_retargeted(program.program, wrong), Error) << name;
  }
}

TEST(Retargeted, AWrittenNumberIsNoSize) {
  Example program;
  const Row x = program.input("x", {2, 2});
  const Row zeros =
      program.line("h = torch.zeros(x.size(0), 2)", "aten.zeros.default", {program.ints({2, 2})});
  program.export_with({x, zeros});
  RetargetOptions options;
  options.dims["x.0"] = 5;
  EXPECT_EQ(shown(propagate_retargeted(program.program, options), zeros),
            "[5, 2] torch.float32 cpu");
}

// norm(x) = weight * (x.float() * 2).to(dtype), then a linear; exported in float32, where both casts
// do nothing.
struct Norm : Example {
  Row weight = input("weight", {8}, DType::kFloat32, InputSpec::Kind::kParameter);
  Row linear = input("linear", {8, 8}, DType::kFloat32, InputSpec::Kind::kParameter);
  Row x = input("x", {2, 8});
  Row up = call("aten.to.dtype", {ref(x), DType::kFloat32}, "n,norm,Norm");
  Row twice = call("aten.mul.Tensor", {ref(up), 2}, "n,norm,Norm");
  Row down = call("aten.to.dtype", {ref(twice), DType::kFloat32}, "n,norm,Norm");
  Row scaled = call("aten.mul.Tensor", {ref(weight), ref(down)}, "n,norm,Norm");
  Row out = call("aten.linear.default", {ref(scaled), ref(linear)});
  Row residual = call("aten.add.Tensor", {ref(up), ref(out)});
  Norm() { export_with({residual}); }
};

TEST(Retargeted, AnIslandOfFloat32StaysOne) {
  const Norm program;
  RetargetOptions options;
  options.dtype = DType::kBFloat16;
  const RetargetedRun answer = propagate_retargeted(program.program, options);
  EXPECT_EQ(shown(answer, program.twice), "[2, 8] torch.float32 cpu");
  EXPECT_EQ(shown(answer, program.down), "[2, 8] torch.bfloat16 cpu");
  // What reads the cast outside of the norm means what the norm was given.
  EXPECT_EQ(shown(answer, program.residual), "[2, 8] torch.bfloat16 cpu");
}

TEST(Retargeted, TheLineTellsWhichCastFollows) {
  Example program;
  const Row x = program.input("x", {2, 8});
  const Row follows =
      program.line("y = x.to(self.weight.dtype)", "aten.to.dtype", {ref(x), DType::kFloat32});
  const Row keeps = program.line("z = y.float()", "aten.to.dtype", {ref(follows), DType::kFloat32});
  program.export_with({keeps});
  RetargetOptions options;
  options.dtype = DType::kFloat16;
  const RetargetedRun answer = propagate_retargeted(program.program, options);
  EXPECT_EQ(shown(answer, follows), "[2, 8] torch.float16 cpu");
  EXPECT_EQ(shown(answer, keeps), "[2, 8] torch.float32 cpu");
  EXPECT_EQ(answer.guesses(), 0u);
}

// x.to(device) is exported as to.dtype_layout with the dtype of x, x.to(device, dtype) as to.device.
TEST(Retargeted, ToADeviceKeepsTheDtypeUnlessItNamesOne) {
  Example program;
  const Row x = program.input("x", {2, 8});
  const Row moved =
      program.call("aten.to.dtype_layout", {ref(x), DType::kFloat32, nullptr, Device{}});
  const Row island = program.call("aten.to.device", {ref(x), Device{}, DType::kFloat32});
  program.export_with({moved, island});
  RetargetOptions options;
  options.dtype = DType::kBFloat16;
  const RetargetedRun answer = propagate_retargeted(program.program, options);
  EXPECT_EQ(shown(answer, moved), "[2, 8] torch.bfloat16 cpu");
  EXPECT_EQ(shown(answer, island), "[2, 8] torch.float32 cpu");
}

TEST(Retargeted, AFactoryWithoutADeviceStaysOnTheCpu) {
  Example program;
  const Row x = program.input("x", {4});
  const Row here = program.line("i = torch.arange(4, device=x.device)", "aten.arange.default",
                                {4, nullptr, nullptr, Device{}});
  const Row there =
      program.line("j = torch.arange(4)", "aten.arange.default", {4, nullptr, nullptr, Device{}});
  program.export_with({x, here, there});
  RetargetOptions options;
  options.device = Device{DeviceType::kCUDA, 0};
  const RetargetedRun answer = propagate_retargeted(program.program, options);
  EXPECT_EQ(shown(answer, here), "[4] torch.int64 cuda:0");
  EXPECT_EQ(shown(answer, there), "[4] torch.int64 cpu");
}

TEST(Retargeted, AssertsHoldOfWhatIsThere) {
  Example program;
  const Row x = program.input("x", {2, 8});
  program.call("aten._assert_tensor_metadata.default",
               {ref(x), nullptr, nullptr, DType::kFloat32, Device{}});
  const Row y = program.call("aten.relu.default", {ref(x)});
  program.export_with({y});
  RetargetOptions options = batch(3);
  options.dtype = DType::kBFloat16;
  options.device = Device{DeviceType::kCUDA, 0};
  EXPECT_EQ(shown(propagate_retargeted(program.program, options), y),
            "[3, 8] torch.bfloat16 cuda:0");
}

TEST(Retargeted, AnUnrolledLoopIsAnErrorThatNamesTheDimension) {
  Example program;
  const Row x = program.input("x", {2, 3, 8});
  std::vector<Value> steps;
  for (int step = 0; step < 3; ++step)
    steps.push_back(ref(program.call("aten.select.int", {ref(x), 1, step})));
  const Row stack = program.call("aten.stack.default", {list_of(program.program, steps), 1});
  program.export_with({stack});
  RetargetOptions options;
  options.dims["x.1"] = 5;
  const RetargetedRun answer = propagate_retargeted(program.program, options);
  ASSERT_EQ(answer.run.problems().size(), 1u);
  EXPECT_EQ(
      answer.run.problems()[0].message,
      "the program goes over dimension 1 of x in 3 steps, one by one: for 5 it has to be exported "
      "anew");
  EXPECT_TRUE(propagate_retargeted(program.program, batch(9)).run.problems().empty());
}

TEST(Retargeted, AViewOfOtherStridesIsACopy) {
  Example program;
  const Row x = program.input("x", {2, 3, 4, 4});
  const Row view = program.call("aten.view.default", {ref(x), program.ints({-1, 16})});
  program.export_with({view});
  RetargetOptions options = batch(5);
  options.memory_format = MemoryFormat::kChannelsLast;
  const RetargetedRun answer = propagate_retargeted(program.program, options);
  EXPECT_EQ(shown(answer, view), "[15, 16] torch.float32 cpu");
}

// A module that was made for 4 features: what was decided on the way to that is not undone.
TEST(Retargeted, AnErrorThatNothingMendsLeavesWhatWasDecided) {
  Example program;
  const Row x = program.input("x", {2, 4});
  const Row length = program.call("aten.arange.default", {4});
  const Row sum = program.call("aten.add.Tensor", {ref(x), ref(length)});
  const Row norm = program.call("aten.layer_norm.default", {ref(sum), program.ints({4})});
  program.export_with({norm});
  RetargetOptions options;
  options.dims["x.1"] = 6;
  const RetargetedRun answer = propagate_retargeted(program.program, options);
  EXPECT_EQ(shown(answer, length), "[6] torch.int64 cpu");
  EXPECT_EQ(shown(answer, sum), "[2, 6] torch.float32 cpu");
  EXPECT_NE(shown(answer, norm).find("normalized_shape"), std::string::npos);
}

// Where the file has a symbol, a number beside it is the model's own.
TEST(Retargeted, PiecesOfASymbolicDimensionStayAsTheyAre) {
  Example program;
  program.program.shape_env = std::make_shared<ShapeEnv>();
  const SymInt s0 =
      program.program.shape_env->create_backed("s0", 6, ValueRange::ints(2, kIntInfinity));
  const Row x = program.input("x", {2, 6});
  const SymInt sizes[] = {2, s0};
  program.program.graph().meta(NodeId{x}).recorded =
      program.program.metas().intern({.sizes = sizes});
  const Row pieces = program.call("aten.split.Tensor", {ref(x), 3, 1});
  const Row second = program.getitem(pieces, 1);
  program.export_with({second});
  RetargetOptions options;
  options.dims["s0"] = 5;
  EXPECT_EQ(shown(propagate_retargeted(program.program, options), second),
            "[2, 2] torch.float32 cpu");
}

RetargetOptions dynamic_batch(ValueRange range = ValueRange::ints(2, kIntInfinity)) {
  RetargetOptions options;
  options.dynamic["batch"] = {.range = range};
  return options;
}

TEST(Retargeted, ADynamicBatchIsASymbolInWhatWasANumber) {
  Example program;
  const Row x = program.input("x", {2, 16, 32});
  const Row view = program.call("aten.view.default", {ref(x), program.ints({32, 4, 8})});
  const Row zeros =
      program.line("y = torch.zeros(x.shape[0], 8)", "aten.zeros.default", {program.ints({2, 8})});
  program.export_with({view, zeros});
  const RetargetedRun answer = propagate_retargeted(program.program, dynamic_batch());
  EXPECT_EQ(shown(answer, x), "[batch, 16, 32] torch.float32 cpu");
  EXPECT_EQ(shown(answer, view), "[16*batch, 4, 8] torch.float32 cpu");
  EXPECT_EQ(shown(answer, zeros), "[batch, 8] torch.float32 cpu");
  EXPECT_EQ(assumed(answer, "view.0"), "");
  EXPECT_TRUE(answer.run.problems().empty());
}

// In a range of three sizes, of which the example has one.
TEST(Retargeted, ANarrowRangeIsEnoughForADynamicBatch) {
  Example program;
  const Row x = program.input("x", {2, 16});
  const Row view = program.call("aten.view.default", {ref(x), program.ints({8, 4})});
  program.export_with({view});
  const RetargetedRun answer =
      propagate_retargeted(program.program, dynamic_batch(ValueRange::ints(2, 4)));
  EXPECT_EQ(shown(answer, view), "[4*batch, 4] torch.float32 cpu");
}

TEST(Retargeted, WhatSpecialisesADynamicSizeIsAnError) {
  Example program;
  const Row x = program.input("x", {3, 8});
  const Row pieces = program.call("aten.unbind.int", {ref(x)});
  const Row first = program.getitem(pieces, 0);
  program.export_with({first});
  const RetargetedRun answer = propagate_retargeted(program.program, dynamic_batch());
  ASSERT_FALSE(answer.run.problems().empty());
  EXPECT_EQ(answer.run.problems()[0].node, pieces);
}

TEST(Retargeted, LiteralNumbersSpecialiseADynamicSize) {
  Example program;
  const Row x = program.input("x", {2, 16});
  const Row view = program.call("aten.view.default", {ref(x), program.ints({2, 4, 4})});
  program.export_with({view});
  RetargetOptions options = dynamic_batch();
  options.literal = true;
  options.python_dispatcher = true;
  const RetargetedRun answer = propagate_retargeted(program.program, options);
  ASSERT_EQ(answer.run.problems().size(), 1u);
  EXPECT_EQ(answer.run.problems()[0].error_class, "ConstraintViolationError");
  EXPECT_EQ(answer.run.problems()[0].message,
            "batch was marked dynamic, but aten.view(x [batch, 16]) specialises it to be a "
            "constant");
}

TEST(Retargeted, WhatIsASymbolOrSetCannotBeMadeDynamic) {
  Example program;
  program.export_with({program.input("x", {2, 16})});
  RetargetOptions options = dynamic_batch();
  options.dims["batch"] = 4;
  EXPECT_THROW(propagate_retargeted(program.program, options), Error);
  RetargetOptions unknown;
  unknown.dynamic["y.0"] = {};
  EXPECT_THROW(propagate_retargeted(program.program, unknown), Error);
}

}  // namespace
}  // namespace faketensor
