#include "core/passes/decompose/decomposer.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/graph/higher_order.h"
#include "core/graph/operand_tuples.h"
#include "core/ops/arguments.h"
#include "core/ops/steps/steps.h"
#include "core/passes/decompose/functional_operator.h"
#include "core/passes/decompose/functional_tensors.h"
#include "core/passes/decompose/traced_graph.h"
#include "core/passes/export_pass.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/support/scoped_value.h"
#include "core/support/target_name.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

// Whether a result may share the memory of the first argument.
bool is_view(const OpEntry& op) {
  const auto& arguments = op.schema.arguments;
  return !arguments.empty() && !arguments[0].alias.empty() && !arguments[0].is_written() &&
         !op.schema.returns.empty();
}

class Decomposer final : private DispatchMode {
 public:
  Decomposer(Program& program, FakeTensorMode& mode, const DecompositionTable& table)
      : program_(program), context_(mode.context()), table_(table), interpreter_(context_) {}

  Decomposed run(const Graph& graph, std::span<const Value> inputs,
                 std::span<const OutputSpec> outputs) {
    const ModeScope entered(context_, *this);
    if (context_.shape_env() != nullptr) context_.shape_env()->take_pending_unbacked();
    Decomposed result{.graph = &program_.add_graph()};
    run_graph(graph, inputs, *result.graph, outputs, &result.written_inputs);
    return result;
  }

 private:
  // One graph that is being written: the program's, or that of a higher-order operator.
  struct Trace {
    TracedGraph traced;
    FunctionalTensors tensors;
    std::map<std::string, size_t, std::less<>> subgraphs = {};  // by prefix of their names
  };
  enum class Layer : uint8_t { kFunctional, kTraced, kRule };

  DispatchKey key() const override { return DispatchKey::kAutocast; }

  Value dispatch(const OpEntry& op, std::span<const Value> given, const NextMode& next) override {
    if (layer_ == Layer::kRule || context_.in_kernel()) return next(op, given);
    ArgumentRoom room;
    const std::span<const Value> args = complete_arguments(context_, op, given, room);
    return layer_ == Layer::kFunctional ? call_functional(op, args) : call_traced(op, args);
  }

  // --- the traced layer: plain tensors ---

  Value call_plain(const OpEntry& op, std::span<const Value> args) {
    const ScopedValue layer(layer_, Layer::kTraced);
    ArgumentRoom room;
    return call_traced(op, complete_arguments(context_, op, args, room));
  }

  Value call_traced(const OpEntry& op, std::span<const Value> args) {
    TracedGraph& traced = trace_->traced;
    if (table_.replaces(op)) {
      const std::optional<Value> result = take_apart(op, args);
      if (result && traced.knows(*result)) return *result;
    }
    const FakeCall call(context_, op, args);
    const NodeId node = traced.add_call(op, call);
    const Value result = answer(op, args);
    traced.track(node, result);
    return result;
  }

  // By its steps. A rule that is not spelt as steps makes tensors that no call gave, which it returns
  // or calls with (then there is no result): the operator stays whole.
  std::optional<Value> take_apart(const OpEntry& op, std::span<const Value> args) {
    try {
      return steps_taken(op, args);
    } catch (const Error&) {
      if (!trace_->traced.take_stranger()) throw;
      return {};
    }
  }

  Value steps_taken(const OpEntry& op, std::span<const Value> args) {
    if (overload_name(op) == "aten::native_batch_norm") return native_batch_norm(args);
    // FakeTensorMode takes a view of symbolic sizes for its parts at once (steps/views.cpp).
    if (overload_name(op) == "aten::_unsafe_view")
      return context_.call(Registry::builtin().find("aten::view"), args);
    return steps_of(op.id) != nullptr ? run_steps(context_, op, args) : context_.run_rule(op, args);
  }

  // Mirrors native_batch_norm_decomposition (torch/_decomp/decompositions.py), which is the composite
  // while PyTorch traces.
  Value native_batch_norm(std::span<const Value> args) {
    const auto call = [&](std::string_view op, std::initializer_list<Value> given) {
      return context_.call(Registry::builtin().find(op), {given.begin(), given.size()});
    };
    if (args[3].is_none() && args[4].is_none())
      return call("aten::_native_batch_norm_legit.no_stats",
                  {args[0], args[1], args[2], args[5], args[6], args[7]});
    if (args[5].to_bool())
      return context_.call(Registry::builtin().find("aten::_native_batch_norm_legit"), args);
    return call("aten::_native_batch_norm_legit_no_training",
                {args[0], args[1], args[2], args[3], args[4], args[6], args[7]});
  }

