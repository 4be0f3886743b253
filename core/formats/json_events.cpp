#include "core/formats/json_events.h"

#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#endif
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include "core/formats/text.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

constexpr uint32_t kLargestSize = (1u << 28) - 1;
// Objects of up to so many members are checked for a repeated name pair by pair.
constexpr uint32_t kFewMembers = 16;

using TextStream = rapidjson::InsituStringStream;

// Collects events as tokens, and hands them on at the depth where the sink stopped entering.
class TokenBuilder {
 public:
  // `limits`: with the text itself held.
  TokenBuilder(std::vector<JsonToken>& tokens, JsonSink* sink, const TextStream& stream,
               const ReadLimits& limits)
      : tokens_(tokens), sink_(sink), stream_(stream), limits_(limits) {}

  // RapidJSON has taken the word already.
  bool Null() { return scalar(JsonKind::kNull, 0, 4); }
  bool Bool(bool value) { return scalar(JsonKind::kBool, value, value ? 4 : 5); }
  bool Int(int value) { return scalar(JsonKind::kInteger, value); }
  bool Uint(unsigned value) { return scalar(JsonKind::kInteger, value); }
  bool Int64(int64_t value) { return scalar(JsonKind::kInteger, value); }
  bool Uint64(uint64_t value) {
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) integer_too_large();
    return scalar(JsonKind::kInteger, static_cast<int64_t>(value));
  }
  bool Double(double value) {
    if (std::isfinite(value)) {
      check_is_not_integer();
    } else {
      check_word();
    }
    JsonToken token = make(JsonKind::kReal, 0);
    token.real = value;
    push(token);
    return finish_value();
  }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }  // not asked for
  bool String(const char* text, rapidjson::SizeType size, bool) {
    push_text(text, size);
    return finish_value();
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (open_.empty()) {
      name_ = {text, size};
    } else {
      push_text(text, size);
    }
    return true;
  }
  bool StartObject() { return begin(JsonKind::kObject); }
  bool EndObject(rapidjson::SizeType members) { return end(members); }
  bool StartArray() { return begin(JsonKind::kArray); }
  bool EndArray(rapidjson::SizeType items) { return end(items); }

 private:
  uint32_t position() const { return static_cast<uint32_t>(stream_.src_ - stream_.head_); }
  // RapidJSON has taken the bracket already.
  uint32_t bracket_position() const { return position() - 1; }

  JsonToken make(JsonKind kind, uint32_t size) const {
    JsonToken token;
    token.integer = 0;
    token.position = position();
    token.kind = static_cast<uint32_t>(kind) & 0xf;
    token.size = size & kLargestSize;
    return token;
  }
  void push_text(const char* text, rapidjson::SizeType size) {
    if (size > kLargestSize) throw_too_large("a string", size);
    JsonToken token = make(JsonKind::kString, size);
    token.text = text;
    push(token);
  }
  bool scalar(JsonKind kind, int64_t value, uint32_t taken = 0) {
    JsonToken token = make(kind, 0);
    token.integer = value;
    token.position -= taken;
    push(token);
    return finish_value();
  }
  bool begin(JsonKind kind) {
    if (open_.size() + entered_ >= limits_.max_json_depth) {
      throw_error(ErrorKind::kLimitExceeded,
                  format("byte {}: JSON nested deeper than the limit of {}", bracket_position(),
                         limits_.max_json_depth));
    }
    if (open_.empty() && sink_ != nullptr) {
      const std::string_view name = take_name();
      if (sink_->enter(name, kind, bracket_position())) {
        ++entered_;
        return true;
      }
      name_ = name;
    }
    open_.push_back(tokens_.size());
    JsonToken token = make(kind, 0);
    token.position = bracket_position();
    push(token);
    return true;
  }
  void push(const JsonToken& token) {
    if (tokens_.size() == tokens_.capacity()) [[unlikely]]
      grow();
    tokens_.push_back(token);
  }
  // The old tokens are held beside the new ones while they are copied.
  [[gnu::noinline]] void grow() {
    constexpr size_t kFirst = 1024;
    const size_t capacity = std::max(kFirst, 2 * tokens_.capacity());
    check_memory((tokens_.capacity() + capacity) * sizeof(JsonToken));
    tokens_.reserve(capacity);
  }
  void check_memory(uint64_t bytes_of_tokens) const {
    const uint64_t sinks = sink_ == nullptr ? 0 : sink_->memory();
    if (bytes_of_tokens + sinks > limits_.memory_left())
      throw_memory_limit(format("byte {}: what the file holds", position()), limits_);
  }
  bool end(rapidjson::SizeType count) {
    if (open_.empty()) {
      --entered_;
      name_ = {};
      sink_->leave();
      return true;
    }
    if (count > kLargestSize) throw_too_large("an array or object", count);
    JsonToken& token = tokens_[open_.back()];
    token.size = count & kLargestSize;
    token.extent = tokens_.size() - open_.back();
    if (JsonValue(&token).is(JsonKind::kObject) && count > 1)
      check_names(JsonMembers(JsonValue(&token)));
    open_.pop_back();
    return finish_value();
  }
  bool finish_value() {
    if (open_.empty() && sink_ != nullptr) {
      sink_->value(take_name(), JsonValue(tokens_.data()));
      tokens_.clear();
      check_memory(tokens_.capacity() * sizeof(JsonToken));
    }
    return true;
  }
  std::string_view take_name() {
    const std::string_view name = name_;
    name_ = {};
    return name;
  }

  void check_names(JsonMembers members) {
    if (members.size() <= kFewMembers) {
      for (auto later = members.begin(); later != members.end(); ++later) {
        for (auto earlier = members.begin(); earlier != later; ++earlier) {
          if ((*earlier).name == (*later).name) repeated_name(*later);
        }
      }
      return;
    }
    sorted_.clear();
    for (auto member = members.begin(); member != members.end(); ++member)
      sorted_.push_back(member.at);
    const auto name_of = [](const JsonToken* token) {
      return std::string_view(token->text, token->size);
    };
    std::sort(sorted_.begin(), sorted_.end(), [&](const JsonToken* a, const JsonToken* b) {
      const int order = name_of(a).compare(name_of(b));
      return order != 0 ? order < 0 : a->position < b->position;
    });
    for (size_t i = 1; i < sorted_.size(); ++i) {
      if (name_of(sorted_[i - 1]) == name_of(sorted_[i]))
        repeated_name(*JsonMembers::Iterator{sorted_[i]});
    }
  }
  [[noreturn, gnu::cold]] static void repeated_name(const JsonMember& member) {
    throw_at(member.value.position(), format("a second member named \"{}\"", member.name));
  }
  [[noreturn, gnu::cold]] void throw_too_large(std::string_view what, uint64_t size) const {
    throw_error(ErrorKind::kLimitExceeded, format("byte {}: {} of size {}, the limit is {}",
                                                  position(), what, size, kLargestSize));
  }
  [[noreturn, gnu::cold]] void integer_too_large() const {
    throw_at(position(), "an integer that does not fit 64 bits");
  }
  // RapidJSON reports an integer beyond 64 bits as a double. The stream still stands at the
  // number's first character, because RapidJSON parses numbers on a copy of it.
  void check_is_not_integer() const {
    const char* at = stream_.src_;
    if (*at == '-') ++at;
    while (*at >= '0' && *at <= '9') ++at;
    if (*at != '.' && *at != 'e' && *at != 'E') integer_too_large();
  }

  // RapidJSON takes "Inf" and "-NaN" for numbers, too, which Python does not.
  void check_word() const {
    for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
      if (std::strncmp(stream_.src_, word.data(), word.size()) == 0) return;
    }
    throw_at(position(), "not JSON: Invalid value.");
  }

  std::vector<JsonToken>& tokens_;
  JsonSink* sink_;
  const TextStream& stream_;
  const ReadLimits& limits_;
  size_t entered_ = 0;        // containers that the sink has entered
  std::vector<size_t> open_;  // containers that are being collected, as indices of tokens
  std::string_view name_;     // of the member that the sink is about to get
  std::vector<const JsonToken*> sorted_;
};

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Bytes of the UTF-8 sequence at the start of `text`, 0 where it is none (overlong forms,
// surrogates, beyond U+10FFFF).
size_t utf8_sequence(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return 0;
  }
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F)) return 0;
  if ((lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F)) return 0;
  return length;
}

