// Passes from JavaScript, and programs written: what takes files and callbacks beside JSON.
//
// A program is read again for them: what is opened keeps neither its text nor its weights.
#pragma once

#include <string>

#include <emscripten/val.h>

namespace faketensor::wasm {

// Runs passes on the program of a file. `passes` is JSON, a list of names ("dce", "split_by_tags/4")
// and of {"methods": ["callOperator"], "function": 0}, whose callback is that of `functions`
// (js_export_pass.h). The reply is
//
//   {"passes": [{"name": "dce", "modified": true, "info": JSON text or null}], "diff": "-...\n+...",
//    "refusal": null, "weights": null}
//
// and the program, as JSON, is then the answer to the columns `engine.written`. Where what came of
// the passes has no such form, `refusal` says why, and the answer is the graph's readable text; where
// the file's weights do not fit it, `weights` says so. Both are errors (reply.h).
std::string run_passes(const emscripten::val& source, const std::string& name,
                       const std::string& passes, const emscripten::val& functions);
// What `super.METHOD(...)` gives in a function of a pass that runs: a proxy (js_export_pass.h).
std::string call_base(const std::string& method, const std::string& arguments);

// {}; the JSON of the program is the answer to `engine.written`.
std::string write_json_of(const emscripten::val& source, const std::string& name);
// Writes the archive `source` with that program, or its own where it is empty: `sink` is called with
// one Uint8Array after the other, in wasm memory, and gives false to have it stopped.
std::string write_archive(const emscripten::val& source, const std::string& program,
                          const emscripten::val& sink);

}  // namespace faketensor::wasm
