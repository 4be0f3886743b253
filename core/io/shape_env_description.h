// ShapeEnvs as JSON: all that one knows (tests/conformance/SYMBOLIC.md, "describe"), and the parts
// that such texts are made of.
#pragma once

#include <string>

#include "core/formats/json_writer.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

// {"symbols": [...], "guards": [...], "replacements": {...}, "divisible": [...], "deferred": {...},
// "format_guards": " - s77 > 3", "frozen": false}; symbols sorted by name.
void write_shape_env(JsonWriter& json, ShapeEnv& env);

// The fields "name", "hint" and "range" of a symbol's object.
void write_symbol_fields(JsonWriter& json, ShapeEnv& env, const ExprNode* symbol);
// [2,"int_oo"], a float's ends as floats, a boolean's as booleans
void write_json(JsonWriter& json, const ValueRange& range);
// "2*s77", or a number where the expression is one
void write_json(JsonWriter& json, const ExprNode* expression);

}  // namespace faketensor
