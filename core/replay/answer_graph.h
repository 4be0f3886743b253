// The part of `faketensor answer` that answers whole graphs.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/command/command.h"

namespace faketensor {

// `path` is the file the header was read from; the program lies beside it.
int answer_graph(const std::string& path, const nlohmann::json& header, CommandIo& io);

}  // namespace faketensor
