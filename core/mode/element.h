// Element: one number of a tensor's data, and its bytes in every dtype.
//
// Constants are computed on (constants.h), so their numbers must be what PyTorch's kernels would
// have stored: each result is rounded once to its dtype. Integers are kept as 64 bits and wrap at
// the width of the dtype; floating values are doubles, complex ones pairs of them.
//
//   std::byte bytes[2];
//   store(DType::kFloat16, Element::real(1.0 / 3), bytes);
//   load(DType::kFloat16, bytes).re;   // 0.333251953125
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/ops/value.h"
#include "core/tensor/dtype.h"

namespace faketensor {

struct Element {
  enum class Kind : uint8_t { kInt, kReal, kComplex };
  Kind kind = Kind::kInt;
  int64_t integer = 0;  // of kInt, booleans as 0 and 1
  double re = 0;        // of kReal and kComplex
  double im = 0;

  static Element of(int64_t value) { return {Kind::kInt, value, static_cast<double>(value), 0}; }
  static Element real(double value) { return {Kind::kReal, 0, value, 0}; }
  static Element complex(double re, double im) { return {Kind::kComplex, 0, re, im}; }

  bool is_int() const { return kind == Kind::kInt; }
  bool is_zero() const { return is_int() ? integer == 0 : re == 0 && im == 0; }
  // The number as a double (its real part).
  double as_double() const { return is_int() ? static_cast<double>(integer) : re; }
};

// Whether data of this dtype is known to load and store.
bool has_elements(DType dtype);

// The number as `dtype` holds it: rounded, wrapped or cut as a C++ cast does.
Element rounded(DType dtype, Element value);

// `bytes` has itemsize(dtype) of them.
void store(DType dtype, Element value, std::byte* bytes);
Element load(DType dtype, const std::byte* bytes);

// Between operator arguments and elements. A value that is no plain number gives nothing.
bool to_element(const Value& value, Element& out);
// As Tensor.item() returns it: a bool, int, float or complex. `arena` keeps complex numbers.
Value to_value(DType dtype, Element element, Arena& arena);

}  // namespace faketensor
