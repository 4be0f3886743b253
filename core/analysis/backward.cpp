#include "core/analysis/backward.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "core/analysis/formula_functions.h"
#include "core/support/error.h"

namespace faketensor {

namespace {

bool are_same(Dims a, Dims b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](SymInt x, SymInt y) { return same_expr(x, y); });
}

// Whether a parameter may take the gradient over as it is (obeys_layout_contract).
bool has_strides_of(const Tensor& grad, const Tensor& leaf) {
  if (!leaf.is_non_overlapping_and_dense()) return grad.is_contiguous();
  for (size_t i = 0; i < leaf.sizes().size(); ++i) {
    if (same_expr(leaf.sizes()[i], 1)) continue;
    if (!same_expr(leaf.strides()[i], grad.strides()[i])) return false;
  }
  return true;
}

struct IsLater {
  bool operator()(const GradNode* a, const GradNode* b) const { return a->sequence < b->sequence; }
};

}  // namespace

void Backward::count_awaited(GradNode& root) {
  std::vector<GradNode*> open = {&root};
  std::unordered_map<GradNode*, bool> seen = {{&root, true}};
  while (!open.empty()) {
    GradNode* node = open.back();
    open.pop_back();
    for (const GradInput& input : node->inputs) {
      ++input.edge.node->awaited;
      if (seen.emplace(input.edge.node, true).second) open.push_back(input.edge.node);
    }
  }
}

void Backward::run(GradEdge root, Term gradient) {
  if (root.node == nullptr) return;
  count_awaited(*root.node);
  if (root.node->leaf != nullptr) root.node->incoming.resize(1);
  root.node->incoming[root.output] = std::move(gradient);
  std::priority_queue<GradNode*, std::vector<GradNode*>, IsLater> ready;
  ready.push(root.node);
  while (!ready.empty()) {
    GradNode& node = *ready.top();
    ready.pop();
    calls_.ledger().begin(TrainingPhase::kBackward, node.call.row);
    if (node.leaf != nullptr) {
      accumulate(node);
      continue;
    }
    if (before) before(node);
    Terms gradients = gradients_of(node);
    node.saved.clear();
    for (Term& term : node.incoming) term = {};
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      GradNode& next = *node.inputs[i].edge.node;
      if (next.leaf != nullptr) next.incoming.resize(1);
      Term& there = next.incoming[node.inputs[i].edge.output];
      Term fresh = std::move(gradients[i]);
      if (fresh.is_tensor()) {
        Term sum = there.is_tensor() ? calls_.call("add.Tensor", {there, fresh, {1, {}}})
                                     : std::move(fresh);
        there = std::move(sum);
      }
      if (--next.awaited == 0) ready.push(&next);
    }
  }
}

void Backward::accumulate(GradNode& leaf) {
  Term gradient = std::move(leaf.incoming[0]);
  leaf.incoming.clear();
  if (!gradient.is_tensor()) return;
  if (leaf.grad != nullptr) return;  // added in place
  const bool is_alone = gradient.holds.size() == 1 && gradient.holds[0].use_count() == 1;
  if (!is_alone || !has_strides_of(gradient.tensor(), *leaf.leaf))
    gradient = calls_.call("clone", {gradient});
  leaf.grad = gradient.holds[0];
  calls_.ledger().become(*gradient.tensor().storage, MemoryKind::kGradient);
}

Backward::Terms Backward::gradients_of(GradNode& node) {
  const bool has_gradient = std::any_of(node.incoming.begin(), node.incoming.end(),
                                        [](const Term& term) { return term.is_tensor(); });
  if (!has_gradient) return Terms(node.inputs.size());
  if (node.formula == nullptr) return approximately(node);
  try {
    Terms terms = node.slice != nullptr ? into_slice(node) : by_formula(node);
    for (size_t i = 0; i < terms.size(); ++i) {
      if (terms[i].is_tensor()) terms[i] = fit(terms[i], *node.inputs[i].tensor);
    }
    return terms;
  } catch (const Error& error) {
    failures_.emplace_back(node.call.op->local_name(), error.message());
    return approximately(node);
  }
}

// Where no formula is known: a new gradient like each input; for an alias, the gradient itself.
Backward::Terms Backward::approximately(const GradNode& node) {
  Terms terms;
  for (const GradInput& input : node.inputs) {
    const bool is_alias = node.call.op == nullptr;
    const Term& grad = node.incoming[0];
    terms.push_back(is_alias && are_same(grad.tensor().sizes(), input.tensor->sizes())
                        ? grad
                        : calls_.call("empty_like", {Term{*input.tensor, {}}}));
  }
  return terms;
}

// The gradient of the whole is copied, and the operator is given a clone of the part that it wrote to
// (CopySlices::apply, torch/csrc/autograd/functions/tensor.cpp).
Backward::Terms Backward::into_slice(GradNode& node) {
  const Term incoming = node.incoming[0];
  const Term whole = calls_.call("clone", {incoming});
  const Tensor& slice = *node.slice;
  Context& context = calls_.context();
  const Term part = calls_.call("as_strided", {whole,
                                               {context.make_ints(slice.sizes()), {}},
                                               {context.make_ints(slice.strides()), {}},
                                               {slice.offset(), {}}});
  node.incoming[0] = calls_.call("clone", {part});
  Terms terms = by_formula(node);
  if (!node.inputs.empty() && node.inputs[0].argument == 0) terms[0] = whole;
  return terms;
}

