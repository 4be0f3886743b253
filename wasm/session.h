// The functions that JavaScript calls (README.md).
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
// `memory_limit` in bytes (Note [Memory of reading]); 0 for the default.
std::string open_program(const emscripten::val& source, const std::string& name,
                         double memory_limit);
void close_program(int program);
// A Uint8Array in wasm memory that is good until the next call, or the text of an error.
emscripten::val layout(int program, const std::string& expanded);

// The profiles of the program's unknown operators as the file records them: {"profiles": [...]}.
std::string record_profiles(int program);

// Op profiles: a text of YAML to {"profiles": [...]} (core/io/profile_json.h), and back to {"yaml":
// text}.
std::string parse_profiles(const std::string& yaml);
std::string format_profiles(const std::string& profiles);

// {"run": 1, "ok": true, "problems": [Problem, ...]}; `options` is PropagateOptions of
// web/package/src/types.ts as JSON.
std::string propagate(int program, const std::string& options, const emscripten::val& progress);
void close_run(int run);
// As for `layout`.
// `symbols`: settings as run_what_if takes them, as JSON, for sizes by what the run knows at its
// end; "null" for each as its node answered it.
emscripten::val run_table(int run, const std::string& symbols);
std::string run_symbols(int run);
// {"val": Value}, or {} where there is no such value.
std::string run_value(int run, const std::string& name);
std::string run_node(int run, int row);

// Why the run has the guards and sizes that it has (core/io/explain_json.h): {"guards": [...]},
// {"steps": [...]}, and what other sizes break; `settings` is {"symbols": {"s77": 4 or [2, 9]},
// "nodes": [names]}.
std::string run_guards(int run);
std::string run_why(int run, const std::string& node, int dim);
std::string run_what_if(int run, const std::string& settings);

// [{"name": "aten::add.Tensor", "schema": "..."}, ...] of the operators whose name contains
// `pattern`.
std::string operators(const std::string& pattern);

// {"mode": 1}; options {"target": "cuda", "shapeEnv": true}, or a ShapeEnv's options there
std::string open_mode(const std::string& options);
// {"out": Value, "changed": whether tensors are not what they were}; request {"op": "aten::mm",
// "args": [...], "kwargs": {...}}, in which {"t": 3} is the tensor that an earlier reply numbered
// so. A tensor's "t" and "storage" are its numbers in the mode.
std::string mode_call(int mode, const std::string& request);
// {"op": 17, "arguments": ["self", "other", "alpha"]}: what call_packed takes for that name.
std::string mode_operator(int mode, const std::string& name);
// The number of a value that is given again and again (a dtype, a string), or null where there are
// too many of them.
std::string mode_constant(int mode, const std::string& value);
// A Float64Array over the call area (call_area.h). Growth of the memory detaches it.
emscripten::val call_area();
// The same as mode_call by numbers: arguments and answer lie in the call area. Empty, or the reply
// of mode_call where the answer does not fit there.
std::string mode_call_packed(int mode, int op);
// Defines a custom operator, "mylib::foo(Tensor x, int n) -> Tensor": {} or an error.
std::string mode_define(int mode, const std::string& schema);
// Registers a fake, which answers for the operator until it is popped: {"fake": 1}. `fake` is
// called with the arguments as a JSON object by name and gives the result as JSON, or null where it
// failed.
std::string mode_push_fake(int mode, const std::string& name, const emscripten::val& fake);
void mode_pop_fake(int mode, int fake);
// Fakes made from profiles, JSON or a JSON string of YAML, until they are popped: {"scope": 1,
// "warnings": [...]}.
std::string mode_push_profiles(int mode, const std::string& profiles);
void mode_pop_profiles(int mode, int scope);
// While a fake runs: a fresh size, {"sym": "u0"}, in the range {"min": 0, "max": 9}.
std::string mode_new_size(int mode, const std::string& range);
// ["Eq(s0, 3)", ...]: the guards and deferred runtime asserts of the mode so far.
std::string mode_guards(int mode);
// A tensor as it is now.
std::string mode_tensor(int mode, double tensor);
// JavaScript is done with `count` tensors, whose numbers lie in the call area: once for each time
// that it was told of one.
void mode_release(int mode, int count);
void close_mode(int mode);

// {"session": 1}: modes, real tensors and scopes in steps, options {"target": "cuda"}. A step and
// its answer are those of a transcript (core/replay/session_runner.h).
std::string open_session(const std::string& options);
std::string session_step(int session, const std::string& step);
void close_session(int session);

// The command of core/command: its exit code. `argv` is a JSON list without the program's name;
// `host` is EngineHost of web/package/src/engine.ts.
int run_command(const std::string& argv, const emscripten::val& host);

}  // namespace faketensor::wasm
