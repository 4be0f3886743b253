#include "expect_call.h"

namespace faketensor {
namespace {

TEST(Matmul, Answers) {
  const CallCase cases[] = {
      {"aten::mm", {"f32[2,3]", "f32[3,4]"}, "f32[2, 4]"},
      {"aten::mm",
       {"f32[2,3]", "f32[4,3]{1,4}"},
       "RuntimeError: a and b must have same reduction dim, but got [2, 3] X [4, 3]."},
      {"aten::mm", {"f32[2]", "f32[3,4]"}, "RuntimeError: a must be 2D"},
      {"aten::bmm", {"f16[5,2,3]", "f16[5,3,4]"}, "f16[5, 2, 4]"},
      {"aten::bmm",
       {"f16[5,2,3]", "f32[5,3,4]"},
       "RuntimeError: expected scalar type torch.float16 but found torch.float32"},
      {"aten::addmm", {"f32[4]", "f32[2,3]", "f32[3,4]"}, "f32[2, 4]"},
      {"aten::baddbmm", {"f32[4]", "f32[5,2,3]", "f32[5,3,4]"}, "f32[5, 2, 4]"},
      {"aten::mv", {"f32[2,3]", "f32[3]"}, "f32[2]"},
      {"aten::dot", {"f32[3]", "f32[3]"}, "f32[]"},
      {"aten::linear", {"f32[2,5,3]", "f32[4,3]", "f32[4]"}, "f32[2, 5, 4]"},
      {"aten::linear",
       {"f32[]", "f32[4,3]"},
       "RuntimeError: both arguments to linear need to be at least 1D, but they are 0D and 2D"},
      {"aten::matmul", {"f32[3]", "f32[3]"}, "f32[]"},
      {"aten::matmul", {"f32[2,3]", "f32[3]"}, "f32[2]"},
      {"aten::matmul", {"f32[3]", "f32[3,4]"}, "f32[4]"},
      {"aten::matmul", {"f32[7,1,2,3]", "f32[5,3,4]"}, "f32[7, 5, 2, 4]"},
      {"aten::outer", {"f32[2]", "f32[3]"}, "f32[2, 3]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

// The result of a folded product is a view of the matrix product: dense rows whatever the input's
// strides.
TEST(Matmul, FoldsByStridesAlsoOverABatchOfOne) {
  // Folded products are made by mv, which promotes; others by bmm, which refuses.
  expect_call("aten::matmul", {"u16[3]", "f16[2,1,3,3]{15,15,1,5}"}, "f16[2, 1, 3]");
  expect_call("aten::matmul", {"u16[3]", "f16[2,1,3,3]{15,15,5,1}"},
              "RuntimeError: expected scalar type torch.uint16 but found torch.float16");
}

TEST(Matmul, FactorsOfIntegersBecomeIntegers) {
  FakeTensorMode mode;
  const auto integers = [&](const DimVector& sizes) {
    return Value(mode.context().empty(sizes, DType::kInt64, {}));
  };
  static constexpr double kBeta[] = {1, 2};
  const Value args[] = {integers({5}), integers({5, 10}), integers({10}), Value::complex(kBeta)};
  const Outcome outcome = mode.call(Registry::builtin().find("aten::addmv"), args);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->class_name(), "TypeError");
  EXPECT_EQ(outcome.error->message(),
            "int() argument must be a string, a bytes-like object or a real number, not 'complex'");
}

TEST(Matmul, FoldsBatchesOfAContiguousOperandIntoRows) {
  expect_call("aten::matmul", {"f32[2,5,3]", "f32[3,4]"}, "f32[2, 5, 4]");
}

}  // namespace
}  // namespace faketensor
