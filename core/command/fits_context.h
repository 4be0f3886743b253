// `faketensor fits --context`: how long a decoder's caches can get on a device.
#pragma once

#include <vector>

#include "core/command/command.h"
#include "core/command/options.h"
#include "core/devices/device_model.h"

namespace faketensor {

// Whether --context is given. Raises UsageError for options that do not go with it.
bool asks_for_context(const Options& options);

// Prints the caches and, for each device, the longest context. Raises UsageError for a program
// without caches.
int fits_context(const Options& options, const std::vector<DeviceModel>& devices, CommandIo& io);

}  // namespace faketensor
