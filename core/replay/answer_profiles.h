// `faketensor answer` for op profiles: YAML written and read, generated fakes in a mode, graphs of
// draft_export (tests/conformance/SYSTEMS.md, "profiles/").
#pragma once

#include <string_view>

#include "core/formats/json_fields.h"
#include "core/formats/json_writer.h"

namespace faketensor {

// Writes the answer to a question of kind "profiles/yaml", "profiles/load", "profiles/kernels" or
// "profiles/draft" (whose operators' schemas are in the header); false for other kinds.
bool answer_profiles(JsonWriter& json, std::string_view kind, const Json& question,
                     const Json& header);

}  // namespace faketensor
