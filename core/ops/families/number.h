// Scalar arguments as numbers to calculate with: an int, float or bool, plain or symbolic.
//
//   const PythonNumber length = apply(PythonBinary::kSub, number_of(end), number_of(start));
#pragma once

#include "core/ops/value.h"
#include "core/symbolic/python_number.h"

namespace faketensor {

inline bool is_float(const Value& value) {
  return value.is(Value::Tag::kFloat) || value.is(Value::Tag::kSymFloat);
}
// Whether the number depends on a symbol.
bool is_symbolic_number(const Value& value);

// A bool counts as 0 or 1, as in Python. Sizes are never complex, nor what is made of them.
SymInt to_int(const Value& value);

PythonNumber number_of(const Value& value);
Value value_of(const PythonNumber& number);

}  // namespace faketensor
