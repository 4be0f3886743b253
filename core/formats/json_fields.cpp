#include "core/formats/json_fields.h"

#include <cmath>
#include <limits>

#include "core/support/format.h"

namespace faketensor {

namespace {

void check_nesting(std::string_view text, std::string_view what, uint32_t most) {
  uint32_t depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most)
        throw_error(ErrorKind::kLimitExceeded,
                    format("{}: JSON nested more than {} deep", what, most));
    } else if (c == ']' || c == '}') {
      depth -= depth > 0 ? 1 : 0;
    }
  }
}

// The place in an error: the value itself where no member is named.
std::string subject(std::string_view name) {
  return name.empty() ? std::string("a value") : format("'{}'", name);
}

}  // namespace

Json parse_json(std::string_view text, std::string_view what, uint32_t max_depth) {
  check_nesting(text, what, max_depth);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw_error(ErrorKind::kUnreadable, format("{}: not JSON at byte {}", what, error.byte));
  } catch (const Json::exception&) {
    throw_error(ErrorKind::kUnreadable, format("{}: a number out of range", what));
  }
}

std::string excerpt(const Json& value) {
  constexpr size_t kMost = 80;
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > kMost ? text.substr(0, kMost) + "..." : text;
}

void refuse_json(std::string_view name, std::string_view expected, const Json& value,
                 ErrorKind kind) {
  throw_error(kind, format("{} must be {}, not {}", subject(name), expected, excerpt(value)));
}

const std::string& text_of(const Json& value, std::string_view name, ErrorKind kind) {
  if (!value.is_string()) refuse_json(name, "text", value, kind);
  return value.get_ref<const std::string&>();
}

int64_t integer_of(const Json& value, std::string_view name, ErrorKind kind) {
  if (!value.is_number_integer()) refuse_json(name, "an integer", value, kind);
  if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX})
    refuse_json(name, "an integer of 64 bits", value, kind);
  return value.get<int64_t>();
}

double number_of(const Json& value, std::string_view name, ErrorKind kind) {
  if (!value.is_number()) refuse_json(name, "a number", value, kind);
  return value.get<double>();
}

std::optional<double> float_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  const Json* word = find_member(value, "f");
  if (word == nullptr) return std::nullopt;
  if (*word == "nan") return std::nan("");
  if (*word == "inf") return std::numeric_limits<double>::infinity();
  if (*word == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

bool bool_of(const Json& value, std::string_view name, ErrorKind kind) {
  if (!value.is_boolean()) refuse_json(name, "true or false", value, kind);
  return value.get<bool>();
}

const Json& list_of(const Json& value, std::string_view name, ErrorKind kind) {
  if (!value.is_array()) refuse_json(name, "a list", value, kind);
  return value;
}

const Json& object_of(const Json& value, std::string_view name, ErrorKind kind) {
  if (!value.is_object()) refuse_json(name, "an object", value, kind);
  return value;
}

const Json* find_member(const Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

const Json& member(const Json& object, std::string_view name, ErrorKind kind) {
  if (const Json* found = find_member(object, name)) return *found;
  throw_error(kind, format("'{}' is missing in {}", name, excerpt(object)));
}

const Json& element(const Json& list, size_t i, std::string_view name) {
  if (i >= list_of(list, name).size())
    throw_error(ErrorKind::kUnreadable,
                format("{} must have more than {} elements: {}", subject(name), i, excerpt(list)));
  return list[i];
}

std::string text_member(const Json& object, std::string_view name, std::string_view otherwise) {
  const Json* found = find_member(object, name);
  return found == nullptr ? std::string(otherwise) : text_of(*found, name);
}

int64_t integer_member(const Json& object, std::string_view name, int64_t otherwise) {
  const Json* found = find_member(object, name);
  return found == nullptr ? otherwise : integer_of(*found, name);
}

bool bool_member(const Json& object, std::string_view name, bool otherwise) {
  const Json* found = find_member(object, name);
  return found == nullptr ? otherwise : bool_of(*found, name);
}

const Json& list_member_or_empty(const Json& object, std::string_view name) {
  static const Json kEmpty = Json::array();
  const Json* found = find_member(object, name);
  return found == nullptr ? kEmpty : list_of(*found, name);
}

const Json& object_member_or_empty(const Json& object, std::string_view name) {
  static const Json kEmpty = Json::object();
  const Json* found = find_member(object, name);
  return found == nullptr ? kEmpty : object_of(*found, name);
}

}  // namespace faketensor
