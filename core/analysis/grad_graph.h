// GradGraph: autograd's graph of a forward run, with what each of its nodes keeps.
//
// A node per call that has a gradient, in the order of the calls; its edges lead to the nodes that
// made the call's arguments, or to leaves, which are the trained parameters. What a node keeps of the
// call follows from its formula (core/ops/derivative_formulas.h), by the rule of PyTorch's generated
// code: an argument that a single formula reads is kept only where that formula is needed. A node
// without a formula keeps all floating-point tensors of its call; such operators are listed.
//
//   GradGraph graph(calls);
//   graph.add_leaf(*weight, row);
//   graph.add_call(call);          // in the order in which they ran
//   graph.edge_of(*loss)           // where backward begins
#pragma once

#include <deque>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/analysis/autograd_tape.h"
#include "core/analysis/formula.h"
#include "core/analysis/held_calls.h"

namespace faketensor {

struct GradNode;

// The gradient of which result of which node; none for a tensor without history.
struct GradEdge {
  GradNode* node = nullptr;
  uint32_t output = 0;
};

// A tensor among the arguments whose gradient is asked for.
struct GradInput {
  size_t argument = 0;
  size_t element = 0;  // of a list of tensors
  const Tensor* tensor = nullptr;
  GradEdge edge;
};

struct GradNode {
  uint64_t sequence = 0;  // leaves have the highest: they are due before all others
  TapedCall call;
  const Formula* formula = nullptr;  // null: none is known, or a leaf
  std::vector<GradInput> inputs;
  std::vector<Tensor*> keeps;     // what the node keeps of the call
  std::vector<HeldTensor> saved;  // while it does
  // Of an in-place call whose formula reads what was written over: a clone from before.
  Tensor* before = nullptr;
  bool clones_self = false;
  // In-place on a view: the gradient of the whole comes in, and its part is this (CopySlices).
  const Tensor* slice = nullptr;
  Tensor* leaf = nullptr;
  HeldTensor grad;  // of a leaf

  // While backward runs: the gradients that came in, by output, and how many are awaited.
  std::vector<Term> incoming;
  uint32_t awaited = 0;
};

class GradGraph {
 public:
  static constexpr uint64_t kLeaf = ~uint64_t{0};

  explicit GradGraph(HeldCalls& calls) : calls_(calls) {}

  GradNode& add_leaf(Tensor& tensor, Row row);
  // The node of the call; null where no argument has a history, or the results get none. Its saved
  // tensors are held from then on.
  GradNode* add_call(const TapedCall& call);
  // For a value that a row made of others without an operator that autograd sees.
  void add_alias(Tensor& value, const Tensor& of, Row row);
  void save(GradNode& node);
  GradEdge edge_of(const Tensor& tensor) const;

  std::deque<GradNode>& nodes() { return nodes_; }
  // Operators without a formula that had to be approximated.
  const std::set<std::string_view>& unknown() const { return unknown_; }

 private:
  void find_inputs(GradNode& node);
  void find_kept(GradNode& node);
  bool keeps(const GradNode& node, const Statement& statement, std::string_view name) const;
  void set_history(GradNode& node);

  HeldCalls& calls_;
  std::deque<GradNode> nodes_;
  std::unordered_map<const Tensor*, GradEdge> edges_;
  std::unordered_map<OpId, Formula> formulas_;
  std::set<std::string_view> unknown_;
};

// The tensors of a value, in order, those in lists too.
std::vector<Tensor*> tensors_of(const Value& value);
// What a name of a formula stands for in a call: an argument, `result`, `result1`; unset for none.
Value named_value(const TapedCall& call, std::string_view name);
bool needs_gradient(const GradNode& node, std::string_view argument);

}  // namespace faketensor
