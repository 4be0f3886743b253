#include "core/replay/session_runner.h"

#include "core/formats/json_fields.h"
#include "core/replay/expression_json.h"
#include "core/replay/shape_env_json.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

PythonNumber to_number(const Value& value) {
  switch (value.tag()) {
    case Value::Tag::kBool:
      return value.as_sym_bool();
    case Value::Tag::kInt:
      return value.as_sym_int();
    case Value::Tag::kFloat:
      return SymFloat(value.as_double());
    case Value::Tag::kSymFloat:
      return PythonNumber::symbolic(value.as_node());
    default:
      throw_error(ErrorKind::kTypeError, "not a number");
  }
}

Value to_value(const PythonNumber& number) {
  if (number.is_bool()) return number.as_bool();
  if (!number.is_float()) return number.as_int();
  const SymFloat value = number.as_float();
  return value.is_symbolic() ? Value::sym_float(value.node()) : Value(value.as_double());
}

SessionRunner::SessionRunner(const Target& target) : session_(target), reader_(scratch_) {
  writer_.sparse_elements = false;
  reader_.resolve = [this](const Json& object) { return resolve(object); };
}

SessionRunner::Handler SessionRunner::handler(std::string_view kind) {
  static const std::map<std::string_view, Handler> kHandlers = {
      {"backward", &SessionRunner::backward},
      {"cache_clear", &SessionRunner::cache_clear},
      {"cache_info", &SessionRunner::cache_info},
      {"call", &SessionRunner::call},
      {"class", &SessionRunner::class_name},
      {"construct", &SessionRunner::construct},
      {"deepcopy", &SessionRunner::deepcopy},
      {"define", &SessionRunner::define},
      {"delete", &SessionRunner::forget},
      {"describe", &SessionRunner::describe},
      {"detect_fake_mode", &SessionRunner::detect_fake_mode},
      {"enter", &SessionRunner::enter},
      {"epoch", &SessionRunner::next_epoch},
      {"exit", &SessionRunner::exit},
      {"freeze", &SessionRunner::freeze},
      {"fake_copy", &SessionRunner::fake_copy},
      {"from_descriptions", &SessionRunner::from_descriptions},
      {"from_meta", &SessionRunner::from_meta},
      {"from_tensor", &SessionRunner::from_tensor},
      {"get", &SessionRunner::get},
      {"guard", &SessionRunner::guard},
      {"guards_expression", &SessionRunner::guards_expression},
      {"is", &SessionRunner::is_same},
      {"is_fake", &SessionRunner::is_fake},
      {"is_parameter", &SessionRunner::is_parameter},
      {"method", &SessionRunner::method},
      {"mode", &SessionRunner::make_mode},
      {"new_symbol", &SessionRunner::new_symbol},
      {"pickle", &SessionRunner::pickle},
      {"produce_guards", &SessionRunner::produce_guards},
      {"query", &SessionRunner::query},
      {"real", &SessionRunner::make_real},
      {"rename_unbacked", &SessionRunner::rename_unbacked},
      {"repr", &SessionRunner::repr},
      {"same_storage", &SessionRunner::same_storage},
      {"set", &SessionRunner::set},
      {"sym", &SessionRunner::symbolic},
      {"tensor", &SessionRunner::make_tensor},
      {"unbacked_bindings", &SessionRunner::unbacked_bindings},
      {"unpickle", &SessionRunner::unpickle},
      {"value", &SessionRunner::value},
      {"wrap_constant", &SessionRunner::wrap_constant},
  };
  const auto found = kHandlers.find(kind);
  return found == kHandlers.end() ? nullptr : found->second;
}

void SessionRunner::run(JsonWriter& json, const Json& step) {
  const std::string& kind = text_member(step, "do");
  const Handler run_step = handler(kind);
  ShapeEnv* env = newest_with_env_ == nullptr ? nullptr : newest_with_env_->shape_env().get();
  std::optional<ShapeEnvSnapshot> before;
  if (env != nullptr) before.emplace(*env);
  const auto answer = json.object();
  try {
    if (run_step == nullptr)
      throw_error(ErrorKind::kUnsupportedOperator, format("no such kind of step: {}", kind));
    const StepResult result = (this->*run_step)(step);
    const Json* as = find_member(step, "as");
    if (as != nullptr && result.text.empty()) bind(*as, result.value);
    json.key("result");
    if (result.text.empty()) {
      writer_.write(json, result.value);
    } else {
      json.raw(result.text);
    }
  } catch (const Error& error) {
    write_error_members(json, error);
  }
  if (!before) return;
  const std::string added = before->added(*env);
  if (added != "{}") json.key("added").raw(added);
}

