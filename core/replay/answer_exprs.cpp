#include "core/replay/answer_exprs.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "core/formats/json_fields.h"
#include "core/io/shape_env_description.h"
#include "core/io/value_json.h"
#include "core/replay/expression_json.h"
#include "core/replay/shape_env_json.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/parse.h"
#include "core/symbolic/python_number.h"

namespace faketensor {

namespace {

using nlohmann::json;

// --- the environment ---

class Environment {
 public:
  explicit Environment(const json& question)
      : env_(read_settings(text_member(question, "settings")).shape_env) {
    make_symbols(env_, member(question, "env"));
    for (const json& conditions : object_member_or_empty(question, "deferred")) {
      for (const json& condition : list_of(conditions, "deferred"))
        env_.expect_true(condition_of(text_of(condition, "deferred")));
    }
    for (const auto& [name, value] : object_member_or_empty(question, "names").items())
      names_[name] = parse_expr(env_.pool(), text_member(value, "sym"));
  }

  ShapeEnv& shape_env() { return env_; }
  PythonNumber named(const std::string& name) {
    return PythonNumber::symbolic(env_.replace(node_of(name)));
  }
  // The hint that PyTorch's object of that name was made with, whatever has been learnt since.
  std::optional<Number> hint_of(const std::string& name) {
    const ExprNode* node = node_of(name);
    return node->has(kHasUnbacked) ? std::nullopt : env_.hint(node);
  }

 private:
  const ExprNode* condition_of(const std::string& text) {
    const ExprNode* condition = parse_expr(env_.pool(), text);
    if (condition->type != ExprType::kBool)
      throw_error(ErrorKind::kUnreadable, "not a condition: " + text);
    return condition;
  }
  const ExprNode* node_of(const std::string& name) {
    const auto at = names_.find(name);
    const ExprNode* node = at != names_.end() ? at->second : env_.pool().find_symbol(name);
    if (node == nullptr) throw_error(ErrorKind::kUnreadable, "no symbol named " + name);
    return node;
  }

