// Graphs run in a mode that a pass makes, for what it has to know of their values.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/graph/interpreter.h"
#include "core/passes/pass.h"

namespace faketensor {

// A mode of the subject's own (PassSubject::made_modes), and the real inputs as its fakes.
FakeTensorMode& make_mode(PassSubject& subject, bool has_shape_env, bool has_static_sizes,
                          std::vector<Value>& inputs);

// What a node's meta["val"] is of its value: tensors as they are now, and numbers. None for the rest.
Value snapshot_value(Context& context, const Value& value);

// The nodes of a graph whose values are what they compute. An edit is known by what is not noted: an
// argument list that is edited is another one.
class ValueNotes {
 public:
  void note(const Graph& graph, NodeId id);
  void note_all(const Graph& graph);
  // Whether its value may be another one: its target or arguments are not those noted, or it was not
  // noted and has no value.
  bool is_edited(const Graph& graph, NodeId id) const;

 private:
  struct Noted {
    StringId target = 0;
    const Value* args = nullptr;
    bool is_noted = false;
  };
  std::vector<Noted> noted_;  // by id
};

// Computes the values of the nodes that were edited, and on from them until a value is what it was:
// what an edit does not touch is not run. Unbacked symbols that a node had bound keep their names. An
// operator that nobody defined keeps its value. Returns how many nodes were run; raises what a node
// raises, with the node.
// `watcher`, where there is one, sees the graphs that higher-order operators run.
size_t propagate_edited(FakeTensorMode& mode, Graph& graph, ValueNotes& notes,
                        GraphWatcher* watcher = nullptr);

// Runs the nodes in order; `on_value` is told each value as it is made. Raises what a node raises,
// with the node.
void run_nodes(FakeTensorMode& mode, const Graph& graph, std::span<const Value> inputs,
               const std::function<void(NodeId, const Value&)>& on_value);

}  // namespace faketensor
