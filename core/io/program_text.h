// The JSON of the program in a file, for what writes it anew.
#pragma once

#include <string>
#include <string_view>

#include "core/formats/byte_source.h"
#include "core/formats/read_limits.h"

namespace faketensor {

// Of a file of any kind that open_program reads (open.h), which it throws like.
std::string program_text(const ByteSource& source, std::string_view name,
                         const ReadLimits& limits = {}, std::string_view model = {});

}  // namespace faketensor
