// The subcommands. Each takes the arguments after its own name and returns the exit code; Errors it
// lets through are printed by run_command and exit with kExitUsage.
#pragma once

#include <string>
#include <vector>

#include "core/command/command.h"

namespace faketensor {

int answer_command(const std::vector<std::string>& args, CommandIo& io);
int call_command(const std::vector<std::string>& args, CommandIo& io);
int guards_command(const std::vector<std::string>& args, CommandIo& io);
int info_command(const std::vector<std::string>& args, CommandIo& io);
int ops_command(const std::vector<std::string>& args, CommandIo& io);
int profile_command(const std::vector<std::string>& args, CommandIo& io);
int propagate_command(const std::vector<std::string>& args, CommandIo& io);

}  // namespace faketensor
