// Passes as the command's options name them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/command/options.h"
#include "core/passes/pass.h"
#include "core/support/error.h"

namespace faketensor {

// The values of an option that takes a list, "a,b", and may be given several times.
std::vector<std::string> split_options(const Options& options, std::string_view name);

// What a pass tells besides that it has changed something; empty where it tells nothing.
std::string told_by(const PassResult& result);

// Whether an error is one of the program's nodes, rather than of the use of the command or of a
// file.
bool is_error_of_nodes(const Error& error);

}  // namespace faketensor
