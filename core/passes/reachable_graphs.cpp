#include "core/passes/reachable_graphs.h"

#include <unordered_map>
#include <unordered_set>

namespace faketensor {

std::vector<Graph*> reachable_graphs(PassSubject& subject) {
  std::unordered_map<const Graph*, Graph*> own;
  for (const std::shared_ptr<Graph>& graph : subject.program.graphs())
    own.emplace(graph.get(), graph.get());
  std::vector<Graph*> found;
  std::unordered_set<const Graph*> seen;
  const auto add = [&](const Graph* graph) {
    const auto known = own.find(graph);
    if (known != own.end() && seen.insert(graph).second) found.push_back(known->second);
  };
  add(subject.graph);
  for (size_t i = 0; i < found.size(); ++i) {
    const Graph& graph = *found[i];
    for (const Graph::Submodule& module : graph.submodules()) add(module.graph);
    for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
      const Node& node = graph.node(id);
      const bool is_body = node.kind == NodeKind::kGetAttr && node.val.is(Value::Tag::kGraph);
      if (is_body) add(&node.val.graph());
    }
  }
  return found;
}

}  // namespace faketensor
