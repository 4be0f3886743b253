// Elementwise operators of three operands.
#include "core/ops/families/pointwise.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

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
  return elementwise(c, c.args().first(3), kNoOpmath);
}

// Mirrors lerp, torch/_meta_registrations.py.
Tensor* lerp(Call& c, const Tensor& self, const Tensor& end, const Value& weight) {
  c.check(self.dtype() == end.dtype(), "expected dtype {} for `end`, but got dtype {}",
          self.dtype(), end.dtype());
  const bool is_tensor = weight.is_tensor() && !weight.tensor().is_wrapped_number;
  c.check(!is_tensor || weight.tensor().dim() == 0 || weight.tensor().dtype() == self.dtype(),
          "expected dtype {} for `weight`, but got dtype {}", self.dtype(),
          is_tensor ? weight.tensor().dtype() : self.dtype());
  return elementwise(c, c.args().first(is_tensor ? 3 : 2), kNoOpmath);
}

// clang-format off
constexpr OpDef kPointwiseTernary[] = {
    {"aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", rule<&addcdiv>(), kInplace},
    {"aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", ternary({.promote = kNoOpmath}), kInplace},
    {"aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor", rule<&lerp>(), kInplace},
    {"aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor", rule<&lerp>(), kInplace},
};
// clang-format on
}  // namespace

std::span<const OpDef> pointwise_ternary_rules() { return kPointwiseTernary; }

}  // namespace faketensor
