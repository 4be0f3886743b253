// The functions that JavaScript calls with more than JSON: with callbacks, or with numbers in the call
// area. Everything else is a question (queries.h).
//
// Programs, runs, modes and sessions are named by numbers. Replies are JSON; an error is {"error":
// {"class", "message", "operator", ...}} and never leaves as a C++ exception. Callbacks are
// JavaScript's: `source.read(offset, length)` gives a Uint8Array, or null to have the work stopped,
// `progress(done, total)` gives false for that. They never throw.
#pragma once

#include <string>

#include <emscripten/val.h>

namespace faketensor::wasm {

// {"program": 1, "info": ProgramInfo}
// `memory_limit` in bytes (Note [Memory of reading]); 0 for the default. A program that is text comes
// with "textProblems"; with `keep_going` its errors are there too, else they are raised. `sections`: whether a
// program without modules gets invented ones (core/graph/invented_modules.h). `bodies`: whether graphs of higher-order operators are
// rows and modules too (core/graph/bodies.h).
std::string open_program(const emscripten::val& source, const std::string& name,
                         double memory_limit, bool keep_going, bool sections, bool bodies);
void close_program(int program);

// {"run": 1, "ok": true, "problems": [Problem, ...]}; `options` is PropagateOptions of
// web/package/src/types.ts as JSON.
std::string propagate(int program, const std::string& options, const emscripten::val& progress);
void close_run(int run);

// A Float64Array over the call area (call_area.h). Growth of the memory detaches it.
emscripten::val call_area();
// A call by numbers: arguments and answer lie in the call area. Empty, or the reply of "caller.call"
// where the answer does not fit there. `caller` is a mode or a session (caller.h).
std::string call_packed(int caller, int op);
// {"fake": 1}
std::string push_fake(int caller, const std::string& name, const emscripten::val& fake);
// The number of a profile, which runs (mode_profile.h). `clock` gives nanoseconds, or is null.
std::string open_profile(int mode, const std::string& options, const emscripten::val& clock);
// `count` tensors, whose numbers lie in the call area, are no longer held.
void release(int caller, int count);
void close_caller(int caller);

}  // namespace faketensor::wasm
