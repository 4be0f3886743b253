// AutogradTape: the calls of a propagation as autograd sees them, for what training costs.
//
// A mode below autograd: composite operators are seen as what they call. The floating-point
// parameters are trained, nothing else requires grad, and grad mode is on, so that composites take
// the way that they take in training.
//
//   AutogradTape tape;
//   tape.attach(options);
//   const RetargetedRun answer = propagate_retargeted(program, options);
//   for (const TapedCall& call : tape.calls(row)) ... call.op->name, call.args, call.result
#pragma once

#include <span>
#include <vector>

#include "core/passes/retargeted_run.h"

namespace faketensor {

struct TapedCall {
  const OpEntry* op = nullptr;
  Row row = kNoRow;
  std::span<const Value> args;  // complete and in schema order
  Value result;
  bool records = true;  // grad mode was on
};

class AutogradTape final : public RunWatcher {
 public:
  // Makes a propagation under these options one of training, watched by the tape.
  void attach(RetargetOptions& options);

  void begin_run() override;
  void begin_row(Row row) override { row_ = row; }
  void end_row(Row row, const Value& value) override;
  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override;

  // In the order in which they were called; those of one row.
  std::span<const TapedCall> calls() const { return calls_; }
  std::span<const TapedCall> calls(Row row) const;

 private:
  Value keep(const Value& value);

  const Program* program_ = nullptr;
  Context* context_ = nullptr;
  Row row_ = kNoRow;
  std::vector<TapedCall> calls_;
  Arena arena_;
};

}  // namespace faketensor
