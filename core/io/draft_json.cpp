#include "core/io/draft_json.h"

#include "core/io/explain_json.h"
#include "core/io/profile_json.h"

namespace faketensor {

namespace {

void write_failure(JsonWriter& json, const Run& run, const DraftFailure& failure) {
  const auto object = json.object();
  json.field("kind", name(failure.kind));
  json.field("text", failure.text);
  json.field("occurrences", failure.occurrences);
  json.field_if_any("message", failure.message);
  if (!failure.symbols.empty()) json.field("symbols", failure.symbols);
  write_place(json, run, failure.row);
}

}  // namespace

void write_draft_report(JsonWriter& json, const DraftReport& report) {
  const auto object = json.object();
  json.field("successful", report.is_successful());
  {
    const auto failures = json.array("failures");
    for (const DraftFailure& failure : report.failures())
      write_failure(json, report.run(), failure);
  }
  write_profiles(json.key("opProfiles"), report.profiles());
  const auto problems = json.array("problems");
  for (const Problem& problem : report.problems()) {
    const auto row = json.object();
    json.field("node", report.run().program().text(report.run().program().node(problem.node).name));
    json.field("class", problem.error_class);
    json.field("message", problem.message);
  }
}

}  // namespace faketensor
