// The part of `faketensor answer` that makes one operator call: operator vectors, with or without
// symbolic sizes.
#pragma once

#include <functional>

#include "core/formats/json_fields.h"
#include "core/io/value_json.h"
#include "core/mode/mode.h"

namespace faketensor {

// Calls `op` in `mode` with the question's "args" and "kwargs", and writes the members
// "out" and "after", or "raises" and "message". `called`, where given, is called between the two:
// printing an expression may shorten the ShapeEnv's chains of replacements. `ready` is called with
// the arguments' tensors before the call.
void answer_call(JsonWriter& json, FakeTensorMode& mode, OpId op, const Json& question,
                 const std::function<void()>& called = {},
                 const std::function<void(ValueReader&)>& ready = {});

}  // namespace faketensor
