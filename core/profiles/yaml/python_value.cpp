#include "core/profiles/yaml/python_value.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/profiles/yaml/numbers.h"
#include "core/profiles/yaml/timestamp.h"
#include "core/support/format.h"

namespace faketensor::yaml {

using Kind = PyScalar::Kind;

namespace {

// What merge keys may copy in all: merges of merges double.
constexpr size_t kMaxMerged = 1'000'000;

void append_item(PyValue& dict, PyValue* key, PyValue* value) {
  const auto [found, is_new] = dict.keys.emplace(identity_key(*key), dict.items.size());
  if (!is_new) {
    if (dict.is(Kind::kDict)) dict.items[found->second + 1] = value;
    return;
  }
  dict.items.push_back(key);
  if (dict.is(Kind::kDict)) dict.items.push_back(value);
}

// binascii.a2b_base64: characters that are no digits are passed over.
std::string decode_base64(std::string_view text, const Source& source, Mark place) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::u32string characters = from_utf8(text);
  for (size_t i = 0; i < characters.size(); ++i) {
    if (characters[i] < 0x80) continue;
    source.fail(ErrorKind::kYamlConstructorError,
                format("failed to convert base64 data into ascii: 'ascii' codec can't encode "
                       "character {} in position {}: ordinal not in range(128)",
                       python_escape(characters[i]), i),
                place);
  }
  std::string out;
  uint32_t bits = 0;
  size_t count = 0;
  size_t padding = 0;
  for (const char c : text) {
    if (c == '=') {
      ++padding;
      if (count % 4 >= 2 && count % 4 + padding >= 4) break;
      continue;
    }
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) continue;
    padding = 0;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    if (++count % 4 != 1) out += static_cast<char>(bits >> (6 - 2 * ((count - 1) % 4)));
  }
  if (count % 4 == 1) {
    source.fail(
        ErrorKind::kYamlConstructorError,
        format("failed to decode base64 data: Invalid base64-encoded string: number of data "
               "characters ({}) cannot be 1 more than a multiple of 4",
               count),
        place);
  }
  if (count % 4 != 0 && count % 4 + padding < 4) {
    source.fail(ErrorKind::kYamlConstructorError, "failed to decode base64 data: Incorrect padding",
                place);
  }
  return out;
}

}  // namespace

PyValues::PyValues(const Document& document) : source_(document.source()) {
  if (document.root() == nullptr) {
    root_ = &values_.emplace_back();
    return;
  }
  root_ = make(document.root());
  // Collections are filled after they are made, in order: what holds itself is no problem.
  while (!pending_.empty()) {
    const Pending next = pending_.front();
    pending_.pop_front();
    fill(next.node, *next.value);
  }
}

PyValue* PyValues::make(Node* node) {
  const auto found = made_.find(node);
  if (found != made_.end()) return found->second;
  const std::string_view tag = std::string_view(node->tag).starts_with(kTagPrefix)
                                   ? std::string_view(node->tag).substr(kTagPrefix.size())
                                   : std::string_view();
  PyValue* value = nullptr;
  const bool is_list = tag == "seq" || tag == "omap" || tag == "pairs";
  if (is_list || tag == "map" || tag == "set") {
    value = &values_.emplace_back();
    value->kind = is_list ? Kind::kList : tag == "map" ? Kind::kDict : Kind::kSet;
    pending_.push_back({node, value});
  } else {
    value = make_scalar(*node, tag);
  }
  value->start = node->start;
  made_[node] = value;
  return value;
}

// A mapping with the key "=" stands for the value there.
const std::string& PyValues::scalar_text(const Node& node) const {
  const Node* scalar = &node;
  for (int depth = 0; scalar->kind == NodeKind::kMapping; ++depth) {
    const Node* found = nullptr;
    for (size_t i = 0; i < scalar->items.size() && found == nullptr; i += 2) {
      if (has_tag(*scalar->items[i], "value")) found = scalar->items[i + 1];
    }
    if (found == nullptr) break;
    if (depth == kMaxDepth)
      throw_error(ErrorKind::kLimitExceeded, "a YAML scalar that stands for itself");
    scalar = found;
  }
  if (scalar->kind != NodeKind::kScalar)
    fail(format("expected a scalar node, but found {}", name(scalar->kind)), scalar->start);
  return scalar->value;
}

