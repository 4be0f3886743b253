// Elementwise operators of three operands.
#include "core/ops/families/copy.h"
#include "core/ops/families/on_meta.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace rules_of_pointwise_ternary {
namespace {
using enum Promotion;

// Mirrors addcdiv, torch/_meta_registrations.py.
Tensor* addcdiv(Call& c, const Tensor&, const Tensor& tensor1, const Tensor& tensor2) {
  c.check(!is_integral(tensor1.dtype()) || !is_integral(tensor2.dtype()),
          "('Integer division with addcdiv is no longer supported, and in a future ', 'release "
          "addcdiv will perform a true division of tensor1 and tensor2. ', 'The historic addcdiv "
          "behavior can be implemented as ', '(input + value * torch.trunc(tensor1 / "
          "tensor2)).to(input.dtype) ', 'for integer inputs and as ', '(input + value * tensor1 / "
          "tensor2) for float inputs. ', 'The future addcdiv behavior is just the latter "
          "implementation: ', '(input + value * tensor1 / tensor2), for all dtypes.')");
  return elementwise_meta(c, c.args().first(3), kNoOpmath);
}

// Mirrors lerp, torch/_meta_registrations.py.
Tensor* lerp(Call& c, const Tensor& self, const Tensor& end, const Value& weight) {
  c.check(self.dtype() == end.dtype(), "expected dtype {} for `end`, but got dtype {}",
          self.dtype(), end.dtype());
  const bool is_tensor = weight.is_tensor() && !weight.tensor().is_wrapped_number;
  c.check(!is_tensor || weight.tensor().dim() == 0 || weight.tensor().dtype() == self.dtype(),
          "expected dtype {} for `weight`, but got dtype {}", self.dtype(),
          is_tensor ? weight.tensor().dtype() : self.dtype());
  return elementwise_meta(c, c.args().first(is_tensor ? 3 : 2), kNoOpmath);
}

// Mirrors _register_inplace_meta, torch/_meta_registrations.py: any dtype, but no other shape.
template <FixedString name>
Value inplace(Call& c, uint64_t) {
  Tensor& self = c.arg(0).tensor();
  {
    const OnMeta scope(c.context(), c.args());
    check_inplace_broadcast(c, self, c.forward<name>(c.args()).tensor());
  }
  return written(c, self);
}

// clang-format off
constexpr OpDef kPointwiseTernary[] = {
    {"aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", rule<&addcdiv>()},
    {"aten::addcdiv_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)", {&inplace<"aten::addcdiv">}},
    {"aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", ternary({.promote = kNoOpmath, .on_meta = true})},
    {"aten::addcmul_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)", {&inplace<"aten::addcmul">}},
    {"aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor", rule<&lerp>()},
    {"aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor", rule<&lerp>()},
    {"aten::lerp_.Scalar(Tensor(a!) self, Tensor end, Scalar weight) -> Tensor(a!)", {&inplace<"aten::lerp.Scalar">}},
    {"aten::lerp_.Tensor(Tensor(a!) self, Tensor end, Tensor weight) -> Tensor(a!)", {&inplace<"aten::lerp.Tensor">}},
};
// clang-format on
}  // namespace
}  // namespace rules_of_pointwise_ternary

std::span<const OpDef> pointwise_ternary_rules() {
  return rules_of_pointwise_ternary::kPointwiseTernary;
}

}  // namespace faketensor
