// Higher-order operators: operators that hold graphs, or call another operator.
//
// Each mirrors the implementation for FakeTensorMode that the operator registers (torch/
// _higher_order_ops). `call_higher_order` finds it by name; what is here besides is for the files
// that hold the larger ones.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/interpreter.h"

namespace faketensor {

// A call of a higher-order operator: its values, by position or by name.
class HigherOrderCall {
 public:
  HigherOrderCall(Interpreter& interpreter, const Plan& plan, Row row, std::string_view name,
                  std::span<const Value> args)
      : interpreter_(interpreter),
        plan_(plan),
        row_(row),
        names_(plan.row(row).arg_names),
        name_(name),
        args_(args) {}

  Interpreter& interpreter() const { return interpreter_; }
  Context& context() const { return interpreter_.context(); }
  std::string_view name() const { return name_; }

  // The positional arguments from `first` on; raises TypeError where there are fewer.
  std::span<const Value> positional(size_t first = 0) const;
  // An argument by position; raises TypeError for one of another kind.
  const Graph& graph(size_t index) const;
  std::vector<Value> list(size_t index) const;
  bool boolean(size_t index) const;
  std::string_view text(size_t index) const;
  // A keyword argument; null where it is not given.
  const Value* keyword(std::string_view name) const;
  struct Keyword {
    std::string_view name;
    Value value;
  };
  std::vector<Keyword> keywords() const;

  // How many outputs the file names, and whether it says what the one at `index` is.
  size_t output_count() const;
  bool has_recorded_output(size_t index) const;

  // The outputs of a graph as a list, also where it returns one value.
  std::vector<Value> run(const Graph& graph, std::span<const Value> inputs) const;
  // Another operator: c.call("aten::clone", {tensor}).
  Value call(std::string_view op, std::initializer_list<Value> args) const;
  // An operator by its name in the file, its arguments by position and by name. Raises
  // UnsupportedOperatorException for one that nobody defined.
  Value call_operator(std::string_view name, std::span<const Value> positional,
                      std::span<const Keyword> keywords) const;
  Value tuple(std::span<const Value> values) const { return context().make_list(values); }

 private:
  const Value& at(size_t index) const;

  Interpreter& interpreter_;
  const Plan& plan_;
  Row row_;
  std::span<const StringId> names_;  // of the arguments: empty, or one each, 0 for positional
  std::string_view name_;
  std::span<const Value> args_;
};

// control_flow.cpp
Value cond(HigherOrderCall& call);
Value while_loop(HigherOrderCall& call);
Value while_loop_stack_output(HigherOrderCall& call);
Value map_impl(HigherOrderCall& call);
Value scan(HigherOrderCall& call);
Value associative_scan(HigherOrderCall& call);
// The dimensions from the smallest stride to the largest; of equal ones the inner dimension first.
// Mirrors get_fill_order, torch/_inductor/ir.py.
SmallVector<size_t, 8> fill_order(Dims strides);

// auto_functionalize.cpp
Value auto_functionalized(HigherOrderCall& call);
Value auto_functionalized_v2(HigherOrderCall& call);
// A copy of a tensor with its strides and offset, another value as it is.
Value clone_preserving_strides(const HigherOrderCall& call, const Value& value);

// flex_attention.cpp
Value flex_attention(HigherOrderCall& call);
Value flex_attention_backward(HigherOrderCall& call);

}  // namespace faketensor
