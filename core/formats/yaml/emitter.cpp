#include "core/formats/yaml/emitter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/formats/yaml/composer.h"
#include "core/formats/yaml/python_text.h"
#include "core/support/format.h"

namespace faketensor::yaml {

using Kind = python::Scalar::Kind;

namespace {

constexpr int kBestIndent = 2;
constexpr int kBestWidth = 80;
constexpr size_t kMaxSimpleKey = 128;

bool is_emitted_break(char32_t c) { return c == '\n' || c == 0x85 || c == 0x2028 || c == 0x2029; }
bool is_among(char32_t c, std::u32string_view set) {
  return set.find(c) != std::u32string_view::npos;
}

// Emitter.analyze_scalar, for block context and ASCII output.
struct Analysis {
  bool is_multiline = false;
  bool allows_plain = true;
  bool allows_single_quotes = true;
};

// Indicators that a plain scalar may not hold at this place.
bool is_indicator(std::u32string_view text, size_t i) {
  const char32_t c = text[i];
  const bool ends_word = i + 1 >= text.size() || is_space_or_end(text[i + 1]);
  if (i == 0) return is_among(c, U"#,[]{}&*!|>'\"%@`") || (is_among(c, U"?:-") && ends_word);
  return (c == ':' && ends_word) || (c == '#' && is_space_or_end(text[i - 1]));
}

Analysis analyze(std::u32string_view text) {
  Analysis result;
  if (text.empty()) return result;
  if (text.starts_with(U"---") || text.starts_with(U"...")) result.allows_plain = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    const bool is_break = is_emitted_break(c);
    const bool is_at_edge = i == 0 || i + 1 == text.size();
    result.is_multiline = result.is_multiline || is_break;
    if (is_indicator(text, i) || is_break || (c == ' ' && is_at_edge)) result.allows_plain = false;
    const bool is_special = c != '\n' && (c < 0x20 || c > 0x7E);
    const bool is_space_at_break =
        i > 0 && ((c == ' ' && is_emitted_break(text[i - 1])) || (is_break && text[i - 1] == ' '));
    if (is_special || is_space_at_break) result.allows_plain = result.allows_single_quotes = false;
  }
  return result;
}

struct Represented {
  std::string_view tag;
  std::string text;
};

// SafeRepresenter.
Represented represent(const python::Scalar& value) {
  switch (value.kind) {
    case Kind::kNone:
      return {"null", "null"};
    case Kind::kBool:
      return {"bool", value.truth ? "true" : "false"};
    case Kind::kInt:
      return {"int", value.text};
    case Kind::kFloat: {
      if (std::isnan(value.real)) return {"float", ".nan"};
      if (std::isinf(value.real)) return {"float", value.real < 0 ? "-.inf" : ".inf"};
      std::string text = format("{}", value.real);
      const size_t exponent = text.find('e');
      if (exponent != std::string::npos && text.find('.') == std::string::npos)
        text.insert(exponent, ".0");
      return {"float", text};
    }
    case Kind::kDate:
    case Kind::kDateTime:
      return {"timestamp", value.text};
    default:
      return {"str", value.text};
  }
}

}  // namespace

// --- structure ---

void Emitter::begin_item() {
  if (open_.empty() || open_.back().is_mapping) return;
  indent();
  indicator("-", true, true);
}

void Emitter::begin_collection(bool is_mapping, bool is_empty) {
  begin_item();
  if (is_empty) {
    indicator(is_mapping ? "{" : "[", true);
    indicator(is_mapping ? "}" : "]", false);
    return;
  }
  const bool is_value = !open_.empty() && open_.back().is_mapping;
  const bool is_indentless = !is_mapping && is_value && !after_indentation_;
  open_.push_back({is_mapping, indent_});
  if (indent_ < 0) {
    indent_ = 0;
  } else if (!is_indentless) {
    indent_ += kBestIndent;
  }
}

void Emitter::begin_mapping(bool is_empty) { begin_collection(true, is_empty); }
void Emitter::begin_sequence(bool is_empty) { begin_collection(false, is_empty); }

void Emitter::pop() {
  indent_ = open_.back().outer_indent;
  open_.pop_back();
}

void Emitter::key(const python::Scalar& name) {
  indent();
  const Represented key = represent(name);
  const std::u32string text = python::from_utf8(key.text);
  // PyYAML counts the length of its tag too, which would be written as "!!str".
  const bool is_simple = !text.empty() && !analyze(text).is_multiline &&
                         2 + key.tag.size() + text.size() < kMaxSimpleKey;
  if (is_simple) {
    write_scalar(name, true);
    indicator(":", false);
    return;
  }
  indicator("?", true, true);
  write_scalar(name, false);
  indent();
  indicator(":", true, true);
}

void Emitter::scalar(const python::Scalar& value) {
  begin_item();
  write_scalar(value, false);
}

std::string Emitter::finish() {
  indent();
  return std::move(out_);
}

// --- characters ---

void Emitter::write(std::u32string_view part) {
  column_ += static_cast<int>(part.size());
  out_ += python::to_utf8(part);
}

