// TracedGraph: the graph that a trace writes, and which of its nodes each value is.
//
// Mirrors PythonKeyTracer and track_tensor_tree (torch/fx/experimental/proxy_tensor.py): an operator
// is a node, the elements of what it returns are further ones, sizes are read where they are first
// asked for, arithmetic on symbols is nodes of Python's functions. Nodes get the names that
// PyTorch's tracer gives them.
//
// Note [Names that a trace takes]
// While make_fx traces, every operation on symbolic sizes is a node, also those that computing the
// size of a storage takes (computeStorageNbytes, called for the wrapper of each result,
// FunctionalTensor.__new__), and those of the checks of a program's inputs. These nodes are dead and
// removed, but their names stay taken: the second aten.add of a graph is "add_6" where three sums
// were made for each of two results. So the names are taken here, too, without the nodes.
// Sizes have an identity there: an expression that an operator has computed anew is read from its
// result again, also where another tensor has the same size.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/graph/graph.h"
#include "core/ops/context.h"
#include "core/ops/library.h"

namespace faketensor {

class ShapeEnv;

class TracedGraph {
 public:
  // `env`: null where every size is a number.
  TracedGraph(Context& context, Graph& graph) : context_(context), graph_(graph) {}

  Graph& graph() const { return graph_; }
  // What new nodes are told besides their value: where the operator stood that is traced.
  void set_source(const NodeMeta& meta) { source_ = meta; }

  // An input whose value is `value`; it is called arg0_1, arg1_1, ...
  NodeId add_input(const Value& value);
  // A node of an operator, called on values that are known; track() tells its result.
  NodeId add_call(const OpEntry& op, const FakeCall& call);
  // One of any other target.
  NodeId add_call(std::string_view target, std::string_view name, std::vector<Value> args,
                  std::vector<std::pair<std::string, Value>> kwargs = {});
  // A subgraph, by its name in the graph.
  Value add_subgraph(std::string_view name, const Graph& subgraph);
  void add_output(const Value& results);
  // The value of a node, and the nodes of its elements.
  void track(NodeId id, const Value& value);

  // Whether each tensor in a value is that of a node.
  bool knows(const Value& value) const;

  // Arithmetic on symbols that the program does itself.
  void add_function(std::string_view target, std::span<const Value> args, const Value& result);
  // The names that a wrapper of a result takes.
  void take_wrapper_names(const Value& value);
  // The names of the checks that an input of these sizes is given (_guards_fn).
  void take_guard_names(const Value& value);

  // A value as an argument of a node. Raises UnsupportedOperatorException for a tensor that the
  // trace has not seen, which take_stranger() tells once.
  Value as_argument(const Value& value);
  bool take_stranger() { return std::exchange(met_stranger_, false); }

  // The fresh symbols of what has been traced since the last call go by the names in `bindings`
  // where the symbol at their path in `result` is another. Mirrors rebind_unbacked
  // (torch/fx/experimental/symbolic_shapes.py).
  void rebind(const std::vector<UnbackedBinding>& bindings, const Value& result);

 private:
  void track_tensor(NodeId id, const Tensor& tensor);
  void note_sizes_of(const Value& argument);
  void note_numbers_of(const Value& argument);
  Value node_of(const ExprNode* expr);
  bool is_of_known(const ExprNode* expr) const;
  Value compute(const ExprNode* expr);
  Value number_of(const Value& operand) const;
  Value read_size(const ExprNode* expr);
  void take_storage_names(const Tensor& tensor);
  void rename(const ExprNode* made, const ExprNode* known);

  struct SizeOf {
    NodeId tensor;
    std::string_view target;  // what reads it
    int64_t dim;
  };

  Context& context_;
  Graph& graph_;
  NodeMeta source_;
  size_t inputs_ = 0;
  bool met_stranger_ = false;
  std::unordered_map<const Tensor*, NodeId> tensors_;
  std::unordered_map<const ExprNode*, NodeId> symbols_;
  std::unordered_map<const ExprNode*, SizeOf> sizes_;
  std::unordered_set<const ExprNode*> guarded_;           // inputs' sizes that were checked
  std::unordered_set<const ExprNode*> given_;             // sizes of the arguments of the last call
  std::unordered_map<const Tensor*, uint64_t> computed_;  // bit i: the size was computed anew
  std::vector<NodeId> bound_;  // nodes that bind symbols since the last rebind()
};

}  // namespace faketensor
