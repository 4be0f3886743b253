// What a program could check so that a decision on data would be settled: our own advice below
// GuardOnDataDependentSymNode. A check is shown only after it was tried: it is assumed, the
// decision asked again, and everything forgotten.
#include <algorithm>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/guard_printer.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

// Everything the environment knows, put back when this goes, and what it remembers of questions:
// an answer that was unknown before stays so.
class ShapeEnv::Trial {
 public:
  explicit Trial(ShapeEnv& env) : env_(env), knowledge_(env), memos_(env.memos_) {}
  ~Trial() {
    env_.reason_from(std::move(knowledge_));
    env_.memos_ = std::move(memos_);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Whether a program that checks `check` can decide `condition`.
  bool settles(const ExprNode* check, const ExprNode* condition) {
    try {
      return env_.expect_true(check) && env_.maybe_evaluate_static(condition) != nullptr;
    } catch (const Error&) {
      return false;  // the check contradicts what is known
    }
  }

 private:
  ShapeEnv& env_;
  ShapeKnowledge knowledge_;
  decltype(ShapeEnv::memos_) memos_;
};

// From weak to strong: that a size is not negative, not 0, more than 1; at last the condition
// itself or its opposite.
std::vector<const ExprNode*> ShapeEnv::checks_for(const ExprNode* condition) {
  std::vector<const ExprNode*> checks;
  for (const ExprNode* symbol : free_symbols(condition)) {
    if (!symbol->has(kHasUnbacked) || symbol->type != ExprType::kInt) continue;
    for (const int64_t least : {0, 1, 2}) {
      checks.push_back(pool_.make(ExprKind::kGe, symbol, pool_.integer(least)));
    }
  }
  if (condition->type == ExprType::kBool) {
    checks.push_back(pool_.logical_not(condition));
    checks.push_back(condition);
  }
  return checks;
}

std::string ShapeEnv::suggest_fix(const ExprNode* condition) {
  const auto symbol_name = [this](const ExprNode* symbol) {
    return pool_.symbol_info(symbol).name;
  };
  std::string out;
  size_t found = 0;
  for (const ExprNode* check : checks_for(replace(condition))) {
    if (found == kMaxSuggestions) break;
    Trial trial(*this);
    if (check->is_constant() || !trial.settles(check, condition)) continue;
    out +=
        format("{}torch._check({})", found++ == 0 ? "" : " or ", python_text(check, symbol_name));
  }
  return out;
}

}  // namespace faketensor
