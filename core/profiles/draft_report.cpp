#include "core/profiles/draft_report.h"

#include <algorithm>

#include "core/graph/explain.h"
#include "core/profiles/program_profiles.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/support/target_name.h"
#include "core/symbolic/expr.h"

namespace faketensor {

namespace {

// What each symbol in a condition is: "u3 is the value of item".
std::vector<std::string> symbols_in(const ExprNode* condition, const Run& run,
                                    std::span<const SymbolEntry> known) {
  std::vector<std::string> texts;
  if (condition == nullptr) return texts;
  for (const ExprNode* symbol : free_symbols(condition)) {
    for (const SymbolEntry& entry : known) {
      if (entry.symbol != symbol) continue;
      const std::string_view node = run.program().text(run.program().node(entry.node).name);
      texts.push_back(entry.dim ? format("{} is {}dimension {} of {}", entry.name,
                                         entry.is_whole ? "" : "in ", *entry.dim, node)
                                : format("{} is the value of {}", entry.name, node));
    }
  }
  return texts;
}

}  // namespace

std::string_view name(DraftFailure::Kind kind) {
  switch (kind) {
    case DraftFailure::Kind::kMissingFakeKernel:
      return "MISSING_FAKE_KERNEL";
    case DraftFailure::Kind::kDataDependentError:
      return "DATA_DEPENDENT_ERROR";
    case DraftFailure::Kind::kGuardAdded:
      break;
  }
  return "GUARD_ADDED";
}

DraftReport::DraftReport(const Program& program)
    : profiles_(record_profiles(program, {})),
      run_(propagate(program,
                     {.python_dispatcher = true, .prepare = answer_by_profiles(profiles_)})) {
  add_operators();
  add_decisions();
  add_problems();
}

// Of an operator whose results are no tensors there is no profile.
void DraftReport::add_operators() {
  const Plan& plan = run_.plan();
  for (Row row = 0; row < plan.size(); ++row) {
    const std::string_view target = plan.target_of(row);
    const bool is_call = plan.row(row).kind == RowKind::kCall && plan.row(row).op == kNoOp;
    if (!is_call || !is_dispatcher_target(target)) continue;
    const std::string op(operator_name(target));
    const auto known = std::find_if(failures_.begin(), failures_.end(),
                                    [&](const DraftFailure& each) { return each.text == op; });
    if (known != failures_.end()) {
      ++known->occurrences;
    } else {
      failures_.push_back({.text = op, .row = row});
    }
  }
}

// Bounds that an operator puts on the size that it makes are no assumption of the program.
void DraftReport::add_decisions() {
  const auto is_stated = [&](Row row) {
    return row != kNoRow &&
           operator_name(run_.plan().target_of(row)) == "aten._assert_scalar.default";
  };
  const std::vector<SymbolEntry> symbols = symbol_report(run_);
  for (const GuardEntry& entry : guard_report(run_)) {
    const bool is_assert = entry.kind == GuardEntry::Kind::kRuntimeAssert && is_stated(entry.node);
    if (entry.follows || (!is_assert && entry.kind != GuardEntry::Kind::kSpecialisation)) continue;
    failures_.push_back({.kind = is_assert ? DraftFailure::Kind::kDataDependentError
                                           : DraftFailure::Kind::kGuardAdded,
                         .text = entry.text,
                         .row = entry.node,
                         .symbols = symbols_in(entry.condition, run_, symbols)});
  }
}

void DraftReport::add_problems() {
  for (const Problem& problem : run_.problems()) {
    if (problem.error_class == class_name(ErrorKind::kGuardOnDataDependent)) {
      failures_.push_back({.kind = DraftFailure::Kind::kDataDependentError,
                           .text = problem.op,
                           .row = problem.node,
                           .message = problem.message});
    } else {
      problems_.push_back(problem);
    }
  }
}

}  // namespace faketensor
