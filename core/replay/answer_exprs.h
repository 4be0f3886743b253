// `faketensor answer` for expression vectors (tests/conformance/SYMBOLIC.md): trees of Python
// operators over the symbols of a ShapeEnv, first as facts that it learns, then as questions about values,
// ranges and what is known statically.
#pragma once

#include "core/formats/json_fields.h"
#include "core/formats/json_writer.h"

namespace faketensor {

// One answer object; `question` has "queries".
void answer_exprs(JsonWriter& json, const Json& question);

}  // namespace faketensor
