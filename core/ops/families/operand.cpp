#include "core/ops/families/operand.h"

#include <span>

#include "core/ops/families/pointwise.h"

namespace faketensor {

Operand operator+(const Operand& a, const Operand& b) {
  return a.is_tensor() ? a.op<"aten::add.Tensor">(b.value_) : b.op<"aten::add.Tensor">(a.value_);
}

Operand operator-(const Operand& a, const Operand& b) {
  return a.is_tensor() ? a.op<"aten::sub.Tensor">(b.value_) : b.op<"aten::rsub.Scalar">(a.value_);
}

Operand operator*(const Operand& a, const Operand& b) {
  return a.is_tensor() ? a.op<"aten::mul.Tensor">(b.value_) : b.op<"aten::mul.Tensor">(a.value_);
}

// number / tensor is tensor.reciprocal() * number (Tensor.__rdiv__).
Operand operator/(const Operand& a, const Operand& b) {
  return a.is_tensor() ? a.op<"aten::div.Tensor">(b.value_)
                       : b.op<"aten::reciprocal">().op<"aten::mul.Tensor">(a.value_);
}

Operand operator<(const Operand& a, const Operand& b) { return a.op<"aten::lt.Scalar">(b.value_); }
Operand operator<=(const Operand& a, const Operand& b) { return a.op<"aten::le.Scalar">(b.value_); }
Operand operator>(const Operand& a, const Operand& b) { return a.op<"aten::gt.Scalar">(b.value_); }
Operand operator>=(const Operand& a, const Operand& b) { return a.op<"aten::ge.Scalar">(b.value_); }

Operand where(const Operand& condition, const Operand& a, const Operand& b) {
  if (!a.is_tensor()) {
    return b.is_tensor() ? condition.op<"aten::where.ScalarSelf">(a.value_, b.value_)
                         : condition.op<"aten::where.Scalar">(a.value_, b.value_);
  }
  return b.is_tensor() ? condition.op<"aten::where.self">(a.value_, b.value_)
                       : condition.op<"aten::where.ScalarOther">(a.value_, b.value_);
}

OpmathCast::OpmathCast(Call& call, std::initializer_list<Value> tensors)
    : call_(call),
      types_(elementwise_types(promoted_dtype(call, std::span(tensors.begin(), tensors.size())),
                               Promotion::kDefault, call.context().default_dtype)) {}

}  // namespace faketensor
