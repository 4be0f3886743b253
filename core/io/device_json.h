// Programs on devices as JSON, for JavaScript and the command: work, time, what fits, differences
// (WorkReport, TimeReport, FitReport and DiffReport of web/package/src/types.ts).
#pragma once

#include "core/analysis/fit_devices.h"
#include "core/analysis/program_diff.h"
#include "core/analysis/roofline.h"
#include "core/formats/json_writer.h"

namespace faketensor {

void write_work(JsonWriter& json, const ProgramWork& work);
void write_time(JsonWriter& json, const ProgramWork& work, const StepTime& time,
                const DeviceModel& device);
void write_fits(JsonWriter& json, const Program& program, const FitQuestion& question,
                const FitAnswer& answer);
void write_diff(JsonWriter& json, const ProgramDiff& diff);

// "flops", "read", "written": members of an object that is open.
void write_work_sum(JsonWriter& json, const WorkSum& sum);

}  // namespace faketensor
