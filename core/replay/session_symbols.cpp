// Steps of a transcript that concern symbols: expressions, guards, what a ShapeEnv knows.
#include <algorithm>
#include <array>
#include <deque>

#include "core/formats/json_fields.h"
#include "core/io/session_json.h"
#include "core/io/shape_env_description.h"
#include "core/mode/unbacked_bindings.h"
#include "core/replay/session_runner.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/produce_guards.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

// torch._inductor... config.unbacked_symint_fallback
constexpr int64_t kUnbackedFallback = 8192;

// Python's truth of a number.
SymBool truth(const PythonNumber& number) {
  if (number.is_bool()) return number.as_bool();
  return number.is_float() ? number.as_float() != SymFloat(0.0) : number.as_int() != 0;
}

// guard_int, guard_float: the number must be of that type.
void check_type(const PythonNumber& number, ExprType wanted) {
  if (number.type() == wanted) return;
  throw_error(ErrorKind::kAssertionError,
              format("Expected {}, got {}", wanted == ExprType::kFloat ? "float" : "int",
                     to_value(number)));
}

Value guard_scalar(const PythonNumber& number) {
  if (number.is_bool()) return guard_bool(number.as_bool());
  if (number.is_float()) return guard_float(number.as_float());
  return guard_int(number.as_int());
}

// `fallback`, or the end of a range that lies nearest.
int64_t fallback_within(const ValueRange& range, int64_t fallback) {
  const RangeEnd least = range.lower.is_infinite() ? RangeEnd(fallback) : range.lower;
  const RangeEnd most = range.upper.is_infinite() ? RangeEnd(fallback) : range.upper;
  return std::min(std::max(RangeEnd(fallback), least), std::max(most, least))
      .as_int64()
      .value_or(fallback);
}

// The hint, with a fallback for every unbacked symbol. Mirrors _optimization_hint_base,
// torch/fx/experimental/_size_hinting.py.
Value optimization_hint(ShapeEnv& env, const PythonNumber& number, int64_t fallback) {
  if (!number.is_symbolic()) return to_value(number);
  Assignment values;
  const ExprNode* node = env.replace(number.node(env.pool()));
  for (const ExprNode* symbol : free_symbols(node)) {
    const std::optional<Number> hint = env.hint(symbol);
    values[symbol] = hint ? *hint : Number::of(fallback_within(env.range(symbol), fallback));
  }
  const std::optional<Number> value = evaluate(node, values);
  if (!value) throw_error(ErrorKind::kRuntimeError, "an expression without a value");
  return value->is_float ? Value(value->real) : Value(value->integer);
}

}  // namespace

StepResult SessionRunner::symbolic(const Json& step) {
  return to_value(read_number(member(step, "expr")));
}

StepResult SessionRunner::new_symbol(const Json& step) {
  const std::string& kind = text_member(step, "kind");
  ShapeEnv& env = shape_env();
  if (kind == "unbacked_int") return Value(env.create_unbacked_int());
  if (kind == "unbacked_bool") return Value(env.create_unbacked_bool());
  if (kind == "unbacked_float") return Value::sym_float(env.create_unbacked_float());
  const Source source = Source::local(text_member(step, "source"));
  DimDynamic dynamic = kind == "size" ? DimDynamic::kDuck : DimDynamic::kDynamic;
  const std::string dynamic_name = text_member(step, "dynamic", "");
  if (dynamic_name == "DYNAMIC") dynamic = DimDynamic::kDynamic;
  if (dynamic_name == "DUCK") dynamic = DimDynamic::kDuck;
  if (dynamic_name == "STATIC") dynamic = DimDynamic::kStatic;
  const Json& value = member(step, "value");
  if (kind == "float")
    return Value::sym_float(
        env.create_unspecified_float(number_of(value, "value"), source, dynamic));
  if (kind == "unspecified")
    return Value(env.create_unspecified_symbol(integer_of(value, "value"), source, dynamic));
  if (kind == "size") return Value(env.create_symbol(integer_of(value, "value"), source, dynamic));
  throw_error(ErrorKind::kUnreadable, format("no such kind of symbol: {}", kind));
}

