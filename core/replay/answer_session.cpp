#include "core/replay/answer_session.h"

#include <nlohmann/json.hpp>

#include "core/formats/json_fields.h"
#include "core/replay/session_runner.h"

namespace faketensor {

using nlohmann::json;

void answer_session(std::string& out, const json& question) {
  out += "{\"session\":";
  append_json_string(out, text_member(question, "session"));
  out += ",\"steps\":[";
  SessionRunner runner;
  bool first = true;
  for (const json& step : list_member(question, "steps")) {
    if (!first) out += ',';
    first = false;
    runner.run(out, step);
  }
  out += "]}";
}

}  // namespace faketensor
