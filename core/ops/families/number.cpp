#include "core/ops/families/number.h"

namespace faketensor {

PythonNumber number_of(const Value& value) {
  switch (value.tag()) {
    case Value::Tag::kBool:
      return value.as_sym_bool();
    case Value::Tag::kFloat:
      return SymFloat(value.as_double());
    case Value::Tag::kSymFloat:
      return PythonNumber::symbolic(value.as_node(), ExprType::kFloat);
    default:
      return value.to_sym_int();
  }
}

Value value_of(const PythonNumber& number) {
  switch (number.type()) {
    case ExprType::kBool:
      return number.as_bool();
    case ExprType::kInt:
      return number.as_int();
    default:
      break;
  }
  const SymFloat value = number.as_float();
  return value.is_symbolic() ? Value::sym_float(value.node()) : Value(value.as_double());
}

}  // namespace faketensor
