#include "core/io/cost_json.h"

#include "core/io/peak_json.h"
#include "core/io/training_json.h"
#include "core/io/value_json.h"

namespace faketensor {

namespace {

void write_holder(JsonWriter& json, const Run& run, const Holder& holder) {
  const auto object = json.object();
  json.field("row", holder.row);
  json.field("name", run.plan().name_of(holder.row));
  json.field("kind", name(holder.kind));
  write_json(json.key("bytes"), holder.bytes);
  if (holder.last_use != kNoRow) json.field("until", run.plan().name_of(holder.last_use));
}

void write_peak(JsonWriter& json, const ProgramCosts& costs) {
  const MemoryTimeline& memory = costs.memory();
  const auto peak = json.object("peak");
  write_json(json.key("bytes"), memory.peak());
  json.field("row", memory.peak_row());
  json.field("name", costs.run().plan().name_of(memory.peak_row()));
  {
    const auto holders = json.array("holders");
    for (const Holder& holder : memory.holders(memory.peak_row()))
      write_holder(json, costs.run(), holder);
  }
  write_peak_report(json, costs.run(), PeakReport(costs.run(), memory));
}

}  // namespace

void write_held(JsonWriter& json, const MemoryTimeline& memory) {
  const auto held = json.object();
  for (size_t i = 0; i < kMemoryKinds; ++i) {
    const auto kind = static_cast<MemoryKind>(i);
    if (!same_expr(memory.held(kind), 0)) write_json(json.key(name(kind)), memory.held(kind));
  }
}

void write_memory(JsonWriter& json, const ProgramCosts& costs, const TrainingStep* training) {
  const BranchScope env = costs.run().shape_env();
  const MemoryTimeline& memory = costs.memory();
  const auto object = json.object();
  write_held(json.key("held"), memory);
  {
    const auto live = json.array("live");
    for (const RowMemory& row : memory.rows()) write_json(json, row.live);
  }
  {
    const auto peaks = json.array("peaks");
    for (const RowMemory& row : memory.rows()) write_json(json, row.peak);
  }
  if (memory.peak_row() != kNoRow) write_peak(json, costs);
  if (training != nullptr) write_training(json.key("training"), *training);
}

void write_flops(JsonWriter& json, const ProgramCosts& costs) {
  const std::vector<RowFlops> rows = costs.flops();
  const std::vector<SymInt> modules = costs.module_flops();
  const BranchScope env = costs.run().shape_env();
  const auto object = json.object();
  write_json(json.key("total"), modules[0]);
  {
    const auto nodes = json.array("nodes");
    for (const RowFlops& row : rows) {
      const auto node = json.object();
      json.field("row", row.row);
      json.field("name", costs.run().plan().name_of(row.row));
      write_json(json.key("flops"), row.flops);
    }
  }
  const auto by_module = json.object("modules");
  const Program& program = costs.run().program();
  for (ModuleId module = 1; module < modules.size(); ++module) {
    if (!same_expr(modules[module], 0))
      write_json(json.key(program.text(program.modules[module].path)), modules[module]);
  }
}

}  // namespace faketensor
