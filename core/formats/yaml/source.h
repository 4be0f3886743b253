// Source: the text of one YAML document by character, and how its places are shown in errors.
//
// Lines and columns count characters, not bytes, and every error shows the line that it is about,
// as PyYAML's do (yaml/reader.py, yaml/error.py):
//
//   mapping values are not allowed here
//     in "<unicode string>", line 1, column 5:
//       a: b: c
//           ^
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/support/error.h"

namespace faketensor::yaml {

// Texts longer than this, and documents nested deeper, are refused (LimitExceeded).
inline constexpr size_t kMaxTextBytes = size_t{16} << 20;
inline constexpr int kMaxDepth = 128;

struct Mark {
  uint32_t index = 0;
  uint32_t line = 0;  // from 0
  uint32_t column = 0;
};

class Source {
 public:
  // Raises ReaderError for a character that YAML does not know.
  explicit Source(std::string_view text);

  // The character at an index; NUL at the end and beyond.
  char32_t at(size_t index) const { return index < text_.size() ? text_[index] : U'\0'; }
  std::u32string_view text() const { return text_; }

  // Raises an error of PyYAML's form: context and problem, each with the place it is about.
  [[noreturn, gnu::cold]] void fail(ErrorKind kind, std::string_view problem, Mark place) const;
  [[noreturn, gnu::cold]] void fail(ErrorKind kind, std::string_view context, Mark begin,
                                    std::string_view problem, Mark place) const;

 private:
  std::string describe(Mark mark) const;

  std::u32string text_;
};

inline bool is_break(char32_t c) {
  return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}
inline bool is_break_or_end(char32_t c) { return c == 0 || is_break(c); }
inline bool is_space_or_end(char32_t c) { return c == ' ' || c == '\t' || is_break_or_end(c); }
// Whether a character is one of these ASCII ones.
inline bool is_one_of(char32_t c, std::string_view set) {
  return c < 0x80 && c != 0 && set.find(static_cast<char>(c)) != std::string_view::npos;
}
inline bool is_hex(char32_t c) { return is_one_of(c, "0123456789ABCDEFabcdef"); }
// Of digits that are hexadecimal.
inline unsigned hex_value(std::u32string_view digits) {
  unsigned value = 0;
  for (const char32_t c : digits) value = value << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  return value;
}

}  // namespace faketensor::yaml
