// A profile of a run as JSON for JavaScript (RunTrace and KeyAverages of web/package/src/profile_types.ts).
#pragma once

#include "core/formats/json_writer.h"
#include "core/profiler/run_profile.h"

namespace faketensor {

// {"device": "NVIDIA H100 SXM", "deviceNanoseconds": 340000, "events": [...]}
void write_run_trace(JsonWriter& json, const RunProfile& profile);
// [{"name": "aten::add", "parent": -1, "start": 0, "duration": 1000, ...}, ...]: of any profile.
void write_events(JsonWriter& json, const EventList& events);
// {"rows": [...], "table": "---- ..."}
void write_averages(JsonWriter& json, const AverageList& averages, const TableOptions& options);

}  // namespace faketensor
