// The inputs of a compiled function: what a call gives, and what they are while it is traced.
//
//   const FrameInput x{.name = "x", .value = Value(tensor)};
//   TracedInputs traced(mode, inputs, seen, dynamic);
//   traced.values()   // x with symbols for what is dynamic
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/mode/mode.h"
#include "core/profiler/compile/automatic_dynamic.h"
#include "core/symbolic/produce_guards.h"

namespace faketensor {

// An argument of a call. A list is a list of arguments "xs[0]", "xs[1]".
struct FrameInput {
  std::string name;
  Value value = {};
  std::vector<size_t> dynamic_dims = {};  // torch._dynamo.mark_dynamic
  std::vector<size_t> static_dims = {};   // mark_static
  bool is_tuple = false;                  // a list value is a tuple in Python
  bool is_parameter = false;              // of a module: its sizes are numbers
  // When the function first reads it, among its inputs: symbols are made in that order. What it
  // never reads (kUnused) is not guarded.
  int use = 0;
  static constexpr int kUnused = -1;
};

// The state of the program that a compiled function depends on.
struct ProgramState {
  bool grad_enabled = true;
  bool inference_mode = false;
  DType default_dtype = DType::kFloat32;
  Target target = {};  // of the mode in which it is called
};

// "L['x']", as guards spell the input; "xs[0]" is L['xs'][0].
std::string source_name(const std::string& input);
// The same without L[...]: what messages say (strip_local_scope, torch/_dynamo/guards.py).
std::string without_local_scope(std::string text);

// Where a value is among the inputs: the position of one, and of elements in lists.
using InputPath = std::vector<size_t>;

// The inputs as they are traced: tensors with the same metadata, where sizes that are dynamic are
// symbols of the mode's ShapeEnv; numbers that are dynamic, too.
class TracedInputs {
 public:
  // `dynamic`: all sizes (true), none (false), or what `seen` has found to change. Raises
  // ConstraintViolationError for a marked dimension that can have one size only.
  TracedInputs(FakeTensorMode& mode, std::span<const FrameInput> inputs,
               const AutomaticDynamic& seen, std::optional<bool> dynamic);

  std::span<const Value> values() const { return values_; }
  // What produce_guards needs to know of them.
  std::span<const GuardedInput> guarded() const { return guarded_; }
  // Where each of those is.
  std::span<const InputPath> paths() const { return paths_; }

 private:
  Value trace(const FrameInput& input, const std::string& name, const Value& value);
  Value trace_tensor(const FrameInput& input, const std::string& name, const Tensor& tensor);
  Value trace_integer(const std::string& name, int64_t value);
  Value trace_float(const std::string& name, double value);
  SymbolicContext context_of(const FrameInput& input, const std::string& name,
                             const Tensor& tensor) const;
  void guard(GuardedInput input);

  FakeTensorMode& mode_;
  const AutomaticDynamic& seen_;
  std::optional<bool> dynamic_;
  std::vector<Value> values_;
  std::vector<GuardedInput> guarded_;
  std::vector<InputPath> paths_;
  InputPath path_;  // of what is traced
  std::vector<std::unique_ptr<SymbolicContext>> contexts_;
  std::vector<std::pair<const Tensor*, Tensor*>> tensors_;  // tensors are traced once
  std::vector<std::pair<const Storage*, Storage*>> storages_;
};

}  // namespace faketensor
