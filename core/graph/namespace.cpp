#include "core/graph/namespace.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>

#include "core/support/format.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

// Names that torch.fx gives no node: the keywords and builtins of Python that are also names of
// operators, and a few of its own.
constexpr std::string_view kTakenNames[] = {
    "abs",    "all",   "and",    "any",   "as",     "bin",   "bool",   "bytes", "complex", "del",
    "device", "dict",  "divmod", "float", "format", "hash",  "hex",    "id",    "if",      "in",
    "inf",    "input", "int",    "is",    "len",    "list",  "map",    "max",   "min",     "nan",
    "next",   "not",   "object", "or",    "pow",    "print", "pytree", "range", "repr",    "round",
    "set",    "slice", "sorted", "str",   "sum",    "torch", "tuple",  "type",  "vars",    "zip",
};

struct NameParts {
  std::string base;
  std::optional<uint32_t> number;
};

// "relu_1" is "relu" and 1; the number has eight digits at most.
NameParts parts_of(const std::string& name) {
  size_t digits = name.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0) --digits;
  const bool has_number =
      digits < name.size() && name.size() - digits <= 8 && digits > 1 && name[digits - 1] == '_';
  if (!has_number) return {name, {}};
  uint32_t number = 0;
  for (size_t i = digits; i < name.size(); ++i)
    number = number * 10 + static_cast<uint32_t>(name[i] - '0');
  return {name.substr(0, digits - 1), number};
}

std::string identifier(std::string_view wish) {
  std::string name;
  for (const char c : wish) {
    const bool is_fine = c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_fine || name.empty() || name.back() != '_' || c == '_') name += is_fine ? c : '_';
  }
  if (name.empty()) name = "_unnamed";
  if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, "_");
  return name;
}

}  // namespace

std::string Namespace::take(std::string_view wish) {
  std::string name = identifier(wish);
  const NameParts parts = parts_of(name);
  uint32_t number = parts.number.value_or(0);
  if (!parts.number || names_.count(name) != 0) {
    number = counts_[parts.base];
    if (std::find(std::begin(kTakenNames), std::end(kTakenNames), name) != std::end(kTakenNames))
      name = format("{}_{}", parts.base, ++number);
  }
  while (names_.count(name) != 0) name = format("{}_{}", parts.base, ++number);
  names_.insert(name);
  counts_[parts.base] = number;
  return name;
}

void Namespace::note(std::string_view name) {
  const NameParts parts = parts_of(std::string(name));
  names_.emplace(name);
  counts_[parts.base] = parts.number.value_or(counts_[parts.base]);
}

std::string name_of_target(std::string_view target) {
  if (target.starts_with(kTorchOps)) {
    target = operator_name(target);
    target.remove_prefix(std::min(target.size(), target.find('.') + 1));
  } else {
    target.remove_prefix(target.rfind('.') + 1);
  }
  std::string name;
  bool after_lower = false;
  for (const char c : target) {
    if (after_lower && std::isupper(static_cast<unsigned char>(c)) != 0) name += '_';
    after_lower = std::islower(static_cast<unsigned char>(c)) != 0;
    const bool is_word = c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
    name += is_word ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : '_';
  }
  return name.empty() ? "_unnamed" : name;
}

}  // namespace faketensor
