// What JavaScript sees of a program: a description as JSON, and its drawing as a packed buffer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/formats/json_writer.h"
#include "core/graph/program.h"

namespace faketensor::wasm {

// ProgramInfo of web/package/src/types.ts.
void write_program(JsonWriter& json, const Program& program);

// The graph as columns, rows being nodes: which rows each row reads, in compressed rows, each once.
struct InputColumns {
  std::vector<uint32_t> start;  // rows + 1
  std::vector<uint32_t> inputs;
};
InputColumns input_columns(const Plan& plan);

// How operators are named here: the schema's name where a rule is known ("aten::add.Tensor"), else
// as the file spells it; "placeholder", "getitem" and "output" for nodes that are no calls.
std::string_view op_name(const Plan& plan, Row row);

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
