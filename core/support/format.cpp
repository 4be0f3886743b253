#include "core/support/format.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace faketensor {

void append_text(std::string& out, int64_t value) { out += std::to_string(value); }
void append_text(std::string& out, uint64_t value) { out += std::to_string(value); }

namespace {
// Python's repr of a finite double from its shortest digits: exponent form below 1e-4 and from 1e16
// on.
void append_python_float(std::string& out, const char* scientific) {
  std::string_view text = scientific;
  if (text.front() == '-') {
    out += '-';
    text.remove_prefix(1);
  }
  const size_t e = text.find('e');
  const int exponent = std::atoi(scientific + (text.data() - scientific) + e + 1);
  std::string digits(1, text[0]);
  if (e > 2) digits += text.substr(2, e - 2);
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  const int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    out += digits[0];
    if (count > 1) out.append(".").append(digits, 1);
    char tail[16];
    std::snprintf(tail, sizeof tail, "e%c%02d", exponent < 0 ? '-' : '+', std::abs(exponent));
    out += tail;
  } else if (exponent < 0) {
    out.append("0.").append(static_cast<size_t>(-exponent - 1), '0').append(digits);
  } else if (exponent + 1 >= count) {
    out.append(digits).append(static_cast<size_t>(exponent + 1 - count), '0').append(".0");
  } else {
    out.append(digits, 0, static_cast<size_t>(exponent) + 1).append(".");
    out.append(digits, static_cast<size_t>(exponent) + 1);
  }
}
}  // namespace

void append_text(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "nan";
  } else if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
  } else {
    char buffer[40];
    for (int precision = 0; precision <= 17; ++precision) {
      std::snprintf(buffer, sizeof buffer, "%.*e", precision, value);
      if (std::strtod(buffer, nullptr) == value) break;
    }
    append_python_float(out, buffer);
  }
}

std::string format_parts(std::string_view pattern, std::span<const FormatPart> parts) {
  std::string out;
  for (const FormatPart& part : parts) {
    const size_t at = pattern.find("{}");
    out += pattern.substr(0, at);
    pattern = at == std::string_view::npos ? std::string_view() : pattern.substr(at + 2);
    part.append(out, part.value);
  }
  out += pattern;
  return out;
}

}  // namespace faketensor
