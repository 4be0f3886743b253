#include "core/support/text_diff.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace faketensor {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

}  // namespace

std::string text_diff(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> old_lines = lines_of(before);
  const std::vector<std::string_view> new_lines = lines_of(after);
  // Of the new lines that are not printed yet.
  std::unordered_map<std::string_view, size_t> waiting;
  for (const std::string_view line : new_lines) ++waiting[line];
  std::string diff;
  size_t at = 0;
  const auto print = [&](char sign, std::string_view line) {
    diff.append(1, sign).append(line).append(1, '\n');
  };
  const auto print_new = [&] {
    --waiting[new_lines[at]];
    print('+', new_lines[at++]);
  };
  for (const std::string_view line : old_lines) {
    if (waiting[line] == 0) {
      print('-', line);
      continue;
    }
    while (new_lines[at] != line) print_new();
    --waiting[line];
    print(' ', new_lines[at++]);
  }
  while (at < new_lines.size()) print_new();
  return diff;
}

}  // namespace faketensor
