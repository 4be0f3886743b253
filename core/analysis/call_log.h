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

namespace faketensor {

struct LoggedCall {
  Row row = kNoRow;
  OpId op = kNoOp;
  std::optional<SymInt> flops;  // none for an operator without a formula
  // Storages of the arguments, then of the results; a storage may be there twice.
  std::span<const Storage* const> read;
  std::span<const Storage* const> brought;
};

class CallLog final : public RunWatcher {
 public:
  void begin_run() override;
  void begin_row(Row row) override { row_ = row; }
  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override;

  // In the order in which they were called.
  std::span<const LoggedCall> calls() const { return calls_; }
  std::span<const LoggedCall> calls(Row row) const;

 private:
  std::span<const Storage* const> storages_in(std::span<const Value> values);

  Row row_ = kNoRow;
  std::vector<LoggedCall> calls_;
  Arena arena_;  // of their storages
};

}  // namespace faketensor
