// Backward: autograd's engine on a GradGraph, for the memory that gradients hold on their way.
//
// Nodes run as soon as all gradients of their results are there, the one made last first, leaves
// before all others. A node's formula is computed by the operators that it calls; results that were
// broadcast are summed; then what the node kept is given back. Where a value has several readers
// their gradients are added: out of place, as autograd does under a dispatch mode and for fakes
// (can_accumulate_inplace, torch/csrc/autograd/input_buffer.cpp). A leaf takes its first gradient
// over where nobody else holds it and its strides are the parameter's, else it clones it.
//
//   Backward backward(calls);
//   backward.run(graph.edge_of(loss), ones);
#pragma once

#include <functional>

#include "core/analysis/grad_graph.h"

namespace faketensor {

class Backward {
 public:
  explicit Backward(HeldCalls& calls) : calls_(calls) {}

  // Called before a node runs (a checkpoint computes its forward anew).
  std::function<void(GradNode&)> before = {};
  // Nodes whose formula could not be computed, by their operator's name and the error's text.
  const std::vector<std::pair<std::string_view, std::string>>& failures() const {
    return failures_;
  }

  void run(GradEdge root, Term gradient);

 private:
  using Terms = std::vector<Term>;
  static void count_awaited(GradNode& root);
  void accumulate(GradNode& leaf);
  Terms gradients_of(GradNode& node);
  Terms by_formula(GradNode& node);
  Terms approximately(const GradNode& node);
  Terms into_slice(GradNode& node);
  void put(const GradNode& node, const Statement& statement, const Term& term, Terms& into);
  Term evaluate(const Expression& expression, const GradNode& node, const Statement& statement,
                bool is_metadata);
  Term named(std::string_view name, const GradNode& node, const Statement& statement,
             bool is_metadata);
  Term operation(const Expression& expression, std::vector<Term> args);
  Term fit(const Term& gradient, const Tensor& input);

  HeldCalls& calls_;
  std::vector<HeldTensor> temporaries_;  // of the statement that is evaluated
  std::vector<std::pair<std::string_view, std::string>> failures_;
};

}  // namespace faketensor
