#include "core/replay/shape_env_json.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "core/formats/json_fields.h"
#include "core/io/shape_env_description.h"
#include "core/io/value_json.h"
#include "core/support/format.h"

namespace faketensor {

using nlohmann::json;

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

[[noreturn]] void not_a_symbol(const json& value) {
  throw_error(ErrorKind::kUnreadable, format("not a symbol: {}", excerpt(value)));
}

int64_t int_end(const json& symbol, const json& end) {
  if (end.is_number_integer()) return integer_of(end, "range");
  if (end == "int_oo") return kIntInfinity;
  if (end == "-int_oo") return kMinusIntInfinity;
  not_a_symbol(symbol);
}

double float_end(const json& symbol, const json& end) {
  if (end.is_number()) return end.get<double>();
  const json* special = find_member(end, "f");
  const std::optional<double> known =
      special == nullptr ? std::nullopt : special_float(text_of(*special, "range"));
  if (!known || std::isnan(*known)) not_a_symbol(symbol);
  return *known;
}

bool is_range(const json& symbol) {
  return symbol.contains("range") && symbol["range"].is_array() && symbol["range"].size() == 2;
}

void make_symbol(ShapeEnv& env, const json& symbol) {
  if (!symbol.is_object() || !symbol.contains("name") || !symbol["name"].is_string() ||
      !is_range(symbol))
    not_a_symbol(symbol);
  const std::string& name = symbol["name"].get_ref<const std::string&>();
  const json* hint = find_member(symbol, "hint");
  const json& ends = symbol["range"];
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

// {"a":...,"b":...} around members that are appended one by one; nothing where there are none.
class Members {
 public:
  Members(std::string& out, std::string_view key, char open, char close)
      : out_(out), key_(key), open_(open), close_(close) {}
  // Call before each member.
  std::string& next() {
    if (any_) {
      out_ += ',';
    } else {
      if (out_.back() != '{') out_ += ',';
      append_json_string(out_, key_);
      out_ += ':';
      out_ += open_;
    }
    any_ = true;
    return out_;
  }
  std::string& next(std::string_view name) {
    append_json_string(next(), name);
    return out_ += ':';
  }
  ~Members() {
    if (any_) out_ += close_;
  }

 private:
  std::string& out_;
  std::string_view key_;
  char open_;
  char close_;
  bool any_ = false;
};

void append_symbol(std::string& out, ShapeEnv& env, const ExprNode* symbol) {
  out += "{\"name\":";
  append_json_string(out, to_string(symbol));
  out += ",\"hint\":";
  const std::optional<Number> hint = env.hint(symbol);
  if (hint) {
    append_json(out, env.pool().number(*hint));
  } else {
    out += "null";
  }
  out += ",\"range\":";
  append_json(out, env.range(symbol));
  if (symbol->type == ExprType::kFloat) out += ",\"kind\":\"float\"";
  if (env.is_size_like(symbol)) out += ",\"size_like\":true";
  out += '}';
}

}  // namespace

void make_symbols(ShapeEnv& env, const json& symbols) {
  for (const json& symbol : list_of(symbols, "env")) make_symbol(env, symbol);
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

void ShapeEnvSnapshot::append_added(std::string& out, ShapeEnv& env) const {
  out += '{';
  append_conditions(out, env);
  append_symbols(out, env);
  out += '}';
}

void ShapeEnvSnapshot::append_conditions(std::string& out, ShapeEnv& env) const {
  {
    Members guards(out, "guards", '[', ']');
    for (size_t i = guards_; i < env.guards().size(); ++i)
      append_json_string(guards.next(), to_string(env.guards()[i].condition));
  }
  {
    Members oblivious(out, "size_oblivious_guards", '[', ']');
    for (size_t i = guards_; i < env.guards().size(); ++i) {
      if (env.guards()[i].size_oblivious) append_text(oblivious.next(), i - guards_);
    }
  }
  // By symbol, each symbol where it first comes.
  std::vector<const ExprNode*> order;
  std::map<const ExprNode*, std::vector<const ExprNode*>> deferred;
  for (size_t i = runtime_asserts_; i < env.deferred_runtime_asserts().size(); ++i) {
    const RuntimeAssert& assert = env.deferred_runtime_asserts()[i];
    std::vector<const ExprNode*>& conditions = deferred[assert.symbol];
    if (conditions.empty()) order.push_back(assert.symbol);
    conditions.push_back(assert.condition);
  }
  Members asserts(out, "deferred", '{', '}');
  for (const ExprNode* symbol : order) {
    std::string& text = asserts.next(symbol == nullptr ? "None" : to_string(symbol));
    char separator = '[';
    for (const ExprNode* condition : deferred[symbol]) {
      text += separator;
      append_json_string(text, to_string(condition));
      separator = ',';
    }
    text += ']';
  }
}

void ShapeEnvSnapshot::append_symbols(std::string& out, ShapeEnv& env) const {
  {
    Members replacements(out, "replacements", '{', '}');
    for (const ExprNode* symbol : env.replaced_symbols()) {
      const ExprNode* target = env.replacement(symbol);
      const auto known = replacements_.find(symbol);
      if (known != replacements_.end() && known->second == target) continue;
      append_json(replacements.next(to_string(symbol)), target);
    }
  }
  {
    Members ranges(out, "ranges", '{', '}');
    for (size_t i = 0; i < symbols_; ++i) {
      const ExprNode* symbol = env.symbols()[i];
      const ValueRange range = env.range(symbol);
      if (range != ranges_.at(symbol)) append_json(ranges.next(to_string(symbol)), range);
    }
  }
  {
    Members made(out, "new_symbols", '[', ']');
    for (size_t i = symbols_; i < env.symbols().size(); ++i)
      append_symbol(made.next(), env, env.symbols()[i]);
  }
  {
    Members size_like(out, "size_like", '[', ']');
    for (size_t i = 0; i < symbols_; ++i) {
      const ExprNode* symbol = env.symbols()[i];
      if (env.is_size_like(symbol) && size_like_.count(symbol) == 0)
        append_json_string(size_like.next(), to_string(symbol));
    }
  }
  Members divisible(out, "divisible", '[', ']');
  for (const ExprNode* known : env.divisible()) {
    if (std::find(divisible_.begin(), divisible_.end(), known) == divisible_.end())
      append_json_string(divisible.next(), to_string(known));
  }
}

}  // namespace faketensor
