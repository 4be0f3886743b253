// Building of text: `format("expected {} but got {}", a, b)` and `append`.
//
// Used for error messages and printing, never on a hot path. A type takes part by an
// `append_text(std::string&, T)` found by argument-dependent look-up; lists print as Python prints
// them, "[2, 3]".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace faketensor {

void append_text(std::string& out, int64_t value);
void append_text(std::string& out, uint64_t value);
// Shortest text that reads back as the same double, always with '.' or 'e', as Python's repr:
// "2.0", "1e-05", "inf", "nan".
void append_text(std::string& out, double value);
inline void append_text(std::string& out, std::string_view value) { out += value; }
inline void append_text(std::string& out, const std::string& value) { out += value; }
inline void append_text(std::string& out, const char* value) { out += value; }
inline void append_text(std::string& out, char value) { out += value; }
inline void append_text(std::string& out, bool value) { out += value ? "True" : "False"; }
template <typename T>
requires(std::is_integral_v<T> && !std::is_same_v<T, bool> &&
         !std::is_same_v<T, char>) void append_text(std::string& out, T value) {
  if constexpr (std::is_signed_v<T>) {
    append_text(out, static_cast<int64_t>(value));
  } else {
    append_text(out, static_cast<uint64_t>(value));
  }
}

// "[2, 3]": a Python list of the elements' texts.
template <typename T>
void append_list(std::string& out, std::span<const T> values) {
  out += '[';
  bool first = true;
  for (const T& value : values) {
    if (!first) out += ", ";
    first = false;
    append_text(out, value);
  }
  out += ']';
}
template <typename T>
void append_text(std::string& out, std::span<T> values) {
  append_list(out, std::span<const std::remove_const_t<T>>(values));
}

// One argument of `format` without its type: a rule that throws holds two words per argument, and
// the text is built in one place.
struct FormatPart {
  const void* value;
  void (*append)(std::string& out, const void* value);
};

template <typename T>
FormatPart format_part(const T& value) {
  return {&value, [](std::string& out, const void* erased) {
            append_text(out, *static_cast<const T*>(erased));
          }};
}
inline FormatPart format_part(const char* text) {
  return {text, [](std::string& out, const void* erased) {
            append_text(out, static_cast<const char*>(erased));
          }};
}

[[gnu::cold]] std::string format_parts(std::string_view pattern, std::span<const FormatPart> parts);

// Replaces each "{}" of `pattern` by the text of the next argument. Braces have no other meaning.
template <typename... Args>
[[gnu::cold]] std::string format(std::string_view pattern, const Args&... args) {
  if constexpr (sizeof...(Args) == 0) {
    return format_parts(pattern, {});
  } else {
    const FormatPart parts[] = {format_part(args)...};
    return format_parts(pattern, parts);
  }
}

}  // namespace faketensor
