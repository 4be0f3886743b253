// The part of `faketensor answer` that makes one operator call: operator vectors, with or without
// symbolic sizes.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/mode/mode.h"

namespace faketensor {

// Calls `op` in `mode` with the question's "args" and "kwargs", and appends the members
// "out" and "after", or "raises" and "message".
void answer_call(std::string& out, FakeTensorMode& mode, OpId op, const nlohmann::json& question);

}  // namespace faketensor
