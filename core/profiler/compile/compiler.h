// Compiler: compiled regions. A function is traced into a graph under symbolic shapes once; later
// calls use what was found for as long as its guards hold.
//
// Mirrors what torch.compile shows of itself: frames are numbered as they are first compiled, their
// cache entries by compilation ("Torch-Compiled Region: 0/1"); a call looks through the entries of
// its backend, the one used last first, in a span "TorchDynamo Cache Lookup"; where none fits the
// function is traced anew, with what has changed as symbols, and the reasons are kept in PyTorch's
// words. Where a function breaks its graph the rest is a frame of its own, inside of the first.
// After `recompile_limit` entries a frame is compiled no more.
//
//   Compiler compiler;
//   compiler.call("fn", part, {.backend = "eager"}, {}, profile.recorder());
//   compiler.recompiles()   // "Recompiling function fn\n    triggered by the following ..."
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/profiler/compile/input_guards.h"
#include "core/profiler/event_recorder.h"

namespace faketensor {

struct CompileOptions {
  std::string backend = "eager";
  std::optional<bool> dynamic = {};  // all sizes, none, or (nothing) what changes
  bool fullgraph = false;            // a graph break is an error
  std::string key = {};  // of a CompiledFunction: whose cache it is, its name's unless given
};

// A compiled entry of a frame.
class CacheEntry {
 public:
  // "0/1"
  const std::string& id() const { return id_; }
  std::string region() const { return "Torch-Compiled Region: " + id_; }
  // What tracing gave, with symbols of the entry's own mode.
  std::span<const Value> results() const { return results_; }
  // The inputs as they were traced.
  std::span<const Value> inputs() const { return inputs_; }
  // Whether results() are all that comes of a call: tracing raised nothing, and no metadata of an
  // input was changed.
  bool is_replayable() const { return is_replayable_; }
  // "_TorchCompileWrapper(compiler='eager', dynamic=None)"
  const std::string& backend() const { return backend_; }
  // What was decided of sizes: "2 <= x.size()[0]".
  std::vector<std::string> size_guards() const { return guards_->size_guards(); }
  ShapeEnv& shape_env() const { return *mode_->context().shape_env(); }

 private:
  friend class Compiler;
  std::string id_;
  std::string backend_;
  std::string path_;
  std::vector<std::pair<std::string, double>> numbers_;  // the dynamic ones, as they were
  std::unique_ptr<FakeTensorMode> mode_;
  std::optional<InputGuards> guards_;
  std::vector<Value> inputs_;
  std::vector<Value> results_;
  bool is_replayable_ = false;
};

// A call of a function, or of the rest of one after a graph break.
class FunctionPart {
 public:
  virtual ~FunctionPart() = default;

  // "fn", "torch_dynamo_resume_in_fn_at_2"
  virtual std::string name() const = 0;
  // The arguments of this call; equally many in each call of one function.
  virtual std::vector<FrameInput> inputs() const = 0;
  // Which way the call goes through the function where that depends on what no guard here sees
  // (globals, data): entries of another way do not fit. Equal texts are one way.
  virtual std::string path() const { return {}; }
  // Whether it calls operators: a function that does not, and breaks no graph, is not compiled.
  virtual bool calls_operators() const { return true; }

  // Calls the operators on inputs with symbols, for their guards; gives the results.
  virtual std::vector<Value> trace(FakeTensorMode& mode, std::span<const Value> inputs) = 0;
  // Of the last trace(): whether its results are the function's wherever its guards hold.
  virtual bool may_replay() const { return true; }
  // Calls them on the call's own arguments, in the region of `entry`; null: not compiled.
  virtual void run(const CacheEntry* entry) = 0;

  // What comes after a graph break; null at the end. run_break() does what broke the graph.
  virtual FunctionPart* next() { return nullptr; }
  virtual void run_break() {}
  // The text of the error with fullgraph=True.
  virtual std::string break_reason() const { return "graph break"; }
};

class Compiler {
 public:
  size_t recompile_limit = 8;

  // Calls the function of that key: a key is one function with one cache. Raises
  // ConstraintViolationError for a marked dimension that was specialised, RuntimeError for a graph
  // break under fullgraph; errors of tracing end the graph there.
  void call(const std::string& key, FunctionPart& part, const CompileOptions& options,
            const ProgramState& state, EventRecorder* recorder);

  // The function's entries, the one used last first; not those of the parts after its graph breaks.
  const std::list<CacheEntry>& entries(const std::string& key) const;
  size_t cache_size(const std::string& key) const { return entries(key).size(); }
  // The function is gone, and so are its entries; not while it is called.
  void forget(const std::string& key) { codes_.erase(key); }
  // torch._dynamo.reset(): everything is forgotten, but what was logged; not while one is called.
  void reset();

  // A text per compilation for which an earlier entry did not fit (TORCH_LOGS="recompiles").
  const std::vector<std::string>& recompiles() const { return recompiles_; }

 private:
  struct Code {
    int id = -1;
    size_t compiled = 0;
    bool is_skipped = false;        // it has nothing to compile
    bool is_run_only = false;       // the limit is reached
    std::list<CacheEntry> entries;  // the one used last first
    AutomaticDynamic seen;
    std::map<std::string, std::unique_ptr<Code>> rests;  // after graph breaks
  };
  struct Call {
    const CompileOptions& options;
    const ProgramState& state;
    EventRecorder* recorder;
    std::string backend;  // with what else tells two compilers apart
  };

  void call(Code& code, FunctionPart& part, const Call& call);
  CacheEntry* look_up(Code& code, std::span<const FrameInput> inputs, const std::string& path,
                      const Call& call);
  CacheEntry* compile(Code& code, FunctionPart& part, std::span<const FrameInput> inputs,
                      const Call& call);
  void trace(CacheEntry& entry, FunctionPart& part, std::span<const FrameInput> inputs,
             const AutomaticDynamic& seen, const Call& call);
  void log_reasons(Code& code, const FunctionPart& part, std::span<const FrameInput> inputs,
                   const Call& call);
  static std::string reason_of(CacheEntry& entry, std::span<const FrameInput> inputs,
                               const Call& call);
  static void note_inputs(Code& code, std::span<const FrameInput> inputs);
  static void run_eagerly(FunctionPart& part);
  static void run_graph(const CacheEntry& entry, FunctionPart& part, const Call& call);
  void run_compiled(Code& code, const CacheEntry& entry, FunctionPart& part, const Call& call);

  int frames_ = 0;
  std::map<std::string, Code> codes_;
  std::vector<std::string> recompiles_;
};

}  // namespace faketensor
