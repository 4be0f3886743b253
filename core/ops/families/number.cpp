#include "core/ops/families/number.h"

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

bool is_symbolic_number(const Value& value) {
  if (value.is(Value::Tag::kSymFloat)) return true;
  if (value.is(Value::Tag::kBool)) return value.as_sym_bool().is_symbolic();
  return value.is(Value::Tag::kInt) && value.as_sym_int().is_symbolic();
}

SymInt to_int(const Value& value) {
  if (!value.is(Value::Tag::kBool) && !value.is(Value::Tag::kInt)) [[unlikely]]
    throw_error(ErrorKind::kTypeError, format("an integer expected, not {}", value));
  return value.is(Value::Tag::kBool) ? sym_ite(value.as_sym_bool(), 1, 0) : value.as_sym_int();
}

PythonNumber number_of(const Value& value) {
  switch (value.tag()) {
    case Value::Tag::kBool:
      return value.as_sym_bool();
    case Value::Tag::kFloat:
      return SymFloat(value.as_double());
    case Value::Tag::kSymFloat:
      return PythonNumber::symbolic(value.as_node(), ExprType::kFloat);
    default:
      return to_int(value);
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
