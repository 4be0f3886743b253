// `faketensor answer` for op profiles: YAML written and read, generated fakes in a mode, graphs of
// draft_export (tests/conformance/SYSTEMS.md, "profiles/").
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace faketensor {

// Appends the answer to a question of kind "profiles/yaml", "profiles/load", "profiles/kernels" or
// "profiles/draft" (whose operators' schemas are in the header); false for other kinds.
bool answer_profiles(std::string& out, std::string_view kind, const nlohmann::json& question,
                     const nlohmann::json& header);

}  // namespace faketensor
