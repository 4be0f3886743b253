// FxGraph: a graph that passes edit, as torch.fx.Graph is.
//
// A Graph (graph.h) is made to be run: flat, its arguments in schema order. An FxGraph is made to
// be changed and shown: nodes are linked, have names that stay unique, and keep their arguments as
// they were written, positional and by keyword. Arguments name other nodes by number
// (Value::node_ref). Values and lists live in the mode that the graph was read in.
//
//   FxGraph graph(mode.context().arena());
//   const auto x = graph.append({.kind = FxNode::Kind::kPlaceholder, .name = "x", .target = "x"});
//   graph.append({.name = "relu", .target = "aten.relu.default", .args = {Value::node_ref(x)}});
//   graph.text();   // what str(graph) is in PyTorch
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/mode/unbacked_bindings.h"
#include "core/ops/value.h"

namespace faketensor {

struct FxNode {
  enum class Kind : uint8_t { kPlaceholder, kCall, kOutput };
  Kind kind = Kind::kCall;
  std::string name = {};  // a wish until the node is in a graph
  std::string target =
      {};  // "aten.relu.default", "_operator.ge"; a placeholder's or the output's name
  std::vector<Value> args = {};
  std::vector<std::pair<std::string, Value>> kwargs = {};
  Value val = {};                              // node.meta["val"]
  std::vector<UnbackedBinding> bindings = {};  // node.meta["unbacked_bindings"]
};

class FxGraph {
 public:
  using Id = uint32_t;
  static constexpr Id kEnd = 0xFFFFFFFF;

  // Lists of arguments are made in `arena`, which must outlive the graph.
  explicit FxGraph(Arena& arena) : arena_(&arena) {}

  Id append(FxNode node) { return insert_before(kEnd, std::move(node)); }
  // The node gets a name that no node has had, like the one it came with.
  Id insert_before(Id next, FxNode node);
  void erase(Id id);
  // Uses of a node become uses of another. Both stay; applied by resolve_uses.
  void replace_uses(Id from, Id to) { replaced_[from] = to; }
  void resolve_uses();

  Id first() const { return first_; }
  Id next(Id id) const { return links_[id].next; }
  const FxNode& node(Id id) const { return nodes_[id]; }
  FxNode& node(Id id) { return nodes_[id]; }
  // How many nodes use each node, by number.
  std::vector<uint32_t> user_counts() const;

  // A copy of `text` that lives as long as the graph's arguments.
  std::string_view keep(std::string_view text) { return arena_->copy(text); }

  // Takes a name as a node would. Mirrors _Namespace.create_name (torch/fx/graph.py).
  std::string take_name(std::string_view wish);

  // Graph.__str__
  std::string text() const;

 private:
  struct Links {
    Id previous = kEnd;
    Id next = kEnd;
  };
  Value with_replaced(const Value& value);

  Arena* arena_;
  std::vector<FxNode> nodes_;
  std::vector<Links> links_;
  Id first_ = kEnd;
  Id last_ = kEnd;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, uint32_t> counts_;  // last number by the name without it
  std::unordered_map<Id, Id> replaced_;
};

// Calls `use(id)` for each node that a value names, lists included.
template <typename Use>
void for_each_node(const Value& value, const Use& use) {
  if (value.is(Value::Tag::kNodeRef)) use(value.node());
  if (!value.is(Value::Tag::kList)) return;
  for (const Value& element : value.values()) for_each_node(element, use);
}

// The name a node of this target wishes for: "sym_size_int" for "aten.sym_size.int", "ge" for
// "_operator.ge". Mirrors Graph._target_to_str.
std::string name_of_target(std::string_view target);

// Removes nodes that nobody uses and that do nothing else. Mirrors Graph.eliminate_dead_code.
void eliminate_dead_code(FxGraph& graph);

}  // namespace faketensor
