// Comparisons, logical operators and what chooses by a condition: where, masked_fill, isin.
#include "core/ops/families/copy.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_comparison {
namespace {
using enum Promotion;

consteval Rule compare() { return binary({.promote = kAlwaysBool}); }

// Mirrors logical_and, logical_or and logical_xor, torch/_refs/__init__.py: operands that are not
// bool are compared to 0 first.
Value logical(Call& c, const Value& self, const Value& other) {
  const ReferenceSteps steps(c, c.args().first(2), kAlwaysBool);
  if (is_bool(steps.computation())) return elementwise(c, c.args().first(2), kAlwaysBool);
  Value a = self;
  Value b = other;
  steps.expand(a, b);
  const auto truth = [&](const Value& operand) {
    return operand.is_tensor() && !operand.tensor().is_wrapped_number ? steps.truth(operand)
                                                                      : operand;
  };
  const Value first = truth(a);
  return steps.both(first, truth(b));
}

// Mirrors meta_binop_inplace, torch/_meta_registrations.py.
Value logical_inplace(Call& c, Tensor& self, const Tensor& other) {
  if (!other.is_wrapped_number) check_inplace_broadcast(c, self, other);
  return written(c, self);
}

// Mirrors where, torch/_refs/__init__.py.
Tensor* where(Call& c, const Tensor& condition, const Value& self, const Value& other) {
  c.check(is_bool(condition.dtype()), "expected predicate to be bool, got {}", condition.dtype());
  const Value values[] = {self, other};
  return elementwise_if(c, condition, values, kNoOpmath);
}

// Mirrors where (the overloads with a Scalar), aten/src/ATen/native/TensorCompare.cpp: numbers
// become tensors of the promoted dtype on the condition's device.
Value where_scalars(Call& c, const Tensor& condition, const Value& self, const Value& other) {
  const Value values[] = {self, other};
  const DType dtype = result_type(c, values);
  const auto convert = [&](const Value& value) -> Value {
    if (value.is_tensor()) return c.call<"aten::to.dtype">(value, dtype);
    return c.call<"aten::scalar_tensor">(value, dtype, Layout::kStrided, condition.device());
  };
  const Value chosen = convert(self);
  return c.call<"aten::where.self">(condition, chosen, convert(other));
}

// Mirrors masked_fill, torch/_refs/__init__.py: a choice, made contiguous.
Tensor* masked_fill(Call& c, const Tensor& self, const Tensor& mask, const Value& value) {
  DType value_dtype = number_dtype(value);
  if (value.is_tensor()) {
    const Tensor& filler = value.tensor();
    c.check(filler.dim() == 0,
            "only supports a 0-dimensional value tensor, but got tensor with {} dimension",
            filler.dim());
    const bool is_cpu_scalar = self.device().is_cuda() && filler.device().is_cpu();
    // A kernel sees the meta device everywhere.
    c.check(is_cpu_scalar || filler.device() == self.device() || !has_symbolic_sizes(c),
            "Expected `value` to be on same device as `a`");
    value_dtype = filler.dtype();
  }
  c.check(!is_complex(value_dtype) || is_complex(self.dtype()),
          "could not convert to type {} without overflow", python_type(self.dtype()));
  c.check(is_bool(mask.dtype()), "expected predicate to be bool, got {}", mask.dtype());
  const Value choices[] = {c.empty({}, self.dtype()), self};
  Tensor* filled = elementwise_if(c, mask, choices, {self.dtype(), self.dtype()});
  return filled->is_contiguous() ? filled : c.empty(filled->sizes(), self.dtype());
}

// Mirrors meta_masked_fill_, torch/_meta_registrations.py.
Value masked_fill_inplace(Call& c, Tensor& self, const Tensor& mask, const Value&) {
  check_inplace_broadcast(c, self, mask);
  return written(c, self);
}

// Mirrors masked_fill_, torch/_refs/__init__.py.
Value masked_fill_tensor_inplace(Call& c, Tensor& self, const Tensor& mask, const Value& value) {
  c.call<"aten::copy_">(self, masked_fill(c, self, mask, value));
  return written(c, self);
}

// Mirrors meta_isin, torch/_meta_registrations.py.
Tensor* isin(Call& c, const Value& elements, const Value& tests) {
  for (const Value& side : {elements, tests}) {
    const DType dtype = side.is_tensor() ? side.tensor().dtype() : number_dtype(side);
    c.check(!is_bool(dtype) && dtype != DType::kComplex64 && dtype != DType::kComplex128,
            "Unsupported input type encountered for isin(): {}", dtype);
  }
  if (!elements.is_tensor()) return c.empty({}, DType::kBool);
  const Tensor& tensor = elements.tensor();
  return c.empty_permuted(tensor.sizes(), dense_strides_like(tensor.sizes(), tensor.strides()),
                          DType::kBool, c.device());
}

// clang-format off
constexpr OpDef kComparison[] = {
    {"aten::eq.Scalar(Tensor self, Scalar other) -> Tensor", compare(), kInplace | kByRef | kRealDerivative | kNoDerivative},
    {"aten::eq.Tensor(Tensor self, Tensor other) -> Tensor", compare(), kInplace | kByRef | kRealDerivative | kNoDerivative},
    {"aten::ge.Scalar(Tensor self, Scalar other) -> Tensor", compare(), kInplace | kByRef | kRealDerivative | kNoDerivative},
    {"aten::ge.Tensor(Tensor self, Tensor other) -> Tensor", compare(), kInplace | kByRef | kRealDerivative | kNoDerivative},
    {"aten::greater.Scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::gt.Scalar">(), kComposite},
    {"aten::greater.Tensor(Tensor self, Tensor other) -> Tensor", same_as<"aten::gt.Tensor">(), kComposite},
    {"aten::greater_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", same_as<"aten::gt_.Scalar">(), kComposite},
    {"aten::greater_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", same_as<"aten::gt_.Tensor">(), kComposite},
    {"aten::greater_equal.Scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::ge.Scalar">(), kComposite},
    {"aten::greater_equal.Tensor(Tensor self, Tensor other) -> Tensor", same_as<"aten::ge.Tensor">(), kComposite},
    {"aten::greater_equal_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", same_as<"aten::ge_.Scalar">(), kComposite},
    {"aten::greater_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", same_as<"aten::ge_.Tensor">(), kComposite},
    {"aten::gt.Scalar(Tensor self, Scalar other) -> Tensor", compare(), kInplace | kByRef | kRealDerivative | kNoDerivative},
    {"aten::gt.Tensor(Tensor self, Tensor other) -> Tensor", compare(), kInplace | kByRef | kRealDerivative | kNoDerivative},
    {"aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor", rule<&isin>()},
    {"aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor", rule<&isin>()},
    {"aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor", rule<&isin>()},
    {"aten::le.Scalar(Tensor self, Scalar other) -> Tensor", compare(), kInplace | kByRef | kRealDerivative | kNoDerivative},
    {"aten::le.Tensor(Tensor self, Tensor other) -> Tensor", compare(), kInplace | kByRef | kRealDerivative | kNoDerivative},
    {"aten::less.Scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::lt.Scalar">(), kComposite},
    {"aten::less.Tensor(Tensor self, Tensor other) -> Tensor", same_as<"aten::lt.Tensor">(), kComposite},
    {"aten::less_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", same_as<"aten::lt_.Scalar">(), kComposite},
    {"aten::less_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", same_as<"aten::lt_.Tensor">(), kComposite},
    {"aten::less_equal.Scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::le.Scalar">(), kComposite},
    {"aten::less_equal.Tensor(Tensor self, Tensor other) -> Tensor", same_as<"aten::le.Tensor">(), kComposite},
    {"aten::less_equal_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", same_as<"aten::le_.Scalar">(), kComposite},
    {"aten::less_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", same_as<"aten::le_.Tensor">(), kComposite},
    {"aten::logical_and(Tensor self, Tensor other) -> Tensor", rule<&logical>(), kByRef},
    {"aten::logical_and_(Tensor(a!) self, Tensor other) -> Tensor(a!)", rule<&logical_inplace>()},
    {"aten::logical_or(Tensor self, Tensor other) -> Tensor", rule<&logical>(), kByRef},
    {"aten::logical_or_(Tensor(a!) self, Tensor other) -> Tensor(a!)", rule<&logical_inplace>()},
    {"aten::logical_xor(Tensor self, Tensor other) -> Tensor", rule<&logical>(), kByRef},
    {"aten::logical_xor_(Tensor(a!) self, Tensor other) -> Tensor(a!)", rule<&logical_inplace>()},
    {"aten::lt.Scalar(Tensor self, Scalar other) -> Tensor", compare(), kInplace | kByRef | kRealDerivative | kNoDerivative},
    {"aten::lt.Tensor(Tensor self, Tensor other) -> Tensor", compare(), kInplace | kByRef | kRealDerivative | kNoDerivative},
    {"aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor", rule<&masked_fill>(), kByRef},
    {"aten::masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor", rule<&masked_fill>(), kByRef},
    {"aten::masked_fill_.Scalar(Tensor(a!) self, Tensor mask, Scalar value) -> Tensor(a!)", rule<&masked_fill_inplace>()},
    {"aten::masked_fill_.Tensor(Tensor(a!) self, Tensor mask, Tensor value) -> Tensor(a!)", rule<&masked_fill_tensor_inplace>(), kByRef},
    {"aten::ne.Scalar(Tensor self, Scalar other) -> Tensor", compare(), kInplace | kByRef | kRealDerivative | kNoDerivative},
    {"aten::ne.Tensor(Tensor self, Tensor other) -> Tensor", compare(), kInplace | kByRef | kRealDerivative | kNoDerivative},
    {"aten::not_equal.Scalar(Tensor self, Scalar other) -> Tensor", same_as<"aten::ne.Scalar">(), kComposite},
    {"aten::not_equal.Tensor(Tensor self, Tensor other) -> Tensor", same_as<"aten::ne.Tensor">(), kComposite},
    {"aten::not_equal_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", same_as<"aten::ne_.Scalar">(), kComposite},
    {"aten::not_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", same_as<"aten::ne_.Tensor">(), kComposite},
    {"aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor", rule<&where_scalars>(), kComposite},
    {"aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor", rule<&where_scalars>(), kComposite},
    {"aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor", rule<&where_scalars>(), kComposite},
    {"aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor", rule<&where>(), kByRef},
};
// clang-format on
}  // namespace
}  // namespace rules_of_comparison

std::span<const OpDef> comparison_rules() { return rules_of_comparison::kComparison; }

}  // namespace faketensor
