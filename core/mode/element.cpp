#include "core/mode/element.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/support/error.h"

namespace faketensor {

namespace {

// A floating type of at most 16 bits: sign, exponent, mantissa.
struct SmallFloat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  // How the largest exponent is used: for infinities and NaN (IEEE 754), for NaN alone with all
  // bits set (the types named "FN"), or for numbers, NaN being minus zero ("FNUZ").
  enum class Special : uint8_t { kIeee, kNanOnly, kUnsignedZero } special;
};

const SmallFloat* small_float(DType dtype) {
  using enum SmallFloat::Special;
  static constexpr SmallFloat kHalf{5, 10, 15, kIeee};
  static constexpr SmallFloat kBrain{8, 7, 127, kIeee};
  static constexpr SmallFloat kE5M2{5, 2, 15, kIeee};
  static constexpr SmallFloat kE4M3Fn{4, 3, 7, kNanOnly};
  static constexpr SmallFloat kE5M2Fnuz{5, 2, 16, kUnsignedZero};
  static constexpr SmallFloat kE4M3Fnuz{4, 3, 8, kUnsignedZero};
  switch (dtype) {
    case DType::kFloat16:
    case DType::kComplex32:
      return &kHalf;
    case DType::kBFloat16:
      return &kBrain;
    case DType::kFloat8E5M2:
      return &kE5M2;
    case DType::kFloat8E4M3FN:
      return &kE4M3Fn;
    case DType::kFloat8E5M2FNUZ:
      return &kE5M2Fnuz;
    case DType::kFloat8E4M3FNUZ:
      return &kE4M3Fnuz;
    default:
      return nullptr;
  }
}

uint32_t not_a_number(const SmallFloat& format) {
  const int bits = format.exponent_bits + format.mantissa_bits;
  const uint32_t all = (1u << bits) - 1;
  switch (format.special) {
    case SmallFloat::Special::kIeee:
      return all ^ ((1u << (format.mantissa_bits - 1)) - 1);
    case SmallFloat::Special::kNanOnly:
      return all;
    case SmallFloat::Special::kUnsignedZero:
      break;
  }
  return 1u << bits;
}

// The bits without the sign of what is past the largest number.
uint32_t overflowed(const SmallFloat& format) {
  if (format.special != SmallFloat::Special::kIeee) return not_a_number(format);
  return ((1u << format.exponent_bits) - 1) << format.mantissa_bits;
}

// Rounds to nearest, halves to even.
uint32_t encode(const SmallFloat& format, double value) {
  const int bits = format.exponent_bits + format.mantissa_bits;
  if (std::isnan(value)) return not_a_number(format);
  const uint32_t sign = std::signbit(value) ? 1u << bits : 0;
  const double size = std::fabs(value);
  if (std::isinf(size)) {
    const uint32_t most = overflowed(format);
    return most >> bits != 0 ? most : sign | most;
  }
  if (size == 0) return format.special == SmallFloat::Special::kUnsignedZero ? 0 : sign;
  const int exponent = std::max(std::ilogb(size), 1 - format.bias);
  // In units of the last place the number is an integer; carries reach the exponent by themselves.
  const double units = std::nearbyint(std::ldexp(size, format.mantissa_bits - exponent));
  const uint64_t encoded =
      static_cast<uint64_t>(units) +
      (static_cast<uint64_t>(exponent + format.bias - 1) << format.mantissa_bits);
  uint64_t limit = uint64_t{1} << bits;
  if (format.special == SmallFloat::Special::kIeee)
    limit = overflowed(format);
  else if (format.special == SmallFloat::Special::kNanOnly)
    limit -= 1;
  if (encoded >= limit) {
    const uint32_t most = overflowed(format);
    return most >> bits != 0 ? most : sign | most;
  }
  if (encoded == 0 && format.special == SmallFloat::Special::kUnsignedZero) return 0;
  return sign | static_cast<uint32_t>(encoded);
}

double decode(const SmallFloat& format, uint32_t encoded) {
  const int bits = format.exponent_bits + format.mantissa_bits;
  const uint32_t size = encoded & ((1u << bits) - 1);
  const double sign = encoded >> bits != 0 ? -1.0 : 1.0;
  if (format.special == SmallFloat::Special::kUnsignedZero && encoded == not_a_number(format))
    return std::numeric_limits<double>::quiet_NaN();
  if (format.special == SmallFloat::Special::kNanOnly && size == not_a_number(format))
    return std::numeric_limits<double>::quiet_NaN();
  const auto exponent = static_cast<int>(size >> format.mantissa_bits);
  const uint32_t mantissa = size & ((1u << format.mantissa_bits) - 1);
  if (format.special == SmallFloat::Special::kIeee && exponent == (1 << format.exponent_bits) - 1) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  const uint32_t leading = exponent == 0 ? 0 : 1u << format.mantissa_bits;
  return sign * std::ldexp(static_cast<double>(leading | mantissa),
                           std::max(exponent, 1) - format.bias - format.mantissa_bits);
}

template <typename T>
void put(std::byte* bytes, T value) {
  std::memcpy(bytes, &value, sizeof value);
}
template <typename T>
T get(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// A double cast to an integer, without undefined behaviour: what x86 gives for values that do not
// fit.
int64_t to_integer(double value) {
  if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0))
    return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

int64_t integer_of(Element value) { return value.is_int() ? value.integer : to_integer(value.re); }

// The real type of one part, stored at `bytes`.
void store_real(DType dtype, double value, std::byte* bytes) {
  if (const SmallFloat* format = small_float(dtype)) {
    const uint32_t encoded = encode(*format, value);
    if (format->exponent_bits + format->mantissa_bits == 15)
      put(bytes, static_cast<uint16_t>(encoded));
    else
      put(bytes, static_cast<uint8_t>(encoded));
  } else if (dtype == DType::kFloat32 || dtype == DType::kComplex64) {
    put(bytes, static_cast<float>(value));
  } else {
    put(bytes, value);
  }
}

double load_real(DType dtype, const std::byte* bytes) {
  if (const SmallFloat* format = small_float(dtype)) {
    return decode(*format, format->exponent_bits + format->mantissa_bits == 15
                               ? get<uint16_t>(bytes)
                               : get<uint8_t>(bytes));
  }
  if (dtype == DType::kFloat32 || dtype == DType::kComplex64) return get<float>(bytes);
  return get<double>(bytes);
}

}  // namespace