PyValue* PyValues::make_scalar(const Node& node, std::string_view tag) {
  PyValue made;
  if (tag == "str") {
    made.kind = Kind::kString;
    made.text = scalar_text(node);
  } else if (tag == "null") {
    scalar_text(node);
  } else if (tag == "bool") {
    std::string word = scalar_text(node);
    for (char& c : word) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    }
    made.kind = Kind::kBool;
    made.truth = word == "yes" || word == "true" || word == "on";
    if (!made.truth && word != "no" && word != "false" && word != "off")
      throw_error(ErrorKind::kKeyError, python_repr(word));
  } else if (tag == "int") {
    made.kind = Kind::kInt;
    made.text = int_digits(scalar_text(node));
  } else if (tag == "float") {
    made.kind = Kind::kFloat;
    made.real = float_value(scalar_text(node));
  } else if (tag == "binary") {
    made.kind = Kind::kBytes;
    made.text = decode_base64(scalar_text(node), source_, node.start);
  } else if (tag == "timestamp") {
    const Timestamp timestamp = parse_timestamp(scalar_text(node));
    made.kind = timestamp.is_date ? Kind::kDate : Kind::kDateTime;
    made.text = timestamp.text;
    made.repr = timestamp.repr;
  } else {
    fail(format("could not determine a constructor for the tag {}", python_repr(node.tag)),
         node.start);
  }
  values_.push_back(std::move(made));
  return &values_.back();
}

void PyValues::fill(Node* node, PyValue& value) {
  if (has_tag(*node, "omap")) return fill_pairs(node, value, true);
  if (has_tag(*node, "pairs")) return fill_pairs(node, value, false);
  if (!value.is(Kind::kList)) return fill_dict(node, value);
  if (node->kind != NodeKind::kSequence)
    fail(format("expected a sequence node, but found {}", name(node->kind)), node->start);
  for (Node* item : node->items) value.items.push_back(make(item));
}

void PyValues::fill_dict(Node* node, PyValue& value) {
  if (node->kind != NodeKind::kMapping)
    fail(format("expected a mapping node, but found {}", name(node->kind)), node->start);
  flatten(node, 0);
  for (size_t i = 0; i < node->items.size(); i += 2) {
    PyValue* key = make(node->items[i]);
    if (!is_hashable(*key)) {
      source_.fail(ErrorKind::kYamlConstructorError, "while constructing a mapping", node->start,
                   "found unhashable key", node->items[i]->start);
    }
    append_item(value, key, make(node->items[i + 1]));
  }
}

void PyValues::fill_pairs(Node* node, PyValue& value, bool is_ordered_map) {
  const std::string_view context =
      is_ordered_map ? "while constructing an ordered map" : "while constructing pairs";
  const auto refuse = [&](std::string problem, Mark place) {
    source_.fail(ErrorKind::kYamlConstructorError, context, node->start, problem, place);
  };
  if (node->kind != NodeKind::kSequence)
    refuse(format("expected a sequence, but found {}", name(node->kind)), node->start);
  for (Node* item : node->items) {
    if (item->kind != NodeKind::kMapping) {
      refuse(format("expected a mapping of length 1, but found {}", name(item->kind)), item->start);
    }
    if (item->items.size() != 2) {
      refuse(format("expected a single mapping item, but found {} items", item->items.size() / 2),
             item->start);
    }
    PyValue* key = make(item->items[0]);
    PyValue* held = make(item->items[1]);
    PyValue& pair = values_.emplace_back();
    pair.kind = Kind::kTuple;
    pair.items = {key, held};
    value.items.push_back(&pair);
  }
}

