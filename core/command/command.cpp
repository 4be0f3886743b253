#include "core/command/command.h"

#include <algorithm>

#include "core/command/help.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {
bool asks_for_help(const std::string& arg) { return arg == "--help" || arg == "-h"; }
}  // namespace

int run_command(const std::vector<std::string>& args, CommandIo& io) {
  if (args.empty() || asks_for_help(args[0]) || args[0] == "help") {
    io.write_out(overview());
    return args.empty() ? kExitUsage : kExitFine;
  }
  const std::span<const Subcommand> all = subcommands();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Subcommand& s) { return s.name == args[0]; });
  if (found == all.end()) {
    io.write_error(format("faketensor: there is no command '{}'\n{}", args[0], overview()));
    return kExitUsage;
  }
  if (std::any_of(args.begin() + 1, args.end(), asks_for_help)) {
    io.write_out(found->help);
    return kExitFine;
  }
  try {
    return found->run({args.begin() + 1, args.end()}, io);
  } catch (const Error& error) {
    io.write_error(format("faketensor: {}\n", error.message()));
    return kExitUsage;
  }
}

}  // namespace faketensor
