#include "core/formats/yaml/source.h"

#include "core/formats/yaml/python_text.h"
#include "core/support/format.h"

namespace faketensor::yaml {

namespace {

// yaml.reader.Reader.NON_PRINTABLE.
bool is_yaml_character(char32_t c) {
  return c == 0x09 || c == 0x0A || c == 0x0D || (c >= 0x20 && c <= 0x7E) || c == 0x85 ||
         (c >= 0xA0 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) || c >= 0x10000;
}

// "x0007"
std::string hex(char32_t c) {
  std::string text = "x";
  for (int shift = c < 0x10000 ? 12 : 20; shift >= 0; shift -= 4)
    text += "0123456789abcdef"[c >> shift & 0xF];
  return text;
}

}  // namespace

Source::Source(std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    throw_error(ErrorKind::kLimitExceeded,
                format("a YAML text of {} bytes; at most {} are read", text.size(), kMaxTextBytes));
  }
  text_ = python::from_utf8(text);
  for (size_t i = 0; i < text_.size(); ++i) {
    if (is_yaml_character(text_[i])) continue;
    throw_error(ErrorKind::kYamlReaderError,
                format("unacceptable character #{}: special characters are not allowed\n  in "
                       "\"<unicode string>\", position {}",
                       hex(text_[i]), i));
  }
}

// yaml.error.Mark.__str__ and get_snippet: at most 75 characters of the line around the place.
std::string Source::describe(Mark mark) const {
  constexpr size_t kHalf = 36;
  const std::u32string_view ellipsis = U" ... ";
  size_t begin = mark.index;
  std::u32string_view head;
  while (begin > 0 && !is_break_or_end(at(begin - 1))) {
    --begin;
    if (mark.index - begin > kHalf) {
      head = ellipsis;
      begin += 5;
      break;
    }
  }
  size_t end = mark.index;
  std::u32string_view tail;
  while (end < text_.size() && !is_break_or_end(at(end))) {
    ++end;
    if (end - mark.index > kHalf) {
      tail = ellipsis;
      end -= 5;
      break;
    }
  }
  const std::u32string_view snippet = std::u32string_view(text_).substr(begin, end - begin);
  return format("  in \"<unicode string>\", line {}, column {}:\n    {}{}{}\n{}^", mark.line + 1,
                mark.column + 1, python::to_utf8(head), python::to_utf8(snippet),
                python::to_utf8(tail), std::string(4 + mark.index - begin + head.size(), ' '));
}

void Source::fail(ErrorKind kind, std::string_view problem, Mark place) const {
  throw_error(kind, format("{}\n{}", problem, describe(place)));
}

void Source::fail(ErrorKind kind, std::string_view context, Mark begin, std::string_view problem,
                  Mark place) const {
  std::string message(context);
  if (begin.line != place.line || begin.column != place.column)
    message.append("\n").append(describe(begin));
  throw_error(kind, message.append("\n").append(problem).append("\n").append(describe(place)));
}

}  // namespace faketensor::yaml
