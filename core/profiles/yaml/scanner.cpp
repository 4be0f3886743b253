#include "core/profiles/yaml/scanner.h"

#include <algorithm>
#include <iterator>

#include "core/support/format.h"

namespace faketensor::yaml {

namespace {

bool is_word(char32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
         c == '_';
}
bool is_one_of(char32_t c, std::string_view set) {
  return c < 0x80 && c != 0 && set.find(static_cast<char>(c)) != std::string_view::npos;
}
bool is_hex(char32_t c) { return is_one_of(c, "0123456789ABCDEFabcdef"); }

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
                 format("found character {} that cannot start any token", python_repr(c)), place_);
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
  // A bracket that closes nothing is the parser's to refuse.
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
         format("expected alphabetic or numeric character, but found {}", python_repr(look())));
  };
  size_t length = 0;
  while (is_word(look(length))) ++length;
  if (length == 0) refuse();
  std::string name = to_utf8(text(length));
  advance(length);
  if (look() != ' ' && !is_break_or_end(look())) refuse();
  return name;
}

void Scanner::scan_version(Token& token) {
  while (look() == ' ') advance();
  token.major_version = scan_version_number(token.start);
  if (look() != '.') {
    fail("while scanning a directive", token.start,
         format("expected a digit or '.', but found {}", python_repr(look())));
  }
  advance();
  scan_version_number(token.start);
  if (look() != ' ' && !is_break_or_end(look())) {
    fail("while scanning a directive", token.start,
         format("expected a digit or ' ', but found {}", python_repr(look())));
  }
}

int64_t Scanner::scan_version_number(Mark start) {
  constexpr int64_t kLarge = 1'000'000;
  if (look() < '0' || look() > '9') {
    fail("while scanning a directive", start,
         format("expected a digit, but found {}", python_repr(look())));
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
         format("expected ' ', but found {}", python_repr(look())));
  };
  while (look() == ' ') advance();
  const std::string handle = scan_tag_handle("directive", token.start);
  expect_space(false);
  while (look() == ' ') advance();
  token.suffix = scan_uri("directive", token.start);
  expect_space(true);
  // The name is known by the handle being there.
  token.has_handle = true;
  token.value = handle;
}

void Scanner::skip_directive_rest(Mark start) {
  while (look() == ' ') advance();
  skip_comment();
  if (!is_break_or_end(look())) {
    fail("while scanning a directive", start,
         format("expected a comment or a line break, but found {}", python_repr(look())));
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
         format("expected alphabetic or numeric character, but found {}", python_repr(look())));
  };
  advance();
  size_t length = 0;
  while (is_word(look(length))) ++length;
  if (length == 0) refuse();
  token.value = to_utf8(text(length));
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
           format("expected '>', but found {}", python_repr(look())));
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
         format("expected ' ', but found {}", python_repr(look())));
  }
  token.end = place_;
  return token;
}

std::string Scanner::scan_tag_handle(std::string_view what, Mark start) {
  const auto refuse = [&](char32_t found) {
    fail(format("while scanning a {}", what), start,
         format("expected '!', but found {}", python_repr(found)));
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
  std::string handle = to_utf8(text(length));
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
         format("expected URI, but found {}", python_repr(look())));
  }
  return uri;
}

namespace {
unsigned hex_value(std::u32string_view digits) {
  unsigned value = 0;
  for (const char32_t c : digits) value = value << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  return value;
}
}  // namespace

std::string Scanner::scan_uri_escapes(std::string_view what, Mark start) {
  const Mark first = place_;
  std::string bytes;
  while (look() == '%') {
    advance();
    for (size_t i = 0; i < 2; ++i) {
      if (is_hex(look(i))) continue;
      fail(format("while scanning a {}", what), start,
           format("expected URI escape sequence of 2 hexadecimal numbers, but found {}",
                  python_repr(look(i))));
    }
    bytes += static_cast<char>(hex_value(text(2)));
    advance(2);
  }
  if (to_utf8(from_utf8(bytes)) != bytes) {
    source_.fail(ErrorKind::kYamlScannerError, format("while scanning a {}", what), start,
                 "'utf-8' codec can't decode the escaped bytes", first);
  }
  return bytes;
}

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
  token.value = to_utf8(content);
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
         format("expected chomping or indentation indicators, but found {}", python_repr(look())));
  }
  while (look() == ' ') advance();
  skip_comment();
  if (!is_break_or_end(look())) {
    fail("while scanning a block scalar", start,
         format("expected a comment or a line break, but found {}", python_repr(look())));
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
  token.value = to_utf8(content);
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
                  python_repr(look(i))));
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
         format("found unknown escape character {}", python_repr(c)));
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
  token.value = to_utf8(content);
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