namespace {

std::optional<int64_t> optional_end(const Json& step, const char* name) {
  const Json* end = find_member(step, name);
  if (end == nullptr || end->is_null()) return std::nullopt;
  return integer_of(*end, name);
}

std::string end_text(std::optional<int64_t> end) { return end ? std::to_string(*end) : "None"; }

// The kernels of the two operators, which need the number itself. Mirror sym_constrain_range and
// sym_constrain_range_for_size, aten/src/ATen/native/Constraints.cpp.
void constrain_number(SymInt value, bool is_size, std::optional<int64_t> min,
                      std::optional<int64_t> max) {
  if (is_size) {
    if (max && *max <= 2)
      throw_error(
          ErrorKind::kRuntimeError,
          format("Max value to constrain_range_for_size must be greater than 2. got: {}", *max));
    min = min.value_or(0);
  }
  const int64_t least = min.value_or(INT64_MIN);
  const int64_t most = max.value_or(INT64_MAX);
  const int64_t number = guard_int(value);
  if (most < least)
    throw_error(ErrorKind::kRuntimeError,
                format("Max must be greater than or equal to min. Got min={} max={}", least, most));
  if (number < least || number > most)
    throw_error(ErrorKind::kRuntimeError, format("Invalid value range for {} between [{}, {}].",
                                                 number, end_text(min), end_text(max)));
}

}  // namespace

// torch.sym_constrain_range and torch.sym_constrain_range_for_size: operators, which a mode answers
// without the number.
StepResult SessionRunner::constrain_by_operator(const Json& step, const PythonNumber& number) {
  const bool is_size = member(step, "how") == "sym_constrain_range_for_size";
  const std::optional<int64_t> min = optional_end(step, "min");
  const std::optional<int64_t> max = optional_end(step, "max");
  const auto value_of = [](std::optional<int64_t> end) { return end ? Value(*end) : Value(); };
  const std::array args = {to_value(number), value_of(min), value_of(max)};
  if (session_.mode_for(args) == nullptr) {
    constrain_number(apply(PythonUnary::kInt, number).as_int(), is_size, min, max);
    return {};
  }
  return session_.call(session_.find_operator(is_size ? "aten::sym_constrain_range_for_size"
                                                      : "aten::sym_constrain_range"),
                       args);
}

StepResult SessionRunner::guard(const Json& step) {
  const std::string& how = text_member(step, "how");
  const PythonNumber number = read_number(member(step, "expr"));
  if (how == "bool") return Value(guard_bool(truth(number)));
  if (how == "python_if") return Value(guard_bool(truth(number)));
  if (how == "int") check_type(number, ExprType::kInt);
  if (how == "int" || how == "python_int")
    return Value(guard_int(apply(PythonUnary::kInt, number).as_int()));
  if (how == "float") {
    check_type(number, ExprType::kFloat);
    return Value(guard_float(number.as_float()));
  }
  if (how == "scalar") return guard_scalar(number);
  if (how == "python_index") {
    int64_t index = guard_int(number.as_int());
    if (index < -10 || index > 9) throw_error(ErrorKind::kIndexError, "list index out of range");
    return Value(index < 0 ? index + 10 : index);
  }
  if (how == "check" || how == "check_is_size") {
    const SymBool condition = how == "check" ? truth(number) : number.as_int() >= 0;
    if (!expect_true(condition))
      throw_error(ErrorKind::kRuntimeError, std::string(kCheckFailedText));
    if (how == "check_is_size") shape_env().advise_is_size(number.as_int());
    return {};
  }
  if (how == "constrain_unify") {
    shape_env().constrain_unify(number.as_int(), read_number(member(step, "with")).as_int());
    return {};
  }
  if (how == "expect_true") return Value(expect_true(truth(number)));
  if (how == "guard_or_false") return Value(guard_or_false(truth(number)));
  if (how == "guard_or_true") return Value(guard_or_true(truth(number)));
  if (how == "guard_size_oblivious") return Value(guard_size_oblivious(truth(number)));
  if (how == "statically_known_true") return Value(statically_known_true(truth(number)));
  if (how == "statically_known_false") return Value(statically_known_false(truth(number)));
  if (how == "is_concrete_int") {
    const ExprNode* node = number.is_symbolic() ? number.node(shape_env().pool()) : nullptr;
    return Value(node == nullptr || node->is_constant());
  }
  if (how == "has_static_value") {
    if (!number.is_symbolic()) return Value(true);
    return Value(shape_env().bound(number.node(shape_env().pool())).is_singleton());
  }
  if (how == "has_guarding_hint")
    return Value(!number.is_symbolic() ||
                 shape_env().hint(number.node(shape_env().pool())).has_value());
  if (how == "optimization_hint")
    return optimization_hint(shape_env(), number,
                             integer_member(step, "fallback", kUnbackedFallback));
  if (how.starts_with("sym_constrain_range")) return constrain_by_operator(step, number);
  if (how == "constrain_range") {
    // A symbol that became a number is judged as a symbol.
    const SymInt value =
        number.is_symbolic() ? SymInt::from_node(number.node(shape_env().pool())) : number.as_int();
    shape_env().constrain_range(value, integer_member(step, "min", kMinusIntInfinity),
                                integer_member(step, "max", kIntInfinity));
    return {};
  }
  if (how == "constrain_range_for_size") {
    shape_env().constrain_range_for_size(number.as_int(), integer_member(step, "min", int64_t{0}),
                                         integer_member(step, "max", kIntInfinity));
    return {};
  }
  throw_error(ErrorKind::kUnreadable, format("no such way to guard: {}", how));
}

