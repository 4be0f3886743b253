// Questions of kind "passes/programs": an exported program as its graph, texts and signature.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/formats/json_writer.h"

namespace faketensor {

void answer_program(JsonWriter& json, const nlohmann::json& question);

}  // namespace faketensor
