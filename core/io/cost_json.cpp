#include "core/io/cost_json.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/io/peak_json.h"
#include "core/io/training_json.h"
#include "core/io/value_json.h"
#include "core/symbolic/shape_env.h"

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

void write_peak(JsonWriter& json, const ProgramCosts& costs, bool with_range) {
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
  if (!with_range || !memory.peak().is_symbolic()) return;
  const PeakRange bytes = memory.peak_range();
  const auto range = json.array("range");
  json.value(bytes.least);
  json.value(bytes.most);
}

}  // namespace

void write_held(JsonWriter& json, const MemoryTimeline& memory) {
  const auto held = json.object();
  for (size_t i = 0; i < kMemoryKinds; ++i) {
    const auto kind = static_cast<MemoryKind>(i);
    if (!same_expr(memory.held(kind), 0)) write_json(json.key(name(kind)), memory.held(kind));
  }
}

void write_memory(JsonWriter& json, const ProgramCosts& costs, const MemoryAsked& asked) {
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
  if (memory.peak_row() != kNoRow) write_peak(json, costs, asked.range);
  if (asked.training != nullptr) write_training(json.key("training"), *asked.training);
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

namespace {

// Sizes as numbers: under settings, else the example's.
class Numbers {
 public:
  Numbers(const Run& run, std::span<const SymbolSetting> settings)
      : env_(run.shape_env()), what_if_(run, settings) {}

  // None where only data tells.
  std::optional<int64_t> find(SymInt size) {
    if (!size.is_symbolic()) return size.as_int();
    const auto [found, is_new] = known_.try_emplace(size.node(), std::nullopt);
    if (is_new) found->second = work_out(what_if_.value(size));
    return found->second;
  }
  int64_t operator()(SymInt size) { return find(size).value_or(0); }

 private:
  static std::optional<int64_t> work_out(SymInt size) {
    if (!size.is_symbolic()) return size.as_int();
    const std::optional<Number> hint = shape_env_of(size.node()).hint(size.node());
    return hint ? std::optional(hint->integer) : std::nullopt;
  }

  const BranchScope env_;
  const WhatIf what_if_;
  std::unordered_map<const ExprNode*, std::optional<int64_t>> known_;
};

template <typename List, typename Get>
void write_column(JsonWriter& json, std::string_view name, const List& list, const Get& get) {
  const auto column = json.array(name);
  for (const auto& item : list) json.value(get(item));
}

int64_t row_or_end(Row row) { return row == kNoRow ? -1 : int64_t{row}; }

// Per row what composite operators hold inside of it beyond the storages of the rows' values: where
// there is anything.
std::vector<std::pair<Row, int64_t>> temporaries(const ProgramCosts& costs,
                                                 std::span<const StorageLife> storages,
                                                 Numbers& numbers) {
  const MemoryTimeline& memory = costs.memory();
  const size_t inputs = costs.run().program().inputs.size();
  std::vector<int64_t> change(memory.rows().size() + 1);  // of what is alive inside of a row
  for (const StorageLife& storage : storages) {
    change[storage.first < inputs ? 0 : storage.first] += numbers(storage.bytes);
    if (storage.last != kNoRow) change[storage.last + 1] -= numbers(storage.bytes);
  }
  std::vector<std::pair<Row, int64_t>> found;
  int64_t alive = 0;
  for (Row row = 0; row < memory.rows().size(); ++row) {
    alive += change[row];
    const int64_t more = numbers(memory.rows()[row].peak) - alive;
    if (more > 0) found.emplace_back(row, more);
  }
  return found;
}

}  // namespace

void write_costs(JsonWriter& json, const ProgramCosts& costs,
                 std::span<const SymbolSetting> settings) {
  const MemoryTimeline& memory = costs.memory();
  const std::span<const StorageLife> storages = memory.lives();
  Numbers numbers(costs.run(), settings);
  const auto object = json.object();
  {
    const auto kinds = json.array("kinds");
    for (size_t i = 0; i < kMemoryKinds; ++i) json.value(name(static_cast<MemoryKind>(i)));
  }
  {
    const auto columns = json.object("storages");
    write_column(json, "row", storages, [](const StorageLife& of) { return int64_t{of.first}; });
    write_column(json, "until", storages,
                 [](const StorageLife& of) { return row_or_end(of.last); });
    write_column(json, "kind", storages,
                 [](const StorageLife& of) { return static_cast<int64_t>(of.kind); });
    write_column(json, "bytes", storages, [&](const StorageLife& of) { return numbers(of.bytes); });
  }
  {
    const auto columns = json.object("temporaries");
    const auto inside = temporaries(costs, storages, numbers);
    write_column(json, "row", inside, [](const auto& of) { return int64_t{of.first}; });
    write_column(json, "bytes", inside, [](const auto& of) { return of.second; });
  }
  {
    const auto columns = json.object("flops");
    const std::vector<RowFlops> rows = costs.flops();
    write_column(json, "row", rows, [](const RowFlops& of) { return int64_t{of.row}; });
    write_column(json, "flops", rows, [&](const RowFlops& of) { return numbers(of.flops); });
  }
  const auto unknown = std::count_if(storages.begin(), storages.end(), [&](const StorageLife& of) {
    return !numbers.find(of.bytes).has_value();
  });
  json.field("unknown", static_cast<int64_t>(unknown));
}

}  // namespace faketensor
