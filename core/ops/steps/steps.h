// Steps: the operators that PyTorch's Python calls to answer an operator, as a function that calls
// them.
//
// PyTorch answers many operators by Python: decompositions (torch/_decomp), references (torch/_refs),
// meta functions of prims (torch/_prims). A C++ kernel is one step; such a function is several, and
// whoever asks for them sees each: the dispatch cache of FakeTensorMode counts them
// (core/mode/step_counting.h), run_decompositions puts them into a graph in the operator's place.
//
// Steps have the form of rules: a function of a Call, which calls the same operators as the Python
// function, in its order, with its overloads and arguments, and returns what it returns. Rules whose
// own calls are these are the steps; a row (files of this folder, StepsDef) is for the others, whose
// rules take a shorter way to the same answer.
//
//   Value mse_loss(Call& c, const Tensor& self, ...);                     // calls to.dtype, sub, ...
//   {"aten::mse_loss", rule<&mse_loss>()},
//
//   const Steps* steps = steps_of(op.id);
//   if (steps != nullptr) run_steps(context, op, args);    // what is called goes by context's modes
//
// Note [Rules beside their steps]
// A rule with a row here answers by a shorter way: each step is a call of its own. With symbolic
// sizes both ways must ask the same questions in the same order, or guards differ. So a rule hands
// symbolic calls over (run_steps) where it does not lose by it: _log_softmax, tril, triu, mv, dot,
// addmv and count_nonzero do, and the answers to all recorded symbolic calls, programs and sessions
// are the same bytes as before. Two ways are left, for symbols too, where:
//   - the steps make another storage: cumsum, cumprod, mean and var_mean end with prims::sum or
//     prims::div, whose bytes for unbacked sizes are counted as contiguous where PyTorch counts
//     strides, and the reverse (7 recorded calls would be wrong);
//   - the steps ask otherwise: views, expand, cat and stack (with all steps taken for symbols 363
//     of the 396 programs were right instead of 387);
//   - the family asks what the steps ask without making their tensors: pointwise operators
//     (Note [References on symbolic sizes], families/pointwise.cpp), reductions by one prim;
//   - every layer of a model passes: addmm, the norms, embedding, index.
// Losses, upsampling, random numbers and indexed writes were not tried one by one.
//
// A pass that wants a node's replacement enters a mode of its own (dispatch_mode.h), which sees each
// call and answers it by `next`, and takes the result of run_steps for the node's.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/ops/call.h"

namespace faketensor {

// For which calls FakeTensorMode takes the steps; otherwise it takes a kernel.
enum class StepsFor : uint8_t {
  kNobody,   // none: a decomposition is registered, and FakeTensorMode prefers a meta function
  kSymbols,  // those with a symbolic size among the arguments
  kAll,
};

// One row. `op` is the overload's name: "aten::silu", "aten::add.Tensor".
struct StepsDef {
  std::string_view op;
  Rule rule;  // empty: the operator's own rule
  // Where it is not what follows from who answers in PyTorch (AnsweredBy): kAll for a decomposition
  // or prim, kSymbols for a reference, else kNobody.
  enum class Taken : uint8_t { kAsAnswered, kNobody, kSymbols, kAll };
  Taken taken = Taken::kAsAnswered;
  // The Python function returns several tensors in a list, where others return a tuple.
  bool returns_list = false;
};

struct Steps {
  Rule rule;  // empty: the operator's own rule
  StepsFor taken_for = StepsFor::kNobody;
  bool returns_list = false;

  bool are_taken(bool has_symbols) const {
    return taken_for == StepsFor::kAll || (taken_for == StepsFor::kSymbols && has_symbols);
  }
};

// The steps of a built-in operator; null where PyTorch has no Python function for it. A composite
// (CompositeImplicitAutograd) has those that its rule makes, for all calls.
const Steps* steps_of(OpId op);

// Makes the calls of an operator's steps and gives their result. `args` are complete, in schema
// order. Throws Error as the calls do. The operator has steps.
Value run_steps(Context& context, const OpEntry& op, std::span<const Value> args);

}  // namespace faketensor
