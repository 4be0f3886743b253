// ShapeEnv: what is known about the symbols of one program, and what was decided about them.
//
// Mirrors torch.fx.experimental.symbolic_shapes.ShapeEnv. It owns the pool of expressions; every
// symbolic SymInt reaches it through its node. A backed symbol (s77) has a hint, the size seen in
// the example input; an unbacked one (u0) comes out of data and has none. Each symbol has a range.
// Deciding a condition tries, in this order:
//   1. statically: by form, by ranges and by what earlier guards imply; nothing is recorded;
//   2. by the hints, if every symbol is backed: the condition, or its negation, is recorded as a
//      guard;
//   3. otherwise a caller's fallback (guard_or_false), a deferred runtime assert (expect_true), or
//      GuardOnDataDependentSymNode.
// A guard or assert that is an equation may also replace a symbol by an expression, and one that is
// an inequality narrow a range: later expressions are built from what replaced their symbols.
//
//   ShapeEnv env;
//   SymInt s0 = env.create_backed("s0", 5, ValueRange::ints(2, kIntInfinity));
//   guard_bool(s0 * 2 == 10);   // true; env.guards() is now [Eq(2*s0, 10)], and s0 is 5
//
// It decides, and puts together what its parts do, each in a header that says who writes it:
//   SymbolTable      which symbols there are, their names and sources
//   Knowledge        hints, ranges, replacements, axioms, remainders that are 0
//   Conclusions      what was worked out from the knowledge and is remembered
//   DecisionRecord   guards and runtime asserts
//   Reasoner         static answers: from knowledge to conclusions
//   learn_from       what a guard teaches: from decisions to knowledge
// The first four are values, of which a branch has its own (Note [Branches]).
//
// Lookups are hash look-ups by node; nothing here is global.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/symbolic/conclusions.h"
#include "core/symbolic/decision_record.h"
#include "core/symbolic/expr.h"
#include "core/symbolic/knowledge.h"
#include "core/symbolic/learning.h"
#include "core/symbolic/operation_cache.h"
#include "core/symbolic/reasoner.h"
#include "core/symbolic/source.h"
#include "core/symbolic/sym_int.h"
#include "core/symbolic/symbol_table.h"
#include "core/symbolic/symbolic_context.h"
#include "core/symbolic/value_range.h"

namespace faketensor {

// Mirrors ShapeEnvSettings.
struct ShapeEnvOptions {
  bool allow_scalar_outputs = true;
  bool allow_dynamic_output_shape_ops = true;
  bool assume_static_by_default = false;
  // Sizes 0 and 1 are numbers, and every symbol is at least 2.
  bool specialize_zero_one = true;
  // DimDynamic::kDuck shares symbols; otherwise it is kDynamic.
  bool duck_shape = true;
  bool trace_asserts = false;
  // torch.export's choice: an assert on backed symbols is deferred to run time instead of becoming
  // a guard.
  bool prefer_deferred_runtime_asserts_over_guards = false;
  // The number of the first unbacked symbol: continues the numbering of an exported program.
  int64_t first_unbacked = 0;
};

// What is assumed of a new symbol: a size is positive, a plain integer input may be anything.
struct SymbolAssumptions {
  bool positive = true;
  bool specialize_zero_one = true;
};

class ShapeEnv {
 public:
  explicit ShapeEnv(ShapeEnvOptions options = {});
  ShapeEnv(const ShapeEnv&) = delete;
  ShapeEnv& operator=(const ShapeEnv&) = delete;

  ExprPool& pool() { return pool_; }
  const ShapeEnvOptions& options() const { return options_; }

