#include "core/graph/explain.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/graph/rebinding.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/support/target_name.h"
#include "core/symbolic/bounds.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

// A run's origins are its nodes, from 1; 0 is what was known before it.
Row node_of_origin(uint32_t origin) { return origin == 0 ? kNoRow : origin - 1; }

std::string name_of(const Run& run, Row node) { return std::string(run.plan().name_of(node)); }

// Calls `visit` with every node an argument refers to. Lists nest two deep at most.
template <typename Visit>
void for_each_reference(const Value& argument, const Visit& visit) {
  if (argument.is(Value::Tag::kNodeRef)) {
    visit(argument.node());
  } else if (argument.is(Value::Tag::kList)) {
    for (const Value& element : argument.values()) for_each_reference(element, visit);
  }
}

std::vector<Row> inputs_of(const PlanRow& node) {
  std::vector<Row> inputs;
  for (const Value& argument : node.args) {
    for_each_reference(argument, [&](Row input) {
      if (std::find(inputs.begin(), inputs.end(), input) == inputs.end()) inputs.push_back(input);
    });
  }
  return inputs;
}

// The number that a symbol turned out to be: by replacement, or because its range has one value (an
// exported program's symbols are not replaced by numbers).
std::optional<int64_t> number_of(ShapeEnv& env, const ExprNode* symbol) {
  const ExprNode* value = env.replace(symbol);
  if (value->kind == ExprKind::kInteger) return value->number.integer;
  const ValueRange range = env.range(symbol);
  const bool is_number = symbol->type == ExprType::kInt && range.is_singleton();
  return is_number ? range.lower.as_int64() : std::nullopt;
}

SymbolMap known_numbers(ShapeEnv& env) {
  SymbolMap numbers;
  for (const ExprNode* symbol : env.symbols()) {
    if (const std::optional<int64_t> number = number_of(env, symbol))
      numbers[symbol] = env.pool().integer(*number);
  }
  return numbers;
}

}  // namespace

SymInt current(SymInt size) {
  if (!size.is_symbolic()) return size;
  ShapeEnv& env = shape_env_of(size.node());
  SymbolMap numbers;
  const ExprNode* node = env.replace(size.node());
  for (const ExprNode* symbol : free_symbols(node)) {
    if (const std::optional<int64_t> number = number_of(env, symbol))
      numbers[symbol] = env.pool().integer(*number);
  }
  return env.pool().sym_int(numbers.empty() ? node : expand(substitute(node, numbers)));
}

