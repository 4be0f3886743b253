// The subcommands, each in a file of its name.
#pragma once

#include "core/command/command.h"

namespace faketensor {

extern const Subcommand kPropagateCommand;
extern const Subcommand kGuardsCommand;
extern const Subcommand kDraftCommand;
extern const Subcommand kMemoryCommand;
extern const Subcommand kFlopsCommand;
extern const Subcommand kTimeCommand;
extern const Subcommand kFitsCommand;
extern const Subcommand kDiffCommand;
extern const Subcommand kTraceCommand;
extern const Subcommand kConvertCommand;
extern const Subcommand kInfoCommand;
extern const Subcommand kPassesCommand;
extern const Subcommand kOpsCommand;
extern const Subcommand kCallCommand;
extern const Subcommand kProfileCommand;

}  // namespace faketensor
