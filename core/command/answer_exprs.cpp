#include "core/command/answer_exprs.h"

#include <cmath>
#include <limits>
#include <map>

#include <nlohmann/json.hpp>

#include "core/io/value_json.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/parse.h"
#include "core/symbolic/python_number.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

using nlohmann::json;

constexpr int kMaxTreeDepth = 100;
constexpr std::string_view kCheckFailed =
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please "
    "report an enhancement request to PyTorch.)";

// --- the environment ---

int64_t int_end(const json& end) {
  if (end.is_string()) return end == "int_oo" ? kIntInfinity : kMinusIntInfinity;
  return end.get<int64_t>();
}

double float_end(const json& end) {
  if (!end.is_object()) return end.get<double>();
  const double infinity = std::numeric_limits<double>::infinity();
  return end.at("f") == "-inf" ? -infinity : infinity;
}

class Environment {
 public:
  explicit Environment(const json& question) : env_(options(question)) {
    const json deferred = question.value("deferred", json::object());
    for (const json& symbol : question.at("env")) add_symbol(symbol, deferred);
    const json names = question.value("names", json::object());
    for (const auto& [name, value] : names.items())
      names_[name] = parse_expr(env_.pool(), value.at("sym").get<std::string>());
  }

  ShapeEnv& shape_env() { return env_; }
  PythonNumber named(const std::string& name) {
    const auto at = names_.find(name);
    const ExprNode* node = at != names_.end() ? at->second : env_.pool().find_symbol(name);
    if (node == nullptr) throw_error(ErrorKind::kUnreadable, "no symbol named " + name);
    return PythonNumber::symbolic(env_.replace(node));
  }

 private:
  static ShapeEnvOptions options(const json& question) {
    ShapeEnvOptions options;
    options.prefer_deferred_runtime_asserts_over_guards =
        question.value("settings", "").starts_with("export_deferred");
    return options;
  }

  void add_symbol(const json& symbol, const json& deferred) {
    const std::string name = symbol.at("name").get<std::string>();
    const json& range = symbol.at("range");
    const json& hint = symbol.at("hint");
    if (symbol.value("kind", "int") == "float") {
      const ValueRange floats = ValueRange::floats(float_end(range[0]), float_end(range[1]));
      if (hint.is_null()) {
        env_.create_unbacked_float();
      } else {
        env_.create_backed_float(name, hint.get<double>(), floats);
      }
      return;
    }
    const ValueRange ints = ValueRange::ints(int_end(range[0]), int_end(range[1]));
    if (!hint.is_null()) {
      env_.create_backed(name, hint.get<int64_t>(), ints, !symbol.value("unspecified", false));
      return;
    }
    // The runtime asserts that are there already are learnt before the range that they left.
    const SymInt made = env_.create_unbacked_int(name, ValueRange::unknown(ExprType::kInt));
    const json conditions = deferred.value(name, json::array());
    for (const json& condition : conditions)
      env_.expect_true(parse_expr(env_.pool(), condition.get<std::string>()));
    if (symbol.value("size_like", false)) env_.mark_size_like(made.node());
    env_.constrain_range(made, ints.lower, ints.upper);
  }

  ShapeEnv env_;
  std::map<std::string, const ExprNode*> names_;
};

// --- trees ---

PythonNumber evaluate_tree(Environment& env, const json& tree, int depth = 0) {
  if (depth > kMaxTreeDepth) throw_error(ErrorKind::kUnreadable, "an expression tree is too deep");
  if (tree.is_string()) return env.named(tree.get<std::string>());
  if (tree.is_boolean()) return SymBool(tree.get<bool>());
  if (tree.is_number_integer()) return SymInt(tree.get<int64_t>());
  if (tree.is_number()) return SymFloat(tree.get<double>());
  if (!tree.is_array() || tree.empty() || !tree[0].is_string())
    throw_error(ErrorKind::kUnreadable, "not an expression tree: " + tree.dump());
  const std::string name = tree[0].get<std::string>();
  std::vector<PythonNumber> args;
  for (size_t i = 1; i < tree.size(); ++i) args.push_back(evaluate_tree(env, tree[i], depth + 1));
  if (name == "ite" && args.size() == 3) return select(args[0], args[1], args[2]);
  const std::optional<PythonUnary> unary = python_unary(name);
  if (unary && args.size() == 1) return apply(*unary, args[0]);
  const std::optional<PythonBinary> binary = python_binary(name);
  if (binary && args.size() == 2) return apply(*binary, args[0], args[1]);
  throw_error(ErrorKind::kUnreadable, "no such function in an expression tree: " + name);
}

// --- writing ---

