// Normalisation, attention, pooling, images, contractions, recurrent layers and Fourier transforms.
#include <span>
#include <string>
#include <vector>

#include "expect_call.h"

namespace faketensor {
namespace {

void expect_all(std::span<const CallCase> cases) {
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Norm, Answers) {
  const CallCase cases[] = {
      {"aten::batch_norm",
       {"f32[2,3,4,4]", "f32[3]", "f32[3]", "f32[3]", "f32[3]", "False", "0.1", "1e-05", "True"},
       "f32[2, 3, 4, 4]"},
      {"aten::batch_norm",
       {"f32[2,3,4]", "f32[3]", "f32[3]", "f32[4]", "f32[3]", "False", "0.1", "1e-05", "True"},
       "RuntimeError: running_mean should contain 3 elements not 4"},
      {"aten::batch_norm",
       {"f32[2,3,4]", "None", "None", "None", "None", "False", "0.1", "1e-05", "True"},
       "RuntimeError: running_mean must be defined in evaluation mode"},
      {"aten::layer_norm", {"f16[2,3,4]", "[4]", "f16[4]", "f16[4]"}, "f16[2, 3, 4]"},
      {"aten::layer_norm",
       {"f32[2,3]", "[4]"},
       "RuntimeError: Given normalized_shape=[4], expected input with shape [4], but got input of "
       "size torch.Size([2, 3])"},
      {"aten::group_norm", {"f32[2,6,5]", "3", "f32[6]", "f32[6]"}, "f32[2, 6, 5]"},
      {"aten::group_norm",
       {"f32[2,6,5]", "4"},
       "RuntimeError: Expected number of channels in input to be divisible by num_groups, but got "
       "input of shape [2, 6, 5] and num_groups=4"},
      {"aten::instance_norm",
       {"f32[2,3,4,4]", "f32[3]", "f32[3]", "None", "None", "True", "0.1", "1e-05", "True"},
       "f32[2, 3, 4, 4]"},
      {"aten::rms_norm", {"bf16[2,3,8]", "[8]", "bf16[8]"}, "bf16[2, 3, 8]"},
      {"aten::rms_norm",
       {"i64[2,8]", "[8]"},
       "NotImplementedError: \"rms_norm\" not implemented for 'Long'"},
      {"aten::_weight_norm", {"f32[4,3,2]", "f32[4,1,1]"}, "f32[4, 3, 2]"},
  };
  expect_all(cases);
}

// Eager's devices disagree on what inference saves, and so do fake tensors.
TEST(Norm, SavesNothingOnTheCpuAndTheStatisticsOnCuda) {
  const std::vector<std::string> cpu = {"f32[2,3,4]", "None", "None", "f32[3]",
                                        "f32[3]",     "0.1",  "1e-05"};
  expect_call("aten::_native_batch_norm_legit_no_training", cpu, "(f32[2, 3, 4], f32[0], f32[0])");
}

TEST(Norm, KeepsChannelsLastOfABatch) {
  expect_call("aten::batch_norm",
              {"f32[2,3,4,5]{60,1,15,3}", "f32[3]", "f32[3]", "f32[3]", "f32[3]", "False", "0.1",
               "1e-05", "True"},
              "f32[2, 3, 4, 5] channels_last");
}

TEST(Attention, Answers) {
  const CallCase cases[] = {
      {"aten::scaled_dot_product_attention",
       {"f32[2,4,8,16]", "f32[2,4,8,16]", "f32[2,4,8,16]"},
       "f32[2, 4, 8, 16]"},
      {"aten::scaled_dot_product_attention",
       {"f32[2,8,16]", "f32[2,5,16]", "f32[2,5,6]"},
       "f32[2, 8, 6]"},
      {"aten::scaled_dot_product_attention",
       {"f32[2,4,8,16]", "f16[2,4,8,16]", "f32[2,4,8,16]"},
       "RuntimeError: Expected query, key, and value to have the same dtype, but got query.dtype: "
       "float key.dtype: c10::Half and value.dtype: float instead."},
      {"aten::_scaled_dot_product_flash_attention_for_cpu",
       {"f16[2,4,8,16]", "f16[2,4,8,16]", "f16[2,4,8,16]"},
       "(f16[2, 4, 8, 16], f32[2, 4, 8] strides [32, 1, 4])"},
  };
  expect_all(cases);
}

// The flash kernel lays its result out as the query, matrix products lay theirs out densely.
TEST(Attention, LayoutTellsTheKernel) {
  const std::string query = "f32[2,4,8,16]{512,16,64,1}";
  expect_call("aten::scaled_dot_product_attention", {query, query, query},
              "f32[2, 4, 8, 16] strides [512, 16, 64, 1]");
  expect_call("aten::scaled_dot_product_attention", {query, query, query, "None", "0.5"},
              "f32[2, 4, 8, 16]");
}

TEST(Pool, Answers) {
  const CallCase cases[] = {
      {"aten::max_pool2d", {"f32[1,3,8,8]", "[3,3]", "[2,2]", "[1,1]"}, "f32[1, 3, 4, 4]"},
      {"aten::max_pool2d",
       {"f32[1,3,9,9]", "[2,2]", "[2,2]", "[0,0]", "[1,1]", "True"},
       "f32[1, 3, 5, 5]"},
      {"aten::max_pool2d_with_indices", {"f32[3,8,8]", "[2,2]"}, "(f32[3, 4, 4], i64[3, 4, 4])"},
      {"aten::max_pool2d",
       {"f32[1,3,2,2]", "[3,3]"},
       "RuntimeError: Given input size: (3x2x2). Calculated output size: (3x0x0). Output size is "
       "too small"},
      {"aten::max_pool1d", {"f32[2,3,9]", "[3]"}, "f32[2, 3, 3]"},
      {"aten::max_pool3d", {"f32[2,3,4,4,4]", "[2]"}, "f32[2, 3, 2, 2, 2]"},
      {"aten::avg_pool1d", {"f32[2,3,9]", "[3]"}, "f32[2, 3, 3]"},
      {"aten::avg_pool2d", {"f32[1,3,8,8]", "[2,2]"}, "f32[1, 3, 4, 4]"},
      {"aten::avg_pool3d", {"f32[1,3,4,4,4]", "[2]"}, "f32[1, 3, 2, 2, 2]"},
      {"aten::adaptive_avg_pool1d", {"f32[2,3,9]", "[4]"}, "f32[2, 3, 4]"},
      {"aten::adaptive_avg_pool2d", {"f32[2,3,9,9]", "[4,5]"}, "f32[2, 3, 4, 5]"},
      {"aten::adaptive_avg_pool3d", {"f32[2,3,9,9,9]", "[1,1,1]"}, "f32[2, 3, 1, 1, 1]"},
      {"aten::adaptive_max_pool2d",
       {"f32[2,3,9,9]", "[4,5]"},
       "(f32[2, 3, 4, 5], i64[2, 3, 4, 5])"},
      {"aten::adaptive_avg_pool2d", {"f32[2,3,9,9]{243,1,27,3}", "[1,1]"}, "f32[2, 3, 1, 1]"},
  };
  expect_all(cases);
}

TEST(Image, Answers) {
  const CallCase cases[] = {
      {"aten::pixel_shuffle", {"f32[1,8,2,3]", "2"}, "f32[1, 2, 4, 6]"},
      {"aten::pixel_unshuffle", {"f32[1,2,4,6]", "2"}, "f32[1, 8, 2, 3]"},
      {"aten::channel_shuffle", {"f32[1,6,2,2]", "3"}, "f32[1, 6, 2, 2]"},
      {"aten::grid_sampler",
       {"f32[1,3,8,8]", "f32[1,5,6,2]", "0", "0", "False"},
       "f32[1, 3, 5, 6]"},
      {"aten::grid_sampler",
       {"f32[1,3,4,8,8]", "f32[1,2,5,6,3]", "0", "0", "False"},
       "f32[1, 3, 2, 5, 6]"},
      {"aten::affine_grid_generator", {"f32[2,2,3]", "[2,3,4,5]", "False"}, "f32[2, 4, 5, 2]"},
  };
  expect_all(cases);
}

TEST(Einsum, Answers) {
  const CallCase cases[] = {
      {"aten::einsum", {"bij,bjk->bik", "[f32[2,3,4], f32[2,4,5]]"}, "f32[2, 3, 5]"},
      {"aten::einsum", {"ij->ji", "[f32[2,3]]"}, "f32[3, 2] strides [1, 3]"},
      {"aten::einsum", {"ii->i", "[f32[3,3]]"}, "f32[3] strides [4]"},
      {"aten::einsum", {"...i,...i->...", "[f32[2,3,4], f32[2,3,4]]"}, "f32[2, 3]"},
      {"aten::einsum",
       {"ij,jk->ik", "[f32[2,3], f32[4,5]]"},
       "RuntimeError: einsum(): subscript j has size 4 for operand 1 which does not broadcast with "
       "previously seen size 3"},
      {"aten::einsum",
       {"ij->k", "[f32[2,3]]"},
       "RuntimeError: einsum(): output subscript k does not appear in the equation for any input "
       "operand"},
      {"aten::tensordot", {"f32[2,3,4]", "f32[4,3,5]", "[1,2]", "[1,0]"}, "f32[2, 5]"},
      {"aten::inner", {"f32[2,3]", "f32[4,3]"}, "f32[2, 4]"},
      {"aten::bilinear", {"f32[2,3]", "f32[2,4]", "f32[5,3,4]", "f32[5]"}, "f32[2, 5]"},
  };
  expect_all(cases);
}

TEST(Rnn, Answers) {
  const std::string weights = "[f32[16,3], f32[16,4], f32[16], f32[16]]";
  const CallCase cases[] = {
      {"aten::lstm.input",
       {"f32[2,5,3]", "[f32[1,2,4], f32[1,2,4]]", weights, "True", "1", "0.0", "False", "False",
        "True"},
       "(f32[2, 5, 4] strides [4, 8, 1], f32[1, 2, 4], f32[1, 2, 4])"},
      {"aten::gru.input",
       {"f32[5,2,3]", "f32[1,2,4]", "[f32[12,3], f32[12,4]]", "False", "1", "0.0", "False", "False",
        "False"},
       "(f32[5, 2, 4], f32[1, 2, 4])"},
      {"aten::rnn_tanh.input",
       {"f32[5,2,3]", "f32[2,2,4]", "[f32[4,3], f32[4,4], f32[4,3], f32[4,4]]", "False", "1", "0.0",
        "False", "True", "False"},
       "(f32[5, 2, 8], f32[2, 2, 4])"},
      {"aten::lstm_cell",
       {"f32[2,3]", "[f32[2,4], f32[2,4]]", "f32[16,3]", "f32[16,4]"},
       "(f32[2, 4], f32[2, 4])"},
      {"aten::gru_cell", {"f32[2,3]", "f32[2,4]", "f32[12,3]", "f32[12,4]"}, "f32[2, 4]"},
      {"aten::gru_cell",
       {"f32[2,3]", "f32[3,4]", "f32[12,3]", "f32[12,4]"},
       "RuntimeError: Input batch size 2 doesn't match hidden0 batch size 3"},
  };
  expect_all(cases);
}

TEST(Fft, Answers) {
  const CallCase cases[] = {
      {"aten::fft_fft", {"f32[2,8]"}, "c64[2, 8]"},
      {"aten::fft_rfft", {"f32[2,8]"}, "c64[2, 5]"},
      {"aten::fft_irfft", {"c64[2,5]"}, "f32[2, 8]"},
      {"aten::fft_rfft2", {"f32[2,6,8]"}, "c64[2, 6, 5]"},
      {"aten::fft_irfft2", {"c64[2,6,5]", "[6,8]"}, "f32[2, 6, 8]"},
      {"aten::fft_fftn", {"c64[4,6]", "[4,8]"}, "c64[4, 8]"},
      {"aten::fft_rfft",
       {"c64[2,8]"},
       "RuntimeError: rfft expects a real input tensor, but got ComplexFloat"},
      {"aten::fft_fft", {"bf16[2,8]"}, "RuntimeError: Unsupported dtype BFloat16"},
  };
  expect_all(cases);
}

TEST(Libraries, Answers) {
  const CallCase cases[] = {
      {"torchvision::roi_align",
       {"f32[1,3,8,8]", "f32[4,5]", "0.5", "2", "2", "0", "False"},
       "f32[4, 3, 2, 2]"},
      {"torchvision::nms", {"f32[4,4]", "f32[4]", "0.5"}, "i64[u0]"},
      {"transformers::grouped_mm_fallback", {"f32[6,3]", "f32[2,3,5]", "i64[2]"}, "f32[6, 5]"},
  };
  expect_all(cases);
}

}  // namespace
}  // namespace faketensor
