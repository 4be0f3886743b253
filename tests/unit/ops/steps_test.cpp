// Steps of operators: the calls that PyTorch's Python functions make, as torch.utils' TorchDispatchMode
// sees them around decomposition_table[op](...) in PyTorch 2.13.
#include "core/ops/steps/steps.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "core/ops/dispatch_mode.h"
#include "core/ops/steps/tables.h"

namespace faketensor {
namespace {

// Notes the operators that it sees, as a pass that traces does, and hands them on.
class Recorder final : public DispatchMode {
 public:
  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override {
    const std::string name = op.is_aten() ? std::string(op.local_name()) : std::string(op.name);
    const size_t end = name.ends_with(".default") ? name.size() - 8 : name.size();
    seen += (seen.empty() ? "" : " ") + name.substr(0, end);
    return next(op, args);
  }
  std::string seen;
};

class StepsTest : public ::testing::Test {
 protected:
  Value made(std::initializer_list<SymInt> sizes, DType dtype = DType::kFloat32) {
    return *context.empty(DimVector(sizes), dtype, Device{});
  }
  Value ints(std::initializer_list<SymInt> values) { return context.make_ints(DimVector(values)); }
  static const OpEntry& op(std::string_view name) {
    return Registry::builtin().entry(Registry::builtin().find(name));
  }
  // Arguments with the schema's defaults.
  static std::vector<Value> complete(const OpEntry& op, std::initializer_list<Value> given) {
    std::vector<Value> args(given);
    for (size_t i = args.size(); i < op.schema.arguments.size(); ++i)
      args.push_back(op.schema.arguments[i].default_value);
    return args;
  }
  std::string steps(std::string_view name, std::initializer_list<Value> given) {
    Recorder recorder;
    const ModeScope scope(context, recorder);
    result = run_steps(context, op(name), complete(op(name), given));
    return recorder.seen;
  }
  // That the steps give what the rule gives.
  void expect_same(std::string_view name, std::initializer_list<Value> given) {
    steps(name, given);
    const Value answer = context.run_rule(op(name), complete(op(name), given));
    const auto expect_equal = [&](const Value& a, const Value& b) {
      ASSERT_TRUE(a.is_tensor() && b.is_tensor()) << name;
      EXPECT_EQ(a.tensor().meta, b.tensor().meta) << name;
    };
    if (answer.is_tensor()) return expect_equal(result, answer);
    ASSERT_EQ(result.size(), answer.size()) << name;
    for (size_t i = 0; i < answer.size(); ++i) expect_equal(result[i], answer[i]);
  }