void Emitter::indicator(std::string_view text, bool needs_space, bool is_indentation) {
  if (needs_space && !after_space_) {
    out_ += ' ';
    ++column_;
  }
  out_ += text;
  column_ += static_cast<int>(text.size());
  // Not after "[", as in PyYAML: only empty collections are written in flow style here.
  after_space_ = false;
  after_indentation_ = after_indentation_ && is_indentation;
}

void Emitter::line_break(char32_t c) {
  out_ += python::to_utf8({&c, 1});
  after_space_ = after_indentation_ = true;
  column_ = 0;
}

void Emitter::line_breaks(std::u32string_view breaks) {
  if (breaks[0] == '\n') line_break();
  for (const char32_t c : breaks) line_break(c);
}

void Emitter::indent() {
  const int indent = std::max(indent_, 0);
  if (!after_indentation_ || column_ > indent || (column_ == indent && !after_space_)) line_break();
  if (column_ >= indent) return;
  after_space_ = true;
  out_.append(static_cast<size_t>(indent - column_), ' ');
  column_ = indent;
}

// --- scalars ---

void Emitter::write_scalar(const python::Scalar& value, bool is_simple_key) {
  const Represented shown = represent(value);
  const std::u32string text = python::from_utf8(shown.text);
  const Analysis analysis = analyze(text);
  const bool looks_right = implicit_tag(shown.text) == shown.tag;
  const int outer_indent = indent_;
  indent_ = indent_ < 0 ? kBestIndent : indent_ + kBestIndent;
  if (looks_right && analysis.allows_plain && !text.empty()) {
    plain(text, !is_simple_key);
  } else if (analysis.allows_single_quotes) {
    single_quoted(text, !is_simple_key);
  } else {
    double_quoted(text, !is_simple_key);
  }
  indent_ = outer_indent;
}

void Emitter::plain(std::u32string_view text, bool may_split) {
  if (!after_space_) write(U" ");
  after_space_ = after_indentation_ = false;
  words(text, may_split, false);
}

void Emitter::single_quoted(std::u32string_view text, bool may_split) {
  indicator("'", true);
  words(text, may_split, true);
  indicator("'", false);
}

// Runs of spaces, of line breaks, and of the rest; a single space past the width becomes a new
// line.
void Emitter::words(std::u32string_view text, bool may_split, bool is_quoted) {
  for (size_t i = 0; i < text.size();) {
    const auto kind_at = [&](size_t at) {
      return text[at] == ' ' ? 0 : is_emitted_break(text[at]) ? 1 : 2;
    };
    const int kind = kind_at(i);
    size_t end = i + 1;
    while (end < text.size() && kind_at(end) == kind) ++end;
    const std::u32string_view run = text.substr(i, end - i);
    if (kind == 1) {
      line_breaks(run);
      indent();
      if (!is_quoted) after_space_ = after_indentation_ = false;
    } else if (kind == 0 && run.size() == 1 && column_ > kBestWidth && may_split &&
               (!is_quoted || (i != 0 && end != text.size()))) {
      indent();
      if (!is_quoted) after_space_ = after_indentation_ = false;
    } else {
      for (const char32_t c : run)
        write(is_quoted && c == '\'' ? U"''" : std::u32string_view(&c, 1));
    }
    i = end;
  }
}

namespace {
std::u32string escaped(char32_t c) {
  static constexpr std::u32string_view kFrom = U"\a\b\t\n\v\f\r\x1B\"\\\x85\xA0\u2028\u2029";
  static constexpr std::u32string_view kTo = U"abtnvfre\"\\N_LP";
  static_assert(kFrom.size() == kTo.size());
  if (c == 0) return U"\\0";
  const size_t at = kFrom.find(c);
  if (at != std::u32string_view::npos) return {U'\\', kTo[at]};
  const int digits = c <= 0xFF ? 2 : c <= 0xFFFF ? 4 : 8;
  std::u32string out = {U'\\', digits == 2 ? U'x' : digits == 4 ? U'u' : U'U'};
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    out += U"0123456789ABCDEF"[c >> shift & 0xF];
  return out;
}
}  // namespace

void Emitter::double_quoted(std::u32string_view text, bool may_split) {
  indicator("\"", true);
  size_t start = 0;  // of what is not written yet
  const auto flush = [&](size_t end) {
    if (start < end) write(text.substr(start, end - start));
    start = std::max(start, end);
  };
  for (size_t i = 0; i <= text.size(); ++i) {
    const char32_t c = i < text.size() ? text[i] : U'\0';
    const bool is_end = i == text.size();
    if (is_end || c == '"' || c == '\\' || c < 0x20 || c > 0x7E) {
      flush(i);
      if (!is_end) {
        write(escaped(c));
        start = i + 1;
      }
    }
    const auto length = static_cast<int>(i) - static_cast<int>(start);
    if (i == 0 || i + 1 >= text.size() || (c != ' ' && start < i) ||
        column_ + length <= kBestWidth || !may_split)
      continue;
    flush(i);
    write(U"\\");
    indent();
    after_space_ = after_indentation_ = false;
    if (text[start] == ' ') write(U"\\");
  }
  indicator("\"", false);
}

}  // namespace faketensor::yaml