StepResult SessionRunner::query(const Json& step) {
  const PythonNumber number = read_number(member(step, "expr"));
  ShapeEnv& env = shape_env();
  const ExprNode* node = number.node(env.pool());
  return StepResult::written([&](JsonWriter& json) {
    const auto answer = json.object();
    json.field("str", to_string(node));
    json.field("simplify", to_string(env.simplify(node)));
    json.field("range", env.bound(node));
    const ExprNode* known = env.maybe_evaluate_static(node);
    json.field("static", known == nullptr ? std::nullopt : std::optional(to_string(known)));
  });
}

// Of the mode that is named, else of the newest.
StepResult SessionRunner::describe(const Json& step) {
  const SessionMode* mode =
      step.contains("mode") ? &mode_named(member(step, "mode")) : newest_with_env_;
  return StepResult::written([&](JsonWriter& json) {
    if (mode == nullptr || mode->shape_env() == nullptr) return json.value(nullptr);
    write_shape_env(json, *mode->shape_env());
  });
}

// --- what a program's inputs must be ---

namespace {

GuardedInput guarded_input(const Value& value, const Source& source, ShapeEnv& env) {
  GuardedInput input{.source = source};
  if (!value.is_tensor()) {
    input.number = to_number(value).node(env.pool());
    return input;
  }
  const Tensor& tensor = value.tensor();
  input.sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  input.strides.assign(tensor.strides().begin(), tensor.strides().end());
  if (tensor.layout() == Layout::kStrided) input.offset = tensor.offset();
  return input;
}

}  // namespace

StepResult SessionRunner::produce_guards(const Json& step) {
  const Json& args = list_member(step, "args");
  const Json& sources = list_member(step, "sources");
  std::deque<SymbolicContext> contexts;
  std::vector<GuardedInput> inputs;
  for (size_t i = 0; i < args.size(); ++i) {
    const Source source = Source::local(text_of(element(sources, i, "sources"), "sources"));
    inputs.push_back(guarded_input(value_named(args[i]), source, shape_env()));
    if (!step.contains("dynamic")) continue;
    contexts.emplace_back(read_dynamic(element(member(step, "dynamic"), i, "dynamic")));
    if (step.contains("constraints"))
      contexts.back().constraint_sizes =
          read_constraints(element(member(step, "constraints"), i, "constraints"));
    inputs.back().context = &contexts.back();
  }
  const ProducedGuards made = faketensor::produce_guards(shape_env(), inputs);
  return StepResult::written([&](JsonWriter& json) { json.value(made.exprs); });
}

StepResult SessionRunner::guards_expression(const Json& step) {
  std::vector<GuardedInput> inputs;
  for (const Json& arg : list_member(step, "args")) {
    const Source source = Source::local(format("t{}", inputs.size()));
    inputs.push_back(guarded_input(value_named(arg), source, shape_env()));
  }
  const std::optional<std::string> made = produce_guards_expression(shape_env(), inputs);
  return made ? StepResult::string(*made) : StepResult();
}

// --- unbacked symbols ---

namespace {

// What the error about a symbol that is not bound shows of a result.
std::string bound_text(const Value& value) {
  if (!value.is_tensor()) return format("{}", value);
  const Tensor& tensor = value.tensor();
  const auto tuple = [](Dims dims) {
    std::string text = "(";
    for (size_t i = 0; i < dims.size(); ++i) text += format(i == 0 ? "{}" : ", {}", dims[i]);
    return text + (dims.size() == 1 ? ",)" : ")");
  };
  return format("{} ({}, {})", tensor_text(tensor), tuple(tensor.strides()), tensor.offset());
}

}  // namespace

StepResult SessionRunner::unbacked_bindings(const Json& step) {
  const Value value = read(member(step, "value"));
  const std::vector<UnbackedBinding> bindings =
      compute_unbacked_bindings(shape_env(), value, bound_text(value));
  if (bindings.empty()) return {};
  return StepResult::written([&](JsonWriter& json) {
    const auto object = json.object();
    for (const UnbackedBinding& binding : bindings)
      json.field(to_string(binding.symbol), binding.path);
  });
}

StepResult SessionRunner::rename_unbacked(const Json& step) {
  ShapeEnv& env = shape_env();
  const PythonNumber from = to_number(value_named(member(step, "from")));
  const PythonNumber to = to_number(value_named(member(step, "to")));
  env.rename_unbacked_to(from.node(env.pool()), to.node(env.pool()));
  return {};
}

StepResult SessionRunner::freeze(const Json&) {
  shape_env().freeze();
  return {};
}

}  // namespace faketensor
