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
// Lookups are hash look-ups by node; nothing here is global.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/symbolic/evaluate.h"
#include "core/symbolic/expr.h"
#include "core/symbolic/source.h"
#include "core/symbolic/sym_int.h"
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

// What is assumed of a new symbol: a size is positive, a plain integer input may be anything.
struct SymbolAssumptions {
  bool positive = true;
  bool specialize_zero_one = true;
};

// The sizes, strides and offset of an input, with symbols in them.
struct SymbolicGeometry {
  std::vector<SymInt> sizes;
  std::vector<SymInt> strides;
  SymInt offset = 0;
};

// What a ShapeEnv has found out, apart from the expressions themselves and what it concluded from
// it (ShapeConclusions).
class ShapeKnowledge {
 protected:
  Assignment hints_;
  std::unordered_map<const ExprNode*, std::vector<Source>> sources_;
  std::unordered_map<std::string, const ExprNode*> symbol_by_source_;
  std::map<std::pair<uint64_t, std::string>, SymInt> remembered_;  // SymbolicContext::remembered_as
  // Of each number where to look on for one that no backed symbol's name has: itself while it is
  // free, as all beyond are.
  std::vector<uint32_t> next_number_;
  std::map<double, const ExprNode*> shared_;  // of DimDynamic::kDuck, by value
  std::unordered_map<const ExprNode*, ValueRange> ranges_;
  std::vector<const ExprNode*> symbols_;
  std::unordered_set<const ExprNode*> size_like_;
  std::unordered_set<const ExprNode*> unbacked_inputs_;
  SymbolMap replacements_;
  std::vector<const ExprNode*> replaced_;
  std::unordered_set<const ExprNode*> unified_;  // by constrain_unify since the last replacement
  std::unordered_map<const ExprNode*, uint32_t> replacement_origins_;
  std::unordered_map<const ExprNode*, uint32_t> range_origins_;
  std::vector<const ExprNode*> divisible_;
  std::unordered_map<const ExprNode*, bool> axioms_;
  std::vector<Guard> guards_;
  std::vector<RuntimeAssert> runtime_asserts_;
  int64_t next_unbacked_ = 0;
  int64_t next_unbacked_float_ = 0;
  uint32_t origin_ = 0;
  bool recording_ = true;
  bool ignore_fresh_ = false;
  bool frozen_ = false;
  size_t guards_since_frozen_ = 0;
  std::vector<const ExprNode*> pending_;
  const ExprNode* last_undecided_ = nullptr;
};

// An operation on two values of an environment, given as words, and its result. `asked` says which
// operation, and at which state of knowledge (ShapeEnv::asked).
struct ShapeOperation {
  int64_t a = 0;
  int64_t b = 0;
  uint64_t asked = 0;
  int64_t result = 0;
};

// What follows from a ShapeKnowledge and is remembered, so that it need not be worked out again.
class ShapeConclusions {
 protected:
  // What was found out about an expression, and under which knowledge: good while nothing was
  // learnt.
  struct Memo {
    uint32_t replaced_at = 0;
    uint32_t known_at[2] = {};  // when it was asked about, and when it was to be decided
    const ExprNode* known[2] = {};
    const ExprNode* replaced = nullptr;
    const ExprNode* decided[3] = {};  // without a fallback, with false, with true; for good
    uint32_t hinted_at = 0;
    std::optional<int64_t> hint;  // of integers and conditions
  };
  static constexpr size_t kFirstOperations = 64;  // most environments are small

  std::vector<Memo> memos_;  // by number of the node in the pool
  uint32_t knowledge_ = 1;   // counts what makes PyTorch forget static answers
  uint32_t learnt_ = 1;      // counts changes of ranges, replacements, axioms and divisible
  uint32_t replaced_version_ = 1;
  uint32_t hints_version_ = 1;
  uint32_t ranges_version_ = 1;
  std::vector<ShapeOperation> operations_ =
      std::vector<ShapeOperation>(kFirstOperations);   // by a hash of the operands, a power of two
  size_t operations_displaced_ = 0;                    // since operations_ grew
  std::unordered_set<const ExprNode*> divisible_now_;  // after replacement, as of divisible_at_
  uint32_t divisible_at_ = 0;
  Assignment opaque_hints_;  // of opaque symbols, as of opaque_hints_at_
  uint32_t opaque_hints_at_ = 0;
  mutable std::unordered_map<const ExprNode*, ValueRange> opaque_ranges_;  // at opaque_ranges_at_
  mutable uint32_t opaque_ranges_at_ = 0;
};