  // --- symbols of inputs (shape_env_symbols.cpp) ---
  // The symbol for a value seen at `source`, or the value itself where it is static, 0 or 1. Its
  // name is "s" and a number, see SymbolTable::unique_name. Raises ConstraintViolationError if the
  // constraint excludes the value. Mirrors ShapeEnv.create_symbol.
  SymInt create_symbol(int64_t value, const Source& source, DimDynamic dynamic = DimDynamic::kDuck,
                       DimConstraint constraint = {}, SymbolAssumptions assumptions = {});
  // The symbol of an integer or float input of which nothing is assumed (zf57 for a float).
  SymInt create_unspecified_symbol(int64_t value, const Source& source,
                                   DimDynamic dynamic = DimDynamic::kDuck,
                                   DimConstraint constraint = {});
  const ExprNode* create_unspecified_float(double value, const Source& source,
                                           DimDynamic dynamic = DimDynamic::kDuck);
  // create_symbol, or what the source got before in a context of the same number
  // (SymbolicContext::remembered_as). Tensors: create_symbolic_geometry in symbolic_geometry.h.
  SymInt create_symbol_in(const SymbolicContext& context, int64_t value, const Source& source,
                          DimDynamic dynamic, DimConstraint constraint);
  // Where a symbol's value comes from; empty for unbacked symbols and those made by name.
  std::span<const Source> sources(const ExprNode* symbol) const {
    return now_.symbols.sources(symbol);
  }
  // The symbol at a source of that name; null if it got none.
  const ExprNode* symbol_of_source(std::string_view name) const {
    return now_.symbols.at_source(name);
  }
  // An unbacked symbol that stands for an input's size, known before the program runs.
  bool is_unbacked_input(const ExprNode* symbol) const { return now_.symbols.is_input(symbol); }

  // --- symbols by name or number ---
  // A size symbol is assumed positive whatever its range says, as PyTorch's are; `positive` = false
  // is for a plain integer input.
  SymInt create_backed(std::string_view name, int64_t hint, ValueRange range, bool positive = true);
  // u0, u1, ...: unknown until given a range.
  SymInt create_unbacked_int();
  // An unbacked boolean is Eq(u, 1) of an unbacked integer in [0, 1].
  SymBool create_unbacked_bool();
  // A float input; its range does not narrow. `positive` as above.
  const ExprNode* create_backed_float(std::string_view name, double hint, ValueRange range,
                                      bool positive = true);
  // zuf0, zuf1, ...: an unbacked float.
  const ExprNode* create_unbacked_float();
  // Unbacked symbols under a given name (of an exported program).
  SymInt create_unbacked_int(std::string_view name, ValueRange range);
  const ExprNode* create_unbacked_float(std::string_view name, ValueRange range);
  // All of them, in order of creation.
  const std::vector<const ExprNode*>& symbols() const { return now_.symbols.all(); }

  ValueRange range(const ExprNode* symbol) const { return now_.knowledge.range(symbol); }
  std::optional<int64_t> hint_of_symbol(const ExprNode* symbol) const {
    return now_.knowledge.hint(symbol);
  }
  bool is_size_like(const ExprNode* symbol) const { return now_.knowledge.is_size_like(symbol); }
  void mark_size_like(const ExprNode* symbol) { now_.knowledge.mark_size_like(symbol); }

  // An unbacked symbol of an input is there from the start: it may stand for a later one, which one
  // that comes out of data may not.
  void mark_input(const ExprNode* symbol) { now_.symbols.mark_input(symbol); }

  // --- facts about symbols, told without a guard (shape_env_facts.cpp) ---
  // Narrows the range of a symbol; expressions stay as they are. Raises ValueError for a plain
  // integer outside [min, max], ValueRangeError if nothing is left. Mirrors constrain_range.
  void constrain_range(SymInt value, RangeEnd min, RangeEnd max);
  // The same, and the symbol is size-like from here on. Raises AssertionError for anything but a
  // symbol. Mirrors _constrain_range_for_size.
  void constrain_range_for_size(SymInt value, RangeEnd min = 0, RangeEnd max = kIntInfinity);
  // torch._check_is_size once the value is known not to be negative: an unbacked symbol is
  // size-like. Mirrors _advise_is_size.
  void advise_is_size(SymInt value);
  // The two are equal, one of them a symbol; b is replaced by a. Raises AssertionError for
  // expressions. Mirrors constrain_unify.
  void constrain_unify(SymInt a, SymInt b);
  // An unbacked symbol goes by another one's name. Mirrors ShapeEnv._rename_unbacked_to.
  void rename_unbacked_to(const ExprNode* symbol, const ExprNode* name);
  // An unbacked symbol turned out to be an expression. Mirrors ShapeEnv._eliminate_unbacked.
  void eliminate_unbacked(const ExprNode* symbol, const ExprNode* value) {
    now_.knowledge.set_replacement(symbol, value);
  }
  // No more guards are expected; those that come nevertheless are recorded, and counted.
  void freeze() { now_.record.freeze(); }
  bool is_frozen() const { return now_.record.is_frozen(); }
  size_t guards_since_frozen() const { return now_.record.guards_since_frozen(); }
  // Unbacked symbols that were made since the last call and that results are to bind, in order.
  std::vector<const ExprNode*> take_pending_unbacked() { return now_.symbols.take_pending(); }

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
  // What expect_true does with a condition that has no hint: guards only if no unbacked symbol is
  // left in it, and defers it to a runtime assert otherwise. Mirrors guard_or_defer_runtime_assert.
  bool guard_or_defer(const ExprNode* condition);
  bool statically_known_true(const ExprNode* condition);
  // What evaluate_bool would repeat, as it decided before; null where it would decide anew.
  const ExprNode* decided(const ExprNode* condition, std::optional<bool> fallback) const {
    if (!now_.record.is_recording()) return nullptr;
    return now_.conclusions.decided(condition, fallback, now_.knowledge);
  }
  // What the last GuardOnDataDependentSymNode was about; null if there was none.
  const ExprNode* last_undecided() const { return now_.record.last_undecided(); }

