#include "core/replay/answer_profiler.h"

#include "core/replay/profiler_report.h"
#include "core/replay/profiler_steps.h"

namespace faketensor {

bool answer_profiler(JsonWriter& json, std::string_view kind, const Json& question) {
  if (kind != "profiler") return false;
  const auto answer = json.object();
  json.field("id", text_member(question, "id"));
  if (question.contains("report")) {
    answer_profiler_report(json, member(question, "events"), object_member(question, "report"));
  } else {
    answer_profiler_steps(json, list_member(question, "steps"), list_member(question, "ask"));
  }
  return true;
}

}  // namespace faketensor
