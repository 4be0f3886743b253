#include <initializer_list>
#include <string>
#include <string_view>

#include "expect_call.h"

namespace faketensor {
namespace {

TEST(Copy, CastsAndMovesKeepTheOrderOfStrides) {
  const CallCase cases[] = {
      {"aten::clone", {"f32[2,3]{1,2}"}, "f32[2, 3] strides [1, 2]"},
      {"aten::clone", {"f32[2,3]{1,2}", "memory_format=contiguous_format"}, "f32[2, 3]"},
      {"aten::clone", {"f32[2,3]{6,2}"}, "f32[2, 3]"},
      {"aten::to.dtype", {"f32[2,3]{1,2}", "float16"}, "f16[2, 3] strides [1, 2]"},
      {"aten::to.dtype", {"f32[2,3]{6,2}", "float16"}, "f16[2, 3]"},
      {"aten::to.device", {"f32[2,3]{6,2}", "cuda", "float16"}, "f16[2, 3] cuda:0"},
      {"aten::_to_copy", {"f32[2,3]{6,2}", "device=cuda"}, "f32[2, 3] strides [6, 2] cuda:0"},
      {"aten::to.other", {"f32[2]", "i64[]@cuda"}, "i64[2] cuda:0"},
      {"aten::type_as", {"f32[2]", "f16[]"}, "f16[2]"},
      {"aten::_to_copy", {"f32[2]", "dtype=bool"}, "b8[2]"},
      {"aten::copy", {"f32[2,3]{1,2}", "f32[3]@cuda"}, "f32[2, 3] strides [1, 2]"},
      {"aten::fill.Scalar", {"f32[2,3]{1,2}", "1"}, "f32[2, 3] strides [1, 2]"},
      {"aten::lift_fresh_copy", {"f32[2,3]{1,2}"}, "f32[2, 3]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Copy, Refuses) {
  const CallCase cases[] = {
      {"aten::copy_",
       {"f32[2]", "f32[3]"},
       "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at "
       "non-singleton dimension 0"},
      {"aten::copy_",
       {"f32[1]", "f32[3]"},
       "RuntimeError: output with shape [1] doesn't match the broadcast shape [3]"},
      {"aten::contiguous",
       {"f32[2,3]{1,2}", "memory_format=preserve_format"},
       "RuntimeError: preserve memory format is unsupported by the contiguous operator"},
      {"aten::clone",
       {"f32[2]", "memory_format=channels_last"},
       "RuntimeError: required rank 4 tensor to use channels_last format"},
      {"aten::fill_.Tensor",
       {"f32[2]", "f32[1]"},
       "RuntimeError: fill_ only supports 0-dimension value tensor but got tensor with 1 "
       "dimensions."},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Factory, TakesSizesDtypeAndDevice) {
  const CallCase cases[] = {
      {"aten::zeros", {"[2,3]"}, "f32[2, 3]"},
      {"aten::empty.memory_format",
       {"[2,3,4,5]", "memory_format=channels_last"},
       "f32[2, 3, 4, 5] channels_last"},
      {"aten::full", {"[2]", "True"}, "b8[2]"},
      {"aten::full", {"[2]", "1"}, "i64[2]"},
      {"aten::full_like", {"f32[2,3]{1,2}", "1"}, "f32[2, 3] strides [1, 2]"},
      {"aten::empty_like", {"f32[2,3]{6,2}"}, "f32[2, 3]"},
      {"aten::new_zeros", {"i64[2]@cuda", "[3]"}, "i64[3] cuda:0"},
      {"aten::new_empty_strided", {"f32[2]", "[2,3]", "[1,2]"}, "f32[2, 3] strides [1, 2]"},
      {"aten::empty_permuted", {"[2,3]", "[1,0]"}, "f32[2, 3] strides [1, 2]"},
      {"aten::arange", {"5"}, "i64[5]"},
      {"aten::arange.start", {"-3", "0.5", "dtype=float16"}, "f16[4]"},
      {"aten::arange.start_step", {"1", "10", "3"}, "i64[3]"},
      {"aten::linspace", {"0", "1", "7"}, "f32[7]"},
      {"aten::eye.m", {"2", "3"}, "f32[2, 3]"},
      {"aten::scalar_tensor", {"2"}, "f32[]"},
      {"aten::tril_indices", {"3", "3"}, "i64[2, 6]"},
      {"aten::triu_indices", {"3", "3", "1"}, "i64[2, 3]"},
      {"aten::randint", {"10", "[2]"}, "i64[2]"},
      {"aten::randn_like", {"f16[2]"}, "f16[2]"},
      {"aten::randperm", {"4"}, "i64[4]"},
      {"aten::hann_window", {"4"}, "f32[4]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Factory, Refuses) {
  const CallCase cases[] = {
      {"aten::zeros",
       {"[-1,2]"},
       "RuntimeError: Trying to create tensor with negative dimension -1: [-1, 2]"},
      {"aten::arange.start_step", {"0", "1", "0"}, "RuntimeError: step must be nonzero"},
      {"aten::arange",
       {"-3"},
       "RuntimeError: upper bound and lower bound inconsistent with step sign"},
      {"aten::randn_like",
       {"i64[2]"},
       "RuntimeError: expected a floating-point or complex dtype, but got dtype=torch.int64"},
      {"aten::linspace", {"0", "1", "-1"}, "RuntimeError: number of steps must be non-negative"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

// at::detail::computeStorageNbytes: rows that lie apart reach further than their elements.
TEST(SetStorage, GrowsToWhatTheStridesReach) {
  FakeTensorMode mode;
  const Value self = mode.empty(DimVector{1}, DType::kFloat64);
  const Value source = mode.empty(DimVector{1}, DType::kFloat64);
  const Value args[] = {self, source, 1, mode.context().make_ints(DimVector{2}),
                        mode.context().make_ints(DimVector{3})};
  ASSERT_FALSE(mode.call("aten::set_.source_Tensor_storage_offset", args).error);
  EXPECT_EQ(to_string(self.tensor().storage->nbytes), "40");
}

// A periodic window is cut off a longer one (hamming_window, TensorFactories.cpp; hann_window,
// torch/_decomp); a Kaiser window is not.
TEST(Windows, APeriodicOneIsAViewOfALongerOne) {
  FakeTensorMode mode;
  const auto bytes = [&](std::string_view op, std::initializer_list<Value> args) {
    const Outcome made = mode.call(op, {args.begin(), args.size()});
    return made.error ? made.error->message() : to_string(made.value.tensor().storage->nbytes);
  };
  for (const char* name : {"hann", "hamming", "blackman", "bartlett"}) {
    const std::string op = std::string("aten::") + name + "_window";
    EXPECT_EQ(bytes(op, {16}), "68") << name;
    EXPECT_EQ(bytes(op, {1}), "4") << name;
    EXPECT_EQ(bytes(op, {0}), "0") << name;
    EXPECT_EQ(bytes(op + ".periodic", {16, true}), "68") << name;
    EXPECT_EQ(bytes(op + ".periodic", {16, false}), "64") << name;
  }
  EXPECT_EQ(bytes("aten::kaiser_window", {16}), "64");
  EXPECT_EQ(bytes("aten::hann_window", {16, DType::kBFloat16}), "32");  // a copy in that dtype
  EXPECT_EQ(bytes("aten::hamming_window", {16, DType::kBFloat16}), "34");
}

}  // namespace
}  // namespace faketensor
