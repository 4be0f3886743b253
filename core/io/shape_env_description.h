// ShapeEnvs as JSON: all that one knows (tests/conformance/SYMBOLIC.md, "describe"), and the parts
// that such texts are made of.
#pragma once

#include <string>

#include "core/symbolic/shape_env.h"

namespace faketensor {

// {"symbols": [...], "guards": [...], "replacements": {...}, "divisible": [...], "deferred": {...},
// "format_guards": " - s77 > 3", "frozen": false}; symbols sorted by name.
void append_shape_env(std::string& out, ShapeEnv& env);

// [2,"int_oo"], a float's ends as floats, a boolean's as booleans
void append_json(std::string& out, const ValueRange& range);
// "2*s77", or a number where the expression is one
void append_json(std::string& out, const ExprNode* expression);

}  // namespace faketensor
