// What operators compute, for results of one element.
//
// Constants of a mode have one element at most (FakeTensorMode.may_turn_const), so a pointwise
// operator is a function of numbers and a reduction a fold over them. Operands are brought to the
// type that the operator computes in, the result is rounded once when it is stored.
//
//   Element of 4 (int64) and the number 2, name "div", result float32  ->  2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/mode/element.h"
#include "core/ops/schema.h"

namespace faketensor {

// One argument as the arithmetic sees it: a tensor's numbers, a number, or neither.
struct ElementOperand {
  enum class Kind : uint8_t { kOther, kNumber, kTensor };
  Kind kind = Kind::kOther;
  DType dtype = DType::kFloat32;
  int64_t rank = 0;
  std::vector<Element> elements;  // in row-major order
  Value value;                    // the argument itself
};

// One operator call: the operator's name without namespace, overload and "_", its operands in
// schema order with the schema's names.
struct ElementCall {
  std::string_view name;
  std::span<const ElementOperand> operands;
  std::span<const Argument> arguments;
  DType result;         // the dtype of what is computed
  DType default_dtype;  // torch.get_default_dtype()

  // The operand of that name, null where the schema has none.
  const ElementOperand* find(std::string_view argument) const;
};

// The one number that the operator gives; nothing for operators that are not known here.
std::optional<Element> evaluate(const ElementCall& call);

}  // namespace faketensor
