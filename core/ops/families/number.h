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

PythonNumber number_of(const Value& value);
Value value_of(const PythonNumber& number);

}  // namespace faketensor
