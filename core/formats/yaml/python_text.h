// Python's str: text by character, and its repr.
#pragma once

#include <string>
#include <string_view>

namespace faketensor::python {

std::string to_utf8(std::u32string_view text);
// U+FFFD for each byte that begins no character.
std::u32string from_utf8(std::string_view text);

// With quotes and escapes: 'a\n'.
std::string repr(std::u32string_view text);
std::string repr(std::string_view text);
inline std::string repr(char32_t c) { return repr(std::u32string_view(&c, 1)); }

// The character by its number, as Python's codecs name it: '\xe9', '\u20ac'.
std::string escape(char32_t c);

}  // namespace faketensor::python