Backward::Terms Backward::by_formula(GradNode& node) {
  Terms terms(node.inputs.size());
  for (const Statement& statement : node.formula->statements) {
    const bool is_needed =
        std::any_of(statement.targets.begin(), statement.targets.end(),
                    [&](std::string_view target) { return needs_gradient(node, target); });
    if (!is_needed) continue;
    const Term term = evaluate(statement.expression, node, statement, false);
    put(node, statement, term, terms);
    temporaries_.clear();
  }
  return terms;
}

void Backward::put(const GradNode& node, const Statement& statement, const Term& term,
                   Terms& into) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const GradInput& input = node.inputs[i];
    const std::string_view name = node.call.op->schema.arguments[input.argument].name;
    const auto target = std::find(statement.targets.begin(), statement.targets.end(), name);
    if (target == statement.targets.end()) continue;
    Value value = term.value;
    if (statement.targets.size() > 1)
      value = value[static_cast<size_t>(target - statement.targets.begin())];
    if (node.call.args[input.argument].is(Value::Tag::kList) && value.is(Value::Tag::kList))
      value = value[input.element];
    if (value.is_tensor()) into[i] = calls_.term(value.tensor());
  }
}

Term Backward::named(std::string_view name, const GradNode& node, const Statement& statement,
                     bool is_metadata) {
  if (name == "grad") return node.incoming[0];
  if (name == "grads") return calls_.list(node.incoming);
  if (name == "grad1" || name == "grad2")
    return node.incoming[static_cast<size_t>(name.back() - '0')];
  if (name == "needed") {
    std::vector<Value> needed;
    for (const std::string_view target : statement.targets)
      needed.emplace_back(needs_gradient(node, target));
    return {calls_.context().make_list(needed), {}};
  }
  Term term{named_value(node.call, name), {}};
  if (name == "self" && node.before != nullptr) term.value = Value(node.before);
  if (is_metadata) return term;
  for (Tensor* tensor : tensors_of(term.value)) term.holds.push_back(calls_.hold(*tensor));
  return term;
}

Term Backward::evaluate(const Expression& expression, const GradNode& node,
                        const Statement& statement, bool is_metadata) {
  switch (expression.kind) {
    case Expression::Kind::kNone:
      return {};
    case Expression::Kind::kBool:
      return {Value(expression.number != 0), {}};
    case Expression::Kind::kInt:
      return {Value(static_cast<int64_t>(expression.number)), {}};
    case Expression::Kind::kFloat:
      return {Value(expression.number), {}};
    case Expression::Kind::kName:
      return named(expression.text, node, statement, is_metadata);
    case Expression::Kind::kCall:
    case Expression::Kind::kList:
      break;
  }
  const bool reads_metadata = is_metadata || (expression.kind == Expression::Kind::kCall &&
                                              is_metadata_function(expression.text));
  std::vector<Term> args;
  for (const Expression& argument : expression.arguments)
    args.push_back(evaluate(argument, node, statement, reads_metadata));
  if (expression.kind == Expression::Kind::kList) return calls_.list(args);
  Term term = operation(expression, std::move(args));
  temporaries_.insert(temporaries_.end(), term.holds.begin(), term.holds.end());
  return term;
}

Term Backward::operation(const Expression& expression, std::vector<Term> args) {
  if (const FormulaFunction function = formula_function(expression.text))
    return function(calls_, args);
  const bool is_of_numbers =
      args.size() == 2 && args[0].value.is_number() && args[1].value.is_number();
  if (is_of_numbers) {
    const double a = args[0].value.to_double();
    const double b = args[1].value.to_double();
    if (expression.text == "add.Tensor") return {Value(a + b), {}};
    if (expression.text == "sub.Tensor") return {Value(a - b), {}};
    if (expression.text == "mul.Tensor") return {Value(a * b), {}};
    if (expression.text == "div.Tensor") return {Value(a / b), {}};
  }
  // A number comes last, as the operators of Python have it.
  if (args.size() == 2 && args[0].value.is_number() && args[1].is_tensor()) {
    if (expression.text == "sub.Tensor") return calls_.call("rsub.Scalar", {args[1], args[0]});
    std::swap(args[0], args[1]);
  }
  return calls_.call(expression.text, args);
}

// What validate_outputs (torch/csrc/autograd/engine.cpp) makes of a gradient: the input's sizes and
// dtype.
Term Backward::fit(const Term& gradient, const Tensor& input) {
  Term term = sum_to(calls_, gradient, input.sizes());
  if (term.tensor().dtype() != input.dtype())
    term = calls_.call("_to_copy", {term, {input.dtype(), {}}});
  return term;
}

}  // namespace faketensor
