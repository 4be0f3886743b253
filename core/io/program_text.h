// The text of the program in a file, for what writes it anew.
#pragma once

#include <string>
#include <string_view>

#include "core/formats/byte_source.h"
#include "core/formats/read_limits.h"

namespace faketensor {

struct FileText {
  std::string text;
  std::string_view kind;  // "pt2" and "json" of JSON, "text" of FX text
  ReadLimits limits;      // for reading it
};

// Of a file of any kind that open_program reads (open.h), which it throws like.
FileText file_text(const ByteSource& source, std::string_view name, const ReadLimits& limits = {},
                   std::string_view model = {});

// The JSON. Raises Usage, too, for a file that is FX text.
std::string program_text(const ByteSource& source, std::string_view name,
                         const ReadLimits& limits = {}, std::string_view model = {});

}  // namespace faketensor
