// The scanner's scalars: block ("|", ">"), quoted and plain ones.
#include <algorithm>
#include <utility>

#include "core/formats/yaml/python_text.h"
#include "core/formats/yaml/scanner.h"
#include "core/support/format.h"

namespace faketensor::yaml {

// --- block scalars ---

Token Scanner::scan_block_scalar(bool is_folded) {
  Token token;
  token.kind = TokenKind::kScalar;
  token.start = place_;
  advance();
  const BlockHeader header = scan_block_header(token.start);
  const int64_t least = std::max<int64_t>(indent_ + 1, 1);
  int64_t indent = least + header.increment - 1;
  std::u32string breaks;
  if (header.increment == 0) {
    int64_t deepest = 0;
    breaks = scan_indentation(deepest);
    indent = std::max(least, deepest);
  } else {
    breaks = scan_breaks(indent);
  }
  std::u32string content;
  char32_t line_break = 0;
  while (place_.column == indent && look() != 0) {
    content += breaks;
    const bool begins_with_space = look() == ' ' || look() == '\t';
    for (; !is_break_or_end(look()); advance()) content += look();
    line_break = scan_break();
    breaks = scan_breaks(indent);
    if (place_.column != indent || look() == 0) break;
    const bool is_joined =
        is_folded && line_break == '\n' && !begins_with_space && look() != ' ' && look() != '\t';
    if (!is_joined) {
      if (line_break != 0) content += line_break;
    } else if (breaks.empty()) {
      content += U' ';
    }
  }
  if (header.chomping != '-' && line_break != 0) content += line_break;
  if (header.chomping == '+') content += breaks;
  token.value = python::to_utf8(content);
  token.end = place_;
  return token;
}

int Scanner::scan_increment(Mark start) {
  if (look() < '0' || look() > '9') return 0;
  const int increment = static_cast<int>(look() - '0');
  if (increment == 0) {
    fail("while scanning a block scalar", start,
         "expected indentation indicator in the range 1-9, but found 0");
  }
  advance();
  return increment;
}

Scanner::BlockHeader Scanner::scan_block_header(Mark start) {
  BlockHeader header;
  const auto scan_chomping = [&] {
    if (look() != '+' && look() != '-') return false;
    header.chomping = look();
    advance();
    return true;
  };
  if (scan_chomping()) {
    header.increment = scan_increment(start);
  } else {
    header.increment = scan_increment(start);
    if (header.increment != 0) scan_chomping();
  }
  if (look() != ' ' && !is_break_or_end(look())) {
    fail("while scanning a block scalar", start,
         format("expected chomping or indentation indicators, but found {}", python::repr(look())));
  }
  while (look() == ' ') advance();
  skip_comment();
  if (!is_break_or_end(look())) {
    fail("while scanning a block scalar", start,
         format("expected a comment or a line break, but found {}", python::repr(look())));
  }
  scan_break();
  return header;
}

std::u32string Scanner::scan_indentation(int64_t& deepest) {
  std::u32string breaks;
  while (look() == ' ' || is_break(look())) {
    if (look() != ' ') {
      breaks += scan_break();
    } else {
      advance();
      deepest = std::max<int64_t>(deepest, place_.column);
    }
  }
  return breaks;
}

std::u32string Scanner::scan_breaks(int64_t indent) {
  std::u32string breaks;
  const auto skip_indent = [&] {
    while (place_.column < indent && look() == ' ') advance();
  };
  skip_indent();
  while (is_break(look())) {
    breaks += scan_break();
    skip_indent();
  }
  return breaks;
}

// --- quoted scalars ---

Token Scanner::scan_quoted(char32_t quote) {
  Token token;
  token.kind = TokenKind::kScalar;
  token.start = place_;
  std::u32string content;
  advance();
  scan_quoted_text(content, quote == '"', token.start);
  while (look() != quote) {
    scan_quoted_spaces(content, token.start);
    scan_quoted_text(content, quote == '"', token.start);
  }
  advance();
  token.value = python::to_utf8(content);
  token.end = place_;
  return token;
}

void Scanner::scan_quoted_text(std::u32string& out, bool is_double, Mark start) {
  for (;;) {
    const char32_t c = look();
    if (is_space_or_end(c)) return;
    if (!is_double && c == '\'') {
      if (look(1) != '\'') return;
      out += U'\'';
      advance(2);
    } else if (is_double && c == '"') {
      return;
    } else if (is_double && c == '\\') {
      advance();
      scan_escape(out, start);
    } else {
      out += c;
      advance();
    }
  }
}

void Scanner::scan_escape(std::u32string& out, Mark start) {
  static constexpr std::string_view kNames = "0abt\tnvfre \"\\/N_LP";
  static constexpr char32_t kMeant[] = {0,    7,   8,   9,    9,   10,   11,   12,     13,
                                        0x1B, ' ', '"', '\\', '/', 0x85, 0xA0, 0x2028, 0x2029};
  static_assert(std::size(kMeant) == 18);
  const char32_t c = look();
  if (is_one_of(c, kNames)) {
    out += kMeant[kNames.find(static_cast<char>(c))];
    advance();
  } else if (c == 'x' || c == 'u' || c == 'U') {
    const size_t length = c == 'x' ? 2 : c == 'u' ? 4 : 8;
    advance();
    for (size_t i = 0; i < length; ++i) {
      if (is_hex(look(i))) continue;
      fail("while scanning a double-quoted scalar", start,
           format("expected escape sequence of {} hexadecimal numbers, but found {}", length,
                  python::repr(look(i))));
    }
    const char32_t code = hex_value(text(length));
    if (code > 0x10FFFF) throw_error(ErrorKind::kValueError, "chr() arg not in range(0x110000)");
    out += code;
    advance(length);
  } else if (is_break(c)) {
    scan_break();
    out += scan_quoted_breaks(start);
  } else {
    fail("while scanning a double-quoted scalar", start,
         format("found unknown escape character {}", python::repr(c)));
  }
}

void Scanner::scan_quoted_spaces(std::u32string& out, Mark start) {
  std::u32string spaces;
  for (; look() == ' ' || look() == '\t'; advance()) spaces += look();
  if (look() == 0) fail("while scanning a quoted scalar", start, "found unexpected end of stream");
  const char32_t line_break = scan_break();
  if (line_break == 0) {
    out += spaces;
    return;
  }
  const std::u32string breaks = scan_quoted_breaks(start);
  if (line_break != '\n') {
    out += line_break;
  } else if (breaks.empty()) {
    out += U' ';
  }
  out += breaks;
}

std::u32string Scanner::scan_quoted_breaks(Mark start) {
  std::u32string breaks;
  for (;;) {
    if (at_separator())
      fail("while scanning a quoted scalar", start, "found unexpected document separator");
    while (look() == ' ' || look() == '\t') advance();
    const char32_t line_break = scan_break();
    if (line_break == 0) return breaks;
    breaks += line_break;
  }
}

// --- plain scalars ---

Token Scanner::scan_plain() {
  Token token;
  token.kind = TokenKind::kScalar;
  token.is_plain = true;
  token.start = token.end = place_;
  const bool in_flow = flow_level_ > 0;
  const auto ends_at = [&](size_t i) {
    const char32_t c = look(i);
    if (is_space_or_end(c)) return true;
    if (c == ':')
      return is_space_or_end(look(i + 1)) || (in_flow && is_one_of(look(i + 1), ",[]{}"));
    return in_flow && is_one_of(c, ",?[]{}");
  };
  std::u32string content;
  std::u32string spaces;
  while (look() != '#') {
    size_t length = 0;
    while (!ends_at(length)) ++length;
    if (length == 0) break;
    allows_key_ = false;
    content += spaces;
    content += text(length);
    advance(length);
    token.end = place_;
    std::optional<std::u32string> between = scan_plain_spaces();
    if (!between || between->empty() || look() == '#' ||
        (!in_flow && int64_t{place_.column} < indent_ + 1))
      break;
    spaces = std::move(*between);
  }
  token.value = python::to_utf8(content);
  return token;
}

// Nothing where a document ends.
std::optional<std::u32string> Scanner::scan_plain_spaces() {
  std::u32string spaces;
  for (; look() == ' '; advance()) spaces += U' ';
  const char32_t line_break = scan_break();
  if (line_break == 0) return spaces;
  allows_key_ = true;
  if (at_separator()) return {};
  std::u32string breaks;
  while (look() == ' ' || is_break(look())) {
    if (look() == ' ') {
      advance();
    } else {
      breaks += scan_break();
      if (at_separator()) return {};
    }
  }
  std::u32string joined;
  if (line_break != '\n') {
    joined += line_break;
  } else if (breaks.empty()) {
    joined += U' ';
  }
  return joined + breaks;
}

}  // namespace faketensor::yaml