  Value answer(const OpEntry& op, std::span<const Value> args) {
    const ScopedValue layer(layer_, Layer::kRule);
    return context_.call_below(op, args);
  }

  // --- the functional layer: wrappers ---

  Value call_functional(const OpEntry& op, std::span<const Value> args) {
    FunctionalTensors& tensors = trace_->tensors;
    const std::string_view name = overload_name(op);
    if (is_composite(op) && table_.replaces(op)) {
      const std::optional<Value> result = take_apart(op, args);
      if (result && tensors.are_wrappers(*result)) return *result;
    }
    if (name == "aten::detach_") return args[0];  // autograd answers it
    for (const Value& arg : args) tensors.sync(arg);
    if (op.written_arguments != 0) return write(op, args);
    SmallVector<Value, 16> plain;
    for (const Value& arg : args) plain.push_back(tensors.plain(arg));
    if (name == "aten::lift_fresh_copy" || name == "aten::lift_fresh") {
      const Registry& registry = Registry::builtin();
      const OpEntry& clone = registry.entry(registry.find("aten::clone"));
      const Value clone_args[] = {plain[0], Value()};
      return wrapped(call_plain(clone, clone_args));
    }
    const Value result = call_plain(op, plain.span());
    const bool views = is_view(op) || name == "aten::_unsafe_view";
    if (!views || !args[0].is_tensor() || !tensors.is_wrapper(args[0].tensor()))
      return wrapped(result);
    trace_->traced.take_wrapper_names(result);
    return tensors.wrap_view(args[0].tensor(), op, plain.span(), result);
  }

  Value wrapped(const Value& plain) {
    trace_->traced.take_wrapper_names(plain);
    return trace_->tensors.wrap(plain);
  }

  // An operator that writes to its arguments, by the one that gives the new values.
  Value write(const OpEntry& op, std::span<const Value> args) {
    FunctionalTensors& tensors = trace_->tensors;
    if (op.name == "aten::set_.source_Tensor") {
      tensors.replace(args[0].tensor(), args[1].tensor());
      return args[0];
    }
    const FunctionalOperator functional = functional_operator(op);
    if (functional.op == nullptr)
      throw_error(ErrorKind::kRuntimeError,
                  format("Found a custom (non-ATen) operator whose output has alias annotations or "
                         "that writes to its arguments: {}.",
                         op.schema.name));
    SmallVector<Value, 16> plain;
    for (size_t i = 0; i < functional.argument_count; ++i) plain.push_back(tensors.plain(args[i]));
    for (size_t i = functional.argument_count; i < functional.op->schema.arguments.size(); ++i)
      plain.push_back(functional.op->schema.arguments[i].default_value);
    if ((op.tags & kInplaceView) != 0) {
      tensors.change_view(args[0].tensor(), *functional.op, plain.span());
      return args[0];
    }
    const Value result = call_plain(*functional.op, plain.span());
    return write_results(op, args, result);
  }

  Value write_results(const OpEntry& op, std::span<const Value> args, const Value& result) {
    std::vector<size_t> written;
    for (size_t i = 0; i < args.size() && i < 64; ++i)
      if ((op.written_arguments >> i & 1) != 0) written.push_back(i);
    const bool is_list_operator = written.size() == 1 && args[written[0]].is(Value::Tag::kList);
    std::vector<Value> results;
    if (result.is(Value::Tag::kList)) {
      for (const Value& element : result.values()) results.push_back(element);
    } else {
      results.push_back(result);
    }
    if (is_list_operator) {
      const Value& list = args[written[0]];
      for (size_t i = 0; i < list.size() && i < results.size(); ++i) write_one(list[i], results[i]);
      return list;
    }
    // What is returned besides comes first.
    const size_t others = results.size() - std::min(results.size(), written.size());
    for (size_t i = 0; i < written.size() && others + i < results.size(); ++i)
      write_one(args[written[i]], results[others + i]);
    if (op.schema.returns.empty()) return {};
    SmallVector<Value, 8> returned;
    for (size_t i = 0; i < others; ++i) returned.push_back(wrapped(results[i]));
    for (size_t i = 0; returned.size() < op.schema.returns.size() && i < written.size(); ++i)
      returned.push_back(args[written[i]]);
    return returned.size() == 1 ? returned[0] : context_.make_list(returned.span());
  }