namespace {

// What made a symbol what it is.
Row cause_of(const ShapeEnv& env, const ExprNode* symbol) {
  return node_of_origin(env.replacement(symbol) != nullptr ? env.replacement_origin(symbol)
                                                           : env.range_origin(symbol));
}

// A size as it was printed when its node ran: "s1" even if that is 768 now.
std::string text_then(SymInt size) {
  return size.is_symbolic() ? to_string(size.node()) : to_string(size);
}

std::string text_then(Dims sizes) {
  std::string text = "[";
  for (size_t i = 0; i < sizes.size(); ++i) text += (i == 0 ? "" : ", ") + text_then(sizes[i]);
  return text + "]";
}

const TensorRecord* tensor_of(const Run& run, Row node) {
  const NodeRecord& record = run.record(node);
  return record.tensors.empty() ? nullptr : &record.tensors[0];
}

struct DimOf {
  Row node;
  size_t dim;
};

// The nodes with tensors that a node reads, at once or through numbers (sym_size_int of x: x).
std::vector<Row> tensors_read(const Run& run, Row node) {
  std::vector<Row> tensors;
  std::vector<Row> read = {node};
  for (size_t i = 0; i < read.size(); ++i) {
    for (const Row input : inputs_of(run.plan().row(read[i]))) {
      std::vector<Row>& list = tensor_of(run, input) != nullptr ? tensors : read;
      if (std::find(list.begin(), list.end(), input) == list.end()) list.push_back(input);
    }
  }
  return tensors;
}

// Of the tensors that a node reads, the dimension whose size fits best: `fit` says how well, 0 is
// not at all. Among equals that at place `dim` of a tensor of the same rank, else the first.
template <typename Fit>
std::optional<DimOf> best_dimension(const Run& run, Row node, size_t dim, const Fit& fit) {
  const size_t rank = tensor_of(run, node)->meta->sizes().size();
  std::optional<DimOf> found;
  size_t best = 0;
  for (const Row input : tensors_read(run, node)) {
    for (const TensorRecord& tensor : run.record(input).tensors) {
      const Dims sizes = tensor.meta->sizes();
      for (size_t i = 0; i < sizes.size(); ++i) {
        const size_t fits = fit(sizes[i]);
        const size_t worth = fits == 0 ? 0 : 2 * fits + (sizes.size() == rank && i == dim ? 1 : 0);
        if (worth <= best) continue;
        best = worth;
        found = DimOf{input, i};
      }
    }
  }
  return found;
}

// Of the tensors that a node reads, a dimension of this size, which may have become equal later.
std::optional<DimOf> same_size(const Run& run, Row node, size_t dim, SymInt recorded) {
  const SymInt size = current(recorded);
  return best_dimension(run, node, dim, [&](SymInt other) -> size_t {
    if (same_expr(other, recorded)) return recorded.is_symbolic() ? 2 : 1;
    return same_expr(current(other), size) ? 1 : 0;
  });
}

// Of the tensors that a node reads, the dimension that shares most symbols with a size.
std::optional<DimOf> same_symbols(const Run& run, Row node, size_t dim, SymInt recorded) {
  if (!recorded.is_symbolic()) return std::nullopt;
  const std::vector<const ExprNode*> symbols = free_symbols(recorded.node());
  return best_dimension(run, node, dim, [&](SymInt other) -> size_t {
    if (!other.is_symbolic()) return 0;
    const std::vector<const ExprNode*> theirs = free_symbols(other.node());
    return static_cast<size_t>(
        std::count_if(symbols.begin(), symbols.end(), [&](const ExprNode* symbol) {
          return std::find(theirs.begin(), theirs.end(), symbol) != theirs.end();
        }));
  });
}

bool is_in_argument(const Value& argument, int64_t number) {
  if (argument.is(Value::Tag::kInt)) {
    return argument.as_sym_int().maybe_as_int() == number;
  }
  if (!argument.is_list()) return false;
  for (size_t i = 0; i < argument.size(); ++i) {
    if (is_in_argument(argument[i], number)) return true;
  }
  return false;
}

bool lacks_hint(SymInt size) {
  if (!size.is_symbolic()) return false;
  const std::vector<const ExprNode*> symbols = free_symbols(size.node());
  ShapeEnv& env = shape_env_of(size.node());
  return std::any_of(symbols.begin(), symbols.end(), [&](const ExprNode* symbol) {
    return !env.hint_of_symbol(symbol).has_value();
  });
}

// How a call came to a size that none of its arguments has.
std::string computed_reason(const Run& run, Row node, SymInt recorded, std::optional<DimOf> from) {
  const SymInt size = current(recorded);
  const std::string call = call_text(run, node);
  const PlanRow& at = run.plan().row(node);
  if (!from && !size.is_symbolic() &&
      std::any_of(at.args.begin(), at.args.end(),
                  [&](const Value& argument) { return is_in_argument(argument, size.as_int()); }))
    return "a number in the call of " + call;
  if (!from && lacks_hint(recorded)) return "known only when the program runs, by " + call;
  std::string reason = "computed";
  if (!same_expr(recorded, size)) reason += " as " + text_then(recorded);
  reason += " by " + call;
  if (from) reason += format(" from dimension {} of {}", from->dim, name_of(run, from->node));
  return reason;
}

// The last step, at an input.
void explain_input(const Run& run, SymInt recorded, WhyStep& step) {
  step.reason = format("an input ({})", name(run.program().inputs[step.node].kind));
  const SymInt now = current(recorded);
  if (same_expr(recorded, now)) return;
  step.reason += format(" of size {}, which is {}", text_then(recorded), now);
  for (const ExprNode* symbol : free_symbols(recorded.node())) {
    step.cause = cause_of(shape_env_of(symbol), symbol);
    if (step.cause == kNoRow) continue;
    step.reason += " since " + call_text(run, step.cause);
    return;
  }
}

}  // namespace

