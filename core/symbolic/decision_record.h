// DecisionRecord: what was decided, in order: the guards and the deferred runtime asserts of one
// trace, and whether decisions are recorded at all.
//
// A value: a branch or a trial has a copy (Note [Branches] in shape_env.h). Nothing is taken out of
// it; that a guard may stand there twice is PyTorch's.
//
// Written by ShapeEnv where it decides, and its switches by who uses the ShapeEnv.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/symbolic/expr.h"

namespace faketensor {

struct Guard {
  const ExprNode* condition;  // holds for every program run that this trace is valid for
  bool size_oblivious;
  uint32_t origin;  // what was running, see ShapeEnv::set_origin
};

struct RuntimeAssert {
  const ExprNode* symbol;     // the youngest unbacked symbol of the condition; null if it has none
  const ExprNode* condition;  // canonical: a < or <= or == or !=, see canonical_condition
  uint32_t origin;
};

class DecisionRecord {
 public:
  const std::vector<Guard>& guards() const { return guards_; }
  const std::vector<RuntimeAssert>& runtime_asserts() const { return runtime_asserts_; }
  void add(const Guard& guard) { guards_.push_back(guard); }
  void add(const RuntimeAssert& assert) { runtime_asserts_.push_back(assert); }

  // While false, decisions leave nothing.
  bool is_recording() const { return is_recording_; }
  void set_recording(bool recording) { is_recording_ = recording; }

  // Frozen, no more guards are expected: those that a decision needs nevertheless are recorded and
  // counted, also where learning from one fails.
  bool is_frozen() const { return is_frozen_; }
  void freeze() { is_frozen_ = true; }
  void expect_guard() { guards_since_frozen_ += is_frozen_ ? 1 : 0; }
  size_t guards_since_frozen() const { return guards_since_frozen_; }

  // What the last GuardOnDataDependentSymNode was about; null if there was none.
  const ExprNode* last_undecided() const { return last_undecided_; }
  void set_last_undecided(const ExprNode* expr) { last_undecided_ = expr; }

 private:
  std::vector<Guard> guards_;
  std::vector<RuntimeAssert> runtime_asserts_;
  bool is_recording_ = true;
  bool is_frozen_ = false;
  size_t guards_since_frozen_ = 0;
  const ExprNode* last_undecided_ = nullptr;
};

}  // namespace faketensor
