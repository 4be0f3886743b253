// The one door for JSON that comes from outside: steps of sessions, values, overrides, options of
// JavaScript, recorded questions.
//
// The nesting of a text is bounded, since its readers walk the result by recursion.
// Each member is read as the type that is expected of it; one that is missing, of another type or
// out of range raises an Error that names it and shows it, so no text of the JSON library reaches a
// user. The kind of the error is Unreadable for files; options say Usage.
//
//   const Json step = parse_json(line, "line 3");
//   text_member(step, "name");            // "'name' must be text, not 5"
//   integer_member(step, "fallback", 8192);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/formats/read_limits.h"
#include "core/support/error.h"

namespace faketensor {

using Json = nlohmann::json;

// `what` is named in errors: "line 3", a path.
Json parse_json(std::string_view text, std::string_view what,
                uint32_t max_depth = ReadLimits{}.max_json_depth);

// The value as JSON, at most 80 characters.
std::string excerpt(const Json& value);

// "'dims.batch' must be an integer, not 2.7"
[[noreturn, gnu::cold]] void refuse_json(std::string_view name, std::string_view expected,
                                         const Json& value,
                                         ErrorKind kind = ErrorKind::kUnreadable);

// --- a value read as the expected type; `name` is for the error ---

const std::string& text_of(const Json& value, std::string_view name,
                           ErrorKind kind = ErrorKind::kUnreadable);
// An integer of 64 bits that was written as one: digits are never lost.
int64_t integer_of(const Json& value, std::string_view name,
                   ErrorKind kind = ErrorKind::kUnreadable);
double number_of(const Json& value, std::string_view name, ErrorKind kind = ErrorKind::kUnreadable);
// The number of 2, 2.0 or {"f":"inf"}, which JsonWriter writes; nothing for other JSON.
std::optional<double> float_of(const Json& value);
bool bool_of(const Json& value, std::string_view name, ErrorKind kind = ErrorKind::kUnreadable);
const Json& list_of(const Json& value, std::string_view name,
                    ErrorKind kind = ErrorKind::kUnreadable);
const Json& object_of(const Json& value, std::string_view name,
                      ErrorKind kind = ErrorKind::kUnreadable);

// --- members of an object ---

// Null where there is none, or where `object` is no object.
const Json* find_member(const Json& object, std::string_view name);
// Raises where there is none.
const Json& member(const Json& object, std::string_view name,
                   ErrorKind kind = ErrorKind::kUnreadable);
// Element `i` of a list.
const Json& element(const Json& list, size_t i, std::string_view name);

inline const std::string& text_member(const Json& object, std::string_view name) {
  return text_of(member(object, name), name);
}
inline const Json& list_member(const Json& object, std::string_view name) {
  return list_of(member(object, name), name);
}
inline const Json& object_member(const Json& object, std::string_view name) {
  return object_of(member(object, name), name);
}
// The same with a default for a member that is not there.
std::string text_member(const Json& object, std::string_view name, std::string_view otherwise);
int64_t integer_member(const Json& object, std::string_view name, int64_t otherwise);
bool bool_member(const Json& object, std::string_view name, bool otherwise);
// A list, an object: empty where there is none.
const Json& list_member_or_empty(const Json& object, std::string_view name);
const Json& object_member_or_empty(const Json& object, std::string_view name);

}  // namespace faketensor
