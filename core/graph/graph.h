// Graph: what a program computes, node by node, as torch.fx.Graph has it.
//
// A graph is read from a file, edited by passes and printed; to be run or drawn it is compiled
// into a Plan (plan.h). A node has an id for as long as its graph lives: edits link nodes in and
// out of the order, and an erased node stays behind as a tombstone that nothing names. Arguments
// are kept as they were written, positional and by keyword, and name other nodes by id
// (Value::node_ref). They change through set_arguments and replace_all_uses only, so that `users`
// is true at any time; name and kind stay what they were made with.
// The GraphStore owns the memory: arguments live as long as the program, whatever is edited.
//
//   const NodeId relu = graph.insert_before(next, {.name = "relu",
//                                                  .target = "torch.ops.aten.relu.default",
//                                                  .args = {node_ref(x)}});
//   graph.replace_all_uses(x, relu);
//   for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) ... graph.node(id) ...
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/graph/namespace.h"
#include "core/mode/unbacked_bindings.h"
#include "core/ops/registry.h"
#include "core/ops/value.h"
#include "core/support/error.h"
#include "core/support/interner.h"
#include "core/tensor/tensor.h"

namespace faketensor {

class Plan;

// A node's number in its graph. It is not the node's row in tables, which plan.h numbers.
enum class NodeId : uint32_t {};
inline constexpr NodeId kNoNode{0xFFFFFFFF};
constexpr size_t index_of(NodeId id) { return static_cast<size_t>(id); }
inline Value node_ref(NodeId id) { return Value::node_ref(static_cast<uint32_t>(id)); }
inline NodeId node_of(const Value& reference) { return NodeId{reference.node()}; }

using ModuleId = uint32_t;

enum class NodeKind : uint8_t {
  kPlaceholder,
  kGetAttr,       // a subgraph, which is its `val`, or what else a module holds
  kCallFunction,  // an operator, a Python function, a higher-order operator
  kCallMethod,
  kCallModule,
  kOutput,  // args: one list, or the one value
};
std::string_view name(NodeKind kind);  // "placeholder", "call_function", ...

// What is known of a node besides what it computes (torch.fx.Node.meta). Texts are in the store;
// 0 for none.
struct NodeMeta {
  // meta["val"]. A file tells only the metas of tensors: `recorded`. A traced graph has the whole
  // value: `val`, whose tensors live in the mode that traced it. Empty where nothing is known;
  // where a None is told from that, as passes do, unset.
  const TensorMeta* recorded = nullptr;
  Value val;
  StringId module_stack = 0;  // nn_module_stack as the file has it
  StringId stack_trace = 0;
  StringId torch_fn = 0;
  StringId source_fn = 0;  // source_fn_stack as the file has it
  ModuleId module = 0;     // innermost module instance, see build_module_tree
};

struct Node : NodeMeta {
  NodeKind kind = NodeKind::kCallFunction;
  StringId name = 0;
  StringId target = 0;                 // as files spell it: "torch.ops.aten.add.Tensor"
  std::span<const Value> args;         // positional ones, then those by keyword
  std::span<const StringId> keywords;  // the names of the last of them

  std::span<const Value> positional() const { return args.first(args.size() - keywords.size()); }
  std::span<const Value> by_keyword() const { return args.last(keywords.size()); }
};

// A node as a pass writes it.
struct NewNode {
  NodeKind kind = NodeKind::kCallFunction;
  std::string name = {};  // a wish: the node gets a name that no node has had
  std::string target = {};
  std::vector<Value> args = {};
  std::vector<std::pair<std::string, Value>> kwargs = {};
  Value val = {};
  std::vector<UnbackedBinding> bindings = {};
};

// What the graphs of one program share.
class GraphStore {
 public:
  Arena arena;       // of arguments
  Interner strings;  // of names, targets and metadata

  std::string_view text(StringId id) const { return strings.text(id); }
  // The built-in operator of a target, looked up once per distinct one; kNoOp for one that has no
  // rule (custom, or higher-order).
  OpId op_of(StringId target);

 private:
  static constexpr OpId kNotLookedUp = kNoOp - 1;
  std::vector<OpId> ops_;  // by target
};

class Graph {
 public:
  explicit Graph(GraphStore& store);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  // --- reading ---

