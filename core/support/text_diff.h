// text_diff: what one text has and the other has not, a line each.
//
//   text_diff("a\nb\n", "a\nc\n")      // " a\n-b\n+c\n"
#pragma once

#include <string>
#include <string_view>

namespace faketensor {

// In order; lines that both have stand where they are the same. Time is linear in lines.
std::string text_diff(std::string_view before, std::string_view after);

}  // namespace faketensor
