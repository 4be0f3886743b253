// Schema: an operator's signature, parsed from PyTorch's text.
//
//   aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
//
// The text is the definition; `print(parse(text)) == text` for all 4,491 overloads of PyTorch 2.13
// (tested). Rows hold the text only, checked in shape by the compiler (`check_schema_text`); the
// registry parses each once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ops/value.h"

namespace faketensor {

enum class ArgKind : uint8_t {
  kTensor,
  kInt,  // int or SymInt
  kFloat,
  kBool,
  kScalar,
  kComplex,
  kDType,
  kLayout,
  kDevice,
  kMemoryFormat,
  kString,
  kGenerator,
  kGraph,
  kOther,  // Storage, Stream, QScheme, class types, type variables
};

struct ArgType {
  ArgKind kind = ArgKind::kOther;
  bool is_symbolic_int = false;      // SymInt rather than int
  bool is_optional = false;          // T? or T[]?
  bool is_list = false;              // T[], T[2], T?[]
  bool is_element_optional = false;  // T?[]
  int32_t list_size = -1;            // the 2 of int[2]: a single int stands for a list of that many
  std::string_view text;             // as written, without the alias annotation
};

struct Argument {
  std::string_view name;
  ArgType type;
  std::string_view alias;         // "a!" of Tensor(a!), empty for none
  std::string_view default_text;  // as written, empty for none
  Value default_value = Value::unset();
  bool has_default = false;
  bool is_keyword_only = false;

  bool is_written() const { return alias.find('!') != std::string_view::npos; }
};

// The tags that a value for a type's scalar may have, a bit each.
uint32_t tags_of(ArgKind kind);
constexpr uint32_t tag_bit(Value::Tag tag) { return 1u << static_cast<unsigned>(tag); }

struct Schema {
  std::string_view text;
  std::string_view name;      // "aten::add"
  std::string_view overload;  // "Tensor", empty for the default overload
  std::span<const Argument> arguments;
  std::span<const Argument> returns;
  // For each argument the tags of which any value fits, whatever it holds.
  std::span<const uint32_t> fitting_tags;
  bool is_variadic = false;

  // "aten::add.Tensor"; ".default" is spelled out.
  std::string full_name() const;
  // Position of an argument, -1 where there is none of that name.
  int find_argument(std::string_view name) const;
};

// Raises ValueError with the position for text that is no schema. The schema's views point into
// `text` and `arena`.
Schema parse_schema(std::string_view text, Arena& arena);
std::string to_string(const Schema& schema);
// Whether a value is what the argument is where it is not given, so that the dispatcher leaves it out
// when it hands the arguments to Python.
bool is_default(const Argument& argument, const Value& value);

// What can be said of a schema at compile time: a namespace, balanced brackets, "->". Returns
// nullptr or what is wrong.
constexpr const char* check_schema_text(std::string_view text) {
  const size_t open = text.find('(');
  if (text.find("::") == std::string_view::npos || text.find("::") > open)
    return "a schema begins with namespace::name";
  if (open == std::string_view::npos) return "a schema has an argument list";
  int depth = 0;
  size_t close = std::string_view::npos;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (depth < 0) return "unbalanced brackets";
    if (depth == 0 && close == std::string_view::npos) close = i;
  }
  if (depth != 0) return "unbalanced brackets";
  if (text.substr(close + 1, 4) != " -> ") return "' -> ' and the returns follow the argument list";
  return nullptr;
}

}  // namespace faketensor
