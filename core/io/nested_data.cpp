#include "core/io/nested_data.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/io/value_json.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

std::string_view python_type(const Json& data) {
  return data.is_array()    ? "list"
         : data.is_string() ? "str"
         : data.is_object() ? "dict"
                            : "NoneType";
}

[[noreturn]] void too_many_dimensions(const Json& data) {
  throw_error(ErrorKind::kValueError, format("too many dimensions '{}'", python_type(data)));
}

// {"c": [re, im]}, {"f": "inf"}
bool is_complex_number(const Json& data) {
  const Json* parts = find_member(data, "c");
  return parts != nullptr && parts->is_array() && parts->size() == 2;
}

double real_number(const Json& data) {
  const std::optional<double> known = float_of(data);
  if (!known) refuse_json("data", "a number", data);
  return *known;
}

}  // namespace

NestedData::NestedData(const Json& data) {
  measure(data);
  infer(data);
  if (guard_bool(numel(sizes) != 0)) store(data, 0);
}

// The sizes are those of the first elements. (compute_sizes)
void NestedData::measure(const Json& data) {
  constexpr size_t kMaxDims = 128;  // MAX_DIMS
  const Json* first = &data;
  while (first->is_array()) {
    sizes.push_back(static_cast<int64_t>(first->size()));
    if (sizes.size() > kMaxDims) too_many_dimensions(*first);
    if (first->empty()) return;
    first = &first->front();
  }
  if (first->is_string() && !sizes.empty()) too_many_dimensions(*first);
}

// The category of every number is promoted. (infer_scalar_type)
void NestedData::infer(const Json& data) {
  if (data.is_array()) {
    if (data.empty()) raise(DTypeCategory::kFloating);
    for (const Json& part : data) infer(part);
  } else if (data.is_string()) {
    throw_error(ErrorKind::kTypeError, "new(): invalid data type 'str'");
  } else if (data.is_boolean()) {
    // the least category
  } else if (data.is_number_integer()) {
    raise(DTypeCategory::kIntegral);
  } else if (is_complex_number(data)) {
    raise(DTypeCategory::kComplex);
  } else if (float_of(data)) {
    raise(DTypeCategory::kFloating);
  } else {
    throw_error(ErrorKind::kRuntimeError, format("Could not infer dtype of {}", python_type(data)));
  }
}

// Every list must be as long as the first beside it. (recursive_store)
void NestedData::store(const Json& data, size_t dim) {
  if (dim == sizes.size()) return elements.push_back(element(data));
  if (!data.is_array()) throw_error(ErrorKind::kTypeError, "not a sequence");
  const auto length = static_cast<int64_t>(data.size());
  if (length != sizes[dim].as_int())
    throw_error(ErrorKind::kValueError, format("expected sequence of length {} at dim {} (got {})",
                                               sizes[dim], dim, length));
  for (const Json& part : data) store(part, dim + 1);
}

// (store_scalar)
Element NestedData::element(const Json& data) const {
  if (data.is_boolean()) return Element::of(data.get<bool>() ? 1 : 0);
  if (data.is_array()) {
    if (category_ == DTypeCategory::kBool) return Element::of(data.empty() ? 0 : 1);
    throw_error(ErrorKind::kTypeError, category_ == DTypeCategory::kIntegral
                                           ? "'list' object cannot be interpreted as an integer"
                                           : "must be real number, not list");
  }
  if (!data.is_number_integer()) {
    if (!is_complex_number(data)) return Element::real(real_number(data));
    const double real = real_number(data["c"][0]);
    return Element::complex(real, real_number(data["c"][1]));
  }
  const bool is_too_large = data.is_number_unsigned() && data.get<uint64_t>() > uint64_t{INT64_MAX};
  if (!is_too_large) return Element::of(data.get<int64_t>());
  if (category_ == DTypeCategory::kIntegral)
    throw_error(ErrorKind::kValueError, "Overflow when unpacking long long");
  return Element::real(data.get<double>());
}

DType NestedData::dtype(DType default_dtype) const {
  switch (category_) {
    case DTypeCategory::kBool:
      return DType::kBool;
    case DTypeCategory::kIntegral:
      return DType::kInt64;
    case DTypeCategory::kComplex:
      return to_complex(default_dtype);
    default:
      return default_dtype;
  }
}

}  // namespace faketensor
