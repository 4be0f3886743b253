// Softmax and log_softmax: contiguous results, whatever the input's strides.
#include <cmath>

#include "core/ops/families/arithmetic.h"
#include "core/ops/families/into.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/families/reduction.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

using OptionalDType = std::optional<DType>;

// Mirrors softmax, torch/_meta_registrations.py.
Tensor* softmax_kernel(Call& c, const Tensor& self, int64_t, bool half_to_float) {
  c.check_as(ErrorKind::kAssertionError, !half_to_float || is_reduced_floating(self.dtype()),
             "half_to_float is True but x.dtype is {}, expected half or bfloat16", self.dtype());
  return c.empty(self.sizes(), half_to_float ? to_opmath(self.dtype()) : self.dtype());
}

// Maxima that may be of nothing, where only data can tell: beside an infinity that is below all.
// Mirrors _softmax_unbacked_safe_amax, torch/_decomp/decompositions.py.
Value maxima_along(Call& c, const Tensor& x, int64_t dim) {
  const DimVector dims = {dim};
  if (x.dim() == 0 || guard_or_false(x.size(dim) > 0)) return c.call<"aten::amax">(x, dims, true);
  DimVector sizes(x.sizes());
  sizes[static_cast<size_t>(wrap_dim(dim, x.dim()))] = 1;
  const Value least = c.call<"aten::new_full">(x, sizes, -HUGE_VAL);
  return c.call<"aten::amax">(c.call<"aten::cat">(c.tuple({x, least}), dim), dims, true);
}

Tensor& log_softmax_by_steps(Call& c, const Tensor& self, int64_t dim) {
  const DimVector dims = {dim};
  Tensor& dense = c.tensor<"aten::contiguous">(self);
  const Tensor& x = *cast_to(c, dense, computation_dtype(self.dtype()));
  const Value shifted = c.call<"aten::sub.Tensor">(x, maxima_along(c, x, dim));
  const Value sum = c.call<"aten::sum.dim_IntList">(c.call<"aten::exp">(shifted), dims, true);
  return c.tensor<"aten::sub.Tensor">(shifted, c.call<"aten::log">(sum));
}

// Mirrors _log_softmax, torch/_decomp/decompositions.py.
Tensor* log_softmax_kernel(Call& c, const Tensor& self, int64_t dim, bool half_to_float) {
  c.check_as(ErrorKind::kAssertionError, !half_to_float || self.dtype() == DType::kFloat16,
             "half_to_float is True but x.dtype is {}, expected torch.half", self.dtype());
  wrap_dim(dim, self.dim());
  c.check(!is_bool(self.dtype()),
          "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
          "`logical_xor()` operator instead.");
  const DType dtype = half_to_float ? to_opmath(self.dtype()) : self.dtype();
  check_reducible_rank(c, self.dim());
  if (has_symbolic_sizes(self)) return cast_to(c, log_softmax_by_steps(c, self, dim), dtype);
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

std::span<const OpDef> softmax_rules() { return kSoftmax; }

}  // namespace faketensor
