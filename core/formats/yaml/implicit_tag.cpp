// What a plain scalar looks like: the regular expressions of yaml/resolver.py, by hand.
#include "core/formats/yaml/composer.h"

namespace faketensor::yaml {

namespace {

// A place in a text. Each step moves past what it names, or returns false.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ == text_.size(); }
  bool accept(std::string_view set) {
    if (at_end() || set.find(text_[at_]) == std::string_view::npos) return false;
    ++at_;
    return true;
  }
  // As many as there are; true for at least `least` and at most `most`.
  bool accept_many(std::string_view set, size_t least = 1, size_t most = SIZE_MAX) {
    size_t count = 0;
    while (count < most && accept(set)) ++count;
    return count >= least;
  }
  bool accept_text(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kDigitsAndBars = "0123456789_";
constexpr std::string_view kSigns = "-+";

bool is_among(std::string_view value, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (value == word) return true;
  }
  return false;
}

// "(?::[0-5]?[0-9])+"
bool accept_sixtieths(Cursor& cursor) {
  size_t count = 0;
  while (cursor.accept(":")) {
    Cursor two = cursor;
    if (two.accept("012345") && two.accept(kDigits)) {
      cursor = two;
    } else if (!cursor.accept(kDigits)) {
      return false;
    }
    ++count;
  }
  return count > 0;
}

bool accept_exponent(Cursor& cursor) {
  return !cursor.accept("eE") || (cursor.accept(kSigns) && cursor.accept_many(kDigits));
}

bool is_float(std::string_view value) {
  Cursor cursor(value);
  const bool has_sign = cursor.accept(kSigns);
  if (cursor.accept(".")) {
    Cursor word = cursor;
    if (word.accept_text("inf") || word.accept_text("Inf") || word.accept_text("INF"))
      return word.at_end();
    if (has_sign) return false;
    if (word.accept_text("nan") || word.accept_text("NaN") || word.accept_text("NAN"))
      return word.at_end();
    if (!cursor.accept(kDigits)) return false;
    cursor.accept_many(kDigitsAndBars, 0);
    return accept_exponent(cursor) && cursor.at_end();
  }
  if (!cursor.accept(kDigits)) return false;
  cursor.accept_many(kDigitsAndBars, 0);
  Cursor sixtieths = cursor;
  if (accept_sixtieths(sixtieths))
    return sixtieths.accept(".") && sixtieths.accept_many(kDigitsAndBars, 0) && sixtieths.at_end();
  if (!cursor.accept(".")) return false;
  cursor.accept_many(kDigitsAndBars, 0);
  return accept_exponent(cursor) && cursor.at_end();
}

bool is_int(std::string_view value) {
  Cursor cursor(value);
  cursor.accept(kSigns);
  if (cursor.accept("0")) {
    if (cursor.at_end()) return true;
    if (cursor.accept("b")) return cursor.accept_many("01_") && cursor.at_end();
    if (cursor.accept("x")) return cursor.accept_many("0123456789abcdefABCDEF_") && cursor.at_end();
    return cursor.accept_many("01234567_") && cursor.at_end();
  }
  if (!cursor.accept("123456789")) return false;
  cursor.accept_many(kDigitsAndBars, 0);
  return cursor.at_end() || (accept_sixtieths(cursor) && cursor.at_end());
}

bool accept_zone(Cursor& cursor) {
  cursor.accept_many(" \t", 0);
  if (cursor.accept("Z")) return true;
  if (!cursor.accept(kSigns) || !cursor.accept_many(kDigits, 1, 2)) return false;
  return !cursor.accept(":") || cursor.accept_many(kDigits, 2, 2);
}

bool is_timestamp(std::string_view value) {
  Cursor cursor(value);
  if (!cursor.accept_many(kDigits, 4, 4) || !cursor.accept("-")) return false;
  Cursor date = cursor;
  if (date.accept_many(kDigits, 2, 2) && date.accept("-") && date.accept_many(kDigits, 2, 2) &&
      date.at_end())
    return true;
  if (!cursor.accept_many(kDigits, 1, 2) || !cursor.accept("-") ||
      !cursor.accept_many(kDigits, 1, 2))
    return false;
  if (!cursor.accept("Tt") && !cursor.accept_many(" \t")) return false;
  if (!cursor.accept_many(kDigits, 1, 2) || !cursor.accept(":") ||
      !cursor.accept_many(kDigits, 2, 2) || !cursor.accept(":") ||
      !cursor.accept_many(kDigits, 2, 2))
    return false;
  if (cursor.accept(".")) cursor.accept_many(kDigits, 0);
  return cursor.at_end() || (accept_zone(cursor) && cursor.at_end());
}

}  // namespace

std::string_view implicit_tag(std::string_view value) {
  if (value.ends_with('\n')) value.remove_suffix(1);  // a regular expression's $
  if (is_among(value, {"", "~", "null", "Null", "NULL"})) return "null";
  if (is_among(value, {"yes", "Yes", "YES", "no", "No", "NO", "true", "True", "TRUE", "false",
                       "False", "FALSE", "on", "On", "ON", "off", "Off", "OFF"}))
    return "bool";
  if (value == "<<") return "merge";
  if (value == "=") return "value";
  if (is_float(value)) return "float";
  if (is_int(value)) return "int";
  if (is_timestamp(value)) return "timestamp";
  return "str";
}

}  // namespace faketensor::yaml