void append_real(std::string& out, double value) {
  if (std::isfinite(value)) {
    append_text(out, value);
  } else {
    out += std::isnan(value) ? "{\"f\":\"nan\"}"
           : value < 0       ? "{\"f\":\"-inf\"}"
                             : "{\"f\":\"inf\"}";
  }
}

void append_bool(std::string& out, bool value) { out += value ? "true" : "false"; }

void append_end(std::string& out, int64_t end) {
  if (end == kIntInfinity) {
    out += "\"int_oo\"";
  } else if (end == kMinusIntInfinity) {
    out += "\"-int_oo\"";
  } else {
    append_text(out, end);
  }
}

void append_range(std::string& out, const ValueRange& range) {
  const auto append_one = [&](int64_t end, double real) {
    if (range.type == ExprType::kFloat) {
      append_real(out, real);
    } else if (range.type == ExprType::kBool) {
      append_bool(out, end != 0);
    } else {
      append_end(out, end);
    }
  };
  out += '[';
  append_one(range.lower, range.real_lower);
  out += ',';
  append_one(range.upper, range.real_upper);
  out += ']';
}

void append_constant(std::string& out, const ExprNode* node) {
  switch (node->type) {
    case ExprType::kBool:
      append_bool(out, node->is_true());
      break;
    case ExprType::kInt:
      append_text(out, node->number.integer);
      break;
    case ExprType::kFloat:
      append_real(out, node->number.real);
      break;
  }
}

void append_number(std::string& out, Number number, ExprType type) {
  if (type == ExprType::kBool) {
    append_bool(out, number.integer != 0);
  } else if (type == ExprType::kFloat) {
    append_real(out, number.as_double());
  } else {
    append_text(out, number.integer);
  }
}

void append_names(std::string& out, const std::vector<const ExprNode*>& nodes) {
  out += '[';
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(out, to_string(nodes[i]));
  }
  out += ']';
}

// --- facts ---

// What a ShapeEnv knew before a fact, and what the fact added to it.
class Snapshot {
 public:
  explicit Snapshot(ShapeEnv& env)
      : env_(env),
        guards_(env.guards().size()),
        asserts_(env.deferred_runtime_asserts().size()),
        divisible_(env.divisible().size()) {
    for (size_t i = 0; i < env.pool().symbol_count(); ++i) {
      const ExprNode* symbol = env.pool().symbol_at(i);
      symbols_.push_back(
          {symbol, env.range(symbol), env.replacement(symbol), env.is_size_like(symbol)});
    }
  }

  void append_added(std::string& out) const {
    out += '{';
    const size_t start = out.size();
    append_guards(out);
    append_deferred(out);
    append_symbols(out);
    std::vector<const ExprNode*> divisible(env_.divisible().begin() + divisible_,
                                           env_.divisible().end());
    if (!divisible.empty()) {
      out += ",\"divisible\":";
      append_names(out, divisible);
    }
    if (out.size() > start) out.erase(start, 1);
    out += '}';
  }

 private:
  struct Known {
    const ExprNode* symbol;
    ValueRange range;
    const ExprNode* replacement;
    bool size_like;
  };

  void append_guards(std::string& out) const {
    std::vector<const ExprNode*> guards;
    for (size_t i = guards_; i < env_.guards().size(); ++i)
      guards.push_back(env_.guards()[i].condition);
    if (guards.empty()) return;
    out += ",\"guards\":";
    append_names(out, guards);
  }

  void append_deferred(std::string& out) const {
    std::map<std::string, std::vector<const ExprNode*>> by_symbol;
    for (size_t i = asserts_; i < env_.deferred_runtime_asserts().size(); ++i) {
      const RuntimeAssert& added = env_.deferred_runtime_asserts()[i];
      by_symbol[added.symbol == nullptr ? "None" : to_string(added.symbol)].push_back(
          added.condition);
    }
    if (by_symbol.empty()) return;
    out += ",\"deferred\":{";
    bool first = true;
    for (const auto& [name, conditions] : by_symbol) {
      if (!first) out += ',';
      first = false;
      append_json_string(out, name);
      out += ':';
      append_names(out, conditions);
    }
    out += '}';
  }

  void append_symbols(std::string& out) const {
    std::string replacements;
    std::string ranges;
    std::vector<const ExprNode*> size_like;
    for (const Known& known : symbols_) {
      const ExprNode* target = env_.replacement(known.symbol);
      if (target != known.replacement) {
        replacements += replacements.empty() ? "" : ",";
        append_json_string(replacements, to_string(known.symbol));
        replacements += ':';
        if (target->is_constant()) {
          append_constant(replacements, target);
        } else {
          append_json_string(replacements, to_string(target));
        }
      }
      const ValueRange range = env_.range(known.symbol);
      if (!(range == known.range)) {
        ranges += ranges.empty() ? "" : ",";
        append_json_string(ranges, to_string(known.symbol));
        ranges += ':';
        append_range(ranges, range);
      }
      if (env_.is_size_like(known.symbol) && !known.size_like) size_like.push_back(known.symbol);
    }
    if (!replacements.empty()) out.append(",\"replacements\":{").append(replacements).append("}");
    if (!ranges.empty()) out.append(",\"ranges\":{").append(ranges).append("}");
    if (!size_like.empty()) {
      out += ",\"size_like\":";
      append_names(out, size_like);
    }
  }

