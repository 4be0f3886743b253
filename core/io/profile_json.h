// Op profiles as JSON, both ways: the form of tests/conformance/SYSTEMS.md.
//
//   [["mylib.foo.default", [{"args": [M or null, ...], "out": M or [M, ...]}]]]
//   M: {"rank": 2, "dtype": "float32", "device": "cpu", "layout": "strided"}
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/formats/json_writer.h"
#include "core/profiles/op_profile.h"

namespace faketensor {

// Raises Unreadable for JSON that is no profile.
OpProfiles read_profiles(const nlohmann::json& json);
void write_profiles(JsonWriter& json, const OpProfiles& profiles);

}  // namespace faketensor
