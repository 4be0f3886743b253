// `faketensor answer` for transcripts of a Python session (tests/conformance/SYMBOLIC.md): modes,
// real tensors, conversions, operators, guards, step after step.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace faketensor {

// One answer object; `question` has "session" and "steps".
void answer_session(std::string& out, const nlohmann::json& question);

}  // namespace faketensor
