// What calls refuse before a rule runs, in PyTorch's words.
#include <memory>

#include "core/symbolic/shape_env.h"
#include "core/symbolic/sym_float.h"
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

TEST(Arguments, TypesAndValuesAreNamedAsPyTorchsParserDoes) {
  const std::string list = call_text("aten::new_empty", {"f32[2]", "[2.5, 3]"});
  EXPECT_NE(list.find("Expected a value of type 'List[int]' for argument 'size' but instead found "
                      "type 'list'.\nPosition: 1\nValue: [2.5, 3]\n"),
            std::string::npos)
      << list;
  EXPECT_TRUE(list.ends_with(
      "\nCast error details: Unable to cast Python instance of type <class 'float'> to C++ type "
      "'?' (#define PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)"))
      << list;
  const std::string tensor = call_text("aten::binary_cross_entropy", {"f32[2]", "f32[2]", "2.5"});
  EXPECT_NE(tensor.find("type 'Optional[Tensor]'"), std::string::npos) << tensor;
  EXPECT_TRUE(tensor.ends_with("Unable to cast 2.5 to Tensor")) << tensor;
}

TEST(Arguments, ATensorForAListOfOptionalTensorsIsIteratedOver) {
  expect_call("aten::index.Tensor", {"f32[3,4]", "i64[2,5]"}, "f32[5]");
  const std::string scalar = call_text("aten::index.Tensor", {"f32[3]", "i64[]"});
  EXPECT_NE(scalar.find("type 'List[Optional[Tensor]]' for argument 'indices'"), std::string::npos)
      << scalar;
  EXPECT_TRUE(scalar.ends_with("\n Python error details: TypeError: iteration over a 0-d tensor"))
      << scalar;
}

TEST(Arguments, NoneStandsForATensorOnlyWhereAKernelTakesAnUndefinedOne) {
  expect_call("aten::cudnn_batch_norm_backward",
              {"f32[2,3]", "f32[2,3]", "None", "None", "None", "f32[3]", "f32[3]", "0.1", "u8[0]"},
              "RuntimeError: Expected a proper Tensor but got None (or an undefined Tensor in C++) "
              "for argument #2 'weight'");
}

TEST(Arguments, NoneAndNumbersStandForABool) {
  for (const char* flag : {"None", "0", "0.0", "False"}) {
    expect_call("aten::any.dim", {"f32[2,3]", "0", flag}, "b8[3]");
  }
}

// What autograd refuses of a call: its words, or nothing.
std::string autograd_refusal(std::string_view op, std::vector<Value> args) {
  FakeTensorMode mode;
  mode.context().grad_enabled = true;
  const Outcome outcome = mode.call(Registry::builtin().find(op), args);
  return outcome.error ? std::string(outcome.error->message()) : "";
}

TEST(Autograd, RefusesWhatHasNoDerivative) {
  FakeTensorMode mode;
  const SymInt sizes[] = {3};
  const auto tensor = [&](DType dtype, bool requires_grad) {
    const MetaSpec spec = {.sizes = sizes,
                           .dtype = dtype,
                           .flags = requires_grad ? uint16_t{kRequiresGrad} : uint16_t{0}};
    return Value(mode.context().make_tensor(mode.context().metas().intern(spec), nullptr));
  };
  const Value real = tensor(DType::kFloat32, true);
  const Value imaginary = tensor(DType::kComplex64, false);
  EXPECT_EQ(autograd_refusal("aten::gelu_backward", {imaginary, real}),
            "gelu_backward does not support automatic differentiation for outputs with complex "
            "dtype.");
  EXPECT_EQ(autograd_refusal("aten::_softmax_backward_data", {real, real, 0, DType::kInt32}),
            "Autograd not support dtype: Int");
  EXPECT_EQ(autograd_refusal("aten::log_sigmoid_backward", {real, real, real}),
            "The function 'log_sigmoid_backward' is not differentiable with respect to argument "
            "'buffer'. This input cannot have requires_grad True.");
  EXPECT_EQ(autograd_refusal("aten::tanh_backward", {imaginary, real}), "");
}

