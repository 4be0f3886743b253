// Graph and Program: the intermediate representation.
//
// A Graph is a list of nodes in order of execution: placeholders first, then calls, and one output
// last. A node's number is its position; arguments name other nodes by number (Value::node_ref),
// always a smaller one. A call that returns several values is followed by getitem nodes, one per
// element that has a name, as PyTorch's own deserialiser makes them. Everything a node points to
// (arguments, strings, metas) is owned by the Program.
// A Program is what a file holds: the graph, the graphs of its higher-order operators, what its
// inputs and outputs are, the module tree, the symbols with their ranges.
//
//   for (const Node& node : program.graph().nodes()) { ... program.text(node.name) ... }
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ops/registry.h"
#include "core/ops/value.h"
#include "core/support/interner.h"
#include "core/tensor/tensor.h"

namespace faketensor {

class ShapeEnv;

using NodeId = uint32_t;
using ModuleId = uint32_t;
inline constexpr NodeId kNoNode = 0xFFFFFFFF;

enum class NodeKind : uint8_t {
  kPlaceholder,
  kCall,     // an operator, a Python builtin on symbolic scalars, or a higher-order operator
  kGetItem,  // args: {the call, the index}
  kOutput,   // args: one list, or the one value
};

struct Node {
  NodeKind kind = NodeKind::kCall;
  OpId op = kNoOp;  // kNoOp: no rule for `target` (custom, or higher-order)
  StringId name = 0;
  StringId target = 0;          // calls: as the file spells it, "torch.ops.aten.add.Tensor"
  std::span<const Value> args;  // known operators: complete in schema order, Value::unset() where
                                // not given; else in file order
  std::span<const StringId>
      arg_names;  // unknown and higher-order operators only: one per argument, 0 for positional
  ModuleId module = 0;        // innermost module instance
  StringId module_stack = 0;  // nn_module_stack as the file has it
  StringId stack_trace = 0;
  StringId torch_fn = 0;
  // What the file says the value is: a tensor's meta, or a scalar (kNone where it says nothing).
  const TensorMeta* recorded = nullptr;
  Value recorded_scalar;
};

class Graph {
 public:
  NodeId add(const Node& node) {
    nodes_.push_back(node);
    return static_cast<NodeId>(nodes_.size() - 1);
  }
  std::span<const Node> nodes() const { return nodes_; }
  std::span<Node> nodes() { return nodes_; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  size_t size() const { return nodes_.size(); }
  void reserve(size_t count) { nodes_.reserve(count); }
  // Placeholders are the first nodes.
  size_t input_count() const;
  StringId name = 0;  // of a subgraph; 0 for the program's own graph

 private:
  std::vector<Node> nodes_;
};

struct InputSpec {
  enum class Kind : uint8_t { kUser, kParameter, kBuffer, kConstant, kToken, kCustomObject };
  Kind kind = Kind::kUser;
  StringId target = 0;  // "layers.0.weight"; 0 for user inputs
  bool persistent = true;
};
std::string_view name(InputSpec::Kind kind);  // "user", "parameter", ...

struct OutputSpec {
  enum class Kind : uint8_t {
    kUser,
    kLoss,
    kBufferMutation,
    kParameterMutation,
    kUserInputMutation,
    kGradientToParameter,
    kGradientToUserInput,
    kToken
  };
  Kind kind = Kind::kUser;
  StringId target = 0;  // the buffer, parameter or input it belongs to
};
std::string_view name(OutputSpec::Kind kind);

// A module instance: one place of the nn_module_stack, in order of first use. Module 0 is the root.
struct Module {
  ModuleId parent = 0;
  StringId path = 0;  // "layers.0.attn", empty for the root
  StringId type = 0;  // "torch.nn.modules.linear.Linear"
  uint32_t depth = 0;
  uint32_t nodes = 0;  // calls inside, modules below included
  NodeId first = kNoNode;
  NodeId last = kNoNode;
};

struct SymbolSpec {
  std::string name;
  std::optional<int64_t> lower;  // none: unbounded
  std::optional<int64_t> upper;
  std::optional<int64_t> hint;
};

class Program {
 public:
  Program();

  std::string name;           // of the file
  std::string kind;           // "pt2", "json"
  std::string torch_version;  // as the file says
  int schema_major = 0;
  int schema_minor = 0;

  Graph& graph() { return *graphs_.front(); }
  const Graph& graph() const { return *graphs_.front(); }
  // Graphs of higher-order operators; addresses are stable.
  Graph& add_graph() {
    graphs_.push_back(std::make_unique<Graph>());
    return *graphs_.back();
  }
  std::span<const std::unique_ptr<Graph>> graphs() const { return graphs_; }

  Arena& arena() { return *arena_; }
  Interner& strings() { return *strings_; }
  std::string_view text(StringId id) const { return strings_->text(id); }
  MetaTable& metas() { return *metas_; }
  // Symbols of recorded values and arguments live here; set by the reader, null where every size is
  // a number.
  std::shared_ptr<ShapeEnv> shape_env;

  std::vector<InputSpec> inputs;    // one per placeholder
  std::vector<OutputSpec> outputs;  // one per element of the output
  std::vector<SymbolSpec> symbols;
  std::vector<Module> modules;  // [0] is the root
  std::vector<std::pair<StringId, StringId>>
      module_call_graph;  // path, and its signature's in/out specs as text (0: none)

  // The node of that name in the main graph: at once after `index_names`, else by looking at each.
  NodeId find(std::string_view node_name) const;
  // Called by readers when the graph is complete. Nodes may be renamed and added afterwards.
  void index_names();
  // "layers.0.attn", and the line of the user's code ("model.py:12 in forward"), for messages;
  // empty where unknown.
  std::string_view module_path(const Node& node) const;
  std::string source_line(const Node& node) const;

 private:
  std::vector<NodeId> by_name_;  // by StringId, of the main graph as it was at `index_names`
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<Interner> strings_;
  std::unique_ptr<MetaTable> metas_;
  std::vector<std::unique_ptr<Graph>> graphs_;
};

// Fills `program.modules` and each node's `module` from the nodes' module_stack texts
// ("key,path,type;key,path,type;..."). Called by readers when the graph is complete.
void build_module_tree(Program& program);

// Raises ValueError for a graph that is not one: an argument that names a later node or none, a
// placeholder after a call, no output.
void verify(const Program& program);

}  // namespace faketensor
