#include "core/io/shape_env_description.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/support/format.h"

namespace faketensor {

void write_json(JsonWriter& json, const ValueRange& range) {
  const auto end = [&](RangeEnd value, double real, bool integral) {
    if (range.type == ExprType::kBool) return json.value(value != 0);
    if (range.type == ExprType::kFloat) {
      if (!integral) return json.value(real);
      value = integral_end(real);
    }
    if (value.is_infinite()) return json.value(to_string(value));
    json.raw(to_string(value));
  };
  const auto ends = json.array();
  end(range.lower, range.real_lower, range.integral_lower);
  end(range.upper, range.real_upper, range.integral_upper);
}

void write_json(JsonWriter& json, const ExprNode* expression) {
  if (expression->kind == ExprKind::kInteger) {
    json.value(expression->number.integer);
  } else if (expression->kind == ExprKind::kFloat) {
    json.value(expression->number.as_double());
  } else {
    json.value(to_string(expression));
  }
}

void write_symbol_fields(JsonWriter& json, ShapeEnv& env, const ExprNode* symbol) {
  const std::optional<Number> hint = env.hint(symbol);
  json.field("name", to_string(symbol));
  json.field("hint", hint ? std::optional(env.pool().number(*hint)) : std::nullopt);
  json.field("range", env.range(symbol));
}

namespace {

void write_symbol(JsonWriter& json, ShapeEnv& env, const ExprNode* symbol) {
  const auto object = json.object();
  write_symbol_fields(json, env, symbol);
  std::vector<std::string> sources;
  for (const Source& source : env.sources(symbol)) sources.push_back(source.name());
  if (sources.size() == 1) {
    json.field("source", sources.front());
  } else {
    json.field_if_any("source", sources);
  }
  if (symbol->type == ExprType::kFloat) json.field("kind", "float");
  json.flag_if("size_like", env.is_size_like(symbol));
  json.flag_if("input", env.is_unbacked_input(symbol));
  const bool is_backed = env.hint(symbol).has_value() && symbol->type == ExprType::kInt;
  json.flag_if("unspecified", is_backed && !symbol->has(kPositive));
}

// Symbols by prefix, then by number: s9 before s27, all of them before u0.
bool is_before(const ExprNode* a, const ExprNode* b) {
  const std::string left = to_string(a);
  const std::string right = to_string(b);
  const auto prefix = [](std::string_view text) {
    return text.substr(0, text.find_first_of("0123456789"));
  };
  if (prefix(left) != prefix(right)) return prefix(left) < prefix(right);
  return left.size() != right.size() ? left.size() < right.size() : left < right;
}

}  // namespace

void write_shape_env(JsonWriter& json, ShapeEnv& env) {
  const auto object = json.object();
  std::vector<const ExprNode*> symbols(env.symbols().begin(), env.symbols().end());
  std::sort(symbols.begin(), symbols.end(), is_before);
  {
    const auto list = json.array("symbols");
    for (const ExprNode* symbol : symbols) write_symbol(json, env, symbol);
  }
  std::vector<std::string> guards;
  std::string formatted;
  for (const Guard& guard : env.guards()) {
    guards.push_back(to_string(guard.condition));
    formatted += format("{} - {}", formatted.empty() ? "" : "\n", guards.back());
  }
  json.field("guards", guards);
  std::map<std::string, std::string> replacements;
  for (const ExprNode* symbol : env.replaced_symbols())
    replacements.emplace(to_string(symbol), to_string(env.replace(env.replacement(symbol))));
  json.field("replacements", replacements);
  std::set<std::string> divisible;
  for (const ExprNode* expression : env.divisible()) divisible.insert(to_string(expression));
  json.field("divisible", divisible);
  std::map<std::string, std::vector<std::string>> deferred;
  for (const RuntimeAssert& assert : env.deferred_runtime_asserts())
    deferred[assert.symbol == nullptr ? "None" : to_string(assert.symbol)].push_back(
        to_string(assert.condition));
  json.field("deferred", deferred);
  json.field("format_guards", formatted);
  json.field("frozen", env.is_frozen());
}

}  // namespace faketensor
