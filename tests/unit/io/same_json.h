// Whether two texts of JSON are the same value.
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

// Large programs are not read where the texts already say so: under the sanitizers that takes a second each.
inline bool same_json(std::string_view a, std::string_view b) {
  return without_blanks(a) == without_blanks(b) ||
         nlohmann::json::parse(a) == nlohmann::json::parse(b);
}

}  // namespace faketensor