  Context context;
  Value result;
};

TEST_F(StepsTest, AreTheCallsThatPyTorchMakes) {
  const Value x = made({3, 4});
  const Value row = made({4});
  EXPECT_EQ(steps("aten::silu", {x}), "sigmoid mul.Tensor");
  EXPECT_EQ(steps("aten::gelu", {x}), "mul.Tensor mul.Tensor erf add.Tensor mul.Tensor");
  EXPECT_EQ(steps("aten::sigmoid", {x}), "prims::neg prims::exp prims::add prims::div");
  EXPECT_EQ(steps("aten::hardswish", {x}), "add.Tensor clamp clamp mul.Tensor div.Tensor");
  EXPECT_EQ(steps("aten::_softmax", {x, 1, false}),
            "amax sub.Tensor exp sum.dim_IntList div.Tensor");
  EXPECT_EQ(steps("aten::native_layer_norm", {x, ints({4}), row, row, 1e-5}),
            "var_mean.correction add.Tensor rsqrt sub.Tensor mul.Tensor mul.Tensor add.Tensor");
  EXPECT_EQ(steps("aten::native_dropout", {x, 0.5, true}),
            "rand_like gt.Scalar mul.Tensor mul.Tensor");
  EXPECT_EQ(steps("aten::addmm", {row, made({3, 5}), made({5, 4})}),
            "mm mul.Tensor mul.Tensor add.Tensor");
  EXPECT_EQ(steps("aten::baddbmm", {made({1, 3, 4}), made({1, 3, 5}), made({1, 5, 4})}),
            "bmm add.Tensor");
  EXPECT_EQ(steps("aten::mse_loss", {x, x}), "sub.Tensor pow.Tensor_Scalar mean");
  EXPECT_EQ(steps("aten::huber_loss", {x, x}),
            "sub.Tensor abs lt.Scalar mul.Tensor mul.Tensor sub.Tensor mul.Tensor where.self mean");
  EXPECT_EQ(steps("aten::log_sigmoid_forward", {x}),
            "new_zeros minimum abs neg exp log1p sub.Tensor");
  EXPECT_EQ(steps("aten::var_mean.correction", {x}), "prims::var prims::sum prims::div");
  EXPECT_EQ(steps("aten::sum", {x}), "sum.dim_IntList");
  EXPECT_EQ(steps("aten::zeros_like", {x}), "full_like");
  EXPECT_EQ(steps("aten::t", {x}), "transpose.int");
  EXPECT_EQ(steps("aten::roll", {x, ints({1}), ints({0})}),
            "arange add.Tensor fmod.Scalar index_select");
  EXPECT_EQ(steps("aten::triu", {x}),
            "arange unsqueeze arange unsqueeze sub.Tensor ge.Scalar scalar_tensor where.self");
  EXPECT_EQ(steps("aten::unbind.int", {x}),
            "slice.Tensor slice.Tensor slice.Tensor squeeze.dim squeeze.dim squeeze.dim");
  EXPECT_EQ(steps("aten::native_batch_norm", {x, row, row, made({4}), made({4}), false, 0.1, 1e-5}),
            "_to_copy _to_copy add.Tensor sqrt reciprocal mul.Tensor new_zeros new_zeros "
            "sub.Tensor mul.Tensor mul.Tensor add.Tensor");
}

// A rule that makes the calls is the steps: there is no second form.
TEST_F(StepsTest, OfARuleThatMakesTheCallsAreItsOwn) {
  const Value x = made({3, 4});
  EXPECT_EQ(steps_of(op("aten::tanh_backward").id)->rule.function, nullptr);
  EXPECT_EQ(steps("aten::tanh_backward", {x, x}), "mul.Tensor rsub.Scalar mul.Tensor");
  EXPECT_EQ(steps("aten::linear", {x, made({5, 4})}), "t mm");
}

TEST_F(StepsTest, GiveWhatTheRuleGives) {
  const Value x = made({3, 4});
  const Value wide = made({2, 3, 4, 5});
  expect_same("aten::silu", {x});
  expect_same("aten::gelu", {wide});
  expect_same("aten::_log_softmax", {x, -1, false});
  expect_same("aten::native_layer_norm", {x, ints({4}), nullptr, nullptr, 1e-5});
  expect_same("aten::native_group_norm", {made({2, 6, 4}), made({6}), made({6}), 2, 6, 4, 3, 1e-5});
  expect_same("aten::sum.dim_IntList", {wide, ints({1, 3}), true});
  expect_same("aten::var.correction", {wide, ints({0})});
  expect_same("aten::cumsum", {wide, 2});
  expect_same("aten::cat", {context.make_list(std::vector<Value>{x, x}), 1});
  expect_same("aten::stack", {context.make_list(std::vector<Value>{x, x}), 1});
  expect_same("aten::clamp", {x, 0.0, 1.0});
  expect_same("aten::div.Tensor_mode", {x, made({4}), Value::string("floor")});
  expect_same("aten::pow.Tensor_Scalar", {x, 2});
  expect_same("aten::mean.dim", {x, ints({1}), true});
  expect_same("aten::squeeze", {made({1, 3, 1})});
  expect_same("aten::transpose.int", {wide, 1, -1});
  expect_same("aten::view", {wide, ints({6, 20})});
  expect_same("aten::nll_loss_forward", {x, made({3}, DType::kInt64), nullptr, 1, -100});
}

TEST_F(StepsTest, AreTakenByWhoAnswersInPyTorch) {
  const auto taken = [](std::string_view name) { return steps_of(op(name).id)->taken_for; };
  EXPECT_EQ(taken("aten::addmm"), StepsFor::kAll);     // a decomposition
  EXPECT_EQ(taken("aten::exp"), StepsFor::kSymbols);   // a reference
  EXPECT_EQ(taken("aten::exp_"), StepsFor::kSymbols);  // which its in-place overload follows
  EXPECT_EQ(taken("aten::silu"), StepsFor::kNobody);   // a meta function goes before it
  EXPECT_EQ(taken("prims::exp"), StepsFor::kAll);
  EXPECT_EQ(taken("aten::tanh_backward.grad_input"), StepsFor::kAll);
  EXPECT_EQ(steps_of(op("aten::mm").id), nullptr);  // one kernel
}

TEST_F(StepsTest, WriteToTheOutputLast) {
  const Value x = made({3, 4});
  EXPECT_EQ(steps("aten::add.out", {x, x, 1, made({0})}), "prims::add resize_ copy_");
  EXPECT_EQ(result.tensor().size(1).as_int(), 4);
  EXPECT_EQ(steps("aten::exp_", {x}), "prims::exp copy_");
}

TEST_F(StepsTest, RaiseForADimensionThatIsNone) {
  EXPECT_THROW(steps("aten::unsqueeze", {made({3}), 3}), Error);
  EXPECT_THROW(steps("aten::transpose.int", {made({3, 4}), 0, 2}), Error);
  EXPECT_THROW(steps("aten::cumsum", {made({3, 4}), 2}), Error);
}

TEST_F(StepsTest, StandInTheTablesOnceEach) {
  std::set<std::string_view> names;
  for (const std::span<const StepsDef> table : steps_tables()) {
    for (const StepsDef& row : table) {
      EXPECT_NE(Registry::builtin().find(row.op), kNoOp) << row.op;
      EXPECT_TRUE(names.insert(row.op).second) << row.op << " is there twice";
    }
    EXPECT_TRUE(std::is_sorted(table.begin(), table.end(), [](const auto& a, const auto& b) {
      return a.op < b.op;
    })) << table[0].op;
  }
}

}  // namespace
}  // namespace faketensor
