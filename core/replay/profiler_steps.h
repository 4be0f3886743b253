// The steps of a program that was profiled, run again (tests/conformance/SYSTEMS.md).
#pragma once

#include "core/formats/json_fields.h"
#include "core/formats/json_writer.h"

namespace faketensor {

// Runs the steps in a mode of their own and writes the members that `ask` names.
void answer_profiler_steps(JsonWriter& json, const Json& steps, const Json& ask);

}  // namespace faketensor
