// `faketensor answer` for expression vectors (tests/conformance/SYMBOLIC.md): trees of Python
// operators over the symbols of a ShapeEnv, first as facts that it learns, then as questions about values,
// ranges and what is known statically.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace faketensor {

// One answer object; `question` has "queries".
void answer_exprs(std::string& out, const nlohmann::json& question);

}  // namespace faketensor