class ShapeEnv : private ShapeKnowledge, private ShapeConclusions {
 public:
  explicit ShapeEnv(ShapeEnvOptions options = {});
  ShapeEnv(const ShapeEnv&) = delete;
  ShapeEnv& operator=(const ShapeEnv&) = delete;

  ExprPool& pool() { return pool_; }
  const ShapeEnvOptions& options() const { return options_; }

  // --- symbols of inputs (shape_env_symbols.cpp) ---
  // The symbol for a value seen at `source`, or the value itself where it is static, 0 or 1. Its
  // name is "s" and the number that unique_number gives. Raises ConstraintViolationError if the
  // constraint excludes the value. Mirrors ShapeEnv.create_symbol.
  SymInt create_symbol(int64_t value, const Source& source, DimDynamic dynamic = DimDynamic::kDuck,
                       DimConstraint constraint = {}, SymbolAssumptions assumptions = {});
  // The symbol of an integer or float input of which nothing is assumed (zf57 for a float).
  SymInt create_unspecified_symbol(int64_t value, const Source& source,
                                   DimDynamic dynamic = DimDynamic::kDuck,
                                   DimConstraint constraint = {});
  const ExprNode* create_unspecified_float(double value, const Source& source,
                                           DimDynamic dynamic = DimDynamic::kDuck);
  // Symbols for a whole tensor; strides become products of sizes and smaller strides where they fit
  // (see Note [Inferred strides]). A constraint that allows one size only makes its dimension
  // static, also in `context`. Mirrors ShapeEnv._create_symbolic_sizes_strides_storage_offset.
  SymbolicGeometry create_symbolic_geometry(std::span<const int64_t> sizes,
                                            std::span<const int64_t> strides, int64_t offset,
                                            const Source& source, SymbolicContext& context);
  // The same for a fake tensor of another environment: each of its symbols becomes one here.
  // Mirrors ShapeEnv.transfer_symbols_from_foreign_shape_env.
  SymbolicGeometry transfer_geometry(std::span<const SymInt> sizes, std::span<const SymInt> strides,
                                     SymInt offset, const Source& source,
                                     SymbolicContext* context = nullptr);
  // Where a symbol's value comes from; empty for unbacked symbols and those made by name.
  std::span<const Source> sources(const ExprNode* symbol) const;
  // The symbol at a source of that name; null if it got none.
  const ExprNode* symbol_of_source(std::string_view name) const;
  // An unbacked symbol that stands for an input's size, known before the program runs.
  bool is_unbacked_input(const ExprNode* symbol) const {
    return unbacked_inputs_.count(symbol) != 0;
  }

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
  const std::vector<const ExprNode*>& symbols() const { return symbols_; }

  ValueRange range(const ExprNode* symbol) const;
  std::optional<int64_t> hint_of_symbol(const ExprNode* symbol) const;
  bool is_size_like(const ExprNode* symbol) const { return size_like_.count(symbol) != 0; }
  void mark_size_like(const ExprNode* symbol) { size_like_.insert(symbol); }