// SafeConstructor.flatten_mapping: what merge keys name goes in front.
void PyValues::flatten(Node* node, int depth) {
  if (depth > kMaxDepth) {
    throw_error(ErrorKind::kLimitExceeded,
                format("YAML merge keys nested more than {} deep", kMaxDepth));
  }
  std::vector<Node*> merged;
  std::vector<Node*> own;
  const auto merge = [&](const Node& from) {
    merged_ += from.items.size();
    if (merged_ > kMaxMerged) {
      throw_error(ErrorKind::kLimitExceeded,
                  format("YAML merge keys bring more than {} items", kMaxMerged));
    }
    merged.insert(merged.end(), from.items.begin(), from.items.end());
  };
  const std::vector<Node*> items = std::exchange(node->items, {});
  for (size_t i = 0; i < items.size(); i += 2) {
    Node* key = items[i];
    Node* value = items[i + 1];
    if (!has_tag(*key, "merge")) {
      if (has_tag(*key, "value")) key->tag = std::string(kTagPrefix) + "str";
      own.push_back(key);
      own.push_back(value);
      continue;
    }
    if (value == node) {  // merges itself: what it has so far, and what follows
      node->items = own;
      node->items.insert(node->items.end(), items.begin() + static_cast<ptrdiff_t>(i) + 2,
                         items.end());
      merge(*node);
    } else if (value->kind == NodeKind::kMapping) {
      flatten(value, depth + 1);
      merge(*value);
    } else if (value->kind == NodeKind::kSequence) {
      for (Node* part : value->items) {
        if (part->kind != NodeKind::kMapping) {
          source_.fail(ErrorKind::kYamlConstructorError, "while constructing a mapping",
                       node->start,
                       format("expected a mapping for merging, but found {}", name(part->kind)),
                       part->start);
        }
        flatten(part, depth + 1);
      }
      for (size_t j = value->items.size(); j-- > 0;) merge(*value->items[j]);
    } else {
      source_.fail(ErrorKind::kYamlConstructorError, "while constructing a mapping", node->start,
                   format("expected a mapping or list of mappings for merging, but found {}",
                          name(value->kind)),
                   value->start);
    }
  }
  merged.insert(merged.end(), own.begin(), own.end());
  node->items = std::move(merged);
}

// --- Python's view of a value ---

PyScalar PyScalar::string(std::string_view text) {
  PyScalar value;
  value.kind = Kind::kString;
  value.text = text;
  return value;
}

PyScalar PyScalar::integer(int64_t number) {
  PyScalar value;
  value.kind = Kind::kInt;
  value.text = std::to_string(number);
  return value;
}

std::string_view class_name(const PyScalar& value) {
  static constexpr std::string_view kNames[] = {
      "NoneType",          "bool",  "int",  "float", "str", "bytes", "datetime.date",
      "datetime.datetime", "tuple", "list", "dict",  "set"};
  return kNames[static_cast<size_t>(value.kind)];
}

namespace {

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

std::string scalar_repr(const PyScalar& value) {
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
      return python_repr(value.text);
    case Kind::kBytes:
      return bytes_repr(value.text);
    default:
      return value.repr;
  }
}

namespace {

// Bounded in depth by `outer`, the collections that hold this one, and in length.
void append_repr(std::string& out, const PyValue& value, std::vector<const PyValue*>& outer) {
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
  if (is_inside_itself || outer.size() >= static_cast<size_t>(kMaxDepth)) {
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

std::string repr(const PyValue& value) {
  std::string out;
  std::vector<const PyValue*> outer;
  append_repr(out, value, outer);
  return out;
}

std::string str(const PyValue& value) {
  const bool is_text =
      value.is(Kind::kString) || value.is(Kind::kDate) || value.is(Kind::kDateTime);
  return is_text ? value.text : repr(value);
}

std::string identity_key(const PyScalar& value) {
  switch (value.kind) {
    case Kind::kBool:
      return value.truth ? "i1" : "i0";
    case Kind::kInt:
      return "i" + value.text;
    case Kind::kFloat: {
      if (const std::optional<std::string> digits = exact_digits(value.real)) return "i" + *digits;
      // No NaN is another.
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

bool is_hashable(const PyScalar& value) { return value.kind < Kind::kTuple; }

void check_hashable(const PyValue& value) {
  if (value.is(Kind::kTuple)) {
    for (const PyValue* item : value.items) {
      if (!item->is(Kind::kTuple)) check_hashable(*item);
    }
  } else if (!is_hashable(value)) {
    throw_error(ErrorKind::kTypeError, format("unhashable type: '{}'", class_name(value)));
  }
}

const PyValue* find(const PyValue& dict, std::string_view key) {
  const auto found = dict.keys.find(std::string("s").append(key));
  return found == dict.keys.end() ? nullptr : dict.items[found->second + 1];
}

const PyValue& subscript(const PyValue& value, std::string_view key) {
  switch (value.kind) {
    case Kind::kDict:
      if (const PyValue* found = find(value, key)) return *found;
      throw_error(ErrorKind::kKeyError, python_repr(key));
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

std::vector<const PyValue*> iterate(const PyValue& value) {
  // A character of a string or byte of bytes: all that is asked of it is to be refused.
  static const PyValue kCharacter = [] {
    PyValue character;
    character.kind = Kind::kString;
    return character;
  }();
  static const PyValue kByte = [] {
    PyValue byte;
    byte.kind = Kind::kInt;
    byte.text = "0";
    return byte;
  }();
  std::vector<const PyValue*> items;
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

}  // namespace faketensor::yaml