std::vector<GuardEntry> guard_report(const Run& run) {
  std::vector<GuardEntry> report;
  const BranchScope env = run.shape_env();
  using Kind = GuardEntry::Kind;
  const SymbolMap numbers = known_numbers(*env);
  // What a run made for a symbol of the file goes by that one's name, in what was decided before too.
  SymbolMap names;
  for (const ExprNode* symbol : env->replaced_symbols()) {
    const ExprNode* value = env->replace(symbol);
    if (is_renamed(run.program(), symbol, value)) names[symbol] = value;
  }
  std::unordered_set<std::string> seen;
  const auto add = [&](Kind kind, const ExprNode* decided, Row node) {
    const ExprNode* condition = names.empty() ? decided : substitute(decided, names);
    // Two conditions may print alike: two forms of one product.
    const std::string text = to_string(condition);
    if (!seen.insert(format("{} {} {}", static_cast<int>(kind), node, text)).second) return;
    const bool follows = substitute(condition, numbers)->is_true();
    report.push_back({kind, text, condition, node, follows});
  };
  const auto add_equal = [&](Kind kind, const ExprNode* symbol, const ExprNode* value) {
    const ExprNode* equal = env->pool().make(ExprKind::kEq, symbol, value);
    report.push_back({kind, format("{} = {}", to_string(symbol), to_string(value)), equal,
                      cause_of(*env, symbol), false});
  };
  for (const Guard& guard : env->guards())
    add(Kind::kGuard, guard.condition, node_of_origin(guard.origin));
  for (const ExprNode* symbol : env->symbols()) {
    const auto number = numbers.find(symbol);
    if (number != numbers.end()) add_equal(Kind::kSpecialisation, symbol, number->second);
  }
  for (const ExprNode* symbol : env->replaced_symbols()) {
    if (numbers.find(symbol) == numbers.end() && names.find(symbol) == names.end())
      add_equal(Kind::kReplacement, symbol, env->replace(symbol));
  }
  for (const RuntimeAssert& assert : env->deferred_runtime_asserts())
    add(Kind::kRuntimeAssert, assert.condition, node_of_origin(assert.origin));
  return report;
}

namespace {

// Calls `visit` with each size of a node's value and its dimension; none for a number.
template <typename Visit>
void for_each_size(const NodeRecord& record, const Visit& visit) {
  for (const TensorRecord& tensor : record.tensors) {
    const Dims sizes = tensor.meta->sizes();
    for (size_t dim = 0; dim < sizes.size(); ++dim) visit(sizes[dim], std::optional<size_t>(dim));
  }
  if (record.tensors.empty() && record.value.is(Value::Tag::kInt))
    visit(record.value.as_sym_int(), std::optional<size_t>());
}

SymbolEntry symbol_entry(ShapeEnv& env, const ExprNode* symbol) {
  SymbolEntry entry;
  entry.name = to_string(symbol);
  entry.symbol = symbol;
  entry.range = env.range(symbol);
  entry.hint = env.hint_of_symbol(symbol);
  const SymInt now = current(env.pool().sym_int(symbol));
  if (!same_expr(now, env.pool().sym_int(symbol))) entry.became = to_string(now);
  return entry;
}

}  // namespace