void check_utf8(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    // Eight bytes of ASCII at a time: most of every file.
    uint64_t word = 0;
    while (text.size() - at >= sizeof word) {
      std::memcpy(&word, text.data() + at, sizeof word);
      if ((word & 0x8080808080808080u) != 0) break;
      at += sizeof word;
    }
    if (at == text.size()) break;
    const size_t length = utf8_sequence(text.substr(at));
    if (length == 0) throw_at(static_cast<uint32_t>(at), "not valid UTF-8");
    at += length;
  }
}

void parse(std::string& text, std::vector<JsonToken>& tokens, JsonSink* sink,
           const ReadLimits& limits) {
  if (text.size() > limits.max_text() || text.size() > std::numeric_limits<uint32_t>::max()) {
    throw_error(ErrorKind::kLimitExceeded,
                format("JSON of {} bytes, more than {}", text.size(), limits.max_text_in_words()));
  }
  if (text.empty()) throw_at(0, "not JSON: the text is empty");
  // As spaces, so that positions stay those of the file.
  if (text.starts_with(kByteOrderMark)) text.replace(0, kByteOrderMark.size(), 3, ' ');
  check_utf8(text);
  const size_t size = text.size();
  text.append(kTextPadding, '\0');
  TextStream stream(text.data());
  const ReadLimits beside = limits.holding(text.size());
  TokenBuilder builder(tokens, sink, stream, beside);
  rapidjson::Reader reader;
  constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseFullPrecisionFlag |
                              rapidjson::kParseNanAndInfFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, builder);
  if (result.IsError()) {
    throw_at(static_cast<uint32_t>(std::min(result.Offset(), size)),
             format("not JSON: {}", rapidjson::GetParseError_En(result.Code())));
  }
  // RapidJSON takes a NUL for the end.
  if (stream.Tell() != size) throw_at(static_cast<uint32_t>(stream.Tell()), "not JSON: a NUL byte");
}

}  // namespace

