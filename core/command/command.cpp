#include "core/command/command.h"

#include <algorithm>

#include "core/command/subcommands.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

struct Subcommand {
  std::string_view name;
  int (*run)(const std::vector<std::string>& args, CommandIo& io);
  std::string_view summary;
};

constexpr Subcommand kSubcommands[] = {
    {"answer", &answer_command, "answer recorded conformance vectors"},
};

std::string usage() {
  std::string text = "usage: faketensor COMMAND [ARGUMENT]...\n\n";
  for (const Subcommand& subcommand : kSubcommands)
    text += format("  {}  {}\n", subcommand.name, subcommand.summary);
  return text;
}

}  // namespace

int run_command(const std::vector<std::string>& args, CommandIo& io) {
  if (args.empty() || args[0] == "--help" || args[0] == "-h") {
    io.write_out(usage());
    return args.empty() ? kExitUsage : kExitFine;
  }
  const auto* found = std::find_if(std::begin(kSubcommands), std::end(kSubcommands),
                                   [&](const Subcommand& s) { return s.name == args[0]; });
  if (found == std::end(kSubcommands)) {
    io.write_error(format("faketensor: there is no command '{}'\n{}", args[0], usage()));
    return kExitUsage;
  }
  try {
    return found->run({args.begin() + 1, args.end()}, io);
  } catch (const Error& error) {
    io.write_error(format("faketensor: {}\n", error.message()));
    return kExitUsage;
  }
}

}  // namespace faketensor
