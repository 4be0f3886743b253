#include "core/command/command.h"

#include <algorithm>
#include <exception>
#include <new>

#include "core/command/help.h"
#include "core/devices/target.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/support/version.h"

namespace faketensor {

void CommandIo::write_file(const std::string& path, std::string_view bytes) {
  if (path == kStandardInput) return write_out(bytes);
  const std::string why = put_file(path, bytes);
  if (!why.empty()) throw_error(ErrorKind::kUnreadable, format("{}: cannot write: {}", path, why));
}

namespace {

class CollectedFile final : public ByteSink {
 public:
  CollectedFile(CommandIo& io, std::string path) : io_(io), path_(std::move(path)) {}
  void write(std::string_view bytes) override { bytes_ += bytes; }
  void finish() override { io_.write_file(path_, bytes_); }

 private:
  CommandIo& io_;
  std::string path_;
  std::string bytes_;
};

}  // namespace

std::unique_ptr<ByteSink> CommandIo::create_file(const std::string& path) {
  return std::make_unique<CollectedFile>(*this, path);
}

namespace {
bool asks_for_help(const std::string& arg) { return arg == "--help" || arg == "-h"; }

const Subcommand* find_subcommand(std::string_view name, std::span<const Subcommand> more) {
  for (const Subcommand* row : subcommands(more)) {
    if (row->name == name) return row;
  }
  return nullptr;
}

int run_subcommand(const std::vector<std::string>& args, CommandIo& io,
                   std::span<const Subcommand> more) {
  if (args.empty() || asks_for_help(args[0]) || args[0] == "help") {
    io.write_out(overview(more));
    return args.empty() ? kExitUsage : kExitFine;
  }
  if (args[0] == "--version") {
    io.write_out(format("faketensor {}, answers as PyTorch {}\n", version(), Target{}.torch));
    return kExitFine;
  }
  const Subcommand* found = find_subcommand(args[0], more);
  if (found == nullptr) {
    io.write_error(format("faketensor: there is no command '{}'\n{}", args[0], overview(more)));
    return kExitUsage;
  }
  if (std::any_of(args.begin() + 1, args.end(), asks_for_help)) {
    io.write_out(help(*found));
    return kExitFine;
  }
  try {
    return found->run(Options({args.begin() + 1, args.end()}, found->options), io);
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

int run_command(const std::vector<std::string>& args, CommandIo& io,
                std::span<const Subcommand> more) {
  const int code = run_subcommand(args, io, more);
  const std::string& failure = io.finish_out();
  if (failure.empty()) return code;
  io.write_error(format("faketensor: cannot write the output: {}\n", failure));
  return kExitUsage;
}

}  // namespace faketensor
