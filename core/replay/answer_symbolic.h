// The part of `faketensor answer` that answers operator calls with symbolic sizes
// (tests/conformance/SYMBOLIC.md).
#pragma once

#include "core/formats/json_fields.h"
#include "core/formats/json_writer.h"
#include "core/ops/registry.h"

namespace faketensor {

// Writes the answer to one of the "symbolic operator vectors", as the members that follow its
// "id": what the call returned or raised, which arguments it changed, and what it added to the
// ShapeEnv. The question's symbols are made as its "env" lists them.
void answer_symbolic_operator(JsonWriter& json, OpId op, const Json& question);

}  // namespace faketensor
