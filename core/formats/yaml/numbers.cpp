#include "core/formats/yaml/numbers.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "core/formats/yaml/python_text.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor::python {

namespace {

// sys.get_int_max_str_digits(), for base 10. Other bases have no limit in Python, and this one
// here.
constexpr size_t kMaxDigits = 4300;

// A natural number, in groups of nine decimal digits.
class Natural {
 public:
  void multiply_add(uint32_t factor, uint32_t term) {
    uint64_t carry = term;
    for (uint32_t& group : groups_) {
      carry += uint64_t{group} * factor;
      group = static_cast<uint32_t>(carry % kBase);
      carry /= kBase;
    }
    if (carry != 0) groups_.push_back(static_cast<uint32_t>(carry));
  }
  std::string digits() const {
    if (groups_.empty()) return "0";
    std::string text = std::to_string(groups_.back());
    for (size_t i = groups_.size() - 1; i-- > 0;) {
      const std::string group = std::to_string(groups_[i]);
      text.append(9 - group.size(), '0').append(group);
    }
    return text;
  }

 private:
  static constexpr uint32_t kBase = 1'000'000'000;
  std::vector<uint32_t> groups_;
};

std::string without(std::string_view text, char dropped) {
  std::string out;
  for (const char c : text) {
    if (c != dropped) out += c;
  }
  return out;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'z' ? lower - 'a' + 10 : 99;
}

std::string_view stripped(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\v\f";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// int(text, base) of a text without bars. The caller has taken the sign; Python takes one more
// here.
Natural parse_int(std::string_view text, int base, bool& is_negative) {
  const auto refuse = [&] {
    throw_error(ErrorKind::kValueError,
                format("invalid literal for int() with base {}: {}", base, repr(text)));
  };
  std::string_view digits = stripped(text);
  if (digits.starts_with('-') || digits.starts_with('+')) {
    if (digits[0] == '-') is_negative = !is_negative;
    digits.remove_prefix(1);
  }
  const char prefix = base == 2 ? 'b' : base == 8 ? 'o' : base == 16 ? 'x' : '\0';
  if (prefix != 0 && digits.size() > 1 && digits[0] == '0' && (digits[1] | 0x20) == prefix)
    digits.remove_prefix(2);
  if (digits.empty()) refuse();
  if (digits.size() > kMaxDigits) {
    throw_error(ErrorKind::kValueError,
                format("Exceeds the limit ({} digits) for integer string conversion: value has {} "
                       "digits; use sys.set_int_max_str_digits() to increase the limit",
                       kMaxDigits, digits.size()));
  }
  Natural number;
  for (const char c : digits) {
    const int digit = digit_of(c);
    if (digit >= base) refuse();
    number.multiply_add(static_cast<uint32_t>(base), static_cast<uint32_t>(digit));
  }
  return number;
}

// "a:b:c" to its parts.
template <typename Use>
void each_part(std::string_view text, Use use) {
  for (;;) {
    const size_t colon = text.find(':');
    use(text.substr(0, colon));
    if (colon == std::string_view::npos) return;
    text.remove_prefix(colon + 1);
  }
}

// float(text): Python takes decimal notation, "inf", "infinity" and "nan".
double parse_float(std::string_view text) {
  const std::string plain(stripped(text));
  std::string_view body = plain;
  if (body.starts_with('-') || body.starts_with('+')) body.remove_prefix(1);
  const bool is_word = body == "inf" || body == "infinity" || body == "nan";
  char* end = nullptr;
  const double value = std::strtod(plain.c_str(), &end);
  const bool is_number = !body.empty() && (is_word || body.find_first_not_of("0123456789.e+-") ==
                                                          std::string_view::npos);
  if (!is_number || end != plain.c_str() + plain.size()) {
    throw_error(ErrorKind::kValueError,
                format("could not convert string to float: {}", repr(text)));
  }
  return value;
}

}  // namespace

std::string int_digits(std::string_view text) {
  std::string plain = without(text, '_');
  if (plain.empty()) throw_error(ErrorKind::kIndexError, "string index out of range");
  bool is_negative = plain[0] == '-';
  if (plain[0] == '-' || plain[0] == '+') plain.erase(0, 1);
  if (plain.empty()) throw_error(ErrorKind::kIndexError, "string index out of range");
  Natural number;
  if (plain == "0") {
    return "0";
  } else if (plain.starts_with("0b")) {
    number = parse_int(std::string_view(plain).substr(2), 2, is_negative);
  } else if (plain.starts_with("0x")) {
    number = parse_int(std::string_view(plain).substr(2), 16, is_negative);
  } else if (plain[0] == '0') {
    number = parse_int(plain, 8, is_negative);
  } else if (plain.find(':') != std::string::npos) {
    if (plain.size() > kMaxDigits)
      throw_error(ErrorKind::kLimitExceeded, "a YAML integer of more than 4300 characters");
    bool is_first = true;
    each_part(plain, [&](std::string_view part) {
      bool unused = false;
      if (is_first) {
        number = parse_int(part, 10, unused);
      } else {
        number.multiply_add(
            60, static_cast<uint32_t>(std::atoi(parse_int(part, 10, unused).digits().c_str())));
      }
      is_first = false;
    });
  } else {
    number = parse_int(plain, 10, is_negative);
  }
  const std::string digits = number.digits();
  return is_negative && digits != "0" ? "-" + digits : digits;
}

double float_value(std::string_view text) {
  std::string plain = without(text, '_');
  for (char& c : plain) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  if (plain.empty()) throw_error(ErrorKind::kIndexError, "string index out of range");
  const double sign = plain[0] == '-' ? -1 : 1;
  if (plain[0] == '-' || plain[0] == '+') plain.erase(0, 1);
  if (plain == ".inf") return sign * std::numeric_limits<double>::infinity();
  if (plain == ".nan") return std::numeric_limits<double>::quiet_NaN();
  if (plain.find(':') == std::string::npos) return sign * parse_float(plain);
  std::vector<double> parts;
  each_part(plain, [&](std::string_view part) { parts.push_back(parse_float(part)); });
  double value = 0;
  double base = 1;
  for (size_t i = parts.size(); i-- > 0; base *= 60) value += parts[i] * base;
  return sign * value;
}

std::optional<std::string> exact_digits(double value) {
  if (!std::isfinite(value) || value != std::trunc(value)) return {};
  // Two to the exponent, times an integer mantissa.
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  auto mantissa = static_cast<uint64_t>(std::ldexp(fraction, 53));
  for (; exponent < 53 && mantissa != 0; ++exponent) mantissa >>= 1;
  Natural number;
  number.multiply_add(1, static_cast<uint32_t>(mantissa / 1'000'000'000));
  number.multiply_add(1'000'000'000, 0);
  number.multiply_add(1, static_cast<uint32_t>(mantissa % 1'000'000'000));
  for (; exponent > 53; --exponent) number.multiply_add(2, 0);
  const std::string digits = number.digits();
  return std::signbit(value) && digits != "0" ? "-" + digits : digits;
}

}  // namespace faketensor::python
