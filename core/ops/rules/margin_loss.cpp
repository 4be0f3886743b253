// Losses with margins, and the connectionist temporal classification loss.
#include <algorithm>

#include "core/ops/derived.h"
#include "core/ops/families/into.h"
#include "core/ops/families/linalg.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_margin_loss {
namespace {

constexpr int64_t kMean = 1;
constexpr int64_t kSum = 2;

Value positions(Call& c, SymInt count, Device device) {
  return c.call<"aten::arange">(count, nullptr, nullptr, device);
}
SizeText size_text(const Tensor& tensor) { return size_text(tensor.sizes()); }

constexpr std::string_view kEmptyInput =
    "Expected non-empty vector or matrix with optional 0-dim batch size, but got: {}";

// Mirrors multi_margin_loss, torch/_decomp/decompositions.py.
Value multi_margin_loss(Call& c, const Tensor& self, const Tensor& labels, const Value& p,
                        const Value& margin, Tensor* weight, int64_t reduction) {
  const Tensor& input = c.tensor<"aten::atleast_2d">(self);
  const Tensor& target = c.tensor<"aten::atleast_1d">(labels);
  const SymInt frames = input.size(0);
  const SymInt classes = input.size(1);
  const double power = as_real(p);
  c.check(power == 1 || power == 2, "only p == 1 and p == 2 supported");
  c.check(input.dim() == 2 && guard_bool(classes != 0), kEmptyInput, size_text(input));
  c.check(target.dim() == 1 && guard_bool(target.numel() == frames),
          "inconsistent target size, expected {} but got {}", frames, size_text(target));
  const Value index = c.call<"aten::unsqueeze">(target, 1);
  Value weights;
  if (weight != nullptr) {
    const Tensor& given = c.tensor<"aten::atleast_1d">(*weight);
    c.check(given.dim() == 1 && guard_bool(given.numel() == classes),
            "inconsistent weight size, expected {} but got {}", classes, size_text(given));
    weights = given;
  }
  const Value chosen = c.call<"aten::gather">(input, 1, index);
  Value z = c.call<"aten::add.Tensor">(c.call<"aten::rsub.Scalar">(chosen, margin), input);
  z = c.call<"aten::clamp_min">(z, 0);
  if (power == 2) z = c.call<"aten::mul.Tensor">(z, z);
  if (weight != nullptr) {
    const Value indices[] = {index};
    z = c.call<"aten::mul.Tensor">(z, c.call<"aten::index.Tensor">(weights, Value::list(indices)));
  }
  const Value others = c.call<"aten::ne.Tensor">(positions(c, classes, input.device()), index);
  z = c.call<"aten::where.ScalarOther">(others, z, 0);
  if (reduction == kMean) return c.call<"aten::mean">(z);
  if (reduction == kSum)
    return c.call<"aten::div.Tensor">(c.call<"aten::sum">(z), z.tensor().size(1));
  return c.call<"aten::mean.dim">(z, DimVector{1});
}

// Mirrors multilabel_margin_loss_forward, torch/_decomp/decompositions.py: labels up to the first
// -1 count.
Value multilabel_margin_loss_forward(Call& c, const Tensor& self, const Tensor& labels,
                                     int64_t reduction) {
  const Tensor& input = c.tensor<"aten::atleast_2d">(self);
  const Tensor& target = c.tensor<"aten::atleast_2d">(labels);
  const SymInt classes = input.size(1);
  c.check(self.dim() <= 2 && guard_bool(classes != 0), kEmptyInput, size_text(self));
  c.check(labels.dim() <= 2 && guard_equal(labels.sizes(), self.sizes()),
          "inconsistent target size: {} for input of size: {}", size_text(labels), size_text(self));
  const Value index = positions(c, classes, target.device());
  const Value is_end = c.call<"aten::eq.Scalar">(target, -1);
  const Value end = c.call<"aten::amin">(c.call<"aten::where.ScalarOther">(is_end, index, classes),
                                         DimVector{-1}, true);
  const Value counts = c.call<"aten::lt.Tensor">(index, end);
  const Value label = c.call<"aten::where.ScalarOther">(counts, target, 0);
  const Value chosen = c.call<"aten::gather">(input, -1, label);
  const Value marked =
      c.call<"aten::unsqueeze">(c.call<"aten::where.ScalarOther">(counts, target, -1), -1);
  const Value is_target = c.call<"aten::any.dim">(c.call<"aten::eq.Tensor">(index, marked), 1);
  const Value scores = c.call<"aten::unsqueeze">(c.call<"aten::numpy_T">(chosen), -1);
  Value z = c.call<"aten::add.Tensor">(c.call<"aten::rsub.Scalar">(scores, 1.0), input);
  z = c.call<"aten::div.Tensor">(c.call<"aten::clamp_min">(z, 0), classes);
  z = c.call<"aten::where.ScalarSelf">(is_target, 0, z);
  if (reduction == kSum) {
    z = c.call<"aten::sum">(z);
  } else {
    z = c.call<"aten::sum.dim_IntList">(z, DimVector{0, -1});
    if (reduction == kMean) z = c.call<"aten::mean">(z);
  }
  const Value cast = c.call<"aten::to.dtype">(is_target, input.dtype());
  return c.tuple({z, c.call<"aten::reshape">(cast, DimVector(labels.sizes()))});
}
Value multilabel_margin_loss(Call& c, const Tensor& self, const Tensor& target, int64_t reduction) {
  if (Tensor* out = output_of(c)) {
    return c.call<"aten::multilabel_margin_loss_forward.output">(self, target, reduction, *out,
                                                                 unwanted(c, self))[0];
  }
  return c.call<"aten::multilabel_margin_loss_forward">(self, target, reduction)[0];
}

// Mirrors ctc_loss_impl, aten/src/ATen/native/LossCTC.cpp. The size of what _ctc_loss keeps is
// data, so there is never a loss to reduce.
template <FixedString inner>
Value ctc_loss(Call& c, const Tensor& log_probs, const Tensor& targets, const Value& input_lengths,
               const Value& target_lengths, const Value& blank) {
  const Value batched =
      log_probs.dim() == 3 ? Value(log_probs) : c.call<"aten::unsqueeze">(log_probs, 1);
  return c.call<inner>(batched, targets, input_lengths, target_lengths, blank)[0];
}

void check_ctc(Call& c, bool condition, const std::string& text) {
  c.check(condition, "{} (while checking arguments for ctc_loss_allocate_outputs)", text);
}

int64_t largest(Dims lengths) {
  int64_t result = 0;
  for (const SymInt length : lengths) result = std::max(result, guard_int(length));
  return result;
}

// Mirrors ctc_loss_allocate_outputs, aten/src/ATen/native/LossCTC.cpp: the Meta kernel of
// _ctc_loss, which FakeTensorMode refuses to call but its out= overload does not.
Value ctc_loss_into(Call& c, const Tensor& log_probs, const Tensor& targets, Dims input_lengths,
                    Dims target_lengths, int64_t blank) {
  check_ctc(c, log_probs.dim() == 3,
            format("Expected 3-dimensional tensor, but got {}-dimensional tensor for argument #1 "
                   "'log_probs'",
                   log_probs.dim()));
  check_ctc(c, targets.dim() == 1 || targets.dim() == 2,
            format("Expected 1 to 2 dimensions, but got {}-dimensional tensor for argument #2 "
                   "'targets'",
                   targets.dim()));
  const SymInt batch = log_probs.size(1);
  c.check(blank >= 0 && guard_bool(log_probs.size(2) > blank), "blank must be in label range");
  c.check(batch == static_cast<int64_t>(input_lengths.size()),
          "input_lengths must be of size batch_size");
  c.check(batch == static_cast<int64_t>(target_lengths.size()),
          "target_lengths must be of size batch_size");
  const SymInt steps = log_probs.size(0);
  for (const SymInt length : input_lengths) {
    check_ctc(
        c, guard_bool(length <= steps),
        format("Expected input_lengths to have value at most {}, but got value {}", steps, length));
  }
  const SymInt states = SymInt(largest(target_lengths)) * 2 + 1;
  resize_output(c.context(), nth_output(c, 0), DimVector{batch});
  resize_output(c.context(), nth_output(c, 1), DimVector{batch, steps, states});
  return c.tuple({nth_output(c, 0), nth_output(c, 1)});
}
// Mirrors dyn_shape, torch/_subclasses/fake_impls.py.
Value ctc_loss_kernel(Call& c, const Tensor& log_probs, const Tensor& targets, Dims input_lengths,
                      Dims target_lengths, int64_t blank) {
  if (c.op().output_count > 0)
    return ctc_loss_into(c, log_probs, targets, input_lengths, target_lengths, blank);
  c.fail(ErrorKind::kDynamicOutputShape, "aten._ctc_loss.default");
}

// clang-format off
constexpr OpDef kMarginLossRules[] = {
    {"aten::_ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)", rule<&ctc_loss_kernel>(), kDynamicShape | kByFakeImpl | kRealDerivative, derivative<Derivative{.without_formula = "targets"}>},
    {"aten::ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor", rule<&ctc_loss<"aten::_ctc_loss">>(), kComposite | kSizeIsData},
    {"aten::ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor", rule<&ctc_loss<"aten::_ctc_loss.Tensor">>(), kComposite | kSizeIsData},
    {"aten::multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=1) -> Tensor", rule<&multi_margin_loss>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "weight"}>},
    {"aten::multilabel_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", rule<&multilabel_margin_loss>(), kComposite},
    {"aten::multilabel_margin_loss_forward(Tensor self, Tensor target, int reduction) -> (Tensor output, Tensor is_target)", rule<&multilabel_margin_loss_forward>(), kByDecomp | kRealDerivative, derivative<Derivative{.differentiable_results = 0b1}>},
};
// clang-format on
}  // namespace
}  // namespace rules_of_margin_loss

std::span<const OpDef> margin_loss_rules() { return rules_of_margin_loss::kMarginLossRules; }

}  // namespace faketensor
