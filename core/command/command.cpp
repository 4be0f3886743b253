#include "core/command/command.h"

#include <algorithm>
#include <exception>
#include <new>

#include "core/command/help.h"
#include "core/devices/target.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {
bool asks_for_help(const std::string& arg) { return arg == "--help" || arg == "-h"; }

int run_subcommand(const std::vector<std::string>& args, CommandIo& io) {
  if (args.empty() || asks_for_help(args[0]) || args[0] == "help") {
    io.write_out(overview());
    return args.empty() ? kExitUsage : kExitFine;
  }
  if (args[0] == "--version") {
    io.write_out(format("faketensor {}, answers as PyTorch {}\n", version(), Target{}.torch));
    return kExitFine;
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
  } catch (const std::bad_alloc&) {
    io.write_error("faketensor: out of memory\n");
  } catch (const std::exception& error) {  // a length that no container has
    io.write_error(format("faketensor: {}\n", error.what()));
  }
  return kExitUsage;
}

}  // namespace

std::string_view version() { return FAKETENSOR_VERSION; }

int run_command(const std::vector<std::string>& args, CommandIo& io) {
  const int code = run_subcommand(args, io);
  const std::string& failure = io.finish_out();
  if (failure.empty()) return code;
  io.write_error(format("faketensor: cannot write the output: {}\n", failure));
  return kExitUsage;
}

}  // namespace faketensor
