#include <string>

#include "expect_call.h"

namespace faketensor {
namespace {

TEST(Pointwise, IntegersBecomeFloating) {
  for (const char* name :
       {"acos",       "acosh",      "arccos",  "arcsin",  "asin",  "asinh",  "atan", "atanh",
        "cos",        "cosh",       "digamma", "erf",     "erfc",  "erfinv", "exp",  "exp2",
        "expm1",      "i0",         "lgamma",  "log",     "log10", "log1p",  "log2", "rad2deg",
        "deg2rad",    "reciprocal", "rsqrt",   "sigmoid", "sin",   "sinc",   "sinh", "special_entr",
        "special_i1", "sqrt",       "tan",     "tanh",    "angle", "logit"})
    expect_call(std::string("aten::") + name, {"i64[2,3]"}, "f32[2, 3]");
}

TEST(Pointwise, KeepsTheDtype) {
  for (const char* name :
       {"neg",  "sign",     "sgn",        "ceil",      "floor",       "trunc",    "round",
        "frac", "relu",     "silu",       "hardswish", "hardsigmoid", "hardtanh", "gelu",
        "elu",  "celu",     "leaky_relu", "mish",      "selu",        "relu6",    "softplus",
        "abs",  "positive", "square",     "nan_to_num"})
    expect_call(std::string("aten::") + name, {"bf16[2,3]{1,2}"}, "bf16[2, 3] strides [1, 2]");
}

TEST(Pointwise, TestsGiveBool) {
  for (const char* name :
       {"isnan", "isinf", "isfinite", "isreal", "isposinf", "isneginf", "signbit", "logical_not"})
    expect_call(std::string("aten::") + name, {"f32[2,3]"}, "b8[2, 3]");
}

TEST(Pointwise, ComparisonsGiveBool) {
  for (const char* name : {"eq.Tensor", "ne.Tensor", "lt.Tensor", "le.Tensor", "gt.Tensor",
                           "ge.Tensor", "greater.Tensor", "less_equal.Tensor", "logical_and",
                           "logical_or", "logical_xor", "isclose"})
    expect_call(std::string("aten::") + name, {"f32[2,3]", "f32[3]"}, "b8[2, 3]");
}

TEST(Pointwise, ArithmeticBroadcastsAndPromotes) {
  for (const char* name : {"add.Tensor",
                           "sub.Tensor",
                           "mul.Tensor",
                           "div.Tensor",
                           "remainder.Tensor",
                           "fmod.Tensor",
                           "floor_divide",
                           "maximum",
                           "minimum",
                           "fmax",
                           "fmin",
                           "pow.Tensor_Tensor",
                           "atan2",
                           "hypot",
                           "copysign.Tensor",
                           "multiply.Tensor",
                           "subtract.Tensor",
                           "true_divide.Tensor",
                           "rsub.Tensor",
                           "logaddexp",
                           "logaddexp2",
                           "heaviside",
                           "xlogy.Tensor",
                           "max.other"})
    expect_call(std::string("aten::") + name, {"f16[2,1]", "f32[3]"}, "f32[2, 3]");
}

TEST(Pointwise, BitwiseOperatorsKeepIntegers) {
  for (const char* name :
       {"bitwise_and.Tensor", "bitwise_or.Tensor", "bitwise_xor.Tensor",
        "bitwise_left_shift.Tensor", "bitwise_right_shift.Tensor", "__and__.Tensor",
        "__or__.Tensor", "__xor__.Tensor", "__lshift__.Tensor", "__rshift__.Tensor", "gcd", "lcm"})
    expect_call(std::string("aten::") + name, {"i32[2,3]", "u8[3]"}, "i32[2, 3]");
}

// A number or a 0-dimensional tensor only raises the category.
TEST(Pointwise, PromotesByCategoryThenByDimensions) {
  const CallCase cases[] = {
      {"aten::add.Tensor", {"i64[3]", "2"}, "i64[3]"},
      {"aten::add.Tensor", {"i64[3]", "2.5"}, "f32[3]"},
      {"aten::add.Tensor", {"f16[3]", "2.5"}, "f16[3]"},
      {"aten::add.Tensor", {"f16[3]", "f64[]"}, "f16[3]"},
      {"aten::add.Tensor", {"i8[3]", "i64[]"}, "i8[3]"},
      {"aten::add.Tensor", {"f16[3]", "bf16[3]"}, "f32[3]"},
      {"aten::add.Tensor", {"u8[3]", "i8[3]"}, "i16[3]"},
      {"aten::add.Tensor", {"bool[3]", "bool[3]"}, "b8[3]"},
      {"aten::mul.Tensor", {"f32[3]", "c64[]"}, "c64[3]"},
      {"aten::div.Tensor", {"i64[3]", "i64[3]"}, "f32[3]"},
      {"aten::div.Tensor_mode", {"i64[3]", "i64[3]", "floor"}, "i64[3]"},
      {"aten::pow.Scalar", {"2", "i64[3]"}, "i64[3]"},
      {"aten::float_power.Tensor_Scalar", {"f32[3]", "2"}, "f64[3]"},
      {"aten::complex", {"f32[3]", "f32[3]"}, "c64[3]"},
      {"aten::where.ScalarOther", {"bool[3]", "i64[3]", "0.5"}, "f32[3]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Pointwise, KeepsTheOperandsMemoryFormat) {
  const CallCase cases[] = {
      {"aten::add.Tensor",
       {"f32[2,3,4,5]{60,1,15,3}", "f32[3,1,1]"},
       "f32[2, 3, 4, 5] channels_last"},
      {"aten::add.Tensor",
       {"f32[2,3,4,5]{60,1,15,3}", "f32[2,3,4,5]"},
       "f32[2, 3, 4, 5] channels_last"},
      {"aten::mul.Tensor", {"f32[2,3]{1,2}", "f32[2,3]{1,2}"}, "f32[2, 3] strides [1, 2]"},
      {"aten::add.Tensor", {"f32[2,3]{1,0}", "1"}, "f32[2, 3]"},
      {"aten::sigmoid", {"f32[2,1,3]{3,99,1}"}, "f32[2, 1, 3]"},
      {"aten::sin", {"f16[4,3]{0,1}"}, "f16[4, 3]"},
      {"aten::where.self", {"bool[2,3]{1,2}", "f32[3]", "f32[]"}, "f32[2, 3] strides [1, 2]"},
      {"aten::masked_fill.Scalar", {"f32[2,3]{1,2}", "bool[2,3]", "0"}, "f32[2, 3]"},
      {"aten::clamp", {"f32[2,3]{1,2}", "0", "1"}, "f32[2, 3] strides [1, 2]"},
      {"aten::clamp.Tensor", {"f32[2,3]", "f32[3]", "f32[]"}, "f32[2, 3]"},
      {"aten::glu", {"f32[2,6]"}, "f32[2, 3]"},
      {"aten::prelu", {"f32[2,3,4]", "f32[3]"}, "f32[2, 3, 4]"},
      {"aten::log_sigmoid_forward", {"f32[3]"}, "(f32[3], f32[3])"},
      {"aten::frexp.Tensor", {"f32[3]"}, "(f32[3], i32[3])"},
      {"aten::lerp.Tensor", {"f32[2,3]", "f32[3]", "f32[2,3]"}, "f32[2, 3]"},
      {"aten::addcmul", {"f32[2,3]", "f32[3]", "f32[2,1]"}, "f32[2, 3]"},
      {"aten::addcdiv", {"f32[2,3]", "f32[3]", "f32[2,1]"}, "f32[2, 3]"},
      {"aten::isin.Tensor_Tensor", {"i64[2,3]", "i64[7]"}, "b8[2, 3]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Pointwise, CastsHalfTypesBeforeItsLayoutIsDecidedAndNoOthers) {
  // An expanded operand leaves the order of its dimension to the other; its cast copy does not.
  for (const std::string dtype : {"f8e4m3fn", "u8", "f32"}) {
    expect_call("aten::le.Tensor", {dtype + "[2,5,3,4]{60,12,0,1}", dtype + "[2,5,3,4]{1,2,10,30}"},
                "b8[2, 5, 3, 4] strides [60, 12, 1, 3]");
  }
  expect_call("aten::le.Tensor", {"f16[2,5,3,4]{60,12,0,1}", "f16[2,5,3,4]{1,2,10,30}"},
              "b8[2, 5, 3, 4]");
}

TEST(Pointwise, InPlaceOverloadsKeepSelf) {
  const CallCase cases[] = {
      {"aten::add_.Tensor", {"f16[2,3]", "f32[3]"}, "f16[2, 3]"},
      {"aten::mul_.Scalar", {"i64[3]", "2.5"}, "i64[3]"},
      {"aten::relu_", {"f32[2,3]{1,2}"}, "f32[2, 3] strides [1, 2]"},
      {"aten::clamp_", {"f32[3]", "0"}, "f32[3]"},
      {"aten::hardtanh_", {"f32[3]"}, "f32[3]"},
      {"aten::eq_.Scalar", {"f32[3]", "1"}, "f32[3]"},
      {"aten::masked_fill_.Scalar", {"f32[2,3]", "bool[3]", "0"}, "f32[2, 3]"},
      {"aten::__iand__.Tensor", {"bool[3]", "bool[3]"}, "b8[3]"},
      {"aten::logit_", {"i64[3]"}, "i64[3]"},
      {"aten::pow_.Tensor", {"f32[1,3]", "f32[2,3]"}, "f32[2, 3]"},
      {"aten::floor_divide_.Tensor", {"f32[3]", "i64[3]"}, "f32[3]"},
      {"aten::float_power_.Scalar", {"f64[3]", "2"}, "f64[3]"},
      {"aten::ldexp_", {"f32[3]", "i64[3]"}, "f32[3]"},
      {"aten::polygamma_", {"f32[3]", "1"}, "f32[3]"},
      {"aten::__ilshift__.Tensor", {"i64[3]", "i64[3]"}, "i64[3]"},
      {"aten::__irshift__.Scalar", {"i64[3]", "1"}, "i64[3]"},
      {"aten::relu6_", {"f32[3]"}, "f32[3]"},
      {"aten::nan_to_num_", {"f32[3]"}, "f32[3]"},
      {"aten::add_.Tensor", {"f32[3]@meta", "f32[3]"}, "f32[3] meta"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

// Layouts that the steps of a reference pass through: odd strides of dimensions of size 1.
TEST(Pointwise, TakesTheStepsOfReferences) {
  const CallCase cases[] = {
      {"aten::elu", {"f64[1,1,5]{15,2,3}"}, "f64[1, 1, 5]"},
      {"aten::hardsigmoid", {"f32[1,3]{3,3}"}, "f32[1, 3]"},
      {"aten::hardswish", {"f64[1,1,4]{2,1,2}"}, "f64[1, 1, 4]"},
      {"aten::hardshrink", {"bool[2]"}, "i64[2]"},
      {"aten::hardtanh", {"f32[2]", "0", "2"}, "f32[2]"},
      {"aten::gelu", {"f32[1,3]{2,2}"}, "f32[1, 3]"},
      {"aten::mish", {"i64[1,2]{3,3}"}, "i64[1, 2]"},
      {"aten::lcm", {"i64[2]", "i32[2]"}, "i64[2]"},
      {"aten::mvlgamma", {"f32[6,5]{1,6}", "1"}, "f32[6, 5]"},
      {"aten::pow.Tensor_Scalar", {"i32[1,1]{2,1}", "True"}, "i32[1, 1]"},
      {"aten::masked_fill.Scalar", {"f32[2,3]{1,2}", "bool[2,3]", "0.5"}, "f32[2, 3]"},
      {"aten::tril", {"f32[2,1]{1,2}"}, "f32[2, 1]"},
      {"aten::chalf", {"f32[2]"}, "c32[2]"},
      {"aten::rrelu", {"f32[2]"}, "f32[2]"},
      {"aten::special_ndtr", {"i64[2]"}, "f32[2]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

// A kernel makes its own checks before FakeTensorMode looks for the common device.
TEST(Pointwise, RefusesWhatTheKernelDoesBeforeDevices) {
  const CallCase cases[] = {
      {"aten::atan2_",
       {"u8[2]@cuda", "u8[2]"},
       "RuntimeError: Attempting to cast from torch.float32 to out tensor with dtype torch.uint8, "
       "but this can't be cast because it is not safe!"},
      {"aten::clamp.Tensor",
       {"f32[0]@cuda", "f32[]", "f32[2]"},
       "RuntimeError: Attempting to broadcast a dimension of length 2 at -1! Mismatching argument "
       "at index 1 had torch.Size([2]); but expected shape should be broadcastable to [0]"},
      {"aten::nextafter",
       {"f32[2]@cuda", "f32[]"},
       "FakeTensorDeviceMismatchError: Expected all tensors to be on the same device, but found at "
       "least two devices, cuda:0 and cpu!"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Pointwise, Refuses) {
  const CallCase cases[] = {
      {"aten::lcm",
       {"bool[2]", "bool[2]"},
       "RuntimeError: Tensor with dtype torch.int64 is not the expected dtype of torch.bool!"},
      {"aten::logaddexp",
       {"bool[2]", "bool[2]"},
       "RuntimeError: Subtraction, the `-` operator, with two bool tensors is not supported. Use "
       "the `^` or `logical_xor()` operator instead."},
      {"aten::mvlgamma",
       {"f32[2]", "-1"},
       "RuntimeError: upper bound and lower bound inconsistent with step sign"},
      {"aten::isfinite",
       {"f8e4m3fn[2]"},
       "NotImplementedError: \"isfinite\" not implemented for 'Float8_e4m3fn'"},
      {"aten::nan_to_num_",
       {"c64[2]"},
       "RuntimeError: Complex dtype is not supported for isneginf, got dtype torch.complex64"},
      {"aten::float_power_.Tensor",
       {"f32[2]", "f32[2]"},
       "RuntimeError: the base given to float_power_ has dtype Float but the operation's result "
       "requires dtype Double"},
      {"aten::rrelu",
       {"f32[2]", "0.3", "0.1"},
       "RuntimeError: Lower bound should be less than or equal to the upper bound"},
      {"aten::add.Tensor",
       {"f32[2,3]", "f32[4]"},
       "RuntimeError: Attempting to broadcast a dimension of length 4 at -1! Mismatching argument "
       "at index 1 had torch.Size([4]); but expected shape should be broadcastable to [2, 3]"},
      {"aten::add.Tensor",
       {"f32[2]@cuda", "f32[2]"},
       "FakeTensorDeviceMismatchError: Expected all tensors to be on the same device, but found at "
       "least two devices, cuda:0 and cpu!"},
      {"aten::add.Tensor",
       {"i64[2]", "i64[2]", "alpha=1.5"},
       "ValueError: alpha argument of type <class 'float'> cannot be safely cast to type <class "
       "'int'>!"},
      {"aten::sub.Tensor",
       {"bool[2]", "bool[2]"},
       "RuntimeError: Subtraction, the `-` operator, with two bool tensors is not supported. Use "
       "the `^` or `logical_xor()` operator instead."},
      {"aten::add_.Tensor",
       {"f32[3]", "f32[2,3]"},
       "RuntimeError: output with shape torch.Size([3]) doesn't match the broadcast shape (2, 3)"},
      {"aten::add_.Tensor",
       {"i64[3]", "f32[3]"},
       "RuntimeError: Promotion of int.add/sub_(float) in in-place ops are not possible due to "
       "element size change."},
      {"aten::div_.Tensor",
       {"i64[3]", "i64[3]"},
       "RuntimeError: result type torch.float32 can't be cast to the desired output type "
       "torch.int64"},
      {"aten::sin_",
       {"i64[3]"},
       "RuntimeError: Attempting to cast from torch.float32 to out tensor with dtype torch.int64, "
       "but this can't be cast because it is not safe!"},
      {"aten::abs_",
       {"c64[3]"},
       "RuntimeError: Expected out tensor to have dtype torch.float32 but got torch.complex64 "
       "instead"},
      {"aten::floor_divide",
       {"bool[3]", "bool[3]"},
       "RuntimeError: torch.bool not supported for floor_divide"},
      {"aten::div.Tensor_mode",
       {"f32[3]", "f32[3]", "ceil"},
       "ValueError: div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
       "ceil."},
      {"aten::where.self",
       {"i64[3]", "f32[3]", "f32[3]"},
       "RuntimeError: expected predicate to be bool, got torch.int64"},
      {"aten::masked_fill.Tensor",
       {"f32[3]", "bool[3]", "f32[2]"},
       "RuntimeError: only supports a 0-dimensional value tensor, but got tensor with 1 dimension"},
      {"aten::clamp", {"f32[3]"}, "ValueError: clamp called but both min and max are none!"},
      {"aten::gelu",
       {"f32[3]", "approximate=fast"},
       "RuntimeError: approximate argument must be either none or tanh."},
      {"aten::leaky_relu",
       {"i64[3]", "0.5"},
       "ValueError: negative_slope argument of type <class 'float'> cannot be safely cast to type "
       "<class 'int'>!"},
      {"aten::glu",
       {"f32[3]"},
       "RuntimeError: Halving dimension must be even, but dimension 0 is size 3"},
      {"aten::hardtanh", {"bool[3]"}, "RuntimeError: Bool inputs not supported for hardtanh"},
      {"aten::lerp.Scalar",
       {"f32[3]", "f64[3]", "0.5"},
       "RuntimeError: expected dtype torch.float32 for `end`, but got dtype torch.float64"},
      {"aten::addcdiv",
       {"i64[3]", "i64[3]", "i64[3]"},
       "RuntimeError: ('Integer division with addcdiv is no longer supported, and in a future ', "
       "'release addcdiv will perform a true division of tensor1 and tensor2. ', 'The historic "
       "addcdiv behavior can be implemented as ', '(input + value * torch.trunc(tensor1 / "
       "tensor2)).to(input.dtype) ', 'for integer inputs and as ', '(input + value * tensor1 / "
       "tensor2) for float inputs. ', 'The future addcdiv behavior is just the latter "
       "implementation: ', '(input + value * tensor1 / tensor2), for all dtypes.')"},
      {"aten::frexp.Tensor",
       {"i64[3]"},
       "RuntimeError: torch.frexp() only supports floating-point dtypes"},
      {"aten::polygamma",
       {"-1", "f32[3]"},
       "RuntimeError: polygamma(n, x) does not support negative n."},
      {"aten::__lshift__.Scalar",
       {"f32[3]", "1"},
       "RuntimeError: lshift: Expected input tensor to have an integral dtype. Got torch.float32"},
      {"aten::isposinf",
       {"c64[3]"},
       "RuntimeError: Complex dtype is not supported for isposinf, got dtype torch.complex64"},
      {"aten::deg2rad", {"c64[3]"}, "RuntimeError: deg2rad is not supported for complex tensors."},
      {"aten::isin.Tensor_Tensor",
       {"bool[3]", "bool[3]"},
       "RuntimeError: Unsupported input type encountered for isin(): torch.bool"},
      {"aten::isin.Tensor_Tensor",
       {"f32[2]", "i16[2]@cuda:0"},
       "FakeTensorDeviceMismatchError: Expected all tensors to be on the same device, but found at "
       "least two devices, cpu and cuda:0!"},
      {"aten::complex",
       {"i64[3]", "i64[3]"},
       "AssertionError: real must be floating point, got torch.int64"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

}  // namespace
}  // namespace faketensor
