// Gradients that only real kernels answer.
#include <cmath>

#include "core/ops/families/kernel.h"
#include "core/ops/families/linalg.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_kernel_backward {
namespace {

// --- connectionist temporal loss ---

// Mirrors ctc_loss_backward_cpu, ATen/native/LossCTC.cpp.
Value ctc_loss_backward(Call& c, const Tensor& grad, const Tensor& log_probs, const Tensor&,
                        const Value&, const Value&, const Tensor& loss, const Tensor& log_alpha) {
  require_type(c, "ctc_loss_backward_cpu", log_probs.dtype(), kSingleAndDouble);
  for (int64_t dim = 0; dim < 3; ++dim) log_probs.size(dim);
  c.check(
      log_probs.dim() == 3,
      "permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
      "the desired ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
      log_probs.dim(), 3);
  require_data_type(c, log_probs.dtype(), log_alpha);
  require_data_type(c, log_probs.dtype(), loss);
  require_data_type(c, log_probs.dtype(), grad);
  require_rank(c, loss, 1);
  require_rank(c, grad, 1);
  return c.empty(log_probs.sizes(), log_probs.dtype());
}

// The lengths are read: zeros.
Value ctc_loss_backward_tensors(Call& c, const Tensor& grad, const Tensor& log_probs,
                                const Tensor& targets, const Tensor& input_lengths,
                                const Tensor& target_lengths, const Tensor& loss,
                                const Tensor& log_alpha) {
  c.check(is_integral(input_lengths.dtype()), "input_lengths must be integral");
  c.check(is_integral(target_lengths.dtype()), "target_lengths must be integral");
  return ctc_loss_backward(c, grad, log_probs, targets, Value(), Value(), loss, log_alpha);
}

// --- pooling ---

// Mirrors adaptive_avg_pool3d_backward_out_cpu_template, ATen/native/AdaptiveAveragePooling3d.cpp,
// which writes to zeros that stand for the output.
Value adaptive_avg_pool3d_backward(Call& c, const Tensor& grad, const Tensor& self,
                                   Tensor& grad_input) {
  for (int64_t i = 1; i < grad.dim(); ++i) {
    c.check(grad.size(i) > 0,
            "adaptive_avg_pool3d_backward(): Expected grad_output to have non-zero size for "
            "non-batch dimensions, but grad_output has sizes {} with dimension {} being empty",
            grad.sizes(), i);
  }
  for (int64_t dim = -4; dim < 0; ++dim) self.size(dim);
  for (int64_t dim = -3; dim < 0; ++dim) grad.size(dim);
  require_type(c, "adaptive_avg_pool3d_backward_cpu", self.dtype(), kFloats);
  return grad_input;
}

// --- margin losses ---

void check_vector_or_matrix(Call& c, const Tensor& self) {
  const bool fits = self.dim() <= 1 || (self.dim() == 2 && guard_bool(self.size(1) != 0));
  c.check(fits, "Expected non-empty vector or matrix with optional 0-dim batch size, but got: {}",
          self.sizes());
}

// Mirrors multi_margin_loss_cpu_backward, ATen/native/LossMultiMargin.cpp.
Value multi_margin_loss_backward(Call& c, const Tensor&, const Tensor& self, const Tensor& target,
                                 const Value& p) {
  c.check(!p.is(Value::Tag::kComplex), "value cannot be converted to type int without overflow");
  const double given = p.to_double();
  c.check(std::abs(given) < 0x1p31, "value cannot be converted to type int without overflow");
  const auto power = static_cast<int64_t>(given);
  c.check(power == 1 || power == 2, "only p == 1 and p == 2 supported");
  check_vector_or_matrix(c, self);
  const SymInt frames = self.dim() < 2 ? SymInt(1) : self.size(0);
  c.check(target.dim() <= 1 && guard_bool(target.numel() == frames),
          "multi_margin_loss: target tensor should be 1-D with size equal to the number of input "
          "samples (batch size). Expected target size [{}], but got {}. Input "
          "has shape {}.",
          frames, target.sizes(), self.sizes());
  require_type(c, "multi_margin_loss_backward_cpu_kernel", self.dtype(), kSingleAndDouble);
  return c.empty(self.sizes(), self.dtype());
}

// Mirrors multilabel_margin_loss_backward_out_cpu_template, ATen/native/LossMultiLabelMargin.cpp.
Value multilabel_margin_loss_backward(Call& c, const Tensor&, const Tensor& self,
                                      const Tensor& target) {
  check_vector_or_matrix(c, self);
  const Dims a = self.sizes(), b = target.sizes();
  const bool scalar = self.dim() == 0 && target.dim() <= 1 && guard_bool(target.numel() == 1);
  c.check(scalar || guard_equal(a, b), "inconsistent target size: {} for input of size: {}", b, a);
  require_type(c, "multilabel_margin_loss_backward_out_frame", self.dtype(), kSingleAndDouble);
  return c.empty(self.sizes(), self.dtype());
}

// --- others ---

// Mirrors fractional_max_pool3d_backward_out_cpu_template.
Value fractional_max_pool3d_backward(Call& c, const Tensor& grad, const Tensor& self, Dims,
                                     Dims output_size) {
  constexpr std::string_view kNames[] = {"time", "height", "width"};
  const int64_t first = self.dim() == 5 ? 2 : 1;
  for (int64_t dim = first - 1; dim < first + 3; ++dim) self.size(dim);
  for (int64_t i = 0; i < 3; ++i) {
    const auto at = static_cast<size_t>(i);
    const SymInt expected = at < output_size.size() ? output_size[at] : SymInt(0);
    c.check(guard_bool(expected == grad.size(first + i)),
            "fractional_max_pool3d_backward_out(): gradOutput {} unexpected", kNames[at]);
  }
  require_type(c, "fractional_max_pool3d_backward_out_frame", self.dtype(), kFloats);
  return c.empty(self.sizes(), self.dtype());
}

Value dirichlet_grad(Call& c, const Tensor& x, const Tensor& alpha, const Tensor& total) {
  require_operand_type(c, x.dtype(), alpha);
  require_operand_type(c, x.dtype(), total);
  Tensor* result = kernel_result(c, {&x, &alpha, &total}, x.dtype());
  require_type(c, "_dirichlet_grad_cpu", x.dtype(), kSingleAndDouble);
  return result;
}

// Mirrors geqrf, ATen/native/BatchLinearAlgebra.cpp: Householder reflectors and their factors.
Value geqrf(Call& c, const Tensor& self) {
  c.check(self.dim() >= 2, "torch.geqrf: input must have at least 2 dimensions.");
  require_type(c, "geqrf_cpu", self.dtype(), kSingleAndDouble | kComplexTypes);
  DimVector factors;
  for (const SymInt size : batch_sizes(self)) factors.push_back(size);
  factors.push_back(sym_min(self.size(-2), self.size(-1)));
  return c.tuple({column_major(c, self.sizes(), self.dtype()), c.empty(factors, self.dtype())});
}

// clang-format off
constexpr OpDef kKernelBackwardRules[] = {
    {"aten::_ctc_loss_backward(Tensor grad, Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor", rule<&ctc_loss_backward>(), kRealKernel},
    {"aten::_ctc_loss_backward.Tensor(Tensor grad, Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor", rule<&ctc_loss_backward_tensors>(), kRealKernel},
    {"aten::_dirichlet_grad(Tensor x, Tensor alpha, Tensor total) -> Tensor", rule<&dirichlet_grad>(), kRealKernel},
    {"aten::adaptive_avg_pool3d_backward.grad_input(Tensor grad_output, Tensor self, *, Tensor(a!) grad_input) -> Tensor(a!)", rule<&adaptive_avg_pool3d_backward>(), kRealKernel},
    {"aten::fractional_max_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] output_size, Tensor indices) -> Tensor", rule<&fractional_max_pool3d_backward>(), kRealKernel | kRealDerivative, derivative<Derivative{.without_formula = "indices"}>},
    {"aten::geqrf(Tensor self) -> (Tensor a, Tensor tau)", rule<&geqrf>(), kRealKernel | kRealDerivative},
    {"aten::multi_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, Scalar p, Scalar margin, Tensor? weight=None, int reduction=1) -> Tensor", rule<&multi_margin_loss_backward>(), kRealKernel},
    {"aten::multilabel_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, Tensor is_target) -> Tensor", rule<&multilabel_margin_loss_backward>(), kRealKernel},
};
// clang-format on

}  // namespace
}  // namespace rules_of_kernel_backward

std::span<const OpDef> kernel_backward_rules() {
  return rules_of_kernel_backward::kKernelBackwardRules;
}

}  // namespace faketensor
