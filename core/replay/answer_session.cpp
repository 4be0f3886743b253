#include "core/replay/answer_session.h"

#include "core/replay/session_runner.h"

namespace faketensor {

void answer_session(JsonWriter& json, const Json& question) {
  const auto answer = json.object();
  json.field("session", text_member(question, "session"));
  const auto steps = json.array("steps");
  SessionRunner runner;
  for (const Json& step : list_member(question, "steps")) runner.run(json, step);
}

}  // namespace faketensor
