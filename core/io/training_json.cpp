#include "core/io/training_json.h"

#include "core/io/value_json.h"

namespace faketensor {

namespace {

void write_kinds(JsonWriter& json, const std::array<SymInt, kMemoryKinds>& kinds) {
  const auto object = json.object();
  for (size_t i = 0; i < kMemoryKinds; ++i) {
    if (!same_expr(kinds[i], 0)) write_json(json.key(name(static_cast<MemoryKind>(i))), kinds[i]);
  }
}

}  // namespace

void write_training(JsonWriter& json, const TrainingStep& step) {
  const BranchScope env = step.run().shape_env();
  const auto object = json.object();
  json.field("optimizer", kOptimizers[static_cast<size_t>(step.options().optimizer)]);
  {
    const auto peak = json.object("peak");
    const MemoryEvent& event = step.events()[step.peak_index()];
    write_json(json.key("bytes"), step.peak());
    json.field("phase", name(event.phase));
    if (event.row != kNoRow) {
      json.field("row", event.row);
      json.field("name", step.run().plan().name_of(event.row));
    }
    write_kinds(json.key("kinds"), step.by_kind(step.peak_index()));
  }
  {
    const auto after = json.object("after");
    write_json(json.key("bytes"), step.after());
    write_kinds(json.key("kinds"), step.by_kind(step.events().size() - 1));
  }
  json.field("approximated", step.approximated());
  const auto untrained = json.array("untrained");
  for (const Row row : step.untrained()) json.value(step.run().plan().name_of(row));
}

}  // namespace faketensor
