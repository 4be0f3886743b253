// The part of `faketensor answer` that answers questions about programs and passes.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/command/command.h"
#include "core/formats/json_writer.h"

namespace faketensor {

// Answers a question of kind "passes/programs" or "passes/errors"; false for another kind.
bool answer_passes(JsonWriter& json, std::string_view kind, const nlohmann::json& question);

// Answers the questions of kind "passes/passes", whose programs are in programs.jsonl beside the
// file `path`. `text`: the lines behind the header.
int answer_pass_questions(const std::string& path, std::string_view text, CommandIo& io);

}  // namespace faketensor
