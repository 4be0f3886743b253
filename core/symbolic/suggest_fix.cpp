#include "core/symbolic/suggest_fix.h"

#include <vector>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/guard_printer.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

constexpr size_t kMaxSuggestions = 2;

// From weak to strong: that a size is not negative, not 0, more than 1; at last the condition
// itself or its opposite.
std::vector<const ExprNode*> checks_for(ExprPool& pool, const ExprNode* condition) {
  std::vector<const ExprNode*> checks;
  for (const ExprNode* symbol : free_symbols(condition)) {
    if (!symbol->has(kHasUnbacked) || symbol->type != ExprType::kInt) continue;
    for (const int64_t least : {0, 1, 2}) {
      checks.push_back(pool.make(ExprKind::kGe, symbol, pool.integer(least)));
    }
  }
  if (condition->type == ExprType::kBool) {
    checks.push_back(pool.logical_not(condition));
    checks.push_back(condition);
  }
  return checks;
}

// Whether a program that checks `check` can decide `condition`.
bool settles(ShapeEnv& env, const ExprNode* check, const ExprNode* condition) {
  const BranchScope trial(env, env.make_trial());
  try {
    return env.expect_true(check) && env.maybe_evaluate_static(condition) != nullptr;
  } catch (const Error&) {
    return false;  // the check contradicts what is known
  }
}

}  // namespace

std::string suggest_fix(ShapeEnv& env, const ExprNode* condition) {
  const auto symbol_name = [&env](const ExprNode* symbol) {
    return env.pool().symbol_info(symbol).name;
  };
  std::string out;
  size_t found = 0;
  for (const ExprNode* check : checks_for(env.pool(), env.replace(condition))) {
    if (found == kMaxSuggestions) break;
    if (check->is_constant() || !settles(env, check, condition)) continue;
    out +=
        format("{}torch._check({})", found++ == 0 ? "" : " or ", python_text(check, symbol_name));
  }
  return out;
}

}  // namespace faketensor
