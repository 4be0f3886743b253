// functionalize: nothing writes. The operators stay what they are otherwise.
//
// For an exported program a write to an input is a result of its own, as
// ExportedProgram.run_decompositions({}) has it. With "copy_back" the graph writes to its inputs at
// its end, and composites are taken apart, as torch.func.functionalize has it under make_fx.
#include <unordered_map>

#include "core/passes/decompose/run_decompositions.h"
#include "core/passes/passes.h"

namespace faketensor {

namespace {

bool is_write(OutputSpec::Kind kind) {
  return kind == OutputSpec::Kind::kBufferMutation ||
         kind == OutputSpec::Kind::kParameterMutation ||
         kind == OutputSpec::Kind::kUserInputMutation;
}

// The results that are new data of inputs are copied into them, and returned no more.
void copy_back(PassSubject& subject) {
  Program& program = subject.program;
  Graph& graph = *subject.graph;
  std::unordered_map<StringId, NodeId> inputs;  // by what an output's specification says
  size_t i = 0;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    if (graph.node(id).kind != NodeKind::kPlaceholder) continue;
    const InputSpec spec = i < program.inputs.size() ? program.inputs[i] : InputSpec{};
    inputs.emplace(spec.target != 0 ? spec.target : graph.node(id).name, id);
    ++i;
  }
  const NodeId output = graph.last();
  const Value results = graph.node(output).args[0];
  std::vector<Value> returned;
  std::vector<OutputSpec> outputs;
  for (size_t at = 0; at < results.size(); ++at) {
    const OutputSpec spec = at < program.outputs.size() ? program.outputs[at] : OutputSpec{};
    const auto into = inputs.find(spec.target);
    if (!is_write(spec.kind) || into == inputs.end()) {
      returned.push_back(results[at]);
      outputs.push_back(spec);
      continue;
    }
    graph.insert_before(output, NewNode{.name = "copy_",
                                        .target = "torch.ops.aten.copy_.default",
                                        .args = {node_ref(into->second), results[at]},
                                        .val = graph.node(into->second).val});
  }
  const Value list[] = {Value::tuple(program.arena().copy(std::span<const Value>(returned)))};
  graph.set_arguments(output, list, {});
  program.outputs = outputs;
}

}  // namespace

PassResult functionalize(PassSubject& subject, const PassOptions& options) {
  PassOptions table;
  table.operators = {options.copies_back ? "composites" : "none"};
  const PassResult result = run_decompositions(subject, table);
  if (options.copies_back) copy_back(subject);
  return result;
}

}  // namespace faketensor