  void write_one(const Value& tensor, const Value& data) {
    if (!tensor.is_tensor() || !data.is_tensor()) return;
    if (!trace_->tensors.is_wrapper(tensor.tensor()))
      throw_error(ErrorKind::kRuntimeError,
                  "mutating a non-functional tensor with a functional tensor is not allowed.");
    Value now = data;
    const DType dtype = tensor.tensor().dtype();
    if (data.tensor().dtype() != dtype) {
      const Registry& registry = Registry::builtin();
      const OpEntry& cast = registry.entry(registry.find("aten::_to_copy"));
      const Value args[] = {data,         dtype,  data.tensor().layout(), Value(), Value(),
                            Value(false), Value()};
      now = call_plain(cast, args);
    }
    trace_->tensors.write(tensor.tensor(), now);
  }

  // --- rows ---

  void run_graph(const Graph& graph, std::span<const Value> inputs, Graph& into,
                 std::span<const OutputSpec> outputs, std::vector<size_t>* written_inputs) {
    Trace trace{TracedGraph(context_, into),
                FunctionalTensors(context_, [this](const OpEntry& op, std::span<const Value> args) {
                  return call_plain(op, args);
                })};
    const ScopedValue outer(trace_, &trace);
    const ScopedValue layer(layer_, Layer::kFunctional);
    const std::shared_ptr<const Plan> plan = graph.plan();
    std::vector<Value> values(plan->size());
    const size_t count = plan->input_count();
    for (Row row = 0; row < count; ++row) {
      trace.traced.add_input(inputs[row]);
      values[row] = trace.tensors.wrap(inputs[row]);
    }
    if (written_inputs != nullptr) {
      for (Row row = 0; row < count; ++row) trace.traced.take_guard_names(inputs[row]);
    }
    for (auto row = static_cast<Row>(count); row < plan->size(); ++row) {
      try {
        run_row(*plan, row, values, outputs, written_inputs);
      } catch (const Error& error) {
        throw_at_node(error, graph, plan->row(row).id);
      }
    }
    make_operand_tuples(into);
  }

  void run_row(const Plan& plan, Row row, std::vector<Value>& values,
               std::span<const OutputSpec> outputs, std::vector<size_t>* written_inputs) {
    const PlanRow& at = plan.row(row);
    const Node& node = plan.node(row);
    trace_->traced.set_source(node);
    if (at.kind == RowKind::kOutput) {
      const Value results = interpreter_.run_row(plan, row, values);
      return end(results, std::span(values).first(plan.input_count()), outputs, written_inputs);
    }
    const std::string_view target = plan.target_of(row);
    values[row] = at.kind == RowKind::kCall && at.op == kNoOp && target.starts_with(kHigherOrderOps)
                      ? run_higher_order(plan, row, values)
                      : run_call(plan, row, values);
  }

  Value run_call(const Plan& plan, Row row, std::span<const Value> values) {
    const PlanRow& at = plan.row(row);
    if (at.kind == RowKind::kGetItem) return interpreter_.run_row(plan, row, values);
    const std::string_view name = at.op == kNoOp ? "" : interpreter_.schema(at.op).name;
    const bool is_function = name.starts_with("_operator::") || name.starts_with("torch::") ||
                             name.starts_with("math::") || name.starts_with("builtins::");
    const bool reads_shape = name.starts_with("aten::sym_") && !at.args.empty() &&
                             name.find("constrain") == std::string_view::npos;
    if (is_function || reads_shape) {
      const ScopedValue layer(layer_, Layer::kRule);
      const Value result = interpreter_.run_row(plan, row, values);
      if (is_function) {
        SmallVector<Value, 4> args;
        for (const Value& arg : at.args)
          if (!arg.is_unset()) args.push_back(interpreter_.resolve(arg, values));
        trace_->traced.add_function(plan.target_of(row), args.span(), result);
      }
      return result;
    }
    const Value result = interpreter_.run_row(plan, row, values);
    trace_->traced.rebind(plan.graph().bindings(at.id), trace_->tensors.plain(result));
    return result;
  }

