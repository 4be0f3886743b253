#include "expect_call.h"

namespace faketensor {
namespace {

TEST(Vision, Answers) {
  const CallCase cases[] = {
      {"aten::grid_sampler",
       {"f32[2,3,4,5]", "f32[2,6,7,2]", "0", "0", "False"},
       "f32[2, 3, 6, 7]"},
      {"aten::grid_sampler",
       {"f32[2,3,4,5,6]", "f32[2,6,7,8,3]", "0", "0", "False"},
       "f32[2, 3, 6, 7, 8]"},
      {"aten::affine_grid_generator", {"f32[2,2,3]", "[2, 3, 4, 5]", "False"}, "f32[2, 4, 5, 2]"},
      {"aten::affine_grid_generator_backward",
       {"f32[2,4,5,2]", "[2, 3, 4, 5]", "False"},
       "f32[2, 2, 3] strides [6, 1, 2]"},
      {"aten::affine_grid_generator",
       {"bf16[2,3,4]", "[2, 3, 4, 5, 6]", "False"},
       "bf16[2, 4, 5, 6, 3]"},
      {"aten::pixel_shuffle", {"f32[2,8,3,3]", "2"}, "f32[2, 2, 6, 6]"},
      {"aten::pixel_unshuffle", {"f32[2,2,6,6]", "2"}, "f32[2, 8, 3, 3]"},
      {"aten::channel_shuffle", {"f32[2,6,3,3]", "2"}, "f32[2, 6, 3, 3]"},
      {"torchvision::roi_align",
       {"f32[1,4,8,8]", "f32[3,5]", "1.0", "2", "3", "2", "False"},
       "f32[3, 4, 2, 3]"},
      {"torchvision::roi_pool",
       {"f32[1,4,8,8]", "f32[3,5]", "1.0", "2", "3"},
       "(f32[3, 4, 2, 3], i32[3, 4, 2, 3])"},
      {"torchvision::ps_roi_pool",
       {"f32[1,12,8,8]", "f32[3,5]", "1.0", "2", "3"},
       "(f32[3, 2, 2, 3], i32[3, 2, 2, 3])"},
      {"transformers::grouped_mm_fallback", {"f32[64,8]", "f32[4,8,16]", "i32[4]"}, "f32[64, 16]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Vision, PixelShuffleKeepsTheMemoryFormatOnTheCpuOnly) {
  expect_call("aten::pixel_shuffle", {"f32[2,8,3,3]{72,1,24,8}", "2"},
              "f32[2, 2, 6, 6] channels_last");
  expect_call("aten::pixel_shuffle", {"f32[2,8,3,3]{72,1,24,8}@cuda", "2"},
              "f32[2, 2, 6, 6] cuda:0");
}

TEST(Vision, RefusesInPytorchsWords) {
  expect_call("torchvision::nms", {"f32[7,5]", "f32[7]", "0.5"},
              "RuntimeError: boxes should have 4 elements in dimension 1, got 5");
  expect_call("torchvision::roi_pool", {"f32[1,4,8,8]", "f32[3,4]", "1.0", "2", "3"},
              "RuntimeError: rois must have shape as Tensor[K, 5]");
  expect_call("aten::grid_sampler", {"f32[2,3,4,5,6]", "f32[2,6,7,8,3]", "2", "0", "False"},
              "RuntimeError: grid_sampler(): bicubic interpolation only supports 4D input");
  expect_call("aten::pixel_shuffle", {"f32[2,7,3,3]", "2"},
              "RuntimeError: Invalid input shape for pixel_shuffle: torch.Size([2, 7, 3, 3]) with "
              "upscale_factor = 2");
  expect_call("aten::channel_shuffle", {"f32[2,6]", "2"},
              "RuntimeError: channel_shuffle expects input with > 2 dims, but got input with sizes "
              "[2, 6]");
}

}  // namespace
}  // namespace faketensor
