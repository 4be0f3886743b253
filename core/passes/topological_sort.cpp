#include "core/passes/topological_sort.h"

#include <algorithm>
#include <deque>
#include <queue>

#include "core/passes/passes.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// How many nodes each node waits for, by id.
std::vector<size_t> dependency_counts(const Graph& graph) {
  std::vector<size_t> counts(graph.id_count());
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    for (const NodeId user : graph.users(id)) ++counts[index_of(user)];
  }
  return counts;
}

void arrange(Graph& graph, const std::vector<NodeId>& order) {
  for (const NodeId id : order) graph.move_before(kNoNode, id);
}

// Python's arithmetic on sizes and the checks of it, which are to stand before what is computed of
// data.
bool is_prioritized(const Graph& graph, NodeId id) {
  constexpr std::string_view kFunctions[] = {"_operator.add",
                                             "_operator.mul",
                                             "_operator.sub",
                                             "_operator.floordiv",
                                             "_operator.truediv",
                                             "_operator.mod",
                                             "_operator.le",
                                             "_operator.lt",
                                             "_operator.ge",
                                             "_operator.gt",
                                             "_operator.eq",
                                             "_operator.ne",
                                             "torch.ops.aten.sym_constrain_range.default",
                                             "torch.ops.aten.sym_constrain_range_for_size.default",
                                             "torch.ops.aten._assert_async.msg",
                                             "torch.ops.aten.scalar_tensor.default",
                                             "torch.ops.aten._assert_scalar.default"};
  return graph.node(id).kind == NodeKind::kCallFunction &&
         std::find(std::begin(kFunctions), std::end(kFunctions), graph.target_of(id)) !=
             std::end(kFunctions);
}

}  // namespace

bool stable_topological_sort(Graph& graph) {
  std::vector<size_t> waits = dependency_counts(graph);
  const std::vector<NodeId> before = graph.order();
  std::vector<size_t> place(graph.id_count());
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < before.size(); ++i) {
    place[index_of(before[i])] = i;
    if (waits[index_of(before[i])] == 0) ready.push(i);
  }
  std::vector<NodeId> order;
  while (!ready.empty()) {
    order.push_back(before[ready.top()]);
    ready.pop();
    for (const NodeId user : graph.users(order.back())) {
      if (--waits[index_of(user)] == 0) ready.push(place[index_of(user)]);
    }
  }
  if (order.size() != before.size()) return false;
  arrange(graph, order);
  return true;
}

void legalize_order(Graph& graph) {
  std::vector<size_t> waits = dependency_counts(graph);
  std::deque<NodeId> ready;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    if (waits[index_of(id)] == 0) ready.push_back(id);
  }
  std::vector<NodeId> order;
  while (!ready.empty()) {
    order.push_back(ready.front());
    ready.pop_front();
    for (const NodeId user : graph.users(order.back())) {
      if (--waits[index_of(user)] > 0) continue;
      if (is_prioritized(graph, user)) {
        ready.push_front(user);
      } else {
        ready.push_back(user);
      }
    }
  }
  if (order.size() == graph.size()) return arrange(graph, order);
  std::string waiting;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    if (waits[index_of(id)] == 0) continue;
    waiting += format("{}{}", waiting.empty() ? "" : ", ", graph.name_of(id));
  }
  throw_error(ErrorKind::kRuntimeError,
              format("Input graph has cycles, unable to add [{}]", waiting));
}

PassResult legalize_graph(PassSubject& subject, const PassOptions&) {
  legalize_order(*subject.graph);
  return {.modified = true};
}

}  // namespace faketensor
