#include "core/replay/shape_env_json.h"

#include <algorithm>
#include <cmath>

#include "core/formats/json_fields.h"
#include "core/io/shape_env_description.h"
#include "core/support/format.h"

namespace faketensor {

ModeSettings read_settings(std::string_view name) {
  constexpr std::string_view kDispatcher = "+dispatcher";
  ModeSettings settings;
  std::string_view base = name;
  if (base.ends_with(kDispatcher)) {
    settings.python_dispatcher = true;
    base.remove_suffix(kDispatcher.size());
  }
  if (base == "export_deferred") {
    settings.shape_env.prefer_deferred_runtime_asserts_over_guards = true;
  } else if (base == "compile_partial") {
    settings.allow_scalar_outputs = false;
    settings.allow_dynamic_output_shape_ops = false;
  } else if (base != "default" && base != "export" && base != "compile" &&
             base != "no_specialize" && base != "no_duck") {
    throw_error(ErrorKind::kUnreadable, format("unknown settings '{}'", name));
  }
  return settings;
}

namespace {

[[noreturn]] void not_a_symbol(const Json& value) {
  throw_error(ErrorKind::kUnreadable, format("not a symbol: {}", excerpt(value)));
}

int64_t int_end(const Json& symbol, const Json& end) {
  if (end.is_number_integer()) return integer_of(end, "range");
  if (end == "int_oo") return kIntInfinity;
  if (end == "-int_oo") return kMinusIntInfinity;
  not_a_symbol(symbol);
}

double float_end(const Json& symbol, const Json& end) {
  const std::optional<double> known = float_of(end);
  if (!known || std::isnan(*known)) not_a_symbol(symbol);
  return *known;
}

bool is_range(const Json& symbol) {
  return symbol.contains("range") && symbol["range"].is_array() && symbol["range"].size() == 2;
}

void make_symbol(ShapeEnv& env, const Json& symbol) {
  if (!symbol.is_object() || !symbol.contains("name") || !symbol["name"].is_string() ||
      !is_range(symbol))
    not_a_symbol(symbol);
  const std::string& name = symbol["name"].get_ref<const std::string&>();
  const Json* hint = find_member(symbol, "hint");
  const Json& ends = symbol["range"];
  const bool positive = !bool_member(symbol, "unspecified", false);
  if (text_member(symbol, "kind", "int") == "float") {
    const ValueRange range =
        ValueRange::floats(float_end(symbol, ends[0]), float_end(symbol, ends[1]));
    if (hint != nullptr && hint->is_number()) {
      env.create_backed_float(name, hint->get<double>(), range, positive);
    } else {
      env.create_unbacked_float(name, range);
    }
    return;
  }
  const ValueRange range = ValueRange::ints(int_end(symbol, ends[0]), int_end(symbol, ends[1]));
  if (hint != nullptr && hint->is_number_integer()) {
    env.create_backed(name, integer_of(*hint, "hint"), range, positive);
    return;
  }
  const SymInt made = env.create_unbacked_int(name, range);
  if (bool_member(symbol, "size_like", false)) env.mark_size_like(made.node());
  if (bool_member(symbol, "input", false)) env.mark_input(made.node());
}

void write_symbol(JsonWriter& json, ShapeEnv& env, const ExprNode* symbol) {
  const auto object = json.object();
  write_symbol_fields(json, env, symbol);
  if (symbol->type == ExprType::kFloat) json.field("kind", "float");
  json.flag_if("size_like", env.is_size_like(symbol));
}

}  // namespace

void make_symbols(ShapeEnv& env, const Json& symbols) {
  for (const Json& symbol : list_of(symbols, "env")) make_symbol(env, symbol);
}

ShapeEnvSnapshot::ShapeEnvSnapshot(const ShapeEnv& env)
    : symbols_(env.symbols().size()),
      guards_(env.guards().size()),
      runtime_asserts_(env.deferred_runtime_asserts().size()),
      divisible_(env.divisible()) {
  for (const ExprNode* symbol : env.symbols()) {
    ranges_.emplace(symbol, env.range(symbol));
    if (env.is_size_like(symbol)) size_like_.insert(symbol);
  }
  for (const ExprNode* symbol : env.replaced_symbols())
    replacements_.emplace(symbol, env.replacement(symbol));
}

std::string ShapeEnvSnapshot::added(ShapeEnv& env) const {
  std::string text;
  JsonWriter json(text);
  {
    const auto added = json.object();
    write_conditions(json, env);
    write_symbols(json, env);
  }
  return text;
}

void ShapeEnvSnapshot::write_conditions(JsonWriter& json, ShapeEnv& env) const {
  std::vector<std::string> guards;
  std::vector<size_t> oblivious;
  for (size_t i = guards_; i < env.guards().size(); ++i) {
    guards.push_back(to_string(env.guards()[i].condition));
    if (env.guards()[i].size_oblivious) oblivious.push_back(i - guards_);
  }
  json.field_if_any("guards", guards);
  json.field_if_any("size_oblivious_guards", oblivious);
  // By symbol, each symbol where it first comes.
  std::vector<std::pair<std::string, std::vector<std::string>>> deferred;
  for (size_t i = runtime_asserts_; i < env.deferred_runtime_asserts().size(); ++i) {
    const RuntimeAssert& assert = env.deferred_runtime_asserts()[i];
    const std::string symbol = assert.symbol == nullptr ? "None" : to_string(assert.symbol);
    auto of_symbol = std::find_if(deferred.begin(), deferred.end(),
                                  [&](const auto& asserts) { return asserts.first == symbol; });
    if (of_symbol == deferred.end()) of_symbol = deferred.insert(of_symbol, {symbol, {}});
    of_symbol->second.push_back(to_string(assert.condition));
  }
  json.field_if_any("deferred", deferred);
}

void ShapeEnvSnapshot::write_symbols(JsonWriter& json, ShapeEnv& env) const {
  std::vector<std::pair<std::string, const ExprNode*>> replacements;
  for (const ExprNode* symbol : env.replaced_symbols()) {
    const ExprNode* target = env.replacement(symbol);
    const auto known = replacements_.find(symbol);
    if (known != replacements_.end() && known->second == target) continue;
    replacements.emplace_back(to_string(symbol), target);
  }
  json.field_if_any("replacements", replacements);
  std::vector<std::pair<std::string, ValueRange>> ranges;
  std::vector<std::string> size_like;
  for (size_t i = 0; i < symbols_; ++i) {
    const ExprNode* symbol = env.symbols()[i];
    const ValueRange range = env.range(symbol);
    if (range != ranges_.at(symbol)) ranges.emplace_back(to_string(symbol), range);
    if (env.is_size_like(symbol) && size_like_.count(symbol) == 0)
      size_like.push_back(to_string(symbol));
  }
  json.field_if_any("ranges", ranges);
  if (env.symbols().size() > symbols_) {
    const auto made = json.array("new_symbols");
    for (size_t i = symbols_; i < env.symbols().size(); ++i)
      write_symbol(json, env, env.symbols()[i]);
  }
  json.field_if_any("size_like", size_like);
  std::vector<std::string> divisible;
  for (const ExprNode* known : env.divisible()) {
    if (std::find(divisible_.begin(), divisible_.end(), known) == divisible_.end())
      divisible.push_back(to_string(known));
  }
  json.field_if_any("divisible", divisible);
}

}  // namespace faketensor
