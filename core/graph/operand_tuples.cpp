#include "core/graph/operand_tuples.h"

#include "core/support/target_name.h"

namespace faketensor {

void make_operand_tuples(Graph& graph) {
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    const Node& node = graph.node(id);
    const bool is_higher_order = node.kind == NodeKind::kCallFunction &&
                                 graph.text(node.target).starts_with(kHigherOrderOps);
    if (!is_higher_order) continue;
    std::vector<Value> args;
    for (const Value& arg : node.args)
      args.push_back(arg.is(Value::Tag::kList) && !arg.is_dict() ? Value::tuple(arg.values())
                                                                 : arg);
    graph.set_arguments(id, args, node.keywords);
  }
}

}  // namespace faketensor
