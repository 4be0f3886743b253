// Files of op profiles, for the commands that take them.
#pragma once

#include "core/command/command.h"
#include "core/profiles/op_profile.h"

namespace faketensor {

// The superset format where the file is one without findings, else what PyTorch's reader makes of
// it. Raises what that raises.
OpProfiles open_profiles(const std::string& path, CommandIo& io);

}  // namespace faketensor
