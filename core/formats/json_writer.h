// JsonWriter: appends JSON to a text, piece by piece.
//
// Commas, colons, quotes and escapes are the writer's; no spaces are written. An object or array
// ends with the scope that began it. A float that JSON has no word for is {"f":"inf"}
// (tests/conformance/FORMAT.md; json_fields.h reads it).
//
//   JsonWriter json(text);
//   {
//     const auto reply = json.object();
//     json.field("size", dims);
//     const auto problems = json.array("problems");
//     for (const Problem& problem : run.problems()) json.value(problem);
//   }
//   // {"size":[2,"s0"],"problems":[...]}
//
// A type of another layer is written by its `write_json(JsonWriter&, const T&)`, found by
// argument-dependent look-up. Of the standard library's, lists are arrays, lists of pairs and maps
// are objects, and an optional that is empty is null.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/support/error.h"

namespace faketensor {

class JsonWriter {
 public:
  // One value; a text of several, such as lines, takes a writer for each.
  explicit JsonWriter(std::string& out) : out_(out) {}

  // Ends an object or array.
  class [[nodiscard]] Scope {
   public:
    Scope(JsonWriter& json, char close) : json_(json), close_(close) {}
    ~Scope() { json_.end(close_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    JsonWriter& json_;
    char close_;
  };
  Scope object() { return begin('{', '}'); }
  Scope array() { return begin('[', ']'); }
  // As a member of the object that is open.
  Scope object(std::string_view name) { return key(name).object(); }
  Scope array(std::string_view name) { return key(name).array(); }

  template <typename T>
  void value(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      raw(value ? "true" : "false");
    } else if constexpr (std::is_same_v<T, std::nullptr_t>) {
      raw("null");
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      integer(int64_t{value});
    } else if constexpr (std::is_integral_v<T>) {
      integer(uint64_t{value});
    } else if constexpr (std::is_floating_point_v<T>) {
      real(value);
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      string(value);
    } else if constexpr (requires { value.has_value(); }) {
      if (value) return this->value(*value);
      raw("null");
    } else if constexpr (requires { value.begin()->second; }) {
      const Scope members = object();
      for (const auto& [name, member] : value) field(name, member);
    } else if constexpr (requires { value.begin(); }) {
      const Scope list = array();
      for (const auto& element : value) this->value(element);
    } else {
      write_json(*this, value);
    }
  }

  template <typename T>
  void field(std::string_view name, const T& value) {
    key(name).value(value);
  }
  // A member that is left out where its value is empty: a text, a list or an optional.
  template <typename T>
  void field_if_any(std::string_view name, const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      if (!std::string_view(value).empty()) field(name, value);
    } else if constexpr (requires { value.has_value(); }) {
      if (value) field(name, *value);
    } else {
      if (!value.empty()) field(name, value);
    }
  }
  void flag_if(std::string_view name, bool flag) {
    if (flag) field(name, true);
  }

  // The name of the member whose value comes next.
  JsonWriter& key(std::string_view name);
  // A value that is JSON already.
  void raw(std::string_view json) {
    separate();
    out_ += json;
  }
  // Ends a line of a document, for people: no other space is written.
  void line_break() {
    separate();
    out_ += '\n';
    needs_comma_ = false;
  }

 private:
  Scope begin(char open, char close) {
    separate();
    out_ += open;
    needs_comma_ = false;
    return Scope(*this, close);
  }
  void end(char close) {
    out_ += close;
    needs_comma_ = true;
  }
  void separate() {
    if (needs_comma_) out_ += ',';
    needs_comma_ = true;
  }
  void integer(int64_t value);
  void integer(uint64_t value);
  void real(double value);
  void string(std::string_view text);

  std::string& out_;
  bool needs_comma_ = false;
};

// "raises" and "message", the members of every answer that is an error.
void write_error_members(JsonWriter& json, std::string_view error_class, std::string_view message);
inline void write_error_members(JsonWriter& json, const Error& error) {
  write_error_members(json, error.class_name(), error.message());
}

}  // namespace faketensor
