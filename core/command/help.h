// The help texts. `faketensor COMMAND --help` prints one; the golden test holds them.
#pragma once

#include <span>
#include <string_view>

#include "core/command/command.h"

namespace faketensor {

struct Subcommand {
  std::string_view name;
  int (*run)(const std::vector<std::string>& args, CommandIo& io);
  std::string_view summary;
  std::string_view help;
};

std::span<const Subcommand> subcommands();
// What `faketensor --help` prints.
std::string overview();

}  // namespace faketensor
