// Options as JavaScript gives them (web/package/src/types.ts), and as the command makes them of its
// arguments.
//
// What is unknown, of another type or out of range raises a UsageError that names the option and
// shows what was given: "'dims.batch' must be an integer, not 2.7". Nothing is rounded or left out.
//
//   propagate(program, read_propagate_options(parse_json(text, "options")));
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/devices/device_model.h"
#include "core/formats/json_fields.h"
#include "core/graph/explain.h"
#include "core/passes/retargeted_run.h"
#include "core/profiles/op_profile.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

// Of `--target` too: a preset's name (core/devices/presets.h).
Target target_named(std::string_view name);
// The same with what the device is. In JavaScript a target is a name, or the text of a target file,
// which has more than one line.
DeviceModel device_named(std::string_view name);
DeviceModel read_device_model(const Json& given);

// {"dims": {"batch": 4}, "inputs": {"x": {"size": [4, 3]}}, "dtype": "bfloat16", "literal": false,
// "assume": {"view_3.1": "literal"}, ...}
RetargetOptions read_propagate_options(const Json& given);

// {"target": "cuda", "shapeEnv": true}; the ShapeEnv may be given with its own options.
struct ModeOptions {
  Target target = {};
  std::optional<ShapeEnvOptions> shape_env = {};
};
ModeOptions read_mode_options(const Json& given);

// ShapeEnv(**options) of an object like {"duck_shape": false}: settings by PyTorch's names.
ShapeEnvOptions read_shape_env_options(const Json& given);

// {"target": "cuda"}
Target read_session_options(const Json& given);

// Profiles as JSON, or a JSON string of YAML: the superset format where the text is one.
OpProfiles read_profiles_or_yaml(const Json& given);

// {"s31": 6, "s9": [2, 64]}
std::vector<SymbolSetting> read_symbol_settings(const Json& given);

// {"symbols": {...}, "nodes": ["add", ...]}
struct WhatIfQuestion {
  std::vector<SymbolSetting> symbols;
  std::vector<std::string> nodes;
};
WhatIfQuestion read_what_if(const Json& given);

// ["add", "mul"], [0, 3]
std::vector<std::string> read_texts(const Json& list, std::string_view name);
std::vector<uint32_t> read_indices(const Json& list, std::string_view name);

}  // namespace faketensor
