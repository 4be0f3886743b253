// A training step's memory, as JSON for JavaScript and the command (TrainingReport of
// web/package/src/types.ts).
#pragma once

#include "core/analysis/training_step.h"
#include "core/formats/json_fields.h"
#include "core/formats/json_writer.h"

namespace faketensor {

// {"optimizer": "adam", "gradAccumulation": 4, "masterWeights": true, "checkpoint": ["layers.0"]}, of
// which the first must be there. Raises UsageError for another member, word or number.
TrainingOptions read_training_options(const Json& given);

void write_training(JsonWriter& json, const TrainingStep& step);

}  // namespace faketensor
