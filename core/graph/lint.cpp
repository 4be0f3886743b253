#include "core/graph/lint.h"

#include <unordered_set>

#include "core/graph/graph_text.h"
#include "core/support/format.h"

namespace faketensor {

void lint(const Graph& graph) {
  std::unordered_set<StringId> names;
  std::unordered_set<NodeId> defined;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    for (const Value& arg : graph.node(id).args) {
      for_each_node(arg, [&](NodeId used) {
        if (defined.count(used) != 0) return;
        throw_error(ErrorKind::kRuntimeError,
                    format("Argument '{}' of Node '{}' was used before it has been defined! Please "
                           "check that Nodes in the graph are topologically ordered\n{}",
                           graph.name_of(used), graph.name_of(id), graph_text(graph)));
      });
    }
    defined.insert(id);
    if (!names.insert(graph.node(id).name).second)
      throw_error(ErrorKind::kRuntimeError, format("Node redefined name {}!", graph.name_of(id)));
  }
}

}  // namespace faketensor
