// Why a propagated program has the guards and sizes that it has, and what other sizes would change.
//
// A run notes at each decision about symbols which node was running. From that come four answers
// that PyTorch cannot give: symbol_report (every symbol, where it first stands and what it became),
// guard_report (every guard, specialisation, range and deferred assert with its node),
// why_dimension (the chain of nodes that a size came through), and WhatIf (the program's values for
// other sizes without running it again, where no guard forbids them).
//
//   const Run run = propagate(program, options);
//   for (const GuardEntry& entry : guard_report(run)) ... entry.text, entry.node
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/fake_tensor_prop.h"
#include "core/symbolic/evaluate.h"
#include "core/symbolic/value_range.h"

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
  Row node = kNoRow;     // what was running; kNoRow: the file says so
  bool follows = false;  // true whatever the inputs, once symbols are the numbers they became
};

// A symbol in the sizes of a run.
struct SymbolEntry {
  std::string name;
  const ExprNode* symbol = nullptr;
  // The value that the symbol comes from: an input that has it as a size of its own, else where it
  // first stands. Without `dim` that value is a number (aten.item).
  Row node = kNoRow;
  std::optional<size_t> dim;
  bool is_whole = false;        // the size is the symbol itself, not an expression of it
  ValueRange range;             // as the run has narrowed it
  std::optional<int64_t> hint;  // the example's size; none: only data tells
  std::string became;           // "8", "2*s31"; empty: it is still free
};

// In the order in which they first stand in the run's values.
std::vector<SymbolEntry> symbol_report(const Run& run);

// A size with its symbols replaced by what is known of them now: their replacements, and the number
// of a range that holds one. To be called in a scope of the run (Run::shape_env).
SymInt current(SymInt size);

// Kind by kind, in the order in which they were found.
std::vector<GuardEntry> guard_report(const Run& run);

// "linear(x [s77, s53], weight [10, 768])": the node's call with the sizes of its arguments.
std::string call_text(const Run& run, Row node);

// One step from a dimension back to where its size came from.
struct WhyStep {
  Row node = kNoRow;
  size_t dim = 0;
  std::string size;    // as the node answered it
  std::string reason;  // "as dimension 1 of x, by CALL", "a number in the call of CALL", "an input"
  Row cause = kNoRow;  // of an input's size: what made its symbol a number or an expression
};

// From dimension `dim` of `node`'s (first) tensor, negative from the end, back to an input, a
// number of the program or data. Raises UsageError for a node that is no tensor, or has no such
// dimension.
std::vector<WhyStep> why_dimension(const Run& run, Row node, int64_t dim);

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
  // The guards and asserts that do not hold for all values, and the ranges of symbols that do not,
  // but for a range that a listed guard made. Those that only the set symbols decide come first.
  std::vector<std::pair<GuardEntry, Verdict>> broken() const;
  // A size under the settings: a number where it depends on nothing else.
  SymInt value(SymInt size) const;
  // The range of a size under the settings.
  ValueRange bounds(SymInt size) const;

 private:
  Verdict enumerate(const ExprNode* condition, const ExprNode* symbol, ValueRange range) const;
  bool is_set(const ExprNode* symbol) const;
  bool concerns(const ExprNode* condition) const;
  ValueRange range_of(const ExprNode* symbol) const;
  GuardEntry range_entry(const ExprNode* symbol, ValueRange allowed, Row node) const;

  const Run& run_;
  std::vector<std::pair<const ExprNode*, ValueRange>> settings_;
  SymbolMap values_;  // the symbols that are one number, set or found to be, or follow others
};

}  // namespace faketensor
