// Gradients of losses, and of softmax.
//
// Decompositions (torch/_decomp/decompositions.py) that FakeTensorMode runs step by step. Numbers
// that only scale, as the count of elements does, are 1.0 here: they decide nothing.
#include "core/ops/families/operand.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_loss_backward {
namespace {

constexpr int64_t kNone = 0;
constexpr int64_t kMean = 1;

// The mean's 1 / numel, which Python refuses for an empty tensor.
void check_mean_exists(Call& c, const Tensor& self, int64_t reduction) {
  c.check_as(ErrorKind::kZeroDivisionError,
             reduction != kMean || !guard_or_false(self.numel() == 0), "float division by zero");
}

// Mirrors mse_loss_backward, torch/_decomp/decompositions.py.
Value mse_loss_backward(Call& c, const Tensor& grad_output, const Tensor& self,
                        const Tensor& target, int64_t reduction) {
  const OpmathCast cast(c, {grad_output, self, target});
  check_mean_exists(c, self, reduction);
  const Operand grad = cast(grad_output), x = cast(self), y = cast(target);
  return cast.back(2.0 * (x - y) * grad);
}

// Mirrors smooth_l1_loss_backward, torch/_decomp/decompositions.py.
Value smooth_l1_loss_backward(Call& c, const Tensor& grad_output, const Tensor& self,
                              const Tensor& target, int64_t reduction, double beta) {
  const OpmathCast cast(c, {grad_output, self, target});
  check_mean_exists(c, self, reduction);
  const Operand own_grad = cast(grad_output), prediction = cast(self), truth = cast(target);
  const Operand x = prediction - truth;
  const Operand size = x.op<"aten::abs">();
  const Operand grad = 1.0 * own_grad;
  const Operand is_below_beta = size < beta;
  const Operand quadratic = grad * x / beta;
  return cast.back(where(is_below_beta, quadratic, grad * x.op<"aten::sign">()));
}

// Mirrors huber_loss_backward, torch/_decomp/decompositions.py.
Value huber_loss_backward(Call& c, const Tensor& grad_output, const Tensor& self,
                          const Tensor& target, int64_t reduction, double delta) {
  const OpmathCast cast(c, {grad_output, self, target});
  check_mean_exists(c, self, reduction);
  const Operand grad = cast(grad_output), prediction = cast(self), truth = cast(target);
  const Operand x = prediction - truth;
  const Operand below = x < -delta;
  const Operand at_least = -1.0 * grad * delta;
  const Operand above = x > delta;
  const Operand at_most = 1.0 * grad * delta;
  return cast.back(where(below, at_least, where(above, at_most, 1.0 * x * grad)));
}

// Mirrors soft_margin_loss_backward, torch/_decomp/decompositions.py.
Value soft_margin_loss_backward(Call& c, const Tensor& grad_output, const Tensor& self,
                                const Tensor& target, int64_t reduction) {
  const OpmathCast cast(c, {grad_output, self, target});
  const Operand grad = cast(grad_output), x = cast(self), y = cast(target);
  const Operand scaled = y * grad;
  const Operand result = scaled * ((y * x).op<"aten::sigmoid">() - 1);
  return cast.back(reduction == kMean ? result / 1 : result);
}

// Mirrors binary_cross_entropy_backward, torch/_decomp/decompositions.py.
Value binary_cross_entropy_backward(Call& c, const Tensor& grad_output, const Tensor& self,
                                    const Tensor& target, Tensor* weight, int64_t reduction) {
  const OpmathCast cast(c, {grad_output, self, target, weight});
  const Operand grad = cast(grad_output), x = cast(self), y = cast(target);
  const Operand numerator = grad * (x - y);
  const Operand denominator = (x * (1 - x)).op<"aten::clamp">(1e-12);
  Operand result = numerator / denominator;
  if (weight != nullptr) result = result * cast(*weight);
  return cast.back(reduction == kMean ? result / 1 : result);
}

// --- negative log likelihood ---

struct NllLoss {
  const Tensor& grad_output;
  const Tensor& self;
  const Tensor& target;
  Tensor* weight;
  int64_t reduction;
  const Value& ignore_index;
  const Tensor& total_weight;
};

// Mirrors _nll_loss_backward, torch/_decomp/decompositions.py.
Value nll_loss_gradient(Call& c, const NllLoss& loss) {
  const int64_t channel = loss.self.dim() < 2 ? 0 : 1;
  Operand grad_output(c, loss.grad_output);
  if (loss.reduction == kMean) grad_output = grad_output / Operand(c, loss.total_weight);
  Operand target(c, loss.target);
  if (loss.self.dim() == 1 && loss.target.dim() > 0) target = target.op<"aten::select.int">(0, 0);
  target = target.unsqueeze(channel);
  const Operand counted = target.op<"aten::ne.Scalar">(loss.ignore_index);
  const Operand safe_target = where(counted, target, 0);
  const Operand grad_input = Operand(c, loss.self)
                                 .op<"aten::zeros_like">()
                                 .op<"aten::scatter.value">(channel, safe_target, -1.0);
  const int64_t rank = grad_output.tensor().dim();
  if (grad_input.tensor().dim() > rank && rank > 0) grad_output = grad_output.unsqueeze(channel);
  if (loss.weight != nullptr) {
    DimVector shape(static_cast<size_t>(loss.self.dim()), SymInt(1));
    shape[static_cast<size_t>(channel)] = loss.weight->size(0);
    grad_output = grad_output * Operand(c, *loss.weight).reshape(shape);
  }
  const Operand still_counted = target.op<"aten::ne.Scalar">(loss.ignore_index);
  return grad_input * where(still_counted, grad_output, 0);
}

// Mirrors nll_loss_backward, torch/_decomp/decompositions.py.
Value nll_loss_backward(Call& c, const Tensor& grad_output, const Tensor& self,
                        const Tensor& target, Tensor* weight, int64_t reduction,
                        const Value& ignore_index, const Tensor& total_weight) {
  const auto check = [&](bool condition, std::string_view pattern, const auto&... parts) {
    c.check_as(ErrorKind::kAssertionError, condition, pattern, parts...);
  };
  check(self.dim() <= 2, "input tensor should be 1D or 2D, got {}D", self.dim());
  check(target.dim() <= 1, "0D or 1D target tensor expected, multi-target not supported, got {}D",
        target.dim());
  if (self.dim() != 1 || target.dim() != 0) {
    c.check_as(ErrorKind::kIndexError, self.dim() > 0 && target.dim() > 0,
               "tuple index out of range");
    check(guard_bool(self.size(0) == target.size(0)), "size mismatch (got input: {}, target: {})",
          size_text(self.sizes()), size_text(target.sizes()));
  }
  check(guard_bool(total_weight.numel() == 1),
        "expected total_weight to be a single element tensor, got: {} ({} elements)",
        size_text(total_weight.sizes()), total_weight.numel());
  check(weight == nullptr || guard_bool(weight->numel() == self.size(-1)),
        "weight tensor should be defined either for all or no classes");
  if (reduction == kNone && self.dim() == 2) {
    const bool fits = grad_output.dim() == 1 && guard_bool(grad_output.size(0) == self.size(0));
    c.check_as(ErrorKind::kIndexError, fits || grad_output.dim() > 0, "tuple index out of range");
    check(fits,
          "Expected a tensor of dimension 1 and tensor.size[0] == {} but got: dimension {} and "
          "tensor.size[0] == {}",
          self.size(0), grad_output.dim(), fits ? SymInt(0) : grad_output.size(0));
  } else {
    check(grad_output.dim() <= 1 && guard_bool(grad_output.numel() == 1),
          "Expected a single element grad_output tensor, but got: {}",
          size_text(grad_output.sizes()));
  }
  return nll_loss_gradient(
      c, {grad_output, self, target, weight, reduction, ignore_index, total_weight});
}

// Mirrors nll_loss2d_backward, torch/_decomp/decompositions.py.
Value nll_loss2d_backward(Call& c, const Tensor& grad_output, const Tensor& self,
                          const Tensor& target, Tensor* weight, int64_t reduction,
                          const Value& ignore_index, const Tensor& total_weight) {
  const auto check = [&](bool condition, std::string_view pattern, const auto&... parts) {
    c.check_as(ErrorKind::kAssertionError, condition, pattern, parts...);
  };
  check(self.dim() == 4,
        "only batches of spatial inputs supported (4D tensors), but got input of dimension: {}",
        self.dim());
  check(target.dim() == 3,
        "only batches of spatial targets supported (3D tensors) but got targets of dimension: {}",
        target.dim());
  const bool same = guard_bool(self.size(0) == target.size(0)) &&
                    guard_bool(self.size(2) == target.size(1)) &&
                    guard_bool(self.size(3) == target.size(2));
  check(same, "size mismatch (got input: {}, target: {}", size_text(self.sizes()),
        size_text(target.sizes()));
  check(guard_bool(total_weight.numel() == 1),
        "expected total_weight to be a single element tensor, got: {} ( {}, elements)",
        size_text(total_weight.sizes()), total_weight.numel());
  return nll_loss_gradient(
      c, {grad_output, self, target, weight, reduction, ignore_index, total_weight});
}

// --- softmax ---

Operand in_input_dtype(const Tensor& grad_output, const Operand& gradient, DType input_dtype) {
  return grad_output.dtype() == input_dtype ? gradient : gradient.to(input_dtype);
}

// Mirrors _softmax_backward_data, torch/_decomp/decompositions.py.
Value softmax_backward(Call& c, const Tensor& grad_output, const Tensor& output, int64_t dim,
                       DType input_dtype) {
  const OpmathCast cast(c, {grad_output, output});
  const Operand y = cast(output);
  const Operand grad = cast(grad_output);
  const Operand product = grad * y;
  const Operand result = product - y * product.sum({dim}, true);
  const Operand in_dtype = in_input_dtype(grad.tensor(), result, input_dtype);
  return in_dtype.tensor().is_contiguous() ? in_dtype : in_dtype.op<"aten::contiguous">();
}

// Mirrors _log_softmax_backward_data, torch/_decomp/decompositions.py.
Value log_softmax_backward(Call& c, const Tensor& grad_output, const Tensor& output, int64_t dim,
                           DType input_dtype) {
  const OpmathCast cast(c, {grad_output, output});
  const Operand grad = cast(grad_output);
  const Operand probability = cast(output).op<"aten::exp">();
  const Operand result = grad - probability * grad.sum({dim}, true);
  return in_input_dtype(grad.tensor(), result, input_dtype);
}

// clang-format off
constexpr OpDef kLossBackward[] = {
    {"aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor", rule<&log_softmax_backward>(), kByDecomp | kRealDerivative},
    {"aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor", rule<&softmax_backward>(), kByDecomp | kRealDerivative},
    {"aten::binary_cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor", rule<&binary_cross_entropy_backward>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "weight"}>},
    {"aten::huber_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float delta) -> Tensor", rule<&huber_loss_backward>(), kByDecomp | kRealDerivative},
    {"aten::mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor", rule<&mse_loss_backward>(), kByDecomp | kRealDerivative},
    {"aten::nll_loss2d_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor", rule<&nll_loss2d_backward>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "weight,total_weight"}>},
    {"aten::nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor", rule<&nll_loss_backward>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "weight,total_weight"}>},
    {"aten::smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float beta) -> Tensor", rule<&smooth_l1_loss_backward>(), kByDecomp | kRealDerivative},
    {"aten::soft_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor", rule<&soft_margin_loss_backward>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "target"}>},
};
// clang-format on
}  // namespace
}  // namespace rules_of_loss_backward

std::span<const OpDef> loss_backward_rules() { return rules_of_loss_backward::kLossBackward; }

}  // namespace faketensor
