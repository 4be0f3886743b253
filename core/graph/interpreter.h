// Interpreter: runs a plan row by row on the values of a context.
//
// Everything that runs a graph does so here: FakeTensorProp, tracing (retrace.h), the graphs that
// higher-order operators hold, and fakes that are written as graphs.
//
//   Interpreter interpreter(context);
//   const Value result = interpreter.run_graph(program.graph(), inputs);
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/graph/plan.h"
#include "core/graph/regions.h"

namespace faketensor {

class Interpreter {
 public:
  explicit Interpreter(Context& context) : context_(context), regions_(context) {}

  // Device arguments equal to `from` are replaced by `to` (move_to_device_pass).
  void replace_device(Device from, Device to) {
    from_device_ = from;
    to_device_ = to;
  }

  // The value of a row that is no placeholder, given those of earlier rows. Throws Error.
  Value run_row(const Plan& plan, Row row, std::span<const Value> values);
  // An argument of a row: references replaced by the values of their rows, lists included.
  Value resolve(const Value& argument, std::span<const Value> values);
  // Runs a whole graph on `inputs` and returns its output. Throws Error. Raises LimitExceeded for
  // graphs nested over 64 deep.
  Value run_graph(const Graph& graph, std::span<const Value> inputs);

  Context& context() const { return context_; }
  // Built in or of the context's library, by a name as files spell it; kNoOp for one that nobody
  // defined.
  OpId find_operator(std::string_view target) const;
  const Schema& schema(OpId op) const;
  // Elements of `results` that are unset are what the operator `op` returned, which nobody defined:
  // taking one out raises.
  void note_unknown(const Value& results, std::string_view op) {
    unknown_[results.values().data()] = op;
  }
  // The regions that the graph has entered and not left.
  Regions& regions() { return regions_; }

 private:
  Value take_element(const PlanRow& row, std::span<const Value> values);
  Value call_custom(OpId op, const Plan& plan, const PlanRow& row, std::span<const Value> given);
  Value resolve_list(const Value& list, std::span<const Value> values);

  Context& context_;
  std::optional<Device> from_device_;
  Device to_device_;
  int depth_ = 0;
  std::unordered_map<const Value*, std::string> unknown_;  // by the elements of results
  Regions regions_;
};

// A target as errors name the operator: without "torch.ops.".
inline std::string_view operator_name(std::string_view target) {
  constexpr std::string_view kPrefix = "torch.ops.";
  return target.starts_with(kPrefix) ? target.substr(kPrefix.size()) : target;
}

// Calls the higher-order operator `name` ("cond", "map_impl", ...), whose arguments hold graphs.
// Raises UnsupportedOperatorException for one that has no rule.
Value call_higher_order(Interpreter& interpreter, const Plan& plan, Row row, std::string_view name,
                        std::span<const Value> args);

// Calls a function of torch._functorch.predispatch by its name: entering and leaving vmap, hiding a
// dimension and showing it again. Raises UnsupportedOperatorException for those of other
// transforms.
Value call_predispatch(Interpreter& interpreter, std::string_view name,
                       std::span<const Value> args);

}  // namespace faketensor
