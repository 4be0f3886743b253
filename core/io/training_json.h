// A training step's memory, as JSON for JavaScript and the command (TrainingReport of
// web/package/src/types.ts).
#pragma once

#include "core/analysis/training_step.h"
#include "core/formats/json_writer.h"

namespace faketensor {

void write_training(JsonWriter& json, const TrainingStep& step);

}  // namespace faketensor
