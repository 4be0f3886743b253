// What running a program costs, as JSON for JavaScript and the command (MemoryReport and FlopReport of
// web/package/src/types.ts).
#pragma once

#include "core/analysis/program_costs.h"
#include "core/analysis/training_step.h"
#include "core/formats/json_writer.h"

namespace faketensor {

// `training`: of a step of training too, null for none.
void write_memory(JsonWriter& json, const ProgramCosts& costs,
                  const TrainingStep* training = nullptr);
void write_flops(JsonWriter& json, const ProgramCosts& costs);
// {"parameters": 437941260, "inputs": 64}: bytes held all the time, by kind.
void write_held(JsonWriter& json, const MemoryTimeline& memory);

}  // namespace faketensor
