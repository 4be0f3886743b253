// The functions that JavaScript calls: one call per graph, never per node (README.md).
//
// Programs, runs and modes are named by numbers. Replies are JSON; an error is {"error": {"class",
// "message", "operator", ...}} and never leaves as a C++ exception. Callbacks are JavaScript's:
// `source.read(offset, length)` gives a Uint8Array, or null to have the work stopped,
// `progress(done, total)` gives false for that. They never throw.
#pragma once

#include <string>

#include <emscripten/val.h>

namespace faketensor::wasm {

std::string engine_info();

// {"program": 1, "info": ProgramInfo}
std::string open_program(const emscripten::val& source, const std::string& name);
void close_program(int program);
// A Uint8Array in wasm memory that is good until the next call, or the text of an error.
emscripten::val layout(int program, const std::string& expanded);

// {"run": 1, "ok": true, "problems": [Problem, ...]}; `options` is PropagateOptions of
// web/package/src/types.ts as JSON.
std::string propagate(int program, const std::string& options, const emscripten::val& progress);
void close_run(int run);
// As for `layout`.
emscripten::val run_table(int run);
// {"val": Value}, or {} where there is no such value.
std::string run_value(int run, const std::string& name);
std::string run_node(int run, int row);

// [{"name": "aten::add.Tensor", "schema": "..."}, ...] of the operators whose name contains
// `pattern`.
std::string operators(const std::string& pattern);

// {"mode": 1}; options {"target": "cuda"}
std::string open_mode(const std::string& options);
// A new tensor on a storage of its own: {"out": Tensor, "after": []} for {"size": [2, 3], "stride":
// ..., "dtype": ..., "device": ...}.
std::string mode_empty(int mode, const std::string& tensor);
// {"out": Value, "after": [Tensor, ...]}; request {"op": "aten::mm", "args": [...], "kwargs":
// {...}}, in which {"t": 3} is the tensor that an earlier reply numbered so. A tensor's "t" and
// "storage" are its numbers in the mode.
std::string mode_call(int mode, const std::string& request);
void release_tensor(int mode, int tensor);
void close_mode(int mode);

// The command of core/command: its exit code. `argv` is a JSON list without the program's name;
// `host` is EngineHost of web/package/src/engine.ts.
int run_command(const std::string& argv, const emscripten::val& host);

}  // namespace faketensor::wasm
