#include "core/graph/explain.h"

#include <algorithm>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

// A run's origins are its nodes, from 1; 0 is what was known before it.
NodeId node_of_origin(uint32_t origin) { return origin == 0 ? kNoNode : origin - 1; }

// The operator as people say it: "aten.linear".
std::string short_name(std::string_view target) {
  if (target.starts_with("torch.ops.")) target.remove_prefix(10);
  if (target.ends_with(".default")) target.remove_suffix(8);
  return std::string(target);
}

std::string name_of(const Run& run, NodeId node) {
  return std::string(run.program().text(run.program().graph().node(node).name));
}

// Calls `visit` with every node an argument refers to. Lists nest two deep at most.
template <typename Visit>
void for_each_reference(const Value& argument, const Visit& visit) {
  if (argument.is(Value::Tag::kNodeRef)) {
    visit(argument.node());
  } else if (argument.is(Value::Tag::kList)) {
    for (const Value& element : argument.values()) for_each_reference(element, visit);
  }
}

std::vector<NodeId> inputs_of(const Node& node) {
  std::vector<NodeId> inputs;
  for (const Value& argument : node.args) {
    for_each_reference(argument, [&](NodeId input) {
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
  return is_number ? std::optional<int64_t>(range.lower) : std::nullopt;
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
NodeId cause_of(const ShapeEnv& env, const ExprNode* symbol) {
  return node_of_origin(env.replacement(symbol) != nullptr ? env.replacement_origin(symbol)
                                                           : env.range_origin(symbol));
}

// A size as it was when its node ran: "s1" even if that is 768 now.
std::string text_then(SymInt size) {
  return size.is_symbolic() ? to_string(size.node()) : to_string(size);
}

std::string text_then(Dims sizes) {
  std::string text = "[";
  for (size_t i = 0; i < sizes.size(); ++i) text += (i == 0 ? "" : ", ") + text_then(sizes[i]);
  return text + "]";
}

const TensorRecord* tensor_of(const Run& run, NodeId node) {
  const NodeRecord& record = run.record(node);
  return record.tensors.empty() ? nullptr : &record.tensors[0];
}

struct DimOf {
  NodeId node;
  size_t dim;
};

// The dimension of an argument that has this size: at the same place if one of the same rank has
// it there, else the first.
std::optional<DimOf> same_size_in_arguments(const Run& run, NodeId node, size_t dim, SymInt size) {
  const size_t rank = tensor_of(run, node)->meta->sizes().size();
  std::optional<DimOf> found;
  for (const NodeId input : inputs_of(run.program().graph().node(node))) {
    for (const TensorRecord& tensor : run.record(input).tensors) {
      const Dims sizes = tensor.meta->sizes();
      for (size_t i = 0; i < sizes.size(); ++i) {
        if (!same_expr(current(sizes[i]), size)) continue;
        if (sizes.size() == rank && i == dim) return DimOf{input, i};
        if (!found) found = DimOf{input, i};
      }
    }
  }
  return found;
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

std::string input_reason(const Run& run, NodeId node, SymInt recorded) {
  std::string reason = format("an input ({})", name(run.program().inputs[node].kind));
  const SymInt now = current(recorded);
  if (same_expr(recorded, now)) return reason;
  reason += format(" of size {}, which is {}", text_then(recorded), now);
  for (const ExprNode* symbol : free_symbols(recorded.node())) {
    const NodeId cause = cause_of(shape_env_of(symbol), symbol);
    if (cause != kNoNode) return reason + " since " + call_text(run, cause);
  }
  return reason;
}

}  // namespace

std::vector<GuardEntry> guard_report(const Run& run) {
  std::vector<GuardEntry> report;
  ShapeEnv* env = run.mode().context().shape_env();
  if (env == nullptr) return report;
  using Kind = GuardEntry::Kind;
  const SymbolMap numbers = known_numbers(*env);
  const auto add = [&](Kind kind, const ExprNode* condition, NodeId node) {
    const bool follows = substitute(condition, numbers)->is_true();
    report.push_back({kind, to_string(condition), condition, node, follows});
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
    const ExprNode* value = env->replace(symbol);
    if (numbers.find(symbol) == numbers.end()) add_equal(Kind::kReplacement, symbol, value);
  }
  for (const RuntimeAssert& assert : env->deferred_runtime_asserts())
    add(Kind::kRuntimeAssert, assert.condition, node_of_origin(assert.origin));
  return report;
}

std::string call_text(const Run& run, NodeId id) {
  const Node& node = run.program().graph().node(id);
  if (node.kind == NodeKind::kPlaceholder) return name_of(run, id);
  std::string text =
      format("{}(", node.kind == NodeKind::kGetItem ? "getitem"
                                                    : short_name(run.program().text(node.target)));
  bool first = true;
  for (const NodeId input : inputs_of(node)) {
    if (!first) text += ", ";
    first = false;
    text += name_of(run, input);
    if (const TensorRecord* tensor = tensor_of(run, input))
      text += " " + text_then(tensor->meta->sizes());
  }
  return text + ")";
}

std::vector<WhyStep> why_dimension(const Run& run, NodeId node, size_t dim) {
  const TensorRecord* tensor = tensor_of(run, node);
  if (tensor == nullptr || dim >= tensor->meta->sizes().size()) {
    throw_error(ErrorKind::kUsage, format("'{}' has no dimension {}", name_of(run, node), dim));
  }
  std::vector<WhyStep> steps;
  for (;;) {  // each step goes to an earlier node
    const SymInt recorded = tensor_of(run, node)->meta->sizes()[dim];
    const SymInt size = current(recorded);
    const Node& at = run.program().graph().node(node);
    WhyStep step{node, dim, to_string(size), ""};
    if (at.kind == NodeKind::kPlaceholder) {
      step.reason = input_reason(run, node, recorded);
      steps.push_back(std::move(step));
      return steps;
    }
    const std::optional<DimOf> from = same_size_in_arguments(run, node, dim, size);
    if (from) {
      step.reason = format("as dimension {} of {}, by {}", from->dim, name_of(run, from->node),
                           call_text(run, node));
    } else if (!size.is_symbolic() &&
               std::any_of(at.args.begin(), at.args.end(), [&](const Value& argument) {
                 return is_in_argument(argument, size.as_int());
               })) {
      step.reason = format("a number in the call of {}", call_text(run, node));
    } else {
      step.reason = format("computed by {}", call_text(run, node));
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

ShapeEnv& env_of(const Run& run) {
  ShapeEnv* env = run.mode().context().shape_env();
  if (env == nullptr) throw_error(ErrorKind::kUsage, "the program has no symbols");
  return *env;
}

}  // namespace

WhatIf::WhatIf(const Run& run, std::span<const SymbolSetting> settings)
    : run_(run), env_(env_of(run)), numbers_(known_numbers(env_)) {
  for (const SymbolSetting& setting : settings) {
    const ExprNode* symbol = env_.pool().find_symbol(setting.symbol);
    if (symbol == nullptr)
      throw_error(ErrorKind::kUsage, format("the program has no symbol '{}'", setting.symbol));
    if (setting.lower > setting.upper || setting.lower < 0) {
      throw_error(ErrorKind::kUsage,
                  format("'{}' cannot be {}..{}", setting.symbol, setting.lower, setting.upper));
    }
    settings_.emplace_back(symbol, ValueRange::ints(setting.lower, setting.upper));
    numbers_.erase(symbol);
    if (setting.lower == setting.upper) numbers_[symbol] = env_.pool().integer(setting.lower);
  }
}

SymInt WhatIf::value(SymInt size) const {
  if (!size.is_symbolic()) return size;
  return env_.pool().sym_int(expand(substitute(size.node(), numbers_)));
}

WhatIf::Verdict WhatIf::enumerate(const ExprNode* condition, const ExprNode* symbol,
                                  ValueRange range) const {
  size_t holds = 0;
  size_t fails = 0;
  for (int64_t number = range.lower; number <= range.upper; ++number) {
    const std::optional<Number> result = evaluate(condition, {{symbol, Number::of(number)}});
    ++(result && result->integer != 0 ? holds : fails);
  }
  if (fails == 0) return Verdict::kHolds;
  return holds == 0 ? Verdict::kViolated : Verdict::kDepends;
}

WhatIf::Verdict WhatIf::verdict(const ExprNode* condition) const {
  condition = substitute(condition, numbers_);
  if (condition->is_constant()) return condition->is_true() ? Verdict::kHolds : Verdict::kViolated;
  const auto range_of = [this](const ExprNode* symbol) {
    for (const auto& [set, range] : settings_) {
      if (set == symbol) return range;
    }
    return env_.range(symbol);
  };
  const ValueRange bounds = bound(condition, range_of);
  if (bounds.is_singleton()) return bounds.lower != 0 ? Verdict::kHolds : Verdict::kViolated;
  const std::vector<const ExprNode*> symbols = free_symbols(condition);
  if (symbols.size() == 1) {
    const ValueRange range = range_of(symbols[0]);
    const bool is_small =
        range.lower >= 0 && range.upper != kIntInfinity && range.upper - range.lower < kMaxTried;
    if (is_small) return enumerate(condition, symbols[0], range);
  }
  return Verdict::kDepends;
}

std::vector<std::pair<GuardEntry, WhatIf::Verdict>> WhatIf::broken() const {
  std::vector<std::pair<GuardEntry, Verdict>> result;
  for (const auto& [symbol, range] : settings_) {
    const ValueRange allowed = env_.range(symbol);
    if (range.is_subset_of(allowed)) continue;
    const ValueRange both = intersect(range, allowed);
    GuardEntry entry;
    entry.text = format("{} in {}", to_string(symbol), to_string(allowed));
    entry.node = cause_of(env_, symbol);
    result.emplace_back(std::move(entry),
                        both.lower > both.upper ? Verdict::kViolated : Verdict::kDepends);
  }
  for (GuardEntry& entry : guard_report(run_)) {
    if (entry.kind == GuardEntry::Kind::kSpecialisation) continue;  // a range of one value, above
    const std::vector<const ExprNode*> symbols = free_symbols(entry.condition);
    const bool concerned =
        std::any_of(settings_.begin(), settings_.end(), [&](const auto& setting) {
          return std::find(symbols.begin(), symbols.end(), setting.first) != symbols.end();
        });
    const Verdict holds = concerned ? verdict(entry.condition) : Verdict::kHolds;
    if (holds != Verdict::kHolds) result.emplace_back(std::move(entry), holds);
  }
  return result;
}

}  // namespace faketensor
