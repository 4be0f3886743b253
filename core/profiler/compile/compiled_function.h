// CompiledFunction: torch.compile over C++ functions that call a mode, and over loaded graphs.
//
// A function is one stage, or several where it breaks its graph: each stage is given what the one
// before it returned, and is a compiled region of its own. While its guards hold, a call without a
// profiler calls no operator: the traced results are made anew for the sizes of the arguments, at
// the cost of the inputs and the results. With a profiler the stage runs, so that its operators are
// seen.
//
//   Compiler compiler;
//   CompiledFunction add(compiler, "add", {"x", "y"},
//                        {{[](Frame& frame, std::span<const Value> in) {
//                          return std::vector{frame.call("aten::mul.Tensor", in)};
//                        }}});
//   add.call(mode, {x, y}, profile.recorder());
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/graph/program.h"
#include "core/profiler/compile/compiler.h"

namespace faketensor {

// Where a function runs: the mode of its arguments, or the one it is traced in.
class Frame {
 public:
  Frame(FakeTensorMode& mode, EventRecorder* recorder) : mode_(mode), recorder_(recorder) {}

  FakeTensorMode& mode() const { return mode_; }
  // Calls an operator. Throws Error.
  Value call(std::string_view op, std::span<const Value> args) const;
  Value call(std::string_view op, std::initializer_list<Value> args) const {
    return call(op, std::span<const Value>(args.begin(), args.size()));
  }
  // For SpanScope (record_function); null while tracing, and without a profiler.
  EventRecorder* recorder() const { return recorder_; }
  // The function may have decided on a symbol by what no guard sees: it runs in each call.
  void forbid_replay() { is_replayable_ = false; }
  bool is_replayable() const { return is_replayable_; }

 private:
  FakeTensorMode& mode_;
  EventRecorder* recorder_;
  bool is_replayable_ = true;
};

using StageFunction =
    std::function<std::vector<Value>(Frame& frame, std::span<const Value> inputs)>;
struct Stage {
  StageFunction function;
  std::string break_reason = {};  // why the graph ends with this stage
};

class CompiledFunction {
 public:
  CompiledFunction(Compiler& compiler, std::string name, std::vector<std::string> params,
                   std::vector<Stage> stages, CompileOptions options = {});
  // A loaded program: its placeholders are the parameters, those of modules with fixed sizes. The
  // program must outlive this.
  CompiledFunction(Compiler& compiler, const Program& program, CompileOptions options = {});

  // The dimension of a parameter in the next call is marked (mark_dynamic, mark_static).
  void mark_dynamic(size_t param, size_t dim) { params_[param].dynamic_dims.push_back(dim); }
  void mark_static(size_t param, size_t dim) { params_[param].static_dims.push_back(dim); }

  // Throws what an operator raises, ConstraintViolationError, and RuntimeError for a graph break
  // under fullgraph.
  std::vector<Value> call(FakeTensorMode& mode, std::span<const Value> args,
                          EventRecorder* recorder = nullptr);
  std::vector<Value> call(FakeTensorMode& mode, std::initializer_list<Value> args,
                          EventRecorder* recorder = nullptr) {
    return call(mode, std::span<const Value>(args.begin(), args.size()), recorder);
  }

  size_t cache_size() const { return compiler_.cache_size(key()); }

 private:
  friend class StagePart;

  const std::string& key() const { return options_.key.empty() ? name_ : options_.key; }

  Compiler& compiler_;
  std::string name_;
  std::vector<FrameInput> params_;  // without values
  std::vector<Stage> stages_;
  CompileOptions options_;
};

// What an entry's results are for these inputs: its symbols take the values that the inputs have.
// Nothing where a result depends on data.
std::optional<std::vector<Value>> results_for(const CacheEntry& entry, FakeTensorMode& mode,
                                              std::span<const Value> inputs);

}  // namespace faketensor
