#include "core/graph/text/lexer.h"

#include <algorithm>
#include <array>

namespace faketensor {

namespace {

constexpr std::string_view kLongOperators[] = {"**=", "//=", ">>=", "<<=", "...", "**", "//", "<<",
                                               ">>",  "<=",  ">=",  "==",  "!=",  "->", ":=", "+=",
                                               "-=",  "*=",  "/=",  "%=",  "&=",  "|=", "^=", "@="};
// What may follow the first character of a long one.
constexpr std::string_view kSecondOfLong = "*/<>=.";
constexpr std::string_view kPunctuation = "()[]{},:;=.+-*/%@<>&|^~";

// What a line that is passed over is looked through for.
enum class LineChar : uint8_t { kOther, kOpening, kClosing, kEndsSimpleLine };
constexpr std::array<LineChar, 256> kLineChars = [] {
  std::array<LineChar, 256> chars{};
  for (const unsigned char c : {'(', '[', '{'}) chars[c] = LineChar::kOpening;
  for (const unsigned char c : {')', ']', '}'}) chars[c] = LineChar::kClosing;
  for (const unsigned char c : {'\n', '#', '\'', '"', '\\'}) chars[c] = LineChar::kEndsSimpleLine;
  return chars;
}();

}  // namespace

void TextLexer::advance() {
  last_end_ = token_.span.end;
  token_ = scan();
}

void TextLexer::skip_line() {
  // A bracket that nobody closes would make one line of all that follows: lines are taken as they
  // stand.
  if (token_.kind == Token::Kind::kLineEnd || token_.kind == Token::Kind::kEnd) return;
  if (skip_simple_line()) return;
  if (depth_ > 0) {
    depth_ = 0;
    at_ = std::min(text_.find('\n', token_.span.begin), text_.size());
  }
  while (token_.kind != Token::Kind::kLineEnd && token_.kind != Token::Kind::kEnd) {
    advance();
    if (depth_ <= 0) continue;
    depth_ = 0;
    at_ = std::min(text_.find('\n', token_.span.begin), text_.size());
  }
}

// To the end of a line without strings and comments whose brackets are closed in it: most of a long
// text, of which no tokens are made. False, and nothing is skipped, for any other line.
bool TextLexer::skip_simple_line() {
  int depth = depth_;
  for (size_t at = at_; at < text_.size(); ++at) {
    const LineChar of = kLineChars[static_cast<unsigned char>(text_[at])];
    if (of == LineChar::kOpening) ++depth;
    if (of == LineChar::kClosing) --depth;
    if (of != LineChar::kEndsSimpleLine) continue;
    if (text_[at] != '\n' || depth != 0) return false;
    depth_ = 0;
    size_t end = at;
    while (end > token_.span.end && (text_[end - 1] == ' ' || text_[end - 1] == '\r')) --end;
    last_end_ = static_cast<uint32_t>(end);
    at_ = at + 1;
    token_ = make(Token::Kind::kLineEnd, at);
    return true;
  }
  return false;
}

bool TextLexer::end_line() {
  const size_t end = text_.find('\n', last_end_);
  if (end == std::string_view::npos || end >= token_.span.begin) return false;
  depth_ = 0;
  at_ = end + 1;
  token_ = make(Token::Kind::kLineEnd, end);
  return true;
}

size_t TextLexer::indent() const {
  const size_t begin = token_.span.begin == 0 ? 0 : text_.rfind('\n', token_.span.begin - 1) + 1;
  return text_.find_first_not_of(" \t", begin) - begin;
}

Token TextLexer::make(Token::Kind kind, size_t begin) {
  Token token;
  token.kind = kind;
  token.span = {static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)};
  token.text = text_.substr(begin, at_ - begin);
  return token;
}

Token TextLexer::scan() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '#') {
      const size_t end = std::min(text_.find('\n', at_), text_.size());
      comment_ = text_.substr(at_, end - at_);
      at_ = end;
    } else if (c == '\\' && text_.substr(at_).starts_with("\\\n")) {
      at_ += 2;
    } else if (c == '\n' && depth_ <= 0) {
      ++at_;
      return make(Token::Kind::kLineEnd, at_ - 1);
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f') {
      ++at_;
    } else {
      break;
    }
  }
  const size_t begin = at_;
  if (begin >= text_.size()) return make(Token::Kind::kEnd, begin);
  const char c = text_[begin];
  if (is_letter(c)) {
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return make(Token::Kind::kName, begin);
  }
  const bool is_fraction = c == '.' && begin + 1 < text_.size() && is_digit(text_[begin + 1]);
  if (is_digit(c) || is_fraction) {
    for (; at_ < text_.size(); ++at_) {
      const char next = text_[at_];
      const bool is_sign = (next == '-' || next == '+') &&
                           (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') &&
                           !text_.substr(begin).starts_with("0x");
      if (!is_letter(next) && !is_digit(next) && next != '.' && !is_sign) break;
    }
    return make(Token::Kind::kNumber, begin);
  }
  if (c == '"' || c == '\'') return scan_string(begin);
  const bool may_be_long =
      begin + 1 < text_.size() && kSecondOfLong.find(text_[begin + 1]) != std::string_view::npos;
  for (const std::string_view op : kLongOperators) {
    if (!may_be_long) break;
    if (!text_.substr(begin).starts_with(op)) continue;
    at_ += op.size();
    return make(Token::Kind::kOperator, begin);
  }
  ++at_;
  if (kPunctuation.find(c) == std::string_view::npos) return make(Token::Kind::kWrong, begin);
  if (c == '(' || c == '[' || c == '{') ++depth_;
  if (c == ')' || c == ']' || c == '}') --depth_;
  return make(Token::Kind::kOperator, begin);
}

Token TextLexer::scan_string(size_t begin) {
  const char quote = text_[begin];
  const std::string triple(3, quote);
  const bool is_triple = text_.substr(begin).starts_with(triple);
  at_ += is_triple ? 3 : 1;
  while (at_ < text_.size()) {
    if (is_triple ? text_.substr(at_).starts_with(triple) : text_[at_] == quote) {
      at_ += is_triple ? 3 : 1;
      return make(Token::Kind::kString, begin);
    }
    if (text_[at_] == '\n' && !is_triple) break;
    if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
    ++at_;
  }
  return make(Token::Kind::kWrong, begin);
}

std::string unquoted(std::string_view token) {
  const size_t quotes = token.size() >= 6 && token.substr(0, 3) == std::string(3, token[0]) ? 3 : 1;
  std::string text;
  token = token.substr(quotes, token.size() - 2 * quotes);
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '\\' || i + 1 == token.size()) {
      text += token[i];
      continue;
    }
    constexpr std::string_view kEscapes = "ntr\\'\"";
    constexpr std::string_view kMeant = "\n\t\r\\'\"";
    const size_t at = kEscapes.find(token[++i]);
    if (at == std::string_view::npos) text += '\\';
    text += at == std::string_view::npos ? token[i] : kMeant[at];
  }
  return text;
}

}  // namespace faketensor
