// Higher-order operators: operators that hold graphs.
#include <array>

#include "core/graph/interpreter.h"
#include "core/support/format.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

std::vector<Value> list_values(const Value& list) {
  std::vector<Value> values;
  for (size_t i = 0; i < list.size(); ++i) values.push_back(list[i]);
  return values;
}

// The graph among `args` at `index`.
const Graph& graph_at(std::span<const Value> args, size_t index, std::string_view op) {
  if (index >= args.size() || !args[index].is(Value::Tag::kGraph)) {
    throw_error(ErrorKind::kTypeError, format("{}: argument {} must be a graph", op, index));
  }
  return args[index].graph();
}

std::vector<Value> list_at(std::span<const Value> args, size_t index, std::string_view op) {
  if (index >= args.size() || !args[index].is_list()) {
    throw_error(ErrorKind::kTypeError, format("{}: argument {} must be a list", op, index));
  }
  return list_values(args[index]);
}

// Outputs of a branch as a list, also where it returns one value.
std::vector<Value> outputs_of(const Value& result) {
  return result.is_list() ? list_values(result) : std::vector<Value>{result};
}

// cond(pred, true_graph, false_graph, operands): both branches run, and must agree on the metadata
// of the results, which are new tensors. Mirrors cond_fake_tensor_mode,
// torch/_higher_order_ops/cond.py, for branches of equal sizes.
Value cond(Interpreter& interpreter, std::span<const Value> args) {
  const std::vector<Value> operands = list_at(args, 3, "cond");
  const auto on_true = outputs_of(interpreter.run_graph(graph_at(args, 1, "cond"), operands));
  const auto on_false = outputs_of(interpreter.run_graph(graph_at(args, 2, "cond"), operands));
  if (on_true.size() != on_false.size()) {
    throw_error(ErrorKind::kRuntimeError,
                format("Unmatched number of outputs from cond() branches: {} and {}",
                       on_true.size(), on_false.size()));
  }
  Context& context = interpreter.mode().context();
  std::vector<Value> merged;
  for (size_t i = 0; i < on_true.size(); ++i) {
    if (!on_true[i].is_tensor()) {
      merged.push_back(on_true[i]);
      continue;
    }
    const TensorMeta* meta = on_true[i].tensor().meta;
    if (!on_false[i].is_tensor() || on_false[i].tensor().meta != meta) {
      throw_error(
          ErrorKind::kRuntimeError,
          format("When merging two branches' output in torch.cond, output {} differs in metadata",
                 i));
    }
    merged.emplace_back(context.make_tensor(meta, nullptr));
  }
  return context.make_list(merged);
}

// The elements of `tensor` along `dim`: one slice, which stands for all.
Value slice_of(Context& context, const Value& tensor, int64_t dim = 0) {
  static const OpId kSelect = Registry::builtin().find("aten::select.int");
  const std::array<Value, 3> args = {tensor, dim, 0};
  return context.call(kSelect, args);
}

// A contiguous stack of `count` tensors like `slice`.
Value stack_of(Context& context, const Value& slice, SymInt count) {
  if (!slice.is_tensor()) return slice;
  const Tensor& tensor = slice.tensor();
  DimVector sizes = {count};
  sizes.append(tensor.sizes());
  return context.empty(sizes, tensor.dtype(), tensor.device());
}

SymInt length_along(std::span<const Value> tensors, int64_t dim, std::string_view op) {
  if (tensors.empty() || !tensors[0].is_tensor() || dim < 0 || dim >= tensors[0].tensor().dim()) {
    throw_error(ErrorKind::kRuntimeError,
                format("{}() operator doesn't support unbatched inputs", op));
  }
  return tensors[0].tensor().size(dim);
}

// map_impl(body, xs, operands): the body on each slice, results stacked. Mirrors map_dense,
// torch/_higher_order_ops/map.py.
Value map_impl(Interpreter& interpreter, std::span<const Value> args) {
  Context& context = interpreter.mode().context();
  const std::vector<Value> xs = list_at(args, 1, "map_impl");
  const SymInt count = length_along(xs, 0, "map_impl");
  std::vector<Value> inputs;
  for (const Value& x : xs) inputs.push_back(slice_of(context, x));
  for (const Value& operand : list_at(args, 2, "map_impl")) inputs.push_back(operand);
  std::vector<Value> results;
  for (const Value& out :
       outputs_of(interpreter.run_graph(graph_at(args, 0, "map_impl"), inputs))) {
    results.push_back(stack_of(context, out, count));
  }
  return context.make_list(results);
}

// scan(combine, init, xs, additional_inputs): carries first, then stacked outputs. PyTorch 2.6
// wrote scan(combine, init, xs, dim, reverse, additional_inputs): slices along `dim`, stacked along
// 0 all the same. Mirrors scan_fake_tensor_mode, torch/_higher_order_ops/scan.py.
Value scan(Interpreter& interpreter, std::span<const Value> args) {
  Context& context = interpreter.mode().context();
  std::vector<Value> inputs = list_at(args, 1, "scan");
  const size_t carries = inputs.size();
  const std::vector<Value> xs = list_at(args, 2, "scan");
  constexpr size_t kArgumentsWithDim = 6;
  const bool has_dim = args.size() == kArgumentsWithDim && args[3].is(Value::Tag::kInt);
  const int64_t dim = has_dim ? args[3].as_sym_int().as_int() : 0;
  const SymInt count = length_along(xs, dim, "scan");
  for (const Value& x : xs) inputs.push_back(slice_of(context, x, dim));
  for (const Value& input : list_at(args, has_dim ? 5 : 3, "scan")) inputs.push_back(input);
  std::vector<Value> results = outputs_of(interpreter.run_graph(graph_at(args, 0, "scan"), inputs));
  for (size_t i = carries; i < results.size(); ++i)
    results[i] = stack_of(context, results[i], count);
  return context.make_list(results);
}

// Operators that run a graph as if it stood there; its inputs follow it among the arguments.
Value inlined(Interpreter& interpreter, std::span<const Value> args, size_t graph, size_t inputs,
              std::string_view op) {
  if (inputs > args.size()) throw_error(ErrorKind::kTypeError, format("{}: too few arguments", op));
  // Until PyTorch 2.7, invoke_subgraph took its operands as one list.
  const bool as_one_list = args.size() == inputs + 1 && args[inputs].is_list();
  if (as_one_list)
    return interpreter.run_graph(graph_at(args, graph, op), list_values(args[inputs]));
  return interpreter.run_graph(graph_at(args, graph, op), args.subspan(inputs));
}

}  // namespace

Value call_higher_order(Interpreter& interpreter, std::string_view name,
                        std::span<const Value> args) {
  if (name == "cond") return cond(interpreter, args);
  if (name == "map_impl") return map_impl(interpreter, args);
  if (name == "scan") return scan(interpreter, args);
  if (name == "wrap_with_set_grad_enabled") return inlined(interpreter, args, 1, 2, name);
  if (name == "wrap_with_autocast") return inlined(interpreter, args, 4, 5, name);
  if (name == "invoke_subgraph") return inlined(interpreter, args, 0, 2, name);
  throw_error(ErrorKind::kUnsupportedOperator, format("higher_order::{}", name));
}

}  // namespace faketensor
