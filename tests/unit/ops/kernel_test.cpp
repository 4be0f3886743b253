#include "expect_call.h"

namespace faketensor {
namespace {

// Operators that PyTorch answers by running the real kernel on zeros.
TEST(Kernel, Answers) {
  const CallCase cases[] = {
      {"aten::_aminmax", {"f32[2,3]"}, "(f32[], f32[])"},
      {"aten::_aminmax.dim", {"f32[2,3]", "1"}, "(f32[2], f32[2])"},
      {"aten::_logcumsumexp", {"f32[2,3]", "0"}, "f32[2, 3]"},
      {"aten::_masked_softmax", {"f32[2,3]", "bool[2,3]"}, "f32[2, 3]"},
      {"aten::_standard_gamma_grad", {"f32[2,1]", "f32[3]"}, "f32[2, 3]"},
      {"aten::batch_norm_update_stats",
       {"bf16[2,3,4]", "f32[3]", "f32[3]", "0.1"},
       "(f32[3], f32[3])"},
      {"aten::fake_quantize_per_tensor_affine", {"f32[2,3]", "0.1", "0", "0", "255"}, "f32[2, 3]"},
      {"aten::fake_quantize_per_channel_affine_cachemask",
       {"f32[2,3]", "f32[3]", "i32[3]", "1", "0", "255"},
       "(f32[2, 3], b8[2, 3])"},
      {"aten::histogram.bin_ct", {"f32[2,3]", "5"}, "(f32[5], f32[6])"},
      {"aten::histogramdd", {"f32[4,2]", "[3, 5]"}, "(f32[3, 5], (f32[4], f32[6]))"},
      {"aten::slow_conv3d",
       {"f32[1,2,4,5,6]", "f32[3,2,3,3,3]", "[3, 3, 3]"},
       "f32[1, 3, 2, 3, 4]"},
      {"aten::slow_conv_dilated2d",
       {"f32[1,2,5,6]", "f32[3,2,3,3]", "[3, 3]", "None", "[1, 1]", "[1, 1]", "[1, 1]"},
       "f32[1, 3, 5, 6]"},
      {"aten::thnn_conv2d", {"f32[1,2,5,6]", "f32[3,2,3,3]", "[3, 3]"}, "f32[1, 3, 3, 4]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Kernel, RefusesDtypesByTheKernelsName) {
  expect_call("aten::_sample_dirichlet", {"i64[2]"},
              "NotImplementedError: \"dirichlet\" not implemented for 'Long'");
  expect_call("aten::histogram.bin_ct", {"i64[2]"},
              "NotImplementedError: \"histogramdd\" not implemented for 'Long'");
  expect_call("aten::binomial", {"i64[2]", "f32[2]"},
              "ValueError: binomial only supports floating-point dtypes for count, got: Long");
}

TEST(Kernel, RefusesInPytorchsWords) {
  expect_call("aten::fake_quantize_per_tensor_affine", {"f32[2]", "0.1", "7", "0", "5"},
              "RuntimeError: `zero_point` must be between `quant_min` and `quant_max`.");
  expect_call("aten::slow_conv3d", {"f32[2,3,4,4]", "f32[2,3,4,4]", "[2, 2]"},
              "RuntimeError: It is expected kernel_size equals to 3, but got size 2");
  expect_call("aten::_aminmax", {"f32[0]"},
              "RuntimeError: aminmax(): cannot compute aminmax over an empty dimension as the "
              "operation has no identity.");
}

}  // namespace
}  // namespace faketensor
