#include "core/symbolic/shape_env.h"

#include <utility>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/canonical_condition.h"

namespace faketensor {

namespace {

bool all_backed(const ExprNode* node) { return !node->has(kHasUnbacked); }

std::string data_dependent_text(bool integer, const std::string& expr, const std::string& unhinted,
                                const std::string& size_like) {
  const std::string_view description =
      integer ? "Could not extract specialized integer from data-dependent expression"
              : "Could not guard on data-dependent expression";
  std::string text = format("{} {} (unhinted: {}).  (Size-like symbols: {})", description, expr,
                            unhinted, size_like);
  if (!integer) {
    text +=
        "\n\nconsider using data-dependent friendly APIs such as guard_or_false, guard_or_true and "
        "statically_known_true.";
  }
  return text;
}

}  // namespace

ShapeEnv::ShapeEnv(ShapeEnvOptions options)
    : options_(options),
      now_{SymbolTable(options.first_unbacked),
           Knowledge(pool_, options.prefer_deferred_runtime_asserts_over_guards), Conclusions(),
           DecisionRecord()},
      reasoner_(pool_, now_.knowledge, now_.conclusions) {
  pool_.set_shape_env(this);
}

ShapeEnv& shape_env_of(const ExprNode* node) {
  ShapeEnv* env = node->pool->shape_env();
  if (env == nullptr)
    throw_error(ErrorKind::kUsage, "a decision about a symbolic value without a ShapeEnv");
  return *env;
}

// --- decisions ---

bool ShapeEnv::evaluate_bool(const ExprNode* condition, std::optional<bool> fallback,
                             bool size_oblivious) {
  return evaluate_expr(condition, fallback, size_oblivious)->is_true();
}

int64_t ShapeEnv::evaluate_int(const ExprNode* expression) {
  return evaluate_expr(expression, std::nullopt, false)->number.integer;
}

double ShapeEnv::evaluate_float(const ExprNode* expression) {
  return evaluate_expr(expression, std::nullopt, false)->number.as_double();
}

// Mirrors evaluate_expr: what was decided once is not decided again, as long as the same is asked
// with the same fallback (PyTorch's lru_cache of _inner_evaluate_expr).
const ExprNode* ShapeEnv::evaluate_expr(const ExprNode* expr, std::optional<bool> fallback,
                                        bool size_oblivious) {
  expr = replace(expr);
  if (expr->is_constant()) return expr;
  const bool is_remembered = !size_oblivious && recording();
  if (is_remembered) {
    if (const ExprNode* decided = reasoner_.decided(expr, fallback)) return decided;
  }
  const ExprNode* result = decide(expr, fallback, size_oblivious);
  if (is_remembered) reasoner_.remember_decision(expr, fallback, result);
  return result;
}

const ExprNode* ShapeEnv::decide(const ExprNode* expr, std::optional<bool> fallback,
                                 bool size_oblivious) {
  const ExprNode* known = size_oblivious ? maybe_evaluate_static(expr, false, true)
                                         : reasoner_.evaluate_to_decide(expr);
  if (known != nullptr) return known;
  if (all_backed(expr)) return decide_by_hints(expr, size_oblivious);
  const ExprNode* without_unbacked = maybe_evaluate_static(expr, true);
  if (all_backed(without_unbacked)) {
    return without_unbacked->is_constant() ? without_unbacked
                                           : decide_by_hints(without_unbacked, size_oblivious);
  }
  if (fallback) return pool_.boolean(*fallback);
  throw_data_dependent(expr);
}

// The guard is the condition that the hints make true, or that a number is what they make it.
const ExprNode* ShapeEnv::decide_by_hints(const ExprNode* expr, bool size_oblivious) {
  const std::optional<Number> value = hint(expr);
  if (!value) throw_data_dependent(expr);
  const bool condition = expr->type == ExprType::kBool;
  const ExprNode* result = condition ? pool_.boolean(value->integer != 0) : pool_.number(*value);
  if (!recording()) return result;
  now_.record.expect_guard();
  const ExprNode* guard = !condition          ? pool_.make(ExprKind::kEq, expr, result)
                          : result->is_true() ? expr
                                              : pool_.logical_not(expr);
  learn(guard);
  now_.record.add(Guard{guard, size_oblivious, origin()});
  now_.knowledge.add_axioms(simplify(guard));
  return result;
}

bool ShapeEnv::statically_known_true(const ExprNode* condition) {
  condition = replace(condition);
  // A hint that disproves it settles the matter without any reasoning.
  if (all_backed(condition)) {
    const std::optional<Number> value = hint(condition);
    if (value && value->integer == 0) return false;
  }
  const ExprNode* known = maybe_evaluate_static(condition);
  return known != nullptr && known->is_true();
}

bool ShapeEnv::expect_true(const ExprNode* condition) {
  condition = replace(condition);
  if (condition->is_constant()) return condition->is_true();
  if (all_backed(condition) && !options_.prefer_deferred_runtime_asserts_over_guards)
    return evaluate_bool(condition);
  return guard_or_defer(condition);
}

bool ShapeEnv::guard_or_defer(const ExprNode* condition) {
  if (const ExprNode* known = maybe_evaluate_static(condition)) return known->is_true();
  const ExprNode* without_unbacked = maybe_evaluate_static(condition, true);
  if (!options_.prefer_deferred_runtime_asserts_over_guards && all_backed(without_unbacked)) {
    return evaluate_bool(without_unbacked);
  }
  if (recording()) record_assert(condition);
  return true;
}

void ShapeEnv::record_assert(const ExprNode* condition) {
  learn(condition);
  const ExprNode* canonical = canonical_condition(condition);
  const ExprNode* youngest = nullptr;
  for (const ExprNode* symbol : free_symbols(canonical)) {
    if (pool_.symbol_info(symbol).unbacked) youngest = symbol;
  }
  now_.record.add(RuntimeAssert{youngest, canonical, origin()});
  now_.knowledge.forget_static_answers();
  now_.knowledge.add_axioms(simplify(canonical));
}

void ShapeEnv::throw_data_dependent(const ExprNode* expr) {
  now_.record.set_last_undecided(expr);
  const ExprNode* hinted = substitute(expr, now_.knowledge.hinted_constants(expr));
  std::string size_like;
  for (const ExprNode* symbol : free_symbols(hinted)) {
    if (is_size_like(symbol)) {
      size_like += (size_like.empty() ? "" : ", ") + pool_.symbol_info(symbol).name;
    }
  }
  if (size_like.empty()) size_like = "none";
  throw_error(
      ErrorKind::kGuardOnDataDependent,
      data_dependent_text(hinted->has(kIsInteger), to_string(hinted), to_string(expr), size_like));
}

// --- what was recorded ---

std::vector<const ExprNode*> ShapeEnv::nontrivial_guards() {
  std::vector<const ExprNode*> result;
  for (const Guard& guard : guards()) {
    if (maybe_evaluate_static(guard.condition, false, guard.size_oblivious, false) == nullptr)
      result.push_back(simplify(guard.condition));
  }
  return result;
}

std::string ShapeEnv::format_guards() const {
  std::string out;
  for (const Guard& guard : guards()) {
    if (!out.empty()) out += '\n';
    out += " - " + to_string(guard.condition);
  }
  return out;
}

// --- branches ---

std::shared_ptr<ShapeEnv::Branch> ShapeEnv::make_branch() {
  if (trunk_nodes_ == SIZE_MAX) trunk_nodes_ = pool_.node_count();
  return std::make_shared<Branch>(branch_ == nullptr ? now_ : *branch_);
}

std::shared_ptr<ShapeEnv::Branch> ShapeEnv::switch_to(std::shared_ptr<Branch> branch) {
  if (branch == branch_) return branch;
  if (branch != nullptr && trunk_nodes_ == SIZE_MAX) trunk_nodes_ = pool_.node_count();
  if (branch_ != nullptr) std::swap(now_, *branch_);
  if (branch != nullptr) std::swap(now_, *branch);
  return std::exchange(branch_, std::move(branch));
}

}  // namespace faketensor
