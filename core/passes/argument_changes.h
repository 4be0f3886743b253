// ArgumentChanges: what a what-if made of the arguments that are written in a program.
//
// A what-if changes arguments on their way to the operators (RowEditor) and leaves the program as
// it is. To write the program that it became, what the rows were called with is noted here beside
// what is written, and named again: values by the rows they come from, as in a plan.
//
//   ArgumentChanges changes;
//   const RetargetedRun answer = propagate_retargeted(program, {{.dims = {{"batch", 64}}}, .changes = &changes});
//   for (const ArgumentChanges::Change& change : changes.of(row)) ... change.argument, change.value ...
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/graph/interpreter.h"
#include "core/support/arena.h"

namespace faketensor {

class ArgumentChanges {
 public:
  struct Change {
    size_t argument = 0;  // of the row, by position in its plan
    Value value;          // Value::node_ref(row) for the value of a row
    // Of a copy of that row's value, in row-major order, which is to be given in its place; null
    // for the value itself.
    const TensorMeta* copy = nullptr;
  };

  // The changes of a row of the program's own graph, by argument.
  std::span<const Change> of(Row row) const;
  // Of all rows with changes of a graph; those of higher-order operators were run maybe many times.
  using Rows = std::map<Row, std::vector<Change>>;
  const Rows& of(const Plan& plan) const;
  // The first node of a body that became one thing in one of its runs and another in another, so
  // that no one text says both; empty where there is none.
  const std::string& contradiction() const { return contradiction_; }

  // A run begins; what an earlier one changed is forgotten.
  void begin(const Plan& plan);
  // `was`: what the arguments were before they were changed.
  void note_arguments(const Plan& plan, Row row, std::span<const Value> was,
                      std::span<const Value> given);

 private:
  struct OfPlan {
    std::unordered_map<const Tensor*, Row> row_of;  // the first that was seen to give the tensor
    std::set<Row> seen;
    Rows rows;
  };
  static void note_sources(OfPlan& of, const Value& written, const Value& was);
  Change named(const OfPlan& of, const Value& written, const Value& was, const Value& given);
  Value kept(const Value& value);

  const Plan* plan_ = nullptr;
  Arena arena_;  // of lists and texts
  std::map<const Plan*, OfPlan> plans_;
  std::string contradiction_;
};

// The condition of a while_loop, which PyTorch's fake implementation does not run, run for what an
// editor or a watcher (null: none) sees of it: what it raises is nobody's. For rows of other operators
// nothing is done.
void run_condition(Context& context, RowEditor* editor, GraphWatcher* watcher, const Plan& plan,
                   Row row, std::span<const Value> args);

// An editor with what it changes noted.
class NotedEditor final : public RowEditor {
 public:
  // `changes` may be null: then nothing is noted.
  NotedEditor(RowEditor& editor, ArgumentChanges* changes, const Plan& plan)
      : editor_(editor), changes_(changes) {
    if (changes_ != nullptr) changes_->begin(plan);
  }

  void edit(Context& context, const Plan& plan, Row row, std::span<Value> args) override;
  Moved moved_constant(Row row) override { return editor_.moved_constant(row); }
  void note_value(Row row, const Value& value) override { editor_.note_value(row, value); }
  bool is_finished() const override { return editor_.is_finished(); }

 private:
  RowEditor& editor_;
  ArgumentChanges* changes_;
};

}  // namespace faketensor
