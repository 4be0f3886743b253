#include "expect_call.h"

namespace faketensor {
namespace {

TEST(Upsample, SizesOrScaleFactorsGiveTheResult) {
  const CallCase cases[] = {
      {"aten::upsample_nearest1d", {"f32[2,3,4]", "[8]"}, "f32[2, 3, 8]"},
      {"aten::upsample_nearest2d.vec", {"f32[2,3,4,4]", "None", "[2.0, 1.5]"}, "f32[2, 3, 8, 6]"},
      {"aten::upsample_nearest3d", {"f32[2,3,4,4,4]", "[2, 3, 5]"}, "f32[2, 3, 2, 3, 5]"},
      {"aten::upsample_linear1d", {"f32[2,3,4]", "[8]", "False"}, "f32[2, 3, 8]"},
      {"aten::upsample_bilinear2d.vec",
       {"f16[2,3,4,4]", "[8, 8]", "False", "None"},
       "f16[2, 3, 8, 8]"},
      {"aten::upsample_bicubic2d.vec",
       {"f32[2,3,4,4]", "None", "True", "[0.5, 0.3]"},
       "f32[2, 3, 2, 1]"},
      {"aten::upsample_trilinear3d", {"f32[2,3,4,4,4]", "[8, 8, 8]", "True"}, "f32[2, 3, 8, 8, 8]"},
      {"aten::_upsample_bilinear2d_aa.vec",
       {"f32[2,3,4,4]", "[2, 2]", "False", "None"},
       "f32[2, 3, 2, 2]"},
      {"aten::upsample_nearest2d_backward",
       {"f32[2,3,8,8]", "[8, 8]", "[2, 3, 4, 4]"},
       "f32[2, 3, 4, 4]"},
      {"aten::upsample_trilinear3d_backward",
       {"f32[2,3,8,8,8]", "[8, 8, 8]", "[2, 3, 4, 4, 4]", "True"},
       "f32[2, 3, 4, 4, 4]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Upsample, KeepsChannelsLast) {
  expect_call("aten::upsample_nearest2d.vec", {"f32[2,4,8,8]{256,1,32,4}", "[4, 4]", "None"},
              "f32[2, 4, 4, 4] channels_last");
  expect_call("aten::upsample_bicubic2d", {"f32[2,4,8,8]{256,1,32,4}", "[4, 4]", "False"},
              "f32[2, 4, 4, 4] channels_last");
}

// The decomposition of linear modes sees the device; the meta function of nearest modes does not.
TEST(Upsample, OnCudaFewChannelsAreInterpolatedContiguously) {
  expect_call("aten::upsample_bilinear2d", {"f32[2,3,4,4]{48,1,12,3}@cuda", "[8, 8]", "False"},
              "f32[2, 3, 8, 8] cuda:0");
  expect_call("aten::upsample_nearest2d", {"f32[2,3,4,4]{48,1,12,3}@cuda", "[8, 8]"},
              "f32[2, 3, 8, 8] channels_last cuda:0");
}

TEST(Upsample, RefusesInPytorchsWords) {
  expect_call("aten::upsample_nearest2d", {"f32[2,3,4]", "[8, 8]"},
              "RuntimeError: It is expected input_size equals to 4, but got size 3");
  expect_call("aten::upsample_nearest2d", {"f32[2,3,4,4]", "[0, 8]"},
              "RuntimeError: Input and output sizes should be greater than 0, but got input size "
              "torch.Size([2, 3, 4, 4]) and output size [0, 8]");
  expect_call("aten::upsample_nearest2d", {"f32[2,0,4,4]", "[8, 8]"},
              "RuntimeError: Non-empty 4D data tensor expected but got a tensor with sizes "
              "torch.Size([2, 0, 4, 4])");
  expect_call("aten::upsample_nearest2d.vec", {"f32[2,3,4,4]", "None", "None"},
              "RuntimeError: Must specify exactly one of output_size and scale_factors");
  expect_call("aten::upsample_bilinear2d", {"f32[2,3,4,4]", "[0, 8]", "False"},
              "ZeroDivisionError: division by zero");
  expect_call("aten::upsample_nearest2d_backward", {"f32[2,3,8,7]", "[8, 8]", "[2, 3, 4, 4]"},
              "RuntimeError: Expected grad_output to have the same shape as output; "
              "output.size(3) = 8 but got grad_output.size(3) = 7");
}

}  // namespace
}  // namespace faketensor
