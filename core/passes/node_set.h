// NodeSet: nodes in the order in which they were added, each once.
#pragma once

#include <unordered_set>
#include <vector>

#include "core/graph/graph.h"

namespace faketensor {

class NodeSet {
 public:
  void add(NodeId id) {
    if (known_.insert(id).second) order_.push_back(id);
  }
  const std::vector<NodeId>& order() const { return order_; }

 private:
  std::vector<NodeId> order_;
  std::unordered_set<NodeId> known_;
};

}  // namespace faketensor
