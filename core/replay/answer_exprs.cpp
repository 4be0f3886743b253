#include "core/replay/answer_exprs.h"

#include <algorithm>
#include <map>

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

// --- the environment ---

class Environment {
 public:
  explicit Environment(const Json& question)
      : env_(read_settings(text_member(question, "settings")).shape_env) {
    make_symbols(env_, member(question, "env"));
    for (const Json& conditions : object_member_or_empty(question, "deferred")) {
      for (const Json& condition : list_of(conditions, "deferred"))
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

PythonNumber evaluate_tree(Environment& env, const Json& tree) {
  return faketensor::evaluate_tree(tree, [&](const Json& leaf) {
    if (!leaf.is_string())
      throw_error(ErrorKind::kUnreadable, "not an expression tree: " + excerpt(leaf));
    return env.named(text_of(leaf, "tree"));
  });
}

bool has_hints(Environment& env, const Json& tree) {
  if (tree.is_string()) return env.hint_of(text_of(tree, "tree")).has_value();
  return !tree.is_array() || std::all_of(tree.begin() + 1, tree.end(), [&](const Json& argument) {
    return has_hints(env, argument);
  });
}

// The hint that PyTorch's SymNode of a tree carries: computed from those of its symbols when it was
// made, none where one of them was unbacked. A symbol that a fact has replaced since keeps its own.
std::optional<PythonNumber> hint_of(Environment& env, const Json& tree) {
  if (!has_hints(env, tree)) return {};
  return faketensor::evaluate_tree(tree, [&](const Json& leaf) -> PythonNumber {
    const Number hint = *env.hint_of(text_of(leaf, "tree"));
    return hint.is_float ? PythonNumber(SymFloat(hint.real)) : PythonNumber(SymInt(hint.integer));
  });
}

// --- writing ---

void write_number(JsonWriter& json, const PythonNumber& number) {
  if (number.is_float()) return json.value(number.as_float().as_double());
  if (number.is_bool()) return json.value(number.as_bool().as_bool());
  json.value(number.as_int().as_int());
}

// The constant that an expression is.
PythonNumber constant(const ExprNode* node) {
  switch (node->type) {
    case ExprType::kBool:
      return SymBool(node->is_true());
    case ExprType::kFloat:
      return SymFloat(node->number.real);
    default:
      return SymInt(node->number.integer);
  }
}

PythonNumber number_of(Number number, ExprType type) {
  if (type == ExprType::kBool) return SymBool(number.integer != 0);
  if (type == ExprType::kFloat) return SymFloat(number.as_double());
  return SymInt(number.integer);
}

// --- facts ---

bool check(Environment& env, const Json& tree, const PythonNumber& value) {
  const bool may_guard = !value.is_symbolic() || has_hints(env, tree);
  if (may_guard) return expect_true(value.as_bool());
  return env.shape_env().guard_or_defer(value.node(env.shape_env().pool()));
}

// Nothing: torch._check returns None.
std::optional<PythonNumber> fact_result(Environment& env, const Json& fact,
                                        const PythonNumber& value) {
  const std::string& how = text_member(fact, "how");
  if (how == "guard_int") return SymInt(guard_int(value.as_int()));
  if (how == "guard_or_false") return SymBool(guard_or_false(value.as_bool()));
  if (how == "guard_or_true") return SymBool(guard_or_true(value.as_bool()));
  if (how == "guard") return SymBool(guard_bool(value.as_bool()));
  if (how != "check") throw_error(ErrorKind::kUnreadable, "no such kind of fact: " + how);
  if (!check(env, member(fact, "tree"), value))
    throw_error(ErrorKind::kRuntimeError, std::string(kCheckFailedText));
  return std::nullopt;
}

void answer_fact(JsonWriter& json, Environment& env, const Json& fact) {
  const ShapeEnvSnapshot before(env.shape_env());
  const auto answer = json.object();
  try {
    const PythonNumber value = evaluate_tree(env, member(fact, "tree"));
    const std::optional<PythonNumber> result = fact_result(env, fact, value);
    json.key("result");
    if (result) {
      write_number(json, *result);
    } else {
      json.value(nullptr);
    }
  } catch (const Error& error) {
    write_error_members(json, error);
  }
  json.key("added").raw(before.added(env.shape_env()));
}

// --- queries ---

std::string_view kind_name(ExprType type) {
  constexpr std::string_view kNames[] = {"int", "float", "bool"};
  return kNames[static_cast<size_t>(type)];
}

// statically_known_true and _false: a hint that disproves it settles the matter
// (_sym_node_hint_disproves).
void write_known(JsonWriter& json, const ExprNode* known, const std::optional<PythonNumber>& hint) {
  const bool may_hold = !hint || hint->as_bool().as_bool();
  const bool may_fail = !hint || !hint->as_bool().as_bool();
  json.field("known_true", known != nullptr && known->is_true() && may_hold);
  json.field("known_false", known != nullptr && known->is_false() && may_fail);
}

void write_symbolic(JsonWriter& json, Environment& environment, const Json& tree,
                    const PythonNumber& value) {
  ShapeEnv& env = environment.shape_env();
  const ExprNode* node = value.node(env.pool());
  json.field("kind", kind_name(value.type()));
  const std::string text = to_string(node);
  json.field("str", text);
  const std::string simplified = to_string(env.simplify(node));
  if (simplified != text) json.field("simplify", simplified);
  json.field("range", env.bound(node));
  const ExprNode* known = env.maybe_evaluate_static(node);
  json.key("static");
  if (known == nullptr) {
    json.value(nullptr);
  } else {
    write_number(json, constant(known));
  }
  if (value.is_bool()) write_known(json, known, hint_of(environment, tree));
  if (const std::optional<Number> hint = env.hint(node))
    write_number(json.key("hint"), number_of(*hint, value.type()));
}

// What is asked may raise when a part is written already, so each form is a text of its own.
std::string query_answer(Environment& env, const Json& query) {
  std::string text;
  JsonWriter json(text);
  {
    const auto answer = json.object();
    const PythonNumber value = evaluate_tree(env, member(query, "tree"));
    if (value.is_symbolic()) {
      write_symbolic(json, env, member(query, "tree"), value);
    } else {
      write_number(json.key("value"), value);
    }
  }
  return text;
}

void answer_query(JsonWriter& json, Environment& env, const Json& query) {
  try {
    json.raw(query_answer(env, query));
  } catch (const Error& error) {
    const auto answer = json.object();
    write_error_members(json, error);
  }
}

}  // namespace

void answer_exprs(JsonWriter& json, const Json& question) {
  Environment env(question);
  const auto answer = json.object();
  json.field("id", text_member(question, "id"));
  {
    const auto facts = json.array("facts");
    for (const Json& fact : list_member_or_empty(question, "facts")) answer_fact(json, env, fact);
  }
  const auto queries = json.array("queries");
  for (const Json& query : list_member(question, "queries")) answer_query(json, env, query);
}

}  // namespace faketensor
