// Calls that no program makes and the fuzzer found: they answer or raise, and ask for no more than
// an operator may.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "expect_call.h"

namespace faketensor {
namespace {

TEST(HostileCalls, HugeCountsAreRefused) {
  expect_call("aten::unbind.int", {"f32[2147483648]"},
              "LimitExceeded: a split into 2147483648 parts, which need more than 536870912 bytes");
  expect_call("aten::tensor_split.sections", {"f32[1]", "2147483648"},
              "LimitExceeded: a split into 2147483648 parts, which need more than 536870912 bytes");
  expect_call("aten::chunk", {"f32[0]", "4294967296"},
              "LimitExceeded: a split into 4294967296 parts, which need more than 536870912 bytes");
  expect_call("aten::split.Tensor", {"f32[4294967296]", "1"},
              "LimitExceeded: a split into 4294967296 parts, which need more than 536870912 bytes");
  expect_call("aten::combinations", {"f32[1]", "9223372036854775807"},
              "LimitExceeded: combinations of 9223372036854775807 elements, which need more than "
              "536870912 bytes");
}

// PyTorch has no limit but memory.
TEST(HostileCalls, ManyPartsAreMade) {
  const auto parts = [](std::string_view op, const std::vector<std::string>& args) {
    const std::string text = call_text(op, args);
    return std::count(text.begin(), text.end(), '[');
  };
  EXPECT_EQ(parts("aten::unbind.int", {"f32[70000,2]"}), 70000);
  EXPECT_EQ(parts("aten::split.Tensor", {"f32[100000]", "1"}), 100000);
  EXPECT_EQ(parts("aten::tensor_split.sections", {"f32[1]", "70000"}), 70000);
  EXPECT_EQ(parts("aten::chunk", {"f32[0]", "70000"}), 70000);
}

TEST(HostileCalls, SoftshrinkHasARange) {
  expect_call("aten::softshrink", {"f32[2]", "0.5"}, "f32[2]");
  expect_call("aten::softshrink", {"f16[2]", "-1.0"},
              "RuntimeError: lambda must be in range [0, 65504.0] for input dtype torch.float16, "
              "but found -1.0");
  expect_call("aten::softshrink", {"bf16[2]", "nan"},
              "RuntimeError: lambda must be in range [0, 3.3895313892515355e+38] for input dtype "
              "torch.bfloat16, but found nan");
}

TEST(HostileCalls, AttentionsGradientMayBeUndefined) {
  const std::string gradients = call_text(
      "aten::_scaled_dot_product_flash_attention_for_cpu_backward",
      {"None", "f32[2,3,4,8]", "f32[2,3,4,8]", "f32[2,3,4,8]", "None", "None", "0.0", "False"});
  EXPECT_TRUE(gradients.starts_with("(f32[2, 3, 4, 8] strides [96, 8, 24, 1]")) << gradients;
  for (const size_t missing : {1, 2, 3}) {
    std::vector<std::string> args(6, "f32[2,3,4,8]");
    args[missing] = "None";
    args.insert(args.end(), {"0.0", "False"});
    expect_call("aten::_scaled_dot_product_flash_attention_for_cpu_backward", args,
                "AttributeError: 'NoneType' object has no attribute 'size'");
  }
}

TEST(HostileCalls, AsManyDimensionsAsASizeSaysAreRefused) {
  expect_call("aten::histogramdd.int_bins", {"f32[1,2147483647]", "3"},
              "LimitExceeded: a tensor of 2147483647 dimensions, of which 4096 are possible");
  expect_call("aten::sparse_coo_tensor.indices", {"i64[2147483647,2]", "f32[2]"},
              "LimitExceeded: a tensor of 2147483647 dimensions, of which 4096 are possible");
}

TEST(HostileCalls, WindowsWithoutValuesHaveNoDefault) {
  const auto pooled = [](const std::string& kernel, const std::string& stride) {
    return call_text("aten::max_pool2d_with_indices.out",
                     {"f32[2,3,8,8]", kernel, stride, "out=f32[0]", "indices=i64[0]"});
  };
  EXPECT_EQ(pooled("[]", "[]"), "RuntimeError: default must be provided");
  EXPECT_EQ(pooled("[2,2,2]", "[]"), "(f32[2, 3, 4, 4], i64[2, 3, 4, 4])");
}

TEST(HostileCalls, AttentionReadsFourStridesOfTheQuery) {
  constexpr std::string_view kCudnn = "aten::_scaled_dot_product_cudnn_attention";
  const std::string five =
      call_text(kCudnn, {"f32[2,3,4,5,6]", "f32[2,3,4,5,6]", "f32[2,3,4,5,7]", "None", "True"});
  EXPECT_TRUE(five.starts_with("(f32[2, 3, 4, 7], f32[2, 3, 4, 1], None, None, 4, 4")) << five;
  expect_call(kCudnn, {"f32[2,3,4]", "f32[2,3,4]", "f32[2,3,4]", "None", "True"},
              "IndexError: tuple index out of range");
}

TEST(HostileCalls, SizesBeyond64BitsRaise) {
  constexpr std::string_view kOverflow =
      "OverflowError: integer arithmetic on sizes does not fit 64 bits";
  expect_call("aten::pixel_shuffle", {"f32[1,4,2,2]", "9223372036854775806"}, kOverflow);
  expect_call("aten::triu_indices", {"9223372036854775806", "3"}, kOverflow);
  expect_call("aten::empty.memory_format", {"[3,4611686018427387904]"},
              "RuntimeError: Storage size calculation overflowed with sizes=[3, "
              "4611686018427387904]");
}

TEST(HostileCalls, TransformsCheckTheirDimensions) {
  expect_call("aten::_fft_r2c", {"f32[3,4]", "[]", "0", "True"},
              "IndexError: list index out of range");
  expect_call("aten::_fft_c2c", {"c64[3,4]", "[0,7]", "0", "True"},
              "IndexError: tuple index out of range");
  expect_call("aten::_fft_c2r", {"c64[3,4]", "[1]", "0", "-1"},
              "RuntimeError: Trying to create tensor with negative dimension -1: [3, -1]");
}

TEST(HostileCalls, MasksHaveTheirLength) {
  expect_call("aten::grid_sampler_2d_backward",
              {"f32[1,2,3,3]", "f32[1,2,3,3]", "f32[1,3,3,2]", "0", "0", "True", "[True]"},
              "RuntimeError: Tried to convert a List with 1 elements to a fixed-size array of "
              "size 2");
}

TEST(HostileCalls, StatesAndWeightsOfAnLstmBelongTogether) {
  expect_call(
      "aten::lstm.input",
      {"i8[5,2,4]", "[i8[2,2,3],i8[1,2,3]]", "[]", "True", "1", "0.0", "False", "False", "False"},
      "RuntimeError: Expected as many cell states as hidden states, but got 1 and 2");
}

TEST(HostileCalls, StridesWithoutSizesArePassedOver) {
  expect_call("prims::as_strided_scatter", {"f32[4,4]", "f32[2,2]", "[2,2]", "[1]", "0"},
              "f32[4, 4]");
  expect_call("prims::as_strided_scatter", {"f32[4,4]", "f32[2]", "[2]", "[1,5]", "0"},
              "f32[4, 4]");
}

TEST(HostileCalls, CompiledProgramsAskForAnyGeometryButNegativeSizes) {
  constexpr std::string_view kOverflow = "RuntimeError: numel: integer multiplication overflow";
  expect_call("inductor::_reinterpret_tensor", {"f32[6]", "[-2,2]", "[1,1]", "0"}, kOverflow);
  expect_call("inductor::_alloc_from_pool", {"f32[6]", "0", "float32", "[-2]", "[1]"}, kOverflow);
  expect_call("inductor::_reinterpret_tensor", {"f32[6]", "[2,2]", "[-1,1]", "-3"},
              "f32[2, 2] offset -3");
  expect_call("inductor::_alloc_from_pool", {"f32[6]", "-3", "float32", "[2]", "[1]"}, "f32[2]");
}

TEST(HostileCalls, BatchDimensionsAreCounted) {
  expect_call(
      "aten::_new_zeros_with_same_feature_meta", {"f32[2,3]", "f32[3]", "1099511627776"},
      "ValueError: SmallVector unable to grow. Requested capacity (1099511627777) is larger "
      "than maximum value for size type (4294967295)");
  expect_call("aten::_new_zeros_with_same_feature_meta", {"f32[2,3]", "f32[3]", "2147483648"},
              "LimitExceeded: a tensor of 2147483649 dimensions, of which 4096 are possible");
}

TEST(HostileCalls, CountsOfBinsAddUp) {
  expect_call("aten::histogram.bin_ct", {"f32[3]", "9223372036854775807"},
              "OverflowError: integer arithmetic on sizes does not fit 64 bits");
}

}  // namespace
}  // namespace faketensor
