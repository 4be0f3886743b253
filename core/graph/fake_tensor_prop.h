// FakeTensorProp: what every node of a program answers.
//
// A Run is one propagation of a program under options. It keeps, per node, the value at the moment
// the node had run: (meta, storage, bytes, tensor id) of each tensor in it, so that later in-place
// changes of metadata do not alter earlier records. An error stops what depends on its node,
// nothing else (`stop_at_first_error` gives PyTorch's behaviour). An operator without a rule makes
// its node unknown. What depends on either is not reached. All three are told apart in `status`,
// and the first two are listed in `problems` with module path and source line. The program must
// outlive the run and stay unchanged. Mirrors torch/fx/passes/fake_tensor_prop.py.
//
//   const Run run = propagate(program, {.dims = {{"batch", 64}}});
//   run.record(program.find("linear_1")).tensors[0].meta->sizes();
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/program.h"
#include "core/mode/mode.h"
#include "core/ops/dispatch_mode.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

class GraphWatcher;
class RowEditor;

// A mode that is entered for as long as a propagation lasts, and knows its rows.
class RunWatcher : public DispatchMode {
 public:
  virtual void begin_run() = 0;
  virtual void begin_row(Row row) = 0;
  // With the value of a row that answered, before anything reads it.
  virtual void end_row(Row /*row*/, const Value& /*value*/) {}
};

// What to change of one placeholder. Sizes without strides are contiguous.
struct InputOverride {
  std::optional<std::vector<SymInt>> sizes;
  std::optional<std::vector<SymInt>> strides;
  std::optional<DType> dtype;
  std::optional<Device> device;
};

// A dimension of the inputs that becomes a symbol of the run, named as symbol_name says. Those of
// several inputs in one place, with one size in the example, are one symbol: the lengths of tokens
// and mask (as ShapeEnv's duck_shape has it).
struct DynamicDim {
  ValueRange range = ValueRange::ints(2, kIntInfinity);
  std::optional<int64_t> hint = {};  // the example's size where none is given
};

struct PropagateOptions {
  Target target = {};
  // "batch": dimension 0 of the first user input, and of every user input with that size there;
  // "x.1": dimension 1 of input x; or the name of a symbol.
  std::map<std::string, int64_t> dims = {};
  // Named as in `dims`, of which none may be a symbol already.
  std::map<std::string, DynamicDim> dynamic = {};
  std::map<std::string, InputOverride> inputs = {};
  std::optional<DType> dtype = {};  // of every floating-point placeholder
  std::optional<Device> device =
      {};  // of every placeholder, and of device arguments of the graph that named theirs
  std::optional<MemoryFormat> memory_format =
      {};  // of every floating-point placeholder of the rank that has it
  bool stop_at_first_error = false;
  // What the file records stands for the answer of an operator without a rule, so that the rest can
  // be propagated and compared.
  bool assume_recorded = false;
  // As under enable_python_dispatcher(), which PyTorch's own tracing of symbolic sizes uses.
  bool python_dispatcher = false;
  // Of a program that shows bodies (bodies.h): whether their rows get values, as far as nothing
  // watches the run.
  bool values_of_bodies = false;
  // Sees each row before it runs, and may end the run; device arguments are its matter then.
  RowEditor* editor = nullptr;
  // Sees what the rows call.
  RunWatcher* watcher = nullptr;
  // Sees the graphs that higher-order operators run.
  GraphWatcher* graphs = nullptr;
  // Called with the run's mode before the first node: where custom operators are defined.
  std::function<void(const Program&, FakeTensorMode&)> prepare = {};
  // Called now and then with nodes done and in all; returning false cancels the run.
  std::function<bool(size_t, size_t)> progress = {};
};

// A tensor as it was when its node had run.
struct TensorRecord {
  const Tensor* tensor = nullptr;
  const TensorMeta* meta = nullptr;
  const Storage* storage = nullptr;
  SymInt nbytes = 0;  // of the storage

  // The tensor as it is now.
  static TensorRecord of(const Tensor& tensor) {
    return {&tensor, tensor.meta, tensor.storage,
            tensor.storage == nullptr ? SymInt(0) : tensor.storage->nbytes};
  }
};

enum class NodeStatus : uint8_t {
  kOk,
  kError,       // the operator raised
  kUnknown,     // no rule for the operator
  kNotReached,  // depends on one of the above, or the run was stopped
};

struct NodeRecord {
  NodeStatus status = NodeStatus::kNotReached;
  Value value;
  std::span<const TensorRecord> tensors;  // the tensors in `value`, in order
};
// Of a row that answers `value` now.
NodeRecord record_of(const Value& value, Arena& arena);

struct Problem {
  enum class Kind : uint8_t { kError, kUnknown, kMismatch };
  Kind kind = Kind::kError;
  Row node = kNoRow;
  std::string op;           // as the file spells it
  std::string error_class;  // PyTorch's exception class
  std::string message;
  std::string argument;
  std::string module_path;
  std::string source;
  // Of a decision on data: checks that would settle it, see suggest_fix. Of an error that is none
  // under the Python dispatcher: that.
  std::string hint;
  bool python_dispatcher_answers = false;
};

// The problem of a node that raised.
Problem problem_at(const Program& program, Row row, const Error& error);

class Run {
 public:
  const Program& program() const { return *program_; }
  std::span<const NodeRecord> records() const { return records_; }
  const NodeRecord& record(Row row) const { return records_[row]; }
  // The plan that was run: a record and a row each.
  const Plan& plan() const { return *plan_; }
  const Node& node(Row row) const { return plan_->node(row); }
  std::span<const Problem> problems() const { return problems_; }
  // What is found wrong with a node that had answered: it is one in error from then on.
  void add_error(Problem problem);
  FakeTensorMode& mode() const { return *mode_; }
  // The environment of its symbolic sizes, which goes by what this run found out about them for as
  // long as the scope lives. The run's sizes are asked about and printed in such a scope, outside of
  // which they are those of another run, or of none.
  BranchScope shape_env() const;
  bool was_cancelled() const { return cancelled_; }
  size_t count(NodeStatus status) const;

  // Whether the value of a node was taken from the file (PropagateOptions::assume_recorded).
  bool was_assumed(Row row) const { return row < assumed_.size() && assumed_[row]; }

  // Where our values differ from those recorded in the file for no known reason, as problems of
  // kind kMismatch (not part of `problems`). More is in core/graph/recorded_check.h.
  std::vector<Problem> compare_with_recorded() const;

 private:
  void propose_python_dispatcher(const PropagateOptions& options);

  friend Run propagate(const Program& program, const PropagateOptions& options);
  const Program* program_ = nullptr;
  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<ShapeEnv::Branch> branch_;  // null where Program::shape_env is
  std::unique_ptr<FakeTensorMode> mode_;
  std::vector<NodeRecord> records_;
  std::vector<Problem> problems_;
  std::vector<bool> assumed_;  // by node, empty where nothing may be
  bool cancelled_ = false;
};

// Raises UsageError for options that name no input, dimension or symbol of the program; errors of
// nodes are in the run.
Run propagate(const Program& program, const PropagateOptions& options = {});

}  // namespace faketensor
