#include "core/passes/call_signature.h"

#include "core/formats/json_fields.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

Value constant(Arena& arena, const std::string& kind, const Json& value) {
  if (kind == "as_none") return {};
  if (kind == "as_bool") return Value(bool_of(value, kind));
  if (kind == "as_int") return Value(integer_of(value, kind));
  if (kind == "as_float") {
    if (const std::optional<double> number = float_of(value)) return *number;
    return number_of(value, kind);
  }
  if (kind == "as_string") return Value::string(arena.copy(std::string_view(text_of(value, kind))));
  throw_error(ErrorKind::kUnreadable, format("a module is called with a value that is {}", kind));
}

CallSignature::Argument read_argument(Arena& arena, const Json& json) {
  if (!json.is_object() || json.size() != 1)
    refuse_json("an argument of a module call", "an object of one member", json);
  const std::string& kind = json.begin().key();
  const Json& value = json.begin().value();
  if (kind == "as_tensor") return {.name = text_member(value, "name")};
  if (kind == "as_custom_obj") {
    const std::string& name = text_member(value, "name");
    return {.name = name,
            .is_constant = true,
            .value = Value::string(arena.copy(std::string_view(name)))};
  }
  const bool is_symbolic = kind == "as_sym_int" || kind == "as_sym_bool" || kind == "as_sym_float";
  if (!is_symbolic) return {.name = {}, .is_constant = true, .value = constant(arena, kind, value)};
  if (find_member(value, "as_name") != nullptr) return {.name = text_member(value, "as_name")};
  return {.name = {},
          .is_constant = true,
          .value = constant(arena, value.is_object() ? value.begin().key() : kind,
                            value.is_object() ? value.begin().value() : value)};
}

const Json& children(const Json& spec) { return list_member(spec, "children_spec"); }

// As Python prints a TreeSpec's type.
std::string type_of(const Json& spec) {
  constexpr std::string_view kBuiltins = "builtins.";
  const Json& type = member(spec, "type");
  if (type.is_null()) return "None";
  const std::string& name = text_of(type, "type");
  return format("<class '{}'>", name.starts_with(kBuiltins) ? name.substr(kBuiltins.size()) : name);
}

void expect_type(const Json& spec, std::string_view what, std::string_view wanted) {
  const std::string type = type_of(spec);
  if (type != format("<class '{}'>", wanted))
    throw_error(ErrorKind::kAssertionError,
                format("expected {}.type to be {}, got {}", what, wanted, type));
}

void read_call(CallSignature& signature) {
  const Json dumped = parse_json(signature.in_spec, "in_spec");
  const Json& spec = element(list_of(dumped, "in_spec"), 1, "in_spec");
  if (children(spec).size() != 2)
    throw_error(ErrorKind::kAssertionError,
                format("expected in_spec to have 2 children, got {}", children(spec).size()));
  expect_type(spec, "in_spec", "tuple");
  const Json& args = children(spec)[0];
  const Json& kwargs = children(spec)[1];
  expect_type(args, "args_spec", "tuple");
  expect_type(kwargs, "kwargs_spec", "dict");
  signature.positional = children(args).size();
  const Json keys = parse_json(text_member(kwargs, "context"), "context");
  for (const Json& key : list_of(keys, "context"))
    signature.keywords.push_back(text_of(key, "context"));
}

}  // namespace

CallSignature read_call_signature(Arena& arena, std::string_view text) {
  const Json json = parse_json(text, "signature");
  CallSignature signature;
  signature.in_spec = text_member(json, "in_spec");
  signature.out_spec = text_member(json, "out_spec");
  for (const Json& input : list_member_or_empty(json, "inputs"))
    signature.inputs.push_back(read_argument(arena, input));
  for (const Json& output : list_member_or_empty(json, "outputs"))
    signature.outputs.push_back(read_argument(arena, output));
  read_call(signature);
  return signature;
}

}  // namespace faketensor