bool has_elements(DType dtype) {
  switch (category(dtype)) {
    case DTypeCategory::kBool:
      return true;
    case DTypeCategory::kIntegral:
      return dtype <= DType::kInt64 || (dtype >= DType::kUInt16 && dtype <= DType::kUInt64);
    case DTypeCategory::kFloating:
      return dtype == DType::kFloat32 || dtype == DType::kFloat64 || small_float(dtype) != nullptr;
    case DTypeCategory::kComplex:
      return true;
    case DTypeCategory::kOther:
      break;
  }
  return false;
}

void store(DType dtype, Element value, std::byte* bytes) {
  if (is_bool(dtype)) return put(bytes, static_cast<uint8_t>(value.is_zero() ? 0 : 1));
  if (is_complex(dtype)) {
    store_real(dtype, value.as_double(), bytes);
    return store_real(dtype, value.kind == Element::Kind::kComplex ? value.im : 0,
                      bytes + itemsize(dtype) / 2);
  }
  if (is_floating(dtype)) return store_real(dtype, value.as_double(), bytes);
  // Two's complement: the low bytes are the number in any narrower integer.
  const int64_t integer = integer_of(value);
  switch (itemsize(dtype)) {
    case 1:
      return put(bytes, static_cast<uint8_t>(integer));
    case 2:
      return put(bytes, static_cast<uint16_t>(integer));
    case 4:
      return put(bytes, static_cast<uint32_t>(integer));
    default:
      return put(bytes, integer);
  }
}

Element load(DType dtype, const std::byte* bytes) {
  switch (dtype) {
    case DType::kBool:
      return Element::of(get<uint8_t>(bytes) != 0 ? 1 : 0);
    case DType::kUInt8:
      return Element::of(get<uint8_t>(bytes));
    case DType::kInt8:
      return Element::of(get<int8_t>(bytes));
    case DType::kInt16:
      return Element::of(get<int16_t>(bytes));
    case DType::kUInt16:
      return Element::of(get<uint16_t>(bytes));
    case DType::kInt32:
      return Element::of(get<int32_t>(bytes));
    case DType::kUInt32:
      return Element::of(get<uint32_t>(bytes));
    case DType::kInt64:
    case DType::kUInt64:
      return Element::of(get<int64_t>(bytes));
    default:
      break;
  }
  if (!is_complex(dtype)) return Element::real(load_real(dtype, bytes));
  return Element::complex(load_real(dtype, bytes), load_real(dtype, bytes + itemsize(dtype) / 2));
}

Element rounded(DType dtype, Element value) {
  std::byte bytes[16];
  store(dtype, value, bytes);
  return load(dtype, bytes);
}

bool to_element(const Value& value, Element& out) {
  switch (value.tag()) {
    case Value::Tag::kBool:
      if (value.as_sym_bool().is_symbolic()) return false;
      out = Element::of(value.as_sym_bool().as_bool() ? 1 : 0);
      return true;
    case Value::Tag::kInt:
      if (value.as_sym_int().is_symbolic()) return false;
      out = Element::of(value.as_sym_int().as_int());
      return true;
    case Value::Tag::kFloat:
      out = Element::real(value.as_double());
      return true;
    case Value::Tag::kComplex:
      out = Element::complex(value.as_complex()[0], value.as_complex()[1]);
      return true;
    default:
      return false;
  }
}

Value to_value(DType dtype, Element element, Arena& arena) {
  if (is_bool(dtype)) return !element.is_zero();
  if (element.is_int()) {
    if (element.integer < symbolic_detail::kMinPlainInt)
      throw_error(ErrorKind::kOverflowError, "an integer below -2^62");
    return element.integer;
  }
  if (element.kind == Element::Kind::kReal) return element.re;
  const double parts[] = {element.re, element.im};
  return Value::complex(arena.copy(std::span<const double>(parts)).data());
}

}  // namespace faketensor
