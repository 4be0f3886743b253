// open_program: a program from the bytes of a file, whatever kind it is.
//
// The kind is told by the content, not by the name: a ZIP archive (.pt2), JSON (an exported
// program), or gzip of either.
//
//   Program program = open_program(FileSource("model.pt2"), "model.pt2");
#pragma once

#include <string>
#include <string_view>

#include "core/formats/byte_source.h"
#include "core/graph/program.h"

namespace faketensor {

// Throws kUnreadable, kLimitExceeded or kUsage; the message begins with `name` and says where in
// the file the fault is. `model` picks one of an archive's models, empty: the main one.
Program open_program(const ByteSource& source, std::string_view name, const ReadLimits& limits = {},
                     std::string_view model = {});

}  // namespace faketensor
