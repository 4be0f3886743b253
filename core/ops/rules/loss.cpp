// Losses.
//
// Many are CompositeImplicit: sums and products of other operators, so layouts and errors follow
// from those. `reduction` is 0 for none, 1 for mean, 2 for sum.
#include <algorithm>

#include "core/ops/families/arithmetic.h"
#include "core/ops/families/into.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/families/symbolic_sizes.h"
#include "core/ops/rules/tables.h"
#include "core/ops/variables.h"
#include "core/symbolic/cpp_comparison.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_loss {
namespace {
using enum Promotion;

constexpr int64_t kNone = 0;
constexpr int64_t kMean = 1;
constexpr int64_t kSum = 2;

// Mirrors apply_loss_reduction, aten/src/ATen/native/Loss.cpp.
Value reduced(Call& c, const Value& loss, int64_t reduction) {
  if (reduction == kMean) return c.call<"aten::mean">(loss);
  if (reduction == kSum) return c.call<"aten::sum">(loss);
  return loss;
}

// --- sums and products of the operands' differences ---

// A decomposition that computes in opmath precision and casts its result back
// (pw_cast_for_opmath, torch/_decomp/decompositions.py). Where it divides or takes a logarithm its
// loss is floating even for integers, and can be averaged.
Value cast_back(Call& c, Tensor* loss, int64_t reduction, bool is_inexact) {
  if (reduction != kMean && reduction != kSum) return loss;
  const DType dtype = loss->dtype();
  c.check(reduction != kMean || is_inexact || is_float_or_complex(dtype),
          "mean(): could not infer output dtype. Input dtype must be either a floating point or "
          "complex dtype. Got: {}",
          dtype);
  return c.empty({}, dtype);
}

void check_subtractable(Call& c, const Tensor& self, const Tensor& target) {
  c.check(!is_bool(self.dtype()) || !is_bool(target.dtype()),
          "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
          "`logical_xor()` operator instead.");
}

// Mirrors mse_loss, torch/_decomp/decompositions.py.
Value mse_loss(Call& c, const Tensor& self, const Tensor& target, int64_t reduction) {
  check_subtractable(c, self, target);
  return cast_back(c, arithmetic(c, self, target), reduction, false);
}

// Mirrors smooth_l1_loss, torch/_decomp/decompositions.py.
Value smooth_l1_loss(Call& c, const Tensor& self, const Tensor& target, int64_t reduction, double) {
  check_subtractable(c, self, target);
  return cast_back(c, arithmetic(c, self, target), reduction, true);
}

// Mirrors huber_loss, torch/_refs/nn/functional/__init__.py.
Value huber_loss(Call& c, const Tensor& self, const Tensor& target, int64_t reduction,
                 double delta) {
  c.check_as(ErrorKind::kValueError, reduction >= kNone && reduction <= kSum,
             "{} is not a valid value for reduction", reduction);
  c.check(delta > 0, "huber_loss does not support non-positive values for delta.");
  check_subtractable(c, self, target);
  return cast_back(c, arithmetic(c, self, target), reduction, true);
}

// Mirrors soft_margin_loss, torch/_decomp/decompositions.py.
Value soft_margin_loss(Call& c, const Tensor& self, const Tensor& target, int64_t reduction) {
  check_negatable(c, self);
  Tensor* negative = elementwise(c, c.args().first(1), kDefault);
  return cast_back(c, arithmetic(c, *negative, target), reduction, true);
}

// Mirrors l1_loss, aten/src/ATen/native/Loss.cpp.
Value l1_loss(Call& c, const Tensor& self, const Tensor& target, int64_t reduction) {
  Variables block(c);
  const Value difference = block.keep(c.call<"aten::sub.Tensor">(self, target));
  return reduced(c, c.call<"aten::abs">(difference), reduction);
}

// --- probabilities ---

// Mirrors binary_cross_entropy, torch/_decomp/decompositions.py.
Value binary_cross_entropy(Call& c, const Tensor& self, const Tensor& target, Tensor* weight,
                           int64_t reduction) {
  check_negatable(c, self);
  const Value all[] = {self, target, weight};
  const ElementwiseTypes types =
      elementwise_types(promoted_dtype(c, all), kDefault, c.context().default_dtype);
  const Value operands[] = {target, self};
  Tensor* loss = elementwise(c, operands, types.computation, types.result);
  if (weight != nullptr) {
    const Value factors[] = {loss, weight};
    loss = elementwise(c, factors, types.computation, types.result);
  }
  return cast_back(c, loss, reduction, true);
}

// Mirrors binary_cross_entropy_with_logits, torch/_decomp/decompositions.py.
Value binary_cross_entropy_with_logits(Call& c, const Tensor& self, const Tensor& target,
                                       Tensor* weight, Tensor* pos_weight, int64_t reduction) {
  Value log_likelihood = c.call<"aten::log_sigmoid">(self);
  const Value others = c.call<"aten::mul.Tensor">(c.call<"aten::rsub.Scalar">(target, 1), self);
  if (pos_weight != nullptr) {
    const Value extra =
        c.call<"aten::mul.Tensor">(c.call<"aten::sub.Tensor">(*pos_weight, 1), target);
    const Value log_weight = c.call<"aten::add.Tensor">(extra, 1);
    log_likelihood = c.call<"aten::mul.Tensor">(log_weight, log_likelihood);
  }
  Value loss = c.call<"aten::sub.Tensor">(others, log_likelihood);
  if (weight != nullptr) loss = c.call<"aten::mul.Tensor">(loss, *weight);
  return reduced(c, c.call<"aten::to.dtype">(loss, target.dtype()), reduction);
}

// Mirrors kl_div, aten/src/ATen/native/Loss.cpp.
Value kl_div(Call& c, const Tensor& self, const Tensor& target, int64_t reduction,
             bool log_target) {
  c.check(!is_complex(self.dtype()) && !is_complex(target.dtype()),
          "kl_div: Complex inputs not supported.");
  c.check(!is_integral_or_bool(self.dtype()) && !is_integral_or_bool(target.dtype()),
          "kl_div: Integral inputs not supported.");
  if (log_target) {
    const Value difference = c.call<"aten::sub.Tensor">(target, self);
    const Value output = c.call<"aten::mul.Tensor">(c.call<"aten::exp">(target), difference);
    return reduced(c, output, reduction);
  }
  const Value product = c.call<"aten::mul.Tensor">(target, self);
  const Value output =
      c.call<"aten::sub.Tensor">(c.call<"aten::xlogy.Tensor">(target, target), product);
  return reduced(c, output, reduction);
}

// target * log(target) - target + 0.5 * log(2 * pi * target), which is one statement, evaluated from
// the right.
Value stirling_term(Call& c, const Tensor& target) {
  Variables statement(c);
  const auto made = [&](const Value& value) { return statement.keep(value); };
  const Value circle = made(c.call<"aten::mul.Tensor">(target, 6.283185307179586));
  const Value half = made(c.call<"aten::mul.Tensor">(made(c.call<"aten::log">(circle)), 0.5));
  const Value log = made(c.call<"aten::log">(target));
  const Value product = made(c.call<"aten::mul.Tensor">(target, log));
  const Value difference = made(c.call<"aten::sub.Tensor">(product, target));
  return c.call<"aten::add.Tensor">(difference, half);
}

// Mirrors poisson_nll_loss, aten/src/ATen/native/Loss.cpp.
Value poisson_nll_loss(Call& c, const Tensor& self, const Tensor& target, bool log_input, bool full,
                       double eps, int64_t reduction) {
  // Operands are evaluated from the right, as the kernel's compiler does.
  Value loss;
  {
    Variables statement(c);
    if (log_input) {
      const Value scaled = c.call<"aten::mul.Tensor">(target, self);
      loss = c.call<"aten::sub.Tensor">(c.call<"aten::exp">(self), scaled);
    } else {
      const Value sum = statement.keep(c.call<"aten::add.Tensor">(self, eps));
      const Value log = statement.keep(c.call<"aten::log">(sum));
      loss = c.call<"aten::sub.Tensor">(self, c.call<"aten::mul.Tensor">(target, log));
    }
  }
  if (full) {
    const Value stirling = stirling_term(c, target);
    Variables statement(c);
    statement.keep(stirling);
    const Value small = statement.keep(c.call<"aten::le.Scalar">(target, 1));
    loss =
        c.call<"aten::add_.Tensor">(loss, c.call<"aten::masked_fill.Scalar">(stirling, small, 0));
  }
  return reduced(c, loss, reduction);
}

// --- distances and margins (CompositeImplicit) ---

// number - tensor, as C++ writes it: a filled tensor like `self`, from which `self` is taken.
Value number_minus(Call& c, double number, const Value& self) {
  const Value filled = c.call<"aten::fill_.Scalar">(c.call<"aten::empty_like">(self), number);
  return c.call<"aten::sub_.Tensor">(filled, self);
}

// Mirrors pairwise_distance, aten/src/ATen/native/Distance.cpp.
Value pairwise_distance(Call& c, const Tensor& x1, const Tensor& x2, double p, double eps,
                        bool keepdim) {
  const int64_t innermost = std::max(x1.dim(), x2.dim()) - 1;
  Variables block(c);
  const Value exact = block.keep(c.call<"aten::sub.Tensor">(x1, x2));
  const Value difference = c.call<"aten::add.Tensor">(exact, eps);
  return c.call<"aten::norm.ScalarOpt_dim">(difference, p, DimVector{innermost}, keepdim);
}

// Mirrors cosine_similarity, aten/src/ATen/native/Distance.cpp.
Value cosine_similarity(Call& c, const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  const DType common = result_type(c, c.args().first(2));
  c.check(is_floating(common), "expected common dtype to be floating point, yet common dtype is {}",
          info(common).cpp_name);
  const DimVector sizes = cpp_same(x1.sizes(), x2.sizes())
                              ? DimVector(x1.sizes())
                              : broadcast_shapes(x1.sizes(), x2.sizes());
  const DimVector dims = {dim};
  Variables block(c);
  const auto expanded = [&](const Tensor& x) {
    const Value floating =
        is_integral_or_bool(x.dtype()) ? c.call<"aten::to.dtype">(x, common) : Value(x);
    return block.keep(c.call<"aten::expand">(floating, sizes));
  };
  const auto norm_of = [&](const Value& x) {
    return block.keep(c.call<"aten::clone">(c.call<"aten::linalg_vector_norm">(x, 2, dims, true)));
  };
  const Value first = expanded(x1);
  const Value second = expanded(x2);
  const Value norm1 = norm_of(first);
  const Value norm2 = norm_of(second);
  c.call<"aten::clamp_min_">(norm1, eps);
  c.call<"aten::clamp_min_">(norm2, eps);
  const Value direction1 = block.keep(c.call<"aten::div.Tensor">(first, norm1));
  const Value direction2 = block.keep(c.call<"aten::div.Tensor">(second, norm2));
  return c.call<"aten::sum.dim_IntList">(c.call<"aten::mul.Tensor">(direction1, direction2), dims);
}

// Mirrors cosine_embedding_loss, aten/src/ATen/native/Loss.cpp.
Value cosine_embedding_loss(Call& c, const Tensor& x1, const Tensor& x2, const Tensor& target,
                            double margin, int64_t reduction) {
  const int64_t dim = target.dim();
  c.check(dim <= 1, "0D or 1D target tensor expected, multi-target not supported");
  c.check(x1.dim() == dim + 1,
          "{}D target tensor expects {}D input tensors, but found inputs with sizes {} and {}.",
          dim, dim + 1, x1.sizes(), x2.sizes());
  const DimVector dims = {dim};
  const auto dot = [&](const Tensor& a, const Tensor& b) {
    return c.call<"aten::sum.dim_IntList">(c.call<"aten::mul.Tensor">(a, b), dims);
  };
  const auto square = [&](const Tensor& x) {
    Variables statement(c);
    const Value product = statement.keep(c.call<"aten::mul.Tensor">(x, x));
    return c.call<"aten::add.Tensor">(c.call<"aten::sum.dim_IntList">(product, dims), 1e-12);
  };
  Variables block(c);
  const Value product = block.keep(dot(x1, x2));
  const Value square1 = block.keep(square(x1));
  const Value square2 = block.keep(square(x2));
  const Value denominator =
      block.keep(c.call<"aten::sqrt_">(c.call<"aten::mul.Tensor">(square1, square2)));
  const Value cosine = block.keep(c.call<"aten::div.Tensor">(product, denominator));
  const Value zeros = block.keep(c.call<"aten::zeros_like">(cosine));
  const Value positive = block.keep(number_minus(c, 1, cosine));
  const Value negative =
      block.keep(c.call<"aten::clamp_min_">(c.call<"aten::sub.Tensor">(cosine, margin), 0));
  const Value positive_output =
      block.keep(c.call<"aten::where.self">(c.call<"aten::eq.Scalar">(target, 1), positive, zeros));
  const Value negative_output = block.keep(
      c.call<"aten::where.self">(c.call<"aten::eq.Scalar">(target, -1), negative, zeros));
  const Value output = c.call<"aten::add.Tensor">(positive_output, negative_output);
  return reduced(c, output, reduction);
}

// Mirrors hinge_embedding_loss, aten/src/ATen/native/Loss.cpp.
Value hinge_embedding_loss(Call& c, const Tensor& self, const Tensor& target, double margin,
                           int64_t reduction) {
  Variables block(c);
  const Value zeros = block.keep(c.call<"aten::zeros_like">(self, nullptr, nullptr, nullptr,
                                                            nullptr, MemoryFormat::kContiguous));
  const Value clamped = block.keep(c.call<"aten::clamp_min_">(number_minus(c, margin, self), 0));
  const Value margin_output =
      block.keep(c.call<"aten::where.self">(c.call<"aten::ne.Scalar">(target, 1), clamped, zeros));
  const Value self_output =
      block.keep(c.call<"aten::where.self">(c.call<"aten::ne.Scalar">(target, -1), self, zeros));
  const Value output = c.call<"aten::add.Tensor">(margin_output, self_output);
  return reduced(c, output, reduction);
}

// Mirrors margin_ranking_loss, aten/src/ATen/native/Loss.cpp.
Value margin_ranking_loss(Call& c, const Tensor& x1, const Tensor& x2, const Tensor& target,
                          double margin, int64_t reduction) {
  Value sum;
  {
    Variables statement(c);
    const Value difference = statement.keep(c.call<"aten::sub.Tensor">(x1, x2));
    const Value opposite = statement.keep(c.call<"aten::neg">(target));
    const Value product = c.call<"aten::mul.Tensor">(opposite, difference);
    sum = c.call<"aten::add.Tensor">(product, margin);
  }
  const Value output = c.call<"aten::clamp_min_">(sum, 0);
  return reduced(c, output, reduction);
}

// Mirrors triplet_margin_loss, aten/src/ATen/native/Loss.cpp.
Value triplet_margin_loss(Call& c, const Tensor& anchor, const Tensor& positive,
                          const Tensor& negative, double margin, double p, double eps, bool swap,
                          int64_t reduction) {
  c.check(anchor.dim() == positive.dim() && positive.dim() == negative.dim(),
          "The anchor, positive, and negative tensors are expected to have the same number of "
          "dimensions, but got: anchor {}D, positive {}D, and negative {}D inputs",
          anchor.dim(), positive.dim(), negative.dim());
  const auto distance = [&](const Tensor& a, const Tensor& b) {
    return c.call<"aten::pairwise_distance">(a, b, p, eps);
  };
  Variables block(c);
  const Value near = block.keep(distance(anchor, positive));
  Value far = distance(anchor, negative);
  if (swap) far = c.call<"aten::min.other">(far, distance(positive, negative));
  block.keep(far);
  Value output;
  {
    Variables statement(c);
    const Value sum = statement.keep(c.call<"aten::add.Tensor">(near, margin));
    output = c.call<"aten::clamp_min">(c.call<"aten::sub.Tensor">(sum, far), 0);
  }
  return reduced(c, output, reduction);
}

// --- negative log likelihood, cross entropy ---

// What the two forward decompositions share (_nll_loss_forward, torch/_decomp/decompositions.py).
// Input is (N, C, ...) or (C), target (N, ...) or ().
Value nll_loss_forward_common(Call& c, const Tensor& self, const Tensor& target, Tensor* weight,
                              int64_t reduction, const Value& ignore_index) {
  const int64_t channel = self.dim() < 2 ? 0 : 1;
  Value input = self;
  Value weights;
  if (weight != nullptr) {
    weights = *weight;
    if (self.dim() > 1) {
      DimVector shape(static_cast<size_t>(self.dim()), SymInt(1));
      shape[1] = weight->size(0);
      weights = c.call<"aten::view">(*weight, shape);
    }
    input = c.call<"aten::mul.Tensor">(self, weights);
  }
  const Value counted = c.call<"aten::ne.Scalar">(target, ignore_index);
  const Value safe_target =
      c.call<"aten::unsqueeze">(c.call<"aten::where.ScalarOther">(counted, target, 0), channel);
  const auto gathered = [&](const Value& from) {
    return c.call<"aten::gather">(from, channel, safe_target);
  };
  const auto masked = [&](const Value& values) {
    return c.call<"aten::where.ScalarOther">(counted, c.call<"aten::squeeze.dim">(values, channel),
                                             0);
  };
  Value result = masked(c.call<"aten::neg">(gathered(input)));
  if (reduction == kNone && self.dim() > 1)
    return c.tuple({result, c.empty({}, input.tensor().dtype())});
  Value total;
  if (weight != nullptr) {
    total = c.call<"aten::sum">(
        masked(gathered(c.call<"aten::expand">(weights, DimVector(self.sizes())))));
  } else {
    total = c.call<"aten::to.dtype">(c.call<"aten::sum">(counted), self.dtype());
  }
  if (reduction == kSum) result = c.call<"aten::sum">(result);
  if (reduction == kMean) result = c.call<"aten::div.Tensor">(c.call<"aten::sum">(result), total);
  return c.tuple({result, total});
}

// Mirrors nll_loss_forward, torch/_decomp/decompositions.py.
Value nll_loss_forward(Call& c, const Tensor& self, const Tensor& target, Tensor* weight,
                       int64_t reduction, const Value& ignore_index) {
  c.check_as(ErrorKind::kAssertionError, self.dim() == 1 || self.dim() == 2,
             "input tensor should be 1D or 2D, got {}D", self.dim());
  c.check_as(ErrorKind::kAssertionError, target.dim() <= 1,
             "0D or 1D target tensor expected, multi-target not supported, got {}D", target.dim());
  if (self.dim() != 1 || target.dim() != 0) {
    c.check(self.size(0) == target.size(0),
            "size mismatch (got input: torch.Size({}), target: torch.Size({}))", self.sizes(),
            target.sizes());
  }
  const SymInt classes = self.size(-1);
  c.check_as(
      ErrorKind::kAssertionError,
      weight == nullptr || (weight->dim() == 1 && guard_bool(weight->numel() == classes)),
      "weight tensor should be defined either for all {} classes or no classes but got weight "
      "tensor of shape: torch.Size({})",
      classes, weight == nullptr ? Dims() : weight->sizes());
  return nll_loss_forward_common(c, self, target, weight, reduction, ignore_index);
}

// Mirrors nll_loss and nll_loss2d, aten/src/ATen/native/LossNLL.cpp.
template <FixedString functional, FixedString out>
Value first_of_forward(Call& c, uint64_t) {
  if (output_of(c) == nullptr) return c.forward<functional>(c.args())[0];
  SmallVector<Value, 8> args;
  for (const Value& arg : c.args()) args.push_back(arg);
  const Tensor& self = c.arg(0).tensor();
  args.push_back(Value(c.empty_on(self.device(), DimVector{0}, self.dtype())));  // total_weight
  return c.forward<out>(args.span())[0];
}

// Mirrors nll_loss_nd, aten/src/ATen/native/LossNLL.cpp: other ranks are seen as images.
Value nll_loss_nd(Call& c, const Tensor& self, const Tensor& target, const Value& weight,
                  int64_t reduction, const Value& ignore_index) {
  c.check_as(ErrorKind::kValueError, self.dim() >= 1, "Expected 1 or more dimensions (got {})",
             self.dim());
  if (self.dim() != 1) {
    const SymInt targets = target.dim() == 0 ? SymInt(0) : target.size(0);
    c.check_as(ErrorKind::kValueError, expect_true(self.size(0) == targets),
               "Expected input batch_size ({}) to match target batch_size ({}).", self.size(0),
               targets);
  }
  if (self.dim() <= 2)
    return c.call<"aten::nll_loss">(self, target, weight, reduction, ignore_index);
  if (self.dim() == 4)
    return c.call<"aten::nll_loss2d">(self, target, weight, reduction, ignore_index);
  const SymInt n = self.size(0);
  DimVector out_size(self.sizes());
  out_size.erase(1);
  c.check(target.dim() == self.dim() - 1 &&
              guard_equal(out_size.span().subspan(1), target.sizes().subspan(1)),
          "Expected target size {}, got {}", out_size.span(), target.sizes());
  const auto as_image = [&](const Tensor& from, DimVector sizes) {
    const bool is_empty = guard_bool(from.numel() == 0);
    sizes.push_back(is_empty ? 0 : 1);
    sizes.push_back(is_empty ? 0 : -1);
    return c.call<"aten::view">(c.call<"aten::contiguous">(from), sizes);
  };
  const Value image = as_image(self, {n, self.size(1)});
  const Value labels = as_image(target, {n});
  const Value loss = c.call<"aten::nll_loss2d">(image, labels, weight, reduction, ignore_index);
  return reduction == kNone ? c.call<"aten::view">(loss, out_size) : loss;
}

// The weights shaped to multiply an input of class dimension 1.
Value class_weights(Call& c, const Tensor& input, const Tensor& weight) {
  if (input.dim() <= 1) return weight;
  specialize_sizes(weight);
  DimVector shape(static_cast<size_t>(input.dim()), SymInt(1));
  shape[1] = weight.size(0);
  return c.call<"aten::view">(weight, shape);
}

Value negated(Call& c, const Value& value) { return c.call<"aten::neg">(value); }

// Mirrors cross_entropy_loss_prob_target, aten/src/ATen/native/LossNLL.cpp.
Value cross_entropy_of_probabilities(Call& c, const Tensor& self, const Tensor& target,
                                     Tensor* weight, int64_t reduction, double label_smoothing) {
  const int64_t class_dim = self.dim() == 1 ? 0 : 1;
  const SymInt classes = self.size(class_dim);
  c.check(weight == nullptr || (weight->dim() == 1 && guard_bool(weight->numel() == classes)),
          "cross_entropy: weight tensor should be defined either for all {} classes or no classes "
          "but got weight tensor of shape: {}",
          classes, weight == nullptr ? Dims() : weight->sizes());
  const Value input = c.call<"aten::log_softmax.int">(self, class_dim, self.dtype());
  Value smoothed = target;
  if (label_smoothing > 0) {
    c.check(label_smoothing <= 1, "label_smoothing must be between 0.0 and 1.0. Got: {}",
            label_smoothing);
    smoothed = c.call<"aten::add.Tensor">(c.call<"aten::mul.Tensor">(target, 1 - label_smoothing),
                                          label_smoothing);
  }
  Value product = c.call<"aten::mul.Tensor">(input, smoothed);
  if (weight != nullptr)
    product = c.call<"aten::mul.Tensor">(product, class_weights(c, input.tensor(), *weight));
  if (reduction == kNone)
    return negated(c, c.call<"aten::sum.dim_IntList">(product, DimVector{class_dim}));
  const Value sum = negated(c, c.call<"aten::sum">(product));
  return reduction == kSum ? sum : c.call<"aten::div.Tensor">(sum, 1);
}

// Mirrors cross_entropy_loss_label_smoothing, aten/src/ATen/native/LossNLL.cpp.
Value cross_entropy_smoothed(Call& c, const Tensor& self, const Tensor& target, Tensor* weight,
                             int64_t reduction, SymInt ignore_index, double label_smoothing) {
  const int64_t class_dim = self.dim() == 1 ? 0 : 1;
  const Value input = c.call<"aten::log_softmax.int">(self, class_dim, self.dtype());
  const Value likelihood =
      c.call<"aten::nll_loss_nd">(input, target, weight, reduction, ignore_index);
  const Value weighted = weight == nullptr ? input
                                           : c.call<"aten::mul.Tensor">(
                                                 input, class_weights(c, input.tensor(), *weight));
  Value smooth = negated(c, c.call<"aten::sum.dim_IntList">(weighted, DimVector{class_dim}));
  const Value ignored = c.call<"aten::eq.Scalar">(target, ignore_index);
  smooth = c.call<"aten::masked_fill_.Scalar">(smooth, ignored, 0.0);
  if (reduction == kSum) smooth = c.call<"aten::sum">(smooth);
  if (reduction == kMean) {
    Value count = c.call<"aten::bitwise_not">(ignored);
    if (weight != nullptr) {
      const Value safe = c.call<"aten::masked_fill.Scalar">(target, ignored, 0);
      const Value picked =
          c.call<"aten::gather">(*weight, 0, c.call<"aten::flatten.using_ints">(safe));
      count = c.call<"aten::masked_fill_.Scalar">(picked,
                                                  c.call<"aten::flatten.using_ints">(ignored), 0);
    }
    const Value weights = c.call<"aten::sum">(count);
    smooth = c.call<"aten::div.Tensor">(c.call<"aten::sum">(smooth), weights);
  }
  const Value smoothed = c.call<"aten::mul.Tensor">(smooth, label_smoothing);
  return c.call<"aten::add.Tensor">(c.call<"aten::mul.Tensor">(likelihood, 1 - label_smoothing),
                                    smoothed);
}

// Mirrors cross_entropy_loss, aten/src/ATen/native/LossNLL.cpp.
Value cross_entropy_loss(Call& c, const Tensor& self, const Tensor& target, Tensor* weight,
                         int64_t reduction, SymInt ignore_index, double label_smoothing) {
  if (cpp_same(self.sizes(), target.sizes())) {
    c.check(is_floating(target.dtype()),
            "Expected floating point type for target with class probabilities, got {}",
            info(target.dtype()).cpp_name);
    c.check(ignore_index < 0, "ignore_index is not supported for floating point target");
    return cross_entropy_of_probabilities(c, self, target, weight, reduction, label_smoothing);
  }
  if (label_smoothing > 0) {
    c.check(label_smoothing <= 1, "label_smoothing must be between 0.0 and 1.0. Got: {}",
            label_smoothing);
    return cross_entropy_smoothed(c, self, target, weight, reduction, ignore_index,
                                  label_smoothing);
  }
  const int64_t class_dim = self.dim() == 1 ? 0 : 1;
  const Value input = c.call<"aten::log_softmax.int">(self, class_dim, self.dtype());
  return c.call<"aten::nll_loss_nd">(input, target, weight, reduction, ignore_index);
}

// clang-format off
constexpr OpDef kLoss[] = {
    {"aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor", rule<&binary_cross_entropy>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "weight"}>},
    {"aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=1) -> Tensor", rule<&binary_cross_entropy_with_logits>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "weight,pos_weight"}>},
    {"aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor", rule<&cosine_embedding_loss>(), kComposite},
    {"aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor", rule<&cosine_similarity>(), kComposite},
    {"aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100, float label_smoothing=0.) -> Tensor", rule<&cross_entropy_loss>(), kComposite},
    {"aten::hinge_embedding_loss(Tensor self, Tensor target, float margin=1., int reduction=1) -> Tensor", rule<&hinge_embedding_loss>(), kComposite},
    {"aten::huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor", rule<&huber_loss>(), kByRef | kRealDerivative},
    {"aten::kl_div(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) -> Tensor", rule<&kl_div>(), kComposite},
    {"aten::l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", rule<&l1_loss>(), kComposite},
    {"aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor", rule<&margin_ranking_loss>(), kComposite},
    {"aten::mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", rule<&mse_loss>(), kByDecomp | kRealDerivative},
    {"aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor", {&first_of_forward<"aten::nll_loss_forward", "aten::nll_loss_forward.output">}, kComposite},
    {"aten::nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor", {&first_of_forward<"aten::nll_loss2d_forward", "aten::nll_loss2d_forward.output">}, kComposite},
    {"aten::nll_loss2d_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)", rule<&nll_loss_forward_common>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "weight", .differentiable_results = 0b1}>},
    {"aten::nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)", rule<&nll_loss_forward>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "weight", .differentiable_results = 0b1}>},
    {"aten::nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor", rule<&nll_loss_nd>(), kComposite},
    {"aten::pairwise_distance(Tensor x1, Tensor x2, float p=2., float eps=9.9999999999999995e-07, bool keepdim=False) -> Tensor", rule<&pairwise_distance>(), kComposite},
    {"aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor", rule<&poisson_nll_loss>(), kComposite},
    {"aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.) -> Tensor", rule<&smooth_l1_loss>(), kByDecomp | kRealDerivative},
    {"aten::soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", rule<&soft_margin_loss>(), kByDecomp | kRealDerivative, derivative<Derivative{.without_formula = "target"}>},
    {"aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1., float p=2., float eps=9.9999999999999995e-07, bool swap=False, int reduction=1) -> Tensor", rule<&triplet_margin_loss>(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_loss

std::span<const OpDef> loss_rules() { return rules_of_loss::kLoss; }

}  // namespace faketensor