const JsonToken JsonFields::kAbsent{{.integer = 0}, 0, static_cast<uint32_t>(JsonKind::kNull), 0};

std::string_view describe(JsonKind kind) {
  switch (kind) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kBool:
      return "a boolean";
    case JsonKind::kInteger:
      return "an integer";
    case JsonKind::kReal:
      return "a number";
    case JsonKind::kString:
      return "a string";
    case JsonKind::kArray:
      return "an array";
    case JsonKind::kObject:
      return "an object";
  }
  return "a value";
}

double JsonValue::number() const {
  if (is(JsonKind::kInteger)) return static_cast<double>(token_->integer);
  expect(JsonKind::kReal);
  return token_->real;
}

void JsonValue::wrong_kind(JsonKind wanted) const {
  throw_at(position(), format("expected {}, found {}", describe(wanted), describe(kind())));
}

void JsonFields::missing(std::string_view name) const {
  throw_at(object_.position(), format("the object lacks its member \"{}\"", name));
}

void read_json(std::string& text, JsonSink& sink, const ReadLimits& limits) {
  std::vector<JsonToken> tokens;
  parse(text, tokens, &sink, limits);
}

JsonDocument::JsonDocument(std::string text, const ReadLimits& limits) : text_(std::move(text)) {
  parse(text_, tokens_, nullptr, limits);
}

void throw_at(uint32_t position, std::string_view message) {
  throw_error(ErrorKind::kUnreadable, format("byte {}: {}", position, message));
}

}  // namespace faketensor