void SessionRunner::bind(const Json& as, const Value& value) {
  if (as.is_string()) return bind_name(text_of(as, "as"), value);
  list_of(as, "as");
  if (!value.is_list() || value.size() != as.size())
    throw_error(ErrorKind::kValueError, format("not {} values to unpack", as.size()));
  for (size_t i = 0; i < as.size(); ++i) names_[text_of(as[i], "as")] = value[i];
}

// Lists nest as deep as a schema's return type.
void SessionRunner::bind_name(const std::string& name, const Value& value) {
  names_[name] = value;
  for (size_t i = 0; value.is(Value::Tag::kList) && i < value.size(); ++i)
    bind_name(format("{}[{}]", name, i), value[i]);
}

const SessionRunner::Named& SessionRunner::named(const Json& name) const {
  const auto found = name.is_string() ? names_.find(text_of(name, "a name")) : names_.end();
  if (found == names_.end())
    throw_error(ErrorKind::kUnreadable, format("nothing is named {}", excerpt(name)));
  return found->second;
}

SessionMode& SessionRunner::mode_named(const Json& name) {
  if (SessionMode* const* mode = std::get_if<SessionMode*>(&named(name))) return **mode;
  throw_error(ErrorKind::kUnreadable, format("{} is not a mode", excerpt(name)));
}

Value SessionRunner::value_named(const Json& name) const {
  if (const Value* value = std::get_if<Value>(&named(name))) return *value;
  throw_error(ErrorKind::kUnreadable, format("{} is not a value", excerpt(name)));
}

Tensor& SessionRunner::tensor_named(const Json& name) const {
  const Value value = value_named(name);
  if (!value.is_tensor())
    throw_error(ErrorKind::kAttributeError, format("{} is not a tensor", excerpt(name)));
  return value.tensor();
}

std::string SessionRunner::name_of(const SessionMode* mode) const {
  for (const auto& [name, value] : names_) {
    SessionMode* const* named_mode = std::get_if<SessionMode*>(&value);
    if (named_mode != nullptr && *named_mode == mode) return name;
  }
  return {};
}

Value SessionRunner::read(const Json& value) { return reader_.read(value); }

std::optional<Value> SessionRunner::resolve(const Json& object) {
  if (const Json* ref = find_member(object, "ref")) return value_named(*ref);
  const bool is_number = object.contains("size") || object.contains("expr");
  if (is_number) return to_value(read_number(object));
  return std::nullopt;
}

PythonNumber SessionRunner::read_number(const Json& tree) {
  return evaluate_tree(tree, [this](const Json& leaf) -> PythonNumber {
    if (leaf.is_string()) return to_number(value_named(leaf));
    if (const Json* inner = find_member(leaf, "expr")) {
      // An expression in an expression begins a walk of its own, which the text's nesting bounds.
      return read_number(*inner);
    }
    if (const Json* ref = find_member(leaf, "ref")) {
      PythonNumber number = to_number(value_named(*ref));
      if (!number.is_symbolic()) return number;
      return PythonNumber::symbolic(shape_env().as_shown(number.node(shape_env().pool())));
    }
    if (const Json* of = find_member(leaf, "size")) {
      const int64_t dim = integer_of(element(*of, 1, "size"), "size");
      const SymInt size = tensor_named(element(*of, 0, "size")).size(dim);
      if (!size.is_symbolic()) return size;
      return PythonNumber::symbolic(shape_env_of(size.node()).as_shown(size.node()));
    }
    throw_error(ErrorKind::kUnreadable, format("not an expression: {}", excerpt(leaf)));
  });
}

ShapeEnv& SessionRunner::shape_env() {
  if (newest_with_env_ == nullptr) throw_error(ErrorKind::kUnreadable, "no mode has a ShapeEnv");
  return *newest_with_env_->shape_env();
}

}  // namespace faketensor
