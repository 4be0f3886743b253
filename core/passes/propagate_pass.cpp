// FakeTensorProp and ShapeProp on the graph of a subject. Mirrors torch/fx/passes/fake_tensor_prop.py
// and torch/fx/passes/shape_prop.py.
#include <algorithm>

#include "core/formats/json_writer.h"
#include "core/mode/converter.h"
#include "core/mode/fake_dispatch.h"
#include "core/passes/export_pass.h"
#include "core/passes/passes.h"
#include "core/passes/propagate.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

void clear_values(Graph& graph) {
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    if (!graph.node(id).val.is(Value::Tag::kGraph)) graph.meta(id).val = Value::unset();
    if (!graph.bindings(id).empty()) graph.set_bindings(id, {});
  }
}

void propagate_in(FakeTensorMode& mode, Graph& graph, std::span<const Value> inputs) {
  Context& context = mode.context();
  run_nodes(mode, graph, inputs, [&](NodeId id, const Value& value) {
    const Value kept = snapshot_value(context, value);
    if (!kept.is_none()) graph.meta(id).val = kept;
    if (context.shape_env() == nullptr) return;
    std::vector<UnbackedBinding> bindings =
        compute_unbacked_bindings(*context.shape_env(), value, "");
    if (!bindings.empty()) graph.set_bindings(id, std::move(bindings));
  });
}

bool is_of_another_mode(const Context& context, const Value& value) {
  return value.is_tensor() && !context.owns(value.tensor());
}

// Raises for a tensor of another mode among what a node is called with. Mirrors
// FakeTensorMode.validate_and_convert_non_fake_tensors.
void check_modes(const Context& context, const PlanRow& row, std::span<const Value> values) {
  if (row.kind != RowKind::kCall) return;
  for (const Value& arg : row.args) {
    for_each_node(arg, [&](NodeId used) {
      if (is_of_another_mode(context, values[index_of(used)])) refuse_mixed_modes();
    });
  }
}

void write_ranges(JsonWriter& json, const ShapeEnv& env) {
  const auto object = json.object();
  const auto ranges = json.object("ranges");
  for (const ExprNode* symbol : env.symbols()) {
    const ValueRange range = env.range(symbol);
    const std::string ends[] = {to_string(range.lower), to_string(range.upper)};
    json.field(to_string(symbol), std::span<const std::string>(ends));
  }
}

}  // namespace

Value snapshot_value(Context& context, const Value& value) {
  if (value.is_tensor()) {
    const Tensor& tensor = value.tensor();
    return Value(context.make_tensor(tensor.meta, tensor.storage));
  }
  if (value.is_number()) return value;
  if (!value.is_list()) return {};
  SmallVector<Value, 8> elements;
  for (size_t i = 0; i < value.size(); ++i) elements.push_back(snapshot_value(context, value[i]));
  return context.make_list(elements.span());
}

FakeTensorMode& make_mode(PassSubject& subject, bool has_shape_env, bool has_static_sizes,
                          std::vector<Value>& inputs) {
  subject.made_modes.push_back(std::make_unique<FakeTensorMode>(subject.mode.context().target()));
  FakeTensorMode& mode = *subject.made_modes.back();
  if (has_shape_env) mode.attach_shape_env(nullptr);
  Converter converter(mode.context());
  const ConversionOptions options{.static_shapes = has_static_sizes};
  for (const RealInput& input : subject.inputs) {
    inputs.push_back(input.value.is_tensor()
                         ? Value(converter.from_tensor(describe(input.value.tensor()), options))
                         : input.value);
  }
  return mode;
}

void run_nodes(FakeTensorMode& mode, const Graph& graph, std::span<const Value> inputs,
               const std::function<void(NodeId, const Value&)>& on_value) {
  Context& context = mode.context();
  context.grad_enabled = true;
  Interpreter interpreter(context);
  const std::shared_ptr<const Plan> plan = graph.plan();
  std::vector<Value> values(plan->size());
  const bool is_mixed = std::any_of(inputs.begin(), inputs.end(), [&](const Value& value) {
    return is_of_another_mode(context, value);
  });
  size_t input = 0;
  for (Row row = 0; row < plan->size(); ++row) {
    const NodeId id = plan->row(row).id;
    try {
      if (plan->row(row).kind != RowKind::kPlaceholder) {
        if (is_mixed) check_modes(context, plan->row(row), values);
        values[row] = interpreter.run_row(*plan, row, values);
      } else if (input < inputs.size()) {
        values[row] = inputs[input++];
      }
    } catch (const Error& error) {
      throw_at_node(error, graph, id);
    }
    on_value(id, values[row]);
  }
}

PassResult propagate_fakes(PassSubject& subject, const PassOptions& options) {
  Graph& graph = *subject.graph;
  std::vector<Value> inputs;
  if (options.uses_own_mode) {
    for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
      if (graph.node(id).kind == NodeKind::kPlaceholder) inputs.push_back(graph.node(id).val);
    }
    clear_values(graph);
    propagate_in(subject.mode, graph, inputs);
    return {.modified = true};
  }
  FakeTensorMode& mode =
      make_mode(subject, options.has_shape_env, options.has_static_sizes, inputs);
  clear_values(graph);
  propagate_in(mode, graph, inputs);
  PassResult result{.modified = true};
  JsonWriter json(result.info);
  if (options.has_shape_env) write_ranges(json, *mode.context().shape_env());
  return result;
}

PassResult propagate_shapes(PassSubject& subject, const PassOptions&) {
  std::vector<Value> inputs;
  FakeTensorMode& mode = make_mode(subject, true, true, inputs);
  clear_values(*subject.graph);
  propagate_in(mode, *subject.graph, inputs);
  // Sizes are all that ShapeProp leaves at a node (meta["tensor_meta"]), not values.
  clear_values(*subject.graph);
  return {.modified = true};
}

}  // namespace faketensor
