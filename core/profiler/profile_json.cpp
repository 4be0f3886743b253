#include "core/profiler/profile_json.h"

#include "core/profiler/chrome_trace.h"

namespace faketensor {

namespace {

void write_shapes(JsonWriter& json, const std::vector<InputShape>& shapes) {
  const auto list = json.array("inputShapes");
  for (const InputShape& shape : shapes) json.value(shape.sizes);
}

void write_event(JsonWriter& json, const RunProfile& profile, size_t i, int64_t kernel_start) {
  const FunctionEvent& event = profile.events()[i];
  const auto object = json.object();
  json.field("name", event.name);
  json.field("parent", event.parent);
  json.field("start", event.start_ns - profile.events()[0].start_ns);
  json.field("duration", event.end_ns - event.start_ns);
  if (event.device_ns > 0) {
    json.field("deviceStart", kernel_start);
    json.field("deviceDuration", event.device_ns);
  }
  if (!event.node.empty()) {
    json.field("row", profile.run().program().find(event.node));
    json.field("module", event.module_path);
  }
  if (event.flops != 0) json.field("flops", event.flops);
  if (event.node.empty()) write_shapes(json, event.input_shapes);
}

void write_average(JsonWriter& json, const EventAverage& row, bool has_memory) {
  const auto object = json.object();
  json.field("key", row.key);
  json.field("count", row.count);
  json.field("cpuTimeTotal", row.cpu_time_total);
  json.field("selfCpuTimeTotal", row.self_cpu_time_total);
  json.field("deviceTimeTotal", row.device_time_total);
  json.field("selfDeviceTimeTotal", row.self_device_time_total);
  json.field("flops", row.flops);
  if (has_memory) {
    json.field("cpuMemory", row.cpu_memory);
    json.field("selfCpuMemory", row.self_cpu_memory);
    json.field("deviceMemory", row.device_memory);
    json.field("selfDeviceMemory", row.self_device_memory);
  }
  if (!row.input_shapes.empty()) write_shapes(json, row.input_shapes);
}

}  // namespace

void write_run_trace(JsonWriter& json, const RunProfile& profile) {
  const std::vector<int64_t> starts = kernel_starts(profile.events());
  const auto object = json.object();
  if (profile.is_simulated()) json.field("device", profile.device_name());
  json.field("deviceNanoseconds", profile.device_ns());
  const auto events = json.array("events");
  for (size_t i = 0; i < starts.size(); ++i) write_event(json, profile, i, starts[i]);
}

void write_events(JsonWriter& json, const EventList& events) {
  const auto list = json.array();
  for (const FunctionEvent& event : events.events()) {
    const auto object = json.object();
    json.field("name", event.name);
    json.field("parent", event.parent);
    json.field("start", event.start_ns - events.events()[0].start_ns);
    json.field("duration", event.end_ns - event.start_ns);
    if (event.flops != 0) json.field("flops", event.flops);
    if (events.columns().profile_memory) {
      json.field("cpuMemory", event.cpu_memory);
      json.field("deviceMemory", event.device_memory);
    }
    write_shapes(json, event.input_shapes);
  }
}

void write_averages(JsonWriter& json, const AverageList& averages, const TableOptions& options) {
  const auto object = json.object();
  json.field("table", table(averages, options));
  const auto rows = json.array("rows");
  for (const EventAverage& row : averages.rows)
    write_average(json, row, averages.columns.profile_memory);
}

}  // namespace faketensor
