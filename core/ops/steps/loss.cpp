// Losses: torch/_decomp/decompositions.py, torch/_refs/nn/functional/__init__.py.
#include "core/ops/families/operand.h"
#include "core/ops/families/view.h"
#include "core/ops/steps/reference.h"
#include "core/ops/steps/tables.h"

namespace faketensor {

namespace steps_of_loss {
namespace {

enum Reduction : int64_t { kNone, kMean, kSum };

Operand reduced(const Operand& loss, int64_t reduction) {
  if (reduction == kMean) return loss.op<"aten::mean">();
  if (reduction == kSum) return loss.op<"aten::sum">();
  return loss;
}
Operand square(const Operand& a) { return a.op<"aten::pow.Tensor_Scalar">(2); }

Value mse_loss(Call& c, const Tensor& self, const Tensor& target, int64_t reduction) {
  const OpmathCast cast(c, {self, target});
  const Operand input = cast(self);
  return cast.back(reduced(square(input - cast(target)), reduction));
}

Value smooth_l1_loss(Call& c, const Tensor& self, const Tensor& target, int64_t reduction,
                     double beta) {
  const OpmathCast cast(c, {self, target});
  const Operand input = cast(self);
  const Operand loss = (input - cast(target)).op<"aten::abs">();
  const Operand is_near = loss < beta;
  const Operand near = square(loss) * 0.5 / beta;
  return cast.back(reduced(where(is_near, near, loss - 0.5 * beta), reduction));
}

Value huber_loss(Call& c, const Tensor& self, const Tensor& target, int64_t reduction,
                 double delta) {
  const Promoted types(c, {self, target}, Promotion::kDefault);
  const Operand input(c, types.cast(self));
  const Operand z = (input - Operand(c, types.cast(target))).op<"aten::abs">();
  const Operand is_near = z < delta;
  const Operand near = z * 0.5 * z;
  return types.back(reduced(where(is_near, near, (z - 0.5 * delta) * delta), reduction));
}

Value soft_margin_loss(Call& c, const Tensor& self, const Tensor& target, int64_t reduction) {
  const OpmathCast cast(c, {self, target});
  const Operand input = cast(self);
  const Operand y = cast(target);
  const Operand loss = (-input * y).op<"aten::exp">().op<"aten::log1p">();
  return cast.back(reduced(loss, reduction));
}

Value binary_cross_entropy(Call& c, const Tensor& self, const Tensor& target, Tensor* weight,
                           int64_t reduction) {
  const OpmathCast cast(c, {self, target, weight});
  const Operand p = cast(self);
  const Operand y = cast(target);
  const Operand scale = weight == nullptr ? p : cast(*weight);
  const auto bounded = [&](const Operand& log) {
    const Operand floor =
        p.op<"aten::new_full">(DimVector(), -100, nullptr, nullptr, nullptr, false);
    return log.op<"aten::maximum">(floor);
  };
  const Operand others = y - 1;
  const Operand first = others * bounded((-p).op<"aten::log1p">());
  const Operand second = y * bounded(p.op<"aten::log">());
  Operand loss = first - second;
  if (weight != nullptr) loss = loss * scale;
  return cast.back(reduced(loss, reduction));
}

Value binary_cross_entropy_with_logits(Call& c, const Tensor& self, const Tensor& target,
                                       Tensor* weight, Tensor* pos_weight, int64_t reduction) {
  const Operand x(c, self);
  const Operand y(c, target);
  Operand loss = x;
  if (pos_weight != nullptr) {
    const Operand log_weight = (Operand(c, *pos_weight) - 1) * y + 1;
    const Operand others = (1 - y) * x;
    loss = others - log_weight * x.op<"aten::log_sigmoid">();
  } else {
    const Operand others = (1 - y) * x;
    loss = others - x.op<"aten::log_sigmoid">();
  }
  if (weight != nullptr) loss = loss * Operand(c, *weight);
  return reduced(loss.to(target.dtype()), reduction);
}

// Mirrors _nll_loss_forward: the targets' entries, where they are not ignored.
Value nll_loss(Call& c, const Tensor& given, const Tensor& target, Tensor* weight,
               int64_t reduction, SymInt ignore_index) {
  const int64_t channel = given.dim() < 2 ? 0 : 1;
  Operand self(c, given);
  const Operand labels(c, target);
  Operand w = self;
  if (weight != nullptr) {
    w = Operand(c, *weight);
    if (given.dim() > 1) {
      DimVector shape(given.sizes().size(), SymInt(1));
      shape[static_cast<size_t>(channel)] = weight->size(0);
      w = w.view(shape);
    }
    self = self * w;
  }
  const auto kept = [&](const Operand& value) {
    return where(labels.op<"aten::ne.Scalar">(ignore_index), value, 0);
  };
  const Operand places = kept(labels).unsqueeze(channel);
  const auto chosen = [&](const Operand& of) {
    return of.op<"aten::gather">(channel, places).op<"aten::squeeze.dim">(channel);
  };
  Operand result = kept(-chosen(self));
  if (reduction == kNone && given.dim() > 1) {
    const Value none =
        self.op<"aten::new_full">(DimVector(), 0.0, nullptr, nullptr, nullptr, false);
    return c.tuple({result, none});
  }
  Operand total = result;
  if (weight != nullptr) {
    total = kept(chosen(w.op<"aten::expand">(self.tensor().sizes()))).op<"aten::sum">();
  } else {
    const Operand count = labels.op<"aten::ne.Scalar">(ignore_index).op<"aten::sum">();
    total = count.op<"aten::to.dtype_layout">(self.tensor().dtype(), self.tensor().layout(),
                                              self.tensor().device());
  }
  if (reduction == kSum) result = result.op<"aten::sum">();
  if (reduction == kMean) result = result.op<"aten::sum">() / total;
  return c.tuple({result, total});
}

// clang-format off
constexpr StepsDef kLossSteps[] = {
    {"aten::binary_cross_entropy", rule<&binary_cross_entropy>()},
    {"aten::binary_cross_entropy_with_logits", rule<&binary_cross_entropy_with_logits>()},
    {"aten::huber_loss", rule<&huber_loss>()},
    {"aten::mse_loss", rule<&mse_loss>()},
    {"aten::nll_loss2d_forward", rule<&nll_loss>()},
    {"aten::nll_loss_forward", rule<&nll_loss>()},
    {"aten::smooth_l1_loss", rule<&smooth_l1_loss>()},
    {"aten::soft_margin_loss", rule<&soft_margin_loss>()},
};
// clang-format on

}  // namespace
}  // namespace steps_of_loss

std::span<const StepsDef> loss_steps() { return steps_of_loss::kLossSteps; }

}  // namespace faketensor
