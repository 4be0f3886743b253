#include "core/io/peak_json.h"

#include "core/io/value_json.h"

namespace faketensor {

namespace {

void write_shares(JsonWriter& json, const std::vector<MemoryShare>& shares, bool is_tree) {
  const auto list = json.array();
  for (const MemoryShare& share : shares) {
    const auto object = json.object();
    json.field("name", share.name);
    write_json(json.key("bytes"), share.own);
    if (is_tree) write_json(json.key("withBelow"), share.with_below);
  }
}

void write_saving(JsonWriter& json, const Run& run, const Saving& saving) {
  const auto object = json.object();
  json.field("how", name(saving.kind));
  json.field("bytes", saving.bytes);
  if (saving.row != kNoRow) json.field("name", run.plan().name_of(saving.row));
  if (!saving.module.empty()) json.field("module", saving.module);
  if (saving.other != kNoRow) json.field("other", run.plan().name_of(saving.other));
}

}  // namespace

void write_peak_report(JsonWriter& json, const Run& run, const PeakReport& report) {
  write_shares(json.key("byKind"), report.by_kind(), false);
  write_shares(json.key("byModule"), report.by_module(), true);
  write_shares(json.key("byDtype"), report.by_dtype(), false);
  write_shares(json.key("bySource"), report.by_source(), false);
  const auto savings = json.array("savings");
  for (const Saving& saving : report.savings()) write_saving(json, run, saving);
}

void write_alive(JsonWriter& json, const Run& run, const PeakReport& report) {
  const auto list = json.array();
  for (const AliveStorage& each : report.alive()) {
    const auto object = json.object();
    if (each.row != kNoRow) {
      json.field("row", each.row);
      json.field("name", run.plan().name_of(each.row));
    }
    json.field("kind", name(each.kind));
    write_json(json.key("bytes"), each.bytes);
    if (each.until != kNoRow) json.field("until", run.plan().name_of(each.until));
    if (!each.stays) json.field("phase", name(each.until_phase));
  }
}

}  // namespace faketensor
