#include "core/graph/text/program_text.h"

#include <algorithm>

#include "core/support/format.h"

namespace faketensor {

namespace {

// UTF-16 units of UTF-8: a byte that continues a character is none, one that begins a character
// beyond the first plane is two.
uint32_t utf16_units(std::string_view text) {
  uint32_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    units += (byte & 0xC0u) == 0x80u ? 0 : byte >= 0xF0u ? 2 : 1;
  }
  return units;
}

}  // namespace

void ProgramText::set_span(NodeId id, TextSpan span) {
  if (spans_.size() <= index_of(id)) spans_.resize(index_of(id) + 1);
  spans_[index_of(id)] = span;
}

void ProgramText::find_lines() const {
  lines_.push_back(0);
  for (size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1))
    lines_.push_back(static_cast<uint32_t>(at + 1));
}

TextPlace ProgramText::place(TextSpan span) const {
  if (lines_.empty()) find_lines();
  const auto next = std::upper_bound(lines_.begin(), lines_.end(), span.begin);
  const uint32_t begin = *std::prev(next);
  const std::string_view all(text_);
  const size_t line_end = std::min(all.find('\n', span.begin), all.size());
  const size_t end = std::min<size_t>(std::max(span.begin, span.end), line_end);
  return {static_cast<uint32_t>(next - lines_.begin()),
          utf16_units(all.substr(begin, span.begin - begin)) + 1,
          utf16_units(all.substr(span.begin, end - span.begin))};
}

void ProgramText::add_problem(TextProblem problem) {
  if (problem.severity == TextProblem::Severity::kError) ++error_count_;
  if (problems_.size() < kMostProblems) problems_.push_back(std::move(problem));
}

void ProgramText::sort_problems() {
  std::stable_sort(
      problems_.begin(), problems_.end(),
      [](const TextProblem& a, const TextProblem& b) { return a.span.begin < b.span.begin; });
}

std::string ProgramText::errors(std::string_view name) const {
  std::string text;
  size_t told = 0;
  for (const TextProblem& problem : problems_) {
    if (problem.severity != TextProblem::Severity::kError) continue;
    const TextPlace at = place(problem.span);
    text += format("{}{}:{}:{}: {}", told++ == 0 ? "" : "\n", name, at.line, at.column,
                   problem.message);
  }
  if (error_count_ > told) text += format("\nand {} more", error_count_ - told);
  return text;
}

}  // namespace faketensor
