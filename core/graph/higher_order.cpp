#include "core/graph/higher_order.h"

#include <algorithm>

#include "core/graph/regions.h"
#include "core/graph/text/text_arguments.h"
#include "core/ops/bind.h"
#include "core/support/format.h"
#include "core/support/target_name.h"

namespace faketensor {

// --- the call ---

const Value& HigherOrderCall::at(size_t index) const {
  if (index >= args_.size()) {
    throw_error(ErrorKind::kTypeError, format("{}: argument {} is missing", name_, index));
  }
  return args_[index];
}

std::span<const Value> HigherOrderCall::positional(size_t first) const {
  size_t count = 0;
  while (count < args_.size() && (count >= names_.size() || names_[count] == 0)) ++count;
  if (first > count) throw_error(ErrorKind::kTypeError, format("{}: too few arguments", name_));
  return args_.subspan(first, count - first);
}

const Graph& HigherOrderCall::graph(size_t index) const {
  if (index >= args_.size() || !args_[index].is(Value::Tag::kGraph)) {
    throw_error(ErrorKind::kTypeError, format("{}: argument {} must be a graph", name_, index));
  }
  return args_[index].graph();
}

std::vector<Value> HigherOrderCall::list(size_t index) const {
  if (index >= args_.size() || !args_[index].is_list()) {
    throw_error(ErrorKind::kTypeError, format("{}: argument {} must be a list", name_, index));
  }
  std::vector<Value> values;
  for (size_t i = 0; i < args_[index].size(); ++i) values.push_back(args_[index][i]);
  return values;
}

bool HigherOrderCall::boolean(size_t index) const {
  if (!at(index).is(Value::Tag::kBool)) {
    throw_error(ErrorKind::kTypeError, format("{}: argument {} must be a bool", name_, index));
  }
  return at(index).to_bool();
}

std::string_view HigherOrderCall::text(size_t index) const {
  if (!at(index).is(Value::Tag::kString)) {
    throw_error(ErrorKind::kTypeError, format("{}: argument {} must be a string", name_, index));
  }
  return at(index).text();
}

const Value* HigherOrderCall::keyword(std::string_view name) const {
  for (size_t i = 0; i < std::min(args_.size(), names_.size()); ++i) {
    if (names_[i] != 0 && plan_.text(names_[i]) == name) return &args_[i];
  }
  return nullptr;
}

std::vector<HigherOrderCall::Keyword> HigherOrderCall::keywords() const {
  std::vector<Keyword> keywords;
  for (size_t i = 0; i < std::min(args_.size(), names_.size()); ++i) {
    if (names_[i] != 0) keywords.push_back({plan_.text(names_[i]), args_[i]});
  }
  return keywords;
}

// The getitem rows that follow the call.
size_t HigherOrderCall::output_count() const {
  size_t count = 0;
  while (row_ + 1 + count < plan_.size() &&
         plan_.row(static_cast<Row>(row_ + 1 + count)).kind == RowKind::kGetItem)
    ++count;
  return count;
}

bool HigherOrderCall::has_recorded_output(size_t index) const {
  const Node& output = plan_.node(static_cast<Row>(row_ + 1 + index));
  return output.recorded != nullptr || !output.val.is_none();
}

std::vector<Value> HigherOrderCall::run(const Graph& graph, std::span<const Value> inputs) const {
  const Value result = interpreter_.run_graph(graph, inputs);
  if (!result.is_list()) return {result};
  std::vector<Value> values;
  for (size_t i = 0; i < result.size(); ++i) values.push_back(result[i]);
  return values;
}

Value HigherOrderCall::call(std::string_view op, std::initializer_list<Value> args) const {
  return context().call(Registry::builtin().find(op), {args.begin(), args.size()});
}

Value HigherOrderCall::call_operator(std::string_view name, std::span<const Value> positional,
                                     std::span<const Keyword> keywords) const {
  const OpId op = interpreter_.find_operator(name);
  if (op == kNoOp) {
    throw_error(ErrorKind::kUnsupportedOperator, std::string(operator_name(name)));
  }
  ArgumentBinder binder(interpreter_.schema(op));
  for (const Value& value : positional) binder.add(value);
  for (const Keyword& keyword : keywords) binder.set(keyword.name, keyword.value);
  return context().call(op, binder.values());
}

// --- operators that are short ---

namespace {

// An operator that runs a graph as if it stood there; its inputs follow it among the arguments.
template <size_t graph, size_t inputs>
Value inlined(HigherOrderCall& call) {
  return call.interpreter().run_graph(call.graph(graph), call.positional(inputs));
}

// invoke_subgraph(graph, identifier, *operands), run once for operands of one description.
Value invoke_subgraph(HigherOrderCall& call) {
  constexpr size_t kOperands = 2;
  const Graph& graph = call.graph(0);
  // Until PyTorch 2.7 the operands were one list.
  const std::span<const Value> args = call.positional(kOperands);
  const bool is_list = args.size() == 1 && args[0].is_list();
  const std::vector<Value> operands =
      is_list ? call.list(kOperands) : std::vector<Value>(args.begin(), args.end());
  SubgraphCache* cache = call.interpreter().subgraphs();
  const std::optional<SubgraphCache::Key> key =
      cache == nullptr ? std::nullopt : SubgraphCache::key_of(call.context(), graph, operands);
  if (key) {
    if (const std::optional<Value> known = cache->find(call.context(), *key)) return *known;
  }
  const Value result = call.interpreter().run_graph(graph, operands);
  if (key) cache->keep(*key, operands, result);
  return result;
}

// The same with the inputs in a list: strict_mode(callable, operands), hints_wrapper(body, args,
// ...), run_const_graph(graph, args).
Value inlined_list(HigherOrderCall& call) {
  return call.interpreter().run_graph(call.graph(0), call.list(1));
}

// wrap_with_autocast(device_type, dtype, enabled, cache_enabled, body, *args). Mirrors
// WrapWithAutocast, torch/_higher_order_ops/wrap.py.
Value wrap_with_autocast(HigherOrderCall& call) {
  const std::span<const Value> inputs = call.positional(5);
  const auto [autocast, is_on] = autocast_region(call.context(), call.positional());
  const auto inside = call.interpreter().regions().autocast().enter(autocast, is_on);
  return call.interpreter().run_graph(call.graph(4), inputs);
}

// with_effects(token, op, *args, **kwargs): a new token, and what the operator returns. Mirrors
// with_effects_dense, torch/_higher_order_ops/effects.py.
Value with_effects(HigherOrderCall& call) {
  const std::vector<HigherOrderCall::Keyword> keywords = call.keywords();
  const Value result = call.call_operator(call.text(1), call.positional(2), keywords);
  std::vector<Value> results;
  const SymInt none[] = {0};
  results.emplace_back(call.context().empty(none, DType::kFloat32, Device{}));
  const OpId op = call.interpreter().find_operator(call.text(1));
  if (call.interpreter().schema(op).returns.size() > 1) {
    for (size_t i = 0; i < result.size(); ++i) results.push_back(result[i]);
  } else {
    results.push_back(result);
  }
  return call.tuple(results);
}

// triton_kernel_wrapper_functional(kwargs={...}, tensors_to_clone=[...]): what a kernel writes to is
// copied, and is the result, by name. What the kernel computes is its own matter.
Value triton_functional(HigherOrderCall& call) {
  std::vector<Value> copies;
  const Value* given = call.keyword("kwargs");
  const Value* names = call.keyword("tensors_to_clone");
  if (given == nullptr || names == nullptr || !given->is_list() || !names->is_list()) {
    throw_error(ErrorKind::kTypeError,
                format("{}: kwargs and tensors_to_clone are needed", call.name()));
  }
  if (!given->is_dict()) throw_error(ErrorKind::kTypeError, "kwargs must be a dictionary");
  for (size_t i = 0; i < given->size(); ++i) {
    const Value pair = (*given)[i];
    if (!pair[0].is(Value::Tag::kString)) continue;
    for (size_t j = 0; j < names->size(); ++j) {
      if ((*names)[j].text() != pair[0].text()) continue;
      const Value copy = clone_preserving_strides(call, pair[1]);
      copies.push_back(make_item(call.context().arena(), pair[0], copy));
    }
  }
  return Value::dict(call.context().arena().copy(std::span<const Value>(copies)));
}

// The kernel writes to its arguments, whose descriptions stay.
Value triton_mutation(HigherOrderCall&) { return {}; }

struct HigherOrderOperator {
  std::string_view name;
  Value (*run)(HigherOrderCall& call);
};

// In order of their names.
constexpr HigherOrderOperator kHigherOrderOperators[] = {
    {"associative_scan", &associative_scan},
    {"auto_functionalized", &auto_functionalized},
    {"auto_functionalized_v2", &auto_functionalized_v2},
    {"cond", &cond},
    {"flex_attention", &flex_attention},
    {"flex_attention_backward", &flex_attention_backward},
    {"hints_wrapper", &inlined_list},
    {"invoke_quant", &inlined<0, 1>},
    {"invoke_subgraph", &invoke_subgraph},
    {"map_impl", &map_impl},
    {"run_const_graph", &inlined_list},
    {"scan", &scan},
    {"strict_mode", &inlined_list},
    {"tag_activation_checkpoint", &inlined<0, 1>},
    {"triton_kernel_wrapper_functional", &triton_functional},
    {"triton_kernel_wrapper_mutation", &triton_mutation},
    {"while_loop", &while_loop},
    {"while_loop_stack_output", &while_loop_stack_output},
    {"with_effects", &with_effects},
    {"wrap", &inlined<0, 1>},
    {"wrap_activation_checkpoint", &inlined<0, 1>},
    {"wrap_with_autocast", &wrap_with_autocast},
    {"wrap_with_set_grad_enabled", &inlined<1, 2>},
};

}  // namespace

Value call_higher_order(Interpreter& interpreter, const Plan& plan, Row row, std::string_view name,
                        std::span<const Value> args) {
  const auto* found = std::lower_bound(
      std::begin(kHigherOrderOperators), std::end(kHigherOrderOperators), name,
      [](const HigherOrderOperator& op, std::string_view wanted) { return op.name < wanted; });
  if (found == std::end(kHigherOrderOperators) || found->name != name)
    throw_error(ErrorKind::kUnsupportedOperator, format("higher_order::{}", name));
  HigherOrderCall call(interpreter, plan, row, name, args);
  return found->run(call);
}

}  // namespace faketensor
