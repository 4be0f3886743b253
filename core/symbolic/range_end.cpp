#include "core/symbolic/range_end.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace faketensor {

double RangeEnd::as_double() const {
  return is_infinite() ? std::copysign(std::numeric_limits<double>::infinity(), sign())
                       : static_cast<double>(value_);
}

RangeEnd operator-(RangeEnd a) { return RangeEnd::wide(-a.value()); }

RangeEnd operator+(RangeEnd a, RangeEnd b) {
  if (a.is_infinite()) return a;
  if (b.is_infinite()) return b;
  return RangeEnd::wide(a.value() + b.value());
}

RangeEnd operator*(RangeEnd a, RangeEnd b) {
  if (a == 0 || b == 0) return 0;
  RangeEnd::Wide product = 0;
  if (a.is_infinite() || b.is_infinite() || __builtin_mul_overflow(a.value(), b.value(), &product))
    return RangeEnd::infinity(a.sign() * b.sign());
  return RangeEnd::wide(product);
}

RangeEnd floor_divide(RangeEnd a, RangeEnd b) {
  if (a.is_infinite()) return RangeEnd::infinity(a.sign() * b.sign());
  if (b.is_infinite()) return 0;
  const RangeEnd::Wide quotient = a.value() / b.value();
  const bool rounds_up = a.sign() * b.sign() < 0 && quotient * b.value() != a.value();
  return RangeEnd::wide(rounds_up ? quotient - 1 : quotient);
}

std::string to_string(RangeEnd end) {
  if (end.is_infinite()) return end.sign() > 0 ? "int_oo" : "-int_oo";
  std::string digits;
  for (RangeEnd::Wide rest = end.sign() < 0 ? -end.value() : end.value(); rest != 0; rest /= 10)
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
  if (digits.empty()) return "0";
  if (end.sign() < 0) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

void append_text(std::string& out, RangeEnd end) { out += to_string(end); }

}  // namespace faketensor
