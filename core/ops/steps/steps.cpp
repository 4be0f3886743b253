#include "core/ops/steps/steps.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ops/steps/reference.h"
#include "core/ops/steps/tables.h"
#include "core/support/once_each.h"

namespace faketensor {

namespace {

StepsFor answered_for(AnsweredBy by) {
  switch (by) {
    case AnsweredBy::kDecomp:
    case AnsweredBy::kPrim:
    case AnsweredBy::kComposite:
      return StepsFor::kAll;
    case AnsweredBy::kRef:
      return StepsFor::kSymbols;
    default:
      return StepsFor::kNobody;
  }
}

// An out= overload is answered as OutBy says: by its own decomposition, or where the functional one
// has a reference.
Steps out_overload(const OpEntry& op, const Steps& functional) {
  switch (op.out->by) {
    case OutBy::kDecomposition:
    case OutBy::kExactDecomposition:
    case OutBy::kMasked:
    case OutBy::kOpmath:
      return {{&out_steps}, StepsFor::kAll};
    case OutBy::kWrapper:
    case OutBy::kExactWrapper:
    case OutBy::kUnchecked:
      if (functional.taken_for == StepsFor::kNobody) return {};
      return {{&out_steps}, StepsFor::kSymbols};
    default:
      return {};
  }
}

// The steps by OpId, found when they are first asked for. What is found does not change any more.
class StepsTable {
 public:
  static const StepsTable& builtin() {
    static const StepsTable table;
    return table;
  }
  const Steps* find(OpId op) const {
    if (op >= steps_.size()) return nullptr;
    found_.once(op, [&] { add(Registry::builtin().entry(op)); });
    return steps_[op] ? &*steps_[op] : nullptr;
  }

 private:
  StepsTable() : found_(Registry::builtin().size()) {
    const Registry& registry = Registry::builtin();
    steps_.resize(registry.size());
    for (const std::span<const StepsDef> table : steps_tables()) {
      for (const StepsDef& row : table) {
        const OpId op = registry.number(row.op);  // steps_test finds a row of no operator
        if (op != kNoOp) rows_.emplace(op, &row);
      }
    }
  }

  void add(const OpEntry& op) const {
    if (const auto row = rows_.find(op.id); row != rows_.end()) {
      steps_[op.id] = by_row(op, *row->second);
      return;
    }
    Steps steps = by_answer(op);
    if (steps.taken_for == StepsFor::kNobody) steps = derived(op);
    if (steps.taken_for != StepsFor::kNobody) steps_[op.id] = steps;
  }
  static Steps by_answer(const OpEntry& op) {
    const StepsFor taken = answered_for(op.facts.answered_by);
    if (taken == StepsFor::kNobody) return {};
    if (op.facts.answered_by == AnsweredBy::kPrim) return {{&prim_steps}, taken};
    if (op.facts.answered_by == AnsweredBy::kRef && is_pointwise(op.rule)) {
      const OpId prim = Registry::builtin().find("prims::" + std::string(op.packet()));
      if (prim != kNoOp) return {reference_by_name(prim), taken};
    }
    return {{}, taken};
  }
  static Steps by_row(const OpEntry& op, const StepsDef& row) {
    const bool is_given = row.taken != StepsDef::Taken::kAsAnswered;
    const StepsFor taken = is_given ? static_cast<StepsFor>(static_cast<int>(row.taken) - 1)
                                    : answered_for(op.facts.answered_by);
    return {row.rule, taken, row.returns_list};
  }
  Steps derived(const OpEntry& op) const {
    if (op.functional == kNoOp) return {};
    const Steps* found = find(op.functional);
    const Steps functional = found != nullptr ? *found : Steps{};
    switch (op.derived) {
      case OpEntry::Derived::kInplace:
        if (functional.taken_for == StepsFor::kNobody) return {};
        return {{&inplace_steps}, StepsFor::kSymbols};
      case OpEntry::Derived::kOut:
        return out_overload(op, functional);
      default:
        return {};
    }
  }

  mutable std::vector<std::optional<Steps>> steps_;
  mutable OnceEach found_;
  std::unordered_map<OpId, const StepsDef*> rows_;
};

}  // namespace

std::span<const std::span<const StepsDef>> steps_tables() {
  static const std::span<const StepsDef> tables[] = {
      activation_steps(), elementwise_steps(), factory_steps(),   indexing_steps(),
      loss_steps(),       network_steps(),     pass_only_steps(), prims_steps(),
      recurrent_steps(),  reduction_steps(),   upsample_steps(),  view_steps()};
  return tables;
}

const Steps* steps_of(OpId op) { return StepsTable::builtin().find(op); }

Value run_steps(Context& context, const OpEntry& op, std::span<const Value> args) {
  const Rule& rule = steps_of(op.id)->rule;
  if (rule.function == nullptr) return context.run_rule(op, args);
  Call call(context, op, args);
  return rule.function(call, rule.params);
}

}  // namespace faketensor
