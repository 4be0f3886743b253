// ExportPass: a pass that runs a graph and writes the graph that comes of it.
//
// Every node of the graph is handed to a method, which calls the same thing again; so a pass is a
// class that overrides what it wants to be different. Arguments come as pairs of what they are
// (`data`: fakes, numbers) and how the new graph says it (`arg`: references to its nodes). A new
// node gets the name that PyTorch's tracer gives it, the metadata that it is handed, and the value
// that was computed. Mirrors _ExportPassBaseDeprecatedDoNotUse (torch/_export/pass_base.py).
//
//   class AddToSub final : public ExportPass {
//     ProxyValue call_operator(std::string_view op, Args args, Keywords kwargs,
//                              const NodeMetadata& meta) override {
//       const bool is_add = op == "torch.ops.aten.add.Tensor";
//       return ExportPass::call_operator(is_add ? "torch.ops.aten.sub.Tensor" : op, args, kwargs,
//                                        meta);
//     }
//   };
//   AddToSub(subject).run();
//
// Note [Symbols of a graph that is run again]
// An operator that brings fresh symbols answers with others each time it runs. Where the node had
// bound symbols, the new ones go by their names: then what is known of them stays known, as in
// PyTorch, where the inputs remember what item() and nonzero() gave.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/graph/interpreter.h"
#include "core/passes/pass.h"

namespace faketensor {

struct ProxyValue {
  ProxyValue() = default;
  ProxyValue(Value constant) : data(constant), arg(constant) {}
  ProxyValue(Value computed, Value written) : data(computed), arg(written) {}

  bool is_tensor() const { return data.is_tensor(); }
  const Tensor& to_tensor() const { return data.tensor(); }

  Value data;
  Value arg;
};

// What is known of a node besides its value, handed on from the old graph to the new.
struct NodeMetadata {
  NodeMeta meta = {};
  std::vector<UnbackedBinding> bindings = {};
};

class ExportPass {
 public:
  using Args = std::span<const ProxyValue>;
  struct Keyword {
    std::string_view name;
    ProxyValue value;
  };
  using Keywords = std::span<const Keyword>;

  explicit ExportPass(PassSubject& subject);
  ExportPass(const ExportPass&) = delete;
  ExportPass& operator=(const ExportPass&) = delete;
  virtual ~ExportPass() = default;

  // Runs the subject's graph, which becomes the new one. Raises what its operators raise, with the
  // node that was run; ExportPassBaseError for nodes that are no operators, and for a graph that it
  // cannot make inputs for; AssertionError for inputs of several modes.
  virtual PassResult run();

 protected:
  // What a node of each kind does. Targets are as in graphs: "torch.ops.aten.add.Tensor".
  virtual ProxyValue placeholder(std::string_view name, const Value& value,
                                 const NodeMetadata& meta);
  virtual ProxyValue call_operator(std::string_view op, Args args, Keywords kwargs,
                                   const NodeMetadata& meta);
  virtual ProxyValue call_sym(std::string_view target, Args args, const NodeMetadata& meta);
  virtual ProxyValue call_cond(const ProxyValue& predicate, const Graph& true_graph,
                               const Graph& false_graph, const ProxyValue& operands,
                               const NodeMetadata& meta);
  virtual ProxyValue call_map(const Graph& body, const ProxyValue& mapped,
                              const ProxyValue& operands, const NodeMetadata& meta);
  virtual ProxyValue call_getitem(const ProxyValue& value, const ProxyValue& key,
                                  const NodeMetadata& meta);
  virtual ProxyValue output(const ProxyValue& results, const NodeMetadata& meta);
  // Told of each tensor that becomes an attribute of the new graph.
  virtual void on_attr(const ProxyValue&) {}
  // The values of the placeholders.
  virtual std::vector<Value> inputs(const Graph& graph);

  // A new node of the new graph, its value computed.
  ProxyValue fx(NodeKind kind, std::string_view target, Args args, Keywords kwargs,
                const NodeMetadata& meta);
  // Runs another graph on values, as a graph of its own.
  virtual const Graph& call_submodule(const Graph& graph, std::span<const Value> inputs);

  // A list of pairs as a pair of lists; elements of a pair of lists.
  ProxyValue make_list(Args elements);
  std::vector<ProxyValue> elements_of(const ProxyValue& list) const;

  PassSubject& subject() const { return subject_; }
  Context& context() const { return subject_.mode.context(); }
  Graph& traced() const { return *tracer_->graph; }

 private:
  // The graph that is being written, and the modules that it names.
  struct Tracer {
    Graph* graph = nullptr;
    std::unordered_map<const Graph*, std::string> submodules = {};
    size_t constants = 0;
  };

  Value run_nodes(const Graph& graph, std::span<const Value> inputs);
  ProxyValue run_node(const Graph& graph, NodeId id, std::span<const ProxyValue> values);
  ProxyValue call_function(const Graph& graph, const Node& node, Args args, Keywords kwargs,
                           const NodeMetadata& meta);
  ProxyValue resolve(const Value& argument, std::span<const ProxyValue> values);
  Value evaluate(NodeKind kind, std::string_view target, Args args, Keywords kwargs);
  Value evaluate_higher_order(std::string_view name, Args args, Keywords kwargs);
  Value take(const Value& container, const Value& key);
  Value as_argument(const Value& arg);
  Value attribute(const Value& tensor);
  void bind_symbols(NodeId id, const Value& result, const NodeMetadata& meta);

  PassSubject& subject_;
  Interpreter interpreter_;
  Tracer* tracer_ = nullptr;
  // The node that is run; its plan's row tells higher-order operators what they return.
  const Graph* source_ = nullptr;
  NodeId source_node_ = kNoNode;
};

// What torch.fx adds to an error: the node that was run, and where it came from.
[[noreturn]] void throw_at_node(const Error& error, const Graph& graph, NodeId id);

}  // namespace faketensor
