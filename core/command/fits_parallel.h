// `faketensor fits --gpus`: a program on several GPUs, on paper.
#pragma once

#include "core/command/command.h"
#include "core/command/options.h"

namespace faketensor {

// Whether --gpus is given. Raises UsageError for the options that need it, without it.
bool asks_for_gpus(const Options& options);

// Prints memory, bytes sent and time of each way on each target, with the assumptions. Raises
// UsageError.
int fits_on_gpus(const Options& options, CommandIo& io);

}  // namespace faketensor
