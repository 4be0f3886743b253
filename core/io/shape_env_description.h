// A whole ShapeEnv as JSON: the "describe" step of transcripts (tests/conformance/SYMBOLIC.md).
#pragma once

#include <string>

#include "core/symbolic/shape_env.h"

namespace faketensor {

// {"symbols": [...], "guards": [...], "replacements": {...}, "divisible": [...], "deferred": {...},
// "format_guards": " - s77 > 3", "frozen": false}; symbols sorted by name.
void append_shape_env(std::string& out, ShapeEnv& env);

}  // namespace faketensor
