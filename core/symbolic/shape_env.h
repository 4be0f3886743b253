// ShapeEnv: what is known about the symbols of one program, and what was decided about them.
//
// Mirrors torch.fx.experimental.symbolic_shapes.ShapeEnv. It owns the pool of expressions; every
// symbolic SymInt reaches it through its node. A backed symbol (s77) has a hint, the size seen in
// the example input; an unbacked one (u0) comes out of data and has none. Each symbol has a range.
// Deciding a condition tries, in this order:
//   1. statically: by form, by ranges and by what earlier guards imply; nothing is recorded;
//   2. by the hints, if every symbol is backed: the condition, or its negation, is recorded as a
//   guard;
//   3. otherwise a caller's fallback (guard_or_false), a deferred runtime assert (expect_true), or
//   GuardOnDataDependentSymNode.
// A guard or assert that is an equation may also replace a symbol by an expression, and one that is
// an inequality narrow a range: later expressions are built from what replaced their symbols.
//
//   ShapeEnv env;
//   SymInt s0 = env.create_backed("s0", 5, ValueRange::ints(2, kIntInfinity));
//   guard_bool(s0 * 2 == 10);   // true; env.guards() is now [Eq(2*s0, 10)] and s0 is 5 from here
//   on
//
// Lookups are hash look-ups by node; nothing here is global.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/symbolic/bounds.h"
#include "core/symbolic/evaluate.h"
#include "core/symbolic/expr.h"
#include "core/symbolic/sym_int.h"

namespace faketensor {

struct ShapeEnvOptions {
  // torch.export's choice: an assert on backed symbols is deferred to run time instead of becoming
  // a guard.
  bool prefer_deferred_runtime_asserts_over_guards = false;
  // The number of the first unbacked symbol: continues the numbering of an exported program.
  int64_t first_unbacked = 0;
};

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

class ShapeEnv {
 public:
  explicit ShapeEnv(ShapeEnvOptions options = {});
  ShapeEnv(const ShapeEnv&) = delete;
  ShapeEnv& operator=(const ShapeEnv&) = delete;

  ExprPool& pool() { return pool_; }
  const ShapeEnvOptions& options() const { return options_; }

  // --- symbols ---
  // A size symbol is assumed positive whatever its range says, as PyTorch's are; `positive` = false
  // is for a plain integer input.
  SymInt create_backed(std::string_view name, int64_t hint, ValueRange range, bool positive = true);
  // u0, u1, ...: unknown until given a range.
  SymInt create_unbacked_int();
  // An unbacked boolean is Eq(u, 1) of an unbacked integer in [0, 1].
  SymBool create_unbacked_bool();
  // A float input; its range does not narrow.
  const ExprNode* create_backed_float(std::string_view name, double hint, ValueRange range);
  // zuf0, zuf1, ...: an unbacked float.
  const ExprNode* create_unbacked_float();
  // Unbacked symbols under a given name (of an exported program).
  SymInt create_unbacked_int(std::string_view name, ValueRange range);
  const ExprNode* create_unbacked_float(std::string_view name, ValueRange range);
  // All of them, in order of creation.
  const std::vector<const ExprNode*>& symbols() const { return symbols_; }

  ValueRange range(const ExprNode* symbol) const;
  std::optional<int64_t> hint_of_symbol(const ExprNode* symbol) const;
  bool is_size_like(const ExprNode* symbol) const { return size_like_.count(symbol) != 0; }
  void mark_size_like(const ExprNode* symbol) { size_like_.insert(symbol); }

  // An unbacked symbol of an input is there from the start: it may stand for a later one, which one
  // that comes out of data may not.
  void mark_input(const ExprNode* symbol) { unbacked_inputs_.insert(symbol); }

  // sym_constrain_range: narrows the range of a symbol without a guard. Raises RuntimeError for a
  // plain integer outside [min, max].
  void constrain_range(SymInt value, int64_t min, int64_t max);
  // sym_constrain_range_for_size: the same, and the symbol is size-like from here on.
  void constrain_range_for_size(SymInt value, int64_t min = 0, int64_t max = kIntInfinity);

  // --- decisions ---
  // The value of a condition, guarding on it; `fallback` where only data can tell,
  // GuardOnDataDependentSymNode without one.
  bool evaluate_bool(const ExprNode* condition, std::optional<bool> fallback = {},
                     bool size_oblivious = false);
  // The value of an integer expression, specialised to its hint by a guard Eq(expression, value).
  int64_t evaluate_int(const ExprNode* expression);
  double evaluate_float(const ExprNode* expression);
  // The condition of torch._check: true unless it is known or hinted to be false.
  bool expect_true(const ExprNode* condition);
  bool statically_known_true(const ExprNode* condition);

