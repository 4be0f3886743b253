// `ft.compile()`: compiled regions over functions of JavaScript and over loaded programs.
//
// A function is called with the mode in which it runs: that of the call, or, while it is traced, one
// whose tensors have symbols as sizes. Both call operators as every mode does (caller.h); the mode of
// a trace is there until the trace has ended. Inside of a trace a compiled function is a function.
// All functions of one engine share one Compiler, whose frames are numbered together.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <emscripten/val.h>

#include "core/formats/json_fields.h"
#include "core/formats/json_writer.h"
#include "core/profiler/compile/compiled_function.h"
#include "wasm/caller.h"

namespace faketensor::wasm {

class JsCompiled {
 public:
  // `program`: its number, 0 for functions. `given`: {"name": "fn", "key": "3", "stages": 1, "dynamic":
  // null, "fullgraph": false, "backend": "eager"}; what has one key shares its entries. `run(stage,
  // mode, args)` gives {"out": Value, "replays": whether it saw no symbol} as JSON, or null where it
  // failed; null for a program. It never throws.
  JsCompiled(int program, const Json& given, const emscripten::val& run);
  ~JsCompiled();
  JsCompiled(const JsCompiled&) = delete;
  JsCompiled& operator=(const JsCompiled&) = delete;

  // The reply of a call. `given`: {"names": ["x"], "args": [Value], "marks": {"x": {"dynamic": [0],
  // "static": []}}}.
  void call(JsonWriter& json, const std::shared_ptr<ModeCaller>& mode, const Json& given);
  // [{"id": "0/1", "backend", "sizeGuards", "isReplayed"}], the one used last first.
  void write_entries(JsonWriter& json) const;

 private:
  friend struct RunStage;
  std::vector<Value> bind(ModeCaller& mode, const std::vector<std::string>& names,
                          const Json& args) const;
  void mark(const Json& marks);
  std::vector<Value> run_stage(size_t stage, Frame& frame, std::span<const Value> inputs);
  std::vector<Value> run_inline(ModeCaller& mode, std::vector<Value> values);

  std::string name_;
  CompileOptions options_;
  size_t stages_ = 1;
  std::shared_ptr<const Program> program_;
  emscripten::val run_;
  std::vector<std::string> names_;  // of the arguments, since the first call
  std::optional<CompiledFunction> function_;
  std::shared_ptr<ModeCaller> mode_;  // of the call that runs
};

// The number of a compiled function.
std::string compile_function(int program, const std::string& given, const emscripten::val& run);

void run_compiled(JsonWriter& json, const Json& given);
void compiled_entries(JsonWriter& json, const Json& given);
void close_compiled(JsonWriter& json, const Json& given);
// {"recompiles": [texts], "recompileLimit": 8}; {"limit": 8} sets the limit, {"reset": true} forgets.
void compiler_state(JsonWriter& json, const Json& given);

}  // namespace faketensor::wasm
