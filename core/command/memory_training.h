// `faketensor memory --train`: a training step's memory.
#pragma once

#include "core/analysis/training_step.h"
#include "core/command/command.h"
#include "core/command/options.h"

namespace faketensor {

// --train, --grad-accumulation, --master-weights, --checkpoint; none without --train. Raises
// UsageError.
std::optional<TrainingOptions> training_options(const Options& options);

// "backward of linear_3 in layers.0": where of a step an event is.
std::string place_text(const TrainingStep& step, const MemoryEvent& event);

// Prints the step as text, or as JSON lines: one per node and phase, then one of the whole.
void print_training(const TrainingStep& step, bool as_lines, CommandIo& io);

}  // namespace faketensor
