// What is alive at a peak, as JSON for JavaScript and the command (PeakReport of
// web/package/src/types.ts).
#pragma once

#include "core/analysis/peak_report.h"
#include "core/formats/json_writer.h"

namespace faketensor {

// Members of the object that is open: "shares" by kind, module, dtype and line, and "savings".
void write_peak_report(JsonWriter& json, const Run& run, const PeakReport& report);
// [{"name": "linear", "kind": "activations", "bytes": 4096, "until": "mul", "phase": "backward"}]
void write_alive(JsonWriter& json, const Run& run, const PeakReport& report);

}  // namespace faketensor
