// Why a propagated program has the guards and sizes that it has, and what other sizes would change.
//
// A run notes at each decision about symbols which node was running. From that come three answers
// that PyTorch cannot give: guard_report (every guard, specialisation, range and deferred assert
// with its node), why_dimension (the chain of nodes that a size came through), and WhatIf (the
// program's values for other sizes without running it again, where no guard forbids them).
//
//   const Run run = propagate(program, options);
//   for (const GuardEntry& entry : guard_report(run)) ... entry.text, entry.node
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/graph/fake_tensor_prop.h"
#include "core/symbolic/bounds.h"
#include "core/symbolic/evaluate.h"

namespace faketensor {

struct GuardEntry {
  enum class Kind : uint8_t {
    kGuard,           // a condition on the inputs that this run relied on
    kSpecialisation,  // a symbol that became a number
    kReplacement,     // a symbol that became an expression of others
    kRuntimeAssert,   // a condition on data, to be checked when the program runs
  };
  Kind kind = Kind::kGuard;
  std::string text;  // "Eq(s53, 768)", "s53 = 768"
  const ExprNode* condition = nullptr;
  NodeId node = kNoNode;  // what was running; kNoNode: the file says so
  bool follows = false;   // true whatever the inputs, once symbols are the numbers they became
};

// A size by what is known of its symbols now: by their replacements, and where the range of one is
// a number, by that.
SymInt current(SymInt size);

// In the order in which they were found, kind by kind.
std::vector<GuardEntry> guard_report(const Run& run);

// "linear(x [s77, s53], weight [10, 768])": the node's call with the sizes of its arguments.
std::string call_text(const Run& run, NodeId node);

// One step from a dimension back to where its size came from.
struct WhyStep {
  NodeId node = kNoNode;
  size_t dim = 0;
  std::string size;    // as the node answered it
  std::string reason;  // "as dimension 1 of x", "an argument of the call", "an input"
};

// From dimension `dim` of `node`'s (first) tensor back to an input or a number of the program.
// Raises UsageError for a node that is no tensor, or has no such dimension.
std::vector<WhyStep> why_dimension(const Run& run, NodeId node, size_t dim);

// A symbol set to one number (lower == upper) or to any of a range.
struct SymbolSetting {
  std::string symbol;
  int64_t lower = 0;
  int64_t upper = 0;
};

class WhatIf {
 public:
  enum class Verdict : uint8_t { kHolds, kViolated, kDepends };

  // Raises UsageError for a name that is no symbol of the run, or a range without values.
  WhatIf(const Run& run, std::span<const SymbolSetting> settings);

  // Whether a guard or assert holds: for all values, for none, or for some.
  Verdict verdict(const ExprNode* condition) const;
  // The guards and asserts that do not hold for all values, the symbols' own ranges among them.
  std::vector<std::pair<GuardEntry, Verdict>> broken() const;
  // A size under the settings: a number where it depends on nothing else.
  SymInt value(SymInt size) const;

 private:
  Verdict enumerate(const ExprNode* condition, const ExprNode* symbol, ValueRange range) const;

  const Run& run_;
  ShapeEnv& env_;
  std::vector<std::pair<const ExprNode*, ValueRange>> settings_;
  SymbolMap numbers_;  // the symbols that are one number: set, or found to be
};

}  // namespace faketensor