  // The results, and before them what became of inputs that were written to.
  void end(const Value& results, std::span<const Value> inputs, std::span<const OutputSpec> outputs,
           std::vector<size_t>* written_inputs) {
    FunctionalTensors& tensors = trace_->tensors;
    SmallVector<Value, 16> all;
    SmallVector<Value, 16> own;
    for (size_t i = 0; results.is_list() && i < results.size(); ++i) {
      const Tensor* input = i < outputs.size() ? input_of(outputs[i], inputs) : nullptr;
      if (input == nullptr) {
        own.push_back(results[i]);
        continue;
      }
      const Registry& registry = Registry::builtin();
      const Value args[] = {Value(*input), results[i], Value(false)};
      call_functional(registry.entry(registry.find("aten::copy_")), args);
    }
    if (!results.is_list()) own.push_back(results);
    if (written_inputs != nullptr) {
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i].is_tensor()) continue;
        if (!tensors.was_written(inputs[i].tensor()) && !tensors.was_changed(inputs[i].tensor()))
          continue;
        tensors.sync(inputs[i]);
        all.push_back(tensors.plain(inputs[i]));
        written_inputs->push_back(i);
      }
    }
    for (const Value& result : own) {
      tensors.sync(result);
      all.push_back(tensors.plain(result));
    }
    if (all.empty()) return trace_->traced.add_output(Value::tuple({}));
    const bool is_one_of_body = written_inputs == nullptr && !results.is_list();
    if (is_one_of_body) return trace_->traced.add_output(all[0]);
    trace_->traced.add_output(context_.make_list(all.span()));
  }

  // The input whose new data an output is; null for others.
  const Tensor* input_of(const OutputSpec& output, std::span<const Value> inputs) const {
    InputSpec::Kind kind = InputSpec::Kind::kUser;
    switch (output.kind) {
      case OutputSpec::Kind::kBufferMutation:
        kind = InputSpec::Kind::kBuffer;
        break;
      case OutputSpec::Kind::kParameterMutation:
        kind = InputSpec::Kind::kParameter;
        break;
      case OutputSpec::Kind::kUserInputMutation:
        break;
      default:
        return nullptr;
    }
    const Plan& plan = program_.plan();
    for (size_t i = 0; i < inputs.size() && i < program_.inputs.size(); ++i) {
      const StringId name = kind == InputSpec::Kind::kUser ? plan.node(static_cast<Row>(i)).name
                                                           : program_.inputs[i].target;
      if (program_.inputs[i].kind == kind && name == output.target && inputs[i].is_tensor())
        return &inputs[i].tensor();
    }
    return nullptr;
  }

  // --- higher-order operators ---

  // What the graphs among the arguments are called with.
  struct Bodies {
    std::string_view op;
    std::string_view first;  // what the graphs are called, by prefix; empty: as they were
    std::string_view second;
    void (Decomposer::*operands)(std::span<const Value> args, std::vector<Value>& into);
  };
  void operands_of_cond(std::span<const Value> args, std::vector<Value>& into) {
    append(args, 3, into);
  }
  void operands_of_while(std::span<const Value> args, std::vector<Value>& into) {
    append(args, 2, into);
    append(args, 3, into);
  }
  void operands_of_map(std::span<const Value> args, std::vector<Value>& into) {
    append_slices(args, 1, into);
    append(args, 2, into);
  }
  void operands_of_scan(std::span<const Value> args, std::vector<Value>& into) {
    append(args, 1, into);
    append_slices(args, 2, into);
    append(args, 3, into);
  }
  void operands_of_associative_scan(std::span<const Value> args, std::vector<Value>& into) {
    append_slices(args, 1, into);
    append_slices(args, 1, into);
    append(args, 2, into);
  }
  void operands_of_subgraph(std::span<const Value> args, std::vector<Value>& into) {
    for (const Value& arg : args.subspan(std::min<size_t>(2, args.size()))) into.push_back(arg);
  }
  void operands_of_list(std::span<const Value> args, std::vector<Value>& into) {
    append(args, 1, into);
  }
  void operands_behind(std::span<const Value> args, std::vector<Value>& into) {
    for (const Value& arg : args.subspan(std::min<size_t>(1, args.size()))) into.push_back(arg);
  }

  static constexpr Bodies kBodies[] = {
      {"associative_scan", "associative_scan_combine_graph", "",
       &Decomposer::operands_of_associative_scan},
      {"cond", "true_graph", "false_graph", &Decomposer::operands_of_cond},
      {"hints_wrapper", "", "", &Decomposer::operands_of_list},
      {"invoke_subgraph", "", "", &Decomposer::operands_of_subgraph},
      {"map_impl", "body_graph", "", &Decomposer::operands_of_map},
      {"scan", "scan_combine_graph", "", &Decomposer::operands_of_scan},
      {"strict_mode", "", "", &Decomposer::operands_of_list},
      {"tag_activation_checkpoint", "", "", &Decomposer::operands_behind},
      {"while_loop", "while_loop_cond_graph", "while_loop_body_graph",
       &Decomposer::operands_of_while},
  };

  static void append(std::span<const Value> args, size_t index, std::vector<Value>& into) {
    if (index >= args.size() || !args[index].is_list()) return;
    for (size_t i = 0; i < args[index].size(); ++i) into.push_back(args[index][i]);
  }
  void append_slices(std::span<const Value> args, size_t index, std::vector<Value>& into) {
    const OpEntry& select =
        Registry::builtin().entry(Registry::builtin().find("aten::select_copy.int"));
    std::vector<Value> tensors;
    append(args, index, tensors);
    for (const Value& tensor : tensors) {
      const Value select_args[] = {tensor, Value(0), Value(0)};
      into.push_back(answer(select, select_args));
    }
  }

  Value run_higher_order(const Plan& plan, Row row, std::span<const Value> values) {
    const std::string_view name = plan.target_of(row).substr(kHigherOrderOps.size());
    if (name == "wrap_with_set_grad_enabled" || name == "wrap_with_autocast")
      return interpreter_.run_row(plan, row, values);
    FunctionalTensors& tensors = trace_->tensors;
    const PlanRow& at = plan.row(row);
    std::vector<Value> args;
    for (const Value& arg : at.args) {
      const Value given = interpreter_.resolve(arg, values);
      tensors.sync(given);
      args.push_back(tensors.plain(given));
    }
    const auto* bodies = std::find_if(std::begin(kBodies), std::end(kBodies),
                                      [&](const Bodies& each) { return each.op == name; });
    std::vector<Value> operands;
    if (bodies != std::end(kBodies)) (this->*bodies->operands)(args, operands);
    std::vector<Value> named(args.size());
    std::vector<std::pair<size_t, std::string>> graphs;
    size_t graph_count = 0;
    for (size_t i = 0; i < args.size(); ++i) {
      if (!args[i].is(Value::Tag::kGraph)) continue;
      const Graph* body = &args[i].graph();
      const std::string_view prefix = bodies == std::end(kBodies) ? ""
                                      : graph_count == 0          ? bodies->first
                                                                  : bodies->second;
      ++graph_count;
      if (bodies != std::end(kBodies)) body = &decompose_body(*body, operands);
      const std::string called =
          prefix.empty() ? attribute_name(plan, row, args[i].graph()) : numbered(prefix);
      args[i] = Value(body);
      graphs.emplace_back(i, called);
    }
    TracedGraph& traced = trace_->traced;
    for (const auto& [i, called] : graphs) named[i] = traced.add_subgraph(called, args[i].graph());
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> keywords;
    for (size_t i = 0; i < args.size(); ++i) {
      const Value arg = args[i].is(Value::Tag::kGraph) ? named[i] : operand(at.args[i], args[i]);
      const bool is_named = i < at.arg_names.size() && at.arg_names[i] != 0;
      if (is_named) {
        keywords.emplace_back(std::string(plan.text(at.arg_names[i])), arg);
      } else {
        positional.push_back(arg);
      }
    }
    const NodeId node =
        traced.add_call(plan.target_of(row), name, std::move(positional), std::move(keywords));
    Value result;
    {
      const ScopedValue layer(layer_, Layer::kRule);
      result = call_higher_order(interpreter_, plan, row, name, args);
    }
    traced.track(node, result);
    traced.rebind(plan.graph().bindings(at.id), result);
    return wrapped(result);
  }

  Value operand(const Value& written, const Value& value) {
    const Value named = trace_->traced.as_argument(value);
    return written.is_tuple() && named.is(Value::Tag::kList) ? Value::tuple(named.values()) : named;
  }

  std::string numbered(std::string_view prefix) {
    const auto found = trace_->subgraphs.emplace(prefix, 0).first;
    return format("{}_{}", prefix, found->second++);
  }

  // What the node that fetches a graph calls it.
  static std::string attribute_name(const Plan& plan, Row row, const Graph& body) {
    for (const Graph::Submodule& submodule : plan.graph().submodules())
      if (submodule.graph == &body) return std::string(plan.text(submodule.name));
    return format("subgraph_{}", row);
  }

  const Graph& decompose_body(const Graph& body, std::span<const Value> operands) {
    Graph& into = program_.add_graph();
    into.name = body.name;
    if (body.plan()->input_count() != operands.size())
      throw_error(ErrorKind::kTypeError, format("a graph with {} inputs was called with {}",
                                                body.plan()->input_count(), operands.size()));
    run_graph(body, operands, into, {}, nullptr);
    return into;
  }

  Program& program_;
  Context& context_;
  const DecompositionTable& table_;
  Interpreter interpreter_;
  Trace* trace_ = nullptr;
  Layer layer_ = Layer::kFunctional;
};

}  // namespace

Decomposed decompose(Program& program, FakeTensorMode& mode, const DecompositionTable& table,
                     const Graph& graph, std::span<const Value> inputs,
                     std::span<const OutputSpec> outputs) {
  return Decomposer(program, mode, table).run(graph, inputs, outputs);
}

}  // namespace faketensor
