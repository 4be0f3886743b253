// What running a program costs, as JSON for JavaScript and the command (MemoryReport and FlopReport of
// web/package/src/types.ts).
#pragma once

#include <span>

#include "core/analysis/program_costs.h"
#include "core/analysis/training_step.h"
#include "core/formats/json_writer.h"
#include "core/graph/explain.h"

namespace faketensor {

// What is written besides the timeline and its peak.
struct MemoryAsked {
  const TrainingStep* training = nullptr;  // of a step of training, null for none
  bool range = false;  // between which bytes the peak lies, where it depends on symbols
};
void write_memory(JsonWriter& json, const ProgramCosts& costs, const MemoryAsked& asked = {});
void write_flops(JsonWriter& json, const ProgramCosts& costs);
// The same as columns of numbers, to draw (RunCosts of web/package/src/types.ts). Symbols are what `settings` make of them,
// else the example's sizes; what only data tells is 0 and counted as unknown.
void write_costs(JsonWriter& json, const ProgramCosts& costs,
                 std::span<const SymbolSetting> settings);
// {"parameters": 437941260, "inputs": 64}: bytes held all the time, by kind.
void write_held(JsonWriter& json, const MemoryTimeline& memory);

}  // namespace faketensor
