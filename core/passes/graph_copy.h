// GraphCopy: nodes copied from one graph into another, as torch.fx.Graph.node_copy does.
//
// The copy's arguments name copies; it keeps the node's name, where that is free, and its metadata.
//
//   GraphCopy copy(graph, part);
//   copy.map(x, part.append({.kind = NodeKind::kPlaceholder, ...}));
//   copy.add(relu);   // its argument x is the placeholder
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/graph/graph.h"

namespace faketensor {

class GraphCopy {
 public:
  // Both graphs must outlive this, and share a store.
  GraphCopy(const Graph& from, Graph& to) : from_(from), to_(to) {}

  // Asked for the copy of a node that has none when it is first named.
  std::function<NodeId(NodeId)> on_missing = {};
  // Copies go before this node; kNoNode: to the end.
  NodeId place = kNoNode;

  // The copy of a node; kNoNode where there is none.
  NodeId operator()(NodeId id) const {
    const auto found = copies_.find(id);
    return found == copies_.end() ? kNoNode : found->second;
  }
  void map(NodeId id, NodeId copy) { copies_[id] = copy; }
  // An argument, its nodes replaced by their copies.
  Value mapped(const Value& argument);
  // Appends a copy, or one that goes by another name (empty: its target's).
  NodeId add(NodeId id) { return add(id, from_.name_of(id)); }
  NodeId add(NodeId id, std::string_view name);
  // A placeholder that stands for the value of a node.
  NodeId add_placeholder(NodeId id);
  // Ends the graph with what `value` gives; a list becomes a tuple.
  void add_output(const Value& value);

 private:
  NodeId copy_of(NodeId id);

  const Graph& from_;
  Graph& to_;
  // A graph that is split has very many copies, each of few nodes.
  std::unordered_map<NodeId, NodeId> copies_;
};

// Copies what is known of a node to another of the same store: metadata, value and bindings.
void copy_meta(const Graph& from, NodeId id, Graph& to, NodeId copy);

}  // namespace faketensor
