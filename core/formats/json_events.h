// Reading of JSON, event by event, so that a file of hundreds of megabytes never becomes a tree in
// memory.
//
// A document is walked from top to bottom. At every object or array the reader's JsonSink decides:
// enter it, and be offered its members one by one, or have it collected as one JsonValue. The
// reader of a program enters "nodes" and takes each node whole, so that its own code reads fields
// of a small value by name and no more than one node is held at a time. A small file (overrides, a
// weights directory) is one JsonDocument.
//
//   JsonDocument document(R"({"size": [2, 3]})");
//   JsonFields fields(document.root());
//   for (JsonValue dim : fields.required("size").items()) use(dim.integer());
//
// What is read is JSON as Python's json module writes it: NaN, Infinity and -Infinity may stand
// where a number may (PyTorch 2.5 wrote the ranges of symbols so), and a byte order mark before the
// document is skipped. What is refused, with the byte where it stands: anything else, text that is
// not UTF-8, nesting beyond ReadLimits::max_json_depth, integers that do not fit int64_t, two
// members of one name, and more text after the end. Strings are unescaped in place: a JsonValue and
// all it gives are views into the text.
//
// Note [Which JSON library]
// The events come from RapidJSON, not from nlohmann_json, which writes our JSON. Reading the 75 MB
// of models/scale/large_static (11.3 million events; tests/bench/json_bench.cpp and
// tests/bench/wasm/json.cpp, best of 5): native 0.11 s against 0.38 s, wasm (Emscripten 3.1.6, -O2,
// Node 20) 0.24 s against 0.82 s.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/read_limits.h"

namespace faketensor {

enum class JsonKind : uint8_t { kNull, kBool, kInteger, kReal, kString, kArray, kObject };

// "an integer", "a string", ... as errors say it.
std::string_view describe(JsonKind kind);

// One event. A container's token says where its last descendant ends, so a value is skipped in one
// step.
struct JsonToken {
  union {
    const char* text;  // kString, and the name that precedes each member of an object
    int64_t integer;   // kInteger; kBool: 0 or 1
    double real;       // kReal
    uint64_t extent;   // kArray, kObject: tokens of the value, this one included
  };
  uint32_t position;   // byte in the text
  uint32_t kind : 4;   // JsonKind
  uint32_t size : 28;  // kString: bytes; kArray: items; kObject: members
};
static_assert(sizeof(JsonToken) == 16);

class JsonItems;
class JsonMembers;

// A view of one value. The reading functions throw kUnreadable where the value is of another kind.
class JsonValue {
 public:
  explicit JsonValue(const JsonToken* token) : token_(token) {}

  JsonKind kind() const { return static_cast<JsonKind>(token_->kind); }
  bool is(JsonKind wanted) const { return kind() == wanted; }
  bool is_null() const { return is(JsonKind::kNull); }
  uint32_t position() const { return token_->position; }
  // Items of an array, members of an object, bytes of a string.
  size_t size() const { return token_->size; }

  std::string_view string() const {
    expect(JsonKind::kString);
    return {token_->text, token_->size};
  }
  int64_t integer() const {
    expect(JsonKind::kInteger);
    return token_->integer;
  }
  bool boolean() const {
    expect(JsonKind::kBool);
    return token_->integer != 0;
  }
  // An integer is a number too.
  double number() const;
  JsonItems items() const;      // of an array
  JsonMembers members() const;  // of an object

  const JsonToken* token() const { return token_; }
  // Where the next sibling begins.
  const JsonToken* next() const {
    return token_ + (token_->kind >= static_cast<uint32_t>(JsonKind::kArray) ? token_->extent : 1);
  }

 private:
  void expect(JsonKind wanted) const {
    if (!is(wanted)) [[unlikely]]
      wrong_kind(wanted);
  }
  [[noreturn, gnu::cold]] void wrong_kind(JsonKind wanted) const;

