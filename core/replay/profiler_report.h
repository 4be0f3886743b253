// Tables and averages from the events that a transcript of PyTorch's profiler records.
#pragma once

#include "core/formats/json_fields.h"
#include "core/formats/json_writer.h"

namespace faketensor {

// Writes the members that `report.ask` names: averages, table, averages_by_shape, table_by_shape,
// table_sorted, table_kw, table_raises.
void answer_profiler_report(JsonWriter& json, const Json& events, const Json& report);

// [{"key", "count", ...}]: what is not zero or empty. Memory is left out where it is neither used
// nor given back.
struct AverageList;
void write_averages(JsonWriter& json, const AverageList& averages);

}  // namespace faketensor
