#include "core/io/shape_env_description.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/io/value_json.h"
#include "core/support/format.h"

namespace faketensor {

void append_json(std::string& out, const ValueRange& range) {
  const auto end = [&](RangeEnd value, double real, bool integral) {
    if (range.type == ExprType::kBool) {
      out += value != 0 ? "true" : "false";
      return;
    }
    if (range.type == ExprType::kFloat) {
      if (!integral) return append_json_float(out, real);
      value = integral_end(real);
    }
    if (value.is_infinite()) {
      append_json_string(out, to_string(value));
    } else {
      append_text(out, value);
    }
  };
  out += '[';
  end(range.lower, range.real_lower, range.integral_lower);
  out += ',';
  end(range.upper, range.real_upper, range.integral_upper);
  out += ']';
}

void append_json(std::string& out, const ExprNode* expression) {
  if (expression->kind == ExprKind::kInteger) {
    append_text(out, expression->number.integer);
  } else if (expression->kind == ExprKind::kFloat) {
    append_json_float(out, expression->number.as_double());
  } else {
    append_json_string(out, to_string(expression));
  }
}

namespace {

// Appends "[a,b]" or "{a,b}" of what `append` writes for each element.
template <typename Range, typename Append>
void append_each(std::string& out, char open, char close, const Range& range, Append&& append) {
  out += open;
  bool first = true;
  for (const auto& element : range) {
    if (!first) out += ',';
    first = false;
    append(element);
  }
  out += close;
}

void append_sources(std::string& out, std::span<const Source> sources) {
  if (sources.empty()) return;
  out += ",\"source\":";
  if (sources.size() == 1) {
    append_json_string(out, sources.front().name());
  } else {
    append_each(out, '[', ']', sources,
                [&](const Source& source) { append_json_string(out, source.name()); });
  }
}

void append_symbol(std::string& out, ShapeEnv& env, const ExprNode* symbol) {
  out += "{\"name\":";
  append_json_string(out, to_string(symbol));
  out += ",\"hint\":";
  if (const std::optional<Number> hint = env.hint(symbol)) {
    append_json(out, env.pool().number(*hint));
  } else {
    out += "null";
  }
  out += ",\"range\":";
  append_json(out, env.range(symbol));
  append_sources(out, env.sources(symbol));
  if (symbol->type == ExprType::kFloat) out += ",\"kind\":\"float\"";
  if (env.is_size_like(symbol)) out += ",\"size_like\":true";
  if (env.is_unbacked_input(symbol)) out += ",\"input\":true";
  const bool is_backed = env.hint(symbol).has_value() && symbol->type == ExprType::kInt;
  if (is_backed && !symbol->has(kPositive)) out += ",\"unspecified\":true";
  out += '}';
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

void append_shape_env(std::string& out, ShapeEnv& env) {
  std::vector<const ExprNode*> symbols(env.symbols().begin(), env.symbols().end());
  std::sort(symbols.begin(), symbols.end(), is_before);
  out += "{\"symbols\":";
  append_each(out, '[', ']', symbols,
              [&](const ExprNode* symbol) { append_symbol(out, env, symbol); });
  out += ",\"guards\":";
  append_each(out, '[', ']', env.guards(),
              [&](const Guard& guard) { append_json_string(out, to_string(guard.condition)); });
  out += ",\"replacements\":";
  std::map<std::string, const ExprNode*> replacements;
  for (const ExprNode* symbol : env.replaced_symbols())
    replacements.emplace(to_string(symbol), env.replace(env.replacement(symbol)));
  append_each(out, '{', '}', replacements, [&](const auto& replacement) {
    append_json_string(out, replacement.first);
    out += ':';
    append_json_string(out, to_string(replacement.second));
  });
  out += ",\"divisible\":";
  std::set<std::string> divisible;
  for (const ExprNode* expression : env.divisible()) divisible.insert(to_string(expression));
  append_each(out, '[', ']', divisible,
              [&](const std::string& expression) { append_json_string(out, expression); });
  std::map<std::string, std::vector<const ExprNode*>> deferred;
  for (const RuntimeAssert& assert : env.deferred_runtime_asserts())
    deferred[assert.symbol == nullptr ? "None" : to_string(assert.symbol)].push_back(
        assert.condition);
  out += ",\"deferred\":";
  append_each(out, '{', '}', deferred, [&](const auto& asserts) {
    append_json_string(out, asserts.first);
    out += ':';
    append_each(out, '[', ']', asserts.second,
                [&](const ExprNode* condition) { append_json_string(out, to_string(condition)); });
  });
  std::string guards;
  for (const Guard& guard : env.guards())
    guards += format("{} - {}", guards.empty() ? "" : "\n", to_string(guard.condition));
  out += ",\"format_guards\":";
  append_json_string(out, guards);
  out.append(",\"frozen\":").append(env.is_frozen() ? "true" : "false");
  out += '}';
}

}  // namespace faketensor
