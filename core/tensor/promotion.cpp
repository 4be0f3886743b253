#include "core/tensor/promotion.h"

#include <algorithm>
#include <string>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

bool is_bits_or_quantized(DType dtype) { return category(dtype) == DTypeCategory::kOther; }

bool is_barebones_unsigned(DType dtype) {
  return dtype >= DType::kUInt16 && dtype <= DType::kUInt64;
}

DType promote_integers(DType a, DType b) {
  const bool has_uint8 = a == DType::kUInt8 || b == DType::kUInt8;
  if (has_uint8 && (a == DType::kInt8 || b == DType::kInt8)) return DType::kInt16;
  if (a == DType::kUInt8) return b;
  if (b == DType::kUInt8) return a;
  return std::max(a, b);  // int8 .. int64 are in order of size
}

DType promote_floats(DType a, DType b) {
  if (is_reduced_floating(a) && is_reduced_floating(b)) return DType::kFloat32;
  if (a == DType::kFloat64 || b == DType::kFloat64) return DType::kFloat64;
  return DType::kFloat32;
}

// One of them is complex: the complex type over the promoted real types.
DType promote_complex(DType a, DType b) {
  const DType real_a = to_real(a);
  const DType real_b = to_real(b);
  if (!is_floating(real_a)) return b;
  if (!is_floating(real_b)) return a;
  return to_complex(real_a == real_b ? real_a : promote_floats(real_a, real_b));
}

[[noreturn]] void refuse(const char* what, DType a, DType b) {
  throw_error(ErrorKind::kRuntimeError,
              format("Promotion for {} not supported, attempted to promote {} and {}", what,
                     info(a).cpp_name, info(b).cpp_name));
}

}  // namespace

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  if (is_bits_or_quantized(a) || is_bits_or_quantized(b)) {
    throw_error(ErrorKind::kRuntimeError,
                format("promoteTypes with quantized numbers is not handled yet; figure out what "
                       "the correct rules should "
                       "be, offending types: {} {}",
                       info(a).cpp_name, info(b).cpp_name));
  }
  if (is_float8(a) || is_float8(b)) refuse("Float8 Types is", a, b);
  if (is_barebones_unsigned(a) || is_barebones_unsigned(b)) {
    if (is_floating(a)) return a;
    if (is_floating(b)) return b;
    refuse("uint16, uint32, uint64 types is", a, b);
  }
  if (is_complex(a) || is_complex(b)) return promote_complex(a, b);
  const DTypeCategory highest = std::max(category(a), category(b));
  if (category(a) != category(b)) return category(a) == highest ? a : b;
  if (highest == DTypeCategory::kFloating) return promote_floats(a, b);
  return promote_integers(a, b);
}

bool can_cast(DType from, DType to) {
  if (is_complex(from) && !is_complex(to)) return false;
  if (is_floating(from) && is_integral(to)) return false;
  return is_bool(from) || !is_bool(to);
}

void ResultType::add(DType dtype, Priority priority) {
  const auto bit = static_cast<uint8_t>(1u << priority);
  types_[priority] = (seen_ & bit) != 0 ? promote_types(types_[priority], dtype) : dtype;
  seen_ = static_cast<uint8_t>(seen_ | bit);
}

namespace {
// A lower priority only replaces a higher one where its category is higher
// (at::native::combine_categories).
DType combine(DType higher, DType lower) {
  if (is_complex(higher)) return higher;
  if (is_floating(higher)) {
    if (is_complex(lower) && is_float8(higher)) {
      throw_error(ErrorKind::kRuntimeError,
                  format("Unknown Complex ScalarType for {}", info(higher).cpp_name));
    }
    return is_complex(lower) ? to_complex(higher) : higher;
  }
  if (is_complex(lower)) return lower;
  if (is_bool(higher) || is_floating(lower)) return promote_types(higher, lower);
  return higher;
}
}  // namespace

DType ResultType::result() const {
  bool found = false;
  DType type = default_dtype_;
  for (const Priority priority : {kDimensioned, kZeroDim, kNumber}) {
    if ((seen_ & (1u << priority)) == 0) continue;
    DType next = types_[priority];
    if (priority == kNumber) {
      if (is_complex(next)) next = to_complex(default_dtype_);
      if (is_floating(next)) next = default_dtype_;
    }
    type = found ? combine(type, next) : next;
    found = true;
  }
  return type;
}

ElementwiseTypes elementwise_types(DType promoted, Promotion kind, DType default_dtype) {
  switch (kind) {
    case Promotion::kDefault:
      return {computation_dtype(promoted), promoted};
    case Promotion::kNoOpmath:
      return {promoted, promoted};
    case Promotion::kIntToFloat: {
      const DType type = is_integral_or_bool(promoted) ? default_dtype : promoted;
      return {computation_dtype(type), type};
    }
    case Promotion::kAlwaysBool:
      return {computation_dtype(promoted), DType::kBool};
    case Promotion::kComplexToFloat:
      return {computation_dtype(promoted), to_real(promoted)};
    case Promotion::kBoolToLong: {
      const DType type = is_bool(promoted) ? DType::kInt64 : promoted;
      return {computation_dtype(type), type};
    }
  }
  return {promoted, promoted};
}

}  // namespace faketensor
