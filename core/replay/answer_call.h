// The part of `faketensor answer` that makes one operator call: operator vectors, with or without
// symbolic sizes.
#pragma once

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/io/value_json.h"
#include "core/mode/mode.h"

namespace faketensor {

// Calls `op` in `mode` with the question's "args" and "kwargs", and appends the members
// "out" and "after", or "raises" and "message". `called`, where given, is called between the two:
// printing an expression may shorten the ShapeEnv's chains of replacements. `ready` is called with
// the arguments' tensors before the call.
void answer_call(std::string& out, FakeTensorMode& mode, OpId op, const nlohmann::json& question,
                 const std::function<void()>& called = {},
                 const std::function<void(ValueReader&)>& ready = {});

}  // namespace faketensor
