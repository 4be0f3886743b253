#include "core/graph/dead_code.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace faketensor {

namespace {

// torch._library.utils.is_impure: what checks, what writes, and what draws random numbers.
bool is_impure(const Graph& graph, const Node& node) {
  constexpr std::string_view kChecks[] = {"torch.ops.aten._assert_async.msg",
                                          "torch.ops.aten._assert_scalar.default",
                                          "torch.ops.aten._assert_tensor_metadata.default",
                                          "torch.ops.aten.sym_constrain_range.default",
                                          "torch.ops.aten.sym_constrain_range_for_size.default"};
  if (node.kind == NodeKind::kPlaceholder || node.kind == NodeKind::kOutput) return true;
  // A module of which no graph is known may do anything.
  if (node.kind == NodeKind::kCallModule) return graph.submodule(node.target) == nullptr;
  if (node.kind != NodeKind::kCallFunction) return false;
  const std::string_view target = graph.text(node.target);
  if (std::find(std::begin(kChecks), std::end(kChecks), target) != std::end(kChecks)) return true;
  const OpId op = graph.store().op_of(node.target);
  if (op == kNoOp) return false;
  const OpEntry& entry = Registry::builtin().entry(op);
  return entry.written_arguments != 0 || (entry.tags & kRandom) != 0;
}

}  // namespace

void eliminate_dead_code(Graph& graph, std::span<const NodeId> kept) {
  const std::unordered_set<NodeId> stays(kept.begin(), kept.end());
  NodeId before = kNoNode;
  for (NodeId id = graph.last(); id != kNoNode; id = before) {
    before = graph.previous(id);
    const bool is_needed = !graph.users(id).empty() || stays.count(id) != 0;
    if (!is_needed && !is_impure(graph, graph.node(id))) graph.erase(id);
  }
}

}  // namespace faketensor