  ShapeEnv env_;
  std::map<std::string, const ExprNode*> names_;
};

// --- trees ---

PythonNumber evaluate_tree(Environment& env, const json& tree) {
  return faketensor::evaluate_tree(tree, [&](const json& leaf) {
    if (!leaf.is_string())
      throw_error(ErrorKind::kUnreadable, "not an expression tree: " + excerpt(leaf));
    return env.named(text_of(leaf, "tree"));
  });
}

bool has_hints(Environment& env, const json& tree) {
  if (tree.is_string()) return env.hint_of(text_of(tree, "tree")).has_value();
  return !tree.is_array() || std::all_of(tree.begin() + 1, tree.end(), [&](const json& argument) {
    return has_hints(env, argument);
  });
}

// The hint that PyTorch's SymNode of a tree carries: computed from those of its symbols when it was
// made, none where one of them was unbacked. A symbol that a fact has replaced since keeps its own.
std::optional<PythonNumber> hint_of(Environment& env, const json& tree) {
  if (!has_hints(env, tree)) return {};
  return faketensor::evaluate_tree(tree, [&](const json& leaf) -> PythonNumber {
    const Number hint = *env.hint_of(text_of(leaf, "tree"));
    return hint.is_float ? PythonNumber(SymFloat(hint.real)) : PythonNumber(SymInt(hint.integer));
  });
}

// --- writing ---

void append_bool(std::string& out, bool value) { out += value ? "true" : "false"; }

void append_constant(std::string& out, const ExprNode* node) {
  switch (node->type) {
    case ExprType::kBool:
      append_bool(out, node->is_true());
      break;
    case ExprType::kInt:
      append_text(out, node->number.integer);
      break;
    case ExprType::kFloat:
      append_json_float(out, node->number.real);
      break;
  }
}

void append_number(std::string& out, Number number, ExprType type) {
  if (type == ExprType::kBool) {
    append_bool(out, number.integer != 0);
  } else if (type == ExprType::kFloat) {
    append_json_float(out, number.as_double());
  } else {
    append_text(out, number.integer);
  }
}

// --- facts ---

bool check(Environment& env, const json& tree, const PythonNumber& value) {
  const bool may_guard = !value.is_symbolic() || has_hints(env, tree);
  if (may_guard) return expect_true(value.as_bool());
  return env.shape_env().guard_or_defer(value.node(env.shape_env().pool()));
}

void append_fact_result(std::string& out, Environment& env, const json& fact,
                        const PythonNumber& value) {
  const std::string& how = text_member(fact, "how");
  if (how == "guard_int") {
    append_text(out, guard_int(value.as_int()));
  } else if (how == "guard_or_false") {
    append_bool(out, guard_or_false(value.as_bool()));
  } else if (how == "guard_or_true") {
    append_bool(out, guard_or_true(value.as_bool()));
  } else if (how == "guard") {
    append_bool(out, guard_bool(value.as_bool()));
  } else if (how == "check") {
    if (!check(env, member(fact, "tree"), value))
      throw_error(ErrorKind::kRuntimeError, std::string(kCheckFailedText));
    out += "null";
  } else {
    throw_error(ErrorKind::kUnreadable, "no such kind of fact: " + how);
  }
}

void answer_fact(std::string& out, Environment& env, const json& fact) {
  const ShapeEnvSnapshot before(env.shape_env());
  out += '{';
  try {
    const PythonNumber value = evaluate_tree(env, member(fact, "tree"));
    std::string result;
    append_fact_result(result, env, fact, value);
    out.append("\"result\":").append(result);
  } catch (const Error& error) {
    out.append("\"raises\":\"").append(error.class_name()).append("\",\"message\":");
    append_json_string(out, error.message());
  }
  out += ",\"added\":";
  before.append_added(out, env.shape_env());
  out += '}';
}

// --- queries ---

void append_plain(std::string& out, const PythonNumber& value) {
  out += "\"value\":";
  if (value.is_float()) {
    append_json_float(out, value.as_float().as_double());
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

// statically_known_true and _false: a hint that disproves it settles the matter
// (_sym_node_hint_disproves).
void append_known(std::string& out, const ExprNode* known,
                  const std::optional<PythonNumber>& hint) {
  const bool may_hold = !hint || hint->as_bool().as_bool();
  const bool may_fail = !hint || !hint->as_bool().as_bool();
  out += ",\"known_true\":";
  append_bool(out, known != nullptr && known->is_true() && may_hold);
  out += ",\"known_false\":";
  append_bool(out, known != nullptr && known->is_false() && may_fail);
}

void append_symbolic(std::string& out, Environment& environment, const json& tree,
                     const PythonNumber& value) {
  ShapeEnv& env = environment.shape_env();
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
  append_json(out, env.bound(node));
  const ExprNode* known = env.maybe_evaluate_static(node);
  out += ",\"static\":";
  if (known == nullptr) {
    out += "null";
  } else {
    append_constant(out, known);
  }
  if (value.is_bool()) append_known(out, known, hint_of(environment, tree));
  const std::optional<Number> hint = env.hint(node);
  if (hint) {
    out += ",\"hint\":";
    append_number(out, *hint, value.type());
  }
}

void answer_query(std::string& out, Environment& env, const json& query) {
  out += '{';
  try {
    const PythonNumber value = evaluate_tree(env, member(query, "tree"));
    std::string answer;
    if (value.is_symbolic()) {
      append_symbolic(answer, env, member(query, "tree"), value);
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
  append_json_string(out, text_member(question, "id"));
  out += ",\"facts\":[";
  bool first = true;
  for (const json& fact : list_member_or_empty(question, "facts")) {
    if (!first) out += ',';
    first = false;
    answer_fact(out, env, fact);
  }
  out += "],\"queries\":[";
  first = true;
  for (const json& query : list_member(question, "queries")) {
    if (!first) out += ',';
    first = false;
    answer_query(out, env, query);
  }
  out += "]}";
}

}  // namespace faketensor
