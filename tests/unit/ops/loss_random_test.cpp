#include "expect_call.h"

namespace faketensor {
namespace {

TEST(Loss, Answers) {
  const CallCase cases[] = {
      {"aten::mse_loss", {"f16[2,3]", "f32[2,3]"}, "f32[]"},
      {"aten::mse_loss", {"f32[2,3]", "f32[2,3]", "0"}, "f32[2, 3]"},
      {"aten::l1_loss", {"f32[2,3]", "f32[2,3]", "2"}, "f32[]"},
      {"aten::smooth_l1_loss", {"i64[2,3]", "i64[2,3]"}, "i64[]"},
      {"aten::huber_loss", {"f32[2,3]", "f32[2,3]"}, "f32[]"},
      {"aten::soft_margin_loss", {"f32[2,3]", "f32[2,3]", "0"}, "f32[2, 3]"},
      {"aten::binary_cross_entropy", {"f32[2,3]", "f32[2,3]", "f32[3]", "0"}, "f32[2, 3]"},
      {"aten::binary_cross_entropy_with_logits",
       {"f32[2,3]", "f32[2,3]", "None", "f32[3]"},
       "f32[]"},
      {"aten::kl_div", {"f32[2,3]", "f32[2,3]", "0"}, "f32[2, 3]"},
      {"aten::poisson_nll_loss",
       {"f32[2,3]", "f32[2,3]", "True", "True", "1e-8", "0"},
       "f32[2, 3]"},
      {"aten::pairwise_distance", {"f32[2,3]", "f32[2,3]", "2.0", "1e-6", "True"}, "f32[2, 1]"},
      {"aten::cosine_similarity", {"f32[2,3]", "f32[2,3]"}, "f32[2]"},
      {"aten::cosine_embedding_loss", {"f32[2,3]", "f32[2,3]", "i64[2]"}, "f32[]"},
      {"aten::hinge_embedding_loss", {"f32[2,3]", "f32[2,3]", "reduction=0"}, "f32[2, 3]"},
      {"aten::margin_ranking_loss", {"f32[3]", "f32[3]", "f32[3]", "reduction=0"}, "f32[3]"},
      {"aten::triplet_margin_loss",
       {"f32[2,3]", "f32[2,3]", "f32[2,3]", "swap=True", "reduction=0"},
       "f32[2]"},
      {"aten::cross_entropy_loss", {"f32[2,5]", "f32[2,5]", "f32[5]"}, "f32[]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Loss, OfClasses) {
  const CallCase cases[] = {
      {"aten::nll_loss", {"f32[2,5]", "i64[2]"}, "f32[]"},
      {"aten::nll_loss", {"f32[2,5]", "i64[2]", "f32[5]", "0"}, "f32[2]"},
      {"aten::nll_loss_nd", {"f32[2,5,3]", "i64[2,3]", "reduction=0"}, "f32[2, 3]"},
      {"aten::nll_loss2d_forward",
       {"f32[2,5,3,3]", "i64[2,3,3]", "None", "0", "-100"},
       "(f32[2, 3, 3], f32[])"},
      {"aten::cross_entropy_loss", {"f16[2,5]", "i64[2]"}, "f16[]"},
      {"aten::cross_entropy_loss", {"f32[2,5]", "i64[2]", "f32[5]", "1", "-100", "0.1"}, "f32[]"},
      {"aten::cross_entropy_loss", {"f32[2,5,7]", "i64[2,7]", "None", "0"}, "f32[2, 7]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Loss, Refuses) {
  const CallCase cases[] = {
      {"aten::mse_loss",
       {"i64[2]", "i64[2]"},
       "RuntimeError: mean(): could not infer output dtype. Input dtype must be either a floating "
       "point or complex dtype. Got: torch.int64"},
      {"aten::mse_loss",
       {"bool[2]", "bool[2]"},
       "RuntimeError: Subtraction, the `-` operator, with two bool tensors is not supported. Use "
       "the `^` or `logical_xor()` operator instead."},
      {"aten::huber_loss",
       {"f32[2]", "f32[2]", "1", "0.0"},
       "RuntimeError: huber_loss does not support non-positive values for delta."},
      {"aten::huber_loss",
       {"f32[2]", "f32[2]", "3"},
       "ValueError: 3 is not a valid value for reduction"},
      {"aten::kl_div",
       {"i64[2]", "i64[2]"},
       "RuntimeError: kl_div: Integral inputs not supported."},
      {"aten::cosine_similarity",
       {"i64[2,3]", "i64[2,3]"},
       "RuntimeError: expected common dtype to be floating point, yet common dtype is Long"},
      {"aten::cosine_embedding_loss",
       {"f32[3]", "f32[3]", "i64[2,2]"},
       "RuntimeError: 0D or 1D target tensor expected, multi-target not supported"},
      {"aten::nll_loss",
       {"f32[2,5]", "i64[3]"},
       "RuntimeError: size mismatch (got input: torch.Size([2, 5]), target: torch.Size([3]))"},
      {"aten::nll_loss",
       {"f32[2,5]", "i64[2]", "f32[4]"},
       "AssertionError: weight tensor should be defined either for all 5 classes or no classes but "
       "got weight tensor of shape: torch.Size([4])"},
      {"aten::nll_loss_nd",
       {"f32[2,5,3]", "i64[2,4]"},
       "RuntimeError: Expected target size [2, 3], got [2, 4]"},
      {"aten::nll_loss_nd",
       {"f32[]", "i64[]"},
       "ValueError: Expected 1 or more dimensions (got 0)"},
      {"aten::cross_entropy_loss",
       {"f32[2,5]", "i64[2,5]"},
       "RuntimeError: Expected floating point type for target with class probabilities, got Long"},
      {"aten::cross_entropy_loss",
       {"f32[2,5]", "f32[2,5]", "ignore_index=1"},
       "RuntimeError: ignore_index is not supported for floating point target"},
      {"aten::triplet_margin_loss",
       {"f32[2,3]", "f32[3]", "f32[2,3]"},
       "RuntimeError: The anchor, positive, and negative tensors are expected to have the same "
       "number of dimensions, but got: anchor 2D, positive 1D, and negative 2D inputs"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Random, Answers) {
  const CallCase cases[] = {
      {"aten::dropout", {"f32[2,3]{1,2}", "0.5", "True"}, "f32[2, 3] strides [1, 2]"},
      {"aten::dropout", {"f32[2,3]@cuda", "0.5", "True"}, "f32[2, 3] cuda:0"},
      {"aten::dropout_", {"f32[2,3]", "0.5", "True"}, "f32[2, 3]"},
      {"aten::feature_dropout", {"f32[2,3,4]", "0.5", "True"}, "f32[2, 3, 4]"},
      {"aten::alpha_dropout", {"f32[2,3]", "0.5", "True"}, "f32[2, 3]"},
      {"aten::native_dropout",
       {"f32[2,3]{1,2}", "0.5", "True"},
       "(f32[2, 3] strides [1, 2], b8[2, 3] strides [1, 2])"},
      {"aten::native_dropout_backward", {"f32[2,3]", "bool[2,3]", "2.0"}, "f32[2, 3]"},
      {"aten::bernoulli", {"f32[2,3]{1,2}"}, "f32[2, 3]"},
      {"aten::bernoulli_.float", {"f32[2,3]{1,2}"}, "f32[2, 3] strides [1, 2]"},
      {"aten::exponential", {"f32[2,3]"}, "f32[2, 3]"},
      {"aten::normal.Tensor_Tensor", {"f32[2,1]", "f32[3]"}, "f32[2, 3]"},
      {"aten::normal_", {"f32[2,3]"}, "f32[2, 3]"},
      {"aten::uniform_", {"f32[2,3]"}, "f32[2, 3]"},
      {"aten::random_", {"i64[3]"}, "i64[3]"},
      {"aten::poisson", {"f32[2,3]{1,2}"}, "f32[2, 3] strides [1, 2]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Random, Refuses) {
  const CallCase cases[] = {
      {"aten::dropout",
       {"f32[2]", "1.5", "True"},
       "RuntimeError: dropout probability has to be between 0 and 1, but got 1.5"},
      {"aten::feature_dropout",
       {"f32[2]", "0.5", "True"},
       "RuntimeError: Feature dropout requires at least 2 dimensions in the input"},
      {"aten::native_dropout",
       {"i64[2]", "0.5", "True"},
       "RuntimeError: result type Float can't be cast to the desired output type Long"},
      {"aten::exponential",
       {"f32[2]", "0.0"},
       "RuntimeError: exponential_ expects lambda > 0.0, but found lambda=0.0"},
      {"aten::cauchy",
       {"i64[2]"},
       "RuntimeError: Cauchy distribution is a continuous probability distribution.         dtype "
       "must be a floating point but you specified torch.int64"},
      {"aten::geometric",
       {"f32[2]", "2.0"},
       "RuntimeError: geometric_ expects p to be in (0, 1), but got p=2.0"},
      {"aten::normal_",
       {"f32[2]", "0.0", "-1.0"},
       "RuntimeError: normal expects std >= 0.0, but found std -1.0"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

}  // namespace
}  // namespace faketensor
