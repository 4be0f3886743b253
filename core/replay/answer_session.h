// `faketensor answer` for transcripts of a Python session (tests/conformance/SYMBOLIC.md): modes,
// real tensors, conversions, operators, guards, step after step.
#pragma once

#include "core/formats/json_fields.h"
#include "core/formats/json_writer.h"

namespace faketensor {

// One answer object; `question` has "session" and "steps".
void answer_session(JsonWriter& json, const Json& question);

}  // namespace faketensor
