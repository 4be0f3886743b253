// What JavaScript sees of a program: a description as JSON, and its drawing as a packed buffer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/formats/json_writer.h"
#include "core/graph/drawn_graph.h"
#include "core/graph/program.h"

namespace faketensor::wasm {

// ProgramInfo of web/package/src/types.ts.
void write_program(JsonWriter& json, const Program& program);

// Layout of types.ts, as a packed buffer of kind kLayout; without `plumbing` (core/graph/plumbing.h)
// only what is computed is drawn.
std::vector<uint8_t> pack_layout(const Program& program, std::span<const uint32_t> expanded,
                                 bool plumbing);

// std::string of anything that append_text prints.
template <typename T>
std::string text_of(const T& value) {
  std::string text;
  append_text(text, value);
  return text;
}

}  // namespace faketensor::wasm
