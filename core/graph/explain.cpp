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

// A size by what replaced its symbols since.
SymInt current(SymInt size) {
  if (!size.is_symbolic()) return size;
  ShapeEnv& env = shape_env_of(size.node());
  return env.pool().sym_int(env.replace(size.node()));
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
  if (!recorded.is_symbolic() || recorded.node()->kind != ExprKind::kSymbol) return reason;
  const ShapeEnv& env = shape_env_of(recorded.node());
  reason += " of size " + text_then(recorded);
  if (const ExprNode* replacement = env.replacement(recorded.node())) {
    reason += format(", which is {}", to_string(replacement));
    const NodeId cause = node_of_origin(env.replacement_origin(recorded.node()));
    if (cause != kNoNode) reason += format(" since {}", call_text(run, cause));
  }
  return reason;
}

}  // namespace

std::vector<GuardEntry> guard_report(const Run& run) {
  std::vector<GuardEntry> report;
  ShapeEnv* env = run.mode().context().shape_env();
  if (env == nullptr) return report;
  using Kind = GuardEntry::Kind;
  for (const Guard& guard : env->guards()) {
    report.push_back(
        {Kind::kGuard, to_string(guard.condition), guard.condition, node_of_origin(guard.origin)});
  }
  for (const Kind kind : {Kind::kSpecialisation, Kind::kReplacement}) {
    for (const ExprNode* symbol : env->replaced_symbols()) {
      const ExprNode* value = env->replace(symbol);
      if (value->is_number() != (kind == Kind::kSpecialisation)) continue;
      const ExprNode* equal = env->pool().make(ExprKind::kEq, symbol, value);
      report.push_back({kind, format("{} = {}", to_string(symbol), to_string(value)), equal,
                        node_of_origin(env->replacement_origin(symbol))});
    }
  }
  for (const RuntimeAssert& assert : env->deferred_runtime_asserts()) {
    report.push_back({Kind::kRuntimeAssert, to_string(assert.condition), assert.condition,
                      node_of_origin(assert.origin)});
  }
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
    : run_(run), env_(env_of(run)) {
  for (const SymbolSetting& setting : settings) {
    const ExprNode* symbol = env_.pool().find_symbol(setting.symbol);
    if (symbol == nullptr)
      throw_error(ErrorKind::kUsage, format("the program has no symbol '{}'", setting.symbol));
    if (setting.lower > setting.upper || setting.lower < 0) {
      throw_error(ErrorKind::kUsage,
                  format("'{}' cannot be {}..{}", setting.symbol, setting.lower, setting.upper));
    }
    ranges_[symbol] = ValueRange::ints(setting.lower, setting.upper);
  }
}

SymInt WhatIf::value(SymInt size) const {
  if (!size.is_symbolic()) return size;
  SymbolMap numbers;
  for (const auto& [symbol, range] : ranges_) {
    if (range.is_singleton()) numbers[symbol] = env_.pool().integer(range.lower);
  }
  return env_.pool().sym_int(substitute(size.node(), numbers));
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
  SymbolMap numbers;
  for (const auto& [symbol, range] : ranges_) {
    if (range.is_singleton()) numbers[symbol] = env_.pool().integer(range.lower);
  }
  condition = substitute(condition, numbers);
  if (condition->is_constant()) {
    return condition->is_true() ? Verdict::kHolds : Verdict::kViolated;
  }
  const auto range_of = [this](const ExprNode* symbol) {
    const auto at = ranges_.find(symbol);
    return at == ranges_.end() ? env_.range(symbol) : at->second;
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
  for (GuardEntry& entry : guard_report(run_)) {
    const std::vector<const ExprNode*> symbols = free_symbols(entry.condition);
    const bool concerned = std::any_of(
        symbols.begin(), symbols.end(),
        [this](const ExprNode* symbol) { return ranges_.find(symbol) != ranges_.end(); });
    if (!concerned) continue;
    const Verdict holds = verdict(entry.condition);
    if (holds != Verdict::kHolds) result.emplace_back(std::move(entry), holds);
  }
  return result;
}

}  // namespace faketensor
