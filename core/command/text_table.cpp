#include "core/command/text_table.h"

#include <algorithm>
#include <utility>

namespace faketensor {

TextTable::TextTable(std::vector<std::string> head) {
  for (std::string& name : head) {
    to_right_.push_back(name.starts_with('>'));
    if (to_right_.back()) name.erase(0, 1);
  }
  rows_.push_back(std::move(head));
}

void TextTable::print(BufferedOut& out, std::string_view indent) const {
  std::vector<size_t> widths(to_right_.size(), 0);
  for (const std::vector<std::string>& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const std::vector<std::string>& row : rows_) {
    std::string line(indent);
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      const std::string padding(widths[i] - row[i].size(), ' ');
      line += to_right_[i] ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    if (line.empty()) continue;
    out.text() += line;
    out.line_done();
  }
}

}  // namespace faketensor
