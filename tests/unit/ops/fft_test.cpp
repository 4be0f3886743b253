#include "expect_call.h"

namespace faketensor {
namespace {

TEST(Fourier, Answers) {
  const CallCase cases[] = {
      {"aten::fft_fft", {"f32[2,8]"}, "c64[2, 8]"},
      {"aten::fft_ifft", {"c128[2,8]", "5"}, "c128[2, 5]"},
      {"aten::fft_rfft", {"f32[2,8]"}, "c64[2, 5]"},
      {"aten::fft_irfft", {"c64[2,5]"}, "f32[2, 8]"},
      {"aten::fft_hfft", {"c64[2,5]", "7"}, "f32[2, 7]"},
      {"aten::fft_rfft2", {"f32[2,3,8,8]"}, "c64[2, 3, 8, 5]"},
      {"aten::fft_irfft2", {"c64[2,3,8,5]", "[8, 9]"}, "f32[2, 3, 8, 9]"},
      {"aten::fft_rfftn", {"f64[4,6]"}, "c128[4, 4]"},
      {"aten::fft_fftn", {"i64[4,6]"}, "c64[4, 6]"},
      {"aten::fft_fftshift", {"f32[4,6]"}, "f32[4, 6]"},
      {"aten::fft_fftfreq", {"5"}, "f32[5]"},
      {"aten::fft_rfftfreq", {"5"}, "f32[3]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Fourier, TransformedDimensionsAreInnermost) {
  expect_call("aten::fft_fft", {"c64[4,6]", "None", "0"}, "c64[4, 6] strides [1, 4]");
}

TEST(Fourier, ABatchOfTransformsOfNothingIsAmbiguous) {
  expect_call("aten::_fft_c2c", {"c64[3,5,0,7]", "[1,2]", "0", "True"},
              "RuntimeError: cannot reshape tensor of 0 elements into shape [-1, 5, 0] because the "
              "unspecified dimension size -1 can be any value and is ambiguous");
  expect_call("aten::_fft_r2c", {"f32[3,5,0,7]", "[1]", "0", "True"}, "c64[3, 3, 0, 7]");
}

TEST(Fourier, ARealResultTransformsItsLastDimensionApart) {
  expect_call("aten::_fft_c2r", {"c64[5,6,7]", "[2,2]", "0", "12"}, "f32[5, 6, 12]");
}

TEST(Fourier, RefusesInPytorchsWords) {
  expect_call("aten::fft_rfft", {"c64[8]"},
              "RuntimeError: rfft expects a real input tensor, but got ComplexFloat");
  expect_call("aten::fft_rfft2", {"bf16[8,8]"}, "RuntimeError: Unsupported dtype BFloat16");
  expect_call("aten::fft_fft", {"f32[8]", "0"},
              "RuntimeError: Invalid number of data points (0) specified");
  expect_call("aten::fft_fft", {"f32[8]", "8", "0", "mean"},
              "RuntimeError: Invalid normalization mode: \"mean\"");
  expect_call("aten::fft_fftn", {"f32[8,8]", "None", "[0, -2]"},
              "RuntimeError: FFT dims must be unique");
}

}  // namespace
}  // namespace faketensor
