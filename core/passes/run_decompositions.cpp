// ExportedProgram.run_decompositions: the program functional, and its operators those of a table.
//
// Mirrors _decompose_exported_program (torch/export/exported_program.py): the program is run as the
// module that it came from, and what its operators call becomes the new graph; writes to inputs
// become its first results.
#include "core/passes/decompose/run_decompositions.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/graph/dead_code.h"
#include "core/graph/runtime_asserts.h"
#include "core/passes/decompose/decomposer.h"
#include "core/passes/export_pass.h"
#include "core/passes/reachable_graphs.h"
#include "core/support/format.h"
#include "core/support/scoped_value.h"

namespace faketensor {

namespace {

// Where two nodes take the same element of a result, the first stands for both
// (_common_getitem_elimination_pass).
void share_elements(Graph& graph) {
  std::map<std::pair<NodeId, int64_t>, NodeId> seen;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (!is_getitem(graph, node)) continue;
    const auto key = std::pair(node_of(node.args[0]), node.args[1].as_sym_int().as_int());
    const auto [found, is_new] = seen.emplace(key, id);
    if (is_new) continue;
    graph.replace_all_uses(id, found->second);
    graph.erase(id);
  }
}

// While PyTorch traces (TracingContext), a random number that nobody needs is not drawn.
void eliminate_dead_code_and_random_numbers(Graph& graph) {
  const auto is_dead_number = [&](NodeId id) {
    const OpId op = graph.store().op_of(graph.node(id).target);
    if (op == kNoOp || !graph.users(id).empty()) return false;
    const OpEntry& entry = Registry::builtin().entry(op);
    return (entry.tags & kRandom) != 0 && entry.written_arguments == 0;
  };
  eliminate_dead_code(graph);
  bool is_changed = true;
  while (is_changed) {
    is_changed = false;
    for (const NodeId id : graph.order()) {
      if (graph.node(id).kind != NodeKind::kCallFunction || !is_dead_number(id)) continue;
      graph.erase(id);
      is_changed = true;
    }
    if (is_changed) eliminate_dead_code(graph);
  }
}

// A buffer that becomes a copy of something becomes that (_remove_unnecessary_copy_op_pass).
void drop_copies(Graph& graph, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const Value result = graph.node(graph.last()).args[0][i];
    if (!result.is(Value::Tag::kNodeRef)) continue;
    const NodeId id = node_of(result);
    if (graph.target_of(id) != "torch.ops.aten.copy.default") continue;
    const Value copied = graph.node(id).args[1];
    if (!copied.is(Value::Tag::kNodeRef)) continue;
    graph.replace_all_uses(id, node_of(copied));
    graph.erase(id);
  }
}

// Names of a graph that was traced, beside those of its inputs, which are the program's. Mirrors
// _rename_without_collisions (torch/_export/utils.py).
class Renamer {
 public:
  void note(const std::string& name) {
    used_.insert(name);
    if (const Numbered parts = split(name); parts.has_number) note_number(parts);
  }

  std::string rename(const std::string& name) {
    std::string renamed = name;
    if (used_.count(name) != 0) {
      const Numbered parts = split(name);
      const std::string& base = parts.has_number ? parts.base : name;
      renamed = format("{}_{}", base, available_[base] + 1);
    }
    note(renamed);
    return renamed;
  }

 private:
  struct Numbered {
    std::string base = {};
    int64_t number = 0;
    bool has_number = false;
  };

  // The last "_3" of a name, and what stands before it: re.match(r"(.*)_(\d+)", name).
  static Numbered split(const std::string& name) {
    const auto is_digit = [&](size_t i) {
      return i < name.size() && std::isdigit(static_cast<unsigned char>(name[i])) != 0;
    };
    for (size_t at = name.size(); at-- > 0;) {
      if (name[at] != '_' || !is_digit(at + 1)) continue;
      Numbered parts{.base = name.substr(0, at), .has_number = true};
      for (size_t i = at + 1; is_digit(i) && i < at + 10; ++i)
        parts.number = parts.number * 10 + (name[i] - '0');
      return parts;
    }
    return {};
  }

  void note_number(const Numbered& parts) {
    int64_t& largest = available_[parts.base];
    largest = std::max(largest, parts.number);
  }

  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, int64_t> available_;
};

// Gives the first nodes of a graph the names of `inputs`, and the others names beside those.
void rename_nodes(Graph& graph, std::span<const StringId> inputs) {
  Renamer renamer;
  size_t i = 0;
  for (NodeId id = graph.first(); id != kNoNode && i < inputs.size(); id = graph.next(id), ++i)
    renamer.note(std::string(graph.text(inputs[i])));
  i = 0;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id), ++i) {
    const StringId name =
        i < inputs.size()
            ? inputs[i]
            : graph.store().strings.intern(renamer.rename(std::string(graph.name_of(id))));
    if (name != graph.node(id).name) graph.set_name(id, name);
  }
}

