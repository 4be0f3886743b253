// Operand: a tensor or number inside a decomposition, which then reads as PyTorch's Python does.
//
// Every operator is a call of the ATen operator that Python's arithmetic reaches, so layouts,
// promotion, devices and errors are those of the steps. The result of one step is the next step's
// operand; numbers may stand on either side.
//
//   const OpmathCast cast(c, {grad_output, output});        // @pw_cast_for_opmath
//   const Operand grad = cast(grad_output), y = cast(output);
//   return cast.back(grad * (1 - y * y));
#pragma once

#include <initializer_list>

#include "core/ops/call.h"
#include "core/tensor/promotion.h"

namespace faketensor {

class Operand {
 public:
  Operand(Call& call, const Value& value) : call_(&call), value_(value) {}
  Operand(double number) : value_(number) {}
  Operand(int number) : value_(number) {}

  const Value& value() const { return value_; }
  operator Value() const { return value_; }
  const Tensor& tensor() const { return value_.tensor(); }
  bool is_tensor() const { return value_.is_tensor(); }

  // An operator with this as its first argument: x.op<"aten::exp">().
  template <FixedString name, typename... Arguments>
  Operand op(const Arguments&... arguments) const {
    return {*call_, call_->call<name>(value_, arguments...)};
  }
  Operand to(DType dtype) const { return op<"aten::to.dtype">(dtype); }
  Operand sum(const DimVector& dims, bool keepdim = false) const {
    return op<"aten::sum.dim_IntList">(dims, keepdim);
  }
  Operand unsqueeze(int64_t dim) const { return op<"aten::unsqueeze">(dim); }
  Operand reshape(const DimVector& sizes) const { return op<"aten::reshape">(sizes); }
  Operand view(const DimVector& sizes) const { return op<"aten::view">(sizes); }

  friend Operand operator+(const Operand& a, const Operand& b);
  friend Operand operator-(const Operand& a, const Operand& b);
  friend Operand operator*(const Operand& a, const Operand& b);
  friend Operand operator/(const Operand& a, const Operand& b);
  friend Operand operator-(const Operand& a) { return a.op<"aten::neg">(); }
  // With a number on the right.
  friend Operand operator<(const Operand& a, const Operand& b);
  friend Operand operator<=(const Operand& a, const Operand& b);
  friend Operand operator>(const Operand& a, const Operand& b);
  friend Operand operator>=(const Operand& a, const Operand& b);
  // torch.where: either branch may be a number.
  friend Operand where(const Operand& condition, const Operand& a, const Operand& b);

 private:
  Call* call_ = nullptr;  // none for a number
  Value value_;
};

// The casts around a decomposition (type_casts, torch/_decomp/decompositions.py): tensors to the
// computation dtype, the result back to the promoted one.
class OpmathCast {
 public:
  // `tensors` may hold None.
  OpmathCast(Call& call, std::initializer_list<Value> tensors);

  DType computation() const { return types_.computation; }
  Operand operator()(const Tensor& tensor) const {
    return Operand(call_, tensor).to(types_.computation);
  }
  Operand back(const Operand& result) const { return result.to(types_.result); }

 private:
  Call& call_;
  ElementwiseTypes types_;
};

}  // namespace faketensor
