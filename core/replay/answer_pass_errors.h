// Questions of kind "passes/errors": what passes and graphs refuse, and what they accept.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/formats/json_writer.h"

namespace faketensor {

void answer_pass_error(JsonWriter& json, const nlohmann::json& question);

}  // namespace faketensor
