// CallLog: the operators that each row of a propagation calls, with the storages they read and bring.
//
// A mode below autograd, so composite operators are seen as what they call (Note [What a mode sees]).
// What its temporaries hold and how many FLOPs it computes follow from the log.
//
//   CallLog log;
//   options.watcher = &log;
//   const Run run = propagate(program, options);
//   for (const LoggedCall& call : log.calls(row)) ... call.op, call.flops
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/graph/fake_tensor_prop.h"
#include "core/ops/variables.h"

namespace faketensor {

struct LoggedCall {
  Row row = kNoRow;
  OpId op = kNoOp;
  std::optional<SymInt> flops;  // none for an operator without a formula
  // Storages of the arguments, then of the results; a storage may be there twice.
  std::span<const Storage* const> read;
  std::span<const Storage* const> brought;
};

// Storages that variables of PyTorch's C++ hold until after a call (variables.h).
struct LoggedBlock {
  Row row = kNoRow;
  size_t last_call = 0;  // of the row's, by place
  std::span<const Storage* const> held;
};

class CallLog final : public RunWatcher, public VariableWatcher {
 public:
  void begin_run() override;
  void begin_row(Row row) override;
  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override;
  void end_variables(std::span<const Value> variables) override;

  // In the order in which they were called.
  std::span<const LoggedCall> calls() const { return calls_; }
  std::span<const LoggedCall> calls(Row row) const;
  // Calls `visit` with each storage that a row's calls have and the place of the last call before it
  // dies, several times for one that several have: the latest holds.
  template <typename Visit>
  void visit_lasts(Row row, const Visit& visit) const {
    const std::span<const LoggedCall> called = calls(row);
    for (size_t i = 0; i < called.size(); ++i) {
      for (const Storage* storage : called[i].read) visit(storage, i);
      for (const Storage* storage : called[i].brought) visit(storage, i);
    }
    for (const LoggedBlock& block : blocks(row)) {
      for (const Storage* storage : block.held) visit(storage, block.last_call);
    }
  }

 private:
  std::span<const Storage* const> storages_in(std::span<const Value> values);
  std::span<const LoggedBlock> blocks(Row row) const;

  Row row_ = kNoRow;
  std::vector<size_t> first_;  // by row: the place of its first call
  std::vector<LoggedCall> calls_;
  std::vector<LoggedBlock> blocks_;
  Arena arena_;  // of their storages
};

}  // namespace faketensor
