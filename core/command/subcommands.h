// The functions of the subcommands' rows (Subcommand of command.h, help.cpp).
#pragma once

#include <string>
#include <vector>

#include "core/command/command.h"

namespace faketensor {

int call_command(const std::vector<std::string>& args, CommandIo& io);
int guards_command(const std::vector<std::string>& args, CommandIo& io);
int info_command(const std::vector<std::string>& args, CommandIo& io);
int ops_command(const std::vector<std::string>& args, CommandIo& io);
int profile_command(const std::vector<std::string>& args, CommandIo& io);
int propagate_command(const std::vector<std::string>& args, CommandIo& io);

}  // namespace faketensor