  // --- reasoning without guards ---
  // The constant an expression is known to be; null if it is not known. With unbacked_only, backed
  // symbols stay as they are and the answer may be an expression. Without axioms, what earlier
  // guards imply is not used.
  const ExprNode* maybe_evaluate_static(const ExprNode* node, bool unbacked_only = false,
                                        bool size_oblivious = false, bool use_axioms = true) {
    return reasoner_.maybe_evaluate_static(node, unbacked_only, size_oblivious, use_axioms);
  }
  // Replaced symbols replaced, products multiplied out, Max and FloorDiv resolved by ranges and
  // known divisibility.
  const ExprNode* simplify(const ExprNode* node, bool size_oblivious = false) {
    return reasoner_.simplify(node, size_oblivious);
  }
  const ExprNode* replace(const ExprNode* node) { return reasoner_.replace(node); }
  // The expression as values that hold it print it: replaced, except for what constrain_unify has
  // replaced since another replacement was found (SymNode.expr, _replacements_version_counter).
  const ExprNode* as_shown(const ExprNode* node) { return reasoner_.as_shown(node); }
  ValueRange bound(const ExprNode* node, bool size_oblivious = false) const {
    return now_.knowledge.bound(node, size_oblivious);
  }
  // Counts what was learnt of symbols: while it stays, the same question has the same answer.
  uint32_t learnt() const { return now_.knowledge.epochs().facts; }
  // Counts replacements: while it stays, an expression reads the same.
  uint32_t replaced_version() const { return now_.knowledge.epochs().replacements; }
  // Results of operations, for the scalars that ask for them (sym_int.cpp).
  OperationCache& operations() { return now_.conclusions.operations; }
  const OperationCache& operations() const { return now_.conclusions.operations; }
  // The value under the hints; nothing if it still depends on an unbacked symbol then.
  std::optional<Number> hint(const ExprNode* node) { return reasoner_.hint(node); }
  // The same of an integer or a condition, as it was found before; null where it was not.
  const std::optional<int64_t>* known_hint(const ExprNode* node) const {
    return now_.conclusions.hint(node, now_.knowledge);
  }
  // Python's a % b: Mod where both are non-negative by form or by range, PythonMod otherwise.
  const ExprNode* python_mod(const ExprNode* a, const ExprNode* b) {
    return reasoner_.python_mod(a, b);
  }

  // --- what was recorded ---
  const std::vector<Guard>& guards() const { return now_.record.guards(); }
  const std::vector<RuntimeAssert>& deferred_runtime_asserts() const {
    return now_.record.runtime_asserts();
  }
  // Symbols that stand for an expression now, in order of replacement.
  const std::vector<const ExprNode*>& replaced_symbols() const {
    return now_.knowledge.replaced_symbols();
  }
  const ExprNode* replacement(const ExprNode* symbol) const {
    return now_.knowledge.replacement(symbol);
  }
  // The origins (see set_origin) of a symbol's first replacement and of what last narrowed its
  // range.
  uint32_t replacement_origin(const ExprNode* symbol) const {
    return now_.knowledge.replacement_origin(symbol);
  }
  uint32_t range_origin(const ExprNode* symbol) const {
    return now_.knowledge.range_origin(symbol);
  }
  // Guards that do not follow from ranges and replacements, simplified.
  std::vector<const ExprNode*> nontrivial_guards();
  // " - Eq(s0, 4)" for each guard, one per line (ShapeEnv.format_guards).
  std::string format_guards() const;
  const std::vector<const ExprNode*>& divisible() const { return now_.knowledge.divisible(); }

