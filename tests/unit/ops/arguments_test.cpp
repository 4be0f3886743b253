// What calls refuse before a rule runs, in PyTorch's words.
#include "expect_call.h"

namespace faketensor {
namespace {

TEST(Arguments, AMissingOneIsNamedWithTheDeclaration) {
  expect_call("aten::mm", {"f32[2,3]"},
              "RuntimeError: aten::mm() is missing value for argument 'mat2'. Declaration: "
              "aten::mm(Tensor self, Tensor mat2) -> Tensor");
}

TEST(Arguments, ANumberStandsForATensorAndPromotesAsANumber) {
  expect_call("aten::add.Tensor", {"i64[3]", "2.5"}, "f32[3]");
  expect_call("aten::add.Tensor", {"f16[3]", "2.5"}, "f16[3]");
}

TEST(Arguments, ASingleIntStandsForAListOfTheSchemasLength) {
  expect_call("aten::conv2d", {"f32[1,3,8,8]", "f32[6,3,3,3]", "None", "2", "1"},
              "f32[1, 6, 4, 4]");
}

TEST(Arguments, AValueOfTheWrongTypeIsRefusedWithItsPosition) {
  const std::string text = call_text("aten::transpose.int", {"f32[2,3]", "1.5", "0"});
  EXPECT_TRUE(
      text.starts_with("RuntimeError: aten::transpose() Expected a value of type 'int' for "
                       "argument 'dim0' but instead found type 'float'.\n"
                       "Position: 1\nValue: 1.5\nDeclaration: aten::transpose.int("))
      << text;
}

TEST(Devices, TwoDevicesInOneCallAreRefused) {
  expect_call("aten::add.Tensor", {"f32[2]@cuda", "f32[2]"},
              "FakeTensorDeviceMismatchError: Expected all tensors to be on the same device, but "
              "found at least two devices, cuda:0 and cpu!");
}

TEST(Devices, AZeroDimensionalCpuTensorGivesWay) {
  expect_call("aten::add.Tensor", {"f32[]", "f32[2]@cuda"}, "f32[2] cuda:0");
}

// move_to_device_pass writes the device of factories as text.
TEST(Arguments, ADeviceMayBeGivenAsText) {
  FakeTensorMode mode;
  const OpId zeros = Registry::builtin().find("aten::zeros");
  const SymInt sizes[] = {2};
  const Value args[] = {Value::ints(sizes), Value::unset(), Value::unset(),
                        Value::string("cuda:1")};
  const Outcome outcome = mode.call(zeros, args);
  ASSERT_FALSE(outcome.error);
  EXPECT_EQ(outcome.value.tensor().device(), (Device{DeviceType::kCUDA, 1}));
}

TEST(Sizes, ANegativeOneIsRefusedWhenTheTensorIsMade) {
  expect_call("aten::conv_transpose2d.input",
              {"f32[1,2,1,8]", "f32[2,1,1,1]", "None", "[1,1]", "[2,0]"},
              "RuntimeError: Trying to create tensor with negative dimension -3: [1, 1, -3, 8]");
}

}  // namespace
}  // namespace faketensor
