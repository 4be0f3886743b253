// GraphReader's arguments of calls: by position and by keyword, each an "Argument" of the schema.
#include "core/io/graph_reader.h"
#include "core/io/serialized_values.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/tensor/schema_numbers.h"

namespace faketensor {
namespace {

bool is_by_position(JsonValue kind, const Argument& argument) {
  const int64_t number = kind.is_null() ? 0 : kind.integer();
  if (number == kPositional) return true;
  if (number == kByKeyword && !argument.is_keyword_only) return false;
  return !argument.has_default && !argument.is_keyword_only;
}

}  // namespace

// Arguments as torch.export puts them back (deserialize_inputs, torch/_export/serde/serialize.py):
// by position where the file says so or, in a file that does not say, where the schema has no
// default; the others by keyword, in the schema's order. False where the file has an argument that
// our schema does not have: the operator is a later PyTorch's then, and counts as unknown.
bool GraphReader::read_known_arguments(JsonValue inputs, OpId op, Node& node) {
  const Schema& schema = Registry::builtin().entry(op).schema;
  given_.assign(schema.arguments.size(), Value::unset());
  by_position_.assign(given_.size(), false);
  size_t count = 0;
  size_t expected = 0;
  for (const JsonValue input : inputs.items()) {
    JsonFields fields(input);
    const JsonValue name = fields.required("name");
    size_t at = expected;
    if (at >= given_.size() || schema.arguments[at].name != name.string()) {
      const int found = schema.find_argument(name.string());
      if (found < 0) return false;
      at = static_cast<size_t>(found);
    }
    if (!given_[at].is_unset())
      throw_at(name.position(), format("argument '{}' is given twice", name.string()));
    given_[at] = read_argument(fields.required("arg"));
    by_position_[at] = is_by_position(fields.optional("kind"), schema.arguments[at]);
    expected = at + 1;
    ++count;
  }
  size_t positional = 0;
  while (positional < given_.size() && by_position_[positional]) ++positional;
  const std::span<Value> args = arena().make_array<Value>(count);
  const std::span<StringId> keywords = arena().make_array<StringId>(count - positional);
  size_t next = 0;
  for (size_t at = 0; at < given_.size(); ++at) {
    if (given_[at].is_unset()) continue;
    if (at >= positional) keywords[next - positional] = state_.intern(schema.arguments[at].name);
    args[next++] = given_[at];
  }
  // The plan will hold the arguments that are left out here, too.
  if (count < given_.size()) state_.arena_bytes += given_.size() * sizeof(Value);
  node.args = args;
  node.keywords = keywords;
  return true;
}

void GraphReader::read_other_arguments(JsonValue inputs, Node& node) {
  std::vector<Value> args;
  std::vector<Value> by_keyword;
  std::vector<StringId> keywords;
  for (const JsonValue input : inputs.items()) {
    JsonFields fields(input);
    const std::string_view name = fields.required("name").string();
    const Value value = read_argument(fields.required("arg"));
    const JsonValue kind = fields.optional("kind");
    const bool is_positional = name.empty() || (!kind.is_null() && kind.integer() == kPositional);
    (is_positional ? args : by_keyword).push_back(value);
    if (!is_positional) keywords.push_back(state_.intern(name));
  }
  args.insert(args.end(), by_keyword.begin(), by_keyword.end());
  node.args = arena().copy(std::span<const Value>(args));
  node.keywords = arena().copy(std::span<const StringId>(keywords));
}

template <typename Read>
Value GraphReader::read_list(JsonValue items, Read read) {
  const std::span<Value> values = arena().make_array<Value>(items.items().size());
  size_t at = 0;
  for (const JsonValue item : items.items()) values[at++] = read(item);
  return Value::list(values);
}

Value GraphReader::read_ints(JsonValue items) {
  const std::span<SymInt> values = arena().make_array<SymInt>(items.items().size());
  size_t at = 0;
  for (const JsonValue item : items.items()) values[at++] = item.integer();
  return Value::ints(values);
}

// A list of SymIntArguments that are all numbers becomes a list of ints.
Value GraphReader::read_sym_ints(JsonValue items) {
  DimVector numbers;
  for (const JsonValue item : items.items()) {
    const JsonMember member = union_member(item);
    if (member.name != "as_int") {
      return read_list(items, [&](JsonValue each) { return read_sym(union_member(each)); });
    }
    numbers.push_back(member.value.integer());
  }
  return Value::ints(arena().copy(numbers.span()));
}

// SymIntArgument, SymBoolArgument or SymFloatArgument: the name of a node, or a constant.
Value GraphReader::read_sym(const JsonMember& member) {
  if (member.name == "as_name") return reference(member.value);
  if (member.name == "as_int") return Value(member.value.integer());
  if (member.name == "as_bool") return Value(member.value.boolean());
  if (member.name == "as_float") return Value(read_float(member.value));
  throw_at(member.value.position(),
           format("a symbolic argument of unknown kind \"{}\"", member.name));
}

Value GraphReader::read_string(JsonValue text) {
  return Value::string(arena().copy(text.string()));
}

Value GraphReader::read_tensor(JsonValue tensor) {
  return reference(JsonFields(tensor).required("name"));
}

Value GraphReader::read_optional_tensor(JsonValue tensor) {
  const JsonMember member = union_member(tensor);
  // Schema 5.1 (PyTorch 2.3) has the bare name.
  if (member.name == "as_tensor")
    return member.value.is(JsonKind::kString) ? reference(member.value) : read_tensor(member.value);
  if (member.name == "as_none") return {};
  throw_at(tensor.position(), format("an optional tensor of unknown kind \"{}\"", member.name));
}

// The kinds of most arguments.
Value GraphReader::read_argument(JsonValue argument) {
  const JsonMember member = union_member(argument);
  const std::string_view kind = member.name;
  const JsonValue value = member.value;
  if (kind == "as_tensor") return read_tensor(value);
  if (kind == "as_int") return Value(value.integer());
  if (kind == "as_ints") return read_ints(value);
  if (kind == "as_bool") return Value(value.boolean());
  if (kind == "as_float") return Value(read_float(value));
  if (kind == "as_none") return {};
  if (kind == "as_scalar_type") return Value(read_scalar_type(value));
  if (kind == "as_device") return Value(read_device(value));
  if (kind == "as_layout") return Value(read_layout(value));
  if (kind == "as_sym_ints") return read_sym_ints(value);
  if (is_symbolic_kind(kind)) return read_sym(union_member(value));
  if (kind == "as_tensors") {
    return read_list(value, [this](JsonValue item) { return read_tensor(item); });
  }
  return read_rare_argument(member);
}

Value GraphReader::read_rare_argument(const JsonMember& member) {
  const std::string_view kind = member.name;
  const JsonValue value = member.value;
  const auto floats = [this](JsonValue list) {
    return read_list(list, [](JsonValue item) { return Value(read_float(item)); });
  };
  const auto tensors = [this](JsonValue list) {
    return read_list(list, [this](JsonValue item) { return read_tensor(item); });
  };
  if (kind == "as_string" || kind == "as_operator") return read_string(value);
  if (kind == "as_memory_format") return Value(read_memory_format(value));
  if (kind == "as_optional_tensors") {
    return read_list(value, [this](JsonValue item) { return read_optional_tensor(item); });
  }
  if (kind == "as_optional_tensor") return read_optional_tensor(value);
  if (kind == "as_floats") return floats(value);
  if (kind == "as_bools") {
    return read_list(value, [](JsonValue item) { return Value(item.boolean()); });
  }
  if (kind == "as_strings") {
    return read_list(value, [this](JsonValue item) { return read_string(item); });
  }
  if (kind == "as_sym_bools" || kind == "as_sym_floats") {
    return read_list(value, [this](JsonValue item) { return read_sym(union_member(item)); });
  }
  if (kind == "as_nested_tensors") return read_list(value, tensors);
  if (kind == "as_int_lists") {
    return read_list(value, [this](JsonValue item) { return read_ints(item); });
  }
  if (kind == "as_float_lists") return read_list(value, floats);
  if (kind == "as_complex") return read_complex(value);
  if (kind == "as_string_to_argument") return read_dictionary(value);
  if (kind == "as_custom_obj") return read_custom_object(value);
  if (kind == "as_graph") return read_subgraph(value);
  throw_at(value.position(), format("an argument of unknown kind \"{}\"", kind));
}

Value GraphReader::read_complex(JsonValue value) {
  JsonFields fields(value);
  const double parts[] = {read_float(fields.required("real")), read_float(fields.required("imag"))};
  return Value::complex(arena().copy(std::span<const double>(parts)).data());
}

// A dictionary may hold dictionaries: the depth of JSON
// bounds this.
Value GraphReader::read_dictionary(JsonValue value) {
  const std::span<Value> pairs = arena().make_array<Value>(value.members().size());
  size_t at = 0;
  for (const JsonMember member : value.members()) {
    const Value pair[] = {Value::string(arena().copy(member.name)), read_argument(member.value)};
    pairs[at++] = Value::list(arena().copy(std::span<const Value>(pair)));
  }
  return Value::dict(pairs);
}

// A custom object is an input of the graph, or a constant of the file that only its name stands
// for.
Value GraphReader::read_custom_object(JsonValue value) {
  const JsonValue name = JsonFields(value).required("name");
  const StringId id = strings().find(name.string(), 0);
  if (id != 0 && is_defined(id)) return reference(name);
  return read_string(name);
}

}  // namespace faketensor
