#include "core/symbolic/arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/support/error.h"

namespace faketensor {

namespace {
[[noreturn, gnu::cold]] void throw_overflow() {
  throw_error(ErrorKind::kOverflowError, "integer arithmetic on sizes does not fit 64 bits");
}
}  // namespace

int64_t checked_add(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) throw_overflow();
  return result;
}

int64_t checked_subtract(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) throw_overflow();
  return result;
}

int64_t checked_multiply(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw_overflow();
  return result;
}

int64_t checked_power(int64_t base, int64_t exponent) {
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  int64_t result = 1;
  // At most 63 rounds: any other base overflows by then.
  for (int64_t i = 0; i < exponent; ++i) result = checked_multiply(result, base);
  return result;
}

int64_t checked_to_int(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(value >= -kLimit && value < kLimit)) throw_overflow();
  return static_cast<int64_t>(value);
}

int64_t floor_divide(int64_t a, int64_t b) {
  if (b == -1) return checked_subtract(0, a);
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t floor_modulo(int64_t a, int64_t b) {
  if (b == -1) return 0;
  const int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

// As CPython's long_true_divide: the quotient with more bits than a double holds, the lowest of
// them telling whether something is left, so that the one conversion rounds as the exact quotient
// would.
double int_true_divide(int64_t a, int64_t b) {
  __extension__ using Wide = unsigned __int128;
  constexpr int kQuotientBits = 56;
  const auto magnitude = [](int64_t value) {
    const auto bits = static_cast<uint64_t>(value);
    return value < 0 ? ~bits + 1 : bits;
  };
  const uint64_t dividend = magnitude(a);
  const uint64_t divisor = magnitude(b);
  const int shift = std::max(0, kQuotientBits - static_cast<int>(std::bit_width(dividend)) +
                                    static_cast<int>(std::bit_width(divisor)));
  const Wide shifted = static_cast<Wide>(dividend) << shift;
  uint64_t quotient = static_cast<uint64_t>(shifted / divisor);
  if (shifted % divisor != 0) quotient |= 1;
  const double rounded = std::ldexp(static_cast<double>(quotient), -shift);
  return (a < 0) != (b < 0) ? -rounded : rounded;
}

double round_half_even(double value) {
  const double rounded = std::round(value);
  return std::fabs(value - rounded) == 0.5 ? 2 * std::round(value / 2) : rounded;
}

double round_decimal(double value, int64_t digits) {
  if (!std::isfinite(value) || digits > 300) return value;
  if (digits < -300) return 0;
  if (digits < 0) {
    const double unit = std::pow(10.0, static_cast<double>(-digits));
    return round_half_even(value / unit) * unit;
  }
  // Through decimal text, as CPython does: the nearest decimal of the exact binary value.
  char text[700];
  std::snprintf(text, sizeof text, "%.*f", static_cast<int>(digits), value);
  return std::strtod(text, nullptr);
}

double float_modulo(double a, double b) {
  if (b == 0) throw_error(ErrorKind::kZeroDivisionError, "float modulo");
  const double remainder = std::fmod(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

}  // namespace faketensor