  ShapeEnv& env_;
  size_t guards_;
  size_t asserts_;
  size_t divisible_;
  std::vector<Known> symbols_;
};

void append_fact_result(std::string& out, const std::string& how, const PythonNumber& value) {
  if (how == "guard_int") {
    append_text(out, guard_int(value.as_int()));
  } else if (how == "guard_or_false") {
    append_bool(out, guard_or_false(value.as_bool()));
  } else if (how == "guard_or_true") {
    append_bool(out, guard_or_true(value.as_bool()));
  } else if (how == "guard") {
    append_bool(out, guard_bool(value.as_bool()));
  } else if (how == "check") {
    if (!expect_true(value.as_bool()))
      throw_error(ErrorKind::kRuntimeError, std::string(kCheckFailed));
    out += "null";
  } else {
    throw_error(ErrorKind::kUnreadable, "no such kind of fact: " + how);
  }
}

void answer_fact(std::string& out, Environment& env, const json& fact) {
  const Snapshot before(env.shape_env());
  out += '{';
  try {
    const PythonNumber value = evaluate_tree(env, fact.at("tree"));
    std::string result;
    append_fact_result(result, fact.at("how").get<std::string>(), value);
    out.append("\"result\":").append(result);
  } catch (const Error& error) {
    out.append("\"raises\":\"").append(error.class_name()).append("\",\"message\":");
    append_json_string(out, error.message());
  }
  out += ",\"added\":";
  before.append_added(out);
  out += '}';
}

// --- queries ---

void append_plain(std::string& out, const PythonNumber& value) {
  out += "\"value\":";
  if (value.is_float()) {
    append_real(out, value.as_float().as_double());
  } else if (value.is_bool()) {
    append_bool(out, value.as_bool().as_bool());
  } else {
    append_text(out, value.as_int().as_int());
  }
}

std::string_view kind_name(ExprType type) {
  constexpr std::string_view kNames[] = {"int", "float", "bool"};
  return kNames[static_cast<size_t>(type)];
}

void append_symbolic(std::string& out, ShapeEnv& env, const PythonNumber& value) {
  const ExprNode* node = value.node(env.pool());
  out.append("\"kind\":\"").append(kind_name(value.type())).append("\",\"str\":");
  const std::string text = to_string(node);
  append_json_string(out, text);
  const std::string simplified = to_string(env.simplify(node));
  if (simplified != text) {
    out += ",\"simplify\":";
    append_json_string(out, simplified);
  }
  out += ",\"range\":";
  append_range(out, env.bound(node));
  const ExprNode* known = env.maybe_evaluate_static(node);
  out += ",\"static\":";
  if (known == nullptr) {
    out += "null";
  } else {
    append_constant(out, known);
  }
  if (value.is_bool()) {
    out += ",\"known_true\":";
    append_bool(out, known != nullptr && known->is_true());
    out += ",\"known_false\":";
    append_bool(out, known != nullptr && known->is_false());
  }
  if (const std::optional<Number> hint = env.hint(node)) {
    out += ",\"hint\":";
    append_number(out, *hint, value.type());
  }
}

void answer_query(std::string& out, Environment& env, const json& query) {
  out += '{';
  try {
    const PythonNumber value = evaluate_tree(env, query.at("tree"));
    std::string answer;
    if (value.is_symbolic()) {
      append_symbolic(answer, env.shape_env(), value);
    } else {
      append_plain(answer, value);
    }
    out += answer;
  } catch (const Error& error) {
    out.append("\"raises\":\"").append(error.class_name()).append("\",\"message\":");
    append_json_string(out, error.message());
  }
  out += '}';
}

}  // namespace

void answer_exprs(std::string& out, const json& question) {
  Environment env(question);
  out += "{\"id\":";
  append_json_string(out, question.at("id").get_ref<const std::string&>());
  out += ",\"facts\":[";
  bool first = true;
  const json facts = question.value("facts", json::array());
  for (const json& fact : facts) {
    if (!first) out += ',';
    first = false;
    answer_fact(out, env, fact);
  }
  out += "],\"queries\":[";
  first = true;
  for (const json& query : question.at("queries")) {
    if (!first) out += ',';
    first = false;
    answer_query(out, env, query);
  }
  out += "]}";
}

}  // namespace faketensor
