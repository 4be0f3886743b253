#include "core/io/draft_json.h"

#include "core/graph/explain.h"
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
  if (failure.row == kNoRow) return;
  const Program& program = run.program();
  const Node& node = program.node(failure.row);
  json.field("node", program.text(node.name));
  json.field("row", failure.row);
  json.field_if_any("call", call_text(run, failure.row));
  json.field_if_any("module", program.module_path(node));
  json.field_if_any("source", program.source_line(node));
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