std::vector<SymbolEntry> symbol_report(const Run& run) {
  std::vector<SymbolEntry> report;
  const BranchScope env = run.shape_env();
  std::unordered_map<const ExprNode*, size_t> places;
  std::unordered_set<const ExprNode*> sizes_seen;
  for (Row node = 0; node < run.records().size(); ++node) {
    for_each_size(run.record(node), [&](SymInt size, std::optional<size_t> dim) {
      if (!size.is_symbolic() || !sizes_seen.insert(size.node()).second) return;
      const bool is_whole = size.node()->kind == ExprKind::kSymbol;
      for (const ExprNode* symbol : free_symbols(size.node())) {
        const auto [found, is_new] = places.try_emplace(symbol, report.size());
        if (is_new) report.push_back(symbol_entry(*env, symbol));
        SymbolEntry& entry = report[found->second];
        // An input that has the symbol as a size says more than one with an expression of it.
        if (!is_new && !(is_whole && !entry.is_whole && node < run.program().inputs.size()))
          continue;
        entry.node = node;
        entry.dim = dim;
        entry.is_whole = is_whole;
      }
    });
  }
  // The hint of a dimension that was made dynamic is not the example's size.
  for (SymbolEntry& entry : report) {
    if (!entry.is_whole || !entry.dim || entry.node >= run.program().inputs.size()) continue;
    const TensorMeta* recorded = run.node(entry.node).recorded;
    if (recorded == nullptr || recorded->sizes().size() <= *entry.dim) continue;
    const SymInt size = recorded->sizes()[*entry.dim];
    if (!size.is_symbolic()) entry.hint = size.as_int();
  }
  return report;
}

std::string call_text(const Run& run, Row id) {
  const PlanRow& node = run.plan().row(id);
  if (node.kind == RowKind::kPlaceholder) return name_of(run, id);
  std::string text = format(
      "{}(", node.kind == RowKind::kGetItem ? "getitem" : short_target(run.plan().target_of(id)));
  bool first = true;
  for (const Row input : inputs_of(node)) {
    if (!first) text += ", ";
    first = false;
    text += name_of(run, input);
    if (const TensorRecord* tensor = tensor_of(run, input))
      text += " " + text_then(tensor->meta->sizes());
  }
  return text + ")";
}

namespace {

// Of a placeholder in a body (bodies.h), the operand of as many dimensions that it stands for; kNoRow
// where it is a part of one.
Row operand_like(const Run& run, Row placeholder) {
  const std::span<const Value> args = run.plan().row(placeholder).args;
  if (args.empty() || !args[0].is(Value::Tag::kNodeRef)) return kNoRow;
  const TensorRecord* operand = tensor_of(run, args[0].node());
  const bool is_same = operand != nullptr && same_exprs(operand->meta->sizes(),
                                                        tensor_of(run, placeholder)->meta->sizes());
  return is_same ? args[0].node() : kNoRow;
}

}  // namespace

std::vector<WhyStep> why_dimension(const Run& run, Row node, int64_t wanted) {
  const TensorRecord* tensor = tensor_of(run, node);
  if (tensor == nullptr)
    throw_error(ErrorKind::kUsage, format("'{}' is no tensor", name_of(run, node)));
  const Dims sizes = tensor->meta->sizes();
  const auto rank = static_cast<int64_t>(sizes.size());
  if (wanted < -rank || wanted >= rank) {
    throw_error(ErrorKind::kUsage, format("'{}' is {}: it has no dimension {}", name_of(run, node),
                                          text_then(sizes), wanted));
  }
  const BranchScope env = run.shape_env();
  auto dim = static_cast<size_t>(wanted < 0 ? wanted + rank : wanted);
  std::vector<WhyStep> steps;
  for (;;) {  // each step goes to an earlier node
    const SymInt recorded = tensor_of(run, node)->meta->sizes()[dim];
    const SymInt size = current(recorded);
    const PlanRow& at = run.plan().row(node);
    WhyStep step{node, dim, to_string(size), "", kNoRow};
    if (at.kind == RowKind::kPlaceholder && node < run.program().inputs.size()) {
      explain_input(run, recorded, step);
      steps.push_back(std::move(step));
      return steps;
    }
    if (at.kind == RowKind::kPlaceholder) {
      const Row operand = operand_like(run, node);
      step.reason = operand == kNoRow
                        ? std::string("what the graph is called with")
                        : format("as dimension {} of {}, which the graph is called with", dim,
                                 name_of(run, operand));
      steps.push_back(std::move(step));
      if (operand == kNoRow) return steps;
      node = operand;
      continue;
    }
    std::optional<DimOf> from = same_size(run, node, dim, recorded);
    if (from) {
      step.reason = format("as dimension {} of {}, by {}", from->dim, name_of(run, from->node),
                           call_text(run, node));
    } else {
      from = same_symbols(run, node, dim, recorded);
      step.reason = computed_reason(run, node, recorded, from);
    }
    steps.push_back(std::move(step));
    if (!from) return steps;
    node = from->node;
    dim = from->dim;
  }
}

