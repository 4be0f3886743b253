// FX text as a program: what torch.fx prints of graphs and modules, and what people type.
//
//   const TextProgram read = read_program_text(text, "model.txt", limits);
//   for (const TextProblem& problem : read.text->problems()) ... read.text->place(problem.span) ...
//
// Two forms are told apart by how they begin: code (code_reader.h) and graphs (graph_text.h). The
// program always runs: what could not be read is told in the text's problems, and values that need
// it are not reached. A node has as its recorded value what it answers for the example, which the
// annotations of the inputs give; an annotation that says something else is a warning. Its source
// line is the one that the text says of it, and else its line of the text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/formats/read_limits.h"
#include "core/graph/program.h"
#include "core/graph/text/program_text.h"

namespace faketensor {

struct TextProgram {
  Program program;
  std::shared_ptr<ProgramText> text;
};

bool looks_like_program_text(std::string_view text);

// Raises LimitExceeded, and Unreadable for text in which there is no program at all.
TextProgram read_program_text(std::string text, std::string_view name, const ReadLimits& limits);
// The same without the example's values and lines: of a pattern, or the body of an operator.
TextProgram parse_program_text(std::string text, const ReadLimits& limits);

}  // namespace faketensor
