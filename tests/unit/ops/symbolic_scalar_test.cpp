#include <string>
#include <string_view>

#include "expect_call.h"

namespace faketensor {
namespace {

TEST(SymbolicScalar, ComputesAsPythonDoes) {
  const CallCase cases[] = {
      {"_operator::add", {"3", "4"}, "7"},
      {"_operator::add", {"3", "0.5"}, "3.5"},
      {"_operator::add", {"True", "1"}, "2"},
      {"_operator::sub", {"3", "4"}, "-1"},
      {"_operator::mul", {"3", "4"}, "12"},
      {"_operator::truediv", {"3", "4"}, "0.75"},
      // Rounded once, as the exact quotient would be.
      {"_operator::truediv", {"2305843009213694207", "2305843009213693951"}, "1.0000000000000002"},
      {"_operator::truediv", {"9223372036854775807", "-3"}, "-3.0744573456182584e+18"},
      {"_operator::truediv", {"1", "9223372036854775807"}, "1.0842021724855044e-19"},
      {"_operator::truediv", {"0", "-5"}, "-0.0"},
      {"_operator::floordiv", {"-7", "2"}, "-4"},
      {"_operator::floordiv", {"-7.0", "2"}, "-4.0"},
      {"_operator::mod", {"-7", "3"}, "2"},
      {"_operator::mod", {"-7.5", "2"}, "0.5"},
      {"_operator::pow", {"2", "10"}, "1024"},
      {"_operator::pow", {"2", "-1"}, "0.5"},
      {"_operator::neg", {"3"}, "-3"},
      {"_operator::pos", {"3"}, "3"},
      {"_operator::eq", {"3", "3.0"}, "True"},
      {"_operator::ne", {"3", "4"}, "True"},
      {"_operator::lt", {"3", "4"}, "True"},
      {"_operator::le", {"3", "3"}, "True"},
      {"_operator::gt", {"3", "4"}, "False"},
      {"_operator::ge", {"3", "4"}, "False"},
      {"_operator::and_", {"True", "False"}, "False"},
      {"_operator::and_", {"6", "3"}, "2"},
      {"_operator::or_", {"6", "3"}, "7"},
      {"_operator::lshift", {"3", "2"}, "12"},
      {"_operator::rshift", {"13", "2"}, "3"},
      {"math::trunc", {"-2.5"}, "-2"},
      {"torch::sym_float", {"3"}, "3.0"},
      {"torch::sym_int", {"2.9"}, "2"},
      {"torch::sym_ite", {"True", "1", "2"}, "1"},
      {"torch::sym_max", {"3", "4"}, "4"},
      {"torch::sym_min", {"3", "4.5"}, "3.0"},
      {"torch::sym_not", {"True"}, "False"},
      {"torch::sym_sqrt", {"9"}, "3.0"},
      {"aten::sym_size.int", {"f32[2,3]", "-1"}, "3"},
      {"aten::sym_stride.int", {"f32[2,3]", "0"}, "3"},
      {"aten::sym_numel", {"f32[2,3]"}, "6"},
      {"aten::sym_storage_offset", {"f32[2,3]"}, "0"},
      {"aten::sym_is_contiguous", {"f32[2,3]{1,2}"}, "False"},
      {"aten::_assert_scalar", {"True", "never"}, "None"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(SymbolicScalar, Refuses) {
  const CallCase cases[] = {
      {"_operator::floordiv", {"3", "0"}, "ZeroDivisionError: division by zero"},
      {"_operator::truediv", {"3", "0"}, "ZeroDivisionError: division by zero"},
      {"_operator::mod", {"3.0", "0.0"}, "ZeroDivisionError: float modulo"},
      {"_operator::pow",
       {"10", "100"},
       "OverflowError: integer arithmetic on sizes does not fit 64 bits"},
      {"_operator::lshift", {"1", "-1"}, "ValueError: negative shift count"},
      {"torch::sym_int",
       {"1e300"},
       "OverflowError: integer arithmetic on sizes does not fit 64 bits"},
      {"torch::sym_sqrt", {"-1"}, "ValueError: math domain error"},
      {"aten::sym_size.int",
       {"f32[2,3]", "2"},
       "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
      {"aten::_assert_scalar", {"False", "sizes differ"}, "RuntimeError: sizes differ"},
      {"aten::sym_constrain_range",
       {"5", "max=3"},
       "ValueError: Invalid value 5 for range [-int_oo:3]"},
      {"aten::sym_constrain_range",
       {"5", "min=4", "max=3"},
       "ValueError: Maximum value to constrain_as_size can't be less than the specified min value, "
       "received min=4 and max=3"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(DataDependent, GivesUnbackedSymbols) {
  const CallCase cases[] = {
      {"aten::nonzero", {"i64[3,4]"}, "i64[u0, 2] strides [1, u0]"},
      {"aten::nonzero", {"i64[0]"}, "i64[0, 1]"},
      {"aten::nonzero_static", {"i64[3,4]", "size=5"}, "i64[5, 2]"},
      {"aten::where", {"b8[3,4]"}, "(i64[u0], i64[u0] offset u0)"},
      {"aten::argwhere", {"f32[3,4]"}, "i64[u0, 2] strides [1, u0]"},
      {"aten::masked_select", {"f32[3]", "b8[3]"}, "f32[u0]"},
      {"aten::bincount", {"i64[7]"}, "i64[u0]"},
      {"aten::_unique2", {"i64[7]", "True", "True", "True"}, "(i64[u0], i64[7], i64[u0])"},
      {"aten::unique_dim", {"i64[7,2]", "0"}, "(i64[u0, 2], i64[7], i64[u0])"},
      {"aten::unique_consecutive", {"i64[7]"}, "(i64[u0], i64[0], i64[0])"},
      {"aten::item", {"i64[1]"}, "u0"},
      {"aten::item", {"f32[]"}, "zuf0"},
      {"aten::item", {"b8[]"}, "Eq(u0, 1)"},
      {"aten::_assert_async", {"b8[]"}, "None"},
      {"aten::_assert_tensor_metadata", {"f32[2,3]", "dtype=float32"}, "None"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(DataDependent, Refuses) {
  const CallCase cases[] = {
      {"aten::item",
       {"i64[2]"},
       "RuntimeError: a Tensor with 2 elements cannot be converted to Scalar"},
      {"aten::is_nonzero",
       {"i64[0]"},
       "RuntimeError: Boolean value of Tensor with no values is ambiguous"},
      {"aten::equal", {"i64[2]", "i64[2]"}, "DataDependentOutputException: aten.equal.default"},
      {"aten::unique_dim_consecutive",
       {"i64[2,2]", "0"},
       "DynamicOutputShapeException: aten.unique_dim_consecutive.default"},
      {"aten::_assert_tensor_metadata",
       {"f32[2,3]", "dtype=float16"},
       "AssertionError: Tensor dtype mismatch! Expected: torch.float16, Got: torch.float32"},
      {"aten::_assert_tensor_metadata",
       {"f32[2,3]", "size=[3,2]"},
       "AssertionError: Tensor sizes mismatch! Expected: [3, 2], Got: torch.Size([2, 3])"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(DataDependent, WhetherANumberIsZeroAsksForTheNumberItself) {
  const auto begins = [](std::string_view arg, std::string_view beginning) {
    const std::string text = call_text("aten::is_nonzero", {std::string(arg)});
    EXPECT_EQ(text.substr(0, beginning.size()), beginning);
  };
  begins("i64[]",
         "GuardOnDataDependentSymNode: Could not extract specialized integer from data-dependent "
         "expression u0 (unhinted: u0).");
  begins("b8[]",
         "GuardOnDataDependentSymNode: Could not guard on data-dependent expression Eq(u0, 1)");
  begins("f64[]", "GuardOnDataDependentSymNode: Could not guard on data-dependent expression zuf0");
}

// The exceptions of a FakeTensorMode without a ShapeEnv.
TEST(DataDependent, RaisesWithoutAShapeEnv) {
  FakeTensorMode mode;
  const Value x = mode.empty(DimVector{3}, DType::kInt64);
  EXPECT_EQ(mode.call("aten::nonzero", {&x, 1}).error->message(), "aten.nonzero.default");
  EXPECT_EQ(mode.call("aten::nonzero", {&x, 1}).error->kind(), ErrorKind::kDynamicOutputShape);
  const Value scalar = mode.empty(DimVector{}, DType::kInt64);
  const Outcome item = mode.call("aten::item", {&scalar, 1});
  EXPECT_EQ(item.error->message(), "aten._local_scalar_dense.default");
  EXPECT_EQ(item.error->kind(), ErrorKind::kDataDependentOutput);
}

// FakeTensor.nonzero_memo: until the tensor is written to.
TEST(DataDependent, KeepsTheSymbolUntilAWrite) {
  FakeTensorMode mode;
  mode.attach_shape_env(nullptr);
  const Value x = mode.empty(DimVector{3}, DType::kInt64);
  const auto rows = [&] {
    return to_string(mode.call("aten::nonzero", {&x, 1}).value.tensor().sizes()[0]);
  };
  EXPECT_EQ(rows(), "u0");
  EXPECT_EQ(rows(), "u0");
  mode.call("aten::zero_", {&x, 1});
  EXPECT_EQ(rows(), "u1");
}

}  // namespace
}  // namespace faketensor