  // An unbacked symbol of an input is there from the start: it may stand for a later one, which one
  // that comes out of data may not.
  void mark_input(const ExprNode* symbol) { unbacked_inputs_.insert(symbol); }

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
    set_replacement(symbol, value);
  }
  // No more guards are expected; those that come nevertheless are recorded, and counted.
  void freeze() { frozen_ = true; }
  bool is_frozen() const { return frozen_; }
  size_t guards_since_frozen() const { return guards_since_frozen_; }
  // Unbacked symbols that were made since the last call and that results are to bind, in order.
  std::vector<const ExprNode*> take_pending_unbacked() { return std::exchange(pending_, {}); }

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
    if (condition->id >= memos_.size() || !recording_) return nullptr;
    const Memo* entry = &memos_[condition->id];
    if (!replacements_.empty()) {
      if (entry->replaced_at != replaced_version_) return nullptr;
      if (entry->replaced->id >= memos_.size()) return nullptr;
      entry = &memos_[entry->replaced->id];
    }
    return entry->decided[fallback_index(fallback)];
  }

  // "torch._check(u0 >= 0) or torch._check(u0 != 1)": checks that would settle a condition on data,
  // each tried on a copy of what is known, weakest first; empty if none of ours would.
  std::string suggest_fix(const ExprNode* condition);
  // What the last GuardOnDataDependentSymNode was about; null if there was none.
  const ExprNode* last_undecided() const { return last_undecided_; }

  // --- reasoning without guards ---
  // The constant an expression is known to be; null if it is not known. With unbacked_only, backed
  // symbols stay as they are and the answer may be an expression. Without axioms, what earlier
  // guards imply is not used.
  const ExprNode* maybe_evaluate_static(const ExprNode* node, bool unbacked_only = false,
                                        bool size_oblivious = false, bool use_axioms = true);
  // Replaced symbols replaced, products multiplied out, Max and FloorDiv resolved by ranges and
  // known divisibility.
  const ExprNode* simplify(const ExprNode* node, bool size_oblivious = false);
  const ExprNode* replace(const ExprNode* node);
  // The expression as values that hold it print it: replaced, except for what constrain_unify has
  // replaced since another replacement was found (SymNode.expr, _replacements_version_counter).
  const ExprNode* as_shown(const ExprNode* node);
  ValueRange bound(const ExprNode* node, bool size_oblivious = false) const;
  // Counts what was learnt of symbols: while it stays, the same question has the same answer.
  uint32_t learnt() const { return learnt_; }
  using Operation = ShapeOperation;
  // `operation` is an ExprKind, or a number beyond them; states count from 1.
  static constexpr uint64_t asked(uint8_t operation, uint32_t state) {
    return uint64_t{state} << 8 | operation;
  }
  // What was remembered; null if nothing.
  const Operation* remembered(uint64_t asked, int64_t a, int64_t b) const {
    const Operation& known = operations_[place_of(asked, a, b)];
    return known.a == a && known.b == b && known.asked == asked ? &known : nullptr;
  }
  void remember(const Operation& operation);
  // Counts replacements: while it stays, an expression reads the same.
  uint32_t replaced_version() const { return replaced_version_; }
  // The value under the hints; nothing if it still depends on an unbacked symbol then.
  std::optional<Number> hint(const ExprNode* node);
  // The same of an integer or a condition, as it was found before; null where it was not.
  const std::optional<int64_t>* known_hint(const ExprNode* node) const {
    if (node->id >= memos_.size() || memos_[node->id].hinted_at != hints_version_) return nullptr;
    return &memos_[node->id].hint;
  }
  // Python's a % b: Mod where both are non-negative by form or by range, PythonMod otherwise.
  const ExprNode* python_mod(const ExprNode* a, const ExprNode* b);

  // --- what was recorded ---
  const std::vector<Guard>& guards() const { return guards_; }
  const std::vector<RuntimeAssert>& deferred_runtime_asserts() const { return runtime_asserts_; }
  // Symbols that stand for an expression now, in order of replacement.
  const std::vector<const ExprNode*>& replaced_symbols() const { return replaced_; }
  const ExprNode* replacement(const ExprNode* symbol) const;
  // The origins (see set_origin) of a symbol's first replacement and of what last narrowed its
  // range.
  uint32_t replacement_origin(const ExprNode* symbol) const;
  uint32_t range_origin(const ExprNode* symbol) const;
  // Guards that do not follow from ranges and replacements, simplified.
  std::vector<const ExprNode*> nontrivial_guards();
  // " - Eq(s0, 4)" for each guard, one per line (ShapeEnv.format_guards).
  std::string format_guards() const;
  const std::vector<const ExprNode*>& divisible() const { return divisible_; }

  // What later guards and asserts are attributed to: a number of the caller's choosing, such as a
  // graph node's.
  void set_origin(uint32_t origin) { origin_ = origin; }
  uint32_t origin() const { return origin_; }
  // While false, decisions leave no guards (fake tensor's suppress_guards).
  void set_recording(bool recording) { recording_ = recording; }
  bool recording() const { return recording_; }
  // While true, new unbacked symbols need not be bound by what an operator returns. Gives what was
  // set before.
  bool ignore_fresh_unbacked_symbols(bool ignore) { return std::exchange(ignore_fresh_, ignore); }

  // --- branches ---
  // Note [Branches]
  // The runs of a program share its environment, whose expressions are theirs, but no run may rest
  // on what another found out. Each has a branch: it starts from what the environment itself knows,
  // and the environment decides, learns and prints by it while a BranchScope of it lives. Outside of
  // all scopes the environment knows what it knew before them.
  struct Branch;
  std::shared_ptr<Branch> make_branch();
  // For BranchScope. The environment goes by `branch` from here on, by what it knows itself where
  // that is null. Gives the branch that it went by.
  std::shared_ptr<Branch> switch_to(std::shared_ptr<Branch> branch);

 private:
  class Trial;
  static constexpr size_t kMaxSuggestions = 2;
  std::vector<const ExprNode*> checks_for(const ExprNode* condition);
  const ExprNode* decide(const ExprNode* expr, std::optional<bool> fallback, bool size_oblivious);
  const ExprNode* evaluate_expr(const ExprNode* expr, std::optional<bool> fallback,
                                bool size_oblivious);
  void add_axioms(const ExprNode* condition);
  void add_axiom(const ExprNode* canonical);
  const ExprNode* relation_of(ExprKind kind, const ExprNode* a, const ExprNode* b);
  const ExprNode* apply_axioms(const ExprNode* condition) const;
  void learn_from(const ExprNode* relation);
  bool is_solved_trivially(const ExprNode* symbol, const ExprNode* value) const;
  void learn_from_equality(const ExprNode* relation);
  void refine_ranges(const ExprNode* relation);
  void set_replacement(const ExprNode* symbol, const ExprNode* target);
  void narrow_preimage(const ExprNode* symbol, const ExprNode* target);
  void update_range(const ExprNode* symbol, ValueRange range, bool is_constraint = false);
  SymInt create_unbacked_size();
  const ExprNode* find_root(const ExprNode* symbol);
  const ExprNode* add_pending(const ExprNode* symbol);
  std::string unique_name(std::string_view prefix, const Source& source);
  uint32_t free_number(uint32_t first);
  const ExprNode* register_source(const ExprNode* symbol, const Source& source);
  std::vector<SymInt> symbolic_strides(std::span<const int64_t> sizes,
                                       std::span<const int64_t> strides,
                                       std::span<const SymInt> symbolic_sizes, const Source& source,
                                       const SymbolicContext& context);
  // create_symbol, or what the context's number is remembered with.
  SymInt symbol_in(const SymbolicContext& context, int64_t value, const Source& source,
                   DimDynamic dynamic, DimConstraint constraint);
  const ExprNode* find(const ExprNode* symbol);
  const ExprNode* evaluate_statically(const ExprNode* node, bool unbacked_only, bool size_oblivious,
                                      bool use_axioms);
  const ExprNode* remembered_static(const ExprNode* node, bool is_to_be_decided);
  const ExprNode* shifted_symbol(size_t index, bool unbacked);
  bool is_divisible(const ExprNode* base, const ExprNode* divisor);
  // Of operations that share a place, the last one is remembered.
  size_t place_of(uint64_t asked, int64_t a, int64_t b) const {
    const uint64_t hash = (static_cast<uint64_t>(a) + (asked & 0xFF)) * 0x9E3779B97F4A7C15u +
                          static_cast<uint64_t>(b) * 0xD6E8FEB86659FD93u;
    return (hash >> 32) & (operations_.size() - 1);
  }
  bool all_backed(const ExprNode* node) const;
  std::optional<Number> hint_of_backed(const ExprNode* node);
  std::optional<Number> evaluate_by_hints(const ExprNode* node);
  ValueRange range_of_opaque(const ExprNode* symbol) const;
  bool is_known_at_start(const ExprNode* node) const;
  bool is_taken(std::string_view name) const;
  const ExprNode* add_symbol(const SymbolInfo& info, ValueRange range);
  SymbolMap hinted_constants(const ExprNode* expr);
  [[noreturn, gnu::cold]] void throw_data_dependent(const ExprNode* expr);

  void reason_from(ShapeKnowledge knowledge);

  Memo& memo(const ExprNode* node);
  static constexpr size_t fallback_index(std::optional<bool> fallback) {
    return fallback ? 1 + static_cast<size_t>(*fallback) : 0;
  }
  // After a change of replacements or of what is known: memos are made anew.
  void forget_conclusions() {
    ++knowledge_;
    ++learnt_;
    ++replaced_version_;
    divisible_at_ = 0;
  }

  ShapeEnvOptions options_;
  ExprPool pool_;
  std::vector<const ExprNode*> shifted_symbols_[2];  // backed, unbacked
  size_t trunk_nodes_ = SIZE_MAX;                    // that the pool had at the first branch
  std::shared_ptr<Branch> branch_;  // that it goes by; null: by what it knows itself
  std::unique_ptr<Branch> trunk_;   // what it knows itself, meanwhile
};

struct ShapeEnv::Branch {
  ShapeKnowledge knowledge;
  ShapeConclusions conclusions;
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

// One spelling per relation, as PyTorch keeps its facts: >= and > turned into <= and <, common
// factors divided out, and every term moved to the side where it is positive. "u0 >= 0" becomes "0
// <= u0".
const ExprNode* canonical_condition(const ExprNode* condition);

// The environment of a symbolic value; raises UsageError if its pool has none.
ShapeEnv& shape_env_of(const ExprNode* node);

}  // namespace faketensor
