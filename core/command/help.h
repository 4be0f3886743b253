// The help texts. `faketensor COMMAND --help` prints one; the golden test holds them.
#pragma once

#include <span>
#include <string_view>

#include "core/command/command.h"

namespace faketensor {

std::span<const Subcommand> subcommands();
// What `faketensor --help` prints; `more` are listed last.
std::string overview(std::span<const Subcommand> more);

}  // namespace faketensor
