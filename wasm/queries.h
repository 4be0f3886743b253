// What JavaScript asks: one table of questions (queries.cpp), each a name and the function that
// answers it.
//
// A question is about an object (`run.guards` about a run), or about the engine
// (`engine.operators`), whose number is 0. Its arguments are a JSON object. The answer is JSON or
// {"error": ...}; that of `columns` is a packed buffer (packed.h). README.md says how to add one.
//
//   ask("run.why", 1, R"({"node": "linear", "dim": 1})")     // [{"node": "linear", "row": 7, ...}]
#pragma once

#include <string>

#include <emscripten/val.h>

namespace faketensor::wasm {

std::string ask(const std::string& question, int of, const std::string& arguments);
// A Uint8Array in wasm memory that is good until the next call, or the text of an error.
emscripten::val columns(const std::string& question, int of, const std::string& arguments);

}  // namespace faketensor::wasm
