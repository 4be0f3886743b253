#include "core/formats/yaml/constructor.h"

#include <utility>

#include "core/formats/yaml/numbers.h"
#include "core/formats/yaml/python_text.h"
#include "core/formats/yaml/timestamp.h"
#include "core/support/format.h"

namespace faketensor::yaml {

using python::Value;
using Kind = python::Scalar::Kind;

namespace {

// What merge keys may copy in all: merges of merges double.
constexpr size_t kMaxMerged = 1'000'000;

void append_item(Value& dict, Value* key, Value* value) {
  const auto [found, is_new] = dict.keys.emplace(python::identity_key(*key), dict.items.size());
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
  const std::u32string characters = python::from_utf8(text);
  for (size_t i = 0; i < characters.size(); ++i) {
    if (characters[i] < 0x80) continue;
    source.fail(ErrorKind::kYamlConstructorError,
                format("failed to convert base64 data into ascii: 'ascii' codec can't encode "
                       "character {} in position {}: ordinal not in range(128)",
                       python::escape(characters[i]), i),
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

PythonValues::PythonValues(const Document& document) : source_(document.source()) {
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

Value* PythonValues::make(Node* node) {
  const auto found = made_.find(node);
  if (found != made_.end()) return found->second;
  const std::string_view tag = std::string_view(node->tag).starts_with(kTagPrefix)
                                   ? std::string_view(node->tag).substr(kTagPrefix.size())
                                   : std::string_view();
  Value* value = nullptr;
  const bool is_list = tag == "seq" || tag == "omap" || tag == "pairs";
  if (is_list || tag == "map" || tag == "set") {
    value = &values_.emplace_back();
    value->kind = is_list ? Kind::kList : tag == "map" ? Kind::kDict : Kind::kSet;
    pending_.push_back({node, value});
  } else {
    value = make_scalar(*node, tag);
  }
  made_[node] = value;
  return value;
}

// A mapping with the key "=" stands for the value there.
const std::string& PythonValues::scalar_text(const Node& node) const {
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

Value* PythonValues::make_scalar(const Node& node, std::string_view tag) {
  Value made;
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
      throw_error(ErrorKind::kKeyError, python::repr(word));
  } else if (tag == "int") {
    made.kind = Kind::kInt;
    made.text = python::int_digits(scalar_text(node));
  } else if (tag == "float") {
    made.kind = Kind::kFloat;
    made.real = python::float_value(scalar_text(node));
  } else if (tag == "binary") {
    made.kind = Kind::kBytes;
    made.text = decode_base64(scalar_text(node), source_, node.start);
  } else if (tag == "timestamp") {
    const python::Timestamp timestamp = python::parse_timestamp(scalar_text(node));
    made.kind = timestamp.is_date ? Kind::kDate : Kind::kDateTime;
    made.text = timestamp.text;
    made.repr = timestamp.repr;
  } else {
    fail(format("could not determine a constructor for the tag {}", python::repr(node.tag)),
         node.start);
  }
  values_.push_back(std::move(made));
  return &values_.back();
}

void PythonValues::fill(Node* node, Value& value) {
  if (has_tag(*node, "omap")) return fill_pairs(node, value, true);
  if (has_tag(*node, "pairs")) return fill_pairs(node, value, false);
  if (!value.is(Kind::kList)) return fill_dict(node, value);
  if (node->kind != NodeKind::kSequence)
    fail(format("expected a sequence node, but found {}", name(node->kind)), node->start);
  for (Node* item : node->items) value.items.push_back(make(item));
}

void PythonValues::fill_dict(Node* node, Value& value) {
  if (node->kind != NodeKind::kMapping)
    fail(format("expected a mapping node, but found {}", name(node->kind)), node->start);
  flatten(node, 0);
  for (size_t i = 0; i < node->items.size(); i += 2) {
    Value* key = make(node->items[i]);
    if (!python::is_hashable(*key)) {
      source_.fail(ErrorKind::kYamlConstructorError, "while constructing a mapping", node->start,
                   "found unhashable key", node->items[i]->start);
    }
    append_item(value, key, make(node->items[i + 1]));
  }
}

void PythonValues::fill_pairs(Node* node, Value& value, bool is_ordered_map) {
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
    Value* key = make(item->items[0]);
    Value* held = make(item->items[1]);
    Value& pair = values_.emplace_back();
    pair.kind = Kind::kTuple;
    pair.items = {key, held};
    value.items.push_back(&pair);
  }
}

// SafeConstructor.flatten_mapping: what merge keys name goes in front.
void PythonValues::flatten(Node* node, int depth) {
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

}  // namespace faketensor::yaml