  // --- reasoning without guards ---
  // The constant an expression is known to be; null if it is not known. With unbacked_only, backed
  // symbols stay as they are and the answer may be an expression.
  const ExprNode* maybe_evaluate_static(const ExprNode* node, bool unbacked_only = false,
                                        bool size_oblivious = false);
  // Replaced symbols replaced, products multiplied out, Max and FloorDiv resolved by ranges and
  // known divisibility.
  const ExprNode* simplify(const ExprNode* node, bool size_oblivious = false);
  const ExprNode* replace(const ExprNode* node);
  ValueRange bound(const ExprNode* node, bool size_oblivious = false) const;
  // The value under the hints; nothing if it still depends on an unbacked symbol then.
  std::optional<Number> hint(const ExprNode* node);
  // Python's a % b: Mod where both are non-negative by form or by range, PythonMod otherwise.
  const ExprNode* python_mod(const ExprNode* a, const ExprNode* b);

  // --- what was recorded ---
  const std::vector<Guard>& guards() const { return guards_; }
  const std::vector<RuntimeAssert>& deferred_runtime_asserts() const { return runtime_asserts_; }
  // Symbols that stand for an expression now, in order of replacement.
  const std::vector<const ExprNode*>& replaced_symbols() const { return replaced_; }
  const ExprNode* replacement(const ExprNode* symbol) const;
  const std::vector<const ExprNode*>& divisible() const { return divisible_; }

  // What later guards and asserts are attributed to: a number of the caller's choosing, such as a
  // graph node's.
  void set_origin(uint32_t origin) { origin_ = origin; }
  // While false, decisions leave no guards (fake tensor's suppress_guards).
  void set_recording(bool recording) { recording_ = recording; }

 private:
  struct Fact {
    const ExprNode* key;
    bool value;
  };
  const ExprNode* evaluate_expr(const ExprNode* expr, std::optional<bool> fallback,
                                bool size_oblivious);
  bool guard_or_defer(const ExprNode* condition);
  void add_axioms(const ExprNode* condition);
  void add_axiom(const ExprNode* condition);
  const ExprNode* apply_axioms(const ExprNode* condition) const;
  void learn_from(const ExprNode* relation);
  void learn_from_equality(const ExprNode* relation);
  void refine_ranges(const ExprNode* relation);
  void set_replacement(const ExprNode* symbol, const ExprNode* target);
  void narrow_preimage(const ExprNode* symbol, const ExprNode* target);
  void update_range(const ExprNode* symbol, ValueRange range);
  const ExprNode* find(const ExprNode* symbol);
  bool is_divisible(const ExprNode* base, const ExprNode* divisor);
  bool all_backed(const ExprNode* node) const;
  bool is_known_at_start(const ExprNode* node) const;
  const ExprNode* add_symbol(const SymbolInfo& info, ValueRange range);
  SymbolMap hinted_constants(const ExprNode* expr);
  [[noreturn, gnu::cold]] void throw_data_dependent(const ExprNode* expr);

  ShapeEnvOptions options_;
  ExprPool pool_;
  Assignment hints_;
  std::unordered_map<const ExprNode*, ValueRange> ranges_;
  std::vector<const ExprNode*> symbols_;
  std::unordered_set<const ExprNode*> size_like_;
  std::unordered_set<const ExprNode*> unbacked_inputs_;
  SymbolMap replacements_;
  std::vector<const ExprNode*> replaced_;
  std::vector<const ExprNode*> divisible_;
  std::unordered_map<const ExprNode*, bool> axioms_;
  std::vector<Guard> guards_;
  std::vector<RuntimeAssert> runtime_asserts_;
  int64_t next_unbacked_ = 0;
  int64_t next_unbacked_float_ = 0;
  uint32_t origin_ = 0;
  bool recording_ = true;
};

// One spelling per relation, as PyTorch keeps its facts: >= and > turned into <= and <, common
// factors divided out, and every term moved to the side where it is positive. "u0 >= 0" becomes "0
// <= u0".
const ExprNode* canonical_condition(const ExprNode* condition);

// The environment of a symbolic value; raises UsageError if its pool has none.
ShapeEnv& shape_env_of(const ExprNode* node);

}  // namespace faketensor
