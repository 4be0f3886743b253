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
#include "core/graph/subgraph_cache.h"

namespace faketensor {

// Changes arguments of rows before they run: what-ifs, which answer for other inputs than those the
// numbers and dtypes in a graph were written for (core/passes/retargeted_run.h).
class RowEditor {
 public:
  RowEditor() = default;
  RowEditor(const RowEditor&) = delete;
  RowEditor& operator=(const RowEditor&) = delete;
  virtual ~RowEditor() = default;

  // Called with the arguments of a row that is no placeholder, references replaced by values; also
  // for the rows of graphs that higher-order operators hold.
  virtual void edit(Context& context, const Plan& plan, Row row, std::span<Value> args) = 0;
  // Whether a constant of the program's code has the dtype, and the device, that parameters get.
  struct Moved {
    bool dtype = false;
    bool device = false;
  };
  virtual Moved moved_constant(Row row) = 0;
  // Called with the value of each row of a propagation, placeholders among them.
  virtual void note_value(Row row, const Value& value) = 0;
  // Asked after each row of a propagation: whether the rest of it is not wanted.
  virtual bool is_finished() const { return false; }
};

// Sees the graphs that higher-order operators run.
class GraphWatcher {
 public:
  GraphWatcher() = default;
  GraphWatcher(const GraphWatcher&) = delete;
  GraphWatcher& operator=(const GraphWatcher&) = delete;
  virtual ~GraphWatcher() = default;

  // A higher-order operator is called by a row of the graph that runs: the one begun last, or that of
  // the propagation.
  virtual void begin_call(const Plan& plan, Row row, std::span<const Value> args) = 0;
  virtual void begin_graph(const Graph& graph) = 0;
  // Of the graph begun last.
  virtual void note_value(Row row, const Value& value) = 0;
  virtual void note_error(Row row, const Error& error) = 0;
  virtual void end_graph() = 0;
  // Whether it is to see what the call runs, even where the answer is known.
  virtual bool is_recording() const = 0;
};

class Interpreter {
 public:
  explicit Interpreter(Context& context, RowEditor* editor = nullptr)
      : context_(context), editor_(editor), regions_(context) {}

  // Device arguments equal to `from` are replaced by `to` (move_to_device_pass).
  void replace_device(Device from, Device to) {
    from_device_ = from;
    to_device_ = to;
  }

  void watch(GraphWatcher* watcher) { watcher_ = watcher; }

  // The value of a row that is no placeholder, given those of earlier rows. Throws Error.
  Value run_row(const Plan& plan, Row row, std::span<const Value> values);
  // An argument of a row: references replaced by the values of their rows, lists included.
  Value resolve(const Value& argument, std::span<const Value> values);
  // Runs a whole graph on `inputs` and returns its output. Throws Error. Raises LimitExceeded for
  // graphs nested over 64 deep.
  Value run_graph(const Graph& graph, std::span<const Value> inputs);

  Context& context() const { return context_; }
  // The operator of that name, as files spell it, built in or of the context's library. kNoOp where
  // nobody defined it.
  OpId find_operator(std::string_view target) const;
  const Schema& schema(OpId op) const;
  // The unset elements of `results` stand for what `op` returned, an operator that nobody defined:
  // taking one of them out raises.
  void note_unknown(const Value& results, std::string_view op) {
    unknown_[results.values().data()] = op;
  }
  // Answers of graphs that are called again; null while somebody wants to see each call.
  SubgraphCache* subgraphs();
  // The regions that the graph has entered and not left.
  Regions& regions() { return regions_; }

 private:
  Value take_element(const PlanRow& row, std::span<const Value> values);
  Value call_custom(OpId op, const Plan& plan, const PlanRow& row, std::span<const Value> given);
  Value resolve_list(const Value& list, std::span<const Value> values);
  Value run_watched(const Graph& graph, const Plan& plan, std::span<const Value> inputs);

  Context& context_;
  RowEditor* editor_;
  GraphWatcher* watcher_ = nullptr;
  std::optional<Device> from_device_;
  Device to_device_;
  int depth_ = 0;
  std::unordered_map<const Value*, std::string> unknown_;  // by the elements of results
  Regions regions_;
  SubgraphCache subgraphs_;
};

// Calls the higher-order operator `name` ("cond", "map_impl", ...), whose arguments hold graphs.
// Raises UnsupportedOperatorException for one that has no rule.
Value call_higher_order(Interpreter& interpreter, const Plan& plan, Row row, std::string_view name,
                        std::span<const Value> args);

// Calls a function of torch._functorch.predispatch by its name: entering and leaving vmap, hiding a
// dimension and showing it again. Raises UnsupportedOperatorException for those of other
// transforms.
Value call_predispatch(Interpreter& interpreter, std::string_view name,
                       std::span<const Value> args);

// torch._C._set_grad_enabled, torch.amp.autocast_mode._enter_autocast and _exit_autocast, which graphs
// have before export makes bodies of what they reach. False for a target that is none of them.
bool is_state_switch(std::string_view target);
Value call_state_switch(Interpreter& interpreter, std::string_view target,
                        std::span<const Value> args);

// The region of torch.autocast(device_type, dtype, enabled, ...), and whether it is on. Mirrors
// autocast.__init__, torch/amp/autocast_mode.py: without a GPU, autocast for one stays off, and so
// does the CPU's for a dtype that it does not have. Raises TypeError for arguments that are none, and
// RuntimeError for a device without autocast.
std::pair<Autocast, bool> autocast_region(const Context& context, std::span<const Value> args);

}  // namespace faketensor
