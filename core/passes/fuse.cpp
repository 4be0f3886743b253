#include "core/passes/fuse.h"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "core/passes/graph_copy.h"
#include "core/passes/topological_sort.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr std::string_view kHasCycle = "Invalid partition, found dependency cycles";

// The nodes that a node's arguments name, each once.
std::vector<NodeId> inputs_of(const Graph& graph, NodeId id) {
  std::vector<NodeId> inputs;
  std::unordered_set<NodeId> seen;
  for (const Value& arg : graph.node(id).args) {
    for_each_node(arg, [&](NodeId used) {
      if (seen.insert(used).second) inputs.push_back(used);
    });
  }
  return inputs;
}

// The nodes of one part: what it needs from outside, and what is needed of it.
class Part {
 public:
  Part(Graph& graph, std::span<const NodeId> nodes) : graph_(graph) {
    for (size_t i = 0; i < nodes.size(); ++i) place_.emplace(nodes[i], i);
    sort(nodes);
  }

  void move_into(Graph& part) {
    GraphCopy copy(graph_, part);
    copy.on_missing = [&](NodeId input) {
      inputs_.push_back(input);
      return copy.add_placeholder(input);
    };
    for (const NodeId id : order_) {
      copy.add(id);
      if (is_needed_outside(id)) outputs_.push_back(id);
    }
    std::vector<Value> results;
    for (const NodeId output : outputs_) results.push_back(node_ref(copy(output)));
    copy.add_output(results.size() == 1
                        ? results[0]
                        : Value::tuple(part.store().arena.copy(std::span<const Value>(results))));
  }

  // The call that takes the part's place.
  void replace_by(const std::string& name, const Graph& part) {
    const NodeId next = graph_.next(order_.back());
    NewNode call{.kind = NodeKind::kCallModule, .name = name, .target = name};
    call.val = Value::unset();
    for (const NodeId input : inputs_) call.args.push_back(node_ref(input));
    const NodeId module = graph_.insert_before(next, call);
    graph_.add_submodule(name, part);
    if (outputs_.size() == 1) {
      copy_meta(graph_, outputs_[0], graph_, module);
      graph_.replace_all_uses(outputs_[0], module);
    } else {
      take_elements(module, next);
    }
    for (size_t i = order_.size(); i > 0; --i) graph_.erase(order_[i - 1]);
  }

 private:
  // As the part lists them, where dependencies allow it.
  void sort(std::span<const NodeId> nodes) {
    std::vector<size_t> waits(nodes.size());
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (const NodeId input : inputs_of(graph_, nodes[i])) waits[i] += place_.count(input);
      if (waits[i] == 0) ready.push(i);
    }
    while (!ready.empty()) {
      order_.push_back(nodes[ready.top()]);
      ready.pop();
      for (const NodeId user : graph_.users(order_.back())) {
        const auto found = place_.find(user);
        if (found != place_.end() && --waits[found->second] == 0) ready.push(found->second);
      }
    }
  }

  bool is_needed_outside(NodeId id) const {
    for (const NodeId user : graph_.users(id)) {
      if (place_.count(user) == 0) return true;
    }
    return false;
  }

  void take_elements(NodeId module, NodeId next) {
    std::vector<Value> values;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const NodeId element =
          graph_.insert_before(next, {.name = "getitem",
                                      .target = "_operator.getitem",
                                      .args = {node_ref(module), Value(static_cast<int64_t>(i))}});
      copy_meta(graph_, outputs_[i], graph_, element);
      graph_.replace_all_uses(outputs_[i], element);
      const Value& val = graph_.node(element).val;
      values.push_back(val.is_unset() ? Value() : val);
    }
    if (values.empty()) return;
    graph_.meta(module).val =
        Value::tuple(graph_.store().arena.copy(std::span<const Value>(values)));
  }

  Graph& graph_;
  std::unordered_map<NodeId, size_t> place_;
  std::vector<NodeId> order_;
  std::vector<NodeId> inputs_;
  std::vector<NodeId> outputs_;
};

}  // namespace

std::vector<size_t> places_of(const Graph& graph) {
  std::vector<size_t> places(graph.id_count(), 0);
  size_t place = 0;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id))
    places[index_of(id)] = ++place;
  return places;
}

bool validate_partition(const Graph& graph, std::span<const NodeId> partition,
                        std::span<const size_t> places) {
  // Of a graph in order, what lies behind the last of them leads to none.
  size_t last = 0;
  for (const NodeId id : partition)
    if (!places.empty()) last = std::max(last, places[index_of(id)]);
  const std::unordered_set<NodeId> inside(partition.begin(), partition.end());
  std::unordered_set<NodeId> seen;
  std::vector<NodeId> waiting;
  const auto visit_users = [&](NodeId id, bool from_inside) {
    for (const NodeId user : graph.users(id)) {
      if (from_inside && inside.count(user) != 0) continue;
      if (!places.empty() && places[index_of(user)] > last) continue;
      if (seen.insert(user).second) waiting.push_back(user);
    }
  };
  for (const NodeId id : partition) visit_users(id, true);
  while (!waiting.empty()) {
    const NodeId id = waiting.back();
    waiting.pop_back();
    if (inside.count(id) != 0) return false;
    visit_users(id, false);
  }
  return true;
}

// Note [Parts that depend on themselves]
// PyTorch looks for a circle through each part before it is fused, which takes the square of the
// graph's size. Fused parts that wait for each other are found when the graph is sorted: what a
// circle would pass through is then a node that waits for itself.
void fuse_by_partitions(Program& program, Graph& graph,
                        std::span<const std::vector<NodeId>> partitions) {
  for (size_t i = 0; i < partitions.size(); ++i) {
    for (const NodeId id : partitions[i]) {
      if (graph.is_erased(id))
        throw_error(ErrorKind::kAssertionError,
                    format("{} has been removed from owning graph", graph.name_of(id)));
    }
    const std::string name = format("fused_{}", i);
    Graph& body = program.add_graph();
    body.name = graph.store().strings.intern(name);
    Part part(graph, partitions[i]);
    part.move_into(body);
    part.replace_by(name, body);
  }
  if (!stable_topological_sort(graph))
    throw_error(ErrorKind::kAssertionError, std::string(kHasCycle));
}

}  // namespace faketensor
