// How two texts of JSON differ as values.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace faketensor {

inline std::string without_blanks(std::string_view text) {
  std::string packed;
  packed.reserve(text.size());
  bool is_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_string && c == '\\')
      packed += text[i++];
    else if (c == '"')
      is_string = !is_string;
    if (is_string || (c != ' ' && c != '\n')) packed += text[i];
  }
  return packed;
}

// The beginning of what makes `expected` the other; empty for the same value. Large programs are not read
// where the texts already say so: under the sanitizers that takes a second each.
inline std::string json_difference(std::string_view expected, std::string_view other) {
  if (without_blanks(expected) == without_blanks(other)) return {};
  const auto a = nlohmann::json::parse(expected);
  const auto b = nlohmann::json::parse(other);
  return a == b ? std::string() : nlohmann::json::diff(a, b).dump().substr(0, 600);
}

}  // namespace faketensor
