// ProgramText: a program as text, where each of its nodes stands in it, and what is wrong with it.
//
// A program that was read of text comes with it (read_program_text.h), so that answers can be shown
// beside the lines that they belong to; one of another file is printed (readable_program in
// readable.h). Positions are bytes of the text; lines and columns, which people and editors count,
// are worked out of them: lines from 1, columns from 1 in UTF-16 units, as editors count.
//
//   const TextPlace place = text.place(text.span_of(id));   // {12, 9, 4}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace faketensor {

// Bytes [begin, end) of a text; end of 0: nowhere.
struct TextSpan {
  uint32_t begin = 0;
  uint32_t end = 0;

  bool is_somewhere() const { return end != 0; }
};

struct TextPlace {
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t length = 0;  // in UTF-16 units, within the line
};

struct TextProblem {
  enum class Severity : uint8_t {
    kError,    // the statement could not be read; what depends on its value is not reached
    kWarning,  // it was read, but says something that is not so
  };
  Severity severity = Severity::kError;
  TextSpan span;
  std::string message;
};

class ProgramText {
 public:
  explicit ProgramText(std::string text) : text_(std::move(text)) {}

  std::string_view text() const { return text_; }
  std::string_view text(TextSpan span) const {
    return std::string_view(text_).substr(span.begin, span.end - span.begin);
  }
  // Where a node of the main graph is given its name; nowhere for a node that no text names.
  TextSpan span_of(NodeId id) const {
    return index_of(id) < spans_.size() ? spans_[index_of(id)] : TextSpan{};
  }
  void set_span(NodeId id, TextSpan span);
  TextPlace place(TextSpan span) const;

  // By place. Of more than kMostProblems the rest are counted only.
  const std::vector<TextProblem>& problems() const { return problems_; }
  size_t error_count() const { return error_count_; }
  void add_problem(TextProblem problem);
  void sort_problems();
  // "NAME:3:18: aten.lnear: ..." of every error, a line each.
  std::string errors(std::string_view name) const;

  static constexpr size_t kMostProblems = 1000;

 private:
  void find_lines() const;

  std::string text_;
  std::vector<TextSpan> spans_;  // by NodeId
  std::vector<TextProblem> problems_;
  size_t error_count_ = 0;
  mutable std::vector<uint32_t> lines_;  // where each begins, found when first asked for
};

}  // namespace faketensor
