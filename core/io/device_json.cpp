#include "core/io/device_json.h"

#include "core/io/value_json.h"

namespace faketensor {

void write_work_sum(JsonWriter& json, const WorkSum& sum) {
  write_json(json.key("flops"), sum.flops);
  write_json(json.key("read"), sum.read);
  write_json(json.key("written"), sum.written);
}

void write_work(JsonWriter& json, const ProgramWork& work) {
  const std::vector<RowWork> rows = work.rows();
  const std::vector<WorkSum> modules = work.modules();
  const std::array<WorkSum, kWorkKinds> kinds = work.kinds();
  const Run& run = work.run();
  const BranchScope env = run.shape_env();
  const auto is_nothing = [](const WorkSum& sum) {
    return same_expr(sum.flops, 0) && same_expr(sum.read, 0) && same_expr(sum.written, 0);
  };
  const auto object = json.object();
  write_work_sum(json, modules[0]);
  {
    const auto nodes = json.array("nodes");
    for (const RowWork& row : rows) {
      const auto node = json.object();
      json.field("row", row.row);
      json.field("name", run.plan().name_of(row.row));
      write_work_sum(json, row);
    }
  }
  {
    const auto by_module = json.object("modules");
    for (ModuleId id = 1; id < modules.size(); ++id) {
      if (is_nothing(modules[id])) continue;
      const auto module = json.object(run.program().text(run.program().modules[id].path));
      write_work_sum(json, modules[id]);
    }
  }
  const auto by_kind = json.object("kinds");
  for (size_t i = 0; i < kWorkKinds; ++i) {
    if (is_nothing(kinds[i])) continue;
    const auto kind = json.object(name(static_cast<WorkKind>(i)));
    write_work_sum(json, kinds[i]);
  }
}

void write_time(JsonWriter& json, const ProgramWork& work, const StepTime& time,
                const DeviceModel& device) {
  const Run& run = work.run();
  const StepItems items = items_of(run);
  const auto object = json.object();
  json.field("target", device.name);
  json.field("seconds", time.seconds());
  json.field("calls", time.calls());
  json.field("samples", items.samples);
  json.field("tokens", items.tokens);
  {
    const auto bounds = json.object("bounds");
    for (size_t i = 0; i < kBounds; ++i)
      json.field(name(static_cast<Bound>(i)), time.seconds(static_cast<Bound>(i)));
  }
  {
    const auto kinds = json.object("kinds");
    for (size_t i = 0; i < kWorkKinds; ++i) {
      const auto kind = static_cast<WorkKind>(i);
      if (time.seconds(kind) > 0) json.field(name(kind), time.seconds(kind));
    }
  }
  {
    const auto nodes = json.array("nodes");
    for (const RowTime& row : time.rows()) {
      const auto node = json.object();
      json.field("row", row.row);
      json.field("name", run.plan().name_of(row.row));
      json.field("seconds", row.seconds);
      json.field("bound", name(row.bound));
      json.field("calls", row.calls);
    }
  }
  const auto modules = json.object("modules");
  for (ModuleId id = 1; id < time.modules().size(); ++id) {
    if (time.modules()[id] > 0)
      json.field(run.program().text(run.program().modules[id].path), time.modules()[id]);
  }
}

namespace {

void write_peak(JsonWriter& json, const Program& program,
                const std::optional<PeakBySize::Peak>& peak) {
  if (!peak) return;
  json.field("peak", peak->bytes);
  if (peak->phase) json.field("phase", name(*peak->phase));
  if (peak->row != kNoRow) json.field("node", program.plan().name_of(peak->row));
}

void write_fit_row(JsonWriter& json, const Program& program, const FitRow& row) {
  const auto object = json.object();
  json.field("name", row.device.name);
  json.field("title", row.device.title);
  json.field("memory", row.device.hardware->memory);
  json.field("usable", row.usable());
  json.field("fits", row.fits);
  write_peak(json, program, row.peak);
  json.field_if_any("reserved", row.reserved);
  if (row.peak) json.field("headroom", row.headroom());
  if (!row.largest) return;
  const auto largest = json.object("largest");
  json.field("size", row.largest->size);
  json.field("stop", name(row.largest->stop));
}

void write_figures(JsonWriter& json, std::string_view key, const CostFigures& figures) {
  const auto object = json.object(key);
  json.field("bytes", figures.bytes);
  json.field("flops", figures.flops);
  json.field("seconds", figures.seconds);
}

void write_total(JsonWriter& json, std::string_view key, const CostFigures& figures,
                 int64_t counted) {
  const auto object = json.object(key);
  json.field("peak", figures.bytes);
  json.field("counted", counted);
  json.field("flops", figures.flops);
  json.field("seconds", figures.seconds);
}

}  // namespace

void write_fits(JsonWriter& json, const Program& program, const FitQuestion& question,
                const FitAnswer& answer) {
  const auto object = json.object();
  if (!question.over.empty()) {
    json.field("over", question.over);
    json.field("size", answer.size);
  }
  {
    const auto targets = json.array("targets");
    for (const FitRow& row : answer.rows) write_fit_row(json, program, row);
  }
  if (answer.peaks.empty()) return;
  const auto peaks = json.array("peaks");
  for (const auto& [size, peak] : answer.peaks) {
    const auto entry = json.object();
    json.field("size", size);
    write_peak(json, program, peak);
  }
}

void write_diff(JsonWriter& json, const ProgramDiff& diff) {
  const auto object = json.object();
  write_total(json, "a", diff.total_a(), diff.counted_a());
  write_total(json, "b", diff.total_b(), diff.counted_b());
  json.field("matched", diff.matched());
  {
    const auto nodes = json.array("nodes");
    for (const NodeDiff& node : diff.nodes()) {
      const auto entry = json.object();
      if (node.row_a != kNoRow) json.field("nameA", diff.run_a().plan().name_of(node.row_a));
      if (node.row_b != kNoRow) json.field("nameB", diff.run_b().plan().name_of(node.row_b));
      json.field("valueChanged", node.value_changed);
      if (node.row_a != kNoRow) write_figures(json, "a", node.a);
      if (node.row_b != kNoRow) write_figures(json, "b", node.b);
    }
  }
  const auto modules = json.array("modules");
  for (const ModuleDiff& module : diff.modules()) {
    const auto entry = json.object();
    json.field("path", module.path);
    if (module.in_a) write_figures(json, "a", module.a);
    if (module.in_b) write_figures(json, "b", module.b);
  }
}

}  // namespace faketensor
