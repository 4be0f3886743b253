#include "wasm/profile_queries.h"

#include <memory>
#include <optional>
#include <string>

#include "core/formats/json_fields.h"
#include "core/io/options_json.h"
#include "core/profiler/profile_json.h"
#include "core/support/format.h"
#include "wasm/reply.h"

namespace faketensor::wasm {

namespace {

// {"target": "h100", "again": true}: null for no device.
const RunProfile& profile_of(OpenRun& run, const Json& given) {
  const Json& target = member(given, "target", kUsage);
  const std::string name = target.is_null() ? std::string() : text_of(target, "target", kUsage);
  if (run.profile == nullptr || name != run.profile_target || bool_member(given, "again", false)) {
    const auto device = name.empty() ? std::nullopt : std::optional(hardware_of(target));
    run.profile = std::make_unique<const RunProfile>(*run.program, run.options, device);
    run.profile_target = name;
  }
  return *run.profile;
}

}  // namespace

DeviceModel hardware_of(const Json& given) {
  DeviceModel device = read_device_model(given);
  if (!device.hardware)
    throw_error(kUsage, format("target '{}' is a PyTorch without a device", device.name));
  return device;
}

void trace(JsonWriter& json, OpenRun& run, const Json& given) {
  write_run_trace(json, profile_of(run, given));
}

void key_averages(JsonWriter& json, OpenRun& run, const Json& given) {
  const RunProfile& profile = profile_of(run, given);
  TableOptions options{.row_limit =
                           integer_of(member(given, "rowLimit", kUsage), "rowLimit", kUsage)};
  const Json& sort_by = member(given, "sortBy", kUsage);
  options.sort_by = !sort_by.is_null()       ? text_of(sort_by, "sortBy", kUsage)
                    : profile.is_simulated() ? "self_cuda_time_total"
                                             : "self_cpu_time_total";
  const GroupBy group{.input_shape = bool_member(given, "groupByInputShape", false)};
  write_averages(json, profile.averages(group), options);
}

void chrome_trace(JsonWriter& json, OpenRun& run, const Json& given) {
  json.value(profile_of(run, given)
                 .chrome_trace(text_of(member(given, "process", kUsage), "process", kUsage)));
}

// `raw`: each event, not the points.
void memory_timeline(JsonWriter& json, OpenRun& run, const Json& given) {
  const std::vector<TimelineEvent> events = profile_of(run, given).memory();
  const Device device = main_device(events);
  json.raw(bool_member(given, "raw", false) ? raw_memory_timeline_json(events, device)
                                            : memory_timeline_json(events, device));
}

}  // namespace faketensor::wasm
