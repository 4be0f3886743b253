// Softmax and log_softmax: contiguous results, whatever the input's strides.
#include <cmath>

#include "core/ops/families/arithmetic.h"
#include "core/ops/families/into.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/families/reduction.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/ops/steps/steps.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_softmax {
namespace {

using OptionalDType = std::optional<DType>;

// Mirrors softmax, torch/_meta_registrations.py.
Tensor* softmax_kernel(Call& c, const Tensor& self, int64_t, bool half_to_float) {
  c.check_as(ErrorKind::kAssertionError, !half_to_float || is_reduced_floating(self.dtype()),
             "half_to_float is True but x.dtype is {}, expected half or bfloat16", self.dtype());
  return c.empty(self.sizes(), half_to_float ? to_opmath(self.dtype()) : self.dtype());
}

// Mirrors _log_softmax, torch/_decomp/decompositions.py.
Value log_softmax_kernel(Call& c, const Tensor& self, int64_t dim, bool half_to_float) {
  c.check_as(ErrorKind::kAssertionError, !half_to_float || self.dtype() == DType::kFloat16,
             "half_to_float is True but x.dtype is {}, expected torch.half", self.dtype());
  wrap_dim(dim, self.dim());
  c.check(!is_bool(self.dtype()),
          "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
          "`logical_xor()` operator instead.");
  const DType dtype = half_to_float ? to_opmath(self.dtype()) : self.dtype();
  check_reducible_rank(c, self.dim());
  if (has_symbolic_sizes(self)) return run_steps(c.context(), c.op(), c.args());
  if (!self.is_contiguous() || has_plain_layout(self)) return c.empty(self.sizes(), dtype);
  // Contiguous, but with odd strides of dimensions of size 1, which two differences may keep.
  const Value input = self;
  const ReferenceSteps steps(c, {&input, 1}, Promotion::kNoOpmath);
  const DimSet dims = DimSet::of(wrap_dim(dim, self.dim()));
  const Value reduced = reduce(c, self, dims, true, self.dtype());
  const Tensor& result = steps.of(steps.of(input, reduced), reduced).tensor();
  return c.empty_strided(result.sizes(), result.strides(), dtype);
}

// Mirrors softmax and log_softmax, aten/src/ATen/native/SoftMax.cpp: a conversion, then the kernel.
template <FixedString kernel, FixedString out>
Value of_dtype(Call& c, const Tensor& self, int64_t dim, OptionalDType dtype) {
  const bool half_to_float =
      self.device().is_cuda() && self.dtype() == DType::kFloat16 && dtype == DType::kFloat32;
  if (half_to_float) return call_into<kernel, out>(c, self, dim, true);
  const Value converted = dtype ? c.call<"aten::to.dtype">(self, *dtype) : Value(self);
  return call_into<kernel, out>(c, converted, dim, false);
}

// Mirrors safe_softmax, torch/_decomp/decompositions.py: rows of -inf give zeros.
Value safe_softmax(Call& c, const Tensor& self, int64_t dim, OptionalDType dtype) {
  const Value out = c.call<"aten::softmax.int">(self, dim, dtype);
  const Value masked = c.call<"aten::eq.Scalar">(self, -__builtin_inf());
  const Value rows = c.call<"aten::all.dim">(masked, dim, true);
  return c.call<"aten::where.self">(rows, c.call<"aten::zeros_like">(out), out);
}

// clang-format off
constexpr OpDef kSoftmax[] = {
    {"aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", rule<&log_softmax_kernel>(), kByDecomp | kRealDerivative},
    {"aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", rule<&safe_softmax>(), kByDecomp | kRealDerivative},
    {"aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", rule<&softmax_kernel>(), kRealDerivative},
    {"aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", rule<&of_dtype<"aten::_log_softmax", "aten::_log_softmax.out">>(), kComposite},
    {"aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", rule<&of_dtype<"aten::_softmax", "aten::_softmax.out">>(), kComposite},
    {"aten::special_log_softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", same_as<"aten::log_softmax.int">(), kComposite},
    {"aten::special_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", same_as<"aten::softmax.int">(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_softmax

std::span<const OpDef> softmax_rules() { return rules_of_softmax::kSoftmax; }

}  // namespace faketensor
