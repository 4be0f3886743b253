#include <string>

#include "expect_call.h"

namespace faketensor {
namespace {

TEST(BlocksAndWindows, Answers) {
  const CallCase cases[] = {
      {"aten::multi_margin_loss", {"f32[4,5]", "i64[4]"}, "f32[]"},
      {"aten::multilabel_margin_loss", {"f32[4,5]", "i64[4,5]", "0"}, "f32[4]"},
      {"aten::im2col", {"f32[2,3,6,6]", "[3,3]", "[1,1]", "[0,0]", "[1,1]"}, "f32[2, 27, 16]"},
      {"aten::col2im",
       {"f32[2,27,16]", "[6,6]", "[3,3]", "[1,1]", "[0,0]", "[1,1]"},
       "f32[2, 3, 6, 6]"},
      {"aten::max_unpool2d", {"f32[2,3,4,4]", "i64[2,3,4,4]", "[8,8]"}, "f32[2, 3, 8, 8]"},
      {"aten::max_unpool3d",
       {"f32[2,3,4,4]", "i64[2,3,4,4]", "[8,8,8]", "[2,2,2]", "[0,0,0]"},
       "f32[2, 8, 8, 8]"},
      {"aten::fractional_max_pool2d",
       {"f32[2,3,7,7]", "[2,2]", "[3,3]", "f32[2,3,2]"},
       "(f32[2, 3, 3, 3], i64[2, 3, 3, 3])"},
      {"aten::fractional_max_pool3d",
       {"f32[3,7,7,7]", "[2,2,2]", "[3,3,3]", "f32[1,3,3]"},
       "(f32[3, 3, 3, 3], i64[3, 3, 3, 3])"},
      {"aten::combinations", {"f32[3]", "0"}, "f32[0]"},
      {"aten::combinations", {"f32[3]"}, "f32[u0, 2]"},
      {"aten::stft.center",
       {"f32[2,100]", "16", "return_complex=true"},
       "c64[2, 9, 26] strides [234, 1, 9]"},
      {"aten::stft",
       {"f32[100]", "16", "return_complex=false", "window=f32[16]"},
       "f32[9, 22, 2] strides [2, 18, 1]"},
      {"aten::conv_tbc", {"f32[6,2,3]", "f32[2,3,4]", "f32[4]", "1"}, "f32[7, 2, 4]"},
      {"aten::slow_conv_transpose2d", {"f32[2,3,5,6]", "f32[3,4,3,3]", "[3,3]"}, "f32[2, 4, 7, 8]"},
      {"aten::rrelu_with_noise", {"f32[2,3]", "f32[2,3]"}, "f32[2, 3]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(BlocksAndWindows, Refuses) {
  const CallCase cases[] = {
      {"aten::multi_margin_loss",
       {"f32[4,5]", "i64[3]"},
       "RuntimeError: inconsistent target size, expected 4 but got torch.Size([3])"},
      {"aten::multilabel_margin_loss",
       {"f32[4,5]", "i64[4]"},
       "RuntimeError: inconsistent target size: torch.Size([4]) for input of size: torch.Size([4, "
       "5])"},
      {"aten::ctc_loss.IntList",
       {"f32[8,2,5]", "i64[2,3]", "[8,7]", "[3,2]"},
       "DynamicOutputShapeException: aten._ctc_loss.default"},
      {"aten::im2col",
       {"f32[2,3,2,2]", "[3,3]", "[1,1]", "[0,0]", "[1,1]"},
       "RuntimeError: Given an input with spatial size (2, 2), kernel_size=[3, 3], dilation=[1, "
       "1], padding=[0, 0], stride=[1, 1], the calculated shape of the array of sliding blocks is "
       "(0, 0), but its components must be at least one."},
      {"aten::col2im",
       {"f32[2,27,15]", "[6,6]", "[3,3]", "[1,1]", "[0,0]", "[1,1]"},
       "RuntimeError: Given output_size=[6, 6], kernel_size=[3, 3], dilation=[1, 1], padding=[0, "
       "0], stride=[1, 1], expected input.size(-1) to be 16 but got 15."},
      {"aten::max_unpool2d",
       {"f32[2,3,4,4]", "i32[2,3,4,4]", "[8,8]"},
       "RuntimeError: elements in indices should be type int64 but got: torch.int32"},
      {"aten::stft",
       {"f32[10]", "16", "return_complex=true"},
       "RuntimeError: stft(torch.FloatTensor[10], n_fft=16, hop_length=4, win_length=16, "
       "window=None, normalized=0, onesided=None, return_complex=1, align_to_window=None) : "
       "expected 0 < n_fft < 10, but got n_fft=16"},
      {"aten::istft", {"c64[9,10]", "16"}, "DataDependentOutputException: aten.equal.default"},
      {"aten::istft",
       {"f32[9,10]", "16"},
       "RuntimeError: istft requires a complex-valued input tensor matching the output from stft "
       "with return_complex=True."},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

// istft, torch/_refs: nothing of it is data. In C++ whether the windows cover the signal is.
TEST(BlocksAndWindows, UnderThePythonDispatcherIstftIsADecomposition) {
  FakeTensorMode mode;
  const Value spectrum = mode.empty(DimVector{2, 9, 17}, DType::kComplex64);
  const Value window = mode.empty(DimVector{16}, DType::kFloat32);
  const Value args[] = {spectrum, 16, 4, 16, window, true, false, true, 64};
  EXPECT_EQ(std::string(mode.call("aten::istft", args).error->class_name()),
            "DataDependentOutputException");
  mode.context().python_dispatcher = true;
  const Outcome answered = mode.call("aten::istft", args);
  ASSERT_FALSE(answered.error) << answered.error->message();
  EXPECT_EQ(format("{}", answered.value.tensor().sizes()), "[2, 64]");
}

}  // namespace
}  // namespace faketensor
