// NameTable: constexpr rows sorted by the name `op`, found by it.
//
// The rows of a name's first letter are known, so that a search compares few names: the registry
// asks for each of its three thousand entries. A table that is not sorted, or has a name twice,
// does not compile.
//
//   constexpr Row kRows[] = {{"add", 1}, {"sub", 2}};
//   constexpr NameTable kTable(kRows);
//   const Row* row = kTable.find("sub");  // null where there is none
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace faketensor {

template <typename Row>
class NameTable {
 public:
  template <size_t N>
  consteval explicit NameTable(const Row (&rows)[N]) : rows_(rows) {
    for (size_t i = 0; i < N; ++i) {
      if (i > 0 && !(rows[i - 1].op < rows[i].op)) throw "rows are sorted by name, each name once";
      ends_[letter(rows[i].op)] = static_cast<uint16_t>(i + 1);
    }
    for (size_t c = 1; c < ends_.size(); ++c) {
      if (ends_[c] == 0) ends_[c] = ends_[c - 1];
    }
  }

  const Row* find(std::string_view op) const {
    if (op.empty()) return nullptr;
    const size_t c = letter(op);
    size_t begin = c == 0 ? 0 : ends_[c - 1];
    size_t end = ends_[c];
    while (begin < end) {
      const size_t middle = (begin + end) / 2;
      const int order = rows_[middle].op.compare(op);
      if (order == 0) return &rows_[middle];
      (order < 0 ? begin : end) = order < 0 ? middle + 1 : middle;
    }
    return nullptr;
  }
  std::span<const Row> rows() const { return rows_; }

 private:
  static constexpr size_t letter(std::string_view op) { return static_cast<size_t>(op[0]) & 0x7F; }

  std::span<const Row> rows_;
  std::array<uint16_t, 128> ends_ = {};  // of the rows up to a first letter
};

}  // namespace faketensor
