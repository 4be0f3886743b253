// TextLexer: the tokens of Python that a printed or typed program is made of.
//
// Names, numbers, strings, operators and the ends of logical lines: inside of brackets a line end is
// none, as in Python. Comments are passed over; the last one is kept, because torch.fx prints a
// node's source line as one. It never fails: what begins no token is a token of kind kWrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/graph/text/program_text.h"

namespace faketensor {

// What a name is made of; a byte that is not ASCII is part of a letter.
inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80u) != 0;
}
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Token {
  enum class Kind : uint8_t { kName, kNumber, kString, kOperator, kLineEnd, kEnd, kWrong };
  Kind kind = Kind::kEnd;
  TextSpan span;
  std::string_view text;

  // Asked of every token, mostly with one character.
  bool is(std::string_view op) const {
    return kind == Kind::kOperator && text[0] == op[0] && text.size() == op.size() &&
           (op.size() == 1 || text == op);
  }
  bool is_name(std::string_view name) const { return kind == Kind::kName && text == name; }
};

class TextLexer {
 public:
  // The tokens of bytes [begin, end) of `text`.
  TextLexer(std::string_view text, size_t begin, size_t end)
      : text_(text.substr(0, end)), at_(begin) {
    advance();
  }

  const Token& token() const { return token_; }
  // The end of the token before `token`.
  uint32_t last_end() const { return last_end_; }
  void advance();
  // To the end of the logical line, past whatever stands in it.
  void skip_line();
  // Ends the logical line at the end of the line that the last token stands in, where a bracket that
  // is missing had joined the next one to it. False where the next token stands in the same line.
  bool end_line();
  // How many columns the line of `token` is indented.
  size_t indent() const;
  // "File: x.py:12 in forward, code: ..." of the last comment.
  std::string_view comment() const { return comment_; }

 private:
  Token scan();
  Token make(Token::Kind kind, size_t begin);
  Token scan_string(size_t begin);
  bool skip_simple_line();

  std::string_view text_;
  size_t at_;
  int depth_ = 0;  // of brackets
  Token token_;
  uint32_t last_end_ = 0;
  std::string_view comment_;
};

// What a string token says, its quotes and escapes taken away.
std::string unquoted(std::string_view token);

}  // namespace faketensor