// --- what if ---

namespace {

// More values than this are not tried one by one.
constexpr int64_t kMaxTried = 4096;

[[noreturn]] void throw_no_symbol(const Run& run, std::string_view name) {
  std::string known;
  for (const SymbolEntry& entry : symbol_report(run))
    known.append(known.empty() ? "it has " : ", ").append(entry.name);
  throw_error(ErrorKind::kUsage, format("the program has no symbol '{}': {}", name,
                                        known.empty() ? "all its sizes are numbers" : known));
}

}  // namespace

WhatIf::WhatIf(const Run& run, std::span<const SymbolSetting> settings) : run_(run) {
  const BranchScope env = run.shape_env();
  SymbolMap numbers = known_numbers(*env);
  for (const SymbolSetting& setting : settings) {
    const ExprNode* symbol = env->pool().find_symbol(setting.symbol);
    if (symbol == nullptr) throw_no_symbol(run, setting.symbol);
    if (setting.lower > setting.upper || setting.lower < 0) {
      throw_error(ErrorKind::kUsage,
                  format("'{}' cannot be {}..{}", setting.symbol, setting.lower, setting.upper));
    }
    settings_.emplace_back(symbol, ValueRange::ints(setting.lower, setting.upper));
    numbers.erase(symbol);
    if (setting.lower == setting.upper) numbers[symbol] = env->pool().integer(setting.lower);
  }
  values_ = numbers;
  // A symbol that became an expression of others follows them, unless it is set itself.
  for (const ExprNode* symbol : env->replaced_symbols()) {
    if (is_set(symbol) || numbers.find(symbol) != numbers.end()) continue;
    const ExprNode* value = env->replace(symbol);
    if (value != symbol) values_[symbol] = substitute(value, numbers);
  }
}

bool WhatIf::is_set(const ExprNode* symbol) const {
  return std::any_of(settings_.begin(), settings_.end(),
                     [&](const auto& setting) { return setting.first == symbol; });
}

// Whether a condition is about a symbol that is set, or about one that follows such a symbol.
bool WhatIf::concerns(const ExprNode* condition) const {
  const BranchScope env = run_.shape_env();
  for (const ExprNode* symbol : free_symbols(condition)) {
    if (is_set(symbol)) return true;
    if (env->replacement(symbol) == nullptr) continue;
    for (const ExprNode* part : free_symbols(env->replace(symbol)))
      if (is_set(part)) return true;
  }
  return false;
}

SymInt WhatIf::value(SymInt size) const {
  if (!size.is_symbolic()) return size;
  return size.node()->pool->sym_int(expand(substitute(size.node(), values_)));
}

ValueRange WhatIf::range_of(const ExprNode* symbol) const {
  for (const auto& [set, range] : settings_) {
    if (set == symbol) return range;
  }
  return run_.shape_env()->range(symbol);
}

ValueRange WhatIf::bounds(SymInt size) const {
  const BranchScope env = run_.shape_env();
  const SymInt now = value(size);
  if (!now.is_symbolic()) return ValueRange::ints(now.as_int(), now.as_int());
  return bound(now.node(), [this](const ExprNode* symbol) { return range_of(symbol); });
}

WhatIf::Verdict WhatIf::enumerate(const ExprNode* condition, const ExprNode* symbol,
                                  ValueRange range) const {
  size_t holds = 0;
  size_t fails = 0;
  const int64_t last = range.upper.as_int64().value();
  int64_t number = range.lower.as_int64().value();
  while (true) {
    const std::optional<Number> result = evaluate(condition, {{symbol, Number::of(number)}});
    ++(result && result->integer != 0 ? holds : fails);
    if (number >= last) break;  // which may be the last number that there is
    ++number;
  }
  if (fails == 0) return Verdict::kHolds;
  return holds == 0 ? Verdict::kViolated : Verdict::kDepends;
}