  const JsonToken* token_;
};

struct JsonMember {
  std::string_view name;
  JsonValue value;
};

class JsonItems {
 public:
  struct Iterator {
    const JsonToken* at;
    JsonValue operator*() const { return JsonValue(at); }
    Iterator& operator++() {
      at = JsonValue(at).next();
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  explicit JsonItems(JsonValue array) : array_(array) {}
  Iterator begin() const { return {array_.token() + 1}; }
  Iterator end() const { return {array_.next()}; }
  size_t size() const { return array_.size(); }

 private:
  JsonValue array_;
};

class JsonMembers {
 public:
  struct Iterator {
    const JsonToken* at;
    JsonMember operator*() const { return {{at->text, at->size}, JsonValue(at + 1)}; }
    Iterator& operator++() {
      at = JsonValue(at + 1).next();
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  explicit JsonMembers(JsonValue object) : object_(object) {}
  Iterator begin() const { return {object_.token() + 1}; }
  Iterator end() const { return {object_.next()}; }
  size_t size() const { return object_.size(); }

 private:
  JsonValue object_;
};

inline JsonItems JsonValue::items() const {
  expect(JsonKind::kArray);
  return JsonItems(*this);
}
inline JsonMembers JsonValue::members() const {
  expect(JsonKind::kObject);
  return JsonMembers(*this);
}

// The members of an object by name. Fields that are asked for in the order of the file are found at
// the first look.
class JsonFields {
 public:
  explicit JsonFields(JsonValue object)
      : object_(object), first_(object.members().begin().at), end_(object.next()), next_(first_) {}

  // Throws kUnreadable where the member is missing.
  JsonValue required(std::string_view name) {
    const JsonToken* found = find(name);
    if (found == nullptr) [[unlikely]]
      missing(name);
    return JsonValue(found);
  }
  // A member that is missing or null counts as absent: then `absent` (a null value) is returned.
  JsonValue optional(std::string_view name) {
    const JsonToken* found = find(name);
    return JsonValue(found == nullptr ? &kAbsent : found);
  }

 private:
  static const JsonToken kAbsent;

  const JsonToken* find(std::string_view name) {
    if (const JsonToken* found = find_between(next_, end_, name)) return found;
    return find_between(first_, next_, name);
  }
  const JsonToken* find_between(const JsonToken* from, const JsonToken* to, std::string_view name) {
    for (const JsonToken* at = from; at != to;) {
      const JsonToken* value = at + 1;
      const JsonToken* after = JsonValue(value).next();
      if (std::string_view(at->text, at->size) == name) {
        next_ = after;
        return value;
      }
      at = after;
    }
    return nullptr;
  }
  [[noreturn, gnu::cold]] void missing(std::string_view name) const;

  JsonValue object_;
  const JsonToken* first_;
  const JsonToken* end_;
  const JsonToken* next_;
};

// The events of a large document. `name` is the member's name, empty for the root and for items of
// an array. Names and values are valid only during the call. An error that a sink throws passes
// through `read_json`.
class JsonSink {
 public:
  virtual ~JsonSink() = default;
  // An array or object begins. True: its members come one by one, then `leave`. False: it comes as
  // one `value`.
  virtual bool enter(std::string_view name, JsonKind kind, uint32_t position) = 0;
  virtual void leave() = 0;
  virtual void value(std::string_view name, JsonValue value) = 0;
  // How many bytes the sink has kept: they count towards ReadLimits::max_memory_bytes.
  virtual uint64_t memory() const { return 0; }
};

// "\uFEFF" in UTF-8, which some editors put before a text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Reads the document in `text`, and destroys `text` doing so. RapidJSON looks at 16 bytes at a
// time, also past the end, so kTextPadding bytes are appended (text.h).
void read_json(std::string& text, JsonSink& sink, const ReadLimits& limits);

// A small document, all of it at once.
class JsonDocument {
 public:
  explicit JsonDocument(std::string text, const ReadLimits& limits = {});
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  JsonValue root() const { return JsonValue(tokens_.data()); }

 private:
  std::string text_;
  std::vector<JsonToken> tokens_;
};

// Throws kUnreadable: "byte 17: ...".
[[noreturn, gnu::cold]] void throw_at(uint32_t position, std::string_view message);

}  // namespace faketensor
