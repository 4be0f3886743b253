#include "core/ops/steps/steps.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/ops/steps/reference.h"
#include "core/ops/steps/tables.h"

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

// All steps by OpId. Built on first use, never changed, as the registry of built-in operators is.
class StepsTable {
 public:
  static const StepsTable& builtin() {
    static const StepsTable table;
    return table;
  }
  const Steps* find(OpId op) const {
    return op < steps_.size() && known_[op] ? &steps_[op] : nullptr;
  }

 private:
  StepsTable() {
    const Registry& registry = Registry::builtin();
    const size_t count = registry.entries().size();
    steps_.resize(count);
    known_.resize(count);
    for (const OpEntry& op : registry.entries()) add(op, by_answer(registry, op));
    for (const std::span<const StepsDef> table : steps_tables()) {
      for (const StepsDef& row : table) {
        const OpId op = registry.find(row.op);  // steps_test finds a row of no operator
        if (op != kNoOp) add_row(registry.entry(op), row);
      }
    }
    // Derived overloads come after the operators that they follow from.
    for (const OpEntry& op : registry.entries()) {
      if (op.derived != OpEntry::Derived::kNone && !known_[op.id]) add(op, derived(op));
    }
  }

  static Steps by_answer(const Registry& registry, const OpEntry& op) {
    const StepsFor taken = answered_for(op.facts.answered_by);
    if (taken == StepsFor::kNobody) return {};
    if (op.facts.answered_by == AnsweredBy::kPrim) return {{&prim_steps}, taken};
    if (op.facts.answered_by == AnsweredBy::kRef && is_pointwise(op.rule)) {
      const OpId prim = registry.find("prims::" + std::string(op.packet()));
      if (prim != kNoOp) return {reference_by_name(prim), taken};
    }
    return {{}, taken};
  }
  void add_row(const OpEntry& op, const StepsDef& row) {
    const bool is_given = row.taken != StepsDef::Taken::kAsAnswered;
    const StepsFor taken = is_given ? static_cast<StepsFor>(static_cast<int>(row.taken) - 1)
                                    : answered_for(op.facts.answered_by);
    steps_[op.id] = {row.rule, taken, row.returns_list};
    known_[op.id] = true;
  }
  Steps derived(const OpEntry& op) const {
    if (op.functional == kNoOp) return {};
    const Steps& functional = steps_[op.functional];
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
  void add(const OpEntry& op, const Steps& steps) {
    if (steps.taken_for == StepsFor::kNobody) return;
    steps_[op.id] = steps;
    known_[op.id] = true;
  }

  std::vector<Steps> steps_;
  std::vector<bool> known_;
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
