// JSON that was read, written as it was. What JSON has no word for is written as Python's json module
// does: NaN, Infinity.
#pragma once

#include "core/formats/json_events.h"
#include "core/formats/json_writer.h"

namespace faketensor {

void copy_json(JsonWriter& json, JsonValue value);

}  // namespace faketensor
