// Pointwise operators: broadcast, promote, and keep the operands' memory format.
//
// PyTorch answers most of them on fake tensors by a Python reference (torch/_refs) over
// torch._prims._elementwise_meta: operands are first cast to the computation dtype, which makes
// them dense, then expanded, and the result is dense in the order that their strides agree on.
// Numbers take part in promotion but not in the layout; 0-dimensional tensors are expanded like any
// other, because references run as meta kernels, where a CPU tensor cannot be told.
//
//   {"aten::atan2(Tensor self, Tensor other) -> Tensor",
//    binary({.promote = Promotion::kIntToFloat}), kInplace},
#pragma once

#include <span>

#include "core/ops/call.h"
#include "core/tensor/promotion.h"

namespace faketensor {

struct PointwiseParams {
  Promotion promote = Promotion::kDefault;
  uint8_t operands = 1;  // leading arguments that are operands: tensors or numbers
  // A unary operator whose decomposition begins with a number beside the tensor (`a * 0.5`, `a <
  // 1`).
  bool begins_with_number = false;
  bool on_meta = false;  // answered by elementwise_meta below, inside of a kernel
};

// A number, or a tensor that stands for one: no part in the layout.
inline bool is_number(const Value& operand) {
  return !operand.is_tensor() || operand.tensor().is_wrapped_number;
}
inline bool is_cpu_scalar(const Tensor& tensor) {
  return tensor.dim() == 0 && tensor.device().is_cpu();
}

Value pointwise(Call& call, uint64_t params);
// What a reference asks about the sizes of a tensor that it broadcasts with a number
// (_broadcast_shapes, torch/_refs/__init__.py): nothing unless they are symbolic.
void ask_beside_number(const Tensor& tensor);
Value like_operand(Call& call, uint64_t params);

// One, two or three operands, then arguments that do not matter to the answer (alpha,
// rounding_mode, approximate, ...).
consteval Rule unary(PointwiseParams params = {}) {
  params.operands = 1;
  return family_rule(&pointwise, params);
}
consteval Rule binary(PointwiseParams params = {}) {
  params.operands = 2;
  return family_rule(&pointwise, params);
}
consteval Rule ternary(PointwiseParams params = {}) {
  params.operands = 3;
  return family_rule(&pointwise, params);
}
// Whether a rule is one of these.
bool is_pointwise(const Rule& rule);

// torch.empty_like of the first argument: what several functions of torch/_meta_registrations.py
// answer. With kNoOpmath the dtype is the argument's.
consteval Rule like_first(Promotion promote = Promotion::kNoOpmath) {
  return family_rule(&like_operand, PointwiseParams{.promote = promote});
}

// The pieces, for special rules. An operand is a tensor, a number, or None (ignored).
// torch._prims_common.get_higher_dtype: a dtype that is not among its ordered ones (8-bit floats)
// counts as the higher. Raises RuntimeError for two such.
DType higher_dtype(Call& call, DType a, DType b);

// The promoted dtype of the operands (torch._prims_common.elementwise_dtypes before the promotion
// kind), which is how Python references promote.
DType promoted_dtype(Call& call, std::span<const Value> operands);
// at::result_type, which is how ATen's own functions promote: it differs for types that ATen
// refuses to mix.
DType result_type(Call& call, std::span<const Value> operands);
// The result of an elementwise operator on `operands` computed in `computation` and returned in
// `result`.
Tensor* elementwise(Call& call, std::span<const Value> operands, DType computation, DType result);
Tensor* elementwise(Call& call, std::span<const Value> operands, Promotion promote);
// The same where PyTorch takes this one step, not several whose last has this layout: what it
// allocates is counted like the step's (Call::empty_permuted).
Tensor* elementwise_step(Call& call, std::span<const Value> operands, Promotion promote);
// The same for what PyTorch answers by a function for the meta device: what symbolic sizes are cast
// and expanded by is C++, which asks for numbers. Mirrors elementwise_meta,
// torch/_meta_registrations.py.
Tensor* elementwise_meta(Call& call, std::span<const Value> operands, Promotion promote);
// A condition is an operand that is not cast to the computation dtype (the first of where).
Tensor* elementwise_if(Call& call, const Value& condition, std::span<const Value> operands,
                       ElementwiseTypes types);
Tensor* elementwise_if(Call& call, const Value& condition, std::span<const Value> operands,
                       Promotion promote);
// The layouts that a Python reference made of several elementwise operators passes through. Dense
// operands come out of each step as they went in; it is expanded and overlapping ones, and odd
// strides of dimensions of size 1, that are told apart by the number and order of the steps.
//
//   ReferenceSteps steps(c, operands, kDefault);          // relu: where(self <= 0, 0, self)
//   return steps.result(steps.where(steps.of(self), 0, self));
class ReferenceSteps {
 public:
  // Promotes `operands`, which are cast to the computation dtype by the steps that use them.
  ReferenceSteps(Call& call, std::span<const Value> operands, Promotion promote);

  DType computation() const { return types_.computation; }
  Value of(const Value& a) const;
  Value of(const Value& a, const Value& b) const;
  // Steps that are written as operators of tensors, `a * 2` and `a + b`: symbolic sizes go a way of
  // their own (families/arithmetic.h).
  Value arithmetic(const Value& a) const;
  Value arithmetic(const Value& a, const Value& b) const;
  // A question about operands, which answers in bool, and two such answers as one. A step whose
  // result has the sizes, strides and dtype of an earlier one's is answered by the dispatch cache.
  Value truth(const Value& a) const;
  Value truth(const Value& a, const Value& b) const;
  Value both(const Value& a, const Value& b) const;
  // torch.where: a number among its values becomes a 0-dimensional tensor.
  Value where(const Value& condition, const Value& a, const Value& b) const;
  // A number as the 0-dimensional tensor that some references make of it; a tensor as it is.
  Value as_tensor(const Value& operand) const;
  // Operands expanded to their common shape.
  void expand(Value& a, Value& b) const;
  // The last step's value with the result dtype.
  Value result(const Value& value) const;

 private:
  // The first `uncast` operands keep their dtype.
  Value step(std::span<const Value> operands, size_t uncast, DType result) const;
  Value cast(const Value& operand) const;

  Call& call_;
  ElementwiseTypes types_;
};
// Whether every reference of one operand leaves this one's layout as it is.
bool has_plain_layout(const Tensor& tensor);

// torch._refs._broadcast_shapes, with its words.
DimVector broadcast_sizes(Call& call, std::span<const Dims> shapes);
DimVector broadcast_operands(Call& call, std::span<const Value> operands);
// That a number is of no higher category than a dtype (torch._prims_common.is_weakly_lesser_type);
// "alpha argument of type <class 'float'> cannot be safely cast to type <class 'int'>!".
void check_number_fits(Call& call, ErrorKind kind, std::string_view name, const Value& number,
                       DType dtype);
// That `-self` exists: not of bool.
void check_negatable(Call& call, const Tensor& self);
// Python's type of a dtype's values, "<class 'float'>".
std::string_view python_type(DType dtype);
// That an in-place operator with this operand keeps the shape of `self`
// (torch._meta_registrations.check_inplace_broadcast).
void check_inplace_broadcast(Call& call, const Tensor& self, const Tensor& other);

}  // namespace faketensor
