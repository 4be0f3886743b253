// `faketensor answer VECTORS.jsonl[.gz]`: the subcommand that answers recorded vectors and
// transcripts, for the programs that have it (core/main.cpp, wasm/command/bindings.cpp).
//
//   return run_command(args, io, {&kAnswer, 1});
#pragma once

#include "core/command/command.h"

namespace faketensor {

extern const Subcommand kAnswer;

}  // namespace faketensor
