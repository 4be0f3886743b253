#include "core/formats/yaml/python_value.h"

#include <algorithm>
#include <cmath>

#include "core/formats/yaml/numbers.h"
#include "core/formats/yaml/python_text.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor::python {

using Kind = Scalar::Kind;

Scalar Scalar::string(std::string_view text) {
  Scalar value;
  value.kind = Kind::kString;
  value.text = text;
  return value;
}

Scalar Scalar::integer(int64_t number) {
  Scalar value;
  value.kind = Kind::kInt;
  value.text = std::to_string(number);
  return value;
}

std::string_view class_name(const Scalar& value) {
  static constexpr std::string_view kNames[] = {
      "NoneType",          "bool",  "int",  "float", "str", "bytes", "datetime.date",
      "datetime.datetime", "tuple", "list", "dict",  "set"};
  return kNames[static_cast<size_t>(value.kind)];
}

namespace {

constexpr size_t kMaxReprDepth = 128;
constexpr size_t kMaxReprBytes = size_t{1} << 16;
constexpr std::string_view kShortened = "...";

std::string bytes_repr(std::string_view bytes) {
  std::string out = "b'";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\' || c == '\'') {
      out.append("\\").append(1, c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte >= 0x20 && byte < 0x7F) {
      out += c;
    } else {
      out += "\\x";
      out += "0123456789abcdef"[byte >> 4];
      out += "0123456789abcdef"[byte & 0xF];
    }
  }
  return out + "'";
}

}  // namespace

std::string scalar_repr(const Scalar& value) {
  switch (value.kind) {
    case Kind::kNone:
      return "None";
    case Kind::kBool:
      return value.truth ? "True" : "False";
    case Kind::kInt:
      return value.text;
    case Kind::kFloat:
      return format("{}", value.real);
    case Kind::kString:
      return repr(value.text);
    case Kind::kBytes:
      return bytes_repr(value.text);
    default:
      return value.repr;
  }
}

namespace {

// Bounded in length, and in depth by `outer`, the collections that hold this one.
void append_repr(std::string& out, const Value& value, std::vector<const Value*>& outer) {
  if (value.kind < Kind::kTuple) {
    out += scalar_repr(value);
    return;
  }
  const bool is_dict = value.is(Kind::kDict);
  const char open = value.is(Kind::kList) ? '[' : value.is(Kind::kTuple) ? '(' : '{';
  const char close = open == '[' ? ']' : open == '(' ? ')' : '}';
  if (value.is(Kind::kSet) && value.items.empty()) {
    out += "set()";
    return;
  }
  const bool is_inside_itself = std::find(outer.begin(), outer.end(), &value) != outer.end();
  if (is_inside_itself || outer.size() >= kMaxReprDepth) {
    out += format("{}...{}", open, close);
    return;
  }
  outer.push_back(&value);
  out += open;
  for (size_t i = 0; i < value.items.size(); ++i) {
    if (out.size() > kMaxReprBytes) {
      out += kShortened;
      break;
    }
    if (i > 0) out += is_dict && i % 2 == 1 ? ": " : ", ";
    append_repr(out, *value.items[i], outer);
  }
  if (value.is(Kind::kTuple) && value.items.size() == 1) out += ',';
  out += close;
  outer.pop_back();
}

}  // namespace

std::string repr(const Value& value) {
  std::string out;
  std::vector<const Value*> outer;
  append_repr(out, value, outer);
  return out;
}

std::string str(const Value& value) {
  const bool is_text =
      value.is(Kind::kString) || value.is(Kind::kDate) || value.is(Kind::kDateTime);
  return is_text ? value.text : repr(value);
}

std::string identity_key(const Scalar& value) {
  switch (value.kind) {
    case Kind::kBool:
      return value.truth ? "i1" : "i0";
    case Kind::kInt:
      return "i" + value.text;
    case Kind::kFloat: {
      if (const std::optional<std::string> digits = exact_digits(value.real)) return "i" + *digits;
      // No NaN equals another.
      const std::string own =
          std::isnan(value.real) ? format("{}", reinterpret_cast<intptr_t>(&value)) : "";
      return format("f{} {}", value.real, own);
    }
    case Kind::kString:
      return "s" + value.text;
    case Kind::kBytes:
      return "b" + value.text;
    case Kind::kNone:
      return "n";
    default:
      return "d" + value.repr;
  }
}

bool is_hashable(const Scalar& value) { return value.kind < Kind::kTuple; }

void check_hashable(const Value& value) {
  if (value.is(Kind::kTuple)) {
    for (const Value* item : value.items) {
      if (!item->is(Kind::kTuple)) check_hashable(*item);
    }
  } else if (!is_hashable(value)) {
    throw_error(ErrorKind::kTypeError, format("unhashable type: '{}'", class_name(value)));
  }
}

const Value* find(const Value& dict, std::string_view key) {
  const auto found = dict.keys.find(std::string("s").append(key));
  return found == dict.keys.end() ? nullptr : dict.items[found->second + 1];
}

const Value& subscript(const Value& value, std::string_view key) {
  switch (value.kind) {
    case Kind::kDict:
      if (const Value* found = find(value, key)) return *found;
      throw_error(ErrorKind::kKeyError, repr(key));
    case Kind::kList:
    case Kind::kTuple:
      throw_error(ErrorKind::kTypeError,
                  format("{} indices must be integers or slices, not str", class_name(value)));
    case Kind::kString:
      throw_error(ErrorKind::kTypeError, "string indices must be integers, not 'str'");
    case Kind::kBytes:
      throw_error(ErrorKind::kTypeError, "byte indices must be integers or slices, not str");
    default:
      throw_error(ErrorKind::kTypeError,
                  format("'{}' object is not subscriptable", class_name(value)));
  }
}

std::vector<const Value*> iterate(const Value& value) {
  // A character of a string, or a byte: callers only refuse it.
  static const Value kCharacter = [] {
    Value character;
    character.kind = Kind::kString;
    return character;
  }();
  static const Value kByte = [] {
    Value byte;
    byte.kind = Kind::kInt;
    byte.text = "0";
    return byte;
  }();
  std::vector<const Value*> items;
  switch (value.kind) {
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kSet:
      items.assign(value.items.begin(), value.items.end());
      break;
    case Kind::kDict:
      for (size_t i = 0; i < value.items.size(); i += 2) items.push_back(value.items[i]);
      break;
    case Kind::kString:
    case Kind::kBytes:
      if (!value.text.empty()) items.push_back(value.is(Kind::kString) ? &kCharacter : &kByte);
      break;
    default:
      throw_error(ErrorKind::kTypeError, format("'{}' object is not iterable", class_name(value)));
  }
  return items;
}

}  // namespace faketensor::python