TEST(Autograd, ReadsTheSizesThatAFormulaKeepsFirst) {
  FakeTensorMode mode;
  const MetaSpec spec = {.flags = kRequiresGrad};
  const Value scalar = mode.context().make_tensor(mode.context().metas().intern(spec), nullptr);
  EXPECT_EQ(autograd_refusal("aten::embedding", {scalar, scalar}),
            "Dimension specified as 0 but tensor has no dimensions");
  EXPECT_EQ(autograd_refusal("aten::_adaptive_avg_pool2d_backward", {scalar, scalar}),
            "Dimension specified as -1 but tensor has no dimensions");
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

// The parser asks for the __index__ of each, before the operator sees them.
TEST(Arguments, SymbolicNumbersInAListOfPlainIntsAreSpecialized) {
  FakeTensorMode mode;
  auto env = std::make_shared<ShapeEnv>();
  mode.attach_shape_env(env);
  const SymInt place = env->create_backed("s0", 1, ValueRange::ints(0, 3));
  const Value args[] = {mode.empty(DimVector{2, 1, 3}, DType::kFloat32), Value::ints({&place, 1})};
  const Outcome outcome = mode.call("prims::squeeze", args);
  ASSERT_FALSE(outcome.error);
  EXPECT_EQ(outcome.value.tensor().dim(), 2);
  ASSERT_EQ(env->guards().size(), 1u);
  EXPECT_EQ(to_string(env->guards()[0].condition), "Eq(s0, 1)");
}

// A mode with the sizes [s0, 3, 8, 8], s0 = 2, and the float of s0.
class FloatArguments : public ::testing::Test {
 protected:
  FloatArguments() { mode.attach_shape_env(env); }

  std::string guards() const {
    std::string text;
    for (const Guard& guard : env->guards())
      text += (text.empty() ? "" : ", ") + to_string(guard.condition);
    return text;
  }
  std::string raised(std::string_view op, std::span<const Value> args) {
    const Outcome outcome = mode.call(op, args);
    return outcome.error ? format("{}: {}", outcome.error->class_name(), outcome.error->message())
                         : "nothing";
  }

  FakeTensorMode mode;
  std::shared_ptr<ShapeEnv> env = std::make_shared<ShapeEnv>();
  SymInt s0 = env->create_backed("s0", 2, ValueRange::ints(2, kIntInfinity));
  Value x = mode.empty(DimVector{s0, 3, 8, 8}, DType::kFloat32);
  Value symbolic = Value::sym_float(sym_float(s0).node());
  Value unbacked = Value::sym_float(env->create_unbacked_float());
};

TEST_F(FloatArguments, ASymbolicFloatIsSpecialized) {
  const Value args[] = {x, symbolic, true};
  EXPECT_EQ(raised("aten::dropout", args),
            "RuntimeError: dropout probability has to be between 0 and 1, but got 2");
  EXPECT_EQ(guards(), "Eq(ToFloat(s0), 2.0)");
}

TEST_F(FloatArguments, SymbolicFloatsInAListAreSpecialized) {
  const Value scales[] = {symbolic, symbolic};
  const Value args[] = {x, Value(), Value::list(scales)};
  const Outcome outcome = mode.call("aten::upsample_nearest2d.vec", args);
  ASSERT_FALSE(outcome.error) << outcome.error->message();
  EXPECT_EQ(format("{}", outcome.value.tensor().sizes()), "[2, 3, 16, 16]");
  EXPECT_TRUE(guards().starts_with("Eq(ToFloat(s0), 2.0)")) << guards();
}

TEST_F(FloatArguments, AnUnbackedFloatIsRefusedWithWhatPythonSaid) {
  const Value args[] = {x, unbacked, true};
  const std::string text = raised("aten::dropout", args);
  EXPECT_TRUE(text.starts_with(
      "RuntimeError: aten::dropout() Expected a value of type 'float' for argument 'p' but instead "
      "found type 'SymFloat'.\nPosition: 1\nValue: zuf0\nDeclaration: aten::dropout(Tensor "
      "input, float p, bool train) -> Tensor\n Python error details: "
      "GuardOnDataDependentSymNode: Could not guard on data-dependent expression zuf0"))
      << text;
  const Value scales[] = {unbacked, unbacked};
  const Value list[] = {x, Value(), Value::list(scales)};
  EXPECT_NE(raised("aten::upsample_nearest2d.vec", list)
                .find("Cast error details: Unable to cast Python instance of type <class 'list'>"),
            std::string::npos);
}

TEST_F(FloatArguments, ASymbolicIntAndAConditionServeAsPyTorchHasThem) {
  const Value size[] = {x, s0};
  EXPECT_FALSE(mode.call("aten::bernoulli.p", size).error);
  EXPECT_EQ(guards(), "Eq(s0, 2)");
  const SymBool condition = env->create_unbacked_bool();
  const Value weight[] = {x, x, 1, condition};
  EXPECT_NE(raised("aten::huber_loss", weight)
                .find("found type 'SymBool'.\nPosition: 3\nValue: Eq(u0, 1)\n"),
            std::string::npos);
}

TEST_F(FloatArguments, AConditionForAnIntIsDecided) {
  const SymInt s1 = env->create_backed("s1", 5, ValueRange::ints(2, kIntInfinity));
  const Value args[] = {x, 0, s0 == s1 + 3, 1};
  EXPECT_FALSE(mode.call("aten::narrow", args).error);
  EXPECT_EQ(guards(), "Ne(s0, s1 + 3)");
}

TEST_F(FloatArguments, ANumberOfAScalarIsSpecializedByWhoNeedsIt) {
  // Reads p as a number; its guards are those of its own Python.
  const Value args[] = {x, symbolic, symbolic};
  EXPECT_FALSE(mode.call("aten::rrelu", args).error);
  EXPECT_EQ(guards(), "Eq(ToFloat(s0), 2.0)");
}

TEST(Sizes, ANegativeOneIsRefusedWhenTheTensorIsMade) {
  expect_call("aten::conv_transpose2d.input",
              {"f32[1,2,1,8]", "f32[2,1,1,1]", "None", "[1,1]", "[2,0]"},
              "RuntimeError: Trying to create tensor with negative dimension -3: [1, 1, -3, 8]");
}

}  // namespace
}  // namespace faketensor
