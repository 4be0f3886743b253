// The list of subcommands and their help texts, which the golden test holds.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/command/command.h"

namespace faketensor {

// Those of this layer, and `more`.
std::vector<const Subcommand*> subcommands(std::span<const Subcommand> more);
// What `faketensor COMMAND --help` prints.
std::string help(const Subcommand& subcommand);
// What `faketensor --help` prints; `more` are listed last.
std::string overview(std::span<const Subcommand> more);

}  // namespace faketensor
