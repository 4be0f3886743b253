// open_with_text: a program from a file, with its text where the file is FX text.
//
// What of such text cannot be read keeps nothing from being a program: the problems of the text say
// it (core/graph/text/read_program_text.h). `open_program` (open.h) raises them all instead.
//
//   const TextProgram opened = open_with_text(FileSource("model.txt"), "model.txt");
//   if (opened.text != nullptr) for (const TextProblem& problem : opened.text->problems()) ...
#pragma once

#include "core/formats/byte_source.h"
#include "core/graph/text/read_program_text.h"

namespace faketensor {

// `text` is null for files that are none. Throws as open_program does for what is no program.
TextProgram open_with_text(const ByteSource& source, std::string_view name,
                           const ReadLimits& limits = {}, std::string_view model = {});

}  // namespace faketensor
