// Recorded transcripts of PyTorch's profiler (kind `profiler`, tests/conformance/SYSTEMS.md): the
// steps of a program, and tables made from recorded events.
#pragma once

#include <string_view>

#include "core/formats/json_fields.h"
#include "core/formats/json_writer.h"

namespace faketensor {

// Answers a question of the kind `profiler`; false, with nothing written, for another kind.
bool answer_profiler(JsonWriter& json, std::string_view kind, const Json& question);

}  // namespace faketensor
