#include <string>
#include <vector>

#include "expect_call.h"

namespace faketensor {
namespace {

TEST(Convolution, SizesFollowStridePaddingAndDilation) {
  expect_call("aten::conv2d", {"f32[2,3,32,32]", "f32[8,3,3,3]", "f32[8]", "[2,2]", "[1,1]"},
              "f32[2, 8, 16, 16]");
  expect_call("aten::conv1d", {"f32[2,3,32]", "f32[8,3,5]", "None", "[1]", "[0]", "[2]"},
              "f32[2, 8, 24]");
  expect_call("aten::conv_transpose2d.input", {"f32[2,8,16,16]", "f32[8,3,2,2]", "None", "[2,2]"},
              "f32[2, 3, 32, 32]");
}

TEST(Convolution, AnUnbatchedInputGivesAnUnbatchedResult) {
  expect_call("aten::conv2d", {"f32[3,8,8]", "f32[4,3,3,3]"}, "f32[4, 6, 6]");
}

TEST(Convolution, KeepsChannelsLastOfTheInput) {
  expect_call("aten::conv2d", {"f32[2,4,8,8]{256,1,32,4}", "f32[8,4,3,3]"},
              "f32[2, 8, 6, 6] channels_last");
}

TEST(Convolution, OnCudaDoubleStaysContiguous) {
  expect_call("aten::conv2d", {"f32[2,4,8,8]{256,1,32,4}@cuda", "f32[8,4,3,3]@cuda"},
              "f32[2, 8, 6, 6] channels_last cuda:0");
  expect_call("aten::conv2d", {"f64[2,4,8,8]{256,1,32,4}@cuda", "f64[8,4,3,3]@cuda"},
              "f64[2, 8, 6, 6] cuda:0");
}

TEST(Convolution, Bfloat16OnCudaNeedsAGpuThatHasIt) {
  const std::vector<std::string> args = {"bf16[2,4,8,8]{256,1,32,4}@cuda", "bf16[8,4,3,3]@cuda"};
  EXPECT_EQ(call_text("aten::conv2d", args), "bf16[2, 8, 6, 6] cuda:0");
  EXPECT_EQ(call_text("aten::conv2d", args, *target_preset("a100")),
            "bf16[2, 8, 6, 6] channels_last cuda:0");
}

TEST(Convolution, RefusesWhatDoesNotFitInPytorchsWords) {
  expect_call("aten::conv2d", {"f32[1,3,8,8]", "f32[4,2,3,3]"},
              "RuntimeError: Given groups=1, weight of size [4, 2, 3, 3], expected input[1, 3, 8, "
              "8] to have 2 channels, but got 3 channels instead");
  expect_call("aten::conv2d", {"f32[1,3,2,2]", "f32[4,3,3,3]"},
              "RuntimeError: Calculated padded input size per channel: (2 x 2). Kernel size: (3 x "
              "3). Kernel size can't be greater than actual input size");
  expect_call("aten::conv2d", {"f16[1,3,8,8]", "f32[4,3,3,3]"},
              "RuntimeError: Input type (torch.float16) and weight type (torch.float32) should be "
              "the same");
  expect_call("aten::conv2d", {"f32[3,8]", "f32[4,3,3,3]"},
              "RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv2d, but got "
              "input of size: [3, 8]");
}

}  // namespace
}  // namespace faketensor
