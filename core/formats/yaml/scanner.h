// Scanner: YAML text to tokens, by the rules of PyYAML (yaml/scanner.py), which are YAML 1.1 with
// PyYAML's own liberties.
//
// Tokens come one at a time, and none is scanned before it is asked for, so that an error in the
// text is met where PyYAML meets it. What PyYAML calls a simple key, "a" in "a: b", is known to be
// one only when the ':' is seen: until the line ends the scanner keeps it as a possible key.
//
//   Scanner scanner(source);
//   while (scanner.peek().kind != TokenKind::kStreamEnd) use(scanner.take());
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "core/formats/yaml/source.h"

namespace faketensor::yaml {

enum class TokenKind : uint8_t {
  kStreamEnd,
  kDirective,
  kDocumentStart,
  kDocumentEnd,
  kBlockSequenceStart,
  kBlockMappingStart,
  kBlockEnd,
  kFlowSequenceStart,
  kFlowSequenceEnd,
  kFlowMappingStart,
  kFlowMappingEnd,
  kFlowEntry,
  kBlockEntry,
  kKey,
  kValue,
  kAlias,
  kAnchor,
  kTag,
  kScalar,
};
// "'<block end>'", "','": as errors name it.
std::string quoted_name(TokenKind kind);

struct Token {
  TokenKind kind = TokenKind::kStreamEnd;
  Mark start;
  Mark end;
  std::string value;          // of a scalar, alias, anchor; the name of a directive
  std::string suffix;         // of a tag; the prefix of a %TAG directive
  bool has_handle = false;    // of a tag: `value` is its handle
  bool is_plain = false;      // of a scalar: neither quoted nor a block
  int64_t major_version = 0;  // of a %YAML directive
};

class Scanner {
 public:
  explicit Scanner(const Source& source) : source_(source) {}

  const Token& peek();
  Token take();
  bool next_is(TokenKind kind) { return peek().kind == kind; }
  template <typename... Kinds>
  bool next_is_one_of(Kinds... kinds) {
    const TokenKind next = peek().kind;
    return ((next == kinds) || ...);
  }

 private:
  struct SimpleKey {
    size_t token_number;
    bool is_required;
    Mark mark;
  };

  // The text at the scanner's place.
  char32_t look(size_t ahead = 0) const { return source_.at(place_.index + ahead); }
  std::u32string_view text(size_t length) const {
    return source_.text().substr(std::min<size_t>(place_.index, source_.text().size()), length);
  }
  void advance(size_t count = 1);
  bool at_separator() const;  // "---" or "..." that ends a scalar

  // Tokens.
  bool needs_more();
  void fetch();
  void fetch_stream_end();
  void fetch_document_mark(TokenKind kind);
  void fetch_flow_start(TokenKind kind);
  void fetch_flow_end(TokenKind kind);
  void fetch_flow_entry();
  void fetch_block_entry();
  void fetch_key();
  void fetch_value();
  void add_single(TokenKind kind, size_t length);
  void begin_content();
  bool can_begin_plain() const;

  // Simple keys and indentation.
  void drop_stale_keys();
  void save_key();
  void drop_key();
  void require_colon(const SimpleKey& key) const;
  void unwind(int64_t column);
  bool indent_to(int64_t column);
  void open_block(TokenKind kind, std::string_view refusal);

  // Parts of the text.
  void skip_to_token();
  void skip_comment();
  Token scan_directive();
  std::string scan_directive_name(Mark start);
  int64_t scan_version_number(Mark start);
  void scan_version(Token& token);
  void scan_tag_prefix(Token& token);
  void skip_directive_rest(Mark start);
  Token scan_anchor(TokenKind kind);
  Token scan_tag();
  std::string scan_tag_handle(std::string_view what, Mark start);
  std::string scan_uri(std::string_view what, Mark start);
  std::string scan_uri_escapes(std::string_view what, Mark start);
  Token scan_block_scalar(bool is_folded);
  struct BlockHeader {
    char32_t chomping = 0;  // '+', '-' or none
    int increment = 0;      // 0: found by the first line
  };
  BlockHeader scan_block_header(Mark start);
  int scan_increment(Mark start);
  std::u32string scan_indentation(int64_t& deepest);
  std::u32string scan_breaks(int64_t indent);
  Token scan_quoted(char32_t quote);
  void scan_quoted_text(std::u32string& out, bool is_double, Mark start);
  void scan_escape(std::u32string& out, Mark start);
  void scan_quoted_spaces(std::u32string& out, Mark start);
  std::u32string scan_quoted_breaks(Mark start);
  Token scan_plain();
  std::optional<std::u32string> scan_plain_spaces();
  char32_t scan_break();  // '\n', U+2028, U+2029; 0 where no line ends

  [[noreturn, gnu::cold]] void fail(std::string_view context, Mark start,
                                    std::string_view problem) const {
    source_.fail(ErrorKind::kYamlScannerError, context, start, problem, place_);
  }
  [[noreturn, gnu::cold]] void fail(std::string_view problem) const {
    source_.fail(ErrorKind::kYamlScannerError, problem, place_);
  }

  const Source& source_;
  Mark place_;
  std::deque<Token> tokens_;
  size_t taken_ = 0;
  bool is_done_ = false;
  bool allows_key_ = true;
  size_t flow_level_ = 0;
  int64_t indent_ = -1;
  std::vector<int64_t> indents_;
  std::map<size_t, SimpleKey> keys_;  // possible ones, by flow level
};

}  // namespace faketensor::yaml
