// Interpreter: runs a graph node by node on the values of a mode.
//
// Used by FakeTensorProp for a program's graph and by higher-order operators for the graphs they
// hold.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/graph/fake_tensor_prop.h"
#include "core/graph/regions.h"

namespace faketensor {

class Interpreter {
 public:
  Interpreter(const Program& program, FakeTensorMode& mode)
      : program_(program), mode_(mode), regions_(mode.context()) {}

  // Device arguments equal to `from` are replaced by `to` (move_to_device_pass).
  void replace_device(Device from, Device to) {
    from_device_ = from;
    to_device_ = to;
  }

  // The value of one call or getitem node, given those of earlier nodes. Throws Error.
  Value run_node(const Node& node, std::span<const Value> values);
  // Runs a whole graph on `inputs` and returns its output. Throws Error. Raises LimitExceeded for
  // graphs nested over 64 deep.
  Value run_graph(const Graph& graph, std::span<const Value> inputs);

  const Program& program() const { return program_; }
  FakeTensorMode& mode() { return mode_; }
  // Built in or of the mode's library, by a name as files spell it; kNoOp for one that nobody
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
  Value call_custom(OpId op, const Node& node, std::span<const Value> given);
  Value resolve(const Value& argument, std::span<const Value> values);
  Value resolve_list(const Value& list, std::span<const Value> values);

  const Program& program_;
  FakeTensorMode& mode_;
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
Value call_higher_order(Interpreter& interpreter, const Node& node, std::string_view name,
                        std::span<const Value> args);

// Calls a function of torch._functorch.predispatch by its name: entering and leaving vmap, hiding a
// dimension and showing it again. Raises UnsupportedOperatorException for those of other
// transforms.
Value call_predispatch(Interpreter& interpreter, std::string_view name,
                       std::span<const Value> args);

}  // namespace faketensor
