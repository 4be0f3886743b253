#include "core/passes/split_part.h"

#include "core/passes/split.h"

namespace faketensor {

SplitPart::SplitPart(const Graph& from, Graph& part, std::string part_name)
    : graph(part), copy(from, part), name(std::move(part_name)) {
  graph.name = from.store().strings.intern(name);
}

void add_inputs(const Graph& from, SplitPart& part) {
  const auto is_module = [&](NodeId id) {
    return from.node(id).kind == NodeKind::kGetAttr && from.node(id).val.is(Value::Tag::kGraph);
  };
  for (const NodeId id : part.inputs.order()) {
    if (is_module(id)) continue;
    part.copy.add_placeholder(id);
    part.called_with.push_back(id);
  }
  for (const NodeId id : part.inputs.order()) {
    if (is_module(id)) part.copy.add(id, from.target_of(id));
  }
}

NodeId append_call(Program& program, SplitPart& part, Graph& main, GraphCopy& main_copy) {
  const std::vector<NodeId>& outputs = part.outputs.order();
  std::vector<Value> results;
  for (const NodeId id : outputs) results.push_back(node_ref(part.copy(id)));
  part.copy.add_output(results.size() == 1
                           ? results[0]
                           : Value::tuple(program.arena().copy(std::span<const Value>(results))));
  NewNode call{.kind = NodeKind::kCallModule, .name = part.name, .target = part.name};
  call.val = Value::unset();
  for (const NodeId id : part.called_with) call.args.push_back(node_ref(main_copy(id)));
  const NodeId module = main.append(call);
  if (outputs.size() == 1) {
    main_copy.map(outputs[0], module);
  } else {
    for (size_t i = 0; i < outputs.size(); ++i)
      main_copy.map(outputs[i], append_getitem(main, module, i));
  }
  return module;
}

}  // namespace faketensor
