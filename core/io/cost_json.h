// What running a program costs, as JSON for JavaScript and the command (MemoryReport and FlopReport of
// web/package/src/types.ts).
#pragma once

#include <span>

#include "core/analysis/program_costs.h"
#include "core/analysis/training_step.h"
#include "core/formats/json_writer.h"
#include "core/graph/explain.h"

namespace faketensor {

// `training`: of a step of training too, null for none.
void write_memory(JsonWriter& json, const ProgramCosts& costs,
                  const TrainingStep* training = nullptr);
void write_flops(JsonWriter& json, const ProgramCosts& costs);
// The same as columns of numbers, to draw (RunCosts of web/package/src/types.ts). Symbols are what `settings` make of them,
// else the example's sizes; what only data tells is 0 and counted as unknown.
void write_costs(JsonWriter& json, const ProgramCosts& costs,
                 std::span<const SymbolSetting> settings);
// {"parameters": 437941260, "inputs": 64}: bytes held all the time, by kind.
void write_held(JsonWriter& json, const MemoryTimeline& memory);

}  // namespace faketensor
