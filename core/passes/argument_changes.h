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
#include <span>
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

  // The changes of a row of the program's own graph, by argument. Those in the graphs of
  // higher-order operators are not noted.
  std::span<const Change> of(Row row) const;

  // A run begins; what an earlier one changed is forgotten.
  void begin(const Plan& plan);
  void note_value(Row row, const Value& value);
  void note_arguments(const Plan& plan, Row row, std::span<const Value> given);

 private:
  Change named(const Value& written, const Value& given);
  Value kept(const Value& value);

  const Plan* plan_ = nullptr;
  Arena arena_;  // of lists and texts
  std::vector<Value> values_;
  std::unordered_map<const Tensor*, Row> row_of_;  // the first that gave the tensor
  std::map<Row, std::vector<Change>> changes_;
};

// An editor with what it changes noted.
class NotedEditor final : public RowEditor {
 public:
  // `changes` may be null: then nothing is noted.
  NotedEditor(RowEditor& editor, ArgumentChanges* changes, const Plan& plan)
      : editor_(editor), changes_(changes) {
    if (changes_ != nullptr) changes_->begin(plan);
  }

  void edit(Context& context, const Plan& plan, Row row, std::span<Value> args) override {
    editor_.edit(context, plan, row, args);
    if (changes_ != nullptr) changes_->note_arguments(plan, row, args);
  }
  Moved moved_constant(Row row) override { return editor_.moved_constant(row); }
  void note_value(Row row, const Value& value) override {
    editor_.note_value(row, value);
    if (changes_ != nullptr) changes_->note_value(row, value);
  }
  bool is_finished() const override { return editor_.is_finished(); }

 private:
  RowEditor& editor_;
  ArgumentChanges* changes_;
};

}  // namespace faketensor
