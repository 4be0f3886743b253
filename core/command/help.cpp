#include "core/command/help.h"

#include "core/command/subcommands.h"
#include "core/support/format.h"

namespace faketensor {

std::vector<const Subcommand*> subcommands(std::span<const Subcommand> more) {
  std::vector<const Subcommand*> all = {
      &kPropagateCommand, &kGuardsCommand, &kDraftCommand, &kMemoryCommand, &kFlopsCommand,
      &kTimeCommand,      &kFitsCommand,   &kDiffCommand,  &kTraceCommand,  &kConvertCommand,
      &kInfoCommand,      &kOpsCommand,    &kCallCommand,  &kPassesCommand, &kProfileCommand};
  for (const Subcommand& row : more) all.push_back(&row);
  return all;
}

std::string help(const Subcommand& subcommand) {
  std::string text(subcommand.about);
  return text.append(option_lines(subcommand.options)).append(subcommand.more);
}

std::string overview(std::span<const Subcommand> more) {
  std::string text =
      "usage: faketensor COMMAND [ARGUMENT]...\n\nWhat PyTorch would answer about every tensor of "
      "a program, without PyTorch.\n\n";
  for (const Subcommand* row : subcommands(more)) {
    std::string name(row->name);
    name.resize(12, ' ');
    text += format("  {}{}\n", name, row->summary);
  }
  return text +
         "\nFILE may be gzipped, and - is standard input. `faketensor COMMAND --help` says more "
         "and gives examples,\n`faketensor --version` which release this is.\n";
}

}  // namespace faketensor
