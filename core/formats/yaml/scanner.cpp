#include "core/formats/yaml/scanner.h"

#include <algorithm>
#include <iterator>

#include "core/formats/yaml/python_text.h"
#include "core/support/format.h"

namespace faketensor::yaml {

namespace {

bool is_word(char32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
         c == '_';
}

// What a key may be apart from its ':', in characters.
constexpr size_t kMaxKeyLength = 1024;

}  // namespace

std::string quoted_name(TokenKind kind) {
  static constexpr std::string_view kNames[] = {"<stream end>",
                                                "<directive>",
                                                "<document start>",
                                                "<document end>",
                                                "<block sequence start>",
                                                "<block mapping start>",
                                                "<block end>",
                                                "[",
                                                "]",
                                                "{",
                                                "}",
                                                ",",
                                                "-",
                                                "?",
                                                ":",
                                                "<alias>",
                                                "<anchor>",
                                                "<tag>",
                                                "<scalar>"};
  return format("'{}'", kNames[static_cast<size_t>(kind)]);
}

// --- tokens ---

const Token& Scanner::peek() {
  while (needs_more()) fetch();
  return tokens_.front();
}

Token Scanner::take() {
  peek();
  Token token = std::move(tokens_.front());
  // The end of the stream stays.
  if (token.kind == TokenKind::kStreamEnd) {
    tokens_.front() = token;
    return token;
  }
  tokens_.pop_front();
  ++taken_;
  return token;
}

// A token that may turn out to follow a key is not given out before that is known.
bool Scanner::needs_more() {
  if (is_done_) return false;
  if (tokens_.empty()) return true;
  drop_stale_keys();
  return std::any_of(keys_.begin(), keys_.end(),
                     [&](const auto& key) { return key.second.token_number == taken_; });
}

void Scanner::advance(size_t count) {
  for (; count > 0; --count) {
    const char32_t c = look();
    ++place_.index;
    if (is_break(c) && (c != '\r' || look() != '\n')) {
      ++place_.line;
      place_.column = 0;
    } else if (c != 0xFEFF) {
      ++place_.column;
    }
  }
}

bool Scanner::at_separator() const {
  return (text(3) == U"---" || text(3) == U"...") && is_space_or_end(look(3));
}

void Scanner::fetch() {
  skip_to_token();
  drop_stale_keys();
  unwind(place_.column);
  const char32_t c = look();
  const bool at_line_start = place_.column == 0;
  const bool in_flow = flow_level_ > 0;
  if (c == 0) return fetch_stream_end();
  if (c == '%' && at_line_start) {
    unwind(-1);
    drop_key();
    allows_key_ = false;
    tokens_.push_back(scan_directive());
    return;
  }
  if (c == '-' && at_line_start && at_separator())
    return fetch_document_mark(TokenKind::kDocumentStart);
  if (c == '.' && at_line_start && at_separator())
    return fetch_document_mark(TokenKind::kDocumentEnd);
  if (c == '[') return fetch_flow_start(TokenKind::kFlowSequenceStart);
  if (c == '{') return fetch_flow_start(TokenKind::kFlowMappingStart);
  if (c == ']') return fetch_flow_end(TokenKind::kFlowSequenceEnd);
  if (c == '}') return fetch_flow_end(TokenKind::kFlowMappingEnd);
  if (c == ',') return fetch_flow_entry();
  if (c == '-' && is_space_or_end(look(1))) return fetch_block_entry();
  if (c == '?' && (in_flow || is_space_or_end(look(1)))) return fetch_key();
  if (c == ':' && (in_flow || is_space_or_end(look(1)))) return fetch_value();
  if ((c == '|' || c == '>') && !in_flow) {
    allows_key_ = true;
    drop_key();
    tokens_.push_back(scan_block_scalar(c == '>'));
    return;
  }
  if (!is_one_of(c, "*&!'\"") && !can_begin_plain()) {
    source_.fail(ErrorKind::kYamlScannerError, "while scanning for the next token", place_,
                 format("found character {} that cannot start any token", python::repr(c)), place_);
  }
  begin_content();
  switch (c) {
    case '*':
      return tokens_.push_back(scan_anchor(TokenKind::kAlias));
    case '&':
      return tokens_.push_back(scan_anchor(TokenKind::kAnchor));
    case '!':
      return tokens_.push_back(scan_tag());
    case '\'':
    case '"':
      return tokens_.push_back(scan_quoted(c));
    default:
      return tokens_.push_back(scan_plain());
  }
}

void Scanner::begin_content() {
  save_key();
  allows_key_ = false;
}

bool Scanner::can_begin_plain() const {
  const char32_t c = look();
  if (!is_space_or_end(c) && !is_one_of(c, "-?:,[]{}#&*!|>'\"%@`")) return true;
  return !is_space_or_end(look(1)) && (c == '-' || (flow_level_ == 0 && (c == '?' || c == ':')));
}

void Scanner::add_single(TokenKind kind, size_t length) {
  Token token;
  token.kind = kind;
  token.start = place_;
  advance(length);
  token.end = place_;
  tokens_.push_back(std::move(token));
}

void Scanner::fetch_stream_end() {
  unwind(-1);
  drop_key();
  allows_key_ = false;
  keys_.clear();
  add_single(TokenKind::kStreamEnd, 0);
  is_done_ = true;
}

void Scanner::fetch_document_mark(TokenKind kind) {
  unwind(-1);
  drop_key();
  allows_key_ = false;
  add_single(kind, 3);
}

void Scanner::fetch_flow_start(TokenKind kind) {
  save_key();
  ++flow_level_;
  allows_key_ = true;
  add_single(kind, 1);
}

void Scanner::fetch_flow_end(TokenKind kind) {
  drop_key();
  // The parser refuses a bracket that closes nothing.
  if (flow_level_ > 0) --flow_level_;
  allows_key_ = false;
  add_single(kind, 1);
}

void Scanner::fetch_flow_entry() {
  allows_key_ = true;
  drop_key();
  add_single(TokenKind::kFlowEntry, 1);
}

void Scanner::open_block(TokenKind kind, std::string_view refusal) {
  if (flow_level_ > 0) return;
  if (!allows_key_) fail(refusal);
  if (indent_to(place_.column)) add_single(kind, 0);
}

void Scanner::fetch_block_entry() {
  open_block(TokenKind::kBlockSequenceStart, "sequence entries are not allowed here");
  allows_key_ = true;
  drop_key();
  add_single(TokenKind::kBlockEntry, 1);
}

void Scanner::fetch_key() {
  open_block(TokenKind::kBlockMappingStart, "mapping keys are not allowed here");
  allows_key_ = flow_level_ == 0;
  drop_key();
  add_single(TokenKind::kKey, 1);
}

void Scanner::fetch_value() {
  const auto found = keys_.find(flow_level_);
  if (found == keys_.end()) {
    open_block(TokenKind::kBlockMappingStart, "mapping values are not allowed here");
    allows_key_ = flow_level_ == 0;
    drop_key();
  } else {
    // What was scanned as content turns out to be a key: its tokens go in front of it.
    const SimpleKey key = found->second;
    keys_.erase(found);
    const auto at = tokens_.begin() + static_cast<ptrdiff_t>(key.token_number - taken_);
    Token token;
    token.start = token.end = key.mark;
    token.kind = TokenKind::kKey;
    const auto inserted = tokens_.insert(at, token);
    if (flow_level_ == 0 && indent_to(key.mark.column)) {
      token.kind = TokenKind::kBlockMappingStart;
      tokens_.insert(inserted, token);
    }
    allows_key_ = false;
  }
  add_single(TokenKind::kValue, 1);
}

// --- simple keys and indentation ---

void Scanner::require_colon(const SimpleKey& key) const {
  if (key.is_required) fail("while scanning a simple key", key.mark, "could not find expected ':'");
}

void Scanner::drop_stale_keys() {
  for (auto key = keys_.begin(); key != keys_.end();) {
    const Mark mark = key->second.mark;
    if (mark.line == place_.line && place_.index - mark.index <= kMaxKeyLength) {
      ++key;
      continue;
    }
    require_colon(key->second);
    key = keys_.erase(key);
  }
}

void Scanner::save_key() {
  const bool is_required = flow_level_ == 0 && indent_ == place_.column;
  if (!allows_key_) return;
  drop_key();
  keys_[flow_level_] = {taken_ + tokens_.size(), is_required, place_};
}

void Scanner::drop_key() {
  const auto found = keys_.find(flow_level_);
  if (found == keys_.end()) return;
  require_colon(found->second);
  keys_.erase(found);
}

void Scanner::unwind(int64_t column) {
  if (flow_level_ > 0) return;
  while (indent_ > column) {
    indent_ = indents_.back();
    indents_.pop_back();
    add_single(TokenKind::kBlockEnd, 0);
  }
}

bool Scanner::indent_to(int64_t column) {
  if (indent_ >= column) return false;
  indents_.push_back(indent_);
  indent_ = column;
  return true;
}

// --- between tokens ---

void Scanner::skip_comment() {
  if (look() != '#') return;
  while (!is_break_or_end(look())) advance();
}

void Scanner::skip_to_token() {
  if (place_.index == 0 && look() == 0xFEFF) advance();
  do {
    while (look() == ' ') advance();
    skip_comment();
    if (is_break(look()) && flow_level_ == 0) allows_key_ = true;
  } while (scan_break() != 0);
}

char32_t Scanner::scan_break() {
  const char32_t c = look();
  if (!is_break(c)) return 0;
  advance(c == '\r' && look(1) == '\n' ? 2 : 1);
  return c == 0x2028 || c == 0x2029 ? c : U'\n';
}

// --- directives ---

Token Scanner::scan_directive() {
  Token token;
  token.kind = TokenKind::kDirective;
  token.start = place_;
  advance();
  token.value = scan_directive_name(token.start);
  if (token.value == "YAML") {
    scan_version(token);
  } else if (token.value == "TAG") {
    scan_tag_prefix(token);
  } else {
    while (!is_break_or_end(look())) advance();
  }
  token.end = place_;
  skip_directive_rest(token.start);
  return token;
}

std::string Scanner::scan_directive_name(Mark start) {
  const auto refuse = [&] {
    fail("while scanning a directive", start,
         format("expected alphabetic or numeric character, but found {}", python::repr(look())));
  };
  size_t length = 0;
  while (is_word(look(length))) ++length;
  if (length == 0) refuse();
  std::string name = python::to_utf8(text(length));
  advance(length);
  if (look() != ' ' && !is_break_or_end(look())) refuse();
  return name;
}

void Scanner::scan_version(Token& token) {
  while (look() == ' ') advance();
  token.major_version = scan_version_number(token.start);
  if (look() != '.') {
    fail("while scanning a directive", token.start,
         format("expected a digit or '.', but found {}", python::repr(look())));
  }
  advance();
  scan_version_number(token.start);
  if (look() != ' ' && !is_break_or_end(look())) {
    fail("while scanning a directive", token.start,
         format("expected a digit or ' ', but found {}", python::repr(look())));
  }
}

int64_t Scanner::scan_version_number(Mark start) {
  constexpr int64_t kLarge = 1'000'000;
  if (look() < '0' || look() > '9') {
    fail("while scanning a directive", start,
         format("expected a digit, but found {}", python::repr(look())));
  }
  int64_t number = 0;
  for (; look() >= '0' && look() <= '9'; advance())
    number = std::min<int64_t>(number * 10 + (look() - '0'), kLarge);
  return number;
}

void Scanner::scan_tag_prefix(Token& token) {
  const auto expect_space = [&](bool or_end) {
    if (look() == ' ' || (or_end && is_break_or_end(look()))) return;
    fail("while scanning a directive", token.start,
         format("expected ' ', but found {}", python::repr(look())));
  };
  while (look() == ' ') advance();
  const std::string handle = scan_tag_handle("directive", token.start);
  expect_space(false);
  while (look() == ' ') advance();
  token.suffix = scan_uri("directive", token.start);
  expect_space(true);
  // A directive with a handle is %TAG.
  token.has_handle = true;
  token.value = handle;
}

void Scanner::skip_directive_rest(Mark start) {
  while (look() == ' ') advance();
  skip_comment();
  if (!is_break_or_end(look())) {
    fail("while scanning a directive", start,
         format("expected a comment or a line break, but found {}", python::repr(look())));
  }
  scan_break();
}

// --- anchors and tags ---

Token Scanner::scan_anchor(TokenKind kind) {
  Token token;
  token.kind = kind;
  token.start = place_;
  const auto refuse = [&] {
    fail(kind == TokenKind::kAlias ? "while scanning an alias" : "while scanning an anchor",
         token.start,
         format("expected alphabetic or numeric character, but found {}", python::repr(look())));
  };
  advance();
  size_t length = 0;
  while (is_word(look(length))) ++length;
  if (length == 0) refuse();
  token.value = python::to_utf8(text(length));
  advance(length);
  if (!is_space_or_end(look()) && !is_one_of(look(), "?:,]}%@`")) refuse();
  token.end = place_;
  return token;
}

Token Scanner::scan_tag() {
  Token token;
  token.kind = TokenKind::kTag;
  token.start = place_;
  if (look(1) == '<') {
    advance(2);
    token.suffix = scan_uri("tag", token.start);
    if (look() != '>') {
      fail("while parsing a tag", token.start,
           format("expected '>', but found {}", python::repr(look())));
    }
    advance();
  } else if (is_space_or_end(look(1))) {
    token.suffix = "!";
    advance();
  } else {
    size_t length = 1;
    while (look(length) != ' ' && look(length) != '!' && !is_break_or_end(look(length))) ++length;
    token.has_handle = true;
    token.value = "!";
    if (look(length) == '!') {
      token.value = scan_tag_handle("tag", token.start);
    } else {
      advance();
    }
    token.suffix = scan_uri("tag", token.start);
  }
  if (look() != ' ' && !is_break_or_end(look())) {
    fail("while scanning a tag", token.start,
         format("expected ' ', but found {}", python::repr(look())));
  }
  token.end = place_;
  return token;
}

std::string Scanner::scan_tag_handle(std::string_view what, Mark start) {
  const auto refuse = [&](char32_t found) {
    fail(format("while scanning a {}", what), start,
         format("expected '!', but found {}", python::repr(found)));
  };
  if (look() != '!') refuse(look());
  size_t length = 1;
  if (look(1) != ' ') {
    while (is_word(look(length))) ++length;
    if (look(length) != '!') {
      advance(length);
      refuse(look());
    }
    ++length;
  }
  std::string handle = python::to_utf8(text(length));
  advance(length);
  return handle;
}

std::string Scanner::scan_uri(std::string_view what, Mark start) {
  std::string uri;
  for (;;) {
    const char32_t c = look();
    if (c == '%') {
      uri += scan_uri_escapes(what, start);
    } else if (is_word(c) || is_one_of(c, ";/?:@&=+$,_.!~*'()[]")) {
      uri += static_cast<char>(c);
      advance();
    } else {
      break;
    }
  }
  if (uri.empty()) {
    fail(format("while parsing a {}", what), start,
         format("expected URI, but found {}", python::repr(look())));
  }
  return uri;
}

std::string Scanner::scan_uri_escapes(std::string_view what, Mark start) {
  const Mark first = place_;
  std::string bytes;
  while (look() == '%') {
    advance();
    for (size_t i = 0; i < 2; ++i) {
      if (is_hex(look(i))) continue;
      fail(format("while scanning a {}", what), start,
           format("expected URI escape sequence of 2 hexadecimal numbers, but found {}",
                  python::repr(look(i))));
    }
    bytes += static_cast<char>(hex_value(text(2)));
    advance(2);
  }
  if (python::to_utf8(python::from_utf8(bytes)) != bytes) {
    source_.fail(ErrorKind::kYamlScannerError, format("while scanning a {}", what), start,
                 "'utf-8' codec can't decode the escaped bytes", first);
  }
  return bytes;
}

}  // namespace faketensor::yaml
