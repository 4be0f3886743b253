#include "core/analysis/grad_graph.h"

#include <algorithm>

#include "core/mode/find_tensor.h"
#include "core/ops/derivative_formulas.h"
#include "core/support/scoped_value.h"

namespace faketensor {

namespace {

bool can_have_grad(const Tensor& tensor) {
  return is_floating(tensor.dtype()) || is_complex(tensor.dtype());
}

size_t argument_of(const OpEntry& op, std::string_view name) {
  const auto& arguments = op.schema.arguments;
  const auto at = std::find_if(arguments.begin(), arguments.end(),
                               [&](const auto& argument) { return argument.name == name; });
  return static_cast<size_t>(at - arguments.begin());
}

// In-place overloads have the formula of their functional one; detach and what yields no
// floating-point results have no history.
bool has_history(const OpEntry& op) {
  return (op.tags & (kNoDerivative | kDetaches)) == 0 && !op.facts.has(kEndsHistory);
}

}  // namespace

std::vector<Tensor*> tensors_of(const Value& value) {
  std::vector<Tensor*> tensors;
  for_each_tensor({&value, 1},
                  [&](const Tensor& tensor) { tensors.push_back(const_cast<Tensor*>(&tensor)); });
  return tensors;
}

Value named_value(const TapedCall& call, std::string_view name) {
  if (name.starts_with("result")) {
    if (!call.result.is(Value::Tag::kList) || call.op->schema.returns.size() == 1)
      return call.result;
    const size_t index = name.size() == 6 ? 0 : static_cast<size_t>(name[6] - '0');
    return index < call.result.size() ? call.result[index] : Value::unset();
  }
  const size_t argument = argument_of(*call.op, name);
  return argument < call.args.size() ? call.args[argument] : Value::unset();
}

bool needs_gradient(const GradNode& node, std::string_view argument) {
  const size_t wanted = argument_of(*node.call.op, argument);
  return std::any_of(node.inputs.begin(), node.inputs.end(),
                     [&](const GradInput& input) { return input.argument == wanted; });
}

GradNode& GradGraph::add_leaf(Tensor& tensor, Row row) {
  GradNode& node = nodes_.emplace_back();
  node.sequence = kLeaf;
  node.call.row = row;
  node.leaf = &tensor;
  edges_[&tensor] = {&node, 0};
  return node;
}

GradEdge GradGraph::edge_of(const Tensor& tensor) const {
  const auto at = edges_.find(&tensor);
  return at == edges_.end() ? GradEdge{} : at->second;
}

void GradGraph::find_inputs(GradNode& node) {
  for (size_t i = 0; i < node.call.args.size(); ++i) {
    size_t element = 0;
    for_each_tensor({&node.call.args[i], 1}, [&](const Tensor& tensor) {
      const GradEdge edge = edge_of(tensor);
      if (edge.node != nullptr && can_have_grad(tensor))
        node.inputs.push_back({i, element, &tensor, edge});
      ++element;
    });
  }
}

// Whether a name that a statement reads is kept (guard_for, tools/autograd/gen_variable_type.py).
bool GradGraph::keeps(const GradNode& node, const Statement& statement,
                      std::string_view name) const {
  const Formula& formula = *node.formula;
  const bool is_result = name.starts_with("result");
  if (is_result || formula.statements.size() <= 1 || statement.targets.size() != 1 ||
      formula.readers(name) != 1)
    return true;
  return needs_gradient(node, statement.targets[0]);
}

void GradGraph::find_kept(GradNode& node) {
  const auto keep = [&](const Value& value) {
    for (Tensor* tensor : tensors_of(value)) {
      if (std::find(node.keeps.begin(), node.keeps.end(), tensor) == node.keeps.end())
        node.keeps.push_back(tensor);
    }
  };
  if (node.formula == nullptr) {
    for (const Value& arg : node.call.args) {
      for (Tensor* tensor : tensors_of(arg)) {
        if (can_have_grad(*tensor)) keep(*tensor);
      }
    }
    return keep(node.call.result);
  }
  for (const Statement& statement : node.formula->statements) {
    for (const std::string_view name : statement.saved) {
      if (!keeps(node, statement, name)) continue;
      if (name == "self" && (node.call.op->written_arguments & 1) != 0) {
        node.clones_self = true;
      } else {
        keep(named_value(node.call, name));
      }
    }
  }
}

void GradGraph::save(GradNode& node) {
  for (Tensor* tensor : node.keeps) node.saved.push_back(calls_.hold(*tensor));
  if (!node.clones_self) return;
  const ScopedValue no_grad(calls_.context().grad_enabled, false);
  const Term clone = calls_.call("clone", {Term{node.call.args[0], {}}});
  node.before = &clone.tensor();
  node.saved.push_back(clone.holds[0]);
}

GradNode* GradGraph::add_call(const TapedCall& call) {
  if (!call.records || !has_history(*call.op)) return nullptr;
  GradNode node;
  node.call = call;
  find_inputs(node);
  const std::vector<Tensor*> results = tensors_of(call.result);
  if (node.inputs.empty() || std::none_of(results.begin(), results.end(), [](const Tensor* tensor) {
        return can_have_grad(*tensor);
      }))
    return nullptr;
  const auto [at, is_new] = formulas_.try_emplace(call.op->id);
  const DerivativeFormula* row = derivative_formula(*call.op);
  if (is_new && row != nullptr) at->second = parse_formula(row->text);
  if (row != nullptr && at->second.statements.empty()) return nullptr;
  if (row != nullptr) {
    node.formula = &at->second;
  } else {
    unknown_.insert(call.op->local_name());
  }
  node.sequence = nodes_.size();
  node.incoming.resize(results.size());
  find_kept(node);
  nodes_.push_back(std::move(node));
  save(nodes_.back());
  set_history(nodes_.back());
  return &nodes_.back();
}

// The results come from the node. What is written in place has its history from now on, and where it
// is a view, so has what it is a view of.
void GradGraph::set_history(GradNode& node) {
  const std::vector<Tensor*> results = tensors_of(node.call.result);
  for (uint32_t i = 0; i < results.size(); ++i) {
    if (!can_have_grad(*results[i])) continue;
    if (i < 32 && (node.call.op->facts.differentiable_results >> i & 1) == 0) continue;
    edges_[results[i]] = {&node, i};
  }
  if (node.call.op->written_arguments == 0 || node.call.args.empty() ||
      !node.call.args[0].is_tensor())
    return;
  Tensor& written = node.call.args[0].tensor();
  if (written.base == nullptr) return;
  Tensor* base = written.base;
  while (base->base != nullptr) base = base->base;
  const GradEdge before = edge_of(*base);
  const bool had_history = std::any_of(node.inputs.begin(), node.inputs.end(),
                                       [](const GradInput& input) { return input.argument == 0; });
  if (before.node == nullptr && had_history) return;  // no view to autograd (_unsafe_view)
  node.slice = &written;
  std::erase_if(node.inputs, [](const GradInput& input) { return input.argument == 0; });
  if (before.node != nullptr && before.node != &node)
    node.inputs.insert(node.inputs.begin(), {0, 0, base, before});
  edges_[base] = {&node, 0};
  add_alias(written, *base, node.call.row);
}

void GradGraph::add_alias(Tensor& value, const Tensor& of, Row row) {
  const GradEdge edge = edge_of(of);
  if (edge.node == nullptr) return;
  GradNode& node = nodes_.emplace_back();
  node.sequence = nodes_.size() - 1;
  node.call.row = row;
  node.call.result = Value(value);
  node.inputs.push_back({0, 0, &of, edge});
  node.incoming.resize(1);
  edges_[&value] = {&node, 0};
}

}  // namespace faketensor
