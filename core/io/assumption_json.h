// What a run assumed, as JSON: what `faketensor propagate --format json` prints and JavaScript gets
// (Assumption of web/package/src/types.ts).
//
//   [{"site":"view_3.1","node":"view_3","from":"2","to":"7","reason":"is dimension 0 of x",
//     "guess":true,"source":"model.py:12 in forward"}]
#pragma once

#include <span>

#include "core/formats/json_writer.h"
#include "core/passes/assumptions.h"

namespace faketensor {

void write_assumptions(JsonWriter& json, const Plan& plan, std::span<const Assumption> assumptions);

}  // namespace faketensor
