// Questions about a run as a profile; rows of the table in queries.cpp, which says what such a function is.
#pragma once

#include "core/devices/device_model.h"
#include "core/formats/json_fields.h"
#include "core/formats/json_writer.h"
#include "wasm/objects.h"

namespace faketensor::wasm {

// A target that is a device. Raises UsageError for one without hardware.
DeviceModel hardware_of(const Json& given);

void trace(JsonWriter& json, OpenRun& run, const Json& given);
void key_averages(JsonWriter& json, OpenRun& run, const Json& given);
void chrome_trace(JsonWriter& json, OpenRun& run, const Json& given);
void memory_timeline(JsonWriter& json, OpenRun& run, const Json& given);

}  // namespace faketensor::wasm