// The inputs of a branch or a body are called what the nodes are that it is given
// (_name_hoo_subgraph_placeholders).
void name_inputs_of_bodies(const Graph& graph, std::span<Graph* const> graphs) {
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    const std::string_view target = graph.target_of(id);
    const bool is_cond = target == "torch.ops.higher_order.cond";
    if (!is_cond && target != "torch.ops.higher_order.map_impl") continue;
    const std::span<const Value> args = graph.node(id).args;
    std::vector<StringId> names;
    const auto add = [&](const Value& operands) {
      for_each_node(operands, [&](NodeId operand) { names.push_back(graph.node(operand).name); });
    };
    if (is_cond && args.size() > 3) add(args[3]);
    if (!is_cond && args.size() > 2) {
      add(args[1]);
      add(args[2]);
    }
    for (const Value& arg : args) {
      if (!arg.is(Value::Tag::kNodeRef)) continue;
      const Graph* body = graph.submodule(graph.node(node_of(arg)).target);
      const auto found = std::find(graphs.begin(), graphs.end(), body);
      if (body == nullptr || found == graphs.end()) continue;
      rename_nodes(**found, names);
      name_inputs_of_bodies(**found, graphs);
    }
  }
}

// What the results are: the inputs that are written to, then those that were.
std::vector<OutputSpec> outputs_of(const Program& program, const Graph& graph,
                                   std::span<const size_t> written) {
  std::vector<OutputSpec> outputs;
  const auto kind_of = [](InputSpec::Kind kind) {
    switch (kind) {
      case InputSpec::Kind::kBuffer:
        return OutputSpec::Kind::kBufferMutation;
      case InputSpec::Kind::kParameter:
        return OutputSpec::Kind::kParameterMutation;
      default:
        return OutputSpec::Kind::kUserInputMutation;
    }
  };
  std::vector<StringId> names;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    if (graph.node(id).kind == NodeKind::kPlaceholder) names.push_back(graph.node(id).name);
  }
  for (const size_t input : written) {
    const InputSpec spec = input < program.inputs.size() ? program.inputs[input] : InputSpec{};
    outputs.push_back({kind_of(spec.kind), spec.target != 0 ? spec.target : names[input]});
  }
  for (const OutputSpec& output : program.outputs) {
    const bool is_write = output.kind == OutputSpec::Kind::kBufferMutation ||
                          output.kind == OutputSpec::Kind::kParameterMutation ||
                          output.kind == OutputSpec::Kind::kUserInputMutation;
    if (!is_write) outputs.push_back(output);
  }
  return outputs;
}

}  // namespace

PassResult run_decompositions(PassSubject& subject, const PassOptions& options) {
  const Graph& before = *subject.graph;
  Program& program = subject.program;
  Context& context = subject.mode.context();
  std::vector<Value> inputs;
  std::vector<StringId> names;
  std::vector<NodeId> placeholders;
  for (NodeId id = before.first(); id != kNoNode; id = before.next(id)) {
    if (before.node(id).kind != NodeKind::kPlaceholder) break;
    inputs.push_back(before.node(id).val.is_unset() ? Value() : before.node(id).val);
    names.push_back(before.node(id).name);
    placeholders.push_back(id);
  }
  const ScopedValue dispatcher(context.python_dispatcher, true);
  const ScopedValue grad(context.grad_enabled, false);
  if (context.shape_env() != nullptr) learn_from_asserts(before, *context.shape_env());
  const DecompositionTable table = read_table(options.operators);
  const Decomposed made = decompose(program, subject.mode, table, before, inputs, program.outputs);
  Graph& graph = *made.graph;
  graph.name = before.name;
  subject.graph = &graph;
  const std::vector<Graph*> graphs = reachable_graphs(subject);
  for (Graph* each : graphs) eliminate_dead_code_and_random_numbers(*each);
  if (context.shape_env() != nullptr) insert_runtime_asserts(graph, *context.shape_env());
  for (Graph* each : graphs) eliminate_dead_code_and_random_numbers(*each);
  size_t buffers = 0;
  while (buffers < made.written_inputs.size() &&
         program.inputs.size() > made.written_inputs[buffers] &&
         program.inputs[made.written_inputs[buffers]].kind != InputSpec::Kind::kUser)
    ++buffers;
  rename_nodes(graph, names);
  name_inputs_of_bodies(graph, graphs);
  drop_copies(graph, buffers);
  share_elements(graph);
  size_t i = 0;
  for (NodeId id = graph.first(); i < placeholders.size(); id = graph.next(id), ++i) {
    const Value val = graph.node(id).val;
    static_cast<NodeMeta&>(graph.meta(id)) = before.node(placeholders[i]);
    graph.meta(id).val = before.node(placeholders[i]).val.is_unset() ? Value::unset() : val;
  }
  program.outputs = outputs_of(program, graph, made.written_inputs);
  return {.modified = true};
}

}  // namespace faketensor