WhatIf::Verdict WhatIf::verdict(const ExprNode* condition) const {
  const BranchScope env = run_.shape_env();
  condition = substitute(condition, values_);
  if (condition->is_constant()) return condition->is_true() ? Verdict::kHolds : Verdict::kViolated;
  const ValueRange known =
      bound(condition, [this](const ExprNode* symbol) { return range_of(symbol); });
  if (known.is_singleton()) return known.lower != 0 ? Verdict::kHolds : Verdict::kViolated;
  const std::vector<const ExprNode*> symbols = free_symbols(condition);
  if (symbols.size() == 1) {
    const ValueRange range = range_of(symbols[0]);
    const bool is_small =
        range.lower >= 0 && range.upper.as_int64() && range.upper - range.lower < kMaxTried;
    if (is_small) return enumerate(condition, symbols[0], range);
  }
  return Verdict::kDepends;
}

namespace {

// The range that the file gives a symbol.
ValueRange declared_range(const Program& program, const ExprNode* symbol) {
  const std::string name = to_string(symbol);
  for (const SymbolSpec& spec : program.symbols) {
    if (spec.name == name)
      return ValueRange::ints(spec.lower.value_or(0), spec.upper.value_or(kIntInfinity));
  }
  return ValueRange::ints(0, kIntInfinity);
}

bool mentions(const std::vector<std::pair<GuardEntry, WhatIf::Verdict>>& broken,
              const ExprNode* symbol) {
  return std::any_of(broken.begin(), broken.end(), [&](const auto& entry) {
    const std::vector<const ExprNode*> symbols = free_symbols(entry.first.condition);
    return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
  });
}

WhatIf::Verdict verdict_of(ValueRange set, ValueRange allowed) {
  const ValueRange both = intersect(set, allowed);
  return both.lower > both.upper ? WhatIf::Verdict::kViolated : WhatIf::Verdict::kDepends;
}

}  // namespace

// The range of a symbol that does not allow what the symbol is set to.
GuardEntry WhatIf::range_entry(const ExprNode* symbol, ValueRange allowed, Row node) const {
  GuardEntry entry;
  entry.node = node;
  entry.condition = symbol;
  entry.text = format("{} in {}", to_string(symbol), to_string(allowed));
  if (!allowed.is_singleton()) return entry;
  entry.kind = GuardEntry::Kind::kSpecialisation;
  entry.text = format("{} = {}", to_string(symbol), allowed.lower);
  return entry;
}

std::vector<std::pair<GuardEntry, WhatIf::Verdict>> WhatIf::broken() const {
  std::vector<std::pair<GuardEntry, Verdict>> result;
  const BranchScope env = run_.shape_env();
  for (const auto& [symbol, range] : settings_) {
    const ValueRange declared = declared_range(run_.program(), symbol);
    if (!range.is_subset_of(declared))
      result.emplace_back(range_entry(symbol, declared, kNoRow), verdict_of(range, declared));
  }
  for (GuardEntry& entry : guard_report(run_)) {
    if (entry.kind == GuardEntry::Kind::kSpecialisation) continue;  // a range of one value, below
    const Verdict holds = concerns(entry.condition) ? verdict(entry.condition) : Verdict::kHolds;
    if (holds != Verdict::kHolds) result.emplace_back(std::move(entry), holds);
  }
  // A guard about nothing but the symbols that are set says most.
  std::stable_partition(result.begin(), result.end(), [this](const auto& entry) {
    const std::vector<const ExprNode*> symbols = free_symbols(entry.first.condition);
    return std::all_of(symbols.begin(), symbols.end(),
                       [this](const ExprNode* symbol) { return is_set(symbol); });
  });
  // The range that one of these guards made says nothing new.
  for (const auto& [symbol, range] : settings_) {
    const ValueRange allowed = env->range(symbol);
    const std::optional<int64_t> number = number_of(*env, symbol);
    const ValueRange known = number ? ValueRange::ints(*number, *number) : allowed;
    if (range.is_subset_of(known) || mentions(result, symbol)) continue;
    result.emplace_back(range_entry(symbol, known, cause_of(*env, symbol)),
                        verdict_of(range, known));
  }
  return result;
}

}  // namespace faketensor