  // What later guards and asserts are attributed to: a number of the caller's choosing, such as a
  // graph node's.
  void set_origin(uint32_t origin) { now_.knowledge.set_origin(origin); }
  uint32_t origin() const { return now_.knowledge.origin(); }
  // While false, decisions leave no guards (fake tensor's suppress_guards).
  void set_recording(bool recording) { now_.record.set_recording(recording); }
  bool recording() const { return now_.record.is_recording(); }
  // While true, new unbacked symbols need not be bound by what an operator returns. Gives what was
  // set before.
  bool ignore_fresh_unbacked_symbols(bool ignore) { return now_.symbols.ignore_fresh(ignore); }

  // --- branches ---
  // Note [Branches]
  // The runs of a program share its environment, whose expressions are theirs, but no run may rest
  // on what another found out. Each has a branch: it starts from what the environment itself knows,
  // and the environment decides, learns and prints by it while a BranchScope of it lives. Outside of
  // all scopes the environment knows what it knew before them.
  // A check that is tried, to be forgotten again, is made in a trial: a branch that starts from what
  // the environment goes by now (suggest_fix.cpp). Only the environment looks into a branch.
  struct Branch {
    SymbolTable symbols;
    Knowledge knowledge;
    Conclusions conclusions;
    DecisionRecord record;
  };
  std::shared_ptr<Branch> make_branch();
  std::shared_ptr<Branch> make_trial() const { return std::make_shared<Branch>(now_); }
  // For BranchScope. The environment goes by `branch` from here on, by what it knows itself where
  // that is null. Gives the branch that it went by.
  std::shared_ptr<Branch> switch_to(std::shared_ptr<Branch> branch);

 private:
  const ExprNode* evaluate_expr(const ExprNode* expr, std::optional<bool> fallback,
                                bool size_oblivious);
  const ExprNode* decide(const ExprNode* expr, std::optional<bool> fallback, bool size_oblivious);
  const ExprNode* decide_by_hints(const ExprNode* expr, bool size_oblivious);
  void record_assert(const ExprNode* condition);
  void learn(const ExprNode* relation) {
    learn_from(relation, now_.knowledge, reasoner_, now_.symbols);
  }
  [[noreturn, gnu::cold]] void throw_data_dependent(const ExprNode* expr);
  const ExprNode* add_symbol(const SymbolInfo& info, ValueRange range);
  bool is_taken(std::string_view name) const;
  SymInt create_next_unbacked(ValueRange range);
  SymInt create_unbacked_size();

  ShapeEnvOptions options_;
  ExprPool pool_;
  Branch now_;         // what it goes by
  Reasoner reasoner_;  // from what `now_` knows to what `now_` concludes
  // The branch that `now_` is, which meanwhile holds what the environment knows itself; null where
  // `now_` is that.
  std::shared_ptr<Branch> branch_;
  size_t trunk_nodes_ = SIZE_MAX;  // that the pool had at the first branch
};

// A ShapeEnv that goes by a branch for as long as this lives (Note [Branches]), to be used as a
// pointer to it. Scopes end in the opposite order of their beginnings, as local variables do.
//
//   const BranchScope env = run.shape_env();
//   env->guards();
class [[nodiscard]] BranchScope {
 public:
  BranchScope(ShapeEnv& env, std::shared_ptr<ShapeEnv::Branch> branch)
      : env_(env), before_(env.switch_to(std::move(branch))) {}
  ~BranchScope() { env_.switch_to(std::move(before_)); }
  BranchScope(const BranchScope&) = delete;
  BranchScope& operator=(const BranchScope&) = delete;

  ShapeEnv& operator*() const { return env_; }
  ShapeEnv* operator->() const { return &env_; }

 private:
  ShapeEnv& env_;
  std::shared_ptr<ShapeEnv::Branch> before_;
};

// ShapeEnv.suppress_guards: decisions made while it lives leave no guards. A null environment is
// left alone.
class SuppressGuards {
 public:
  explicit SuppressGuards(ShapeEnv* env) : env_(env), before_(env != nullptr && env->recording()) {
    if (env_ != nullptr) env_->set_recording(false);
  }
  ~SuppressGuards() {
    if (env_ != nullptr) env_->set_recording(before_);
  }
  SuppressGuards(const SuppressGuards&) = delete;
  SuppressGuards& operator=(const SuppressGuards&) = delete;

 private:
  ShapeEnv* env_;
  bool before_;
};

// The environment of a symbolic value; raises UsageError if its pool has none.
ShapeEnv& shape_env_of(const ExprNode* node);

}  // namespace faketensor
