// TextTable: rows of cells, printed with their columns aligned.
//
//   TextTable table({"target", ">memory"});          // ">" aligns a column to the right
//   table.add({"h100-sxm", "80.0 GiB"});
//   table.print(out, "  ");
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/command/command.h"

namespace faketensor {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> head);
  // As many cells as the head has; their width is counted in bytes.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool is_empty() const { return rows_.size() == 1; }
  // Each line behind `indent`; the head first, unless all its texts are empty.
  void print(BufferedOut& out, std::string_view indent = "") const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<bool> to_right_;
};

}  // namespace faketensor