  const Node& node(NodeId id) const { return nodes_[index_of(id)]; }
  std::string_view text(StringId id) const { return store_->text(id); }
  std::string_view name_of(NodeId id) const { return text(node(id).name); }
  std::string_view target_of(NodeId id) const { return text(node(id).target); }
  NodeId first() const { return first_; }
  NodeId last() const { return last_; }
  NodeId next(NodeId id) const { return links_[index_of(id)].next; }
  NodeId previous(NodeId id) const { return links_[index_of(id)].previous; }
  // The nodes in order, as a list that stays while nodes are inserted and erased.
  std::vector<NodeId> order() const;
  // How many nodes there are, and how many ids were given.
  size_t size() const { return size_; }
  size_t id_count() const { return nodes_.size(); }
  bool is_erased(NodeId id) const { return links_[index_of(id)].is_erased; }
  // The nodes whose arguments name `id`, each once, in the order in which they began to.
  std::span<const NodeId> users(NodeId id) const;
  // node.meta["unbacked_bindings"]
  const std::vector<UnbackedBinding>& bindings(NodeId id) const;
  // The graphs that call_module and get_attr nodes name, in the order in which they were added.
  struct Submodule {
    StringId name = 0;
    const Graph* graph = nullptr;
  };
  std::span<const Submodule> submodules() const { return submodules_; }
  // Null where there is none of that name.
  const Graph* submodule(StringId name) const;
  // The graph compiled; the same one until the next edit.
  const std::shared_ptr<const Plan>& plan() const;

  // --- editing ---

  // Appends a node, its name and arguments taken as they are: for readers.
  NodeId append(const Node& node);
  NodeId append(const NewNode& node) { return insert_before(kNoNode, node); }
  // kNoNode: at the end.
  NodeId insert_before(NodeId next, const NewNode& node);
  // Raises RuntimeError for a node that has users, as torch.fx does.
  void erase(NodeId id);
  void replace_all_uses(NodeId from, NodeId to);
  void set_arguments(NodeId id, std::span<const Value> args, std::span<const StringId> keywords);
  // An argument that names `to` where `value` names the node `from`, lists included.
  Value with_replaced(const Value& value, NodeId from, const Value& to);
  // What a node calls becomes another; its name stays.
  void set_target(NodeId id, std::string_view target);
  // Moves a node to before `next`; kNoNode: to the end.
  void move_before(NodeId next, NodeId id);
  void set_bindings(NodeId id, std::vector<UnbackedBinding> bindings);
  // One that has the name already is replaced (torch.nn.Module.add_module).
  void add_submodule(std::string_view name, const Graph& graph);
  // For a name that a file tells after it has listed the node. A placeholder's target follows.
  void set_name(NodeId id, StringId name);
  NodeMeta& meta(NodeId id) { return nodes_[index_of(id)]; }
  // Takes a free name as for a new node, without making one.
  std::string take_name(std::string_view wish) { return names().take(wish); }

  GraphStore& store() const { return *store_; }
  void reserve(size_t count);

  StringId name = 0;  // of a subgraph; 0 for the program's own graph

 private:
  struct Links {
    NodeId previous = kNoNode;
    NodeId next = kNoNode;
    bool is_erased = false;
  };
  struct Users;
  NodeId link_before(NodeId next, const Node& node);
  void link(NodeId next, NodeId id);
  void unlink(NodeId id);
  Namespace& names();
  Users& uses() const;

  GraphStore* store_;
  std::vector<Node> nodes_;
  std::vector<Links> links_;
  NodeId first_ = kNoNode;
  NodeId last_ = kNoNode;
  size_t size_ = 0;
  std::unordered_map<NodeId, std::vector<UnbackedBinding>> bindings_;
  std::vector<Submodule> submodules_;
  std::unordered_map<StringId, size_t> submodule_of_;  // place in submodules_
  // Made when they are first asked for, and kept true by every edit from then on. A program that is
  // only run has neither.
  std::unique_ptr<Namespace> names_;
  mutable std::unique_ptr<Users> users_;
  mutable std::shared_ptr<const Plan> plan_;  // null after an edit
};

// Calls `use(NodeId)` for each node that a value names, lists included.
template <typename Use>
void for_each_node(const Value& value, const Use& use) {
  if (value.is(Value::Tag::kNodeRef)) use(node_of(value));
  if (!value.is(Value::Tag::kList)) return;
  for (const Value& element : value.values()) for_each_node(element, use);
}

// "_operator.getitem" of a node and a number.
bool is_getitem(const Graph& graph, const Node& node);

}  // namespace faketensor
